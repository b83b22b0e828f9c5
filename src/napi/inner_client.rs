//! The app's own client, as the core calls it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::SystemTime;

use napi_ohos::bindgen_prelude::ToNapiValue;

use super::arguments::Argument;
use super::cancel::CancelToken;
use super::errors::{BadInput, JsonLimits, error_facts, json};
use super::executor::{JsPromise, Runtime};
use super::js::{Scope, Type, Value};
use super::kept::{Kept, Reference};
use crate::classify::{AnswerFacts, CallError, ErrorClass, classify, classify_answer};
use crate::client::{Attempt, LlmClient, LlmResponse};

/// Any object of the app with `chat(request, context?)`.
pub struct InnerClient {
    runtime: Rc<Runtime>,
    object: Reference,
    provider: Option<String>,
    /// Set by the app; else it depends on how many parameters `chat` declares.
    pass_context: Option<bool>,
    /// The function that `chat` was at the last call, and whether it takes a context. Looked up at each call, since an
    /// app may replace it, but measured only when it did.
    chat: RefCell<Option<(Reference, bool)>>,
}

/// One call's request.
pub struct Request {
    value: Kept,
    keep_answer: bool,
    /// What the client failed with at last.
    cause: Cell<Option<Kept>>,
}

impl Request {
    pub fn new(runtime: &Rc<Runtime>, scope: Scope, value: Value, keep_answer: bool) -> Self {
        Self { value: Kept::new(runtime, scope, value), keep_answer, cause: Cell::new(None) }
    }

    pub fn take_cause(&self) -> Option<Kept> {
        self.cause.take()
    }
}

/// The client's answer.
pub struct Answer {
    text: String,
    value: Option<Reference>,
}

impl Answer {
    pub fn take_value(&mut self) -> Option<Reference> {
        self.value.take()
    }
}

impl LlmResponse for Answer {
    fn text(&self) -> &str {
        &self.text
    }
}

/// What one attempt comes to: the answer, or the error and what the client failed with.
type Settled = Result<Answer, (CallError, Option<Kept>)>;

impl InnerClient {
    pub fn read(runtime: &Rc<Runtime>, inner: Argument, options: Argument) -> Result<Self, BadInput> {
        let allowed = "an object with chat(request): Promise<ChatResponse>";
        let object = inner.object_with(c"chat", allowed)?;
        let object = Reference::new(runtime, inner.scope(), object).ok_or_else(|| inner.wrong(allowed))?;
        let provider = options.field(c"provider").given().map(|provider| provider.string(200)).transpose()?;
        let pass_context = options.field(c"passContext").given().map(|pass| pass.boolean()).transpose()?;
        Ok(Self { runtime: runtime.clone(), object, provider, pass_context, chat: RefCell::new(None) })
    }

    /// Starts one attempt.
    fn call(&self, request: &Request, attempt: &Attempt<'_>) -> JsPromise<Settled> {
        let scope = self.runtime.scope();
        let object = self.object.value(scope);
        let chat = scope.get(object, c"chat");
        let called = if scope.type_of(chat) != Type::Function {
            Err(scope.error("the client has no chat() any more"))
        } else if self.takes_context(scope, chat) {
            let context = self.context(scope, attempt);
            scope.call(object, chat, &[request.value.value(scope), context]).map_err(|thrown| thrown.0)
        } else {
            scope.call(object, chat, &[request.value.value(scope)]).map_err(|thrown| thrown.0)
        };
        let settle = self.settle(request.keep_answer);
        match called {
            Ok(returned) => JsPromise::new(&self.runtime, scope, returned, settle),
            Err(thrown) => JsPromise::ready(settle(scope, Err(thrown))),
        }
    }

    fn takes_context(&self, scope: Scope, chat: Value) -> bool {
        if let Some(pass) = self.pass_context {
            return pass;
        }
        if let Some((known, takes_context)) = &*self.chat.borrow() {
            if scope.same(known.value(scope), chat) {
                return *takes_context;
            }
        }
        let takes_context = scope.as_number(scope.get(chat, c"length")).is_some_and(|parameters| parameters >= 2.0);
        self.chat.replace(Reference::new(&self.runtime, scope, chat).map(|chat| (chat, takes_context)));
        takes_context
    }

    /// Making it costs more than the rest of the call: only for a client that takes it.
    fn context(&self, scope: Scope, attempt: &Attempt<'_>) -> Value {
        let context = scope.object();
        scope.set(context, c"attempt", scope.number(f64::from(attempt.number())));
        scope.set(context, c"requestId", scope.string(attempt.request_id()));
        scope.set(context, c"timeoutMs", scope.number(attempt.timeout().as_millis() as f64));
        let token = CancelToken::of(self.runtime.clone(), attempt.cancel_token());
        // SAFETY: the environment of the running native call.
        if let Ok(token) = unsafe { CancelToken::to_napi_value(scope.env(), token) } {
            scope.set(context, c"cancelToken", token);
        }
        context
    }

    fn settle(&self, keep_answer: bool) -> impl FnOnce(Scope, Result<Value, Value>) -> Settled + 'static {
        let (runtime, provider) = (self.runtime.clone(), self.provider.clone());
        move |scope, result| match result {
            Ok(value) => {
                let text = read_answer(scope, value, provider).map_err(|error| (error, None))?;
                let value = keep_answer.then(|| Reference::new(&runtime, scope, value)).flatten();
                Ok(Answer { text, value })
            }
            Err(error) => {
                let facts = error_facts(scope, error, provider.as_deref());
                Err((classify(&facts, SystemTime::now()), Some(Kept::new(&runtime, scope, error))))
            }
        }
    }
}

impl LlmClient for InnerClient {
    type Request = Request;
    type Response = Answer;

    async fn chat(&self, request: &Request, attempt: &Attempt<'_>) -> Result<Answer, CallError> {
        self.call(request, attempt).await.map_err(|(error, cause)| {
            request.cause.set(cause);
            error
        })
    }
}

/// The text of an answer, unless the answer is an error in disguise.
fn read_answer(scope: Scope, value: Value, provider: Option<String>) -> Result<String, CallError> {
    let text = match scope.type_of(value) {
        Type::Object => scope.as_string(scope.get(value, c"text")),
        other => {
            let got = format!("chat() must give {{ text: string }}, got {}", other.name());
            return Err(CallError::new(ErrorClass::InvalidResponse, got));
        }
    };
    let finish_reason = scope.get(value, c"finishReason");
    if let (Some(text), Type::Undefined) = (&text, scope.type_of(finish_reason)) {
        if !text.is_empty() {
            return Ok(text.to_owned());
        }
    }
    let facts = AnswerFacts {
        finish_reason: scope.as_string(finish_reason),
        body: Some(json(scope, value, &mut JsonLimits::new())),
        headers: Vec::new(),
        provider,
    };
    match (classify_answer(&facts, SystemTime::now()), text) {
        (Some(error), _) => Err(error),
        (None, Some(text)) => Ok(text),
        (None, None) => {
            let got = "chat() must give { text: string }, got an object without a text";
            Err(CallError::new(ErrorClass::InvalidResponse, got))
        }
    }
}
