use std::time::Duration;

use crate::classify::CallError;
use crate::client::AttemptRecord;
use crate::clock::Timestamp;
use crate::retry::StopReason;

/// The most bytes of a URL that a [`RetryTrace`] keeps.
pub const MAX_URL_BYTES: usize = 2_048;

/// How a request ended, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RetryOutcome {
    /// A 2xx came.
    Success,
    /// Asking again cannot help: a 4xx, or an error that stays.
    Final,
    /// Retries or time are used up, or the work may have been done and must not be done twice. A panel shows it red.
    GivenUp,
    /// The app cancelled it.
    Cancelled,
}

impl RetryOutcome {
    pub(super) fn new(reason: StopReason, error: Option<&CallError>) -> Self {
        match reason {
            StopReason::Success => Self::Success,
            StopReason::Cancelled => Self::Cancelled,
            StopReason::NotRetryable if error.is_some_and(|error| !error.is_retryable()) => Self::Final,
            _ => Self::GivenUp,
        }
    }
}

/// Everything about a request that has ended.
#[derive(Debug, Clone)]
pub struct RetryResult<R> {
    /// How it ended.
    pub outcome: RetryOutcome,
    /// Why it was not tried again.
    pub stop_reason: StopReason,
    /// What the last attempt brought, whatever its status; `None`: no answer.
    pub response: Option<R>,
    /// The last attempt's error, or that it was cancelled; `None` on success.
    pub error: Option<CallError>,
    /// When the service may be asked again, from now, if known: its own wish or that of the breaker.
    pub retry_after: Option<Duration>,
    /// What happened on the way.
    pub trace: RetryTrace,
}

/// What a panel shows of a request: without it, retries hide behind the time of the one attempt that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub struct RetryTrace {
    /// What was asked for, at most [`MAX_URL_BYTES`].
    pub url: String,
    /// Retries that were scheduled, as article 001 counts: 0 when the first attempt decided. As many as `delays`.
    pub attempts: u32,
    /// The wait before each retry. A cancel may have cut the last one short.
    pub delays: Vec<Duration>,
    /// The last attempt's status; `None`: it had none, or none has ended yet.
    pub final_status: Option<u16>,
    /// How it ended; `None` while it runs.
    pub outcome: Option<RetryOutcome>,
    /// Why it was not tried again; `None` while it runs.
    pub stop_reason: Option<StopReason>,
    /// When it began, on the timer's clock.
    pub started_at: Timestamp,
    /// How long the whole took, waits included; zero while it runs.
    pub elapsed: Duration,
    /// The same over all attempts; empty before the first one.
    pub request_id: String,
    /// One entry for each attempt, in order, once it has ended; on success with its status, too. Without a
    /// breaker its state says nothing.
    pub requests: Vec<AttemptRecord>,
}

impl RetryTrace {
    pub(super) fn begin(url: &str) -> Self {
        Self {
            url: crate::text::cut(url, MAX_URL_BYTES).to_owned(),
            attempts: 0,
            delays: Vec::new(),
            final_status: None,
            outcome: None,
            stop_reason: None,
            started_at: Timestamp::ZERO,
            elapsed: Duration::ZERO,
            request_id: String::new(),
            requests: Vec::new(),
        }
    }
}
