//! Section D: what counts as a failure of the service, and what does not.

use resilience::breaker::BreakerState::{Closed, HalfOpen, Open};
use resilience::breaker::RejectionReason;
use resilience::cancel::{CancelReason, CancelToken};
use resilience::classify::{BreakerVerdict, ErrorClass};
use resilience::client::{CallOptions, OutcomeStatus};
use resilience::retry::{RetryBudgetConfig, StopReason};

use crate::support::{Reply, TestBreaker, at, client, client_config, client_with_hooks, ms, retry_config, run};

fn cancelled_by(token: &CancelToken) -> CallOptions {
    CallOptions { cancel: Some(token.clone()), ..CallOptions::default() }
}

#[test]
fn d1_omniroute_7907_resilience4j_682_calls_that_the_app_cancels_do_not_count() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(2), [Reply::hang()]);
    for call in 0..10 {
        let token = CancelToken::new();
        let cancel = at(&breaker.clock, call * 100 + 50, || token.cancel(CancelReason::Cancelled));
        let (outcome, ()) =
            run(&breaker.clock, async { tokio::join!(client.execute("hi", cancelled_by(&token)), cancel) });
        assert_eq!(outcome.status, OutcomeStatus::Cancelled);
    }
    assert_eq!((breaker.state(), breaker.stats().failures, breaker.stats().neutral), (Closed, 0, 10));
}

#[test]
fn d1_omniroute_7907_a_client_that_answers_a_cancel_with_an_error_of_its_own_does_not_count() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
    let client = client(&breaker, retry_config(2), [Reply::aborts()]);
    for call in 0..10 {
        let token = CancelToken::new();
        let cancel = at(&breaker.clock, call * 100 + 50, || token.cancel(CancelReason::Cancelled));
        let work = client.execute("hi", cancelled_by(&token));
        let outcome = run(&breaker.clock, async { tokio::join!(work, cancel).0 });
        assert_eq!((outcome.status, outcome.stop_reason), (OutcomeStatus::Cancelled, StopReason::Cancelled));
        assert!(outcome.maybe_billed(), "the service may do the work all the same");
    }
    assert_eq!((breaker.state(), breaker.stats().failures, breaker.stats().neutral), (Closed, 0, 10));
}

#[test]
fn d1_omniroute_7907_a_timeout_of_ours_counts() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(2), [Reply::hang()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!(outcome.trace.iter().filter(|attempt| attempt.class == Some(ErrorClass::Timeout)).count(), 3);
    assert_eq!((breaker.state(), breaker.stats().failures), (Open, 3));
}

#[test]
fn d1_omniroute_7907_a_call_without_any_time_does_not_count() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
    let client = client(&breaker, retry_config(2), [Reply::ok()]);
    let options = CallOptions { deadline: Some(ms(0)), ..CallOptions::default() };
    let outcome = run(&breaker.clock, client.execute("hi", options));
    assert_eq!((outcome.stop_reason, outcome.attempts(), client.inner().calls()), (StopReason::Deadline, 0, 0));
    assert_eq!((breaker.state(), breaker.stats().failures), (Closed, 0));
}

#[test]
fn d2_brpc_3532_a_cancelled_probe_leaves_state_and_cooldown_as_they_were() {
    let breaker = TestBreaker::with(|config| config.cooldown_factor = 2.0);
    breaker.open();
    breaker.at(1_000);
    let client = client(&breaker, retry_config(2), [Reply::hang()]);
    for probe in 0..100 {
        let token = CancelToken::new();
        let cancel = at(&breaker.clock, 1_010 + probe * 10, || token.cancel(CancelReason::Cancelled));
        run(&breaker.clock, async { tokio::join!(client.execute("hi", cancelled_by(&token)), cancel) });
        assert_eq!(breaker.state(), HalfOpen);
    }
    breaker.fail();
    assert_eq!(breaker.retry_after(), ms(2_000), "the second cooldown, not the hundredth");
}

#[test]
fn d3_vllm_router_60_the_callers_mistakes_do_not_trip_a_healthy_service() {
    for class in ErrorClass::ALL {
        let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
        let client = client(&breaker, retry_config(0), [Reply::class(class)]);
        for _ in 0..10 {
            run(&breaker.clock, client.execute("hi", CallOptions::default()));
        }
        let neutral = class.handling().breaker == BreakerVerdict::Neutral;
        let (state, failures) = if neutral { (Closed, 0) } else { (Open, 1) };
        assert_eq!((breaker.state(), breaker.stats().failures), (state, failures), "{class}");
    }
}

