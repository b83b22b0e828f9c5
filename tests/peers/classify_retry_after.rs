//! Waits that were read wrongly or not at all.

use std::time::{Duration, SystemTime};

use resilience::classify::{CallError, ErrorFacts, RetryAfterSource, classify};
use serde_json::json;

/// Wed, 21 Oct 2026 07:28:00 GMT.
const SERVER_TIME: Duration = Duration::from_secs(1_792_567_680);

fn throttled(headers: &[(&str, &str)], device_is_ahead: Duration) -> CallError {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let facts = ErrorFacts { status: Some(429), headers, ..Default::default() };
    classify(&facts, SystemTime::UNIX_EPOCH + SERVER_TIME + device_is_ahead)
}

fn millis(error: &CallError) -> Option<u128> {
    error.retry_after.map(|after| after.wait.as_millis())
}

/// E2, of the kind of atlas #229.
#[test]
fn e2_atlas_229_a_wrong_device_clock_does_not_change_the_wait() {
    let headers = [("Date", "Wed, 21 Oct 2026 07:28:00 GMT"), ("Retry-After", "Wed, 21 Oct 2026 07:28:30 GMT")];
    for ahead in [Duration::ZERO, Duration::from_secs(600), Duration::from_secs(3_600 * 24 * 365)] {
        assert_eq!(millis(&throttled(&headers, ahead)), Some(30_000));
    }
}

/// G2: atlas #229, opencodex #4046.
#[test]
fn g2_opencodex_4046_a_date_is_read_with_the_wall_clock_when_nothing_better_is_known() {
    let headers = [("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT")];
    let error = throttled(&headers, Duration::ZERO);
    assert_eq!((millis(&error), error.retry_after.unwrap().source), (Some(30_000), RetryAfterSource::HttpDate));
    assert_eq!(millis(&throttled(&headers, Duration::from_secs(600))), Some(0), "already over");
    let unreadable = [("date", "yesterday"), ("retry-after", "Wed, 21 Oct 2026 07:28:30 GMT")];
    assert_eq!(millis(&throttled(&unreadable, Duration::from_secs(10))), Some(20_000));
}

/// G5: notebooklm-py #1275, restlet-framework-java #1356.
#[test]
fn g5_notebooklm_py_1275_fractions_round_up() {
    for (value, expected) in [("1.5", 1_500), ("0.2", 200), ("1.0004", 1_001), ("3.0", 3_000)] {
        assert_eq!(millis(&throttled(&[("retry-after", value)], Duration::ZERO)), Some(expected), "{value}");
    }
}

/// G6: openai-python and openai-node read it in two ways.
#[test]
fn g6_openai_zero_is_a_wait_of_zero_and_not_none() {
    for value in ["0", "0.0", "00"] {
        assert_eq!(millis(&throttled(&[("retry-after", value)], Duration::ZERO)), Some(0), "{value}");
    }
    assert_eq!(millis(&throttled(&[], Duration::ZERO)), None);
}

/// G8: pi #7134.
#[test]
fn g8_pi_7134_a_wait_in_the_body_counts() {
    let with_body = |body| {
        classify(&ErrorFacts { status: Some(429), body: Some(body), ..Default::default() }, SystemTime::UNIX_EPOCH)
    };
    assert_eq!(millis(&with_body(json!({"retry_after_seconds": 59}))), Some(59_000), "and nothing else in the body");
    assert_eq!(millis(&with_body(json!({"error": {"message": "busy", "retry_after_seconds": 59}}))), Some(59_000));
    assert_eq!(millis(&with_body(json!({"error": {"message": "Please try again in 20s."}}))), Some(20_000));
    assert_eq!(millis(&with_body(json!({"error": {"message": "Please try again in 20 or so."}}))), None);
    let both = ErrorFacts {
        status: Some(429),
        headers: vec![("retry-after".into(), "7".into())],
        body: Some(json!({"retry_after_seconds": 59})),
        ..Default::default()
    };
    assert_eq!(millis(&classify(&both, SystemTime::UNIX_EPOCH)), Some(7_000), "the header wins");
}
