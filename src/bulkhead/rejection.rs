use std::time::Duration;

use crate::millis::whole_millis;

/// Why a call was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectionReason {
    /// It would have to wait, and as many wait as may.
    QueueFull,
    /// It would have to wait longer than it may: known at once, without waiting.
    WaitTooLong,
    /// It has waited as long as it may.
    TimedOut,
    /// Its token was cancelled.
    Cancelled,
}

impl RejectionReason {
    /// As ArkTS sees it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::WaitTooLong => "wait_too_long",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A call was not let in. The caller's own affair: it says nothing about the service, so no breaker is told.
///
/// ```
/// use resilience::bulkhead::{Rejection, RejectionReason};
///
/// let rejection = Rejection { reason: RejectionReason::QueueFull, retry_after: None };
/// assert_eq!(rejection.to_string(), "bulkhead rejects the call (queue_full)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("bulkhead rejects the call {}", self.why())]
pub struct Rejection {
    /// Why.
    pub reason: RejectionReason,
    /// How long spacing and reservoir alone would keep a call away that asks now, all that wait going first.
    /// [`Duration::MAX`]: for ever, the reservoir is empty and does not refill. `None`: not at all; it is a
    /// place that is missing, and nobody knows when one is given back. `None` also when cancelled.
    pub retry_after: Option<Duration>,
}

impl Rejection {
    /// The end of its message, in which the name of the bulkhead may stand before.
    pub(crate) fn why(&self) -> String {
        format!("({}){}", self.reason.as_str(), hint(self.retry_after))
    }
}

fn hint(retry_after: Option<Duration>) -> String {
    match retry_after {
        None => String::new(),
        Some(Duration::MAX) => ", for good".to_owned(),
        Some(wait) => format!(", retry after {} ms", whole_millis(wait)),
    }
}
