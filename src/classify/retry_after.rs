//! How long a provider asks to be left alone.

use std::time::Duration;

/// A wait that the provider asked for.
///
/// ```
/// use resilience::classify::{ErrorFacts, RetryAfterSource, classify};
/// use std::time::{Duration, SystemTime};
///
/// let headers = vec![
///     ("date".into(), "Wed, 21 Oct 2026 07:28:00 GMT".into()),
///     ("retry-after".into(), "Wed, 21 Oct 2026 07:28:30 GMT".into()),
/// ];
/// let error = classify(&ErrorFacts { status: Some(503), headers, ..Default::default() }, SystemTime::UNIX_EPOCH);
/// let wait = error.retry_after.unwrap();
/// assert_eq!((wait.wait, wait.source), (Duration::from_secs(30), RetryAfterSource::HttpDate));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryAfter {
    /// How long, from now. Whole milliseconds, rounded up, at most [`MAX_WAIT`].
    pub wait: Duration,
    /// Where it was read.
    pub source: RetryAfterSource,
}

/// The longest wait that is kept: longer ones are cut to it.
pub const MAX_WAIT: Duration = Duration::from_secs(365 * 24 * 3600);

/// Where a wait was read. The variants stand in the order in which they win.
///
/// ```
/// use resilience::classify::RetryAfterSource;
///
/// assert_eq!(RetryAfterSource::HttpDate.as_str(), "http_date");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RetryAfterSource {
    /// The client said it.
    Explicit,
    /// Header `retry-after-ms`.
    RetryAfterMs,
    /// Header `retry-after`, seconds (RFC 9110 section 10.2.3; fractions are accepted).
    Seconds,
    /// Header `retry-after`, a date.
    HttpDate,
    /// A field of the body.
    Body,
    /// Header `x-ratelimit-reset-*` or `anthropic-ratelimit-*-reset`.
    RateLimitReset,
    /// The text of the error.
    Message,
}

impl RetryAfterSource {
    /// The name that traces use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::RetryAfterMs => "retry_after_ms",
            Self::Seconds => "seconds",
            Self::HttpDate => "http_date",
            Self::Body => "body",
            Self::RateLimitReset => "rate_limit_reset",
            Self::Message => "message",
        }
    }
}
