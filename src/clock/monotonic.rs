use std::time::Duration;

use super::{Clock, Timestamp};
use crate::error::MAX_DURATION;
use crate::lock::lock;
use crate::sync::Mutex;

/// Makes a [`Clock`] of readings that may jump back: `Date.now()` does when the device's clock is set.
///
/// Time stands still over a jump back and runs on from there. Waiting until the readings have caught up would keep a
/// breaker open for as long as the jump was wide. A reading that is not a finite number moves nothing, and neither does
/// one during which another thread has moved time: it may be the older of the two.
///
/// ```
/// use resilience::clock::{Clock, Monotonic, Timestamp};
/// use std::sync::Mutex;
///
/// let readings = Mutex::new(vec![1_200.0, f64::NAN, 200.0, 5_000.0, 4_000.0]);
/// let clock = Monotonic::new(|| readings.lock().unwrap().pop().unwrap());
/// let seen: Vec<Timestamp> = (0..5).map(|_| clock.now()).collect();
/// assert_eq!(seen, [4_000, 5_000, 5_000, 5_000, 6_000].map(Timestamp::from_millis));
/// ```
pub struct Monotonic<F> {
    read: F,
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    now: Timestamp,
    last_reading: Option<f64>,
    /// How many readings have moved it.
    readings: u64,
}

impl<F: Fn() -> f64> Monotonic<F> {
    /// `read` gives milliseconds from any origin.
    pub fn new(read: F) -> Self {
        Self { read, progress: Mutex::default() }
    }
}

impl<F: Fn() -> f64> Clock for Monotonic<F> {
    fn now(&self) -> Timestamp {
        let before = lock(&self.progress).readings;
        // Outside the lock: a reading may be a function of the app, which may ask this clock.
        let reading = (self.read)();
        let mut progress = lock(&self.progress);
        // Only a reading that began after the last one was taken tells a jump back from having been overtaken.
        if reading.is_finite() && progress.readings == before {
            let step = reading - progress.last_reading.unwrap_or(0.0);
            // One step is at most ten thousand years: what is beyond it is no time.
            let longest = MAX_DURATION.as_secs_f64() * 1e3 * 1e4;
            progress.now = progress.now + Duration::from_secs_f64(step.clamp(0.0, longest) / 1e3);
            progress.last_reading = Some(reading);
            progress.readings += 1;
        }
        progress.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};
    use std::rc::{Rc, Weak};
    use std::sync::atomic::{AtomicU64, Ordering};

    fn seen(readings: &[f64]) -> Vec<Duration> {
        let readings = Mutex::new(readings.iter().copied());
        let clock = Monotonic::new(|| readings.lock().unwrap().next().unwrap());
        let count = readings.lock().unwrap().len();
        (0..count).map(|_| clock.now().since_origin()).collect()
    }

    #[test]
    fn it_follows_readings_that_grow() {
        let wall_clock = 1_792_567_680_000.0;
        let steps = seen(&[wall_clock, wall_clock + 0.5, wall_clock + 5_000.0]);
        assert_eq!(steps[1] - steps[0], Duration::from_micros(500));
        assert_eq!(steps[2] - steps[0], Duration::from_secs(5));
    }

    /// Each pair: what one thread reads, and what another one reads and hands in before the first one has done so.
    fn overtaken(readings: [(f64, f64); 3]) -> [Duration; 3] {
        type Read = Box<dyn Fn() -> f64>;
        let (readings, outer) = (RefCell::new(readings.into_iter()), Cell::new(true));
        let clock = Rc::new_cyclic(|clock: &Weak<Monotonic<Read>>| {
            let (clock, pair) = (clock.clone(), Cell::new((0.0, 0.0)));
            let read = move || {
                if !outer.get() {
                    return pair.get().1;
                }
                pair.set(readings.borrow_mut().next().unwrap());
                outer.set(false);
                clock.upgrade().unwrap().now();
                outer.set(true);
                pair.get().0
            };
            Monotonic::new(Box::new(read) as Read)
        });
        [(); 3].map(|()| clock.now().since_origin())
    }

    #[test]
    fn an_overtaken_reading_is_no_jump_back() {
        let steps = overtaken([(100.0, 101.0), (102.0, 103.0), (104.0, 105.0)]);
        assert_eq!(steps, [101, 103, 105].map(Duration::from_millis), "as fast as its readings");
        let over_a_jump = overtaken([(100.0, 101.0), (9_000.0, 50.0), (51.0, 52.0)]);
        assert_eq!(over_a_jump, [101, 101, 103].map(Duration::from_millis));
    }

    #[test]
    fn threads_at_once_do_not_make_it_faster() {
        let ticks = AtomicU64::new(0);
        let clock = Monotonic::new(|| {
            let reading = ticks.fetch_add(1, Ordering::SeqCst);
            // Gives the others a chance to overtake.
            std::thread::yield_now();
            reading as f64
        });
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|_| _ = clock.now()));
            }
        });
        let seen = clock.now().since_origin();
        assert_eq!(seen, Duration::from_millis(ticks.load(Ordering::SeqCst) - 1));
    }

    #[test]
    fn no_reading_moves_it_back_or_beyond_measure() {
        let readings = [-5.0, f64::NEG_INFINITY, 0.0, f64::NAN, f64::MAX, f64::MIN, f64::MAX, f64::INFINITY];
        let steps = seen(&readings);
        assert!(steps.is_sorted(), "{steps:?}");
        assert_eq!(steps[..4], [0, 0, 5, 5].map(Duration::from_millis));
        let ten_thousand_years = MAX_DURATION * 10_000;
        assert_eq!(steps[4..], [1, 1, 2, 2].map(|leaps| ten_thousand_years * leaps + Duration::from_millis(5)));
    }
}
