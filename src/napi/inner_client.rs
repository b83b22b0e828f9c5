//! The app's own client, as the core calls it.

use std::cell::Cell;
use std::rc::Rc;
use std::time::SystemTime;

use napi_ohos::bindgen_prelude::ToNapiValue;
use napi_ohos::sys;

use super::arguments::Argument;
use super::cancel::CancelToken;
use super::clock::JsTimer;
use super::errors::{error_facts, headers_of};
use super::executor::{AnswerField, JsPromise, Runtime};
use super::instance;
use super::js::{Checked, Scope, Type, Value};
use super::json::{MAX_TEXT, json, json_without};
use super::kept::{Keeper, Kept, Reference};
use super::outlive::{Attempted, Place};
use super::stream::{Discard, Receiver};
use crate::bulkhead::Hold;
use crate::classify::{AnswerFacts, CallError, ErrorClass, classify, classify_answer};
use crate::client::{AnswerText, Attempt, LlmClient, LlmResponse, TextSink};
use crate::millis::whole_millis;

/// Any object of the app with `chat(request, context?)`, `chatStream(request, sink, context?)`, or both.
pub struct InnerClient {
    runtime: Rc<Runtime>,
    object: Reference,
    chat: Option<Method>,
    chat_stream: Option<Method>,
    answers: Answers,
    provider: Option<Rc<str>>,
    /// It is asked as one of several models: with a `ModelRequest`.
    model: Option<Rc<str>>,
    /// The clock of what keeps a place beyond its attempt.
    timer: JsTimer,
}

/// What `chat` gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// A `ChatResponse`.
    Objects,
    /// That, or the text itself, as the providers of article 002 do.
    ObjectsOrTexts,
}

/// Read once: looking it up at each call costs a tenth of the call.
struct Method {
    function: Reference,
    takes_context: bool,
}

/// One call's request.
pub struct Request {
    value: Kept,
    /// What goes with a prompt, for one of several models.
    data: Option<Box<Kept>>,
    keep: Keep,
    /// What the client failed with at last. Boxed as `data` is: few have it, and it would make the future of each call larger.
    cause: Cell<Option<Box<Kept>>>,
}

/// What is kept of an answer beyond the native call in which it comes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Nothing: `chat()` gives its text away at once.
    Nothing,
    /// The app's own answer object, for the outcome.
    Value,
    /// That, and the text: a streamed call goes on after it has come.
    Text,
    /// The text: an agent checks it before it is handed on.
    OnlyText,
}

impl Keep {
    fn value(self) -> bool {
        matches!(self, Self::Value | Self::Text)
    }

    fn text(self) -> bool {
        matches!(self, Self::Text | Self::OnlyText)
    }
}

impl Request {
    pub fn new(runtime: &Rc<Runtime>, scope: Scope, value: Value, keep: Keep) -> Self {
        Self { value: Kept::new(runtime, scope, value), data: None, keep, cause: Cell::new(None) }
    }

    /// With what goes with a prompt.
    pub fn with_data(self, data: Option<Kept>) -> Self {
        Self { data: data.map(Box::new), ..self }
    }

    /// What the client is given.
    fn begin_attempt(&self, scope: Scope, model: Option<&str>) -> Value {
        // A cause is that of the last attempt, and one that is given up has none.
        self.cause.set(None);
        let value = self.value.value(scope);
        let Some(model) = model else { return value };
        let request = scope.object();
        scope.set(request, c"prompt", value);
        scope.set(request, c"model", scope.string(model));
        if let Some(data) = &self.data {
            scope.set(request, c"data", data.value(scope));
        }
        request
    }

    fn note<T>(&self, settled: Settled<T>) -> Result<T, CallError> {
        settled.map_err(|failed| {
            self.cause.set(failed.cause);
            failed.error
        })
    }

