//! What a breaker remembers of the calls behind it when a rate decides: the last N calls, or the calls of the last N
//! seconds. Recording takes the same time however long the window is.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::clock::Timestamp;
use crate::error::{InvalidConfig, count_in_range, duration_in_range, is_share};

/// Settings of a breaker that opens by what happened lately, not by failures in a row.
///
/// It is judged after each completed call, and opens as soon as at least [`minimum_calls`](Self::minimum_calls) are in
/// the window and one of the three limits is reached ("reached" is `>=`). Calls in flight, rejected and neutral ones are
/// not counted.
///
/// ```
/// use resilience::breaker::{BreakerConfig, BreakerState, CircuitBreaker, WindowConfig, WindowSpan};
///
/// let last_ten = WindowConfig { span: WindowSpan::Calls(10), minimum_calls: 4, ..Default::default() };
/// let breaker = CircuitBreaker::new(BreakerConfig { window: Some(last_ten), ..Default::default() })?;
/// for failed in [false, true, false, true] {
///     let permit = breaker.try_acquire()?;
///     if failed { permit.failure(Default::default()) } else { permit.success() }
/// }
/// assert_eq!(breaker.state(), BreakerState::Open, "two of four is half");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowConfig {
    /// How far back it looks. Default: 10 s in 10 buckets.
    pub span: WindowSpan,
    /// With fewer calls in the window nothing is judged, so that the first failure after a start does not open it.
    /// 1 to 1,000,000, for a count of calls at most that count; default 3.
    pub minimum_calls: u32,
    /// Share of failed calls that opens it. Above 0, up to 1; default 0.5. `None`: failures are not judged by their share.
    pub failure_rate: Option<f64>,
    /// Number of failed calls that opens it ("5 failures within 60 s"). At least 1; default none.
    pub failures: Option<u32>,
    /// Share of slow calls that opens it, whether they succeeded or not. Above 0, up to 1; default none.
    pub slow_rate: Option<f64>,
    /// A call that took so long is slow. Default 10 s.
    pub slow_call: Duration,
}

/// How far back a window looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WindowSpan {
    /// The last so many calls: 1 to 10,000.
    Calls(u32),
    /// The last `length`, which moves on in steps of a bucket.
    Time {
        /// 1 ms to 365 days.
        length: Duration,
        /// 1 to 1,000.
        buckets: u32,
    },
}

impl Default for WindowConfig {
    fn default() -> Self {
        Self {
            span: WindowSpan::Time { length: Duration::from_secs(10), buckets: 10 },
            minimum_calls: 3,
            failure_rate: Some(0.5),
            failures: None,
            slow_rate: None,
            slow_call: Duration::from_secs(10),
        }
    }
}

impl WindowConfig {
    /// Range of [`WindowSpan::Calls`].
    pub(crate) const CALLS: RangeInclusive<u32> = 1..=10_000;
    /// Range of the buckets of a window of time.
    pub(crate) const BUCKETS: RangeInclusive<u32> = 1..=1_000;
    /// Range of [`minimum_calls`](Self::minimum_calls), where a window of calls is not shorter.
    pub(crate) const MINIMUM_CALLS: RangeInclusive<u32> = 1..=1_000_000;

    /// Checks the settings.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn validate(&self) -> Result<(), InvalidConfig> {
        let most_calls = match self.span {
            WindowSpan::Calls(calls) => {
                count_in_range("window.calls", calls, Self::CALLS)?;
                calls
            }
            WindowSpan::Time { length, buckets } => {
                duration_in_range("window.lengthMs", length, Duration::from_millis(1))?;
                count_in_range("window.buckets", buckets, Self::BUCKETS)?;
                *Self::MINIMUM_CALLS.end()
            }
        };
        count_in_range("window.minimumCalls", self.minimum_calls, 1..=most_calls)?;
        for (field, rate) in [("window.failureRate", self.failure_rate), ("window.slowRate", self.slow_rate)] {
            rate.map_or(Ok(()), |rate| is_share(field, rate))?;
        }
        if let Some(failures) = self.failures {
            count_in_range("window.failures", failures, 1..=most_calls)?;
        }
        duration_in_range("window.slowCallMs", self.slow_call, Duration::ZERO)?;
        if self.failure_rate.is_none() && self.failures.is_none() && self.slow_rate.is_none() {
            let allowed = "at least one of failureRate, failures, slowRate";
            return Err(InvalidConfig::new("window", "no limit", allowed));
        }
        Ok(())
    }
}

