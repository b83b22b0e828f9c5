//! The three states, and every way from one to another.

use resilience::breaker::BreakerConfig;
use resilience::breaker::BreakerState::{Closed, HalfOpen, Open};

use crate::support::{TestBreaker, ms};

/// Three failures, five seconds: the defaults.
fn breaker() -> TestBreaker {
    TestBreaker::with(|config| *config = BreakerConfig::default())
}

#[test]
fn the_numbers_of_the_states() {
    assert_eq!([Closed as u8, Open as u8, HalfOpen as u8], [0, 1, 2]);
}

#[test]
fn closed_lets_every_request_pass() {
    let breaker = breaker();
    assert!((0..100).all(|_| !breaker.rejects()));
    assert_eq!(breaker.state(), Closed);
}

#[test]
fn three_failures_in_a_row_open_it() {
    let breaker = breaker();
    for failures in 1..3 {
        breaker.fail();
        assert_eq!((breaker.state(), breaker.consecutive_failures()), (Closed, failures));
    }
    breaker.fail();
    assert_eq!(breaker.state(), Open);
}

#[test]
fn a_success_while_closed_sets_the_count_to_zero() {
    let breaker = breaker();
    breaker.fail();
    breaker.fail();
    breaker.ok();
    assert_eq!(breaker.consecutive_failures(), 0);
    breaker.fail();
    breaker.fail();
    assert_eq!(breaker.state(), Closed);
}

#[test]
fn open_rejects_until_the_cooldown_is_over() {
    let breaker = breaker();
    breaker.open();
    for moment in [0, 1, 2_500, 4_999] {
        assert!(breaker.at(moment).rejects(), "at {moment}");
        assert_eq!(breaker.state(), Open);
    }
}

#[test]
fn a_further_failure_while_open_changes_nothing() {
    let breaker = breaker();
    let slow = breaker.admit();
    breaker.open();
    breaker.at(4_000);
    slow.failure(Default::default());
    assert_eq!((breaker.state(), breaker.retry_after()), (Open, ms(1_000)));
}

#[test]
fn after_the_cooldown_one_probe_goes_out() {
    let breaker = breaker();
    breaker.open();
    let probe = breaker.at(5_000).admit();
    assert_eq!(breaker.state(), HalfOpen);
    assert!((0..100).all(|_| breaker.rejects()), "one, not more");
    probe.neutral();
}

#[test]
fn a_probe_that_succeeds_closes_it() {
    let breaker = breaker();
    breaker.open();
    breaker.at(5_000).ok();
    assert_eq!((breaker.state(), breaker.consecutive_failures()), (Closed, 0));
}

#[test]
fn a_probe_that_fails_opens_it_for_a_whole_cooldown() {
    let breaker = breaker();
    breaker.open();
    breaker.at(7_000).fail();
    assert_eq!(breaker.state(), Open);
    assert!(breaker.at(11_999).rejects());
    assert!(breaker.at(12_000).admit().is_probe());
}

#[test]
fn threshold_cooldown_and_clock_come_from_outside() {
    let breaker = TestBreaker::with(|config| (config.failure_threshold, config.cooldown) = (1, ms(30)));
    breaker.at(1_000).fail();
    assert_eq!(breaker.state(), Open);
    assert!(breaker.at(1_029).rejects());
    assert!(!breaker.at(1_030).rejects());
}
