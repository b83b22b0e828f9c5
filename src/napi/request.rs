//! `requestWithRetry` of article 001, its handle, its policies and its sleep.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::Unknown;
use napi_ohos::{Either, Env, Result};

use super::arguments::{Argument, argument};
use super::client_config::{call_options, given_token, read_call_rng};
use super::clock::{JsTimer, unix_ms};
use super::executor::Runtime;
use super::instance::{self, Instance, made_elsewhere};
use super::js::{Checked, Scope, Value};
use super::kept::{Keeper, Reference};
use super::options::RetryPolicy;
use super::records::{or_undefined, to_js};
use super::retry_trace::{RetryResult, RetryTrace};
use super::trace_log::GivenLog;
use super::work::Work;
use crate::backoff::BackoffConfig;
use crate::clock::Clock;
use crate::millis::millis;
use crate::random::Rng;
use crate::request::{self, MAX_URL_BYTES, RequestConfig, RequestOptions};
use crate::retry::RetryConfig;

/// The wait before retry `attempt` in milliseconds: evenly spread over [0, min(maxMs, baseMs · factor^(attempt − 1))),
/// rounded down. Requests that failed together don't come back together.
/// Throws INVALID_ARGUMENT naming the field, the value and what is allowed.
///
/// @param policy figures and chance
/// @param attempt which retry, counted from 1
#[napi(ts_args_type = "policy: RetryPolicy, attempt: number")]
pub fn next_delay_ms(env: Env, policy: Unknown, attempt: Unknown) -> Result<f64> {
    let scope = Scope::of(env);
    let runtime = Runtime::of(scope);
    let next = |scope| -> Checked<f64> {
        let Policy { config, rng, .. } = Policy::read(&runtime, argument(scope, policy, "policy"))?;
        let attempt = argument(scope, attempt, "attempt").count(1..=u32::MAX)?;
        Ok(millis(config.next_delay(attempt, &*rng)))
    };
    Ok(runtime.enter(next)??)
}

/// Waits for `ms` milliseconds, or until `token` is cancelled: then it ends at once.
/// Rejects only with INVALID_ARGUMENT, for a wrong argument.
///
/// @param ms 0 to 365 days
/// @param token ends it early
/// @param options the clock, for tests
/// @returns true: slept to the end; false: cancelled, also when it was before
#[napi(ts_args_type = "ms: number, token?: CancelToken, options?: SleepOptions", ts_return_type = "Promise<boolean>")]
pub fn cancellable_sleep(env: Env, ms: Unknown, token: Unknown, options: Unknown) -> Unknown<'static> {
    let scope = Scope::of(env);
    scope.promise_of(|| {
        let duration = argument(scope, ms, "ms").millis(0.0)?;
        let token = argument(scope, token, "token").optional(given_token)?;
        let runtime = Runtime::of(scope);
        let timer = JsTimer::read(&runtime, argument(scope, options, "options").options()?)?;
        let own = runtime.clone();
        Ok(runtime.spawn(scope, async move {
            let slept = request::cancellable_sleep(&timer, duration, token.as_ref()).await;
            Ok(own.scope().boolean(slept))
        }))
    })
}

/// Policies for the two kinds of requests. Both are the article's figures: waits from 200 ms, twice as long each time,
/// up to 5000 ms.
#[napi]
pub struct RetryPolicies {}

#[napi]
impl RetryPolicies {
    /// For what changes nothing at the service: up to 4 retries.
    #[napi]
    pub fn read() -> RetryPolicy {
        policy_of(RequestConfig::read())
    }

    /// For an order, a payment, a message: 1 retry, and only where the work can't have been done
    /// (`retryUnsafe: false`). Giving up is better than paying twice.
    #[napi]
    pub fn write() -> RetryPolicy {
        policy_of(RequestConfig::write())
    }
}

