//! The breaker among real threads. Short: what it finds it finds in many small rounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use resilience::breaker::{BreakerConfig, BreakerState, CircuitBreaker, WindowConfig, WindowSpan};
use resilience::metrics::{self, Metrics};

use crate::on_all_threads;
use crate::support::{TestBreaker, ms};

/// Calls that one thread made.
#[derive(Default)]
struct Calls {
    reported: u64,
    rejected: u64,
}

fn each_report_is_counted_once(window: Option<WindowConfig>) {
    let config = BreakerConfig {
        window,
        cooldown: ms(0),
        half_open_probes: 2,
        success_threshold: 2,
        ..BreakerConfig::default()
    };
    let breaker = Arc::new(CircuitBreaker::new(config).unwrap());
    let events = Arc::new(AtomicU64::new(0));
    let told = events.clone();
    breaker.subscribe(move |_| _ = told.fetch_add(1, Ordering::SeqCst));
    let calls = on_all_threads(
        20_000,
        |_, dice, calls: &mut Calls| {
            let Ok(permit) = breaker.try_acquire() else {
                calls.rejected += 1;
                return;
            };
            calls.reported += 1;
            match dice.roll(20) {
                0..=8 => permit.success(),
                9..=17 => permit.failure(Default::default()),
                18 => permit.neutral(),
                _ => {
                    permit.neutral();
                    breaker.reset();
                }
            }
        },
        Calls::default,
    );
    let reported: u64 = calls.iter().map(|calls| calls.reported).sum();
    let rejected: u64 = calls.iter().map(|calls| calls.rejected).sum();
    let stats = breaker.stats();
    assert_eq!(stats.successes + stats.failures + stats.neutral + stats.stale, reported);
    assert_eq!(stats.rejected, rejected);
    assert!(stats.opened > 100 && stats.half_opened > 100 && stats.stale > 0, "it was busy: {stats:?}");
    assert!(stats.half_opened <= stats.opened && stats.closed <= stats.opened);
    assert_eq!(stats.opened + stats.half_opened + stats.closed, events.load(Ordering::SeqCst), "each was told once");
    assert_eq!(sum_of_metrics(&breaker), reported + rejected);
    // No place is lost: it closes again, and a closed one counts from zero.
    while breaker.state() != BreakerState::Closed {
        breaker.try_acquire().unwrap().success();
    }
    breaker.reset();
    (0..2).for_each(|_| breaker.try_acquire().unwrap().failure(Default::default()));
    assert_eq!(breaker.consecutive_failures(), 2);
    assert_eq!(breaker.window_counts().map_or(2, |window| window.total), 2);
}

/// All calls of the text for Prometheus.
fn sum_of_metrics(breaker: &Arc<CircuitBreaker>) -> u64 {
    let text = metrics::render(&Metrics::of(&[("service".to_owned(), breaker.clone())], &[]));
    let samples = text.lines().filter(|line| line.starts_with("resilience_breaker_calls_total{"));
    samples.map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap()).sum()
}

#[test]
fn failures_in_a_row() {
    each_report_is_counted_once(None);
}

#[test]
fn a_window_of_calls() {
    let span = WindowSpan::Calls(20);
    each_report_is_counted_once(Some(WindowConfig { span, minimum_calls: 5, ..WindowConfig::default() }));
}

#[test]
fn a_window_of_time() {
    let span = WindowSpan::Time { length: ms(1_000), buckets: 10 };
    each_report_is_counted_once(Some(WindowConfig { span, minimum_calls: 5, ..WindowConfig::default() }));
}

/// A success skips the lock when there is nothing to reset: it must not skip it when there is.
#[test]
fn a_success_after_a_failure_is_never_skipped() {
    let breaker = Arc::new(TestBreaker::with(|config| config.failure_threshold = 2));
    let other = breaker.clone();
    let noise = thread::spawn(move || {
        for _ in 0..200_000 {
            other.try_acquire().into_iter().for_each(|permit| permit.neutral());
        }
    });
    while !noise.is_finished() {
        breaker.fail();
        breaker.ok();
        assert_eq!((breaker.consecutive_failures(), breaker.state()), (0, BreakerState::Closed));
    }
    noise.join().unwrap();
}
