use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::classify::ErrorClass;
use crate::clock::ManualClock;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn breaker(clock: &ManualClock, config: BreakerConfig, chance: f64) -> CircuitBreaker {
    CircuitBreaker::with_clock(config, Arc::new(clock.clone()), Arc::new(move || chance)).unwrap()
}

/// Open after one failure, for a second; a probe may hang for ten.
fn soon_open(clock: &ManualClock, config: BreakerConfig) -> CircuitBreaker {
    let config = BreakerConfig { failure_threshold: 1, cooldown: ms(1_000), probe_lease: Some(ms(10_000)), ..config };
    breaker(clock, config, 0.5)
}

#[test]
fn a_probe_whose_lease_ends_now_has_lost_its_place_to_the_next_call() {
    let clock = ManualClock::new();
    let breaker = soon_open(&clock, BreakerConfig { half_open_probes: 2, ..BreakerConfig::default() });
    let call = breaker.try_acquire().unwrap();
    assert!(!call.is_probe());
    call.failure(FailureReport::default());
    clock.advance(ms(1_000));
    let hanging = breaker.try_acquire().unwrap();
    assert!(hanging.is_probe());
    clock.advance(ms(9_999));
    let second = breaker.try_acquire().unwrap();
    let busy = Rejection { reason: RejectionReason::HalfOpenBusy, retry_after: ms(1) };
    assert_eq!(breaker.try_acquire().unwrap_err(), busy);
    clock.advance(ms(1));
    let third = breaker.try_acquire().unwrap();
    assert_eq!(breaker.retry_after(), ms(9_999), "until the second one's lease ends");
    hanging.failure(FailureReport::default());
    assert_eq!((breaker.state(), breaker.stats().stale), (BreakerState::HalfOpen, 1));
    second.neutral();
    third.success();
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn the_end_of_a_retry_after_frees_no_place_of_a_probe() {
    let clock = ManualClock::new();
    let breaker = soon_open(&clock, BreakerConfig::default());
    let late = breaker.try_acquire().unwrap();
    breaker.try_acquire().unwrap().failure(FailureReport::default());
    clock.advance(ms(1_000));
    let _probe = breaker.try_acquire().unwrap();
    late.failure(FailureReport { retry_after: Some(ms(500)), ..FailureReport::default() });
    let rejected = || breaker.try_acquire().unwrap_err();
    clock.advance(ms(499));
    assert_eq!(rejected(), Rejection { reason: RejectionReason::RetryAfter, retry_after: ms(1) });
    clock.advance(ms(1));
    assert_eq!(rejected(), Rejection { reason: RejectionReason::HalfOpenBusy, retry_after: ms(9_500) });
}

#[test]
fn of_calls_from_before_a_switch_by_hand_nothing_counts() {
    for switch in [CircuitBreaker::isolate, CircuitBreaker::force_closed, CircuitBreaker::reset] {
        let breaker = breaker(&ManualClock::new(), BreakerConfig::default(), 0.5);
        let (first, second) = (breaker.try_acquire().unwrap(), breaker.try_acquire().unwrap());
        switch(&breaker);
        first.success();
        second.failure(FailureReport { retry_after: Some(ms(500)), ..FailureReport::default() });
        assert_eq!((breaker.stats().stale, breaker.stats().successes, breaker.stats().failures), (2, 0, 0));
        assert!(breaker.retry_after() == ms(0) || breaker.retry_after() == Duration::MAX, "isolated or free");
    }
}

#[test]
fn each_thing_that_it_has_seen_is_counted_once() {
    let clock = ManualClock::new();
    let config = BreakerConfig { failure_threshold: 1, cooldown: ms(1_000), ..BreakerConfig::default() };
    let breaker = breaker(&clock, config, 0.5);
    breaker.subscribe(|event| assert!(event.to != BreakerState::Closed, "listener gone wrong"));
    let admit = || breaker.try_acquire().expect("admitted");
    for round in 1..=2 {
        let late = admit();
        admit().success();
        admit().neutral();
        admit().failure(FailureReport::default());
        late.success();
        assert!(breaker.try_acquire().is_err(), "open");
        clock.advance(ms(1_000));
        let probe = admit();
        assert!(breaker.try_acquire().is_err(), "half-open, and its place taken");
        probe.success();
        let (failures, neutral, stale, listener_errors) = (round, round, round, round);
        let (opened, half_opened, closed) = (round, round, round);
        let (successes, rejected) = (2 * round, 2 * round);
        let expected = BreakerStats {
            successes,
            failures,
            neutral,
            stale,
            rejected,
            opened,
            half_opened,
            closed,
            listener_errors,
        };
        assert_eq!(breaker.stats(), expected);
    }
}

#[test]
fn it_knows_what_kind_of_fault_the_latest_failure_was_until_a_success() {
    let breaker = breaker(&ManualClock::new(), BreakerConfig::default(), 0.5);
    for cause in [Some(ErrorClass::Connect), Some(ErrorClass::Server)] {
        breaker.try_acquire().unwrap().failure(FailureReport { cause, ..FailureReport::default() });
        assert_eq!(breaker.cause(), cause);
    }
    breaker.try_acquire().unwrap().success();
    assert_eq!(breaker.cause(), None);
}

#[test]
fn a_retry_after_is_spread_later_by_the_share_of_the_cooldown_and_never_earlier() {
    let config = BreakerConfig { cooldown_spread: 0.2, max_retry_after: ms(11_500), ..BreakerConfig::default() };
    for (chance, expected) in [(0.0, 10_000), (0.5, 11_000), (0.999, 11_500)] {
        let breaker = breaker(&ManualClock::new(), config, chance);
        let asked = FailureReport { retry_after: Some(ms(10_000)), ..FailureReport::default() };
        breaker.try_acquire().unwrap().failure(asked);
        assert_eq!(breaker.retry_after(), ms(expected), "{chance}");
    }
}

#[test]
fn in_a_log_it_is_its_state() {
    let breaker = breaker(&ManualClock::new(), BreakerConfig::default(), 0.5);
    assert_eq!(format!("{breaker:?}"), "CircuitBreaker { state: Closed, .. }");
}
