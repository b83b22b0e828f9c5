//! Probes of a half-open breaker.

use std::sync::Arc;

use loom::sync::Mutex;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread;
use resilience::breaker::{BreakerConfig, BreakerState, CircuitBreaker, Permit};

use crate::{Time, large_model, middle, model, ms};

/// A breaker whose cooldown has just ended.
struct Recovering {
    breaker: CircuitBreaker,
    time: Arc<Time>,
    /// Probes that are out now.
    out: AtomicU32,
    events: Arc<Mutex<Vec<BreakerState>>>,
}

impl Recovering {
    /// With so many probes at once, each of which has its place for 1000 ms.
    fn new(probes: u32) -> Arc<Self> {
        let config = BreakerConfig {
            failure_threshold: 1,
            cooldown: ms(1_000),
            half_open_probes: probes,
            probe_lease: Some(ms(1_000)),
            ..BreakerConfig::default()
        };
        let time = Arc::new(Time::default());
        let breaker = CircuitBreaker::with_clock(config, time.clone(), Arc::new(middle)).unwrap();
        breaker.try_acquire().unwrap().failure(Default::default());
        let events = Arc::new(Mutex::new(Vec::new()));
        let told = events.clone();
        breaker.subscribe(move |event| told.lock().unwrap().push(event.to));
        time.set(1_000);
        Arc::new(Self { breaker, time, out: AtomicU32::new(0), events })
    }

    /// Asks for a call, and ends it in this way.
    fn call(&self, end: impl FnOnce(Permit)) {
        let Ok(permit) = self.breaker.try_acquire() else { return };
        if permit.is_probe() {
            let others = self.out.fetch_add(1, Ordering::SeqCst);
            assert!(others < self.breaker.config().half_open_probes, "never more out than allowed");
            self.out.fetch_sub(1, Ordering::SeqCst);
        }
        end(permit);
    }

    fn events(&self) -> Vec<BreakerState> {
        self.events.lock().unwrap().clone()
    }
}

/// Runs all of them at once, the first one here.
fn race<const N: usize>(shared: &Arc<Recovering>, calls: [fn(&Recovering); N]) {
    let threads: Vec<_> = calls[1..]
        .iter()
        .map(|&call| {
            let shared = shared.clone();
            thread::spawn(move || call(&shared))
        })
        .collect();
    calls[0](shared);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn no_more_probes_are_out_than_allowed_and_it_closes_once() {
    model(|| {
        let recovering = Recovering::new(1);
        race(&recovering, [|it| it.call(|permit| permit.success()); 2]);
        assert_eq!(recovering.events(), [BreakerState::HalfOpen, BreakerState::Closed]);
        assert_eq!(recovering.breaker.state(), BreakerState::Closed);
        let stats = recovering.breaker.stats();
        assert_eq!((stats.successes + stats.rejected, stats.stale), (2, 0));
    });
}

#[test]
fn two_of_three_may_go_out() {
    large_model(|| {
        let recovering = Recovering::new(2);
        race(&recovering, [|it| it.call(|permit| permit.neutral()); 3]);
        assert_eq!(recovering.events(), [BreakerState::HalfOpen]);
        let both = [recovering.breaker.try_acquire(), recovering.breaker.try_acquire()];
        assert!(both.iter().all(Result::is_ok) && recovering.breaker.try_acquire().is_err(), "all places are back");
    });
}

#[test]
fn a_dropped_permit_gives_its_place_back() {
    model(|| {
        let recovering = Recovering::new(1);
        race(&recovering, [|it| it.call(|permit| permit.neutral()); 2]);
        assert!(recovering.breaker.try_acquire().is_ok_and(|permit| permit.is_probe()));
        let stats = recovering.breaker.stats();
        assert_eq!((stats.neutral + stats.rejected, stats.half_opened), (3, 1));
    });
}

#[test]
fn a_failed_probe_opens_once_and_lets_nobody_in_beside_it() {
    model(|| {
        let recovering = Recovering::new(1);
        race(&recovering, [|it| it.call(|permit| permit.failure(Default::default())); 2]);
        assert_eq!(recovering.events(), [BreakerState::HalfOpen, BreakerState::Open]);
        let stats = recovering.breaker.stats();
        assert_eq!((stats.failures, stats.rejected), (2, 1));
    });
}

/// The first probe outlives its lease and fails, the second one may have its place by then and succeeds.
#[test]
fn a_place_whose_lease_is_over_has_one_owner() {
    large_model(|| {
        let recovering = Recovering::new(1);
        let other = recovering.clone();
        let second = thread::spawn(move || {
            let permit = other.breaker.try_acquire().ok()?;
            let is_probe = permit.is_probe();
            permit.success();
            Some(is_probe)
        });
        let first = recovering.breaker.try_acquire().ok().map(|permit| {
            let is_probe = permit.is_probe();
            recovering.time.set(2_000);
            permit.failure(Default::default());
            is_probe
        });
        let both_were_probes = second.join().unwrap() == Some(true) && first == Some(true);
        let stats = recovering.breaker.stats();
        assert_eq!(stats.successes + stats.failures + stats.stale + stats.rejected, 3, "with the one that opened it");
        if both_were_probes {
            assert_eq!((stats.stale, recovering.breaker.state()), (1, BreakerState::Closed), "the second one counts");
        }
    });
}
