//! How long a provider asks to be left alone.

use std::time::{Duration, SystemTime};

use super::body::BodyWait;
use super::call_error::MAX_CODE_BYTES;
use super::class::ErrorClass;
use super::duration;
use crate::text::cut;

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
    /// How long, from now. Whole milliseconds, rounded up; a longer one is cut to [`MAX_DURATION`](crate::MAX_DURATION).
    pub wait: Duration,
    /// Where it was read.
    pub source: RetryAfterSource,
}

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

/// Everything that may say how long to wait.
pub(super) struct Hints<'a> {
    pub(super) explicit_ms: Option<f64>,
    pub(super) headers: &'a [(String, String)],
    pub(super) body: Option<BodyWait>,
    /// The messages, in lower case.
    pub(super) text: &'a str,
    pub(super) class: ErrorClass,
    pub(super) status: Option<u16>,
}

/// The first header of that (lower-case) name.
pub(super) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// The wait, and the first value that was to say it and could not be read.
pub(super) fn read(hints: &Hints<'_>, wall_clock: SystemTime) -> (Option<RetryAfter>, Option<String>) {
    let now = header(hints.headers, "date").and_then(http_date).unwrap_or(wall_clock);
    let mut malformed = None;
    let mut understood = |value: Option<RetryAfter>, raw: &str| {
        if value.is_none() && malformed.is_none() {
            malformed = Some(cut(raw, MAX_CODE_BYTES).to_owned());
        }
        value
    };
    let wait = |source| move |wait| RetryAfter { wait, source };
    let explicit = hints.explicit_ms.and_then(|millis| {
        understood(duration::millis_from_f64(millis).map(wait(RetryAfterSource::Explicit)), &millis.to_string())
    });
    let mut from_header = |name: &str, parse: &dyn Fn(&str) -> Option<RetryAfter>| {
        header(hints.headers, name).and_then(|raw| understood(parse(raw), raw))
    };
    let found = explicit
        .or_else(|| {
            from_header("retry-after-ms", &|raw| duration::millis(raw).map(wait(RetryAfterSource::RetryAfterMs)))
        })
        .or_else(|| {
            from_header("retry-after", &|raw| {
                let seconds = duration::seconds(raw).map(wait(RetryAfterSource::Seconds));
                seconds.or_else(|| Some(wait(RetryAfterSource::HttpDate)(duration::until(http_date(raw)?, now))))
            })
        })
        .or_else(|| from_body(hints, now).map(wait(RetryAfterSource::Body)))
        .or_else(|| from_limits(hints, now).map(wait(RetryAfterSource::RateLimitReset)))
        .or_else(|| from_text(hints, now).map(wait(RetryAfterSource::Message)));
    (found, malformed)
}

/// IMF-fixdate, RFC 850 or asctime (RFC 9110 section 5.6.7).
fn http_date(text: &str) -> Option<SystemTime> {
    httpdate::parse_http_date(text.trim()).ok()
}

fn from_body(hints: &Hints<'_>, now: SystemTime) -> Option<Duration> {
    match hints.body? {
        BodyWait::In(wait) => Some(wait),
        BodyWait::At(then) => Some(duration::until(then, now)),
        // Google sends it with daily limits too, where it is of no use.
        BodyWait::RetryInfo(wait) => (hints.class != ErrorClass::Quota).then_some(wait),
    }
}

/// The limits that a 429 can be about, with what is left of each and when it comes back.
#[rustfmt::skip]
const LIMITS: [(&str, &str, Reset); 6] = [
    ("x-ratelimit-remaining-requests",             "x-ratelimit-reset-requests",             Reset::Duration),
    ("x-ratelimit-remaining-tokens",               "x-ratelimit-reset-tokens",               Reset::Duration),
    ("anthropic-ratelimit-requests-remaining",     "anthropic-ratelimit-requests-reset",     Reset::Date),
    ("anthropic-ratelimit-tokens-remaining",       "anthropic-ratelimit-tokens-reset",       Reset::Date),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset", Reset::Date),
    ("anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset", Reset::Date),
];

/// How a reset is written.
#[derive(Clone, Copy)]
enum Reset {
    /// `6m0s` (OpenAI).
    Duration,
    /// RFC 3339 (Anthropic).
    Date,
}

/// The longest reset among the limits that are used up. A limit of which something is left is not the cause.
fn from_limits(hints: &Hints<'_>, now: SystemTime) -> Option<Duration> {
    if hints.status != Some(429) || hints.headers.is_empty() {
        return None;
    }
    let of_limit = |(remaining, reset, form): &(&str, &str, Reset)| {
        let used_up = header(hints.headers, remaining).is_none_or(|left| left.trim() == "0");
        let raw = header(hints.headers, reset)?.trim();
        match form {
            // Limits of a minute say nothing about money.
            Reset::Duration if hints.class == ErrorClass::Quota => None,
            Reset::Duration => duration::with_units(raw),
            Reset::Date => duration::date_time(raw).map(|then| duration::until(then, now)),
        }
        .filter(|_| used_up)
    };
    // Subscriptions (Anthropic): seconds since 1970.
    let unified = || {
        let rejected = header(hints.headers, "anthropic-ratelimit-unified-status")
            .is_none_or(|status| status.trim() == "rejected");
        let then = header(hints.headers, "anthropic-ratelimit-unified-reset")?.trim().parse().ok()?;
        duration::epoch_seconds(then).filter(|_| rejected).map(|then| duration::until(then, now))
    };
    LIMITS.iter().filter_map(of_limit).max().or_else(unified)
}

/// Words that a duration follows.
#[rustfmt::skip]
const BEFORE_DURATION: [&str; 10] = [
    "try again in ", "retry in ", "retry after ", "try again after ", "resets in ", "reset in ", "available in ",
    "wait ", "请在", "请于",
];

/// Words that a date follows.
const BEFORE_DATE: [&str; 7] = ["reset at ", "resets at ", "reset on ", "resets on ", "将在 ", "将在", "将于 "];

/// A wait in words: only an unbroken duration with units, or a full date, right after one of the known phrases.
fn from_text(hints: &Hints<'_>, now: SystemTime) -> Option<Duration> {
    if !(hints.class.handling().retry || hints.class == ErrorClass::Quota) {
        return None;
    }
    let after = |words: &&str| hints.text.split_once(*words).map(|(_, rest)| rest.trim_start());
    let in_duration =
        BEFORE_DURATION.iter().filter_map(after).find_map(duration::leading_with_units).map(|(wait, _)| wait);
    in_duration.or_else(|| {
        let then = BEFORE_DATE.iter().filter_map(after).find_map(duration::date_time)?;
        Some(duration::until(then, now))
    })
}
