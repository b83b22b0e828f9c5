//! C: windows and thresholds. Rows 4, 5, 19 and 22 of the list of defects that were verified on the peers themselves.

use std::time::Duration;

use resilience::breaker::BreakerState::{Closed, Open};
use resilience::breaker::{
    BreakerConfig, CircuitBreaker, FailureReport, TransitionReason, WindowConfig, WindowCounts, WindowSpan,
};

use crate::support::{TestBreaker, ms};

fn last_calls(calls: u32, minimum_calls: u32, failure_rate: f64) -> WindowConfig {
    let span = WindowSpan::Calls(calls);
    WindowConfig { span, minimum_calls, failure_rate: Some(failure_rate), ..WindowConfig::default() }
}

fn last_time(length: u64, buckets: u32, minimum_calls: u32, failure_rate: f64) -> WindowConfig {
    let span = WindowSpan::Time { length: ms(length), buckets };
    WindowConfig { span, minimum_calls, failure_rate: Some(failure_rate), ..WindowConfig::default() }
}

fn with(window: WindowConfig) -> TestBreaker {
    TestBreaker::with(|config| config.window = Some(window))
}

/// Plays `f` for a failed call and `o` for a good one; gives the number of calls that were let through.
fn play(breaker: &TestBreaker, calls: &str) -> usize {
    calls
        .chars()
        .take_while(|call| {
            let Ok(permit) = breaker.try_acquire() else { return false };
            if *call == 'f' {
                permit.failure(FailureReport::default())
            } else {
                permit.success()
            }
            true
        })
        .count()
}

fn took(breaker: &TestBreaker, failed: bool, millis: u64) {
    let permit = breaker.admit();
    if failed {
        permit.failure(FailureReport { took: ms(millis), ..FailureReport::default() });
    } else {
        permit.success_in(ms(millis));
    }
}

#[test]
fn a1_opossum_276_the_minimum_is_not_asked_for_while_half_open() {
    let breaker = with(last_calls(10, 5, 0.5));
    play(&breaker, "fffff");
    assert_eq!(breaker.state(), Open);
    breaker.at(1_000);
    breaker.fail();
    assert_eq!(breaker.state(), Open, "one failed probe is enough");
    breaker.at(2_000);
    breaker.ok();
    assert_eq!((breaker.state(), breaker.window_counts()), (Closed, Some(WindowCounts::default())));
}

#[test]
fn c1_recloser_10_the_window_is_judged_after_each_call_a_good_one_too() {
    let breaker = with(last_calls(10, 10, 0.5));
    assert_eq!(play(&breaker, "fffffffffo"), 10);
    assert_eq!(breaker.state(), Open);
}

#[test]
fn c2_mcp_proxy_220_it_opens_at_the_minimum_however_long_the_window_is() {
    let breaker = with(last_calls(100, 5, 0.5));
    assert_eq!(play(&breaker, "ffffffff"), 5);
}

#[test]
fn c3_tower_resilience_the_window_of_calls_slides() {
    let breaker = with(last_calls(10, 10, 0.5));
    let calls = format!("{}{}", "o".repeat(1_000), "f".repeat(1_000));
    assert_eq!(play(&breaker, &calls), 1_005, "five of the last ten");
}

#[test]
fn c4_resilience4j_1262_a_bucket_that_is_used_again_starts_from_nothing() {
    let mut window = last_time(2_000, 4, 3, 1.0);
    (window.slow_rate, window.slow_call) = (Some(1.0), ms(100));
    window.minimum_calls = 100;
    let breaker = with(window);
    (0..3).for_each(|_| took(&breaker, true, 500));
    assert_eq!(breaker.window_counts(), Some(WindowCounts { total: 3, failed: 3, slow: 3 }));
    breaker.at(5_000);
    (0..10).for_each(|_| took(&breaker, false, 1));
    assert_eq!(breaker.window_counts(), Some(WindowCounts { total: 10, failed: 0, slow: 0 }));
}

#[test]
fn c6_opossum_resilience4j_a_rate_that_is_reached_opens() {
    for (calls, window, rate) in
        [("fofo", 4, 0.5), ("ffff", 4, 1.0), ("fffooooooo", 10, 0.3), ("oooooooooo", 10, 0.000_1)]
    {
        let breaker = with(last_calls(window, window, rate));
        assert_eq!(play(&breaker, calls), calls.len());
        assert_eq!(breaker.state(), if calls.contains('f') { Open } else { Closed }, "{calls} at {rate}");
    }
    let breaker = with(last_calls(10, 10, 0.3));
    play(&breaker, "ffoooooooo");
    assert_eq!(breaker.state(), Closed, "two of ten are less than 30 %");
}

