//! Circuit breaker: stops calls to a service that keeps failing, and lets a probe through after a cooldown.
//!
//! # Transitions
//!
//! | state | event | next state | counted failures | event sent |
//! |---|---|---|---|---|
//! | closed | success | closed | 0 | – |
//! | closed | failure below the threshold | closed | + 1 | – |
//! | closed | failure that reaches the threshold | open | kept | opened |
//! | closed | failure that says "open at once" (quota) | open | kept | opened |
//! | open | call before the cooldown has run out | open, call rejected | kept | – |
//! | open | call after it | half-open, call is the probe | kept | half-opened |
//! | half-open | call while all probe places are taken | half-open, call rejected | kept | – |
//! | half-open | probe succeeds, success threshold reached | closed | 0 | closed |
//! | half-open | probe fails | open, next cooldown | kept | opened |
//! | any | neutral result | unchanged, its place is free again | unchanged | – |
//! | any | result of an earlier generation | unchanged | unchanged | – |
//!
//! # Invariants
//!
//! * Admission gives a [`Permit`]. Its result counts once, and only in the generation that admitted it; each transition
//!   begins a new generation. A result that comes late changes nothing.
//! * Dropping a permit is a neutral result. A probe that never reports loses its place when its lease ends.
//! * Observers ([`CircuitBreaker::state`], [`CircuitBreaker::stats`], …) change nothing: an open breaker whose cooldown
//!   has run out reads `Open` until a call comes.
//! * Time and chance come from outside and are read before the lock is taken; listeners run after it is released.

mod circuit_breaker;
mod config;
mod event;
mod permit;
mod state;
#[cfg(test)]
mod tests;

pub use circuit_breaker::{BreakerStats, CircuitBreaker};
pub use config::BreakerConfig;
pub use event::{BreakerEvent, TransitionReason};
pub use permit::{FailureReport, Permit};
#[cfg(any(feature = "napi", target_env = "ohos"))]
pub(crate) use state::Ticket;
pub use state::{BreakerState, Rejection, RejectionReason};
