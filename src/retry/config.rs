use std::ops::RangeInclusive;
use std::time::Duration;

use crate::backoff::{Backoff, BackoffConfig};
use crate::error::{InvalidConfig, duration_in_range, in_range};
use crate::millis::millis;
use crate::random::{Rng, draw};

/// Settings of a [`RetryPolicy`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryConfig {
    /// Retries after the first attempt: 2 means at most 3 calls. 0 to 100; default 2.
    pub max_retries: u32,
    /// Waits between attempts.
    pub backoff: BackoffConfig,
    /// Longest time for one attempt. At least 1 ms; default 60 s.
    pub attempt_timeout: Duration,
    /// Longest time for the whole call, waits included. At least 1 ms; default 120 s. A fallback function gets what is left
    /// of it, at most the time of an attempt, at least 1 s.
    pub deadline: Duration,
    /// Longest Retry-After that is waited for, inclusive; a longer one ends the call. Default 60 s.
    pub retry_after_max: Duration,
    /// How much later than asked for, by chance, this client comes back after a Retry-After, as a share of the wait: those that
    /// were sent away together do not come back together. Never earlier, nor after the deadline. 0 to 1; default 0.1.
    pub retry_after_spread: f64,
    /// Most attempts of a whole call: at all services, of all rounds, free ones included. 1 to 10,000; default `None`:
    /// `max_retries` + 1 at each service is the only limit.
    pub max_total_attempts: Option<u32>,
    /// Whether a request that the service may have worked on and billed (interrupted, timed out, an answer of no use) is
    /// sent again; default true.
    pub retry_unsafe: bool,
}

impl Default for RetryConfig {
    fn default() -> Self {
        Self {
            max_retries: 2,
            backoff: BackoffConfig::default(),
            attempt_timeout: Duration::from_secs(60),
            deadline: Duration::from_secs(120),
            retry_after_max: Duration::from_secs(60),
            retry_after_spread: 0.1,
            max_total_attempts: None,
            retry_unsafe: true,
        }
    }
}

impl RetryConfig {
    pub(crate) const MAX_RETRIES: RangeInclusive<u32> = 0..=100;
    pub(crate) const RETRY_AFTER_SPREAD: RangeInclusive<f64> = 0.0..=1.0;
    pub(crate) const MAX_TOTAL_ATTEMPTS: RangeInclusive<u32> = 1..=10_000;

    /// Checks the settings.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn build(self) -> Result<RetryPolicy, InvalidConfig> {
        const ONE: Duration = Duration::from_millis(1);
        in_range("maxRetries", self.max_retries, Self::MAX_RETRIES)?;
        duration_in_range("attemptTimeoutMs", self.attempt_timeout, ONE)?;
        duration_in_range("deadlineMs", self.deadline, ONE)?;
        duration_in_range("retryAfterMaxMs", self.retry_after_max, Duration::ZERO)?;
        in_range("retryAfterSpread", self.retry_after_spread, Self::RETRY_AFTER_SPREAD)?;
        if let Some(attempts) = self.max_total_attempts {
            in_range("maxTotalAttempts", attempts, Self::MAX_TOTAL_ATTEMPTS)?;
        }
        Ok(RetryPolicy { backoff: self.backoff.build()?, config: self })
    }

    /// A wait that the service asked for, longer by chance, but shorter than `room`.
    pub(crate) fn spread_later(&self, wait: Duration, room: Duration, rng: &(impl Rng + ?Sized)) -> Duration {
        let most = wait.mul_f64(self.retry_after_spread).min(room.saturating_sub(wait));
        let later = if most.is_zero() { 0.0 } else { millis(most) * draw(rng) };
        // In whole milliseconds.
        wait.saturating_add(Duration::from_millis(later as u64))
    }
}

/// A checked retry policy.
#[derive(Debug, Clone, PartialEq)]
pub struct RetryPolicy {
    pub(super) backoff: Backoff,
    pub(super) config: RetryConfig,
}

impl RetryPolicy {
    /// The settings it was built from.
    pub fn config(&self) -> &RetryConfig {
        &self.config
    }
}
