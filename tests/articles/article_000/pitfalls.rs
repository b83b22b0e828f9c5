//! The six mistakes that the article warns of.

use std::collections::BTreeSet;

use resilience::backoff::BackoffConfig;
use resilience::breaker::BreakerState::{HalfOpen, Open};
use resilience::classify::{CallError, ErrorClass, ErrorFacts, classify};
use resilience::client::{CallOptions, Failure, Locale, NoHooks, OutcomeStatus};
use resilience::clock::ManualClock;
use resilience::mock::MockLlmClient;
use resilience::random::SeededRng;
use resilience::retry::{RetryConfig, StopReason};

use super::client;
use crate::support::{Reply, TestBreaker, client_config, join_all, ms, retry_config, run};

#[test]
fn pitfall_1_what_can_not_get_better_is_not_retried() {
    for (status, class) in [(400, ErrorClass::BadRequest), (401, ErrorClass::Auth), (403, ErrorClass::Auth)] {
        let facts = ErrorFacts { status: Some(status), ..ErrorFacts::default() };
        let error = classify(&facts, std::time::SystemTime::UNIX_EPOCH);
        assert_eq!((error.class, error.is_retryable()), (class, false));
        let clock = ManualClock::new();
        let mock = MockLlmClient::always_failing().with_error(error.clone());
        let client = client(&clock, mock, client_config(retry_config(5)), NoHooks);
        assert_eq!(run(&clock, client.chat("hello")), Err(error), "thrown at once");
        assert_eq!(client.inner().calls(), 1);
    }
    for class in [ErrorClass::Timeout, ErrorClass::Server, ErrorClass::Interrupted, ErrorClass::Connect] {
        let clock = ManualClock::new();
        let mock = MockLlmClient::failing_first(1).with_error(CallError::new(class, "once"));
        let client = client(&clock, mock, client_config(retry_config(5)), NoHooks);
        assert_eq!(run(&clock, client.chat("hello")).unwrap(), "mock reply");
        assert_eq!(client.inner().calls(), 2, "{class}");
    }
}

#[test]
fn pitfall_2_a_hundred_devices_do_not_come_back_together() {
    let backoff = BackoffConfig::default().build().unwrap();
    let waits = (0..100).map(|device| backoff.delays().next(&backoff, &SeededRng::new(device)));
    let different: BTreeSet<_> = waits.collect();
    assert!(different.len() > 80, "{} different waits", different.len());
}

#[test]
fn pitfall_3_one_layer_retries() {
    // What one call costs is bounded by one number, whatever goes wrong.
    for retries in 0..5 {
        let breaker = TestBreaker::with(|config| config.failure_threshold = u32::MAX);
        let client = crate::support::client(&breaker, retry_config(retries), [Reply::fail()]);
        run(&breaker.clock, client.execute("hello", CallOptions::default()));
        assert_eq!(client.inner().calls(), retries as usize + 1);
    }
}

#[test]
fn pitfall_4_failed_retries_count_too() {
    // Only first failures counted: one. All counted: three, the threshold.
    let clock = ManualClock::new();
    let client = client(&clock, MockLlmClient::always_failing(), client_config(retry_config(2)), NoHooks);
    run(&clock, client.execute("hello", CallOptions::default()));
    assert_eq!(client.breaker().state(), Open);
}

#[test]
fn pitfall_5_half_open_lets_one_probe_through() {
    let breaker = TestBreaker::new();
    breaker.open();
    breaker.at(1_000);
    let client = crate::support::client(&breaker, retry_config(2), [Reply::ok().after(500)]);
    let calls = (0..50).map(|_| client.execute("hello", CallOptions::default()));
    let outcomes = run(&breaker.clock, join_all(calls));
    let rejected = outcomes.iter().filter(|outcome| outcome.stop_reason == StopReason::CircuitOpen).count();
    assert_eq!((rejected, client.inner().calls()), (49, 1));
}

#[test]
fn pitfall_5_the_probe_is_not_retried() {
    let breaker = TestBreaker::new();
    breaker.open();
    breaker.at(1_000);
    let unsure = CallError { retryable: Some(true), ..CallError::new(ErrorClass::ModelNotFound, "not loaded yet") };
    for (reply, state) in [(Reply::error(unsure), HalfOpen), (Reply::fail(), Open)] {
        let client = crate::support::client(&breaker, retry_config(5), [reply]);
        let outcome = run(&breaker.clock, client.execute("hello", CallOptions::default()));
        assert_eq!((client.inner().calls(), outcome.stop_reason), (1, StopReason::CircuitOpen));
        assert!(outcome.trace[0].probe);
        assert_eq!(breaker.state(), state);
    }
}

#[test]
fn pitfall_6_the_fallback_says_what_happened_and_what_to_do() {
    let errors = ErrorClass::ALL.map(|class| Some(CallError::new(class, "")));
    for error in errors.iter().chain([&None]) {
        for retry_after in [None, Some(ms(4_200)), Some(ms(86_400_000)), Some(std::time::Duration::MAX)] {
            let cause = error.as_ref().map(|error| error.class);
            let failure = Failure { stop_reason: StopReason::Attempts, error: error.as_ref(), cause, retry_after };
            let english = Locale::English.text(&failure);
            assert!(english.contains("temporarily unavailable") && english.contains("Please "), "{english}");
            let chinese = Locale::Chinese.text(&failure);
            assert!(chinese.contains("暂时不可用") && chinese.contains('请'), "{chinese}");
            assert_eq!(english.contains("5 seconds"), chinese.contains("5 秒"), "{english} {chinese}");
        }
    }
}

#[test]
fn pitfall_6_the_user_reads_it_without_anyone_asking_for_it() {
    let clock = ManualClock::new();
    let retry = RetryConfig { max_retries: 0, ..RetryConfig::default() };
    let config = resilience::client::ClientConfig { retry, ..Default::default() };
    let client = client(&clock, MockLlmClient::always_failing(), config, NoHooks);
    let outcome = run(&clock, client.execute("hello", CallOptions::default()));
    assert_eq!(outcome.status, OutcomeStatus::Fallback);
    assert_eq!(outcome.text(), "智能助手暂时不可用：服务繁忙或正在维护。请稍后重试，或联系人工客服。");
}
