use super::{Clock, Timer, Timestamp};

/// Tokio's clock and timer, for Rust programs that already run tokio. Follows `tokio::time::pause` in tests.
///
/// ```
/// use resilience::clock::{Clock, Timer, TokioClock, Timestamp};
/// use std::time::Duration;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let clock = TokioClock::new();
/// clock.sleep_until(clock.now() + Duration::from_secs(3600)).await;
/// assert!(clock.now() >= Timestamp::from_millis(3_600_000));
/// # });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TokioClock {
    origin: tokio::time::Instant,
}

impl TokioClock {
    /// Starts now.
    pub fn new() -> Self {
        Self { origin: tokio::time::Instant::now() }
    }
}

impl Default for TokioClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TokioClock {
    fn now(&self) -> Timestamp {
        Timestamp::new(self.origin.elapsed())
    }
}

impl Timer for TokioClock {
    type Sleep = tokio::time::Sleep;

    fn sleep_until(&self, deadline: Timestamp) -> tokio::time::Sleep {
        tokio::time::sleep(deadline.since(self.now()))
    }
}
