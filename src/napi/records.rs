//! Plain records that ArkTS gets, and the words in them.

use std::time::Duration;

use napi_derive_ohos::napi;

use super::breaker::BreakerState;
use super::inner_client::{Answer, Text};
use super::js::{Scope, Value};
use super::kept::Reference;
use crate::breaker::{self, BreakerEvent as CoreEvent};
use crate::classify::{self, CallError, RetryAfter};
use crate::client::{self, Outcome};
use crate::millis::{millis, whole_millis};
use crate::retry;

/// Declares a string enum for ArkTS beside its core enum. A variant that one of them lacks does not compile.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident from $core:path { $($(#[$variant_doc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[napi(string_enum = "snake_case")]
        #[derive(Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl From<$core> for $name {
            fn from(word: $core) -> Self {
                use $core as Core;
                match word { $(Core::$variant => Self::$variant),+ }
            }
        }
    };
}

pub(super) use words;

words! {
    /// What kind of fault ended an attempt. The README's table says what follows from each.
    ErrorClass from classify::ErrorClass {
        /// 429: too many requests.
        RateLimit,
        /// 503, 529: the service is overloaded.
        Overloaded,
        /// Another fault of the service.
        Server,
        /// No answer in time.
        Timeout,
        /// The service could not be reached; nothing was sent.
        Connect,
        /// The connection broke after the request was sent.
        Interrupted,
        /// The account has no money or no quota left.
        Quota,
        /// The key is wrong or not allowed to do this.
        Auth,
        /// The model does not exist.
        ModelNotFound,
        /// The prompt is too long for the model.
        ContextLength,
        /// The prompt or the answer was blocked by moderation.
        ContentFilter,
        /// The request is wrong in another way.
        BadRequest,
        /// The answer has not the agreed shape.
        InvalidResponse,
        /// TLS, proxy, cleartext or an unsupported protocol.
        Protocol,
        /// The device has no network.
        Offline,
        /// The app cancelled the call.
        Cancelled,
        /// The app's own client is broken: it threw a TypeError or the like.
        ClientBug,
        /// Turned away on this device before it was sent: a `Bulkhead` had no place, or a breaker inside the client is open.
        Rejected,
        /// Anything else.
        Unknown,
    }
}

words! {
    /// How a call ended, in one word.
    OutcomeStatus from client::OutcomeStatus {
        /// The model answered.
        Ok,
        /// The fallback text stands in for an answer.
        Fallback,
        /// An error that only the caller can mend, or a fallback that failed itself.
        Error,
        /// The app cancelled the call.
        Cancelled,
        /// A streamed answer broke off: the text that came is all there is.
        Partial,
    }
}

words! {
    /// Why a call made no further attempt.
    StopReason from retry::StopReason {
        /// An answer came.
        Success,
        /// Trying again cannot help.
        NotRetryable,
        /// All attempts are used up.
        Attempts,
        /// The time for the whole call is used up, or the next wait would end after it.
        Deadline,
        /// The retry budget is used up.
        Budget,
        /// The breaker rejects the call, or opened during it.
        CircuitOpen,
        /// The service asked to be left alone (Retry-After), and that time is not over.
        RetryAfter,
        /// The service asked for a longer wait than is allowed or than is left.
        RetryAfterTooLong,
        /// The app cancelled the call.
        Cancelled,
        /// The bulkhead had no place in time.
        Bulkhead,
        /// No answer was good enough.
        LowQuality,
        /// A streamed answer broke off: the app has text of it, and asking again would show it twice.
        Partial,
    }
}

words! {
    /// Where a wait between two attempts comes from.
    DelaySource from retry::DelaySource {
        /// The backoff of the client's policy.
        Backoff,
        /// The service's Retry-After, which was longer.
        RetryAfter,
        /// None at all: the connection had died while there was no network, or the app was suspended. It counts for nothing.
        Reconnect,
    }
}

/// An error, judged. All fields are plain data.
#[napi(object, object_from_js = false)]
pub struct ErrorInfo {
    /// What kind of fault it is.
    #[napi(ts_type = "ErrorClass")]
    pub code: ErrorClass,
    /// What the client or the service said, cut to 500 bytes.
    pub message: String,
    /// Whether asking the same service again can help.
    pub retryable: bool,
    /// HTTP status, if known.
    pub status: Option<u32>,
    /// The service's own code, if it gave one.
    pub provider_code: Option<String>,
    /// How long the service asks to be left alone, in milliseconds.
    pub retry_after_ms: Option<f64>,
    /// Where that was read: `'explicit'`, `'retry_after_ms'`, `'seconds'`, `'http_date'`, `'body'`, …
    pub retry_after_source: Option<String>,
    /// A Retry-After that could not be read and was ignored.
    pub retry_after_malformed: Option<String>,
    /// Whether the service may have done, and billed, the work.
    pub maybe_billed: bool,
    /// Whether `chat()` rejects with this error instead of giving the fallback text.
    pub reaches_caller: bool,
}

