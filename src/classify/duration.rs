//! Waits and points in time as servers write them. Everything saturates; nothing panics on hostile input.

use std::time::{Duration, SystemTime};

use crate::error::MAX_DURATION;

const NANOS_PER_MILLI: u128 = 1_000_000;

/// Whole milliseconds, rounded up, at most [`MAX_DURATION`].
fn from_nanos(nanos: u128) -> Duration {
    let millis = nanos.div_ceil(NANOS_PER_MILLI).min(MAX_DURATION.as_millis());
    Duration::from_millis(millis as u64)
}

/// Splits a leading `digits[.digits]` off `text`.
fn split_number(text: &str) -> Option<(&str, &str)> {
    let whole = text.bytes().take_while(u8::is_ascii_digit).count();
    if whole == 0 {
        return None;
    }
    let rest = &text[whole..];
    let fraction = rest.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    let end = if fraction == 0 { whole } else { whole + 1 + fraction };
    Some(text.split_at(end))
}

/// `number` (as [`split_number`] gives it) times `unit`, in nanoseconds, rounded up.
fn scaled(number: &str, unit: u128) -> u128 {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| {
        text.bytes().fold(0u128, |sum, digit| sum.saturating_mul(10).saturating_add(u128::from(digit - b'0')))
    };
    let kept = &fraction[..fraction.len().min(12)];
    let lost = fraction[kept.len()..].bytes().any(|digit| digit != b'0');
    // Counted as one more of the last digit kept: a digit of its own could make a whole number one too many.
    let part = (digits(kept) + u128::from(lost)) * unit;
    digits(whole).saturating_mul(unit).saturating_add(part.div_ceil(10u128.pow(kept.len() as u32)))
}

/// A plain non-negative decimal number of seconds: `20`, `1.5`. No sign, no exponent, no unit.
pub(super) fn seconds(text: &str) -> Option<Duration> {
    plain(text, 1_000 * NANOS_PER_MILLI)
}

/// A plain non-negative decimal number of milliseconds.
pub(super) fn millis(text: &str) -> Option<Duration> {
    plain(text, NANOS_PER_MILLI)
}

fn plain(text: &str, unit: u128) -> Option<Duration> {
    match split_number(text.trim())? {
        (number, "") => Some(from_nanos(scaled(number, unit))),
        _ => None,
    }
}

/// A finite, non-negative number of milliseconds.
pub(super) fn millis_from_f64(millis: f64) -> Option<Duration> {
    if !(millis.is_finite() && millis >= 0.0) {
        return None;
    }
    // The conversion from `f64` saturates.
    Some(from_nanos((millis.ceil() as u128).saturating_mul(NANOS_PER_MILLI)))
}

/// Units as Go, Google and the texts of providers write them, with their length in nanoseconds.
#[rustfmt::skip]
const UNITS: [(u128, &[&str]); 7] = [
    (1,                         &["ns"]),
    (1_000,                     &["us", "µs", "μs"]),
    (NANOS_PER_MILLI,           &["ms", "millisecond", "milliseconds", "毫秒"]),
    (1_000 * NANOS_PER_MILLI,      &["s", "sec", "secs", "second", "seconds", "秒", "秒钟"]),
    (60_000 * NANOS_PER_MILLI,     &["m", "min", "mins", "minute", "minutes", "分", "分钟"]),
    (3_600_000 * NANOS_PER_MILLI,  &["h", "hr", "hrs", "hour", "hours", "小时"]),
    (86_400_000 * NANOS_PER_MILLI, &["d", "day", "days", "天"]),
];

fn unit(name: &str) -> Option<u128> {
    UNITS.iter().find(|(_, names)| names.contains(&name)).map(|(nanos, _)| *nanos)
}

/// A duration with units and nothing else: `6m0s`, `120ms`, `34.5s`.
pub(super) fn with_units(text: &str) -> Option<Duration> {
    match leading_with_units(text.trim())? {
        (duration, "") => Some(duration),
        _ => None,
    }
}

