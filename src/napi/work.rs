//! A function of the app that is called once an attempt: by `requestWithRetry`, `withSimpleRetry`, a breaker's `fire`.
//!
//! All of them run as the same future: a second one would be half as much code again as the whole pipeline.

use std::cell::Cell;
use std::rc::Rc;
use std::time::SystemTime;

use super::arguments::Argument;
use super::clock::JsTimer;
use super::errors::error_facts;
use super::executor::{JsPromise, Runtime};
use super::inner_client::attempt_context;
use super::js::{Checked, Scope, Type, Value};
use super::kept::{Kept, Reference};
use crate::classify::{CallError, ErrorClass, ErrorFacts, classify};
use crate::client::Attempt;
use crate::error::InvalidConfig;
use crate::request::{self, RequestConfig, RequestOptions, RetryHandle, RetryResult, request_with_retry};

pub struct Work {
    runtime: Rc<Runtime>,
    function: Rc<Reference>,
    kind: Kind,
}

enum Kind {
    /// It gives a status.
    Request { takes_context: bool },
    /// What it gives is the result.
    Call(Rc<AppCall>),
}

/// One call of a function that gives just anything.
pub struct AppCall {
    arguments: Vec<Kept>,
    /// What it threw at last.
    thrown: Cell<Option<Kept>>,
    judge: Option<Judge>,
}

/// Is told what an attempt threw and which one it was, counted from 1; says whether another one may follow, if it has an
/// opinion.
pub type Judge = Box<dyn Fn(Scope, Value, u32) -> Option<bool>>;

impl AppCall {
    pub fn new(arguments: Vec<Kept>, judge: Option<Judge>) -> Rc<Self> {
        Rc::new(Self { arguments, thrown: Cell::new(None), judge })
    }

    pub fn arguments(&self, scope: Scope) -> Vec<Value> {
        self.arguments.iter().map(|argument| argument.value(scope)).collect()
    }

    /// What the last attempt threw; `None`: it was given up.
    pub fn take_thrown(&self) -> Option<Kept> {
        self.thrown.take()
    }
}

impl Work {
    /// `requestWithRetry`'s.
    pub fn request(runtime: &Rc<Runtime>, request: Argument, options: Argument) -> Checked<Self> {
        let (scope, function) = (request.scope(), request.function()?);
        let pass_context = options.field(c"passContext").optional(Argument::boolean)?;
        let takes_context = pass_context.unwrap_or_else(|| scope.declares(function, 1));
        let function = Rc::new(request.reference(runtime)?);
        Ok(Self { runtime: runtime.clone(), function, kind: Kind::Request { takes_context } })
    }

    /// One that gives just anything.
    pub fn call(runtime: &Rc<Runtime>, function: Rc<Reference>, call: &Rc<AppCall>) -> Self {
        Self { runtime: runtime.clone(), function, kind: Kind::Call(call.clone()) }
    }

    /// Attempt after attempt, as [`request_with_retry`] makes them.
    pub fn run(
        self,
        config: RequestConfig,
        timer: JsTimer,
        options: RequestOptions,
    ) -> Result<(RetryHandle, impl Future<Output = RetryResult<Response>>), InvalidConfig> {
        let send = move |attempt: &Attempt<'_>| self.attempt(attempt);
        request_with_retry(send, config, timer, options)
    }

    fn attempt(&self, attempt: &Attempt<'_>) -> JsPromise<Result<Response, CallError>> {
        let (scope, runtime) = (self.runtime.scope(), self.runtime.clone());
        match &self.kind {
            Kind::Request { takes_context } => {
                let context = takes_context.then(|| attempt_context(&runtime, scope, attempt));
                self.ask(scope, context.as_slice(), move |scope, settled| match settled {
                    Ok(value) => Response::read(&runtime, scope, value),
                    Err(error) => Err(judged(scope, error)),
                })
            }
            Kind::Call(call) => {
                call.thrown.set(None);
                let (number, own) = (attempt.number(), call.clone());
                self.ask(scope, &call.arguments(scope), move |scope, settled| match settled {
                    Ok(value) => Ok(Response { status: 200, error: None, value: Kept::new(&runtime, scope, value) }),
                    Err(error) => {
                        own.thrown.set(Some(Kept::new(&runtime, scope, error)));
                        let opinion = own.judge.as_ref().and_then(|judge| judge(scope, error, number));
                        let judged = judged(scope, error);
                        // Said here, or the rules for statuses would be asked.
                        Err(CallError { retryable: Some(opinion.unwrap_or(judged.is_retryable())), ..judged })
                    }
                })
            }
        }
    }

    fn ask(
        &self,
        scope: Scope,
        arguments: &[Value],
        settle: impl FnOnce(Scope, Result<Value, Value>) -> Result<Response, CallError> + 'static,
    ) -> JsPromise<Result<Response, CallError>> {
        let called = scope.call(scope.undefined(), self.function.value(scope), arguments);
        JsPromise::called(&self.runtime, scope, called, settle)
    }
}

/// Calls a function of the app, for what it gives or throws.
pub fn called(
    runtime: &Rc<Runtime>,
    scope: Scope,
    function: Value,
    arguments: &[Value],
) -> JsPromise<Result<Kept, Kept>> {
    let own = runtime.clone();
    let settle = move |scope: Scope, settled: Result<Value, Value>| match settled {
        Ok(value) => Ok(Kept::new(&own, scope, value)),
        Err(error) => Err(Kept::new(&own, scope, error)),
    };
    JsPromise::called(runtime, scope, scope.call(scope.undefined(), function, arguments), settle)
}

fn judged(scope: Scope, error: Value) -> CallError {
    classify(&error_facts(scope, error, None), SystemTime::now())
}

/// What the app's function gave.
pub struct Response {
    status: u16,
    error: Option<CallError>,
    value: Kept,
}

impl Response {
    fn read(runtime: &Rc<Runtime>, scope: Scope, value: Value) -> Result<Self, CallError> {
        let fields = || [c"responseCode", c"status", c"statusCode"].map(|name| scope.as_number(scope.get(value, name)));
        let number = scope.as_number(value).or_else(|| fields().into_iter().flatten().next());
        let is_status = |number: &f64| number.fract() == 0.0 && (100.0..=999.0).contains(number);
        let Some(status) = number.filter(is_status).map(|number| number as u16) else {
            let got = scope.type_of(value).name();
            let message =
                format!("the request must give a status, or an object with responseCode or status, got {got}");
            return Err(CallError::new(ErrorClass::InvalidResponse, message));
        };
        let error = (!(200..=299).contains(&status) && scope.type_of(value) == Type::Object).then(|| {
            let facts = error_facts(scope, value, None);
            classify(&ErrorFacts { status: Some(status), ..facts }, SystemTime::now())
        });
        Ok(Self { status, error, value: Kept::new(runtime, scope, value) })
    }

    pub fn into_value(self) -> Kept {
        self.value
    }

    /// If it is an object.
    pub fn into_object(self) -> Option<Reference> {
        match self.value {
            Kept::Reference(object) => Some(object),
            _ => None,
        }
    }
}

impl request::Response for Response {
    fn status(&self) -> u16 {
        self.status
    }

    fn error(&self) -> CallError {
        self.error.clone().unwrap_or_else(|| self.status.error())
    }
}
