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
    /// Whether the answer passed the quality check, where there is one; false without an answer.
    pub accepted: bool,
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
    /// Which of several services answered.
    pub provider: Option<Arc<str>>,
    /// Those of several services that gave no answer, in their order, and why.
    pub passed_over: Vec<PassedOver>,
}

/// A service of several that gave no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct PassedOver {
    /// Its name.
    pub provider: Arc<str>,
    /// Why it was not asked, or not asked again.
    pub stop_reason: StopReason,
    /// What kind of fault is behind it, as far as it is known.
    pub cause: Option<ErrorClass>,
    /// Its last error's text; empty when it was not asked.
    pub message: String,
    /// How often it was asked.
    pub attempts: u32,
    /// When it may be asked again, if known.
    pub retry_after: Option<Duration>,
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

    /// Whether the text is second best: another service's than the first one's, or the fallback's. Mark it for the user;
    /// [`passed_over`](Self::passed_over) and [`cause`](Self::cause) say why.
    pub fn degraded(&self) -> bool {
        self.used_fallback() || (self.provider.is_some() && !self.passed_over.is_empty())
    }

    /// Each service that gave no answer and what it failed with, in one line for logs.
    pub fn summary(&self) -> String {
        let of = |one: &PassedOver| {
            let why = match one.stop_reason {
                _ if !one.message.is_empty() => one.message.as_str(),
                StopReason::CircuitOpen => "circuit breaker open",
                StopReason::RetryAfter => "Retry-After not over",
                StopReason::LowQuality => "answer not good enough",
                _ => "not asked",
            };
            format!("{}: {why}", one.provider)
        };
        self.passed_over.iter().map(of).collect::<Vec<_>>().join("; ")
    }

    /// Whether an attempt without an answer of use may have been billed.
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
    /// The wait planned before the next attempt, which a cancel may cut short, or the one that ended early with the return of the
    /// network; `None`: none was planned. A wait before the first attempt shows in its `started_at`.
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
    /// Whether it may have been billed although no answer of use came.
    pub maybe_billed: bool,
}
