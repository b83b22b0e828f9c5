//! The two buttons of the article's page.

use resilience::backoff::{BackoffConfig, Jitter};
use resilience::breaker::BreakerState::{Closed, Open};
use resilience::client::CallOptions;
use resilience::clock::ManualClock;
use resilience::mock::MockLlmClient;
use resilience::retry::RetryConfig;

use super::client;
use crate::support::{FallbackHook, TestHooks, client_config, ms, retry_config, run};

#[test]
fn button_1_fails_twice_and_then_succeeds() {
    let clock = ManualClock::new();
    let hooks = TestHooks::new(FallbackHook::Text("sorry"));
    let backoff = BackoffConfig { base: ms(200), jitter: Jitter::MULTIPLICATIVE, ..BackoffConfig::default() };
    let retry = RetryConfig { backoff, ..retry_config(2) };
    let client = client(&clock, MockLlmClient::failing_first(2), client_config(retry), &hooks);
    assert_eq!(run(&clock, client.chat("hello")).unwrap(), "mock reply");
    let waits: Vec<u64> = hooks.retries.lock().unwrap().iter().map(|retry| retry.1).collect();
    assert_eq!(waits, [200, 400], "the waits grow");
    assert_eq!((client.used_fallback(), client.last_attempts()), (false, 3));
}

#[test]
fn button_2_keeps_failing_until_the_breaker_opens() {
    let clock = ManualClock::new();
    let hooks = TestHooks::new(FallbackHook::Text("sorry"));
    let mock = MockLlmClient::failing_first(4);
    let client = client(&clock, mock, client_config(retry_config(0)), &hooks);
    let run_one = || run(&clock, client.execute("hello", CallOptions::default()));
    while client.breaker().state() == Closed {
        assert_eq!(run_one().text(), "sorry");
    }
    assert_eq!(client.inner().calls(), 3);
    for _ in 0..20 {
        assert_eq!(run_one().text(), "sorry");
        assert!(client.used_fallback());
    }
    assert_eq!(client.inner().calls(), 3, "an open breaker saves the way to the service");

    clock.advance(ms(5_000));
    assert_eq!(run_one().text(), "sorry");
    assert_eq!((client.inner().calls(), client.breaker().state()), (4, Open), "one probe, which failed");
    clock.advance(ms(5_000));
    assert_eq!(run_one().text(), "mock reply");
    assert_eq!((client.inner().calls(), client.breaker().state(), client.used_fallback()), (5, Closed, false));
}
