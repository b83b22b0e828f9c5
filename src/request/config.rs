use std::ops::RangeInclusive;
use std::time::Duration;

use crate::backoff::{BackoffConfig, Jitter, exponential};
use crate::classify::{CallError, ErrorClass};
use crate::error::{InvalidConfig, MAX_DURATION, in_range};
use crate::millis::millis;
use crate::random::{Rng, draw};
use crate::retry::RetryConfig;

/// When a request is tried again. Default: [`read`](Self::read).
#[derive(Debug, Clone, PartialEq)]
pub struct RequestConfig {
    /// Retries, waits and time limits.
    pub retry: RetryConfig,
    /// Statuses that are tried again although they are no 5xx. Each 100 to 999; default none.
    pub retry_statuses: Vec<u16>,
    /// Statuses that are not tried again although they are 5xx, or stand in `retry_statuses`. Each 100 to 999; default
    /// none.
    pub final_statuses: Vec<u16>,
}

impl Default for RequestConfig {
    fn default() -> Self {
        Self::read()
    }
}

impl RequestConfig {
    /// 4xx statuses after which the same request may do better later: it came too slowly, too early, or too often. None
    /// of them means that its work was done. For [`retry_statuses`](Self::retry_statuses).
    pub const TRANSIENT_STATUSES: [u16; 3] = [408, 425, 429];

    pub(crate) const STATUS: RangeInclusive<u16> = 100..=999;

    /// The article's four numbers: waits with full jitter, `max_retries` retries after the first attempt. An attempt
    /// may take 60 s; nothing but the number of retries ends the whole (365 days).
    ///
    /// A `max` below `base` is the wait before jitter from the first one on.
    pub fn new(base: Duration, factor: f64, max: Duration, max_retries: u32) -> Self {
        let backoff = BackoffConfig { base: base.min(max), factor, max_delay: max, jitter: Jitter::Full };
        Self {
            retry: RetryConfig { max_retries, backoff, deadline: MAX_DURATION, ..RetryConfig::default() },
            retry_statuses: Vec::new(),
            final_statuses: Vec::new(),
        }
    }

    /// For what changes nothing at the service: the article's own numbers, waits of 200 ms · 2^(attempt − 1) up to 5 s,
    /// and at most 4 retries.
    pub fn read() -> Self {
        Self::new(Duration::from_millis(200), 2.0, Duration::from_secs(5), 4)
    }

    /// For an order, a payment, a message: one retry, and only where the work of the first attempt can't have been
    /// done. Giving up is better than paying twice.
    pub fn write() -> Self {
        let read = Self::read();
        Self { retry: RetryConfig { max_retries: 1, retry_unsafe: false, ..read.retry }, ..read }
    }

    /// The wait before retry `attempt`, counted from 1: evenly spread over
    /// `[0, min(max, base · factor^(attempt − 1)))`, in whole milliseconds, rounded down.
    ///
    /// ```
    /// use resilience::request::RequestConfig;
    ///
    /// let waits = (1..=6).map(|attempt| RequestConfig::read().next_delay(attempt, &|| 0.5).as_millis());
    /// assert_eq!(waits.collect::<Vec<_>>(), [100, 200, 400, 800, 1_600, 2_500]);
    /// ```
    pub fn next_delay(&self, attempt: u32, rng: &(impl Rng + ?Sized)) -> Duration {
        let BackoffConfig { base, factor, max_delay, .. } = self.retry.backoff;
        let top = exponential(millis(base), factor, attempt).min(millis(max_delay));
        Duration::from_millis((top * draw(rng)) as u64)
    }

    /// Checks the statuses; the rest is checked by [`RetryConfig::build`].
    pub(super) fn validate(&self) -> Result<(), InvalidConfig> {
        let check =
            |name, statuses: &[u16]| statuses.iter().try_for_each(|&status| in_range(name, status, Self::STATUS));
        check("retryStatuses", &self.retry_statuses)?;
        check("finalStatuses", &self.final_statuses)
    }

    /// What a failed attempt means here.
    pub(super) fn judge(&self, error: CallError) -> CallError {
        let by_rule = match error.status {
            Some(status) => Some(self.is_retried(status) && error.class != ErrorClass::Quota),
            // Whole pages of requests fail while the network is away: they are what the jitter is for. What the device is to blame
            // for becomes known later.
            None => Some(error.class == ErrorClass::Offline || error.class.handling().retry),
        };
        let maybe_billed = error.maybe_billed || maybe_done(error.class, error.status);
        CallError { retryable: error.retryable.or(by_rule), maybe_billed, ..error }
    }

    fn is_retried(&self, status: u16) -> bool {
        let listed = self.retry_statuses.contains(&status);
        (listed || (500..=599).contains(&status)) && !self.final_statuses.contains(&status)
    }
}

/// Whether the service may have done the work. Stricter than the [error table](crate::classify), which asks for money
/// only: an order may be placed although the answer to it was a 500.
fn maybe_done(class: ErrorClass, status: Option<u16>) -> bool {
    /// The service says that it has not begun.
    const NOT_BEGUN: [u16; 4] = [501, 503, 505, 529];
    match status {
        Some(status) => (500..=599).contains(&status) && !NOT_BEGUN.contains(&status),
        None => class == ErrorClass::Unknown,
    }
}
