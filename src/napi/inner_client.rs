//! The app's own client, as the core calls it.

use std::cell::Cell;
use std::rc::Rc;
use std::time::SystemTime;

use napi_ohos::bindgen_prelude::ToNapiValue;
use napi_ohos::sys;

use super::arguments::Argument;
use super::cancel::CancelToken;
use super::errors::{error_facts, headers_of};
use super::executor::{JsPromise, Runtime};
use super::instance;
use super::js::{Checked, Scope, Type, Value};
use super::json::json;
use super::kept::{Keeper, Kept, Reference};
use crate::classify::{AnswerFacts, CallError, ErrorClass, classify, classify_answer};
use crate::client::{AnswerText, Attempt, LlmClient, LlmResponse};
use crate::millis::whole_millis;

/// Any object of the app with `chat(request, context?)`.
pub struct InnerClient {
    runtime: Rc<Runtime>,
    object: Reference,
    /// Read once: looking it up at each call costs a tenth of the call.
    chat: Reference,
    takes_context: bool,
    provider: Option<Rc<str>>,
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
    text: Text,
    value: Option<Reference>,
}

impl Answer {
    pub fn take_value(&mut self) -> Option<Reference> {
        self.value.take()
    }
}

impl LlmResponse for Answer {
    type Text = Text;

    fn text(&self) -> Text {
        self.text.clone()
    }

    fn into_text(self) -> Text {
        self.text
    }
}

/// A text on its way to the app. An answer's is handed on as the JS string it is; see
/// [`Runtime::polls_in_this_scope`] for when that may be.
#[derive(Clone)]
pub enum Text {
    InScope(Scope, Value),
    /// Code units, lone surrogates and all.
    Units(Vec<u16>),
    Owned(String),
}

impl Text {
    pub fn value(self, scope: Scope) -> Value {
        match self {
            Self::InScope(_, value) => value,
            Self::Units(units) => scope.utf16(&units),
            Self::Owned(text) => scope.string(&text),
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::Owned(text)
    }
}

impl AnswerText for Text {
    fn is_empty(&self) -> bool {
        match self {
            Self::InScope(scope, value) => scope.string_length(*value) == Some(0),
            Self::Units(units) => units.is_empty(),
            Self::Owned(text) => text.is_empty(),
        }
    }

    fn append_to(&self, received: &mut String) {
        match self {
            Self::InScope(scope, value) => received.push_str(&scope.as_string(*value).unwrap_or_default()),
            Self::Units(units) => received.push_str(&String::from_utf16_lossy(units)),
            Self::Owned(text) => received.push_str(text),
        }
    }
}

impl ToNapiValue for Text {
    unsafe fn to_napi_value(env: sys::napi_env, text: Self) -> napi_ohos::Result<sys::napi_value> {
        Ok(text.value(Scope::new(env)))
    }
}

/// What one attempt comes to. Failures are boxed: a success is moved about in the same place.
type Settled = Result<Answer, Box<Failed>>;

struct Failed {
    error: CallError,
    /// What the client failed with.
    cause: Option<Kept>,
}

impl InnerClient {
    pub fn read(runtime: &Rc<Runtime>, keeper: &Rc<Keeper>, inner: Argument, options: Argument) -> Checked<Self> {
        let (scope, allowed) = (inner.scope(), "an object with chat(request): Promise<ChatResponse>");
        let (object, chat) = inner.object_with(c"chat", allowed)?;
        let provider = options.field(c"provider").optional(|provider| provider.string(200))?;
        let takes_context = match options.field(c"passContext").given() {
            Some(pass) => pass.boolean()?,
            None => scope.as_number(scope.get(chat, c"length")).is_some_and(|parameters| parameters >= 2.0),
        };
        let references = keeper.keep(scope, object).zip(keeper.keep(scope, chat));
        let (object, chat) = references.ok_or_else(|| inner.wrong(allowed))?;
        Ok(Self { runtime: runtime.clone(), object, chat, takes_context, provider: provider.map(Rc::from) })
    }

