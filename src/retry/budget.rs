use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::clock::Timestamp;
use crate::error::{InvalidConfig, in_range};
use crate::lock::lock;
use crate::snapshot::{self, Content, RestoreError};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};

/// Settings of a [`RetryBudget`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryBudgetConfig {
    /// Most tokens it holds, and how many it starts with: the reserve for the first call after launch. 0 to 10 000;
    /// default 20.
    pub capacity: f64,
    /// Tokens that each call brings that has made an attempt, whatever its end, unless the device had no network: the share of
    /// calls that may be retried on a busy device. 0 to 100; default 0.2.
    pub per_call: f64,
    /// Tokens that come back with time: the reserve of a phone that makes five calls an hour. 0 to 10 000 a minute;
    /// default 1.
    pub per_minute: f64,
}

impl RetryBudgetConfig {
    pub(crate) const CAPACITY: RangeInclusive<f64> = 0.0..=10_000.0;
    pub(crate) const PER_CALL: RangeInclusive<f64> = 0.0..=100.0;
    pub(crate) const PER_MINUTE: RangeInclusive<f64> = 0.0..=10_000.0;
}

impl Default for RetryBudgetConfig {
    fn default() -> Self {
        Self { capacity: 20.0, per_call: 0.2, per_minute: 1.0 }
    }
}

/// Bounds how many calls of a client are retries, so that an outage is not multiplied: a token bucket.
///
/// A retry takes its token when it is scheduled, not when it fires: retries that wait together can't all fire together.
///
/// ```
/// use resilience::clock::Timestamp;
/// use resilience::retry::{RetryBudget, RetryBudgetConfig};
///
/// let budget = RetryBudget::new(RetryBudgetConfig { capacity: 1.0, per_call: 0.5, per_minute: 0.0 })?;
/// let now = Timestamp::ZERO;
/// assert!(budget.withdraw(now), "the reserve");
/// assert!(!budget.withdraw(now));
/// budget.deposit_call();
/// budget.deposit_call();
/// assert!(budget.withdraw(now));
/// # Ok::<(), resilience::InvalidConfig>(())
/// ```
#[derive(Debug)]
pub struct RetryBudget {
    config: RetryBudgetConfig,
    /// Calls whose share is not in the bucket yet: most calls take no token, and need no lock.
    calls: AtomicU64,
    bucket: Mutex<Bucket>,
}

/// In millionths of a token: integers add up without drift.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    micro_tokens: u64,
    refilled_at: Timestamp,
}

const TOKEN: f64 = 1_000_000.0;

/// Rounded down; the largest integer for what is beyond it.
fn micro(tokens: f64) -> u64 {
    (tokens * TOKEN) as u64
}

/// Kind of its snapshots.
const SNAPSHOT: &str = "retry_budget";

/// What a budget held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SavedTokens(f64);

impl SavedTokens {
    pub fn to_json(self) -> Json {
        json!({ "tokens": self.0 })
    }

    pub fn read(content: &Content) -> Result<Self, RestoreError> {
        content.number("tokens").map(Self)
    }
}