/// The duration with units that `text` begins with, and what follows: `6hr 29min. …`, `20 秒后…`. Lower case.
pub(super) fn leading_with_units(text: &str) -> Option<(Duration, &str)> {
    let mut nanos = 0u128;
    let mut rest = text;
    let mut found = false;
    while let Some((number, after)) = split_number(rest.trim_start()) {
        let after = after.trim_start();
        let length =
            after.char_indices().find(|(_, letter)| !letter.is_alphabetic()).map_or(after.len(), |(end, _)| end);
        // In Chinese the next word follows at once ("20秒后"), so shorter names are tried as well.
        let ends = after[..length].char_indices().map(|(start, letter)| start + letter.len_utf8()).take(12);
        let longest = ends.filter_map(|end| Some((end, unit(&after[..end])?))).last();
        let Some((end, unit)) = longest else { break };
        let next = &after[end..];
        if after[..end].is_ascii() && next.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            break;
        }
        nanos = nanos.saturating_add(scaled(number, unit));
        rest = next;
        found = true;
        // More parts may follow ("6hr 29min"), but a number of the next sentence may not.
        if !rest.trim_start_matches(' ').starts_with(|letter: char| letter.is_ascii_digit()) {
            break;
        }
    }
    found.then(|| (from_nanos(nanos), rest))
}

/// How long from `now` until `then`; zero when it is over.
pub(super) fn until(then: SystemTime, now: SystemTime) -> Duration {
    then.duration_since(now).map_or(Duration::ZERO, |wait| from_nanos(wait.as_nanos()))
}

