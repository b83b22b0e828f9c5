use std::sync::Arc;

use resilience::breaker::CircuitBreaker;
use resilience::metrics::Metrics;
use resilience::registry::{Registry, RegistryError};

use crate::{THREADS, on_all_threads};

#[test]
fn calls_through_names_all_arrive_at_one_breaker_each() {
    let registry = Registry::<CircuitBreaker>::new();
    let rounds = 20_000;
    on_all_threads(
        rounds,
        |_, dice, ()| {
            let (breaker, _) = registry.get_or_create(&dice.roll(7).to_string(), Default::default()).unwrap();
            breaker.try_acquire().unwrap().success();
        },
        || (),
    );
    let metrics = Metrics::of(&registry.snapshot(), &[]);
    assert_eq!(metrics.breakers.len(), 7);
    assert_eq!(metrics.breakers.iter().map(|breaker| breaker.stats.successes).sum::<u64>(), (THREADS * rounds) as u64);
}

/// Names come and go: what somebody has is what the name stands for, and what it has seen is not forgotten.
#[test]
fn what_a_thread_has_stays_while_others_need_room() {
    let limit = 10;
    let registry = Registry::<CircuitBreaker>::with_limit(limit).unwrap();
    let full = on_all_threads(
        5_000,
        |_, dice, full: &mut u64| {
            let name = dice.roll(30).to_string();
            match registry.get_or_create(&name, Default::default()) {
                Ok((breaker, _)) => {
                    let again = registry.get(&name).expect("it is kept");
                    assert!(Arc::ptr_eq(&breaker, &again));
                }
                Err(RegistryError::Full { .. }) => *full += 1,
                Err(error) => panic!("{error}"),
            }
            assert!(registry.len() <= limit);
        },
        || 0,
    );
    assert!(full.iter().sum::<u64>() < 5_000, "most found room: {full:?}");
}
