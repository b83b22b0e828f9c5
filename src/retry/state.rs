use std::time::Duration;

use super::RetryPolicy;
use crate::backoff::Delays;
use crate::classify::{CallError, ErrorClass};
use crate::clock::Timestamp;
use crate::random::Rng;

/// Why a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// An answer came.
    Success,
    /// Trying again cannot help.
    NotRetryable,
    /// All attempts are used up.
    Attempts,
    /// The time for the whole call is used up, or the next wait would end after it.
    Deadline,
    /// The retry budget is used up.
    Budget,
    /// The breaker rejects the call, or opened during it.
    CircuitOpen,
    /// The service asked to be left alone (Retry-After), and that time is not over.
    RetryAfter,
    /// The service asked for a longer wait than is allowed or than is left.
    RetryAfterTooLong,
    /// The app cancelled the call.
    Cancelled,
    /// The bulkhead had no place in time.
    Bulkhead,
    /// No answer was good enough.
    LowQuality,
    /// A streamed answer broke off: the app has text of it, and asking again would show it twice.
    Partial,
}

/// Where a wait comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DelaySource {
    /// The policy's backoff.
    Backoff,
    /// The service's Retry-After, which was longer.
    RetryAfter,
    /// None at all: the connection had died while the device had no network, or the app was suspended.
    Reconnect,
    /// All services of a chain cool down, after failures or because they asked for it: until the first of them comes back.
    Cooldown,
}

/// What to do after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Wait so long, then try again.
    Retry {
        /// The wait.
        delay: Duration,
        /// Where it comes from.
        source: DelaySource,
    },
    /// End the call.
    Stop(StopReason),
}

/// One call's way through its retry policy.
///
/// ```
/// use resilience::classify::{CallError, ErrorClass};
/// use resilience::clock::Timestamp;
/// use resilience::retry::{Decision, RetryConfig, RetryState, StopReason};
///
/// let policy = RetryConfig { max_retries: 1, ..Default::default() }.build()?;
/// let now = Timestamp::ZERO;
/// let mut call = RetryState::begin(&policy, now);
/// let error = CallError::new(ErrorClass::Server, "502 Bad Gateway");
/// assert!(matches!(call.after_failure(&policy, &error, now, &|| 0.5), Decision::Retry { .. }));
/// let second = call.after_failure(&policy, &error, now, &|| 0.5);
/// assert_eq!(second, Decision::Stop(StopReason::Attempts));
/// # Ok::<(), resilience::InvalidConfig>(())
/// ```
#[derive(Debug, Clone)]
pub struct RetryState {
    deadline: Timestamp,
    failures: u32,
    delays: Delays,
}

impl RetryState {
    /// A call begins now.
    pub fn begin(policy: &RetryPolicy, now: Timestamp) -> Self {
        let deadline = now + policy.config.deadline;
        Self { deadline, failures: 0, delays: policy.backoff.delays() }
    }

    /// Brings the deadline forward; a later one than the policy's has no effect.
    #[must_use]
    pub fn with_deadline(self, deadline: Timestamp) -> Self {
        Self { deadline: self.deadline.min(deadline), ..self }
    }

    /// Counts attempts that the call has made before.
    #[must_use]
    pub fn with_attempts(self, attempts: u32) -> Self {
        Self { failures: attempts, ..self }
    }

    /// When the whole call must be over.
    pub fn deadline(&self) -> Timestamp {
        self.deadline
    }

    /// When an attempt that starts now must be over.
    pub fn attempt_deadline(&self, policy: &RetryPolicy, now: Timestamp) -> Timestamp {
        (now + policy.config.attempt_timeout).min(self.deadline)
    }

    /// Whether the service's wish to be left alone for `wait` from `now` on can be met within this call.
    pub(crate) fn may_wait(&self, policy: &RetryPolicy, wait: Duration, now: Timestamp) -> bool {
        wait <= policy.config.retry_after_max && now + wait < self.deadline
    }

    /// The next backoff is the first one again.
    pub(crate) fn begin_backoff_again(&mut self, policy: &RetryPolicy) {
        self.delays = policy.backoff.delays();
    }

    /// Decides what follows an attempt that failed for a reason of the device's: it counts for nothing.
    pub(crate) fn after_free_failure(&self, policy: &RetryPolicy, error: &CallError, now: Timestamp) -> Decision {
        let again = Decision::Retry { delay: Duration::ZERO, source: DelaySource::Reconnect };
        self.obstacle(policy, error, now).map_or(again, Decision::Stop)
    }

    /// What speaks against any further attempt.
    fn obstacle(&self, policy: &RetryPolicy, error: &CallError, now: Timestamp) -> Option<StopReason> {
        if error.class == ErrorClass::Cancelled {
            return Some(StopReason::Cancelled);
        }
        if !error.is_retryable() || (error.maybe_billed && !policy.config.retry_unsafe) {
            return Some(StopReason::NotRetryable);
        }
        (now >= self.deadline).then_some(StopReason::Deadline)
    }

    /// Decides what follows a failed attempt. Whether the breaker and the budget agree is the caller's to ask.
    pub fn after_failure(
        &mut self,
        policy: &RetryPolicy,
        error: &CallError,
        now: Timestamp,
        rng: &(impl Rng + ?Sized),
    ) -> Decision {
        let config = &policy.config;
        self.failures += 1;
        if let Some(reason) = self.obstacle(policy, error, now) {
            return Decision::Stop(reason);
        }
        if self.failures > config.max_retries {
            return Decision::Stop(StopReason::Attempts);
        }
        let backoff = self.delays.next(&policy.backoff, rng);
        let asked = error.retry_after.as_ref().map_or(Duration::ZERO, |retry_after| retry_after.wait);
        if !asked.is_zero() && !self.may_wait(policy, asked, now) {
            return Decision::Stop(StopReason::RetryAfterTooLong);
        }
        let (delay, source) = if asked > backoff {
            (config.spread_later(asked, self.deadline.since(now), rng), DelaySource::RetryAfter)
        } else {
            (backoff, DelaySource::Backoff)
        };
        if now + delay >= self.deadline {
            return Decision::Stop(StopReason::Deadline);
        }
        Decision::Retry { delay, source }
    }
}
