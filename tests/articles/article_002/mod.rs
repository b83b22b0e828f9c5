//! Article 002: retry, breaker and fallback chain for third-party LLM services.

use std::time::Duration;

use resilience::backoff::{BackoffConfig, Jitter};
use resilience::breaker::BreakerState;
use resilience::classify::ErrorClass;
use resilience::client::{Accounting, CallOptions, OutcomeStatus};
use resilience::retry::StopReason;

use crate::support::{Reply, TestChain, ms, run, throttled};

/// The article's own figures: 3 attempts, 15 s each, waits of 2^attempt · 500 ms + [0, 300) ms, a breaker that opens
/// after 4 failed calls for 60 s.
fn article(scripts: impl IntoIterator<Item = Vec<Reply>>) -> TestChain {
    TestChain::with(2, scripts, |config, breaker, _| {
        config.client.retry.attempt_timeout = ms(15_000);
        config.client.retry.deadline = ms(300_000);
        let jitter = Jitter::Additive { max: ms(300) };
        config.client.retry.backoff = BackoffConfig { base: ms(1_000), jitter, ..BackoffConfig::default() };
        config.client.accounting = Accounting::Call;
        (breaker.failure_threshold, breaker.cooldown) = (4, ms(60_000));
    })
}

fn failing() -> Vec<Reply> {
    vec![Reply::fail()]
}

fn healthy() -> Vec<Reply> {
    vec![Reply::ok()]
}

#[test]
fn the_primary_answers_and_is_named() {
    let test = article([healthy(), healthy()]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.provider.as_deref(), outcome.degraded(), test.calls()), (Some("a"), false, vec![1, 0]));
}

#[test]
fn a_fault_that_passes_is_mended_by_retries_of_the_primary() {
    let test = article([vec![Reply::fail(), Reply::fail(), Reply::ok()], healthy()]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.provider.as_deref(), outcome.degraded(), test.calls()), (Some("a"), false, vec![3, 0]));
}

#[test]
fn waits_are_exponential_plus_additive_jitter() {
    let test = article([vec![Reply::fail(), Reply::fail(), Reply::ok()]]);
    run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    // The jitter of these tests is its middle: 150 ms.
    assert_eq!(test.called_at(0), [0, 1_150, 1_150 + 2_150]);
}

#[test]
fn an_attempt_ends_at_its_timeout() {
    let test = article([vec![Reply::hang()], healthy()]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!(outcome.trace[0].class, Some(ErrorClass::Timeout));
    assert_eq!(test.called_at(1), [3 * 15_000 + 1_150 + 2_150]);
}

#[test]
fn when_the_primary_fails_for_good_the_next_model_answers_and_the_answer_says_so() {
    let test = article([failing(), failing(), healthy()]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.provider.as_deref(), outcome.degraded()), (Some("c"), true));
    assert_eq!(test.calls(), [3, 3, 1], "each of the chain has its retries");
    let reasons: Vec<_> = outcome.passed_over.iter().map(|one| (&*one.provider, one.cause)).collect();
    assert_eq!(reasons, [("a", Some(ErrorClass::Overloaded)), ("b", Some(ErrorClass::Overloaded))]);
}

#[test]
fn an_open_breaker_sends_calls_to_the_next_model_without_a_wait() {
    let test = article([failing(), healthy()]);
    for _ in 0..4 {
        run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    }
    assert_eq!((test.calls()[0], test.breakers[0].state()), (12, BreakerState::Open));
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.provider.as_deref(), outcome.elapsed, test.calls()[0]), (Some("b"), Duration::ZERO, 12));
    assert_eq!(outcome.passed_over[0].stop_reason, StopReason::CircuitOpen);
}

#[test]
fn after_the_window_one_probe_goes_to_the_primary_and_success_closes_the_breaker() {
    let script = [vec![Reply::fail(); 12], healthy()].concat();
    let test = article([script, healthy()]);
    for _ in 0..4 {
        run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    }
    test.clock.advance(ms(60_000));
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.provider.as_deref(), test.breakers[0].state()), (Some("a"), BreakerState::Closed));
    assert!(outcome.trace[0].probe);
}

#[test]
fn when_all_fail_the_error_names_each_and_its_last_error() {
    let test = article([failing(), vec![Reply::error(throttled(999_000))]]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.status, outcome.provider.as_deref()), (OutcomeStatus::Fallback, None));
    assert_eq!(outcome.summary(), "a: 503 Service Unavailable; b: 429 Too Many Requests");
    assert!(outcome.degraded());
}

#[test]
fn a_retry_after_is_strictly_kept() {
    let test = article([vec![Reply::error(throttled(30_000)), Reply::ok()], healthy()]);
    run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    test.to(29_999);
    run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!(test.called_at(0), [0]);
}