    pub fn take_cause(&self) -> Option<Kept> {
        self.cause.take().map(|cause| *cause)
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
    Owned(Box<str>),
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
        Self::Owned(text.into())
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
type Settled<T> = Result<T, Box<Failed>>;

/// The end of a streamed answer.
struct Streamed {
    /// The whole text, when the client gives it once more.
    text: Option<Vec<u16>>,
    value: Option<Reference>,
}

struct Failed {
    error: CallError,
    /// What the client failed with.
    cause: Option<Box<Kept>>,
}

impl InnerClient {
    /// `options` tell about this client: `provider`, `passContext`. The first that gives one counts.
    pub fn read(
        runtime: &Rc<Runtime>,
        keeper: &Rc<Keeper>,
        inner: Argument,
        options: &[Argument],
        answers: Answers,
        timer: &JsTimer,
    ) -> Checked<Self> {
        let (scope, allowed) = (inner.scope(), "an object with chat(request): Promise<ChatResponse>, or chatStream");
        let field = |name| options.iter().find_map(|options| options.field(name).given());
        let provider = field(c"provider").map(|provider| provider.string(200)).transpose()?;
        let pass_context = field(c"passContext").map(Argument::boolean).transpose()?;
        let method = |name, parameters| {
            let function = inner.method(name)?;
            let takes_context = pass_context.unwrap_or_else(|| scope.declares(function, parameters));
            keeper.keep(scope, function).map(|function| Method { function, takes_context })
        };
        let (chat, chat_stream) = (method(c"chat", 2), method(c"chatStream", 3));
        let object = keeper.keep(scope, inner.value()).filter(|_| chat.is_some() || chat_stream.is_some());
        let object = object.ok_or_else(|| inner.wrong(allowed))?;
        let provider = provider.map(Rc::from);
        let (runtime, timer) = (runtime.clone(), timer.clone());
        Ok(Self { runtime, object, chat, chat_stream, answers, provider, model: None, timer })
    }

    /// As one of several models: it is asked with a `ModelRequest` of that name.
    pub fn for_model(self, name: &str) -> Self {
        Self { model: Some(name.into()), ..self }
    }

    /// Starts one attempt.
    fn call(&self, chat: &Method, request: &Request, attempt: &Attempt<'_>) -> Attempted<Settled<Answer>> {
        let scope = self.runtime.scope();
        let (object, function) = (self.object.value(scope), chat.function.value(scope));
        let value = request.begin_attempt(scope, self.model.as_deref());
        let called = if chat.takes_context {
            scope.call(object, function, &[value, attempt_context(&self.runtime, scope, attempt)])
        } else {
            scope.call(object, function, &[value])
        };
        self.settled(scope, called, attempt, self.whole_answer(request.keep))
    }

    /// Starts one streamed attempt.
    fn call_stream(
        &self,
        chat_stream: &Method,
        request: &Request,
        attempt: &Attempt<'_>,
        receiver: &Receiver,
    ) -> Attempted<Settled<Streamed>> {
        let scope = self.runtime.scope();
        let (object, function) = (self.object.value(scope), chat_stream.function.value(scope));
        let value = request.begin_attempt(scope, self.model.as_deref());
        let sink = receiver.sink(scope).unwrap_or_else(|| scope.undefined());
        let called = if chat_stream.takes_context {
            scope.call(object, function, &[value, sink, attempt_context(&self.runtime, scope, attempt)])
        } else {
            scope.call(object, function, &[value, sink])
        };
        let keep = request.keep;
        self.settled(scope, called, attempt, move |runtime, scope, value, provider| {
            let text = read_streamed_answer(runtime, scope, value, provider)?.map(|text| scope.as_utf16(text));
            let value = keep.value().then(|| Reference::new(runtime, scope, value)).flatten();
            Ok(Streamed { text, value })
        })
    }

    /// What the client's call comes to. `read` is also given the client's provider.
    fn settled<T: 'static>(
        &self,
        scope: Scope,
        called: Checked<Value>,
        attempt: &Attempt<'_>,
        read: impl FnOnce(&Rc<Runtime>, Scope, Value, Option<&str>) -> Result<T, CallError> + 'static,
    ) -> Attempted<Settled<T>> {
        let (runtime, provider) = (self.runtime.clone(), self.provider.clone());
        let settle = move |scope: Scope, result: Result<Value, Value>| match result {
            Ok(value) => read(&runtime, scope, value, provider.as_deref())
                .map_err(|error| Box::new(Failed { error, cause: None })),
            Err(error) => {
                let facts = error_facts(scope, error, provider.as_deref());
                let cause = Some(Box::new(Kept::new(&runtime, scope, error)));
                Err(Box::new(Failed { error: classify(&facts, SystemTime::now()), cause }))
            }
        };
        let place =
            |hold: &Hold| Place { hold: hold.clone(), timer: self.timer.clone(), runtime: self.runtime.clone() };
        Attempted::new(JsPromise::called(&self.runtime, scope, called, settle), attempt.place().map(place))
    }

    fn whole_answer(
        &self,
        keep: Keep,
    ) -> impl FnOnce(&Rc<Runtime>, Scope, Value, Option<&str>) -> Result<Answer, CallError> + use<> {
        let answers = self.answers;
        move |runtime, scope, value, provider| {
            let is_text = answers == Answers::ObjectsOrTexts && scope.type_of(value) == Type::String;
            let text = if is_text { value } else { read_answer(runtime, scope, value, provider)? };
            let text = if !keep.text() && runtime.polls_in_this_scope() {
                Text::InScope(scope, text)
            } else {
                Text::Units(scope.as_utf16(text))
            };
            let value = keep.value().then(|| Reference::new(runtime, scope, value)).flatten();
            Ok(Answer { text, value })
        }
    }

    async fn stream(
        &self,
        chat_stream: &Method,
        request: &Request,
        sink: &impl TextSink<Text>,
        attempt: &Attempt<'_>,
    ) -> Result<Answer, CallError> {
        let receiver = Receiver::new(self.runtime.clone());
        let promise = self.call_stream(chat_stream, request, attempt, &receiver);
        let (settled, pushed) = receiver.relay(sink, promise).await;
        let Streamed { text, value } = request.note(settled)?;
        if text.is_none() && pushed.is_empty() {
            let got = "chatStream() pushed no text and gave none";
            return Err(CallError::new(ErrorClass::InvalidResponse, got));
        }
        Ok(Answer { text: Text::Units(text.unwrap_or(pushed)), value })
    }
}

/// What the app's function may know of its attempt. Making it costs more than the rest of the call: only for one that takes
/// it.
pub fn attempt_context(runtime: &Rc<Runtime>, scope: Scope, attempt: &Attempt<'_>) -> Value {
    let context = scope.object();
    scope.set(context, c"attempt", scope.number(f64::from(attempt.number())));
    scope.set(context, c"requestId", scope.string(attempt.request_id()));
    scope.set(context, c"timeoutMs", scope.number(whole_millis(attempt.timeout())));
    let token = CancelToken::of_attempt(runtime.clone(), attempt.cancel_token());
    if let Some(token) = instance::make(scope, "CancelToken\0", token) {
        scope.set(context, c"cancelToken", token);
    }
    context
}

impl LlmClient for InnerClient {
    type Request = Request;
    type Response = Answer;