/// Seconds since 1970.
pub(super) fn epoch_seconds(seconds: u64) -> Option<SystemTime> {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// `2026-07-12 04:30:37`.
pub(super) const DATE_TIME_BYTES: usize = 19;

/// A date and time at the start of `text`: RFC 3339, or `2026-07-12 04:30:37` with an optional zone (`Z`, `UTC`,
/// `+08:00`, ` +0800`). Without a zone it is China time: only providers there write it so.
pub(super) fn date_time(text: &str) -> Option<SystemTime> {
    const CHINA: i64 = 8 * 3600;
    let bytes = text.as_bytes();
    let field = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = text.get(range)?;
        digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let separators = [(4, b"--"), (7, b"--"), (10, b"tT"), (13, b"::"), (16, b"::")];
    let well_formed = separators
        .iter()
        .all(|&(at, allowed)| bytes.get(at).is_some_and(|byte| allowed.contains(byte) || (at == 10 && *byte == b' ')));
    let (year, month, day) = (field(0..4)?, field(5..7)?, field(8..10)?);
    let (hour, minute, second) = (field(11..13)?, field(14..16)?, field(17..19)?);
    let in_range = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !(well_formed && in_range) {
        return None;
    }
    let rest = &text[DATE_TIME_BYTES..];
    let fraction = rest.strip_prefix('.').map_or(0, |rest| 1 + rest.bytes().take_while(u8::is_ascii_digit).count());
    let offset = zone(rest[fraction..].trim_start()).unwrap_or(CHINA);
    let seconds = days_since_epoch(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset;
    epoch_seconds(u64::try_from(seconds).ok()?)
}

/// The offset of a zone from UTC, in seconds.
fn zone(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'z' | b'Z' => {
            let alone = !text[1..].starts_with(|letter: char| letter.is_ascii_alphanumeric());
            return alone.then_some(0);
        }
        b'u' | b'U' => return text.get(..3)?.eq_ignore_ascii_case("utc").then_some(0),
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let hours: i64 = digits.get(..2)?.parse().ok()?;
    let minutes: i64 = digits[2..].trim_start_matches(':').get(..2)?.parse().ok()?;
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Days from 1970-01-01 in the Gregorian calendar; years begin in March, so that the leap day ends one.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year / 400, year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Option<Duration> {
        Some(Duration::from_millis(millis))
    }

    #[test]
    fn plain_numbers_round_up_to_milliseconds() {
        for (text, expected) in [
            ("0", ms(0)),
            ("20", ms(20_000)),
            (" 20 ", ms(20_000)),
            ("1.5", ms(1_500)),
            ("1.0001", ms(1_001)),
            ("0.0000000000000000001", ms(1)),
            ("0.99999999999999999999", ms(1_000)),
            ("1.0000000000000000000", ms(1_000)),
            ("99999999999999999999999999999999999999999999999", Some(MAX_DURATION)),
            ("", None),
            ("-1", None),
            ("+1", None),
            ("1e3", None),
            ("1.", None),
            (".5", None),
            ("NaN", None),
            ("5s", None),
            ("120, 120", None),
        ] {
            assert_eq!(seconds(text), expected, "{text:?}");
        }
        assert_eq!(millis("0.2"), ms(1));
        assert_eq!(millis("1500"), ms(1500));
    }

    #[test]
    fn numbers_of_javascript() {
        assert_eq!(millis_from_f64(0.0), ms(0));
        assert_eq!(millis_from_f64(0.2), ms(1));
        assert_eq!(millis_from_f64(1e300), Some(MAX_DURATION));
        for bad in [-1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(millis_from_f64(bad), None);
        }
    }

    #[test]
    fn durations_with_units() {
        for (text, expected) in [
            ("1s", ms(1_000)),
            ("6m0s", ms(360_000)),
            ("120ms", ms(120)),
            ("1h2m3.5s", ms(3_723_500)),
            ("600.5s", ms(600_500)),
            ("34.074824224s", ms(34_075)),
            ("2us", ms(1)),
            ("1d", ms(86_400_000)),
            ("99999999999999999999999999999999999999h", Some(MAX_DURATION)),
            ("20", None),
            ("s", None),
            ("-1s", None),
            ("1 parsec", None),
        ] {
            assert_eq!(with_units(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_duration_ends_where_its_units_end() {
        for (text, expected, rest) in [
            ("6hr 29min. upgrade", 23_340_000, ". upgrade"),
            ("20 秒后重试", 20_000, "后重试"),
            ("5 minutes", 300_000, ""),
            ("7m12s or 3 retries", 432_000, " or 3 retries"),
        ] {
            assert_eq!(leading_with_units(text), Some((Duration::from_millis(expected), rest)), "{text:?}");
        }
    }

    #[test]
    fn dates_with_and_without_a_zone() {
        let at = |seconds| epoch_seconds(seconds);
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", at(0)),
            ("2024-02-29T23:59:59Z", at(1_709_251_199)),
            ("2026-10-21t07:28:00.123Z", at(1_792_567_680)),
            ("2026-10-21T15:28:00+08:00", at(1_792_567_680)),
            ("2026-10-21 15:28:00 +0800 CST", at(1_792_567_680)),
            ("2026-10-21 15:28:00 重置", at(1_792_567_680)),
            ("2026-10-21 07:28:00 UTC", at(1_792_567_680)),
            ("2026-10-21T02:28:00-05:00", at(1_792_567_680)),
            ("2026-10-21T12:58:00+05:30", at(1_792_567_680)),
            ("2026-10-21T21:28:00+1400", at(1_792_567_680)),
            // A zone that is none is as good as no zone: China time.
            ("2026-10-21T15:28:00+14:60", at(1_792_567_680)),
            ("2026-10-21T15:28:00+15:00", at(1_792_567_680)),
            ("2026-10-21 07:28:60Z", at(1_792_567_740)),
            ("2026-10-21 07:28:61Z", None),
            ("2026-10-21 07:60:00Z", None),
            ("2026-10-21 24:00:00Z", None),
            ("2026-13-21 07:28:00", None),
            ("2026 10 21 07:28:00", None),
            ("2026-10-21x07:28:00", None),
            ("1970-01-01 00:00:00", None),
            ("2026-10-21", None),
            ("2026-10-2１ 07:28:00", None),
            ("+026-10-21 07:28:00", None),
        ] {
            assert_eq!(date_time(text), expected, "{text:?}");
        }
    }
}
