//! What is known of a request that was tried again: records for ArkTS.

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::ToNapiValue;
use napi_ohos::sys;

use super::call_records::{AttemptRecord, ErrorInfo};
use super::js::Value;
use super::kept::Reference;
use super::records::measured_ms;
use super::words::{StopReason, words};
use crate::request;

words! {
    /// How a request that may be tried again ended, in one word.
    RetryOutcome from request::RetryOutcome {
        /// A 2xx came.
        Success,
        /// Asking again cannot help: a 4xx, or an error that stays.
        Final,
        /// Retries or time are used up, or the work may have been done and must not be done twice. Show it red.
        GivenUp,
        /// The app cancelled it.
        Cancelled,
    }
}

/// What a panel shows of a request: without it, retries hide behind the time of the one request that succeeded. The
/// first four are article 001's, and all that `TraceLog.add` asks for.
#[napi(object, object_from_js = false)]
pub struct RetryTrace {
    /// What was asked for, at most 2048 bytes.
    pub url: String,
    /// Retries, as the article counts: 0 when the first request decided. As many as `delays`.
    pub attempts: u32,
    /// The wait before each retry, in milliseconds. A cancel may have cut the last one short.
    pub delays: Vec<f64>,
    /// HTTP status of the last request; 0: it had none.
    pub final_status: u32,
    /// How it ended; undefined while it runs.
    #[napi(ts_type = "RetryOutcome")]
    pub outcome: Option<RetryOutcome>,
    /// Why it was not tried again; undefined while it runs.
    #[napi(ts_type = "StopReason")]
    pub stop_reason: Option<StopReason>,
    /// When it began: milliseconds since 1970, or on the `clock` of its policy.
    pub started_at_ms: Option<f64>,
    /// How long the whole took, waits included, in milliseconds; undefined while it runs.
    pub duration_ms: Option<f64>,
    /// The same over all its requests.
    pub request_id: Option<String>,
    /// One entry for each request, in order, once all have ended. `status` is there also for one that succeeded;
    /// `breakerState` says nothing where no breaker is asked.
    pub requests: Option<Vec<AttemptRecord>>,
}

impl RetryTrace {
    /// The core's trace, of a request that began at `started_at_ms` as the app counts.
    pub fn new(trace: &request::RetryTrace, started_at_ms: f64) -> Self {
        Self {
            url: trace.url.clone(),
            attempts: trace.attempts,
            delays: trace.delays.iter().copied().map(measured_ms).collect(),
            final_status: trace.final_status.unwrap_or(0).into(),
            outcome: trace.outcome.map(Into::into),
            stop_reason: trace.stop_reason.map(Into::into),
            started_at_ms: Some(started_at_ms),
            duration_ms: trace.outcome.map(|_| measured_ms(trace.elapsed)),
            request_id: Some(trace.request_id.clone()),
            requests: Some(trace.requests.iter().map(Into::into).collect()),
        }
    }
}

/// Everything about a request that has ended.
#[napi(object, object_from_js = false)]
pub struct RetryResult {
    /// How it ended.
    #[napi(ts_type = "RetryOutcome")]
    pub outcome: RetryOutcome,
    /// Why it was not tried again.
    #[napi(ts_type = "StopReason")]
    pub stop_reason: StopReason,
    /// HTTP status of the last request, if it had one.
    pub status: Option<u32>,
    /// What the last request gave, as it is, whatever its status; undefined when it gave no object.
    #[napi(ts_type = "Object")]
    pub response: Option<Reference>,
    /// The last request's error, or the cancel; undefined on success.
    pub error: Option<ErrorInfo>,
    /// What happened on the way.
    #[napi(ts_type = "RetryTrace")]
    pub trace: Made,
}

impl RetryResult {
    /// `trace` is the record of it, made in the running scope.
    pub fn new(result: request::RetryResult<super::work::Response>, trace: Value) -> Self {
        Self {
            outcome: result.outcome.into(),
            stop_reason: result.stop_reason.into(),
            status: result.trace.final_status.map(u32::from),
            response: result.response.and_then(super::work::Response::into_object),
            error: result.error.as_ref().map(Into::into),
            trace: Made(trace),
        }
    }
}

/// A value that was made in the running scope.
pub struct Made(Value);

impl ToNapiValue for Made {
    unsafe fn to_napi_value(_env: sys::napi_env, Self(value): Self) -> napi_ohos::Result<sys::napi_value> {
        Ok(value)
    }
}
