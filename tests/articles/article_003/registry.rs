use std::sync::Arc;

use resilience::breaker::{BreakerConfig, BreakerState, CircuitBreaker};
use resilience::metrics::{Metrics, prometheus_text};

fn article() -> BreakerConfig {
    BreakerConfig { failure_threshold: 5, cooldown: std::time::Duration::from_secs(30), ..BreakerConfig::default() }
}

#[test]
fn a_new_breaker_is_in_the_metrics_without_being_signed_up() {
    let series = "resilience_breaker_state{name=\"003 event_log\",state=\"closed\"} 1\n";
    assert!(!prometheus_text().contains(series));
    CircuitBreaker::named("003 event_log", article()).unwrap();
    assert!(prometheus_text().contains(series));
}

#[test]
fn the_state_is_read_when_the_text_is_asked_for() {
    let (breaker, _) = CircuitBreaker::named("003 state", article()).unwrap();
    let state = || {
        let metrics = Metrics::of_all();
        metrics.breakers.iter().find(|one| one.name == "003 state").map(|one| (one.state, one.stats.opened)).unwrap()
    };
    assert_eq!(state(), (BreakerState::Closed, 0));
    (0..5).for_each(|_| breaker.try_acquire().unwrap().failure(Default::default()));
    assert_eq!(state(), (BreakerState::Open, 1));
    breaker.reset();
    assert_eq!(state(), (BreakerState::Closed, 1));
}

/// The article's event log: when its store is down, events are dropped at once instead of each waiting for a connection.
#[test]
fn an_optional_store_that_is_down_costs_its_callers_nothing() {
    let (breaker, _) = CircuitBreaker::named("003 store", article()).unwrap();
    let mut asked = 0;
    let mut write = || match breaker.try_acquire() {
        Ok(permit) => {
            asked += 1;
            permit.failure(Default::default());
            "degraded"
        }
        Err(_) => "degraded",
    };
    assert!((0..100).all(|_| write() == "degraded"));
    assert_eq!(asked, 5);
    breaker.reset();
}

#[test]
fn whoever_uses_the_name_has_the_same_breaker() {
    let named = || CircuitBreaker::named("003 shared", article()).unwrap().0;
    assert!(Arc::ptr_eq(&named(), &std::thread::spawn(named).join().unwrap()));
}