    /// Starts one attempt.
    fn call(&self, request: &Request, attempt: &Attempt<'_>) -> JsPromise<Settled> {
        // A cause is that of the last attempt, and one that is given up has none.
        request.cause.set(None);
        let scope = self.runtime.scope();
        let (object, chat, value) = (self.object.value(scope), self.chat.value(scope), request.value.value(scope));
        let called = if self.takes_context {
            scope.call(object, chat, &[value, self.context(scope, attempt)])
        } else {
            scope.call(object, chat, &[value])
        };
        let settle = self.settle(request.keep_answer);
        match called {
            Ok(returned) => JsPromise::new(&self.runtime, scope, returned, settle),
            Err(thrown) => JsPromise::ready(settle(scope, Err(thrown.value))),
        }
    }

    /// Making it costs more than the rest of the call: only for a client that takes it.
    fn context(&self, scope: Scope, attempt: &Attempt<'_>) -> Value {
        let context = scope.object();
        scope.set(context, c"attempt", scope.number(f64::from(attempt.number())));
        scope.set(context, c"requestId", scope.string(attempt.request_id()));
        scope.set(context, c"timeoutMs", scope.number(whole_millis(attempt.timeout())));
        let token = CancelToken::of_attempt(self.runtime.clone(), attempt.cancel_token());
        if let Some(token) = instance::make(scope, "CancelToken\0", token) {
            scope.set(context, c"cancelToken", token);
        }
        context
    }

    fn settle(&self, keep_answer: bool) -> impl FnOnce(Scope, Result<Value, Value>) -> Settled + 'static {
        let (runtime, provider) = (self.runtime.clone(), self.provider.clone());
        move |scope, result| match result {
            Ok(value) => {
                let text = read_answer(scope, value, provider.as_deref())
                    .map_err(|error| Box::new(Failed { error, cause: None }))?;
                let text = if runtime.polls_in_this_scope() {
                    Text::InScope(scope, text)
                } else {
                    Text::Units(scope.as_utf16(text))
                };
                let value = keep_answer.then(|| Reference::new(&runtime, scope, value)).flatten();
                Ok(Answer { text, value })
            }
            Err(error) => {
                let facts = error_facts(scope, error, provider.as_deref());
                let cause = Some(Kept::new(&runtime, scope, error));
                Err(Box::new(Failed { error: classify(&facts, SystemTime::now()), cause }))
            }
        }
    }
}

impl LlmClient for InnerClient {
    type Request = Request;
    type Response = Answer;

    async fn chat(&self, request: &Request, attempt: &Attempt<'_>) -> Result<Answer, CallError> {
        self.call(request, attempt).await.map_err(|failed| {
            request.cause.set(failed.cause);
            failed.error
        })
    }
}

/// The text of an answer, a JS string, unless the answer is an error in disguise.
fn read_answer(scope: Scope, value: Value, provider: Option<&str>) -> Result<Value, CallError> {
    let kind = scope.type_of(value);
    if kind != Type::Object {
        let got = format!("chat() must give {{ text: string }}, got {}", kind.name());
        return Err(CallError::new(ErrorClass::InvalidResponse, got));
    }
    let text = scope.get_of(value, c"text");
    let length = scope.string_length(text);
    let finish_reason = scope.get_of(value, c"finishReason");
    if length.is_some_and(|length| length > 0) && scope.type_of(finish_reason) == Type::Undefined {
        return Ok(text);
    }
    let facts = AnswerFacts {
        finish_reason: scope.as_string(finish_reason),
        body: Some(json(scope, value)),
        headers: headers_of(scope, value),
        provider: provider.map(str::to_owned),
    };
    match (classify_answer(&facts, SystemTime::now()), length) {
        (Some(error), _) => Err(error),
        (None, Some(_)) => Ok(text),
        (None, None) => {
            let got = "chat() must give { text: string }, got an object without a text";
            Err(CallError::new(ErrorClass::InvalidResponse, got))
        }
    }
}
