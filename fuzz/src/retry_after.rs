//! Waits that a service asks for: as they come, and in the plain forms, written here and read there.
//!
//! The first three lines of an input are the value of `retry-after`, that of `date`, and the message.

use std::time::{Duration, SystemTime};

use arbitrary::{Result, Unstructured};
use resilience::MAX_DURATION;
use resilience::classify::{CallError, ErrorFacts, RetryAfterSource, classify};

pub fn run(data: &[u8]) {
    as_it_comes(&String::from_utf8_lossy(data));
    // Ends where the bytes do.
    let _ = plain_forms(&mut Unstructured::new(data));
}

/// Wed, 21 Oct 2026 07:28:00 GMT.
const NOW: u64 = 1_792_567_680;
const MILLI: u128 = 1_000_000;

fn judged(headers: &[(&str, &str)], message: &str, now: u64) -> CallError {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let facts = ErrorFacts { status: Some(429), message: message.to_owned(), headers, ..Default::default() };
    let error = classify(&facts, SystemTime::UNIX_EPOCH + Duration::from_secs(now));
    if let Some(found) = error.retry_after {
        assert!(found.wait <= MAX_DURATION, "{found:?}");
        assert_eq!(found.wait.as_nanos() % MILLI, 0, "{found:?}");
    }
    error
}

fn as_it_comes(text: &str) {
    let mut lines = text.splitn(3, '\n');
    let mut line = || lines.next().unwrap_or_default();
    let (value, date, message) = (line(), line(), line());
    let error = judged(&[("retry-after", value), ("date", date)], message, NOW);
    let source = error.retry_after.map(|found| found.source);
    if let Some(expected) = seconds(value.trim()) {
        assert_eq!(source, Some(RetryAfterSource::Seconds), "{value}");
        assert_eq!(error.retry_after.map(|found| found.wait), Some(expected), "{value}");
    } else if !value.contains(':') {
        // Neither a number nor a date: it is passed over, and kept for whoever looks for it.
        assert!(!matches!(source, Some(RetryAfterSource::Seconds | RetryAfterSource::HttpDate)), "{value}");
        let kept = error.retry_after_malformed.unwrap_or_else(|| panic!("{value:?} is not kept"));
        assert!(value.starts_with(&kept), "{kept}");
    }
}

/// `digits` or `digits.digits`, rounded up to milliseconds, as plainly as it can be said.
fn seconds(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |part: &str| !part.is_empty() && part.chars().all(|letter| letter.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    if whole.len() > 9 {
        return Some(MAX_DURATION);
    }
    let millis: String = fraction.chars().chain("000".chars()).take(3).collect();
    let rest = fraction.chars().skip(3).any(|digit| digit != '0');
    let number = |digits: &str| format!("0{digits}").parse::<u64>().expect("a few digits");
    Some(Duration::from_millis(number(whole) * 1_000 + number(&millis) + u64::from(rest)).min(MAX_DURATION))
}

fn plain_forms(input: &mut Unstructured<'_>) -> Result<()> {
    const DAY: u64 = 86_400;
    // RFC 850 has two digits for the year: 1970 to 2069.
    let (then, now) = (input.int_in_range(0..=36_523 * DAY)?, input.int_in_range(0..=36_523 * DAY)?);
    let wait = |millis: u64| Duration::from_millis(millis).min(MAX_DURATION);
    let until = wait(then.saturating_sub(now) * 1_000);
    let (forms, now_forms) = (Date::of(then).forms(), Date::of(now).forms());
    let (form, now_form) = (input.choose(&forms)?, input.choose(&now_forms)?);
    // The clock of the service goes before that of the device.
    let error = judged(&[("Retry-After", form), ("Date", now_form)], "", NOW);
    let found = error.retry_after.map(|found| (found.wait, found.source));
    assert_eq!(found, Some((until, RetryAfterSource::HttpDate)), "{form}, now {now_form}");
    assert_eq!(judged(&[("Retry-After", form)], "", now).retry_after, error.retry_after, "{form}");

    let millis: u32 = input.arbitrary()?;
    let error = judged(&[("retry-after-ms", &millis.to_string()), ("retry-after", "1")], "", now);
    let found = error.retry_after.map(|found| (found.wait, found.source));
    assert_eq!(found, Some((wait(millis.into()), RetryAfterSource::RetryAfterMs)));

    let (minutes, seconds) = (input.int_in_range(0..=20)?, input.int_in_range(0..=99)?);
    let (said, whole) = (wait(1_000 * (60 * minutes + seconds)), 60 * minutes + seconds);
    let message = match input.int_in_range(0..=4)? {
        0 => format!("Limit reached. Please try again in {minutes}m{seconds}s."),
        1 => format!("please wait {minutes} min {seconds} sec, then go on"),
        2 => format!("请在 {minutes} 分钟 {seconds} 秒后重试"),
        3 => format!("请在{whole}秒后重试"),
        _ => format!("retry after {whole} seconds"),
    };
    let error = judged(&[], &message, now);
    // Ten minutes at the most are believed when only words say it.
    let believed = (said <= Duration::from_secs(600)).then_some((said, RetryAfterSource::Message));
    assert_eq!(error.retry_after.map(|found| (found.wait, found.source)), believed, "{message}");
    assert_eq!(error.retry_after_malformed.is_some(), believed.is_none(), "{message}");
    let reset = format!("{minutes}m{seconds}s");
    let limit = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", reset.as_str())];
    let found = judged(&limit, "", now).retry_after.map(|found| (found.wait, found.source));
    assert_eq!(found, Some((said, RetryAfterSource::RateLimitReset)));
    Ok(())
}

/// A moment in the Gregorian calendar, found by counting years and months.
struct Date {
    year: u64,
    month: usize,
    day: u64,
    weekday: usize,
    time: String,
}

const MONTHS: [(&str, u64); 12] = [
    ("Jan", 31),
    ("Feb", 28),
    ("Mar", 31),
    ("Apr", 30),
    ("May", 31),
    ("Jun", 30),
    ("Jul", 31),
    ("Aug", 31),
    ("Sep", 30),
    ("Oct", 31),
    ("Nov", 30),
    ("Dec", 31),
];
const WEEKDAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

impl Date {
    fn of(seconds: u64) -> Self {
        let (days, second) = (seconds / 86_400, seconds % 86_400);
        let (mut year, mut month, mut left) = (1970, 0, days);
        // Up to 2069 each fourth year is a leap year.
        let length = |year: u64, month: usize| MONTHS[month].1 + u64::from(month == 1 && year.is_multiple_of(4));
        while left >= length(year, month) {
            left -= length(year, month);
            (year, month) = if month == 11 { (year + 1, 0) } else { (year, month + 1) };
        }
        let time = format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60);
        Self { year, month, day: left + 1, weekday: (days % 7) as usize, time }
    }

    /// The three of RFC 9110 section 5.6.7.
    fn forms(&self) -> [String; 3] {
        let Self { year, day, time, .. } = self;
        let (month, weekday) = (MONTHS[self.month].0, WEEKDAYS[self.weekday]);
        let short = &weekday[..3];
        [
            format!("{short}, {day:02} {month} {year} {time} GMT"),
            format!("{weekday}, {day:02}-{month}-{:02} {time} GMT", year % 100),
            format!("{short} {month} {day:2} {time} {year}"),
        ]
    }
}