impl RetryBudget {
    /// A full bucket.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn new(config: RetryBudgetConfig) -> Result<Self, InvalidConfig> {
        in_range("budget.capacity", config.capacity, RetryBudgetConfig::CAPACITY)?;
        in_range("budget.perCall", config.per_call, RetryBudgetConfig::PER_CALL)?;
        in_range("budget.perMinute", config.per_minute, RetryBudgetConfig::PER_MINUTE)?;
        let bucket = Bucket { micro_tokens: micro(config.capacity), refilled_at: Timestamp::ZERO };
        Ok(Self { config, calls: AtomicU64::new(0), bucket: Mutex::new(bucket) })
    }

    /// A call has made its first attempt: its share goes in.
    pub fn deposit_call(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes a token for a retry. False: there is none, do not retry.
    pub fn withdraw(&self, now: Timestamp) -> bool {
        self.with_bucket(now, |bucket| {
            let rest = bucket.micro_tokens.checked_sub(micro(1.0));
            bucket.micro_tokens = rest.unwrap_or(bucket.micro_tokens);
            rest.is_some()
        })
    }

    /// Whole and part tokens in it.
    pub fn tokens(&self, now: Timestamp) -> f64 {
        self.with_bucket(now, |bucket| bucket.micro_tokens as f64 / TOKEN)
    }

    /// Its tokens as a text for [`restore`](Self::restore) after the app was ended. `now_unix_ms` is the wall clock, in milliseconds
    /// since 1970.
    ///
    /// ```
    /// use resilience::clock::Timestamp;
    /// use resilience::retry::{RetryBudget, RetryBudgetConfig};
    ///
    /// let config = RetryBudgetConfig { capacity: 1.0, per_call: 0.0, per_minute: 1.0 };
    /// let budget = RetryBudget::new(config)?;
    /// budget.withdraw(Timestamp::ZERO);
    /// let saved = budget.snapshot(Timestamp::ZERO, 1_792_567_680_000);
    ///
    /// let budget = RetryBudget::new(config)?;
    /// budget.restore(&saved, Timestamp::ZERO, 1_792_567_710_000)?;
    /// assert_eq!(budget.tokens(Timestamp::ZERO), 0.5, "half a minute later");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self, now: Timestamp, now_unix_ms: u64) -> String {
        snapshot::write(SNAPSHOT, now_unix_ms, self.saved(now).to_json())
    }

    /// Holds what a [`snapshot`](Self::snapshot) held, and what the time since has brought; never more than its own capacity.
    ///
    /// # Errors
    /// [`RestoreError`]: no snapshot of a budget, or a damaged one. It is as it was.
    pub fn restore(&self, text: &str, now: Timestamp, now_unix_ms: u64) -> Result<(), RestoreError> {
        let (content, elapsed) = snapshot::read(text, SNAPSHOT, now_unix_ms)?;
        self.take_up(SavedTokens::read(&content)?, elapsed, now);
        Ok(())
    }

    /// For a snapshot of several things.
    pub(crate) fn saved(&self, now: Timestamp) -> SavedTokens {
        SavedTokens(self.tokens(now))
    }

    /// For a snapshot of several things: `saved` is `elapsed` old.
    pub(crate) fn take_up(&self, saved: SavedTokens, elapsed: Duration, now: Timestamp) {
        let gained = self.gained(elapsed);
        self.with_bucket(now, |bucket| {
            let saved = (saved.0 * TOKEN).round() as u64;
            bucket.micro_tokens = saved.saturating_add(gained).min(micro(self.config.capacity));
            bucket.refilled_at = now;
        });
    }

    /// Millionths of a token that come back with time.
    fn gained(&self, time: Duration) -> u64 {
        micro(time.as_secs_f64() / 60.0 * self.config.per_minute)
    }

    fn with_bucket<T>(&self, now: Timestamp, action: impl FnOnce(&mut Bucket) -> T) -> T {
        let mut bucket = lock(&self.bucket);
        let gained = self.gained(now.since(bucket.refilled_at));
        if gained > 0 {
            bucket.refilled_at = now;
        }
        let brought = self.calls.swap(0, Ordering::Relaxed).saturating_mul(micro(self.config.per_call));
        let filled = bucket.micro_tokens.saturating_add(gained).saturating_add(brought);
        bucket.micro_tokens = filled.min(micro(self.config.capacity));
        action(&mut bucket)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(capacity: f64, per_call: f64, per_minute: f64) -> RetryBudget {
        RetryBudget::new(RetryBudgetConfig { capacity, per_call, per_minute }).unwrap()
    }

    #[test]
    fn it_never_holds_more_than_its_capacity_nor_less_than_nothing() {
        let budget = budget(2.0, 1.0, 60.0);
        (0..100).for_each(|_| budget.deposit_call());
        assert_eq!(budget.tokens(Timestamp::from_millis(3_600_000)), 2.0);
        let taken = (0..100).filter(|_| budget.withdraw(Timestamp::from_millis(3_600_000))).count();
        assert_eq!((taken, budget.tokens(Timestamp::from_millis(3_600_000))), (2, 0.0));
    }

    #[test]
    fn time_brings_tokens_back_without_rounding_them_away() {
        let budget = budget(10.0, 0.0, 1.0);
        while budget.withdraw(Timestamp::ZERO) {}
        for second in 1..=60 {
            budget.tokens(Timestamp::from_millis(second * 1_000));
        }
        assert!(budget.tokens(Timestamp::from_millis(60_000)) > 0.999);
        let slow = RetryBudget::new(RetryBudgetConfig { capacity: 1.0, per_call: 0.0, per_minute: 0.0001 }).unwrap();
        assert!(slow.withdraw(Timestamp::ZERO));
        let tokens = (1..=6_000).map(|step| slow.tokens(Timestamp::from_millis(step * 100))).last();
        assert!((0.000_99..=0.001).contains(&tokens.unwrap()), "{tokens:?} after ten minutes");
    }

    #[test]
    fn the_rate_is_per_minute() {
        let budget = budget(100.0, 0.0, 30.0);
        while budget.withdraw(Timestamp::ZERO) {}
        assert_eq!(budget.tokens(Timestamp::from_millis(120_000)), 60.0);
    }

    #[test]
    fn each_call_brings_its_share() {
        let budget = budget(10.0, 0.25, 0.0);
        while budget.withdraw(Timestamp::ZERO) {}
        (0..3).for_each(|_| budget.deposit_call());
        assert_eq!((budget.tokens(Timestamp::ZERO), budget.withdraw(Timestamp::ZERO)), (0.75, false));
        budget.deposit_call();
        assert!(budget.withdraw(Timestamp::ZERO));
    }

    #[test]
    fn a_snapshot_brings_back_what_it_held_and_what_time_has_brought_since() {
        let saved = budget(10.0, 0.25, 0.0);
        while saved.withdraw(Timestamp::ZERO) {}
        (0..5).for_each(|_| saved.deposit_call());
        let text = saved.snapshot(Timestamp::ZERO, 60_000);

        let restored = budget(10.0, 0.0, 2.0);
        let now = Timestamp::from_millis(3_600_000);
        restored.restore(&text, now, 90_000).unwrap();
        assert_eq!(restored.tokens(now), 2.25, "1.25, and 1 for half a minute");
        let small = budget(2.0, 0.0, 2.0);
        small.restore(&text, now, 90_000).unwrap();
        assert_eq!(small.tokens(now), 2.0, "its own capacity holds");
    }

    #[test]
    fn capacity_zero_means_no_retries() {
        let budget = budget(0.0, 1.0, 60.0);
        budget.deposit_call();
        assert!(!budget.withdraw(Timestamp::from_millis(600_000)));
    }
}