/// What is not the default of a policy's field.
fn policy_of(config: RequestConfig) -> RetryPolicy {
    let RetryConfig { max_retries, backoff, retry_unsafe, .. } = config.retry;
    RetryPolicy {
        base_ms: millis(backoff.base),
        factor: backoff.factor,
        max_ms: millis(backoff.max_delay),
        max_attempts: max_retries.into(),
        attempt_timeout_ms: None,
        deadline_ms: None,
        retry_after_max_ms: None,
        retry_after_spread: None,
        retry_unsafe: Some(retry_unsafe),
        retry_statuses: None,
        final_statuses: None,
        rng: None,
        clock: None,
    }
}

/// A request that runs. Only `requestWithRetry` makes one.
#[napi]
#[repr(transparent)]
pub struct RetryHandle {
    instance: Instance<Run>,
}

struct Run {
    handle: request::RetryHandle,
    runtime: Rc<Runtime>,
    started_at_ms: f64,
    /// Set before the app gets the handle.
    result: Rc<OnceCell<Reference>>,
}

#[napi]
impl RetryHandle {
    /// Only `requestWithRetry` makes one.
    #[napi(constructor, skip_typescript)]
    pub fn new(env: Env) -> Result<Self> {
        Err(made_elsewhere(Scope::of(env), "the handle that requestWithRetry() gives").into())
    }

    /// Ends it: a wait ends at once and sends no further request, and the request in flight is told by the
    /// `cancelToken` of its context. Without effect once it has ended.
    #[napi]
    pub fn cancel(&self, env: Env) -> Result<()> {
        let this = self.instance.of(env)?;
        Ok(this.runtime.enter(|_| this.handle.cancel())?)
    }

    /// What it came to. Never rejects.
    #[napi(getter, ts_return_type = "Promise<RetryResult>")]
    pub fn result(&self, env: Env) -> Result<Either<Unknown<'static>, ()>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        Ok(or_undefined(this.result.get().map(|result| scope.unknown(result.value(scope)))))
    }

    /// What has happened so far: a record of its own each time.
    #[napi(getter, ts_return_type = "RetryTrace")]
    pub fn trace(&self, env: Env) -> Result<RetryTrace> {
        let this = self.instance.of(env)?;
        Ok(RetryTrace::new(&this.handle.trace(), this.started_at_ms))
    }
}

/// Sends a request until it succeeds, fails for good, or is given up (article 001). A 2xx is done; a 4xx is final, and
/// any other status but a 5xx; a 5xx and errors of the network are tried again after `nextDelayMs`, and never before a
/// Retry-After is over. What an error says by `retryable`, and a response by `x-should-retry`, comes before that. The
/// article's takes a URL; here it is the app's own function that sends, and the URL is an option for the panel.
/// Throws INVALID_ARGUMENT naming the field, the value and what is allowed.
///
/// @param request makes one request and does not retry by itself. What it gives is a status, or has one as
/// `responseCode`, `status` or `statusCode`. What it throws is judged as by `classifyError`, but a device without
/// network is tried again
/// @param policy waits, retries, time limits
/// @param options name for the panel, cancelling, identity, log
/// @returns its handle, with `result` to await
#[napi(
    ts_args_type = "request: (context: AttemptContext) => Promise<Object | number>, policy: RetryPolicy, options?: RetryOptions",
    ts_return_type = "RetryHandle"
)]
pub fn request_with_retry(env: Env, request: Unknown, policy: Unknown, options: Unknown) -> Result<Unknown<'static>> {
    let scope = Scope::of(env);
    let arguments = Arguments {
        request: argument(scope, request, "request"),
        policy: argument(scope, policy, "policy"),
        options: argument(scope, options, "options"),
    };
    let runtime = Runtime::of(scope);
    let handle = runtime.enter(|scope| arguments.start(&runtime, scope))??;
    Ok(scope.unknown(handle))
}

struct Arguments {
    request: Argument,
    policy: Argument,
    options: Argument,
}

