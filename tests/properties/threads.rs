//! The breaker among real threads. Short: what it finds it finds in many small rounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use resilience::breaker::{BreakerConfig, BreakerState, CircuitBreaker};
use resilience::random::{Rng, SeededRng};

use crate::support::{TestBreaker, ms};

#[test]
fn each_report_of_many_threads_is_counted_once() {
    let config =
        BreakerConfig { cooldown: ms(0), half_open_probes: 2, success_threshold: 2, ..BreakerConfig::default() };
    let breaker = Arc::new(CircuitBreaker::new(config).unwrap());
    let (reports, rejections) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let threads: Vec<_> = (0..8)
        .map(|seed| {
            let (breaker, reports, rejections) = (breaker.clone(), reports.clone(), rejections.clone());
            thread::spawn(move || {
                let rng = SeededRng::new(seed);
                for _ in 0..20_000 {
                    let Ok(permit) = breaker.try_acquire() else {
                        rejections.fetch_add(1, Ordering::SeqCst);
                        continue;
                    };
                    reports.fetch_add(1, Ordering::SeqCst);
                    match (rng.next_unit() * 20.0) as u32 {
                        0..=8 => permit.success(),
                        9..=17 => permit.failure(Default::default()),
                        18 => permit.neutral(),
                        _ => {
                            permit.neutral();
                            breaker.reset();
                        }
                    }
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let stats = breaker.stats();
    assert_eq!(stats.successes + stats.failures + stats.neutral + stats.stale, reports.load(Ordering::SeqCst));
    assert_eq!(stats.rejected, rejections.load(Ordering::SeqCst));
    assert!(stats.opened > 100 && stats.half_opened > 100 && stats.stale > 0, "it was busy: {stats:?}");
    assert!(stats.half_opened <= stats.opened && stats.closed <= stats.opened);
    // No place is lost: it closes again, and a closed one counts from zero.
    while breaker.state() != BreakerState::Closed {
        breaker.try_acquire().unwrap().success();
    }
    breaker.reset();
    (0..2).for_each(|_| breaker.try_acquire().unwrap().failure(Default::default()));
    assert_eq!(breaker.consecutive_failures(), 2);
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
