use std::sync::{Arc, Mutex};

use resilience::breaker::BreakerState;
use resilience::classify::{CallError, ErrorClass, ErrorFacts, classify};
use resilience::client::{Accounting, Attempt};
use resilience::clock::Clock;
use resilience::request::{RequestConfig, RequestOptions, RetryOutcome, RetryResult, request_with_retry};
use resilience::retry::StopReason;

use super::article;
use crate::support::{TestBreaker, ms, run};

/// Breaker around retries around the call: up to 2 retries, 200 and 400 ms later at the most.
fn call(
    test: &TestBreaker,
    accounting: Accounting,
    statuses: &[u16],
    calls: &Arc<Mutex<Vec<u64>>>,
) -> RetryResult<u16> {
    let (clock, calls) = (test.clock.clone(), calls.clone());
    let statuses = statuses.to_vec();
    let send = async move |attempt: &Attempt<'_>| {
        calls.lock().unwrap().push(clock.now().since_origin().as_millis() as u64);
        Ok::<u16, CallError>(statuses[(attempt.number() as usize - 1).min(statuses.len() - 1)])
    };
    let options = RequestOptions {
        rng: Some(Arc::new(|| 0.5)),
        breaker: Some(test.breaker.clone()),
        accounting,
        ..RequestOptions::default()
    };
    let config = RequestConfig::new(ms(200), 2.0, ms(5_000), 2);
    let (_, result) = request_with_retry(send, config, test.clock.clone(), options).unwrap();
    run(&test.clock, result)
}

#[test]
fn what_a_retry_mends_is_not_on_the_breakers_account() {
    let (test, calls) = (TestBreaker::with(article), Arc::default());
    for _ in 0..20 {
        let result = call(&test, Accounting::Call, &[503, 503, 200], &calls);
        assert_eq!(result.outcome, RetryOutcome::Success);
    }
    assert_eq!((test.stats().failures, test.stats().successes, test.state()), (0, 20, BreakerState::Closed));
    // The other way round, each failed attempt counts.
    let each = TestBreaker::with(article);
    call(&each, Accounting::Attempt, &[503, 503, 200], &calls);
    assert_eq!((each.stats().failures, each.stats().successes), (2, 1));
}

#[test]
fn only_lasting_faults_open_it_and_then_nothing_is_sent_nor_waited_for() {
    let (test, calls) = (TestBreaker::with(article), Arc::default());
    for _ in 0..5 {
        assert_eq!(call(&test, Accounting::Call, &[503], &calls).stop_reason, StopReason::Attempts);
    }
    assert_eq!((calls.lock().unwrap().len(), test.state()), (15, BreakerState::Open));
    let before = test.clock.now();
    for _ in 0..10 {
        let rejected = call(&test, Accounting::Call, &[200], &calls);
        assert_eq!((rejected.stop_reason, rejected.outcome), (StopReason::CircuitOpen, RetryOutcome::GivenUp));
        assert_eq!(rejected.retry_after, Some(ms(30_000)), "the caller is told when to come again");
    }
    assert_eq!((calls.lock().unwrap().len(), test.clock.now()), (15, before), "no 10 s of waiting each");
}

#[test]
fn a_probe_that_is_told_apart_by_its_call_may_be_tried_again_inside() {
    let (test, calls) = (TestBreaker::with(article), Arc::default());
    test.open();
    test.at(30_000);
    assert_eq!(call(&test, Accounting::Call, &[503, 200], &calls).outcome, RetryOutcome::Success);
    assert_eq!((test.state(), calls.lock().unwrap().len()), (BreakerState::Closed, 2));
}

fn class_of(message: &str, code: Option<&str>, status: Option<u16>) -> CallError {
    let code = code.map(|code| resilience::classify::Code::Text(code.to_owned()));
    let facts = ErrorFacts { message: message.to_owned(), code, status, ..ErrorFacts::default() };
    classify(&facts, std::time::SystemTime::UNIX_EPOCH)
}

#[test]
fn what_passes_is_tried_again_timeout_refused_reset_and_5xx() {
    for (message, code, status) in [
        ("timeout", Some("ETIMEDOUT"), None),
        ("refused", Some("ECONNREFUSED"), None),
        ("reset", Some("ECONNRESET"), None),
        ("server", None, Some(500)),
        ("gateway", None, Some(502)),
        ("unavailable", None, Some(503)),
    ] {
        assert!(class_of(message, code, status).is_retryable(), "{message}");
    }
}

#[test]
fn what_stays_is_not_4xx_a_wrong_format_and_a_wrong_proxy_or_protocol() {
    for status in [400, 401, 403, 404, 422] {
        assert!(!class_of("", None, Some(status)).is_retryable(), "{status}");
    }
    for class in [ErrorClass::InvalidResponse, ErrorClass::Protocol] {
        assert!(!class.handling().retry, "{class}");
    }
    // In with the errors of the transport, and yet no retry helps.
    for (message, code, status) in [
        ("certificate has expired", Some("CERT_HAS_EXPIRED"), None),
        ("proxy authentication required", None, Some(407)),
        ("HTTP version not supported", None, Some(505)),
    ] {
        let error = class_of(message, code, status);
        assert_eq!((error.class, error.is_retryable()), (ErrorClass::Protocol, false), "{message}");
    }
}

#[test]
fn callers_that_failed_together_do_not_come_back_together() {
    let config = RequestConfig::new(ms(1_000), 2.0, ms(5_000), 2);
    let rng = resilience::random::SeededRng::new(3);
    let mut waits: Vec<_> = (0..50).map(|_| config.next_delay(1, &rng)).collect();
    waits.sort_unstable();
    waits.dedup();
    assert!(waits.len() > 40, "{} of 50 waits differ", waits.len());
    assert!(waits.last().unwrap().saturating_sub(waits[0]) > ms(800));
}
