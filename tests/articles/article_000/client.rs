//! The client: breaker first, then retry, then the fallback.

use resilience::breaker::BreakerState::{Closed, Open};
use resilience::client::{CallOptions, NoHooks, OutcomeStatus};
use resilience::mock::MockLlmClient;
use resilience::retry::StopReason;

use super::client;
use crate::support::{FallbackHook, TestHooks, client_config, retry_config, run};
use resilience::clock::ManualClock;

#[test]
fn after_retries_that_succeed_the_text_is_the_models() {
    let clock = ManualClock::new();
    let client = client(&clock, MockLlmClient::failing_first(2), client_config(retry_config(2)), NoHooks);
    assert_eq!(run(&clock, client.chat("hello")).unwrap(), "mock reply");
    assert_eq!((client.used_fallback(), client.last_attempts(), client.inner().calls()), (false, 3, 3));
}

#[test]
fn when_the_retries_are_used_up_the_text_is_the_fallback() {
    let clock = ManualClock::new();
    let client = client(&clock, MockLlmClient::always_failing(), client_config(retry_config(1)), NoHooks);
    assert_eq!(run(&clock, client.chat("hello")).unwrap(), "fallback");
    assert_eq!((client.used_fallback(), client.last_attempts(), client.inner().calls()), (true, 2, 2));
    let outcome = run(&clock, client.execute("hello", CallOptions::default()));
    assert_eq!(outcome.error.unwrap().status, Some(503), "and the cause is known");
}

#[test]
fn an_open_breaker_gives_the_fallback_and_calls_nobody() {
    let clock = ManualClock::new();
    let client = client(&clock, MockLlmClient::failing_first(0), client_config(retry_config(2)), NoHooks);
    while client.breaker().state() == Closed {
        client.breaker().try_acquire().unwrap().failure(Default::default());
    }
    for _ in 0..10 {
        let outcome = run(&clock, client.execute("hello", CallOptions::default()));
        assert_eq!((outcome.text(), outcome.stop_reason), ("fallback", StopReason::CircuitOpen));
        assert_eq!((outcome.attempts(), client.inner().calls()), (0, 0));
    }
}

#[test]
fn each_failed_attempt_counts_at_the_breaker() {
    let clock = ManualClock::new();
    let client = client(&clock, MockLlmClient::always_failing(), client_config(retry_config(2)), NoHooks);
    run(&clock, client.execute("hello", CallOptions::default()));
    assert_eq!((client.breaker().state(), client.breaker().stats().failures), (Open, 3));
}

#[test]
fn a_breaker_that_opens_in_the_middle_ends_the_call() {
    let clock = ManualClock::new();
    let client = client(&clock, MockLlmClient::always_failing(), client_config(retry_config(50)), NoHooks);
    let outcome = run(&clock, client.execute("hello", CallOptions::default()));
    assert_eq!((outcome.stop_reason, outcome.attempts(), client.inner().calls()), (StopReason::CircuitOpen, 3, 3));
}

#[test]
fn used_fallback_and_last_attempts_are_those_of_one_call() {
    let clock = ManualClock::new();
    let client = client(&clock, MockLlmClient::failing_first(2), client_config(retry_config(1)), NoHooks);
    assert_eq!((client.used_fallback(), client.last_attempts()), (false, 0));
    run(&clock, client.chat("one")).unwrap();
    assert_eq!((client.used_fallback(), client.last_attempts()), (true, 2));
    run(&clock, client.chat("two")).unwrap();
    assert_eq!((client.used_fallback(), client.last_attempts()), (false, 1), "not for ever");
}

#[test]
fn on_retry_tells_attempt_and_wait_before_it_is_waited() {
    let clock = ManualClock::new();
    let hooks = TestHooks::new(FallbackHook::Text("sorry"));
    let client = client(&clock, MockLlmClient::failing_first(2), client_config(retry_config(2)), &hooks);
    let outcome = run(&clock, client.execute("hello", CallOptions::default()));
    assert_eq!(*hooks.retries.lock().unwrap(), [(1, 100), (2, 200)]);
    let traced: Vec<_> =
        outcome.trace.iter().filter_map(|attempt| attempt.delay).map(|wait| wait.as_millis()).collect();
    assert_eq!((outcome.status, traced), (OutcomeStatus::Ok, vec![100, 200]));
}
