//! Section A: half-open breakers that get stuck, let too much through or open twice.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use resilience::breaker::BreakerState::{Closed, HalfOpen, Open};
use resilience::breaker::{BreakerStats, RejectionReason, TransitionReason};
use resilience::classify::ErrorClass;
use resilience::client::{CallOptions, OutcomeStatus};
use resilience::clock::Timestamp;
use resilience::retry::StopReason;

use crate::support::{Reply, TestBreaker, at, client, join_all, ms, retry_config, run, throttled};

#[test]
fn a1_opossum_276_one_failed_probe_opens_again_whatever_the_threshold() {
    for threshold in [1, 5, 100] {
        let breaker = TestBreaker::with(|config| config.failure_threshold = threshold);
        breaker.open();
        for round in 1..=1_000 {
            breaker.at(round * 1_000).fail();
            assert_eq!((breaker.state(), breaker.retry_after()), (Open, ms(1_000)), "round {round}");
        }
        breaker.at(1_001_000).ok();
        assert_eq!((breaker.state(), breaker.consecutive_failures()), (Closed, 0));
        (1..threshold).for_each(|_| breaker.fail());
        assert_eq!(breaker.state(), Closed, "it counts from zero");
    }
}

#[test]
fn a2_resilience4j_544_polly_1979_a_neutral_probe_gives_its_place_back() {
    let breaker = TestBreaker::new();
    breaker.open();
    breaker.at(1_000);
    for _ in 0..1_000 {
        breaker.admit().neutral();
        assert_eq!(breaker.state(), HalfOpen);
    }
    for _ in 0..1_000 {
        drop(breaker.admit());
    }
    breaker.ok();
    assert_eq!(breaker.state(), Closed);
}

#[test]
fn a2_polly_1979_cockatiel_an_error_of_the_caller_as_probe_neither_closes_nor_wedges() {
    for class in [ErrorClass::BadRequest, ErrorClass::Auth, ErrorClass::ModelNotFound, ErrorClass::ContextLength] {
        let breaker = TestBreaker::new();
        breaker.open();
        breaker.at(1_000);
        let client = client(&breaker, retry_config(2), [Reply::class(class), Reply::class(class), Reply::ok()]);
        for _ in 0..2 {
            let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
            assert_eq!((outcome.status, outcome.attempts()), (OutcomeStatus::Error, 1), "{class}");
            assert_eq!(breaker.state(), HalfOpen, "{class}");
        }
        run(&breaker.clock, client.chat("hi")).unwrap();
        assert_eq!(breaker.state(), Closed, "{class}");
    }
}

#[test]
fn a4_sglang_40603_nv_redfish_211_an_old_probe_can_not_free_the_place_of_a_newer_one() {
    for report in ["cancelled", "success", "failure"] {
        let breaker = TestBreaker::with(|config| config.probe_lease = Some(ms(500)));
        breaker.open();
        let old = breaker.at(1_000).admit();
        assert!(breaker.at(1_499).rejects());
        let new = breaker.at(1_500).admit();
        match report {
            "cancelled" => drop(old),
            "success" => old.success(),
            _ => old.failure(Default::default()),
        }
        assert!(breaker.rejects(), "{report}: the newer probe still runs");
        assert_eq!((breaker.state(), breaker.stats().stale), (HalfOpen, 1), "{report}");
        new.success();
        assert_eq!(breaker.state(), Closed);
    }
}

