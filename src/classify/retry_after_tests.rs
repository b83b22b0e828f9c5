//! Tests of waits: grammar, order, limits.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::RetryAfterSource::*;
use super::*;
use crate::MAX_DURATION;

/// Wed, 21 Oct 2026 07:28:00 GMT.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_792_567_680)
}

fn facts(status: u16, headers: &[(&str, &str)]) -> ErrorFacts {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ErrorFacts { status: Some(status), headers, ..Default::default() }
}

fn read(facts: &ErrorFacts) -> Option<(u64, RetryAfterSource)> {
    classify(facts, now()).retry_after.map(|after| (after.wait.as_millis() as u64, after.source))
}

fn with_headers(headers: &[(&str, &str)]) -> Option<(u64, RetryAfterSource)> {
    read(&facts(429, headers))
}

fn with_body(body: Value) -> Option<(u64, RetryAfterSource)> {
    read(&ErrorFacts { body: Some(body), ..facts(429, &[]) })
}

fn with_message(message: &str) -> Option<(u64, RetryAfterSource)> {
    read(&ErrorFacts { message: message.to_owned(), ..facts(429, &[]) })
}

#[test]
fn seconds_of_the_header() {
    for (value, expected) in [
        ("20", Some(20_000)),
        ("0", Some(0)),
        ("1.5", Some(1_500)),
        ("0.0001", Some(1)),
        (" 7 ", Some(7_000)),
        ("2592000", Some(2_592_000_000)),
        ("99999999999999999999999999", Some(MAX_DURATION.as_millis() as u64)),
    ] {
        assert_eq!(with_headers(&[("Retry-After", value)]), expected.map(|wait| (wait, Seconds)), "{value}");
    }
}

#[test]
fn the_three_forms_of_a_date() {
    for date in ["Wed, 21 Oct 2026 07:28:30 GMT", "Wednesday, 21-Oct-26 07:28:30 GMT", "Wed Oct 21 07:28:30 2026"] {
        assert_eq!(with_headers(&[("retry-after", date)]), Some((30_000, HttpDate)), "{date}");
    }
    assert_eq!(with_headers(&[("retry-after", "Wed, 21 Oct 2026 07:27:00 GMT")]), Some((0, HttpDate)), "already over");
    assert_eq!(
        with_headers(&[("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT")]),
        Some((MAX_DURATION.as_millis() as u64, HttpDate))
    );
}

#[test]
fn a_malformed_value_is_ignored_and_kept() {
    for value in [
        "-1",
        "+1",
        "soon",
        "NaN",
        "Infinity",
        "1e3",
        "0x10",
        "1.",
        "20s",
        "120, 120",
        "Wed, 99 Oct 2026 07:28:30 GMT",
        "",
    ] {
        let error = classify(&facts(429, &[("retry-after", value)]), now());
        assert_eq!((error.retry_after, error.retry_after_malformed.as_deref()), (None, Some(value)));
    }
    let long = "é".repeat(1000);
    let kept = classify(&facts(429, &[("retry-after", &long)]), now()).retry_after_malformed.unwrap();
    assert!(kept.len() <= MAX_CODE_BYTES && long.starts_with(&kept));
}

#[test]
fn the_next_source_serves_when_one_is_malformed() {
    let error = classify(&facts(429, &[("retry-after-ms", "soon"), ("retry-after", "3")]), now());
    assert_eq!(error.retry_after, Some(RetryAfter { wait: Duration::from_secs(3), source: Seconds }));
    assert_eq!(error.retry_after_malformed.as_deref(), Some("soon"));
}

