use resilience::breaker::{BreakerState, FailureReport, WindowConfig, WindowSpan};

use super::article;
use crate::support::TestBreaker;

#[test]
fn five_failures_in_a_row_open_it() {
    let breaker = TestBreaker::with(article);
    (0..4).for_each(|_| breaker.fail());
    assert_eq!(breaker.state(), BreakerState::Closed);
    breaker.fail();
    assert_eq!(breaker.state(), BreakerState::Open);
}

#[test]
fn while_open_no_call_goes_out_and_the_rejection_comes_at_once() {
    let breaker = TestBreaker::with(article);
    breaker.open();
    assert!((0..30).all(|second| breaker.at(second * 1_000).rejects()), "30 s long");
    assert_eq!(breaker.stats().rejected, 30);
}

#[test]
fn after_the_window_one_call_probes_and_its_success_closes() {
    let breaker = TestBreaker::with(article);
    breaker.open();
    let probe = breaker.at(30_000).admit();
    assert!(breaker.rejects(), "all others are rejected");
    assert_eq!(breaker.state(), BreakerState::HalfOpen);
    probe.success();
    assert_eq!((breaker.state(), breaker.consecutive_failures()), (BreakerState::Closed, 0));
}

#[test]
fn a_probe_that_fails_opens_it_for_another_window() {
    let breaker = TestBreaker::with(article);
    breaker.open();
    breaker.at(30_000).admit().failure(FailureReport::default());
    assert!(breaker.at(59_999).rejects());
    breaker.at(60_000).admit().success();
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn a_success_between_failures_starts_the_count_again() {
    let breaker = TestBreaker::with(article);
    for _ in 0..10 {
        (0..4).for_each(|_| breaker.fail());
        breaker.ok();
    }
    assert_eq!(breaker.state(), BreakerState::Closed);
}

/// One failure of three calls is 33 %: of a service that is asked a few times an hour, a rate says nothing.
#[test]
fn a_failure_rate_over_few_calls_opens_where_a_count_in_a_row_does_not() {
    let by_rate = TestBreaker::with(|config| {
        article(config);
        let span = WindowSpan::Calls(10);
        let window = WindowConfig { span, minimum_calls: 3, failure_rate: Some(0.3), ..Default::default() };
        config.window = Some(window);
    });
    let in_a_row = TestBreaker::with(article);
    for breaker in [&by_rate, &in_a_row] {
        breaker.ok();
        breaker.fail();
        breaker.ok();
    }
    assert_eq!((by_rate.state(), in_a_row.state()), (BreakerState::Open, BreakerState::Closed));
}

#[test]
fn each_outside_service_has_a_breaker_of_its_own() {
    let (reranker, web_search) = (TestBreaker::with(article), TestBreaker::with(article));
    reranker.open();
    assert_eq!(web_search.state(), BreakerState::Closed);
    web_search.ok();
}
