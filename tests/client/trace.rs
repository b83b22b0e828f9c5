//! What the outcome tells about the way there.

use resilience::breaker::BreakerState::{Closed, Open};
use resilience::classify::{CallError, ErrorClass};
use resilience::client::{CallOptions, OutcomeStatus};
use resilience::retry::{DelaySource, StopReason};

use crate::support::{Reply, TestBreaker, client, ms, retry_config, run, throttled};

#[test]
fn the_trace_adds_up() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 10);
    let script = [Reply::fail().after(30), Reply::error(throttled(700)).after(20), Reply::ok().after(40)];
    let client = client(&breaker, retry_config(2), script);
    breaker.at(5_000);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.status, outcome.stop_reason), (OutcomeStatus::Ok, StopReason::Success));
    let seen: Vec<_> = outcome
        .trace
        .iter()
        .map(|attempt| (attempt.attempt, attempt.started_at, attempt.duration, attempt.delay, attempt.delay_source))
        .collect();
    let expected = [
        (1, ms(0), ms(30), Some(ms(100)), Some(DelaySource::Backoff)),
        (2, ms(130), ms(20), Some(ms(700)), Some(DelaySource::RetryAfter)),
        (3, ms(850), ms(40), None, None),
    ];
    assert_eq!(seen, expected);
    assert_eq!(outcome.elapsed, ms(890));
    assert_eq!(client.inner().called_at(), [5_000, 5_130, 5_850]);
    assert_eq!((outcome.error, outcome.retry_after), (None, None));
}

#[test]
fn each_attempt_tells_what_it_met() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 2);
    let malformed = CallError {
        retry_after_malformed: Some("soon".to_owned()),
        ..CallError::new(ErrorClass::Interrupted, "socket hang up")
    };
    let client =
        client(&breaker, retry_config(5), [Reply::error(throttled(250)), Reply::error(malformed), Reply::ok()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    let [first, second] = &outcome.trace[..] else { panic!("two attempts, not {:?}", outcome.trace) };
    assert_eq!(
        (first.class, first.status, first.message.as_str()),
        (Some(ErrorClass::RateLimit), Some(429), "429 Too Many Requests")
    );
    assert_eq!((first.retry_after.map(|asked| asked.wait), first.breaker_state), (Some(ms(250)), Closed));
    assert_eq!((second.class, second.status, second.breaker_state), (Some(ErrorClass::Interrupted), None, Open));
    assert_eq!((second.retry_after_malformed.as_deref(), second.maybe_billed), (Some("soon"), true));
    assert!(outcome.maybe_billed());

    breaker.at(1_250);
    let probe = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((probe.trace[0].probe, probe.trace[0].class, probe.trace[0].breaker_state), (true, None, Closed));
    assert!(!first.probe && !probe.maybe_billed());
}

#[test]
fn the_request_id_is_the_apps_or_one_of_its_own() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 100);
    let client = client(&breaker, retry_config(2), [Reply::fail()]);
    let options = CallOptions { request_id: Some("order-17".to_owned()), ..CallOptions::default() };
    let given = run(&breaker.clock, client.execute("hi", options));
    assert_eq!(given.request_id.as_str(), "order-17");
    let sent =
        |call: usize| client.inner().seen()[3 * call..].iter().map(|seen| seen.request_id.clone()).collect::<Vec<_>>();
    assert_eq!(sent(0), ["order-17"; 3]);
    let made_up = run(&breaker.clock, client.execute("hi", CallOptions::default())).request_id;
    assert_eq!(sent(1), [made_up.as_str(); 3]);
    let another = run(&breaker.clock, client.execute("hi", CallOptions::default())).request_id;
    assert_ne!(made_up.as_str(), another.as_str());
}

#[test]
fn calls_at_once_have_their_own_records() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 100);
    let script = [Reply::ok().after(500), Reply::fail().after(10), Reply::ok().after(10)];
    let client = client(&breaker, retry_config(2), script);
    let (slow, retried) = run(&breaker.clock, async {
        tokio::join!(client.execute("slow", CallOptions::default()), client.execute("retried", CallOptions::default()))
    });
    assert_eq!((slow.attempts(), slow.text(), slow.elapsed), (1, "answer to slow", ms(500)));
    assert_eq!((retried.attempts(), retried.text(), retried.elapsed), (2, "answer to retried", ms(120)));
    assert_eq!(client.last_attempts(), 1, "the latest that finished");
}
