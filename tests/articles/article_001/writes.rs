use resilience::classify::{CallError, ErrorClass};
use resilience::client::Attempt;
use resilience::clock::ManualClock;
use resilience::request::{RequestConfig, RequestOptions, RetryOutcome, request_with_retry};
use resilience::retry::StopReason;

use super::request;
use crate::support::run;

#[test]
fn a_write_is_retried_once_or_twice_at_most_and_less_often_than_a_read() {
    let retries = |config: RequestConfig| request(&[503], config).1.len() - 1;
    assert!((1..=2).contains(&retries(RequestConfig::write())));
    assert!(retries(RequestConfig::write()) < retries(RequestConfig::read()));
}

#[test]
fn a_write_that_may_have_been_done_is_given_up_rather_than_done_twice() {
    for status in [500, 502, 504, 524] {
        let (result, asked_at) = request(&[status, 200], RequestConfig::write());
        assert_eq!((result.outcome, result.stop_reason), (RetryOutcome::GivenUp, StopReason::NotRetryable), "{status}");
        assert_eq!(asked_at.len(), 1);
        assert!(result.error.unwrap().maybe_billed);
    }
    for class in [ErrorClass::Interrupted, ErrorClass::Timeout, ErrorClass::Unknown] {
        assert_eq!(attempts_of_a_write(class), (RetryOutcome::GivenUp, 1), "{class}");
    }
}

#[test]
fn a_write_that_was_not_begun_is_sent_again() {
    let (result, _) = request(&[503, 200], RequestConfig::write());
    assert_eq!(result.outcome, RetryOutcome::Success);
    for class in [ErrorClass::Connect, ErrorClass::Offline] {
        assert_eq!(attempts_of_a_write(class), (RetryOutcome::GivenUp, 2), "{class}");
    }
}

fn attempts_of_a_write(class: ErrorClass) -> (RetryOutcome, usize) {
    let clock = ManualClock::new();
    let post = |_: &Attempt<'_>| std::future::ready(Err::<u16, _>(CallError::new(class, "")));
    let started = request_with_retry(post, RequestConfig::write(), clock.clone(), RequestOptions::default());
    let result = run(&clock, started.unwrap().1);
    (result.outcome, result.trace.requests.len())
}
