//! Timeouts, deadlines, the retry budget.

use resilience::breaker::BreakerState::{Closed, Open};
use resilience::classify::ErrorClass;
use resilience::client::{CallOptions, ClientConfig, NoHooks, OutcomeStatus};
use resilience::retry::{RetryBudgetConfig, RetryConfig, StopReason};

use crate::support::{
    FallbackHook, Reply, TestBreaker, TestHooks, at, client, client_config, client_with_hooks, ms, retry_config, run,
};

#[test]
fn an_attempt_that_hangs_ends_at_its_timeout() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(0), [Reply::hang()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    let error = outcome.error.as_ref().unwrap();
    assert_eq!((error.class, error.message.as_str()), (ErrorClass::Timeout, "no answer within 10000 ms"));
    assert_eq!((outcome.elapsed, outcome.maybe_billed()), (ms(10_000), true));
    assert_eq!(breaker.clock.pending_sleeps(), 0, "the client's own wait is gone with it");
}

#[test]
fn an_answer_at_the_very_timeout_counts() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(0), [Reply::ok().after(10_000), Reply::ok().after(10_001)]);
    let in_time = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    let too_late = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((in_time.status, too_late.status), (OutcomeStatus::Ok, OutcomeStatus::Fallback));
}

#[test]
fn a_device_that_slept_past_the_deadline_blames_nobody() {
    // The app is suspended for an hour while the call waits for its second attempt.
    let breaker = TestBreaker::with(|config| config.failure_threshold = 2);
    let client = client(&breaker, retry_config(2), [Reply::fail()]);
    let suspended = at(&breaker.clock, 50, || breaker.clock.advance(ms(3_600_000)));
    let outcome =
        run(&breaker.clock, async { tokio::join!(client.execute("hi", CallOptions::default()), suspended).0 });
    assert_eq!((outcome.stop_reason, outcome.attempts(), client.inner().calls()), (StopReason::Deadline, 1, 1));
    assert_eq!((breaker.state(), breaker.stats().failures), (Closed, 1));
}

#[test]
fn a_budget_that_is_used_up_ends_the_call_and_fills_again() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = u32::MAX);
    let budget = RetryBudgetConfig { capacity: 3.0, per_call: 0.0, per_minute: 1.0 };
    let config = ClientConfig { budget, ..client_config(retry_config(2)) };
    let client = client_with_hooks(&breaker, config, [Reply::fail()], NoHooks);
    let run_one = || run(&breaker.clock, client.execute("hi", CallOptions::default()));
    let reasons = [(); 3].map(|()| (run_one().stop_reason, client.last_attempts()));
    assert_eq!(reasons, [(StopReason::Attempts, 3), (StopReason::Budget, 2), (StopReason::Budget, 1)]);
    breaker.clock.advance(ms(120_000));
    assert_eq!((run_one().stop_reason, client.last_attempts()), (StopReason::Attempts, 3));
}

#[test]
fn a_retry_that_the_breaker_forbids_costs_no_token() {
    let breaker = TestBreaker::with(|config| (config.failure_threshold, config.cooldown) = (1, ms(0)));
    let budget = RetryBudgetConfig { capacity: 1.0, per_call: 0.0, per_minute: 0.0 };
    let config = ClientConfig { budget, ..client_config(retry_config(2)) };
    let client = client_with_hooks(&breaker, config, [Reply::fail()], NoHooks);
    for _ in 0..10 {
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!((outcome.stop_reason, outcome.attempts()), (StopReason::CircuitOpen, 1));
    }
}

#[test]
fn an_empty_account_closes_the_way_for_long() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(5), [Reply::class(ErrorClass::Quota), Reply::ok()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.stop_reason, outcome.attempts()), (StopReason::NotRetryable, 1));
    assert_eq!((outcome.retry_after, breaker.state()), (Some(ms(600_000)), Open));
    breaker.at(599_999);
    assert_eq!(run(&breaker.clock, client.execute("hi", CallOptions::default())).attempts(), 0);
    breaker.at(600_000);
    assert_eq!(run(&breaker.clock, client.chat("hi")).unwrap(), "answer to hi");
}

#[test]
fn a_call_that_may_not_be_sent_twice_is_not() {
    for reply in [Reply::class(ErrorClass::Interrupted), Reply::hang()] {
        let breaker = TestBreaker::new();
        let retry = RetryConfig { retry_unsafe: false, ..retry_config(2) };
        let client = client(&breaker, retry, [reply, Reply::ok()]);
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!((outcome.stop_reason, client.inner().calls()), (StopReason::NotRetryable, 1));
    }
}

#[test]
fn a_fallback_hook_knows_why() {
    let breaker = TestBreaker::new();
    let hooks = TestHooks::new(FallbackHook::Text("sorry"));
    let client = client_with_hooks(&breaker, client_config(retry_config(1)), [Reply::fail()], &hooks);
    for reason in [StopReason::Attempts, StopReason::CircuitOpen, StopReason::CircuitOpen] {
        run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!(*hooks.last_reason.lock().unwrap(), Some(reason));
    }
    assert_eq!(client.inner().calls(), 3, "the third failure opened it in the middle of the second call");
}
