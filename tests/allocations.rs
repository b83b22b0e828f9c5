//! What must not allocate: the paths that each call takes, and the one that many calls take while a service is down.

#[path = "../benches/counting/mod.rs"]
mod counting;

use std::time::Duration;

use counting::{Allocations, allocations};
use resilience::backoff::BackoffConfig;
use resilience::breaker::{BreakerConfig, CircuitBreaker};
use resilience::random::SeededRng;

const NONE: Allocations = Allocations { count: 0, bytes: 0 };

#[test]
fn the_counter_counts() {
    let grown = allocations(|| {
        let mut numbers: Vec<u64> = std::hint::black_box(Vec::with_capacity(1));
        numbers.extend([1, 2]);
        std::hint::black_box(&numbers);
    });
    assert_eq!(grown.count, 2, "{grown:?}");
}

#[test]
fn a_closed_breaker_allocates_nothing() {
    let breaker = CircuitBreaker::new(BreakerConfig::default()).unwrap();
    let admitted = allocations(|| {
        for _ in 0..100 {
            breaker.try_acquire().unwrap().success();
            breaker.try_acquire().unwrap().neutral();
            breaker.try_acquire().unwrap().failure(Default::default());
            breaker.try_acquire().unwrap().success();
        }
    });
    assert_eq!((admitted, breaker.stats().failures), (NONE, 100));
}

#[test]
fn an_open_breaker_allocates_nothing() {
    let cooldown = Duration::from_secs(3_600);
    let config = BreakerConfig { failure_threshold: 1, cooldown, ..Default::default() };
    let breaker = CircuitBreaker::new(config).unwrap();
    breaker.try_acquire().unwrap().failure(Default::default());
    let rejected = allocations(|| (0..100).for_each(|_| assert!(breaker.try_acquire().is_err())));
    assert_eq!((rejected, breaker.stats().rejected), (NONE, 100));
}

#[test]
fn waits_allocate_nothing() {
    let backoff = BackoffConfig::default().build().unwrap();
    let rng = SeededRng::from_system();
    let waited = allocations(|| {
        let mut delays = backoff.delays();
        (0..100).for_each(|_| assert!(delays.next(&backoff, &rng) <= backoff.config().max_delay));
    });
    assert_eq!(waited, NONE);
}
