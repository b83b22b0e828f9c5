//! Admission and results: the ways past the lock and the one through it.

use std::sync::Arc;

use loom::sync::Mutex;
use loom::thread;
use resilience::breaker::{
    BreakerConfig, BreakerState, BreakerStats, CircuitBreaker, RejectionReason, WindowConfig, WindowSpan,
};

use crate::{Still, middle, model, ms};

/// Opens after so many failures in a row, and stays so: time stands still.
fn breaker(failure_threshold: u32) -> Arc<CircuitBreaker> {
    of(BreakerConfig { failure_threshold, ..BreakerConfig::default() })
}

fn of(config: BreakerConfig) -> Arc<CircuitBreaker> {
    Arc::new(CircuitBreaker::with_clock(config, Arc::new(Still), Arc::new(middle)).unwrap())
}

fn fail(breaker: &CircuitBreaker) {
    breaker.try_acquire().into_iter().for_each(|permit| permit.failure(Default::default()));
}

fn succeed(breaker: &CircuitBreaker) {
    breaker.try_acquire().into_iter().for_each(|permit| permit.success());
}

/// Runs both at once.
fn race(breaker: &Arc<CircuitBreaker>, other: fn(&CircuitBreaker), this: fn(&CircuitBreaker)) {
    let shared = breaker.clone();
    let thread = thread::spawn(move || other(&shared));
    this(breaker);
    thread.join().unwrap();
}

/// All calls that were asked for.
fn calls(stats: BreakerStats) -> u64 {
    stats.successes + stats.failures + stats.neutral + stats.stale + stats.rejected
}

#[test]
fn no_failure_is_lost() {
    model(|| {
        let breaker = breaker(2);
        let events = Arc::new(Mutex::new(Vec::new()));
        let told = events.clone();
        breaker.subscribe(move |event| told.lock().unwrap().push((event.from, event.to)));
        race(&breaker, fail, fail);
        assert_eq!((breaker.state(), breaker.stats().failures), (BreakerState::Open, 2));
        assert_eq!(*events.lock().unwrap(), [(BreakerState::Closed, BreakerState::Open)], "told once");
    });
}

#[test]
fn a_failure_that_a_success_may_have_come_before_is_still_reset_by_the_next_one() {
    model(|| {
        let breaker = breaker(2);
        race(&breaker, fail, succeed);
        assert_eq!(calls(breaker.stats()), 2);
        succeed(&breaker);
        assert_eq!(breaker.consecutive_failures(), 0);
        fail(&breaker);
        assert_eq!(breaker.state(), BreakerState::Closed);
    });
}

#[test]
fn a_success_while_another_thread_opens_it_leaves_it_open() {
    model(|| {
        let breaker = breaker(1);
        race(&breaker, fail, succeed);
        let stats = breaker.stats();
        assert_eq!((breaker.state(), stats.opened, calls(stats)), (BreakerState::Open, 1, 2));
        assert!(breaker.try_acquire().is_err());
    });
}

#[test]
fn what_is_read_without_the_lock_is_what_came_last() {
    model(|| {
        let breaker = breaker(1);
        race(&breaker, fail, |breaker| breaker.reset());
        let stats = breaker.stats();
        let open = stats.opened > stats.closed;
        assert_eq!(breaker.state() == BreakerState::Open, open);
        assert_eq!(breaker.try_acquire().is_err(), open);
    });
}

#[test]
fn isolated_or_reset_beside_a_call_it_does_not_count_what_came_before() {
    model(|| {
        let breaker = breaker(1);
        let before = breaker.try_acquire().unwrap();
        race(&breaker, |breaker| breaker.isolate(), succeed);
        let reason = breaker.try_acquire().map(drop).unwrap_err().reason;
        assert_eq!(reason, RejectionReason::Isolated);
        race(&breaker, |breaker| breaker.reset(), |breaker| drop(breaker.try_acquire()));
        let stale = breaker.stats().stale;
        before.success();
        assert_eq!((breaker.stats().stale, breaker.state()), (stale + 1, BreakerState::Closed));
    });
}

#[test]
fn a_window_misses_no_call_that_matters() {
    model(|| {
        let last_two = WindowConfig {
            span: WindowSpan::Calls(2),
            minimum_calls: 2,
            failure_rate: Some(1.0),
            ..WindowConfig::default()
        };
        let breaker = of(BreakerConfig { window: Some(last_two), ..BreakerConfig::default() });
        (0..2).for_each(|_| succeed(&breaker));
        race(&breaker, fail, succeed);
        let counts = breaker.window_counts().unwrap();
        assert_eq!((counts.total, counts.failed), (2, 1));
        (0..2).for_each(|_| succeed(&breaker));
        assert_eq!(breaker.window_counts().unwrap().failed, 0);
        assert_eq!(calls(breaker.stats()), 6);
    });
}

#[test]
fn who_is_rejected_without_the_lock_is_counted() {
    model(|| {
        let breaker = of(BreakerConfig { failure_threshold: 1, cooldown: ms(1_000), ..BreakerConfig::default() });
        fail(&breaker);
        race(&breaker, succeed, succeed);
        assert_eq!(breaker.stats().rejected, 2);
    });
}
