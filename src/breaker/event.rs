use std::time::Duration;

use super::BreakerState;
use crate::clock::Timestamp;

/// Why the state changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransitionReason {
    /// Enough failures in a row.
    Failures,
    /// Too many of the calls in the window failed or were slow.
    Window,
    /// One failure that waiting cannot mend soon, such as an empty account.
    OpenedAtOnce,
    /// The probe failed.
    ProbeFailed,
    /// The cooldown has run out and a call came.
    CooldownOver,
    /// Enough probes succeeded.
    ProbeSucceeded,
    /// [`isolate`](super::CircuitBreaker::isolate), [`force_closed`](super::CircuitBreaker::force_closed) or
    /// [`reset`](super::CircuitBreaker::reset).
    Manual,
    /// [`restore`](super::CircuitBreaker::restore) of a saved state.
    Restored,
}

impl TransitionReason {
    /// As ArkTS sees it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Failures => "failures",
            Self::Window => "window",
            Self::OpenedAtOnce => "opened_at_once",
            Self::ProbeFailed => "probe_failed",
            Self::CooldownOver => "cooldown_over",
            Self::ProbeSucceeded => "probe_succeeded",
            Self::Manual => "manual",
            Self::Restored => "restored",
        }
    }
}

/// One change of state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerEvent {
    /// State before.
    pub from: BreakerState,
    /// State after.
    pub to: BreakerState,
    /// Why.
    pub reason: TransitionReason,
    /// When, on the breaker's clock.
    pub at: Timestamp,
    /// Failures in a row at that moment, or failures in the window, before any count was reset.
    pub failures: u32,
    /// How long it will stay open; zero unless `to` is open, and for a restored one whose cooldown is over.
    pub cooldown: Duration,
}
