use std::time::Duration;

/// A moment on one [`Clock`](super::Clock), counted from that clock's origin. Arithmetic saturates.
///
/// ```
/// use resilience::clock::Timestamp;
/// use std::time::Duration;
///
/// let opened = Timestamp::from_millis(1_000);
/// let retry_at = opened + Duration::from_millis(5_000);
/// assert_eq!(retry_at.since(opened), Duration::from_secs(5));
/// assert_eq!(opened.since(retry_at), Duration::ZERO);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(Duration);

impl Timestamp {
    /// The clock's origin.
    pub const ZERO: Self = Self(Duration::ZERO);

    /// So long after the origin.
    pub const fn new(since_origin: Duration) -> Self {
        Self(since_origin)
    }

    /// So many milliseconds after the origin.
    pub const fn from_millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }

    /// Time since the origin.
    pub const fn since_origin(self) -> Duration {
        self.0
    }

    /// Time since `earlier`; zero when that is in fact later.
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl std::ops::Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration))
    }
}
