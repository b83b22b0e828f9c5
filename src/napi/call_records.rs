//! What ArkTS gets of a call: at its end, and while it goes on.

use napi_derive_ohos::napi;

use super::breaker::BreakerState;
use super::inner_client::{Answer, Text};
use super::kept::Reference;
use super::records::{known_ms, measured_ms};
use super::words::{DelaySource, ErrorClass, OutcomeStatus, StopReason};
use crate::classify::{CallError, RetryAfter};
use crate::client::{self, Outcome};
use crate::millis::whole_millis;

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
    /// the network was back. Undefined: none. A wait before the first attempt shows in its `startedAtMs`.
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

/// A retry has been decided, or in a chain where all cool down another round, and its wait begins.
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

fn asked_ms(retry_after: Option<RetryAfter>) -> Option<f64> {
    retry_after.map(|asked| whole_millis(asked.wait))
}