impl Arguments {
    fn start(self, runtime: &Rc<Runtime>, scope: Scope) -> Checked<Value> {
        let options = self.options.options()?;
        let work = Work::request(runtime, self.request, options)?;
        let Policy { config, rng, timer } = Policy::read(runtime, self.policy)?;
        let url = options.field(c"url").optional(|url| url.string(MAX_URL_BYTES))?;
        let log = options.field(c"log").optional(|log| GivenLog::read(runtime, log))?;
        let settings = RequestOptions {
            url: url.unwrap_or_default(),
            call: call_options(options)?,
            rng: Some(rng),
            ..Default::default()
        };
        let started_at_ms = started_at_ms(&timer);
        let (handle, run) = work.run(config, timer, settings).map_err(|error| self.policy.refused(error))?;
        let result = Rc::new(OnceCell::new());
        let content = Run { handle, runtime: runtime.clone(), started_at_ms, result: result.clone() };
        let instance = RetryHandle { instance: Instance::new(content) };
        let Some(handle) = instance::make(scope, "RetryHandle\0", instance) else { return Ok(scope.undefined()) };
        let own = runtime.clone();
        let promise = runtime.spawn(scope, async move {
            let result = run.await;
            let scope = own.scope();
            let trace = to_js(scope, RetryTrace::new(&result.trace, started_at_ms))?;
            if let Some(log) = log {
                log.add(scope, trace);
            }
            to_js(scope, RetryResult::new(result, trace))
        });
        let kept = Keeper::new(runtime, scope, handle).keep(scope, promise);
        kept.into_iter().for_each(|promise| _ = result.set(promise));
        Ok(handle)
    }
}

/// As a panel wants to show it.
fn started_at_ms(timer: &JsTimer) -> f64 {
    match timer {
        JsTimer::System(_) => unix_ms() as f64,
        JsTimer::Manual(timer) => timer.timer().now().since_origin().as_millis() as f64,
    }
}

struct Policy {
    config: RequestConfig,
    rng: Arc<dyn Rng>,
    timer: JsTimer,
}

impl Policy {
    fn read(runtime: &Rc<Runtime>, policy: Argument) -> Checked<Self> {
        let policy = policy.given_options()?;
        let base = policy.field(c"baseMs").millis(0.0)?;
        let factor = policy.field(c"factor").number(BackoffConfig::FACTOR)?;
        let max = policy.field(c"maxMs").millis(0.0)?;
        let max_retries = policy.field(c"maxAttempts").count(RetryConfig::MAX_RETRIES)?;
        let mut config = RequestConfig::new(base, factor, max, max_retries);
        policy.field(c"attemptTimeoutMs").set(&mut config.retry.attempt_timeout, |time| time.millis(1.0))?;
        policy.field(c"deadlineMs").set(&mut config.retry.deadline, |time| time.millis(1.0))?;
        policy.field(c"retryAfterMaxMs").set(&mut config.retry.retry_after_max, |time| time.millis(0.0))?;
        let spread = policy.field(c"retryAfterSpread");
        spread.set(&mut config.retry.retry_after_spread, |share| share.number(RetryConfig::RETRY_AFTER_SPREAD))?;
        policy.field(c"retryUnsafe").set(&mut config.retry.retry_unsafe, Argument::boolean)?;
        config.retry_statuses = statuses(policy.field(c"retryStatuses"))?;
        config.final_statuses = statuses(policy.field(c"finalStatuses"))?;
        Ok(Self { config, rng: read_call_rng(runtime, policy)?, timer: JsTimer::read(runtime, policy)? })
    }
}

fn statuses(list: Argument) -> Checked<Vec<u16>> {
    let range = RequestConfig::STATUS;
    let status = |item: Argument| item.integer((*range.start()).into(), (*range.end()).into());
    list.items()?.into_iter().map(|item| status(item).map(|status| status as u16)).collect()
}
