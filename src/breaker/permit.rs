use std::time::Duration;

use super::CircuitBreaker;
use super::state::Ticket;
use crate::classify::ErrorClass;

/// What a failed call knows about when to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FailureReport {
    /// The service asked to be left alone so long (Retry-After). No call is admitted earlier, but for what is beyond
    /// [`max_retry_after`](super::BreakerConfig::max_retry_after).
    pub retry_after: Option<Duration>,
    /// Open now, whatever the count, for at least so long.
    pub open_for: Option<Duration>,
    /// How long the call took, for breakers that look at slow calls.
    pub took: Duration,
    /// What kind of fault it was: what a rejected call can say about the service.
    pub cause: Option<ErrorClass>,
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
}

impl<'a> Permit<'a> {
    pub(super) fn new(breaker: &'a CircuitBreaker, ticket: Ticket) -> Self {
        Self { breaker, ticket }
    }

    /// The call succeeded.
    #[inline]
    pub fn success(self) {
        self.success_in(Duration::ZERO);
    }

    /// The call succeeded and took so long, for breakers that look at slow calls.
    #[inline]
    pub fn success_in(self, took: Duration) {
        self.breaker.record_success(self.into_ticket(), took);
    }

    /// Whether it matters how long a successful call took.
    pub(crate) fn wants_duration(&self) -> bool {
        self.breaker.wants_duration()
    }

    /// The call failed, and the service is to blame.
    pub fn failure(self, report: FailureReport) {
        self.breaker.record_failure(self.into_ticket(), report);
    }

    /// The call says nothing about the service: cancelled, a mistake of the caller, rejected locally.
    pub fn neutral(self) {}

    /// Whether it is a probe of a half-open breaker.
    pub fn is_probe(&self) -> bool {
        self.ticket.is_probe()
    }

    /// Gives up the guard: the caller reports with the ticket itself.
    #[inline]
    pub(crate) fn into_ticket(self) -> Ticket {
        let ticket = self.ticket;
        std::mem::forget(self);
        ticket
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.breaker.record_neutral(self.ticket);
    }
}
