//! Section B: results of calls that began in an earlier era of the breaker.

use resilience::breaker::BreakerState::{Closed, HalfOpen, Open};
use resilience::breaker::FailureReport;
use resilience::client::{CallOptions, OutcomeStatus};

use crate::support::{Reply, TestBreaker, client, ms, retry_config, run, throttled};

#[test]
fn b1_opossum_381_a_success_from_before_does_not_close_it() {
    let breaker = TestBreaker::new();
    let slow = breaker.admit();
    breaker.open();
    let probe = breaker.at(1_000).admit();
    breaker.at(1_200);
    slow.success();
    assert_eq!((breaker.state(), breaker.stats().stale), (HalfOpen, 1));
    assert!(breaker.rejects(), "the place is the probe's");
    probe.failure(Default::default());
    assert_eq!(breaker.state(), Open);
}

#[test]
fn b1_opossum_381_the_slow_caller_still_gets_its_answer() {
    let breaker = TestBreaker::new();
    let script = [Reply::ok().after(1_200), Reply::fail(), Reply::fail(), Reply::fail(), Reply::hang()];
    let client = client(&breaker, retry_config(2), script);
    let (slow, _failing) = run(&breaker.clock, async {
        tokio::join!(client.execute("slow", CallOptions::default()), client.execute("other", CallOptions::default()))
    });
    assert_eq!((slow.status, slow.text()), (OutcomeStatus::Ok, "answer to slow"));
    assert_eq!((breaker.state(), breaker.stats().stale), (Open, 1));
    assert_eq!(slow.retry_after, None, "who has an answer need not come again");
}

#[test]
fn b2_brpc_3532_cockatiel_a_failure_from_before_does_not_open_it() {
    let breaker = TestBreaker::new();
    let slow = breaker.admit();
    breaker.open();
    let probe = breaker.at(1_000).admit();
    breaker.at(1_200);
    slow.failure(Default::default());
    assert_eq!(breaker.state(), HalfOpen);
    breaker.at(1_500);
    probe.success();
    assert_eq!((breaker.state(), breaker.consecutive_failures()), (Closed, 0));
}

#[test]
fn b2_brpc_3532_a_late_failure_of_any_older_era_leaves_the_count_alone() {
    let breaker = TestBreaker::new();
    let mut late = Vec::new();
    for round in 1..=100 {
        late.push(breaker.admit());
        breaker.open();
        breaker.at(round * 1_000).ok();
    }
    late.into_iter().for_each(|permit| permit.failure(Default::default()));
    assert_eq!((breaker.state(), breaker.consecutive_failures(), breaker.stats().stale), (Closed, 0, 100));
}

#[test]
fn b3_gobreaker_a_call_from_before_a_reset_does_not_count() {
    type Switch = fn(&TestBreaker);
    let switches: [(&str, Switch); 3] = [
        ("reset", |breaker| breaker.reset()),
        ("force closed", |breaker| breaker.force_closed()),
        ("isolate and reset", |breaker| {
            breaker.isolate();
            breaker.reset();
        }),
    ];
    for (name, switch) in switches {
        let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
        let (first, second) = (breaker.admit(), breaker.admit());
        switch(&breaker);
        first.failure(FailureReport { retry_after: Some(ms(60_000)), ..Default::default() });
        second.success();
        assert_eq!((breaker.state(), breaker.consecutive_failures()), (Closed, 0), "{name}");
        assert_eq!(breaker.retry_after(), ms(0), "{name}");
        assert_eq!(breaker.stats().stale, 2, "{name}");
    }
}

#[test]
fn b3_gobreaker_the_retry_after_of_a_call_from_before_a_reset_does_not_hold() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(0), [Reply::error(throttled(30_000)).after(500)]);
    let slow = async {
        let call = client.execute("hi", CallOptions::default());
        let reset = crate::support::at(&breaker.clock, 100, || breaker.reset());
        tokio::join!(call, reset).0
    };
    let outcome = run(&breaker.clock, slow);
    assert_eq!((outcome.retry_after, breaker.stats().stale), (Some(ms(30_000)), 1), "the call itself knows");
    assert_eq!((breaker.retry_after(), breaker.cause()), (ms(0), None));
    assert!(!breaker.rejects());
}

#[test]
fn b3_gobreaker_what_the_service_asked_for_holds_after_a_change_of_its_own() {
    let breaker = TestBreaker::new();
    let slow = breaker.admit();
    breaker.open();
    breaker.at(1_000).ok();
    assert_eq!(breaker.state(), Closed, "two generations later");
    slow.failure(FailureReport { retry_after: Some(ms(30_000)), ..Default::default() });
    assert_eq!((breaker.state(), breaker.stats().stale), (Closed, 1));
    assert!(breaker.at(30_999).rejects());
    assert!(!breaker.at(31_000).rejects());
}