impl From<&CallError> for ErrorInfo {
    fn from(error: &CallError) -> Self {
        Self {
            code: error.class.into(),
            message: error.message.clone(),
            retryable: error.is_retryable(),
            status: error.status.map(u32::from),
            provider_code: error.provider_code.clone(),
            retry_after_ms: asked_ms(error.retry_after),
            retry_after_source: error.retry_after.map(|asked| asked.source.as_str().to_owned()),
            retry_after_malformed: error.retry_after_malformed.clone(),
            maybe_billed: error.maybe_billed,
            reaches_caller: error.reaches_caller(),
        }
    }
}

fn asked_ms(retry_after: Option<RetryAfter>) -> Option<f64> {
    retry_after.map(|asked| whole_millis(asked.wait))
}

/// Of a wait that has an end: an isolated breaker's has none.
pub fn known_ms(wait: Duration) -> Option<f64> {
    (wait != Duration::MAX).then(|| whole_millis(wait))
}

/// Of a wait; Infinity where it has no end.
pub fn wait_ms(wait: Duration) -> f64 {
    known_ms(wait).unwrap_or(f64::INFINITY)
}

/// With its fraction: what was measured is not rounded up.
pub fn measured_ms(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1_000.0
}

/// One attempt of a call.
#[napi(object, object_from_js = false)]
pub struct AttemptRecord {
    /// The service that was asked, where there are several.
    pub provider: Option<String>,
    /// Counted from 1, over all services.
    pub attempt: u32,
    /// Whether it brought an answer.
    pub ok: bool,
    /// Class of its error; undefined on success.
    #[napi(ts_type = "ErrorClass")]
    pub code: Option<ErrorClass>,
    /// HTTP status of its error, if known.
    pub status: Option<u32>,
    /// Its error's text; empty on success.
    pub message: String,
    /// Start, in milliseconds from the start of the call.
    pub started_at_ms: f64,
    /// How long it took, in milliseconds.
    pub duration_ms: f64,
    /// The wait planned before the next attempt, in milliseconds, which a cancel may cut short, or the one that ended early when
    /// the network was back. Undefined: none.
    pub delay_ms: Option<f64>,
    /// Where the wait comes from.
    #[napi(ts_type = "DelaySource")]
    pub delay_source: Option<DelaySource>,
    /// What the service asked for, in milliseconds.
    pub retry_after_ms: Option<f64>,
    /// A Retry-After that could not be read and was ignored.
    pub retry_after_malformed: Option<String>,
    /// The breaker once this attempt was counted.
    #[napi(ts_type = "BreakerState")]
    pub breaker_state: BreakerState,
    /// Whether it was the probe of a half-open breaker.
    pub probe: bool,
    /// Whether it may have been billed although no answer of use came.
    pub maybe_billed: bool,
}

impl From<&client::AttemptRecord> for AttemptRecord {
    fn from(record: &client::AttemptRecord) -> Self {
        Self {
            provider: record.provider.as_deref().map(str::to_owned),
            attempt: record.attempt,
            ok: record.class.is_none(),
            code: record.class.map(Into::into),
            status: record.status.map(u32::from),
            message: record.message.clone(),
            started_at_ms: measured_ms(record.started_at),
            duration_ms: measured_ms(record.duration),
            delay_ms: record.delay.map(measured_ms),
            delay_source: record.delay_source.map(Into::into),
            retry_after_ms: asked_ms(record.retry_after),
            retry_after_malformed: record.retry_after_malformed.clone(),
            breaker_state: record.breaker_state.into(),
            probe: record.probe,
            maybe_billed: record.maybe_billed,
        }
    }
}