#[test]
fn c7_opossum_calls_in_flight_do_not_dilute_the_rate() {
    let breaker = with(last_calls(100, 3, 0.5));
    let in_flight: Vec<_> = (0..10).map(|_| breaker.admit()).collect();
    assert_eq!(play(&breaker, "fffff"), 3);
    in_flight.into_iter().for_each(|permit| permit.success());
    assert_eq!(breaker.state(), Open, "late results count for nothing");
}

#[test]
fn c8_resilience4j_667_slow_and_failed_are_judged_apart() {
    let mut window = last_calls(10, 10, 0.5);
    (window.slow_rate, window.slow_call) = (Some(0.8), ms(100));
    let breaker = with(window);
    (0..4).for_each(|_| took(&breaker, true, 1));
    (0..4).for_each(|_| took(&breaker, false, 100));
    (0..2).for_each(|_| took(&breaker, false, 99));
    assert_eq!((breaker.state(), breaker.window_counts().unwrap().slow), (Closed, 4));
    let breaker = with(window);
    (0..8).for_each(|_| took(&breaker, false, 200));
    (0..2).for_each(|_| took(&breaker, true, 200));
    assert_eq!(breaker.state(), Open, "all slow, few failed: a call may be both");
}

#[test]
fn c9_recloser_degenerate_settings_are_refused_and_exactly_n_failures_open() {
    let refused = |window| {
        let config = BreakerConfig { window: Some(window), ..BreakerConfig::default() };
        CircuitBreaker::new(config).err().map(|error| error.field)
    };
    for rate in [0.0, -0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert_eq!(refused(last_calls(10, 5, rate)), Some("window.failureRate"), "{rate}");
        let slow = WindowConfig { slow_rate: Some(rate), ..last_calls(10, 5, 0.5) };
        assert_eq!(refused(slow), Some("window.slowRate"), "{rate}");
    }
    assert_eq!(refused(last_calls(0, 1, 0.5)), Some("window.calls"));
    assert_eq!(refused(last_calls(10_001, 1, 0.5)), Some("window.calls"));
    assert_eq!(refused(last_calls(10, 0, 0.5)), Some("window.minimumCalls"));
    assert_eq!(refused(last_time(0, 10, 1, 0.5)), Some("window.lengthMs"));
    assert_eq!(refused(last_time(1_000, 0, 1, 0.5)), Some("window.buckets"));
    assert_eq!(refused(WindowConfig { failures: Some(0), ..last_calls(10, 1, 0.5) }), Some("window.failures"));
    assert_eq!(refused(WindowConfig { failure_rate: None, ..last_calls(10, 1, 0.5) }), Some("window"));
    assert_eq!(refused(last_calls(1, 1, 1.0)), None);
    let breaker = TestBreaker::with(|config| config.failure_threshold = 3);
    assert_eq!(play(&breaker, "ffff"), 3);
}

#[test]
fn c10_vertx_53_a_success_does_not_wipe_a_window() {
    let breaker = with(last_time(10_000, 10, 10, 0.5));
    assert_eq!(play(&breaker, "ffffffoffff"), 10);
    assert_eq!(breaker.state(), Open);
}

#[test]
fn c11_resilience4j_1349_a_minimum_beyond_the_window_is_refused() {
    let config = BreakerConfig { window: Some(last_calls(5, 10, 0.5)), ..BreakerConfig::default() };
    let error = CircuitBreaker::new(config).unwrap_err();
    assert_eq!(error.to_string(), "window.minimumCalls: got 10, allowed: a whole number from 1 to 5");
}

/// Article 002: 5 errors within 60 seconds.
#[test]
fn so_many_failures_within_a_time_open_it() {
    let mut window = last_time(60_000, 60, 1, 1.0);
    (window.failure_rate, window.failures) = (None, Some(5));
    let breaker = with(window);
    for second in [0, 10, 20, 30, 59] {
        assert_eq!(breaker.state(), Closed);
        breaker.at(second * 1_000);
        breaker.ok();
        breaker.fail();
    }
    assert_eq!(breaker.state(), Open);
    assert_eq!(
        breaker.events().last().map(|event| (event.reason, event.failures)),
        Some((TransitionReason::Window, 5))
    );
    let breaker = with(window);
    for second in [0, 10, 20, 30, 61] {
        breaker.at(second * 1_000);
        breaker.fail();
    }
    assert_eq!(breaker.state(), Closed, "the first is gone by then");
}

#[test]
fn a_long_silence_empties_a_window_of_time() {
    let breaker = with(last_time(10_000, 10, 3, 0.5));
    play(&breaker, "ff");
    breaker.at(1_000_000_000);
    assert_eq!(breaker.window_counts(), Some(WindowCounts::default()));
    play(&breaker, "f");
    assert_eq!((breaker.state(), breaker.window_counts().unwrap().total), (Closed, 1));
    assert_eq!(breaker.config().window.unwrap().slow_call, Duration::from_secs(10));
}
