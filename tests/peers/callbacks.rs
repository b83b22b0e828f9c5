//! Section K: hooks, listeners and fallbacks that break the call they belong to.

use std::sync::atomic::Ordering;

use resilience::breaker::BreakerState::{Closed, Open};
use resilience::cancel::{CancelReason, CancelToken};
use resilience::classify::ErrorClass;
use resilience::client::{CallOptions, ClientConfig, Fallback, NoHooks, OutcomeStatus};
use resilience::mock::MockLlmClient;
use resilience::retry::{RetryConfig, StopReason};

use crate::support::{
    FallbackHook, Reply, TestBreaker, TestHooks, at, client, client_config, client_with_hooks, ms, retry_config, run,
    unavailable,
};

#[test]
fn k1_opossum_198_the_fallback_runs_once() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
    let hooks = TestHooks::new(FallbackHook::Text("sorry"));
    let retry = RetryConfig { attempt_timeout: ms(100), ..retry_config(0) };
    // It would fail at 150, long after its timeout.
    let client = client_with_hooks(&breaker, client_config(retry), [Reply::fail().after(150)], &hooks);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.text(), outcome.elapsed), ("sorry", ms(100)));
    breaker.at(10_000);
    assert_eq!(hooks.fallbacks.load(Ordering::SeqCst), 1);
    assert_eq!((breaker.stats().failures, breaker.stats().stale), (1, 0), "one attempt, one result");
}

#[test]
fn k2_opossum_100_547_a_fallback_that_fails_keeps_the_cause() {
    let cases = [
        (FallbackHook::Fails, "no fallback today", 0),
        (FallbackHook::Panics, "the fallback panicked: fallback gone wrong", 0),
        (FallbackHook::Hangs, "the fallback gave no text within 10000 ms", 10_000),
    ];
    for (hook, expected, elapsed) in cases {
        let breaker = TestBreaker::new();
        let hooks = TestHooks::new(hook);
        let client = client_with_hooks(&breaker, client_config(retry_config(0)), [Reply::fail()], &hooks);
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!((outcome.status, outcome.text()), (OutcomeStatus::Error, ""), "{hook:?}");
        assert_eq!((outcome.error, outcome.fallback_error.as_deref()), (Some(unavailable()), Some(expected)));
        assert_eq!(outcome.elapsed, ms(elapsed));
        assert_eq!(run(&breaker.clock, client.chat("hi")), Err(unavailable()), "{hook:?}");
    }
}

#[test]
fn k2_opossum_547_chat_does_not_take_a_failed_fallback_for_an_empty_answer() {
    let breaker = TestBreaker::new();
    breaker.open();
    let hooks = TestHooks::new(FallbackHook::Fails);
    let client = client_with_hooks(&breaker, client_config(retry_config(0)), [Reply::ok()], &hooks);
    let error = run(&breaker.clock, client.chat("hi")).unwrap_err();
    assert_eq!((error.message.as_str(), client.inner().calls()), ("no fallback today", 0));
}

#[test]
fn k2_opossum_547_a_cancel_ends_a_fallback_that_hangs() {
    let breaker = TestBreaker::new();
    let hooks = TestHooks::new(FallbackHook::Hangs);
    let client = client_with_hooks(&breaker, client_config(retry_config(0)), [Reply::fail()], &hooks);
    let token = CancelToken::new();
    let options = CallOptions { cancel: Some(token.clone()), ..CallOptions::default() };
    let cancel = at(&breaker.clock, 70, || token.cancel(CancelReason::Cancelled));
    let outcome = run(&breaker.clock, async { tokio::join!(client.execute("hi", options), cancel).0 });
    assert_eq!((outcome.status, outcome.stop_reason), (OutcomeStatus::Cancelled, StopReason::Cancelled));
    assert_eq!(outcome.elapsed, ms(70));
}

#[test]
fn k3_diehard_4_an_empty_fallback_is_a_fallback() {
    let breaker = TestBreaker::new();
    let config = ClientConfig { fallback: Fallback::Text(String::new()), ..client_config(retry_config(0)) };
    let client = client_with_hooks(&breaker, config, [Reply::fail()], NoHooks);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.status, outcome.fallback_text.as_deref()), (OutcomeStatus::Fallback, Some("")));
    assert_eq!(run(&breaker.clock, client.chat("hi")), Ok(String::new()));
    assert!(client.used_fallback());
}

#[test]
fn k5_opossum_tower_resilience_42_126_a_listener_that_panics_costs_the_call_nothing() {
    let breaker = TestBreaker::new();
    breaker.subscribe(|_| panic!("listener gone wrong"));
    breaker.open();
    breaker.at(1_000);
    let mut hooks = TestHooks::new(FallbackHook::Text("sorry"));
    hooks.on_retry_panics = true;
    let script = [Reply::ok(), Reply::fail(), Reply::fail(), Reply::ok()];
    let client = client_with_hooks(&breaker, client_config(retry_config(2)), script, &hooks);
    assert_eq!(run(&breaker.clock, client.chat("probe")).unwrap(), "answer to probe");
    assert_eq!((breaker.state(), breaker.stats().listener_errors, breaker.events().len()), (Closed, 3, 3));
    assert_eq!(run(&breaker.clock, client.chat("hi")).unwrap(), "answer to hi");
    assert_eq!(*hooks.retries.lock().unwrap(), [(1, 100), (2, 200)]);
}

#[test]
fn k5_tower_resilience_126_a_client_that_panics_is_a_bug_and_no_failure_of_the_service() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
    let client = client(&breaker, retry_config(2), [Reply::panic(), Reply::panic().after(10), Reply::ok()]);
    for _ in 0..2 {
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!((outcome.status, outcome.attempts()), (OutcomeStatus::Error, 1));
        let error = outcome.error.unwrap();
        let expected = (ErrorClass::ClientBug, "the client panicked: client gone wrong");
        assert_eq!((error.class, error.message.as_str()), expected);
    }
    assert_eq!((breaker.state(), run(&breaker.clock, client.chat("hi")).is_ok()), (Closed, true));
}

#[test]
fn k6_gobreaker_72_the_event_tells_the_count_from_before_any_reset() {
    let breaker = TestBreaker::new();
    breaker.open();
    breaker.at(1_000).ok();
    let seen: Vec<_> = breaker.events().iter().map(|event| (event.to.as_str(), event.failures)).collect();
    assert_eq!(seen, [("open", 3), ("half_open", 3), ("closed", 3)]);
    assert_eq!(breaker.consecutive_failures(), 0);
    breaker.fail();
    breaker.isolate();
    assert_eq!((breaker.events()[3].to, breaker.events()[3].failures), (Open, 1));
}

#[test]
fn k7_opossum_528_an_empty_answer_is_an_answer() {
    let breaker = TestBreaker::new();
    let inner = MockLlmClient::failing_first(0).with_reply("");
    let retry = client_config(retry_config(2));
    let client =
        resilience::client::ResilientLlmClient::new(inner, retry, breaker.breaker.clone(), breaker.clock.clone())
            .unwrap();
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.status, outcome.response.as_deref()), (OutcomeStatus::Ok, Some("")));
    assert_eq!((client.inner().calls(), breaker.stats().successes), (1, 1));
}