/// Calls of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WindowCounts {
    /// Completed.
    pub total: u32,
    /// Of these, failed.
    pub failed: u32,
    /// Of these, slow; a call may be both.
    pub slow: u32,
}

impl WindowCounts {
    fn add(&mut self, other: Self) {
        self.total += other.total;
        self.failed += other.failed;
        self.slow += other.slow;
    }

    fn remove(&mut self, other: Self) {
        self.total -= other.total;
        self.failed -= other.failed;
        self.slow -= other.slow;
    }
}

/// The counts of the window are always the sum of what the ring holds.
#[derive(Debug)]
pub(super) struct Window {
    config: WindowConfig,
    counts: WindowCounts,
    /// One entry for each call, or for each bucket of time.
    ring: Vec<WindowCounts>,
    /// Where the next call goes, or the bucket of the latest one.
    head: usize,
    /// Number of the bucket at `head`, counted from the clock's origin. Of calls there is one, for ever.
    bucket: u64,
    /// Of a bucket, in nanoseconds.
    width: u64,
}

impl Window {
    pub fn new(config: WindowConfig) -> Self {
        let (places, width) = match config.span {
            WindowSpan::Calls(calls) => (calls, Duration::MAX),
            WindowSpan::Time { length, buckets } => (buckets, length / buckets),
        };
        let ring = vec![WindowCounts::default(); places as usize];
        Self { config, counts: WindowCounts::default(), ring, head: 0, bucket: 0, width: nanos(width).max(1) }
    }

    /// Counts a completed call.
    pub fn record(&mut self, failed: bool, took: Duration, now: Timestamp) {
        let slow = took >= self.config.slow_call;
        let call = WindowCounts { total: 1, failed: u32::from(failed), slow: u32::from(slow) };
        match self.config.span {
            WindowSpan::Calls(_) => {
                self.counts.remove(std::mem::replace(&mut self.ring[self.head], call));
                self.head = (self.head + 1) % self.ring.len();
            }
            WindowSpan::Time { .. } => {
                self.move_to(now);
                self.ring[self.head].add(call);
            }
        }
        self.counts.add(call);
    }

    /// Whether one more success that is not slow leaves it as it is: it takes the place of another one like it.
    pub fn ignores_success(&self) -> bool {
        let nothing_but_good = WindowCounts { total: self.ring.len() as u32, failed: 0, slow: 0 };
        matches!(self.config.span, WindowSpan::Calls(_)) && self.counts == nothing_but_good
    }

    /// Whether what it holds is reason to open.
    pub fn is_bad(&self) -> bool {
        let WindowCounts { total, failed, slow } = self.counts;
        // Shares such as 0.3 have no exact form: 3 of 10 must reach it.
        let reached = |limit: Option<f64>, part: u32| {
            limit.is_some_and(|limit| f64::from(part) >= limit * f64::from(total) * (1.0 - f64::EPSILON * 4.0))
        };
        total >= self.config.minimum_calls
            && (reached(self.config.failure_rate, failed)
                || reached(self.config.slow_rate, slow)
                || self.config.failures.is_some_and(|limit| failed >= limit))
    }

    /// What it would hold at `now`. Changes nothing.
    pub fn counts(&self, now: Timestamp) -> WindowCounts {
        let gone = self.bucket_of(now).saturating_sub(self.bucket).min(self.ring.len() as u64) as usize;
        let mut counts = self.counts;
        for step in 1..=gone {
            counts.remove(self.ring[(self.head + step) % self.ring.len()]);
        }
        counts
    }

    /// Forgets all calls.
    pub fn clear(&mut self) {
        self.counts = WindowCounts::default();
        self.ring.fill(WindowCounts::default());
    }

    /// Empties the buckets between the latest call and `now`. A clock never runs backwards.
    fn move_to(&mut self, now: Timestamp) {
        let bucket = self.bucket_of(now);
        let gone = bucket.saturating_sub(self.bucket).min(self.ring.len() as u64);
        for _ in 0..gone {
            self.head = (self.head + 1) % self.ring.len();
            self.counts.remove(std::mem::take(&mut self.ring[self.head]));
        }
        self.bucket = self.bucket.max(bucket);
    }

    fn bucket_of(&self, now: Timestamp) -> u64 {
        nanos(now.since_origin()) / self.width
    }
}

/// Saturates after 584 years.
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
