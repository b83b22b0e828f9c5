//! Circuit breaker: stops calls to a service that keeps failing, and lets a probe through after a cooldown.
//!
//! # Transitions
//!
//! A test executes this table row by row (`tests.rs` beside this file).
//!
//! | state | event | next state | counted failures | event sent |
//! |---|---|---|---|---|
//! | closed | success | closed | 0 | – |
//! | closed | failure below the threshold | closed | + 1 | – |
//! | closed | failure that reaches the threshold | open | + 1 | opened |
//! | closed | failure that says "open at once" (quota) | open | + 1 | opened |
//! | closed | call before Retry-After has passed | closed, call rejected | kept | – |
//! | open | call before the cooldown has run out | open, call rejected | kept | – |
//! | open | call before Retry-After has passed | open, call rejected | kept | – |
//! | open | call after both | half-open, call is the probe | kept | half-opened |
//! | half-open | call before Retry-After has passed | half-open, call rejected | kept | – |
//! | half-open | call while all probe places are taken | half-open, call rejected | kept | – |
//! | half-open | call while a place is free | half-open, call is a probe | kept | – |
//! | half-open | call after the lease of a probe | half-open, call takes its place | kept | – |
//! | half-open | probe succeeds below the success threshold | half-open | kept | – |
//! | half-open | probe succeeds, success threshold reached | closed | 0 | closed |
//! | half-open | probe fails | open, next cooldown | + 1 | opened |
//! | any | neutral result | unchanged, its place is free again | kept | – |
//! | any | result of an earlier generation | unchanged | kept | – |
//! | any | isolate | open until reset | 0 | opened |
//! | any | force closed | closed until reset | 0 | closed |
//! | any | reset | closed | 0 | closed |
//! | any | restore of a closed one | closed | as saved | closed |
//! | any | restore of an open or a half-open one | open | as saved | opened |
//!
//! No event is sent where the state stays the same.
//!
//! # Windows
//!
//! With a [`WindowConfig`] it is not failures in a row that open a closed breaker, but what the last calls, or those of the
//! last seconds, came to: too large a share of failed ones, too many of them, or too large a share of slow ones. After each
//! completed call the window is judged; a success counts in it and wipes nothing out. The probe alone decides while
//! half-open; a breaker that closes begins with an empty window.
//!
//! # Invariants
//!
//! * Admission gives a [`Permit`]. Its result counts once, and only in the generation that admitted it; each transition
//!   begins a new generation. A result that comes late changes nothing, but the Retry-After that it brings holds, unless
//!   the breaker was isolated, forced closed or reset meanwhile: of calls from before that nothing counts.
//! * Dropping a permit is a neutral result. A probe whose lease has ended loses its place to the next call; as long as
//!   there is none, its result still counts.
//! * Observers ([`CircuitBreaker::state`], [`CircuitBreaker::stats`], …) change nothing: an open breaker whose cooldown
//!   has run out reads `Open` until a call comes.
//! * Time and chance come from outside and are read before the lock is taken; listeners run after it is released, and what
//!   they change is told after what they were told.

mod circuit_breaker;
mod config;
mod counter;
mod event;
mod listeners;
mod named;
mod permit;
mod rejection;
mod state;
mod stats;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod what_counts_tests;
mod window;
#[cfg(test)]
mod window_tests;

pub use circuit_breaker::CircuitBreaker;
pub use config::BreakerConfig;
pub use event::{BreakerEvent, TransitionReason};
pub use named::registry;
pub use permit::{FailureReport, Permit};
pub use rejection::{Rejection, RejectionReason};
pub use state::BreakerState;
pub(crate) use state::SavedState;
#[cfg(any(feature = "napi", target_env = "ohos"))]
pub(crate) use state::Ticket;
pub use stats::BreakerStats;
pub use window::{WindowConfig, WindowCounts, WindowSpan};
