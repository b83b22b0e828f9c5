use std::ops::RangeInclusive;
use std::time::Duration;

use crate::backoff::{Backoff, BackoffConfig};
use crate::error::{InvalidConfig, duration_in_range, in_range};

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
            retry_unsafe: true,
        }
    }
}

impl RetryConfig {
    pub(crate) const MAX_RETRIES: RangeInclusive<u32> = 0..=100;

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
        Ok(RetryPolicy { backoff: self.backoff.build()?, config: self })
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
