use std::time::Duration;

use crate::millis::whole_millis;

/// Why a call was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectionReason {
    /// The breaker is open.
    Open,
    /// It is half-open and all probe places are taken.
    HalfOpenBusy,
    /// The service asked to be left alone until later (Retry-After).
    RetryAfter,
    /// It was isolated by hand.
    Isolated,
}

impl RejectionReason {
    /// As ArkTS sees it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::HalfOpenBusy => "half_open_busy",
            Self::RetryAfter => "retry_after",
            Self::Isolated => "isolated",
        }
    }
}

/// A call was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("circuit breaker rejects the call ({}), retry after {} ms", reason.as_str(), whole_millis(*retry_after))]
pub struct Rejection {
    /// Why.
    pub reason: RejectionReason,
    /// When a call may be admitted again. The longest possible time for an isolated breaker.
    pub retry_after: Duration,
}
