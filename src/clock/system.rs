use std::sync::LazyLock;
use std::time::Instant;

use super::{Clock, Timestamp};

/// The process's monotonic clock. All instances share one origin: the first use in the process.
///
/// ```
/// use resilience::clock::{Clock, SystemClock};
///
/// let earlier = SystemClock.now();
/// assert!(SystemClock.now() >= earlier);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
        Timestamp::new(ORIGIN.elapsed())
    }
}
