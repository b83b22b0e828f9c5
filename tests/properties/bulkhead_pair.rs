//! The bulkhead and its model side by side: whatever happens, they must agree. The fuzz target plays here, too.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use resilience::bulkhead::{Bulkhead, BulkheadConfig, BulkheadStats, Hold, Permit, Rejection, ReservoirConfig};
use resilience::cancel::{CancelReason, CancelToken};
use resilience::clock::{Clock, ManualClock, Timestamp};

use super::bulkhead_model::{End, Model, Settings};
use super::support::ms;

#[derive(Debug, Clone)]
pub enum Step {
    Wait(u64),
    /// With a limit or without one.
    Acquire(Option<u64>),
    TryAcquire,
    /// Each of these is done to a call that was let in or waits; which one is drawn.
    Cancel(usize),
    DropWait(usize),
    Release(usize),
    Hold(usize),
    DropHold(usize),
}

fn config(settings: &Settings) -> BulkheadConfig {
    BulkheadConfig {
        max_concurrent: settings.places as u32,
        max_queue: settings.queue as u32,
        max_wait: settings.max_wait.map(ms),
        min_spacing: ms(settings.spacing),
        reservoir: settings.reservoir.map(|(size, amount, interval)| ReservoirConfig {
            size: size as u32,
            refresh_amount: amount as u32,
            refresh_interval: interval.map(ms),
        }),
        overrun_grace: ms(settings.grace),
    }
}

type Wait = Pin<Box<dyn Future<Output = Result<Permit, Rejection>>>>;

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// The real bulkhead with all its calls, each polled only when it was woken: a lost wake-up is seen.
struct World {
    clock: ManualClock,
    bulkhead: Arc<Bulkhead>,
    waiting: BTreeMap<usize, (Wait, CancelToken, Arc<Woken>)>,
    permits: BTreeMap<usize, Permit>,
    holds: Vec<(usize, Hold)>,
    ends: Vec<(usize, End)>,
}

impl World {
    fn new(settings: &Settings) -> Self {
        let clock = ManualClock::new();
        let bulkhead = Arc::new(Bulkhead::with_clock(config(settings), Arc::new(clock.clone())).unwrap());
        let (waiting, permits) = (BTreeMap::new(), BTreeMap::new());
        Self { clock, bulkhead, waiting, permits, holds: Vec::new(), ends: Vec::new() }
    }

    fn acquire(&mut self, call: usize, limit: Option<u64>) {
        let (bulkhead, clock, token) = (self.bulkhead.clone(), self.clock.clone(), CancelToken::new());
        let cancel = token.clone();
        let wait: Wait = Box::pin(async move { bulkhead.acquire(&clock, limit.map(ms), Some(&cancel)).await });
        self.waiting.insert(call, (wait, token, Arc::new(Woken(AtomicBool::new(true)))));
    }

    fn ended(&mut self, call: usize, end: Result<Permit, Rejection>) {
        let end = match end {
            Ok(permit) => {
                self.permits.insert(call, permit);
                End::Started { at: self.clock.now().since_origin().as_millis() as u64 }
            }
            Err(Rejection { reason, retry_after }) => {
                let forever = |wait: Duration| if wait == Duration::MAX { u64::MAX } else { wait.as_millis() as u64 };
                End::Refused { reason, retry_after: retry_after.map(forever) }
            }
        };
        self.ends.push((call, end));
    }

    fn settle(&mut self) {
        while let Some((&call, (wait, _, woken))) =
            self.waiting.iter_mut().find(|(_, (_, _, woken))| woken.0.swap(false, Ordering::SeqCst))
        {
            let waker = Waker::from(woken.clone());
            if let Poll::Ready(end) = wait.as_mut().poll(&mut Context::from_waker(&waker)) {
                self.waiting.remove(&call);
                self.ended(call, end);
            }
        }
    }

