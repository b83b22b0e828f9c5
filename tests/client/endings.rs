//! How a call may end, and what the app gets then.

use std::sync::Arc;

use resilience::breaker::{BreakerState, CircuitBreaker};
use resilience::cancel::{CancelReason, CancelToken};
use resilience::classify::{BreakerVerdict, ErrorClass};
use resilience::client::{CallOptions, ClientConfig, Failure, Hooks, OutcomeStatus, ResilientLlmClient};
use resilience::clock::TokioClock;
use resilience::mock::MockLlmClient;
use resilience::retry::StopReason;

use crate::support::{Reply, TestBreaker, client, client_config, client_with_hooks, ms, retry_config, run, throttled};

#[test]
fn each_class_ends_as_the_table_says() {
    for class in ErrorClass::ALL {
        let breaker = TestBreaker::with(|config| config.failure_threshold = 10);
        let client = client(&breaker, retry_config(1), [Reply::class(class)]);
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        let handling = class.handling();
        let status = match class {
            ErrorClass::Cancelled => OutcomeStatus::Cancelled,
            _ if handling.reaches_caller => OutcomeStatus::Error,
            _ => OutcomeStatus::Fallback,
        };
        assert_eq!((outcome.status, outcome.attempts()), (status, 1 + u32::from(handling.retry)), "{class}");
        assert_eq!(outcome.text(), if status == OutcomeStatus::Fallback { "fallback" } else { "" }, "{class}");
        assert_eq!(client.used_fallback(), status == OutcomeStatus::Fallback, "{class}");
        let chat = run(&breaker.clock, client.chat("hi"));
        assert_eq!(
            chat.map_err(|error| error.class),
            if handling.reaches_caller { Err(class) } else { Ok("fallback".to_owned()) }
        );
    }
}

#[test]
fn the_table_of_the_readme_is_this_one() {
    let mut told = Vec::new();
    for line in include_str!("../../README.md").lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, names, _, retried, breaker, chat, _] = cells[..] else { continue };
        for class in names.split('`').filter_map(ErrorClass::from_name) {
            let handling = class.handling();
            let verdict = match handling.breaker {
                BreakerVerdict::Failure => "failure",
                BreakerVerdict::Neutral => "neutral",
                BreakerVerdict::OpenNow => "opens at once",
            };
            assert_eq!(retried.starts_with("yes"), handling.retry, "{class}");
            assert!(breaker.starts_with(verdict), "{class}");
            assert_eq!(chat, if handling.reaches_caller { "rejects" } else { "fallback" }, "{class}");
            told.push(class);
        }
    }
    assert!(
        ErrorClass::ALL.iter().all(|class| told.contains(class)) && told.len() == ErrorClass::ALL.len(),
        "{told:?}"
    );
}

#[test]
fn an_error_that_says_it_may_be_retried_still_reaches_the_caller_in_the_end() {
    let breaker = TestBreaker::new();
    let mut error = resilience::classify::CallError::new(ErrorClass::Auth, "token is being renewed");
    error.retryable = Some(true);
    let client = client(&breaker, retry_config(2), [Reply::error(error.clone())]);
    assert_eq!(run(&breaker.clock, client.chat("hi")), Err(error));
    assert_eq!((client.inner().calls(), breaker.stats().neutral), (3, 3));
}

#[test]
fn a_rejected_call_tells_what_the_service_suffers_from() {
    for class in [ErrorClass::Quota, ErrorClass::Timeout, ErrorClass::Server] {
        let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
        let client = client(&breaker, retry_config(0), [Reply::class(class), Reply::ok()]);
        let first = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        let rejected = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!((first.cause, first.error.map(|error| error.class)), (Some(class), Some(class)));
        assert_eq!((rejected.cause, rejected.error, rejected.trace.len()), (Some(class), None, 0));
        breaker.reset();
        let healed = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!((healed.status, healed.cause, breaker.cause()), (OutcomeStatus::Ok, None, None));
    }
}

/// Compiles only while a call can move between threads.
#[tokio::test(start_paused = true)]
async fn a_call_runs_on_any_thread_of_a_tokio_program() {
    let breaker = Arc::new(CircuitBreaker::new(Default::default()).unwrap());
    let mock = MockLlmClient::failing_first(2);
    let client = ResilientLlmClient::new(mock, ClientConfig::default(), breaker, TokioClock::new()).unwrap();
    let call = tokio::spawn(async move { client.execute("hi", CallOptions::default()).await });
    assert_eq!(call.await.unwrap().attempts(), 3);
}

#[test]
fn a_call_within_the_retry_after_of_another_says_so() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(0), [Reply::error(throttled(5_000))]);
    run(&breaker.clock, client.execute("hi", CallOptions::default()));
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    let expected = (StopReason::RetryAfter, Some(ms(5_000)), Some(ErrorClass::RateLimit), 0);
    assert_eq!((outcome.stop_reason, outcome.retry_after, outcome.cause, outcome.attempts()), expected);
    assert_eq!(breaker.state(), BreakerState::Closed);
}

/// Its text comes late anyway; a second does no harm, a minute does.
#[test]
fn a_fallback_that_hangs_is_bounded_by_the_deadline_of_its_call() {
    struct Hangs;
    impl Hooks for Hangs {
        async fn fallback(&self, _: &Failure<'_>, _: String) -> Result<String, String> {
            std::future::pending().await
        }
    }
    for (deadline, ends_at) in [(60_000, 10_000), (5_000, 5_000), (300, 1_000)] {
        let breaker = TestBreaker::new();
        let mut config = client_config(retry_config(0));
        config.retry.deadline = ms(deadline);
        let client = client_with_hooks(&breaker, config, [Reply::fail()], Hangs);
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!((outcome.status, outcome.elapsed), (OutcomeStatus::Error, ms(ends_at)));
        assert!(outcome.fallback_error.unwrap().starts_with("the fallback gave no text within "));
    }
}

#[test]
fn a_call_that_is_cancelled_on_the_news_of_its_failure_gets_no_fallback() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
    let cancel = CancelToken::new();
    let canceller = cancel.clone();
    breaker.subscribe(move |_| canceller.cancel(CancelReason::Cancelled));
    let client = client(&breaker, retry_config(0), [Reply::fail()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions { cancel: Some(cancel), ..Default::default() }));
    assert_eq!((outcome.status, outcome.stop_reason), (OutcomeStatus::Cancelled, StopReason::Cancelled));
    assert_eq!((outcome.text(), outcome.attempts()), ("", 1));
}

/// As a timeout in whole milliseconds it would read 0: none.
#[test]
fn no_attempt_begins_with_less_than_a_millisecond_left() {
    let breaker = TestBreaker::new();
    let mut retry = retry_config(5);
    retry.deadline = std::time::Duration::from_micros(100_500);
    let client = client(&breaker, retry, [Reply::fail()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.attempts(), outcome.stop_reason), (1, StopReason::Deadline));
}
