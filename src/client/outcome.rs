use std::sync::Arc;
use std::time::Duration;

use super::{LlmResponse, RequestId};
use crate::breaker::BreakerState;
use crate::classify::{CallError, ErrorClass, RetryAfter};
use crate::retry::{DelaySource, StopReason};

/// How a call ended, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutcomeStatus {
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

/// Everything about a call that has ended.
#[derive(Debug, Clone)]
pub struct Outcome<R> {
    /// How it ended.
    pub status: OutcomeStatus,
    /// The model's answer.
    pub response: Option<R>,
    /// What came of a streamed answer that broke off or was cancelled.
    pub partial_text: Option<String>,
    /// The fallback text, when that stands in for an answer.
    pub fallback_text: Option<String>,
    /// Why the fallback itself failed.
    pub fallback_error: Option<String>,
    /// The last failed attempt's error, or that the call was cancelled. `None` on success, and when no attempt was made.
    pub error: Option<CallError>,
    /// What kind of fault is behind a call without an answer: the error's class or, when no attempt was made, that of the
    /// failure for which the breaker rejects. `None` on success, or if nothing is known.
    pub cause: Option<ErrorClass>,
    /// Why no further attempt was made.
    pub stop_reason: StopReason,
    /// When the service may be asked again, if known.
    pub retry_after: Option<Duration>,
    /// Identity of the request, the same over all attempts.
    pub request_id: RequestId,
    /// Duration of the whole call.
    pub elapsed: Duration,
    /// One entry for each attempt, in order.
    pub trace: Vec<AttemptRecord>,
}

impl<R: AsRef<str>> Outcome<R> {
    /// What the app may show: the answer, what came of it, or the fallback text; empty for an error and for a call that was
    /// cancelled before any text.
    pub fn text(&self) -> &str {
        let answer = self.response.as_ref().map(AsRef::as_ref);
        answer.or(self.partial_text.as_deref()).or(self.fallback_text.as_deref()).unwrap_or_default()
    }
}

impl<R: LlmResponse> Outcome<R> {
    /// What the app may show, taken out.
    pub fn take_text(&mut self) -> R::Text {
        match (self.response.take(), self.partial_text.take().or(self.fallback_text.take())) {
            (Some(response), _) => response.into_text(),
            (None, text) => text.unwrap_or_default().into(),
        }
    }
}

impl<R> Outcome<R> {
    /// How many attempts were made.
    pub fn attempts(&self) -> u32 {
        self.trace.len() as u32
    }

    /// Whether the text is the fallback's.
    pub fn used_fallback(&self) -> bool {
        self.status == OutcomeStatus::Fallback
    }

    /// Whether an attempt without an answer may have been billed.
    pub fn maybe_billed(&self) -> bool {
        self.trace.iter().any(|attempt| attempt.maybe_billed)
    }
}

/// One attempt of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptRecord {
    /// The service that was asked, where there are several.
    pub provider: Option<Arc<str>>,
    /// Counted from 1, over all services.
    pub attempt: u32,
    /// Class of the error; `None`: it succeeded.
    pub class: Option<ErrorClass>,
    /// HTTP status of the error, if known.
    pub status: Option<u16>,
    /// The error's text, shortened.
    pub message: String,
    /// Start, counted from the start of the call.
    pub started_at: Duration,
    /// How long it took.
    pub duration: Duration,
    /// The wait planned before the next attempt, which a cancel may cut short; `None`: none was planned.
    pub delay: Option<Duration>,
    /// Where the wait comes from.
    pub delay_source: Option<DelaySource>,
    /// What the service asked for.
    pub retry_after: Option<RetryAfter>,
    /// A Retry-After that could not be read and was ignored.
    pub retry_after_malformed: Option<String>,
    /// The breaker once this attempt was counted.
    pub breaker_state: BreakerState,
    /// Whether it was the probe of a half-open breaker.
    pub probe: bool,
    /// Whether it may have been billed although no answer came.
    pub maybe_billed: bool,
}
