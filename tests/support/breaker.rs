use std::ops::Deref;
use std::sync::{Arc, Mutex};

use resilience::breaker::{BreakerConfig, BreakerEvent, BreakerState, CircuitBreaker, FailureReport, Permit};
use resilience::clock::{Clock, ManualClock, Timestamp};

use super::{middle, ms};

/// Opens after three failures in a row, for 1000 ms; one probe.
pub fn breaker_config() -> BreakerConfig {
    BreakerConfig { failure_threshold: 3, cooldown: ms(1_000), ..BreakerConfig::default() }
}

/// A breaker on a clock that the test moves, with a record of its events.
pub struct TestBreaker {
    pub clock: ManualClock,
    pub breaker: Arc<CircuitBreaker>,
    events: Arc<Mutex<Vec<BreakerEvent>>>,
}

impl TestBreaker {
    /// With [`breaker_config`].
    pub fn new() -> Self {
        Self::with(|_| ())
    }

    /// With [`breaker_config`], changed.
    pub fn with(change: impl FnOnce(&mut BreakerConfig)) -> Self {
        let mut config = breaker_config();
        change(&mut config);
        let clock = ManualClock::new();
        let breaker = CircuitBreaker::with_clock(config, Arc::new(clock.clone()), Arc::new(middle)).unwrap();
        let events: Arc<Mutex<Vec<BreakerEvent>>> = Arc::default();
        let record = events.clone();
        breaker.subscribe(move |event| record.lock().unwrap().push(*event));
        Self { clock, breaker: Arc::new(breaker), events }
    }

    /// Moves the clock to `millis` after its origin.
    pub fn at(&self, millis: u64) -> &Self {
        self.clock.advance(Timestamp::from_millis(millis).since(self.clock.now()));
        self
    }

    pub fn admit(&self) -> Permit<'_> {
        self.try_acquire().expect("admitted")
    }

    pub fn rejects(&self) -> bool {
        // An admission is given back at once.
        self.try_acquire().is_err()
    }

    pub fn ok(&self) {
        self.admit().success();
    }

    pub fn fail(&self) {
        self.admit().failure(FailureReport::default());
    }

    pub fn fail_asking_for(&self, wait_ms: u64) {
        self.admit().failure(FailureReport { retry_after: Some(ms(wait_ms)), ..Default::default() });
    }

    /// Fails until it opens.
    pub fn open(&self) {
        while self.state() == BreakerState::Closed {
            self.fail();
        }
        assert_eq!(self.state(), BreakerState::Open);
    }

    pub fn events(&self) -> Vec<BreakerEvent> {
        self.events.lock().unwrap().clone()
    }
}

impl Deref for TestBreaker {
    type Target = CircuitBreaker;

    fn deref(&self) -> &CircuitBreaker {
        &self.breaker
    }
}