#[test]
fn d4_voidllm_185_only_a_success_resets_the_count() {
    let breaker = TestBreaker::new();
    breaker.fail();
    breaker.fail();
    for _ in 0..100 {
        breaker.admit().neutral();
    }
    assert_eq!(breaker.consecutive_failures(), 2);
    breaker.fail();
    assert_eq!(breaker.state(), Open);

    let breaker = TestBreaker::new();
    for _ in 0..100 {
        breaker.fail();
        breaker.fail();
        breaker.ok();
    }
    assert_eq!(breaker.state(), Closed);
}

#[test]
fn d5_agent_os_1862_an_unknown_model_parks_no_service() {
    let breaker = TestBreaker::new();
    breaker.open();
    breaker.at(1_000);
    let client = client(&breaker, retry_config(2), [Reply::class(ErrorClass::ModelNotFound), Reply::ok()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.status, outcome.retry_after), (OutcomeStatus::Error, None));
    run(&breaker.clock, client.chat("hi")).unwrap();
    assert_eq!((breaker.state(), client.inner().called_at()), (Closed, vec![1_000, 1_000]));
}

#[test]
fn d6_opossum_45_what_is_rejected_here_is_no_failure_of_the_service() {
    let breaker = TestBreaker::new();
    breaker.open();
    for moment in 0..1_000 {
        assert!(breaker.at(moment).rejects());
    }
    let stats = breaker.stats();
    assert_eq!((stats.failures, stats.rejected, stats.neutral), (3, 1_000, 0));
    let probe = breaker.at(1_000).admit();
    assert_eq!(breaker.try_acquire().unwrap_err().reason, RejectionReason::HalfOpenBusy);
    assert_eq!(breaker.stats().failures, 3);
    probe.success();
    assert_eq!(breaker.state(), Closed);
}

#[test]
fn d6_opossum_45_an_empty_retry_budget_is_no_failure_of_the_service() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 100);
    let budget = RetryBudgetConfig { capacity: 0.0, per_call: 0.0, per_minute: 0.0 };
    let config = resilience::client::ClientConfig { budget, ..client_config(retry_config(2)) };
    let client = client_with_hooks(&breaker, config, [Reply::fail()], resilience::client::NoHooks);
    for calls in 1..=10 {
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!((outcome.stop_reason, outcome.attempts()), (StopReason::Budget, 1));
        assert_eq!(breaker.stats().failures, calls);
    }
}

#[test]
fn opossum_9_a_breaker_that_is_switched_off_throws_nothing() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(0), [Reply::fail()]);
    breaker.isolate();
    assert_eq!(run(&breaker.clock, client.chat("hi")).unwrap(), "fallback");
    assert_eq!(client.inner().calls(), 0);
    breaker.force_closed();
    for _ in 0..10 {
        assert_eq!(run(&breaker.clock, client.chat("hi")).unwrap(), "fallback");
    }
    assert_eq!((client.inner().calls(), breaker.state(), breaker.consecutive_failures()), (10, Closed, 0));
}

#[test]
fn d7_promptfoo_10855_langchainjs_1929_an_empty_account_is_not_asked_again_and_again() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(100), [Reply::class(ErrorClass::Quota), Reply::ok()]);
    for moment in (0..600_000).step_by(10_000) {
        breaker.at(moment);
        run(&breaker.clock, client.execute("hi", CallOptions::default()));
    }
    assert_eq!(client.inner().called_at(), [0], "not for ten minutes");
    run(&breaker.at(600_000).clock, client.execute("hi", CallOptions::default()));
    assert_eq!((client.inner().called_at(), breaker.state()), (vec![0, 600_000], Closed));
}

#[test]
fn recloser_1_4_exactly_n_failures_open_a_breaker_with_threshold_n() {
    for threshold in 1..=100 {
        let breaker = TestBreaker::with(|config| config.failure_threshold = threshold);
        (1..threshold).for_each(|_| breaker.fail());
        assert_eq!(breaker.state(), Closed, "{threshold}");
        breaker.fail();
        assert_eq!(breaker.state(), Open, "{threshold}");
    }
    let none = resilience::breaker::BreakerConfig { failure_threshold: 0, ..Default::default() };
    assert_eq!(
        none.validate().unwrap_err().to_string(),
        "failureThreshold: got 0, allowed: a finite number from 1 to 4294967295"
    );
}
