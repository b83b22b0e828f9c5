//! The app's functions that a client calls.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::arguments::Argument;
use super::call_records::{FailureInfo, RetryEvent};
use super::errors::{describe, kind};
use super::executor::{JsPromise, Runtime};
use super::js::{Checked, Scope, Type, Value};
use super::kept::{Keeper, Reference, UserFunction};
use super::records::to_js;
use crate::client::{self, Fallback, Hooks};
use crate::log;

/// The app's functions. Whatever one of them does, the call goes on.
pub struct JsHooks {
    runtime: Rc<Runtime>,
    on_retry: Option<UserFunction>,
    fallback: Option<Reference>,
    /// Only to keep them, and with them their `now` and their listeners.
    _breakers: Vec<Reference>,
    listener_errors: Arc<AtomicU64>,
}

impl JsHooks {
    /// Reads `fallback` (a text goes into `text`) and `onRetry`; keeps the app's breakers.
    pub fn read(
        runtime: &Rc<Runtime>,
        keeper: &Rc<Keeper>,
        fallback: Argument,
        on_retry: Argument,
        breakers: Vec<Argument>,
        text: &mut Fallback,
        listener_errors: Arc<AtomicU64>,
    ) -> Checked<Self> {
        let keep = |argument: Argument| keeper.keep(argument.scope(), argument.value());
        let mut function = None;
        if let Some(fallback) = fallback.given() {
            match fallback.scope().type_of(fallback.value()) {
                Type::String => *text = Fallback::Text(fallback.string(1 << 20)?),
                Type::Function => function = keep(fallback),
                _ => return Err(fallback.wrong("a string or a function")),
            }
        }
        Ok(Self {
            runtime: runtime.clone(),
            on_retry: on_retry.optional(|listener| listener.kept_function(keeper))?,
            fallback: function,
            _breakers: breakers.into_iter().filter_map(keep).collect(),
            listener_errors,
        })
    }
}

impl Hooks for JsHooks {
    fn on_retry(&self, event: &client::RetryEvent<'_>) {
        let Some(listener) = &self.on_retry else { return };
        let errors = self.listener_errors.clone();
        let failed = move |scope: Scope, thrown| {
            errors.fetch_add(1, Ordering::Relaxed);
            log::warn(format_args!("onRetry failed: {}", kind(scope, thrown)));
        };
        listener.tell(|scope| to_js(scope, RetryEvent::from(event)), failed);
    }

    async fn fallback(&self, failure: &client::Failure<'_>, text: String) -> std::result::Result<String, String> {
        let Some(function) = &self.fallback else { return Ok(text) };
        let scope = self.runtime.scope();
        let called = to_js(scope, FailureInfo::new(failure, text))
            .map_err(|error| scope.thrown(error))
            .and_then(|failure| scope.call(scope.undefined(), function.value(scope), &[failure]));
        let read = |scope: Scope, settled: std::result::Result<Value, Value>| match settled {
            Err(error) => Err(describe(scope, error)),
            Ok(text) => scope
                .as_string(text)
                .ok_or_else(|| format!("the fallback must give a string, got {}", scope.type_of(text).name())),
        };
        JsPromise::called(&self.runtime, scope, called, read).await
    }
}