#[test]
fn a5_voidllm_185_a_throttled_probe_leaves_no_reservation_behind() {
    let breaker = TestBreaker::new();
    breaker.open();
    breaker.at(1_000);
    let client = client(&breaker, retry_config(0), [Reply::error(throttled(20_000)), Reply::ok()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!(outcome.retry_after, Some(ms(20_000)));
    assert!(breaker.at(20_999).rejects());
    breaker.at(21_000);
    run(&breaker.clock, client.chat("hi")).unwrap();
    assert_eq!((breaker.state(), client.inner().called_at()), (Closed, vec![1_000, 21_000]));
}

#[test]
fn a7_tower_resilience_382_probes_in_flight_count() {
    for (probes, threshold) in [(1, 1), (2, 2), (2, 5), (7, 3)] {
        let breaker = TestBreaker::with(|config| {
            (config.half_open_probes, config.success_threshold) = (probes, threshold);
        });
        breaker.open();
        breaker.at(1_000);
        let client = client(&breaker, retry_config(2), [Reply::ok().after(5_000)]);
        let calls = (0..20).map(|_| client.execute("hi", CallOptions::default()));
        let outcomes = run(&breaker.clock, join_all(calls));
        let answered = outcomes.iter().filter(|outcome| outcome.status == OutcomeStatus::Ok).count();
        assert_eq!((answered, client.inner().calls()), (probes as usize, probes as usize));
        assert_eq!(breaker.stats().rejected, 20 - u64::from(probes));
    }
}

/// 64 threads ask at the very moment of expiry; the main thread opens the breaker again between the rounds.
#[test]
fn a8_resilience4j_1432_a_race_at_the_expiry_admits_no_more_than_the_probes() {
    const THREADS: usize = 64;
    const ROUNDS: usize = 1_000;
    let breaker = Arc::new(TestBreaker::with(|config| config.half_open_probes = 3));
    let (admitted, barrier) = (Arc::new(AtomicU32::new(0)), Arc::new(Barrier::new(THREADS + 1)));
    let ask = |breaker: Arc<TestBreaker>, admitted: Arc<AtomicU32>, barrier: Arc<Barrier>| {
        for _ in 0..ROUNDS {
            barrier.wait();
            let permit = breaker.try_acquire();
            admitted.fetch_add(u32::from(permit.is_ok()), Ordering::SeqCst);
            barrier.wait();
            if let Ok(permit) = permit {
                permit.failure(Default::default());
            }
            barrier.wait();
        }
    };
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (breaker, admitted, barrier) = (breaker.clone(), admitted.clone(), barrier.clone());
            thread::spawn(move || ask(breaker, admitted, barrier))
        })
        .collect();
    breaker.open();
    for round in 1..=ROUNDS {
        breaker.clock.advance(ms(1_000));
        barrier.wait();
        barrier.wait();
        assert_eq!(admitted.swap(0, Ordering::SeqCst), 3, "round {round}");
        barrier.wait();
        assert_eq!(breaker.state(), Open, "round {round}");
    }
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!((breaker.stats().half_opened, breaker.stats().opened), (1_000, 1_001));
}

#[test]
fn a10_safe_client_gateway_3442_a_hanging_service_sees_one_call() {
    let breaker = TestBreaker::new();
    breaker.open();
    let client = client(&breaker, retry_config(2), [Reply::hang()]);
    // 50 calls a second, from the expiry until half a second after the probe's timeout.
    let calls = (0..525).map(|call| {
        let (client, clock) = (&client, &breaker.clock);
        async move {
            at(clock, 1_000 + 20 * call, || ()).await;
            client.execute("hi", CallOptions::default()).await.stop_reason
        }
    });
    let reasons = run(&breaker.clock, join_all(calls));
    assert!(reasons.iter().all(|reason| *reason == StopReason::CircuitOpen));
    assert_eq!((client.inner().calls(), breaker.state()), (1, Open));
    assert_eq!(breaker.events()[2].at, Timestamp::from_millis(11_000), "it opens at the timeout");
}

#[test]
fn a10_safe_client_gateway_3442_a_probe_that_reports_its_timeout_late_still_counts() {
    let breaker = TestBreaker::new();
    breaker.open();
    let probe = breaker.at(1_000).try_acquire_for(ms(10_000)).unwrap();
    assert!(breaker.at(11_000).rejects(), "the place is not given away at the timeout itself");
    breaker.at(11_900);
    probe.failure(Default::default());
    assert_eq!(breaker.state(), Open);
}