#[test]
fn sources_win_in_this_order() {
    let headers = [("retry-after-ms", "2000"), ("retry-after", "3"), ("x-ratelimit-reset-tokens", "5s")];
    let body = json!({"error": {"message": "try again in 6s", "retry_after_seconds": 4}});
    let mut facts = ErrorFacts { retry_after_ms: Some(1000.0), body: Some(body), ..facts(429, &headers) };
    assert_eq!(read(&facts), Some((1000, Explicit)));
    facts.retry_after_ms = None;
    assert_eq!(read(&facts), Some((2000, RetryAfterMs)));
    facts.headers.remove(0);
    assert_eq!(read(&facts), Some((3000, Seconds)));
    facts.headers.remove(0);
    assert_eq!(read(&facts), Some((4000, Body)));
    facts.body = Some(json!({"error": {"message": "try again in 6s"}}));
    assert_eq!(read(&facts), Some((5000, RateLimitReset)));
    facts.headers.clear();
    assert_eq!(read(&facts), Some((6000, Message)));
    facts.body = None;
    assert_eq!(read(&facts), None);
}

#[test]
fn what_the_client_says() {
    let with = |millis| classify(&ErrorFacts { retry_after_ms: Some(millis), ..facts(503, &[]) }, now());
    assert_eq!(with(0.0).retry_after.unwrap().wait, Duration::ZERO);
    assert_eq!(with(1.2).retry_after.unwrap().wait, Duration::from_millis(2));
    assert_eq!(with(1e300).retry_after.unwrap().wait, MAX_DURATION);
    for (bad, raw) in [(-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let error = with(bad);
        assert_eq!((error.retry_after, error.retry_after_malformed.as_deref()), (None, Some(raw)));
    }
}

#[test]
fn fields_of_the_body() {
    for (body, expected) in [
        (json!({"retry_after_seconds": 59, "error": "too fast"}), Some(59_000)),
        (json!({"error": {"message": "m", "retry_after_seconds": "59"}}), Some(59_000)),
        (json!({"error": {"message": "m", "retry_after": 1.5}}), Some(1_500)),
        (json!({"error": {"message": "m", "retry_after_ms": 250}}), Some(250)),
        (json!({"error": {"message": "m", "resets_in_seconds": 3600}}), Some(3_600_000)),
        (json!({"error": {"message": "m", "resets_at": 1_792_567_690}}), Some(10_000)),
        (json!({"error": {"message": "m", "resets_at": u64::MAX}}), None),
        (json!({"error": {"message": "m", "metadata": {"retry_after": 2}}}), Some(2_000)),
        (json!({"error": {"message": "m", "retry_after": -1}}), None),
        (json!({"error": {"message": "m", "retry_after": null}}), None),
        (json!({"error": {"message": "m", "retry_after": 1e300}}), Some(MAX_DURATION.as_millis() as u64)),
        (json!({"error": {"message": "m", "retry_after": "soon"}}), None),
    ] {
        assert_eq!(with_body(body.clone()), expected.map(|wait| (wait, Body)), "{body}");
    }
    let retry_info = |delay: &str| json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [{"@type": "…RetryInfo", "retryDelay": delay}]}});
    assert_eq!(with_body(retry_info("34s")), Some((34_000, Body)));
    assert_eq!(with_body(retry_info("600.5s")), Some((600_500, Body)));
    assert_eq!(with_body(retry_info("34")), None);
}