    fn wait(&mut self, until: u64) {
        while self.clock.wake_next_until(Timestamp::from_millis(until)) {
            self.settle();
        }
        self.clock.advance(Timestamp::from_millis(until).since(self.clock.now()));
    }
}

fn nth<T>(items: &mut Vec<T>, which: usize) -> Option<T> {
    (!items.is_empty()).then(|| items.swap_remove(which % items.len()))
}

fn run_step(step: Step, now: &mut u64, calls: &mut usize, real: &mut World, model: &mut Model) {
    let nth_waiting = |real: &World, which: usize| nth(&mut real.waiting.keys().copied().collect(), which);
    let nth_permit = |real: &World, which: usize| nth(&mut real.permits.keys().copied().collect(), which);
    match step {
        Step::Wait(time) => {
            *now += time;
            real.wait(*now);
            model.wait(*now);
        }
        Step::Acquire(limit) => {
            let limit = model.with_a_deadline_of_its_own(limit);
            model.acquire(*calls, limit);
            real.acquire(*calls, limit);
            *calls += 1;
        }
        Step::TryAcquire => {
            model.acquire(*calls, Some(0));
            let end = real.bulkhead.try_acquire();
            real.ended(*calls, end);
            *calls += 1;
        }
        Step::Cancel(which) => {
            if let Some(call) = nth_waiting(real, which) {
                real.waiting[&call].1.cancel(CancelReason::Cancelled);
                model.cancel(call, true);
            }
        }
        Step::DropWait(which) => {
            if let Some(call) = nth_waiting(real, which) {
                real.waiting.remove(&call);
                model.cancel(call, false);
            }
        }
        Step::Release(which) => {
            if let Some(call) = nth_permit(real, which) {
                real.permits.remove(&call);
                model.release(call);
            }
        }
        Step::Hold(which) => {
            if let Some(call) = nth_permit(real, which) {
                real.holds.push((call, real.permits[&call].hold()));
                model.hold(call);
            }
        }
        Step::DropHold(which) => {
            if let Some((call, hold)) = nth(&mut real.holds, which) {
                drop(hold);
                model.drop_hold(call);
            }
        }
    }
    real.settle();
    model.settle();
}

fn agree(real: &mut World, model: &mut Model) {
    let (mut ends, mut expected) = (std::mem::take(&mut real.ends), std::mem::take(&mut model.ends));
    ends.sort_unstable_by_key(|&(call, _)| call);
    expected.sort_unstable_by_key(|&(call, _)| call);
    assert_eq!(ends, expected);
    assert_eq!(real.bulkhead.stats(), model.stats());
    let queued: Vec<usize> = real.waiting.keys().copied().collect();
    assert_eq!(queued, model.queued());
}

/// Does the same to both and compares them after each step; in the end all is as at the beginning.
pub fn play(settings: Settings, steps: impl IntoIterator<Item = Step>) {
    let (mut real, mut model) = (World::new(&settings), Model::new(settings.clone()));
    let (mut now, mut calls) = (0, 0);
    for step in steps {
        run_step(step, &mut now, &mut calls, &mut real, &mut model);
        agree(&mut real, &mut model);
    }
    model.starts_keep_their_bounds();
    real.waiting.clear();
    real.permits.clear();
    real.holds.clear();
    let BulkheadStats { running, queued, overrunning, .. } = real.bulkhead.stats();
    assert_eq!((running, queued, overrunning), (0, 0, 0));
    real.wait(now + 10_000);
    let free: Vec<_> = std::iter::from_fn(|| real.bulkhead.try_acquire().ok()).collect();
    let unbounded = settings.spacing == 0 && settings.reservoir.is_none();
    let refills = settings.reservoir.is_none_or(|(_, amount, interval)| amount > 0 && interval.is_some());
    assert!(!refills || !free.is_empty(), "the next call runs");
    assert!(!unbounded || free.len() == settings.places, "no place lost or doubled");
}
