//! What is measured: each row is the same work done by this crate and by its peers, each used as its documentation says.
//!
//! All run on the system's monotonic clock. Whatever a row does not say it changes is at its default.

mod client;
mod layers;

use std::hint::black_box;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use failsafe::{CircuitBreaker as _, backoff, failure_policy};
use recloser::Recloser;
use resilience::backoff::{BackoffConfig, Jitter};
use resilience::breaker::{BreakerConfig, CircuitBreaker};
use resilience::random::SeededRng;

/// One way to measure: time or allocations.
pub trait Measure {
    /// Measures `call`, made over and over on one thread.
    fn row<T>(&mut self, row: &str, who: &str, call: impl FnMut() -> T);

    /// The same, then `call` made by eight threads at once.
    fn shared_row<T>(&mut self, row: &str, who: &str, call: impl Fn() -> T + Sync);
}

/// All rows.
pub fn measure(to: &mut impl Measure) {
    closed_breaker(to);
    open_breaker(to);
    waits(to);
    client::success(to);
    client::rejected(to);
    layers::windows(to);
    layers::bulkhead(to);
    layers::cache(to);
    layers::similarity(to);
    layers::prometheus(to);
}

const OURS: &str = "ours";
const HOUR: Duration = Duration::from_secs(3_600);

/// A breaker that is closed admits a call, and its success is recorded. None of the three reads a clock for this.
///
/// recloser counts a rate over its last 100 calls; failsafe and this crate count failures in a row.
fn closed_breaker(to: &mut impl Measure) {
    const ROW: &str = "closed breaker, admit and record a success";

    let breaker = CircuitBreaker::new(BreakerConfig::default()).unwrap();
    to.shared_row(ROW, OURS, || {
        let permit = breaker.try_acquire().ok()?;
        match work() {
            Ok(answer) => {
                permit.success();
                Some(answer)
            }
            Err(()) => {
                permit.failure(Default::default());
                None
            }
        }
    });

    let breaker = Recloser::default();
    to.shared_row(ROW, "recloser", || breaker.call(work));

    let breaker = failsafe_breaker(3, backoff::exponential(Duration::from_secs(10), Duration::from_secs(60)));
    to.shared_row(ROW, "failsafe", || breaker.call(work));
}

/// A breaker that is open rejects a call. All three read the clock once for this.
fn open_breaker(to: &mut impl Measure) {
    const ROW: &str = "open breaker, reject";

    let breaker =
        CircuitBreaker::new(BreakerConfig { failure_threshold: 1, cooldown: HOUR, ..Default::default() }).unwrap();
    breaker.try_acquire().unwrap().failure(Default::default());
    assert!(breaker.try_acquire().is_err());
    to.shared_row(ROW, OURS, || breaker.try_acquire().is_err());

    let breaker = Recloser::custom().closed_len(1).open_wait(HOUR).build();
    while !matches!(breaker.call(fail), Err(recloser::Error::Rejected)) {}
    to.shared_row(ROW, "recloser", || breaker.call(work).is_err());

    let breaker = failsafe_breaker(1, backoff::constant(HOUR));
    while !matches!(breaker.call(fail), Err(failsafe::Error::Rejected)) {}
    to.shared_row(ROW, "failsafe", || breaker.call(work).is_err());
}

/// The three waits of one call: 500 ms, doubled each time, at most 30 s, with jitter of a source seeded by the system.
///
/// backon's jitter is `d · [1, 2)`; ours here is `d · [0.5, 1.5)`. The attempts of a call are far apart: the compiler may
/// not take the three waits together.
fn waits(to: &mut impl Measure) {
    const ROW: &str = "backoff with jitter, the three waits of a call";
    let (base, max_delay) = (Duration::from_millis(500), Duration::from_secs(30));

    let backoff = BackoffConfig { base, factor: 2.0, max_delay, jitter: Jitter::MULTIPLICATIVE }.build().unwrap();
    let rng = SeededRng::from_system();
    to.row(ROW, OURS, || {
        let mut delays = backoff.delays();
        [(); 3].map(|()| black_box(&mut delays).next(black_box(&backoff), &rng))
    });

    let builder =
        ExponentialBuilder::default().with_min_delay(base).with_max_delay(max_delay).with_factor(2.0).with_jitter();
    to.row(ROW, "backon", || {
        let mut delays = black_box(&builder).build();
        [(); 3].map(|()| black_box(&mut delays).next())
    });
}

fn failsafe_breaker<B: Iterator<Item = Duration> + Clone>(
    failures: u32,
    backoff: B,
) -> failsafe::StateMachine<failure_policy::ConsecutiveFailures<B>, ()> {
    failsafe::Config::new().failure_policy(failure_policy::consecutive_failures(failures, backoff)).build()
}

/// The protected call: nothing but an answer that the compiler can't foresee.
fn work() -> Result<u32, ()> {
    black_box(Ok(7))
}

fn fail() -> Result<u32, ()> {
    Err(())
}
