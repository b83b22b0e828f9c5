use std::time::Duration;

use super::CircuitBreaker;
use super::state::Ticket;

/// What a failed call knows about when to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FailureReport {
    /// The service asked to be left alone so long (Retry-After). No call is admitted earlier.
    pub retry_after: Option<Duration>,
    /// Open now, whatever the count, for at least so long.
    pub open_for: Option<Duration>,
}

/// The right to make one call. Say how it ended with one of the three methods; dropping it says "neutral".
///
/// ```
/// use resilience::breaker::{BreakerConfig, BreakerState, CircuitBreaker};
///
/// let breaker = CircuitBreaker::new(BreakerConfig { failure_threshold: 1, ..Default::default() })?;
/// let permit = breaker.try_acquire().expect("a new breaker is closed");
/// permit.failure(Default::default());
/// assert_eq!(breaker.state(), BreakerState::Open);
/// # Ok::<(), resilience::InvalidConfig>(())
/// ```
#[must_use = "a dropped permit counts as neutral"]
#[derive(Debug)]
pub struct Permit<'a> {
    breaker: &'a CircuitBreaker,
    ticket: Ticket,
    reported: bool,
}

impl<'a> Permit<'a> {
    pub(super) fn new(breaker: &'a CircuitBreaker, ticket: Ticket) -> Self {
        Self { breaker, ticket, reported: false }
    }

    /// The call succeeded.
    pub fn success(mut self) {
        self.reported = true;
        self.breaker.record_success(self.ticket);
    }

    /// The call failed, and the service is to blame.
    pub fn failure(mut self, report: FailureReport) {
        self.reported = true;
        self.breaker.record_failure(self.ticket, report);
    }

    /// The call says nothing about the service: cancelled, a mistake of the caller, rejected locally.
    pub fn neutral(self) {}

    /// Whether it is a probe of a half-open breaker.
    pub fn is_probe(&self) -> bool {
        self.ticket.is_probe()
    }

    /// Gives up the guard: the caller reports with the ticket itself.
    #[cfg(any(feature = "napi", target_env = "ohos"))]
    pub(crate) fn into_ticket(mut self) -> Ticket {
        self.reported = true;
        self.ticket
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if !self.reported {
            self.breaker.record_neutral(self.ticket);
        }
    }
}
