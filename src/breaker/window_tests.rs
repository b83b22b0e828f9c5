use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::clock::ManualClock;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Judged by failures only, and by so many that nothing opens it.
fn counting(span: WindowSpan) -> WindowConfig {
    WindowConfig { span, failure_rate: None, failures: Some(1_000), slow_call: ms(100), ..WindowConfig::default() }
}

fn breaker(clock: &ManualClock, window: WindowConfig) -> CircuitBreaker {
    let config = BreakerConfig { window: Some(window), ..BreakerConfig::default() };
    CircuitBreaker::with_clock(config, Arc::new(clock.clone()), Arc::new(|| 0.5)).unwrap()
}

fn call(breaker: &CircuitBreaker, failed: bool, took: u64) {
    let permit = breaker.try_acquire().expect("closed");
    match failed {
        true => permit.failure(FailureReport { took: ms(took), ..FailureReport::default() }),
        false => permit.success_in(ms(took)),
    }
}

fn counts(breaker: &CircuitBreaker) -> (u32, u32, u32) {
    let WindowCounts { total, failed, slow } = breaker.window_counts().expect("a window");
    (total, failed, slow)
}

#[test]
fn a_window_of_calls_forgets_the_oldest_call() {
    let breaker = breaker(&ManualClock::new(), WindowConfig { failures: Some(3), ..counting(WindowSpan::Calls(3)) });
    let calls = [(true, 100), (false, 99), (true, 0), (false, 100), (false, 0)];
    let expected = [(1, 1, 1), (2, 1, 1), (3, 2, 1), (3, 1, 1), (3, 1, 1)];
    for ((failed, took), expected) in calls.into_iter().zip(expected) {
        call(&breaker, failed, took);
        assert_eq!(counts(&breaker), expected, "slow is what takes 100 ms or more");
    }
}

#[test]
fn a_window_of_time_forgets_a_bucket_at_a_time() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, counting(WindowSpan::Time { length: ms(300), buckets: 3 }));
    call(&breaker, true, 100);
    clock.advance(ms(99));
    call(&breaker, false, 0);
    clock.advance(ms(1));
    call(&breaker, true, 0);
    assert_eq!(counts(&breaker), (3, 2, 1));
    clock.advance(ms(199));
    assert_eq!(counts(&breaker), (3, 2, 1), "299 ms after the first");
    clock.advance(ms(1));
    assert_eq!(counts(&breaker), (1, 1, 0), "the first bucket is gone");
    call(&breaker, false, 100);
    assert_eq!(counts(&breaker), (2, 1, 1), "and empty for what comes now");
    clock.advance(ms(100));
    assert_eq!(counts(&breaker), (1, 0, 1));
    clock.advance(Duration::from_secs(3_600));
    assert_eq!(counts(&breaker), (0, 0, 0));
    call(&breaker, true, 0);
    assert_eq!(counts(&breaker), (1, 1, 0));
}

#[test]
fn each_limit_opens_as_soon_as_it_is_reached_with_enough_calls() {
    let ten = WindowConfig { minimum_calls: 10, ..counting(WindowSpan::Calls(10)) };
    let limits = [
        // three of ten failed, three of ten slow
        (WindowConfig { failures: None, failure_rate: Some(0.3), ..ten }, true, 0),
        (WindowConfig { failures: None, slow_rate: Some(0.3), ..ten }, false, 100),
        (WindowConfig { failures: Some(3), ..ten }, true, 0),
    ];
    for (window, failed, took) in limits {
        for bad in [2, 3] {
            let breaker = breaker(&ManualClock::new(), window);
            (0..bad).for_each(|_| call(&breaker, failed, took));
            (bad..9).for_each(|_| call(&breaker, false, 0));
            assert_eq!(breaker.state(), BreakerState::Closed, "nine calls are too few");
            call(&breaker, false, 0);
            let expected = if bad == 3 { BreakerState::Open } else { BreakerState::Closed };
            assert_eq!(breaker.state(), expected, "{bad} of ten, {window:?}");
        }
    }
}

