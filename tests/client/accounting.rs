//! What the breaker counts: attempts (article 000) or calls (article 003).

use resilience::breaker::BreakerState::{Closed, Open};
use resilience::client::{Accounting, CallOptions, ClientConfig, NoHooks, OutcomeStatus};
use resilience::retry::StopReason;

use crate::support::{Client, Reply, TestBreaker, client_config, client_with_hooks, ms, retry_config, run};

fn counting_calls(breaker: &TestBreaker, retries: u32, script: impl IntoIterator<Item = Reply>) -> Client {
    let config = ClientConfig { accounting: Accounting::Call, ..client_config(retry_config(retries)) };
    client_with_hooks(breaker, config, script, NoHooks)
}

#[test]
fn a_fault_that_a_retry_mends_is_not_counted() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
    let client = counting_calls(&breaker, 2, [Reply::fail(), Reply::fail(), Reply::ok()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.status, outcome.attempts(), breaker.state()), (OutcomeStatus::Ok, 3, Closed));
    assert_eq!((breaker.stats().successes, breaker.stats().failures), (1, 0));
}

#[test]
fn a_call_that_fails_to_the_end_counts_once() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 2);
    let client = counting_calls(&breaker, 2, [Reply::fail()]);
    for (call, state) in [(1, Closed), (2, Open)] {
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!((outcome.attempts(), outcome.stop_reason), (3, StopReason::Attempts));
        assert_eq!((breaker.stats().failures, breaker.state()), (call, state));
    }
}

#[test]
fn the_probe_is_a_call_with_its_retries() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
    breaker.fail();
    breaker.at(60_000);
    let client = counting_calls(&breaker, 1, [Reply::fail(), Reply::ok()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.status, outcome.attempts(), breaker.state()), (OutcomeStatus::Ok, 2, Closed));
}

#[test]
fn a_call_that_runs_out_of_time_between_attempts_counts_too() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
    let mut config = ClientConfig { accounting: Accounting::Call, ..client_config(retry_config(5)) };
    config.retry.deadline = ms(101);
    let client = client_with_hooks(&breaker, config, [Reply::fail()], NoHooks);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.stop_reason, breaker.state()), (StopReason::Deadline, Open));
}

#[test]
fn a_cancelled_call_gives_its_place_back() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
    breaker.fail();
    breaker.at(60_000);
    let client = counting_calls(&breaker, 5, [Reply::fail()]);
    let token = resilience::cancel::CancelToken::new();
    let canceller = token.clone();
    let options = CallOptions { cancel: Some(token), ..Default::default() };
    let mut call = Box::pin(client.execute("hi", options));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(call.as_mut().poll(&mut context).is_pending(), "in the wait before its second attempt");
    canceller.cancel(resilience::cancel::CancelReason::Cancelled);
    assert!(call.as_mut().poll(&mut context).is_ready());
    assert!(breaker.try_acquire().is_ok(), "the place of the probe is free");
}
