//! `withSimpleRetry` of article 004.

use std::rc::Rc;
use std::time::Duration;

use napi_derive_ohos::napi;
use napi_ohos::Env;
use napi_ohos::bindgen_prelude::Unknown;

use super::arguments::{Argument, argument};
use super::client_config::{given_token, read_call_rng};
use super::clock::JsTimer;
use super::errors::{call_error, kind};
use super::executor::Runtime;
use super::js::{Checked, Scope, Value};
use super::kept::UserFunction;
use super::work::{AppCall, Judge, Work};
use crate::backoff::{BackoffConfig, Jitter};
use crate::client::CallOptions;
use crate::error::MAX_DURATION;
use crate::log;
use crate::request::{RequestConfig, RequestOptions, RetryOutcome};
use crate::retry::RetryConfig;

/// Calls a function until it succeeds or there is no use in trying again: layer 1 of article 004. The wait doubles each
/// time. It mends a short fault; when the service is down, each caller asks four times instead of once, which is what a
/// breaker is for: put `breaker.fire` inside, what it rejects is not tried again.
/// Rejects with INVALID_ARGUMENT naming the field, the value and what is allowed.
///
/// @param fn makes one attempt and does not retry by itself
/// @param options retries, waits, cancelling
/// @returns what `fn` gave; rejects with what its last attempt threw, or with an `Error` whose `code` is `timeout` or
/// `cancelled`
#[napi(
    ts_generic_types = "T",
    ts_args_type = "fn: () => Promise<T>, options?: SimpleRetryOptions",
    ts_return_type = "Promise<T>"
)]
pub fn with_simple_retry(env: Env, function: Unknown, options: Unknown) -> Unknown<'static> {
    let scope = Scope::of(env);
    let runtime = Runtime::of(scope);
    let (function, options) = (argument(scope, function, "fn"), argument(scope, options, "options"));
    scope.promise_of(|| start(&runtime, scope, function, options))
}

fn start(runtime: &Rc<Runtime>, scope: Scope, function: Argument, options: Argument) -> Checked<Value> {
    let function = function.reference(runtime)?;
    let options = options.options()?;
    let mut retries = 3;
    let (mut first, mut factor, mut most) = (Duration::from_millis(500), 2.0, Duration::from_secs(5));
    options.field(c"retries").set(&mut retries, |retries| retries.count(RetryConfig::MAX_RETRIES))?;
    options.field(c"minTimeout").set(&mut first, |time| time.millis(0.0))?;
    options.field(c"maxTimeout").set(&mut most, |time| time.millis(0.0))?;
    options.field(c"factor").set(&mut factor, |factor| factor.number(BackoffConfig::FACTOR))?;
    let mut config = RequestConfig::new(first, factor, most, retries);
    let randomize = options.field(c"randomize").optional(Argument::boolean)?.unwrap_or(true);
    if randomize {
        config.retry.backoff.jitter = Jitter::MULTIPLICATIVE;
    } else {
        (config.retry.backoff.jitter, config.retry.retry_after_spread) = (Jitter::None, 0.0);
    }
    config.retry.attempt_timeout = MAX_DURATION;
    options.field(c"attemptTimeoutMs").set(&mut config.retry.attempt_timeout, |time| time.millis(1.0))?;
    let cancel = options.field(c"cancelToken").optional(given_token)?;
    let settings = RequestOptions {
        call: CallOptions { cancel, ..CallOptions::default() },
        rng: Some(read_call_rng(runtime, options)?),
        ..RequestOptions::default()
    };
    let timer = JsTimer::read(runtime, options)?;
    let call = AppCall::new(Vec::new(), Some(read_judge(runtime, options)?));
    let work = Work::call(runtime, Rc::new(function), &call);
    let (_, run) = work.run(config, timer, settings).map_err(|error| options.refused(error))?;
    let own = runtime.clone();
    Ok(runtime.spawn(scope, async move {
        let result = run.await;
        let scope = own.scope();
        match (result.outcome, result.response, result.error) {
            (RetryOutcome::Success, Some(response), _) => Ok(response.into_value().value(scope)),
            (outcome, _, error) => {
                let thrown = call.take_thrown().filter(|_| outcome != RetryOutcome::Cancelled);
                Err(match (thrown, error) {
                    (Some(thrown), _) => thrown.value(scope),
                    (None, Some(error)) => call_error(scope, &error, None),
                    (None, None) => scope.error("it came to nothing"),
                })
            }
        }
    }))
}

/// The app's two functions.
fn read_judge(runtime: &Rc<Runtime>, options: Argument) -> Checked<Judge> {
    let read = |function: Argument| function.reference(runtime);
    let should_retry = options.field(c"shouldRetry").optional(read)?;
    let on_failed = options.field(c"onFailedAttempt").optional(read)?.map(UserFunction::new);
    let own = runtime.clone();
    Ok(Box::new(move |scope, error, attempt| {
        if let Some(listener) = &on_failed {
            let failed =
                |scope: Scope, thrown| log::warn(format_args!("onFailedAttempt failed: {}", kind(scope, thrown)));
            listener.tell_all(|scope| Ok([error, scope.number(attempt.into())]), failed);
        }
        let should_retry = should_retry.as_ref()?.value(scope);
        let said = scope.call(scope.undefined(), should_retry, &[error]);
        let failed = |scope: Scope, thrown| {
            log::warn(format_args!("shouldRetry failed: {}; it is not tried again", kind(scope, thrown)));
        };
        match said {
            Ok(said) => own.watch(scope, said, failed),
            Err(thrown) => failed(scope, thrown.value),
        }
        Some(said.is_ok_and(|said| scope.as_boolean(said) == Some(true)))
    }))
}
