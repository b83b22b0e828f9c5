//! Cancelling, and calls that are simply dropped.

use std::sync::Mutex;
use std::task::{Context, Waker};

use resilience::breaker::BreakerState::{Closed, HalfOpen};
use resilience::cancel::{CancelReason, CancelToken};
use resilience::classify::{CallError, ErrorClass};
use resilience::client::{Attempt, CallOptions, LlmClient, OutcomeStatus, ResilientLlmClient};
use resilience::retry::StopReason;

use crate::support::{Reply, TestBreaker, at, client, client_config, ms, retry_config, run};

fn cancelled_by(token: &CancelToken) -> CallOptions {
    CallOptions { cancel: Some(token.clone()), ..CallOptions::default() }
}

/// Never answers. Keeps the token that its attempt was given.
#[derive(Default)]
struct Deaf(Mutex<Vec<CancelToken>>);

impl LlmClient for &Deaf {
    type Request = str;
    type Response = String;

    async fn chat(&self, _request: &str, attempt: &Attempt<'_>) -> Result<String, CallError> {
        self.0.lock().unwrap().push(attempt.cancel_token());
        std::future::pending().await
    }
}

#[test]
fn the_client_in_flight_is_told_why() {
    let breaker = TestBreaker::new();
    let deaf = Deaf::default();
    let config = client_config(retry_config(1));
    let client = ResilientLlmClient::new(&deaf, config, breaker.breaker.clone(), breaker.clock.clone()).unwrap();
    let token = CancelToken::new();
    let cancel = at(&breaker.clock, 10_150, || token.cancel(CancelReason::Cancelled));
    let outcome = run(&breaker.clock, async { tokio::join!(client.execute("hi", cancelled_by(&token)), cancel).0 });
    let reasons: Vec<_> = deaf.0.lock().unwrap().iter().map(CancelToken::reason).collect();
    assert_eq!(reasons, [Some(CancelReason::Timeout), Some(CancelReason::Cancelled)]);
    let classes: Vec<_> = outcome.trace.iter().map(|attempt| attempt.class.unwrap()).collect();
    assert_eq!(classes, [ErrorClass::Timeout, ErrorClass::Cancelled]);
    assert!(outcome.trace.iter().all(|attempt| attempt.maybe_billed));
}

#[test]
fn a_client_may_keep_the_tokens_of_its_attempts() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = u32::MAX);
    let deaf = Deaf::default();
    let config = client_config(retry_config(2));
    let client = ResilientLlmClient::new(&deaf, config, breaker.breaker.clone(), breaker.clock.clone()).unwrap();
    let token = CancelToken::new();
    run(&breaker.clock, client.execute("hi", cancelled_by(&token)));
    assert_eq!((deaf.0.lock().unwrap().len(), token.listeners()), (3, 0), "no place is left at the call's token");
}

#[test]
fn a_cancel_during_a_wait_ends_it_at_once() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(2), [Reply::fail(), Reply::ok()]);
    let token = CancelToken::new();
    let cancel = at(&breaker.clock, 40, || token.cancel(CancelReason::Cancelled));
    let outcome = run(&breaker.clock, async { tokio::join!(client.execute("hi", cancelled_by(&token)), cancel).0 });
    assert_eq!((outcome.elapsed, outcome.attempts(), client.inner().calls()), (ms(40), 1, 1));
    assert_eq!((breaker.clock.pending_sleeps(), token.listeners()), (0, 0));
}

#[test]
fn an_answer_that_is_there_already_is_not_thrown_away() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(2), [Reply::ok().after(50)]);
    let token = CancelToken::new();
    let cancel = at(&breaker.clock, 50, || token.cancel(CancelReason::Cancelled));
    let outcome = run(&breaker.clock, async { tokio::join!(client.execute("hi", cancelled_by(&token)), cancel).0 });
    assert_eq!((outcome.status, breaker.stats().successes), (OutcomeStatus::Ok, 1));
}

#[test]
fn a_cancel_after_the_end_changes_nothing() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(2), [Reply::ok()]);
    let token = CancelToken::new();
    assert_eq!(run(&breaker.clock, client.execute("hi", cancelled_by(&token))).status, OutcomeStatus::Ok);
    token.cancel(CancelReason::Cancelled);
    assert_eq!((client.last_attempts(), breaker.stats().successes, breaker.stats().neutral), (1, 1, 0));
    let next = run(&breaker.clock, client.execute("hi", cancelled_by(&token)));
    assert_eq!((next.stop_reason, next.attempts(), client.inner().calls()), (StopReason::Cancelled, 0, 1));
}

#[test]
fn a_cancelled_call_has_no_fallback_and_no_half_answer() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(2), [Reply::ok()]);
    let token = CancelToken::new();
    token.cancel(CancelReason::Cancelled);
    let outcome = run(&breaker.clock, client.execute("hi", cancelled_by(&token)));
    assert_eq!((outcome.fallback_text.as_deref(), outcome.text(), outcome.used_fallback()), (None, "", false));
    assert_eq!(outcome.error.unwrap().class, ErrorClass::Cancelled);
    assert_eq!(breaker.state(), Closed);
}

#[test]
fn a_call_that_is_dropped_gives_everything_back() {
    let breaker = TestBreaker::new();
    breaker.open();
    breaker.at(1_000);
    let client = client(&breaker, retry_config(2), [Reply::hang()]);
    let token = CancelToken::new();
    for _ in 0..1_000 {
        let mut call = Box::pin(client.execute("hi", cancelled_by(&token)));
        assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert!(breaker.rejects(), "it is the probe");
        drop(call);
    }
    assert_eq!((breaker.state(), breaker.stats().neutral, client.inner().calls()), (HalfOpen, 1_000, 1_000));
    assert_eq!((breaker.clock.pending_sleeps(), token.listeners()), (0, 0));
}