/// Everything about a call that has ended.
#[napi(object, object_from_js = false)]
pub struct CallOutcome {
    /// How it ended.
    #[napi(ts_type = "OutcomeStatus")]
    pub status: OutcomeStatus,
    /// What the app may show: the model's answer, what came of it, or the fallback text; empty for an error, and for a call
    /// cancelled before any text.
    #[napi(ts_type = "string")]
    pub text: Text,
    /// Whether `text` is the fallback's: mark it for the user.
    pub used_fallback: bool,
    /// Whether `text` is second best: the fallback's, or another service's than the first one's. Mark it for the user.
    pub degraded: bool,
    /// Which of several services answered.
    pub provider_used: Option<String>,
    /// Those of several services that gave no answer, in their order, and why.
    #[napi(ts_type = "Array<PassedOver>")]
    pub passed_over: Vec<PassedOver>,
    /// Attempts made.
    pub attempts: u32,
    /// Why no further attempt was made.
    #[napi(ts_type = "StopReason")]
    pub stop_reason: StopReason,
    /// The last failed attempt's error, or the cancel; undefined on success and when no attempt was made.
    pub error: Option<ErrorInfo>,
    /// What kind of fault is behind a call without an answer: the error's class or, when no attempt was made, that of the
    /// failure for which the breaker rejects; undefined on success, or if nothing is known.
    #[napi(ts_type = "ErrorClass")]
    pub cause: Option<ErrorClass>,
    /// Why the fallback itself failed.
    pub fallback_error: Option<String>,
    /// When the service may be asked again, in milliseconds from now, if known.
    pub retry_after_ms: Option<f64>,
    /// Identity of the request, the same over all attempts.
    pub request_id: String,
    /// Duration of the whole call, in milliseconds.
    pub elapsed_ms: f64,
    /// Whether an attempt without an answer of use may have been billed.
    pub maybe_billed: bool,
    /// One entry for each attempt, in order.
    pub trace: Vec<AttemptRecord>,
    /// What the app's client answered, as it is; undefined without an answer.
    #[napi(ts_type = "ChatResponse")]
    pub response: Option<Reference>,
}

impl From<Outcome<Answer>> for CallOutcome {
    fn from(mut outcome: Outcome<Answer>) -> Self {
        let response = outcome.response.as_mut().and_then(Answer::take_value);
        Self {
            status: outcome.status.into(),
            text: outcome.take_text(),
            used_fallback: outcome.used_fallback(),
            degraded: outcome.degraded(),
            provider_used: outcome.provider.as_deref().map(str::to_owned),
            passed_over: outcome.passed_over.iter().map(Into::into).collect(),
            attempts: outcome.attempts(),
            stop_reason: outcome.stop_reason.into(),
            error: outcome.error.as_ref().map(Into::into),
            cause: outcome.cause.map(Into::into),
            fallback_error: outcome.fallback_error.take(),
            retry_after_ms: outcome.retry_after.and_then(known_ms),
            request_id: outcome.request_id.as_str().to_owned(),
            elapsed_ms: measured_ms(outcome.elapsed),
            maybe_billed: outcome.maybe_billed(),
            trace: outcome.trace.iter().map(Into::into).collect(),
            response,
        }
    }
}

/// A service of several that gave no answer.
#[napi(object, object_from_js = false)]
pub struct PassedOver {
    /// Its name.
    pub provider: String,
    /// Why it was not asked, or not asked again.
    #[napi(ts_type = "StopReason")]
    pub stop_reason: StopReason,
    /// What kind of fault is behind it, as far as it is known.
    #[napi(ts_type = "ErrorClass")]
    pub cause: Option<ErrorClass>,
    /// Its last error's text; empty when it was not asked.
    pub message: String,
    /// How often it was asked.
    pub attempts: u32,
    /// When it may be asked again, in milliseconds from now, if known.
    pub retry_after_ms: Option<f64>,
}

impl From<&client::PassedOver> for PassedOver {
    fn from(passed_over: &client::PassedOver) -> Self {
        Self {
            provider: passed_over.provider.to_string(),
            stop_reason: passed_over.stop_reason.into(),
            cause: passed_over.cause.map(Into::into),
            message: passed_over.message.clone(),
            attempts: passed_over.attempts,
            retry_after_ms: passed_over.retry_after.and_then(known_ms),
        }
    }
}

/// One change of a breaker's state.
#[napi(object, object_from_js = false)]
pub struct BreakerEvent {
    /// State before.
    #[napi(ts_type = "BreakerState")]
    pub from: BreakerState,
    /// State after.
    #[napi(ts_type = "BreakerState")]
    pub to: BreakerState,
    /// `'failures'`, `'window'`, `'opened_at_once'`, `'probe_failed'`, `'cooldown_over'`, `'probe_succeeded'`, `'manual'` or
    /// `'restored'`.
    pub reason: String,
    /// When, in milliseconds on the breaker's clock.
    pub at_ms: f64,
    /// Failures in a row at that moment, or failures in its window.
    pub failures: u32,
    /// How long it will stay open, in milliseconds; 0 unless it opened.
    pub cooldown_ms: f64,
}

/// A breaker's event as a JS value.
pub fn breaker_event(scope: Scope, event: &CoreEvent) -> Result<Value, Value> {
    let record = BreakerEvent {
        from: event.from.into(),
        to: event.to.into(),
        reason: event.reason.as_str().to_owned(),
        at_ms: millis(event.at.since_origin()),
        failures: event.failures,
        cooldown_ms: whole_millis(event.cooldown),
    };
    to_js(scope, record)
}