/// 100 times 0.07 is above 7 in floating point.
#[test]
fn a_share_without_an_exact_form_is_reached_by_its_very_count() {
    let span = WindowSpan::Calls(100);
    let seven = WindowConfig { minimum_calls: 100, failure_rate: Some(0.07), failures: None, ..counting(span) };
    for (bad, expected) in [(6, BreakerState::Closed), (7, BreakerState::Open)] {
        let breaker = breaker(&ManualClock::new(), seven);
        (0..100).for_each(|number| call(&breaker, number < bad, 0));
        assert_eq!(breaker.state(), expected, "{bad} of 100");
    }
}

#[test]
fn how_long_a_success_took_is_asked_for_only_where_a_window_looks_at_it() {
    let without = CircuitBreaker::new(BreakerConfig::default()).unwrap();
    assert!(!without.try_acquire().unwrap().wants_duration());
    let with = breaker(&ManualClock::new(), counting(WindowSpan::Calls(1_000)));
    assert!(with.try_acquire().unwrap().wants_duration());
}

#[test]
fn an_event_tells_the_failures_in_the_window_which_then_is_empty() {
    let breaker = breaker(&ManualClock::new(), WindowConfig { failures: Some(2), ..counting(WindowSpan::Calls(10)) });
    let told = Arc::new(std::sync::Mutex::new(Vec::new()));
    let record = told.clone();
    breaker.subscribe(move |event| record.lock().unwrap().push((event.reason, event.failures)));
    [true, false, true].into_iter().for_each(|failed| call(&breaker, failed, 0));
    assert_eq!(*told.lock().unwrap(), [(TransitionReason::Window, 2)]);
    assert_eq!(counts(&breaker), (0, 0, 0));
}

#[test]
fn forced_closed_it_counts_no_success_and_opens_for_none() {
    let slow =
        WindowConfig { minimum_calls: 1, slow_rate: Some(1.0), failures: Some(10), ..counting(WindowSpan::Calls(10)) };
    let breaker = breaker(&ManualClock::new(), slow);
    breaker.force_closed();
    call(&breaker, false, 100);
    assert_eq!((breaker.state(), counts(&breaker)), (BreakerState::Closed, (0, 0, 0)));
}

#[test]
fn each_value_out_of_its_range_is_refused_by_name() {
    let refused = |change: fn(&mut WindowConfig)| {
        let mut window = WindowConfig { span: WindowSpan::Calls(10), ..WindowConfig::default() };
        change(&mut window);
        window.validate().map_err(|error| error.field)
    };
    assert_eq!(refused(|window| window.span = WindowSpan::Calls(0)), Err("window.calls"));
    assert_eq!(refused(|window| window.span = WindowSpan::Time { length: ms(0), buckets: 1 }), Err("window.lengthMs"));
    assert_eq!(refused(|window| window.span = WindowSpan::Time { length: ms(1), buckets: 0 }), Err("window.buckets"));
    assert_eq!(refused(|window| window.minimum_calls = 11), Err("window.minimumCalls"));
    assert_eq!(refused(|window| window.failures = Some(11)), Err("window.failures"));
    assert_eq!(refused(|window| window.slow_call = Duration::MAX), Err("window.slowCallMs"));
    for nonsense in [0.0, -0.1, 1.1, f64::NAN] {
        let window = WindowConfig { failure_rate: Some(nonsense), ..WindowConfig::default() };
        assert_eq!(window.validate().unwrap_err().field, "window.failureRate", "{nonsense}");
        let window = WindowConfig { slow_rate: Some(nonsense), ..WindowConfig::default() };
        assert_eq!(window.validate().unwrap_err().field, "window.slowRate", "{nonsense}");
    }
    let limits =
        |failure_rate, slow_rate, failures| WindowConfig { failure_rate, slow_rate, failures, ..Default::default() };
    assert_eq!(limits(None, None, None).validate().unwrap_err().field, "window");
    for one in [limits(Some(1.0), None, None), limits(None, Some(1.0), None), limits(None, None, Some(1))] {
        assert_eq!(one.validate(), Ok(()), "one limit is enough, and 1 a share");
    }
}