#[test]
fn a11_gptme_contrib_1681_looking_changes_nothing() {
    let breaker = TestBreaker::new();
    breaker.open();
    breaker.at(1_000);
    for _ in 0..5 {
        assert_eq!((breaker.state(), breaker.retry_after()), (Open, ms(0)));
        let _ = (
            breaker.stats(),
            breaker.config(),
            breaker.consecutive_failures(),
            format!("{breaker:?}", breaker = *breaker.breaker),
        );
    }
    assert_eq!(breaker.stats().half_opened, 0);
    breaker.ok();
    assert_eq!(breaker.state(), Closed);
}

#[test]
fn a12_polly_216_calls_that_fail_after_it_opened_do_not_open_it_again() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 2);
    let in_flight: Vec<_> = (0..5).map(|_| breaker.admit()).collect();
    for (permit, moment) in in_flight.into_iter().zip([10, 20, 30, 40, 50]) {
        breaker.at(moment);
        permit.failure(Default::default());
    }
    let events = breaker.events();
    assert_eq!((events.len(), events[0].to, events[0].at), (1, Open, Timestamp::from_millis(20)));
    assert_eq!((breaker.stats().failures, breaker.stats().stale), (2, 3));
    assert_eq!(breaker.retry_after(), ms(970));
}

#[test]
fn a13_agbero_7_a_late_failure_does_not_restart_the_cooldown() {
    let breaker = TestBreaker::with(|config| config.cooldown = ms(5_000));
    let in_flight: Vec<_> = (0..40).map(|_| breaker.admit()).collect();
    breaker.open();
    for (permit, hundreds) in in_flight.into_iter().zip(10..) {
        breaker.at(hundreds * 100);
        permit.failure(Default::default());
    }
    assert!(breaker.at(4_999).rejects());
    assert!(breaker.at(5_000).admit().is_probe());
}

#[test]
fn a14_better_ccflare_349_the_whole_client_closes_its_breaker() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(2), [Reply::fail(), Reply::fail(), Reply::fail(), Reply::ok()]);
    let run_one = || run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!(run_one().status, OutcomeStatus::Fallback);
    // It opened at 300, after waits of 100 and 200.
    breaker.at(1_300);
    assert_eq!((run_one().status, breaker.state()), (OutcomeStatus::Ok, Closed));
    let expected =
        BreakerStats { successes: 1, failures: 3, opened: 1, half_opened: 1, closed: 1, ..Default::default() };
    assert_eq!(breaker.stats(), expected);
    let reasons: Vec<_> = breaker.events().iter().map(|event| event.reason).collect();
    use TransitionReason::{CooldownOver, Failures, ProbeSucceeded};
    assert_eq!(reasons, [Failures, CooldownOver, ProbeSucceeded]);
}

#[test]
fn a15_resilience4j_2038_polly_99_a_cooldown_of_zero_is_no_loop() {
    // A growing cooldown of 0 stays 0, also when the factor has grown to infinity.
    for factor in [1.0, 2.0, 100.0] {
        let breaker = TestBreaker::with(|config| (config.cooldown, config.cooldown_factor) = (ms(0), factor));
        breaker.open();
        for trip in 1..=100_000 {
            assert_eq!(breaker.retry_after(), ms(0), "trip {trip}, factor {factor}");
            breaker.fail();
        }
        assert_eq!(breaker.stats().opened, 100_001);
    }
}

#[test]
fn a15_resilience4j_2038_a_cooldown_of_zero_still_admits_one_probe_only() {
    let breaker = TestBreaker::with(|config| config.cooldown = ms(0));
    breaker.open();
    let probe = breaker.try_acquire_for(ms(0)).unwrap();
    let second = breaker.try_acquire_for(ms(0)).unwrap_err();
    assert_eq!(second.reason, RejectionReason::HalfOpenBusy);
    probe.success();
    assert_eq!(breaker.state(), Closed);
}