/// Any record as a JS value. `Err`: what the engine threw, for a setter of the app that every object inherits.
pub fn to_js<T: napi_ohos::bindgen_prelude::ToNapiValue>(scope: Scope, record: T) -> Result<Value, Value> {
    // SAFETY: the environment of the running native call.
    let value = unsafe { T::to_napi_value(scope.env(), record) };
    value.map_err(|error| scope.take_exception().unwrap_or_else(|| scope.error(&error.reason)))
}

/// What a breaker has seen since it was made.
#[napi(object, object_from_js = false)]
pub struct BreakerStats {
    /// Results counted as success.
    pub successes: f64,
    /// Results counted as failure.
    pub failures: f64,
    /// Results that say nothing about the service.
    pub neutral: f64,
    /// Results that came too late to count.
    pub stale: f64,
    /// Calls not admitted.
    pub rejected: f64,
    /// Times it opened.
    pub opened: f64,
    /// Times it became half-open.
    pub half_opened: f64,
    /// Times it closed again.
    pub closed: f64,
    /// Listeners that threw.
    pub listener_errors: f64,
}

impl BreakerStats {
    pub fn new(stats: breaker::BreakerStats, listener_errors: u64) -> Self {
        Self {
            successes: stats.successes as f64,
            failures: stats.failures as f64,
            neutral: stats.neutral as f64,
            stale: stats.stale as f64,
            rejected: stats.rejected as f64,
            opened: stats.opened as f64,
            half_opened: stats.half_opened as f64,
            closed: stats.closed as f64,
            listener_errors: (stats.listener_errors + listener_errors) as f64,
        }
    }
}

/// What a bulkhead has seen since it was made.
#[napi(object, object_from_js = false)]
pub struct BulkheadStats {
    /// Calls that run now.
    pub running: u32,
    /// Calls that wait now.
    pub queued: u32,
    /// Places taken now by work whose caller has left.
    pub overrunning: u32,
    /// Calls that ran and are over for their caller.
    pub done: f64,
    /// Calls refused without a wait of its full length.
    pub rejected: f64,
    /// Calls that waited as long as they may.
    pub timed_out: f64,
    /// Calls that were cancelled before they started.
    pub cancelled: f64,
    /// Of `done`, those whose work went on without its caller.
    pub overrun: f64,
}

/// Calls that the window of a breaker holds.
#[napi(object, object_from_js = false)]
pub struct WindowCounts {
    /// Completed.
    pub total: u32,
    /// Of these, failed.
    pub failed: u32,
    /// Of these, slow; a call may be both.
    pub slow: u32,
}

impl From<breaker::WindowCounts> for WindowCounts {
    fn from(counts: breaker::WindowCounts) -> Self {
        Self { total: counts.total, failed: counts.failed, slow: counts.slow }
    }
}

/// A retry has been decided and its wait begins.
#[napi(object, object_from_js = false)]
pub struct RetryEvent {
    /// The attempt that failed, counted from 1.
    pub attempt: u32,
    /// The wait before the next one, in milliseconds.
    pub delay_ms: f64,
    /// Where the wait comes from.
    #[napi(ts_type = "DelaySource")]
    pub delay_source: DelaySource,
    /// Why the attempt failed.
    pub error: ErrorInfo,
}

impl From<&client::RetryEvent<'_>> for RetryEvent {
    fn from(event: &client::RetryEvent<'_>) -> Self {
        Self {
            attempt: event.attempt,
            delay_ms: whole_millis(event.delay),
            delay_source: event.source.into(),
            error: event.error.into(),
        }
    }
}

/// A call that ends without an answer, as a fallback function sees it.
#[napi(object, object_from_js = false)]
pub struct FailureInfo {
    /// Why the call ended.
    #[napi(ts_type = "StopReason")]
    pub stop_reason: StopReason,
    /// The last attempt's error; undefined when no attempt was made.
    pub error: Option<ErrorInfo>,
    /// What kind of fault is behind it: the error's class or, when no attempt was made, that of the failure for which the
    /// breaker rejects; undefined if nothing is known.
    #[napi(ts_type = "ErrorClass")]
    pub cause: Option<ErrorClass>,
    /// When the service may be asked again, in milliseconds from now, if known.
    pub retry_after_ms: Option<f64>,
    /// The built-in text for this failure.
    pub default_text: String,
}

impl FailureInfo {
    pub fn new(failure: &client::Failure<'_>, default_text: String) -> Self {
        Self {
            stop_reason: failure.stop_reason.into(),
            error: failure.error.map(Into::into),
            cause: failure.cause.map(Into::into),
            retry_after_ms: failure.retry_after.and_then(known_ms),
            default_text,
        }
    }
}
