//! How a call may end, and what the app gets then.

use std::sync::Arc;

use resilience::breaker::CircuitBreaker;
use resilience::classify::ErrorClass;
use resilience::client::{CallOptions, ClientConfig, OutcomeStatus, ResilientLlmClient};
use resilience::clock::TokioClock;
use resilience::mock::MockLlmClient;

use crate::support::{Reply, TestBreaker, client, retry_config, run};

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
