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
    /// The text of an error about a limit or about load: at most 10 min, and 31 days for a used-up allowance to come back.
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

/// The wait, and the first value that was to say it and was ignored: it could not be read, or not be believed.
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
        .or_else(|| {
            let said = from_text(hints, now)?;
            understood((said.wait <= said.longest).then(|| wait(RetryAfterSource::Message)(said.wait)), said.text)
        });
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

/// How many places are looked at for a wait after the same phrase.
const MAX_PLACES: usize = 8;

/// The longest wait that is believed when only words say it, perhaps those of a prompt that the error repeats.
const MAX_IN_WORDS: Duration = Duration::from_secs(10 * 60);

/// The same for the time until a used-up allowance comes back: those of a month are the longest.
const MAX_RESET_IN_WORDS: Duration = Duration::from_secs(31 * 24 * 3600);

/// What a phrase is followed by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Wait,
    ResetIn,
    ResetAt,
}

/// Phrases that a wait follows.
#[rustfmt::skip]
const PHRASES: [(&str, Form); 17] = [
    ("try again in ",    Form::Wait),
    ("retry in ",        Form::Wait),
    ("retry after ",     Form::Wait),
    ("try again after ", Form::Wait),
    ("resets in ",       Form::ResetIn),
    ("reset in ",        Form::ResetIn),
    ("available in ",    Form::Wait),
    ("wait ",            Form::Wait),
    ("请在",             Form::Wait),
    ("请于",             Form::Wait),
    ("reset at ",        Form::ResetAt),
    ("resets at ",       Form::ResetAt),
    ("reset on ",        Form::ResetAt),
    ("resets on ",       Form::ResetAt),
    ("将在 ",            Form::ResetAt),
    ("将在",             Form::ResetAt),
    ("将于 ",            Form::ResetAt),
];

/// A wait in words.
struct InWords<'a> {
    wait: Duration,
    /// The longest that is believed.
    longest: Duration,
    text: &'a str,
}

/// Only an unbroken duration with units, or a full date, right after one of the known phrases, and only where providers
/// write such a thing: in errors about a limit or about load.
fn from_text<'a>(hints: &Hints<'a>, now: SystemTime) -> Option<InWords<'a>> {
    if !matches!(hints.class, ErrorClass::RateLimit | ErrorClass::Overloaded | ErrorClass::Quota) {
        return None;
    }
    PHRASES.iter().find_map(|&(phrase, form)| {
        let whole =
            |&(at, _): &(usize, &str)| !hints.text[..at].ends_with(|letter: char| letter.is_ascii_alphanumeric());
        let places = hints.text.match_indices(phrase).filter(whole).take(MAX_PLACES);
        places.map(|(at, _)| &hints.text[at..]).find_map(|text| {
            let rest = text[phrase.len()..].trim_start();
            let (wait, rest) = match form {
                Form::Wait | Form::ResetIn => duration::leading_with_units(rest)?,
                Form::ResetAt => (duration::until(duration::date_time(rest)?, now), &rest[duration::DATE_TIME_BYTES..]),
            };
            let is_reset = form != Form::Wait && hints.class == ErrorClass::Quota;
            let longest = if is_reset { MAX_RESET_IN_WORDS } else { MAX_IN_WORDS };
            Some(InWords { wait, longest, text: &text[..text.len() - rest.len()] })
        })
    })
}