#[test]
fn limits_that_are_used_up() {
    let requests = [("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "6m0s")];
    let tokens = |left| [("x-ratelimit-remaining-tokens", left), ("x-ratelimit-reset-tokens", "120ms")];
    let both = |left| [requests, tokens(left)].concat();
    assert_eq!(with_headers(&tokens("0")), Some((120, RateLimitReset)));
    assert_eq!(with_headers(&tokens("500")), None, "something is left: not the cause");
    assert_eq!(with_headers(&both("0")), Some((360_000, RateLimitReset)), "the later one");
    assert_eq!(with_headers(&[("x-ratelimit-reset-tokens", "120ms")]), Some((120, RateLimitReset)));
    assert_eq!(read(&facts(503, &tokens("0"))), None, "only with 429");
    let quota = ErrorFacts { body: Some(json!({"error": {"code": "insufficient_quota"}})), ..facts(429, &tokens("0")) };
    assert_eq!(read(&quota), None, "money does not come back with the minute");
}

#[test]
fn limits_of_anthropic() {
    let limit = |left| {
        [("anthropic-ratelimit-tokens-remaining", left), ("anthropic-ratelimit-tokens-reset", "2026-10-21T07:28:05Z")]
    };
    assert_eq!(with_headers(&limit("0")), Some((5_000, RateLimitReset)));
    assert_eq!(with_headers(&limit("10")), None);
    let unified =
        |status| [("anthropic-ratelimit-unified-status", status), ("anthropic-ratelimit-unified-reset", "1792571280")];
    assert_eq!(with_headers(&unified("rejected")), Some((3_600_000, RateLimitReset)));
    assert_eq!(with_headers(&unified("allowed")), None);
}

#[test]
fn words_count_when_they_parse_strictly() {
    for (message, expected) in [
        ("Please try again in 20s.", Some(20_000)),
        ("Please try again in 7m12s, or later", Some(432_000)),
        ("Please retry after 7 seconds", Some(7_000)),
        ("please try again after 1 minutes", Some(60_000)),
        ("Retry in 34.074824224s", Some(34_075)),
        ("请在 20 秒后重试", Some(20_000)),
        ("请在20秒后重试", Some(20_000)),
        ("try again in 20", None),
        ("try again in a moment", None),
        ("try again in -5s", None),
        ("try again in 5 parsecs", None),
        ("in 20s", None),
        ("Please wait 20s.", Some(20_000)),
        ("await 20s", None),
        ("a preset in 20s", None),
        ("Retry after a pause. Retry after 5s.", Some(5_000)),
    ] {
        assert_eq!(with_message(message), expected.map(|wait| (wait, Message)), "{message}");
    }
    let bug = ErrorFacts { message: "try again in 20s".into(), name: Some("TypeError".into()), ..Default::default() };
    assert_eq!(read(&bug), None, "a client that is broken stays so");
}

#[test]
fn words_count_where_providers_write_a_wait() {
    for (status, expected) in
        [(429, true), (503, true), (529, true), (402, true), (500, false), (504, false), (408, false)]
    {
        let facts = ErrorFacts { message: "please wait 20s".into(), ..facts(status, &[]) };
        assert_eq!(read(&facts), expected.then_some((20_000, Message)), "{status}");
    }
    let unknown = ErrorFacts { message: "please wait 20s".into(), ..Default::default() };
    assert_eq!(read(&unknown), None);
}

#[test]
fn a_long_wait_in_words_is_ignored_and_kept() {
    for (message, expected, ignored) in [
        ("please wait 10 minutes", Some(600_000), None),
        ("please wait 601s", None, Some("wait 601s")),
        ("prompt: \"please wait 9000h\", she said", None, Some("wait 9000h")),
        ("Retry after 99999999999999999999999h", None, Some("retry after 99999999999999999999999h")),
        ("resets in 11 min", None, Some("resets in 11 min")),
        ("reset at 2026-10-21 15:38:00", Some(600_000), None),
        // Only class quota knows longer ones, and no wait but for the allowance.
        ("Weekly limit, resets in 6hr 29min.", Some(23_340_000), None),
        ("Weekly limit, resets in 31 days", Some(2_678_400_000), None),
        ("Weekly limit, resets in 32 days", None, Some("resets in 32 days")),
        ("Weekly limit, reset at 9999-12-31 23:59:59!", None, Some("reset at 9999-12-31 23:59:59")),
        ("Weekly limit, try again in 11 min", None, Some("try again in 11 min")),
    ] {
        let error = classify(&ErrorFacts { message: message.to_owned(), ..facts(429, &[]) }, now());
        let wait = error.retry_after.map(|after| after.wait.as_millis());
        assert_eq!((wait, error.retry_after_malformed.as_deref()), (expected, ignored), "{message}");
    }
}

#[test]
fn a_wait_serves_with_any_status() {
    for status in [402, 403, 408, 429, 500, 503, 529] {
        assert_eq!(read(&facts(status, &[("retry-after", "2")])), Some((2_000, Seconds)), "{status}");
    }
}
