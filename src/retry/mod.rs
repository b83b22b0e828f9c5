//! Whether a failed attempt is tried again, and when.
//!
//! [`RetryState`] is one call's way through a [`RetryPolicy`]: a pure decision ([`RetryState::after_failure`]) from the
//! error and the time. It waits for nothing and calls nobody; the [client](crate::client) does.
//!
//! The checks, in this order, each with its [`StopReason`]: was it cancelled; may it be tried again at all; is time left;
//! are attempts left; is the wait (backoff, and never shorter than the service's Retry-After) one that may be waited and
//! that ends inside the deadline. What passes them all must pass the client's: may the call make any further attempt at all; is
//! the breaker still closed; does the [`RetryBudget`] allow one more.

mod budget;
mod config;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use budget::SavedTokens;
pub use budget::{RetryBudget, RetryBudgetConfig};
pub use config::{RetryConfig, RetryPolicy};
pub use state::{Decision, DelaySource, RetryState, StopReason};