    async fn chat(&self, request: &Request, attempt: &Attempt<'_>) -> Result<Answer, CallError> {
        match (&self.chat, &self.chat_stream) {
            (Some(chat), _) => request.note(self.call(chat, request, attempt).await),
            // On the heap: it must not make the future of each call larger.
            (None, Some(chat_stream)) => Box::pin(self.stream(chat_stream, request, &Discard, attempt)).await,
            (None, None) => unreachable!("one of the two was read"),
        }
    }

    async fn chat_stream<S: TextSink<Text>>(
        &self,
        request: &Request,
        sink: &S,
        attempt: &Attempt<'_>,
    ) -> Result<Answer, CallError> {
        match &self.chat_stream {
            Some(chat_stream) => self.stream(chat_stream, request, sink, attempt).await,
            None => {
                let answer = self.chat(request, attempt).await?;
                sink.push(answer.text()).await;
                Ok(answer)
            }
        }
    }
}

/// The text of what `chatStream` gave in the end, if it gave one, unless that is an error in disguise.
fn read_streamed_answer(
    runtime: &Runtime,
    scope: Scope,
    value: Value,
    provider: Option<&str>,
) -> Result<Option<Value>, CallError> {
    if scope.type_of(value) != Type::Object {
        return Ok(None);
    }
    let field = |field| runtime.answer_field(scope, value, field);
    if scope.string_length(field(AnswerField::Text)).is_some_and(|length| length > 0) {
        return read_answer(runtime, scope, value, provider).map(Some);
    }
    let reason = scope.start_of_string(field(AnswerField::FinishReason), MAX_TEXT);
    let facts = AnswerFacts { finish_reason: reason, provider: provider.map(str::to_owned), ..AnswerFacts::default() };
    classify_answer(&facts, SystemTime::now()).map_or(Ok(None), Err)
}

/// The text of an answer, a JS string, unless the answer is an error in disguise.
fn read_answer(runtime: &Runtime, scope: Scope, value: Value, provider: Option<&str>) -> Result<Value, CallError> {
    let kind = scope.type_of(value);
    if kind != Type::Object {
        let got = format!("chat() must give {{ text: string }}, got {}", kind.name());
        return Err(CallError::new(ErrorClass::InvalidResponse, got));
    }
    let text = runtime.answer_field(scope, value, AnswerField::Text);
    let length = scope.string_length(text);
    let finish_reason = runtime.answer_field(scope, value, AnswerField::FinishReason);
    if length.is_some_and(|length| length > 0) && scope.type_of(finish_reason) == Type::Undefined {
        return Ok(text);
    }
    // A text is no error; it may be long.
    let body = if length.is_some() { json_without(scope, value, "text") } else { json(scope, value) };
    let facts = AnswerFacts {
        finish_reason: scope.start_of_string(finish_reason, MAX_TEXT),
        body: Some(body),
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
