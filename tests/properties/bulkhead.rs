//! The bulkhead against a naive model, over random sequences of calls, and among real threads.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::Index;
use resilience::bulkhead::{
    Bulkhead, BulkheadConfig, BulkheadStats, Hold, Permit, Rejection, RejectionReason, ReservoirConfig,
};
use resilience::cancel::{CancelReason, CancelToken};
use resilience::clock::{Clock, ManualClock, Timestamp, TokioClock};

use crate::bulkhead_model::{End, Model, Settings};
use crate::cases;
use crate::support::ms;

#[derive(Debug, Clone)]
enum Step {
    Wait(u64),
    /// With a limit or without one.
    Acquire(Option<u64>),
    TryAcquire,
    /// Each of these is done to a call that was let in or waits; which one is drawn.
    Cancel(Index),
    DropWait(Index),
    Release(Index),
    Hold(Index),
    DropHold(Index),
}

/// All times are even, limits are odd: no wait ends at the very moment at which it could start, where both are right.
fn even(times: std::ops::Range<u64>) -> impl Strategy<Value = u64> {
    times.prop_map(|time| 2 * time)
}

fn settings() -> impl Strategy<Value = Settings> {
    let spacing = prop_oneof![Just(0), even(1..30)];
    let interval = prop_oneof![4 => even(1..200).prop_map(Some), 1 => Just(None)];
    let reservoir = prop::option::of((0..6_u64, 0..6_u64, interval));
    let max_wait = prop::option::of(even(0..100).prop_map(|wait| wait + 1));
    let numbers = (1..4_usize, 0..6_usize, max_wait, spacing, reservoir, even(0..50));
    numbers.prop_map(|(places, queue, max_wait, spacing, reservoir, grace)| Settings {
        places,
        queue,
        max_wait,
        spacing,
        reservoir,
        grace,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let limit = prop::option::of(even(0..100).prop_map(|limit| limit + 1));
    prop_oneof![
        6 => even(1..40).prop_map(Step::Wait),
        8 => limit.prop_map(Step::Acquire),
        1 => Just(Step::TryAcquire),
        1 => any::<Index>().prop_map(Step::Cancel),
        1 => any::<Index>().prop_map(Step::DropWait),
        5 => any::<Index>().prop_map(Step::Release),
        2 => any::<Index>().prop_map(Step::Hold),
        2 => any::<Index>().prop_map(Step::DropHold),
    ]
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

fn nth<T>(items: &mut Vec<T>, index: &Index) -> Option<T> {
    (!items.is_empty()).then(|| items.swap_remove(index.index(items.len())))
}

fn run_step(step: &Step, now: &mut u64, calls: &mut usize, real: &mut World, model: &mut Model) {
    let nth_waiting = |real: &World, index: &Index| nth(&mut real.waiting.keys().copied().collect(), index);
    let nth_permit = |real: &World, index: &Index| nth(&mut real.permits.keys().copied().collect(), index);
    match step {
        Step::Wait(time) => {
            *now += time;
            real.wait(*now);
            model.wait(*now);
        }
        Step::Acquire(limit) => {
            let limit = model.with_a_deadline_of_its_own(*limit);
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
        Step::Cancel(index) => {
            if let Some(call) = nth_waiting(real, index) {
                real.waiting[&call].1.cancel(CancelReason::Cancelled);
                model.cancel(call, true);
            }
        }
        Step::DropWait(index) => {
            if let Some(call) = nth_waiting(real, index) {
                real.waiting.remove(&call);
                model.cancel(call, false);
            }
        }
        Step::Release(index) => {
            if let Some(call) = nth_permit(real, index) {
                real.permits.remove(&call);
                model.release(call);
            }
        }
        Step::Hold(index) => {
            if let Some(call) = nth_permit(real, index) {
                real.holds.push((call, real.permits[&call].hold()));
                model.hold(call);
            }
        }
        Step::DropHold(index) => {
            if let Some((call, hold)) = nth(&mut real.holds, index) {
                drop(hold);
                model.drop_hold(call);
            }
        }
    }
    real.settle();
    model.settle();
}

fn agree(real: &mut World, model: &mut Model) -> Result<(), TestCaseError> {
    let (mut ends, mut expected) = (std::mem::take(&mut real.ends), std::mem::take(&mut model.ends));
    ends.sort_unstable_by_key(|&(call, _)| call);
    expected.sort_unstable_by_key(|&(call, _)| call);
    prop_assert_eq!(ends, expected);
    prop_assert_eq!(real.bulkhead.stats(), model.stats());
    let queued: Vec<usize> = real.waiting.keys().copied().collect();
    prop_assert_eq!(queued, model.queued());
    Ok(())
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// Fault I11: 100 000 steps and more, then all is as at the beginning.
    #[test]
    fn i11_bottleneck_152_it_does_what_the_model_does_and_never_gets_stuck(
        settings in settings(),
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let (mut real, mut model) = (World::new(&settings), Model::new(settings.clone()));
        let (mut now, mut calls) = (0, 0);
        for step in &steps {
            run_step(step, &mut now, &mut calls, &mut real, &mut model);
            agree(&mut real, &mut model)?;
        }
        model.starts_keep_their_bounds();
        real.waiting.clear();
        real.permits.clear();
        real.holds.clear();
        let BulkheadStats { running, queued, overrunning, .. } = real.bulkhead.stats();
        prop_assert_eq!((running, queued, overrunning), (0, 0, 0));
        real.wait(now + 10_000);
        let free: Vec<_> = std::iter::from_fn(|| real.bulkhead.try_acquire().ok()).collect();
        let unbounded = settings.spacing == 0 && settings.reservoir.is_none();
        let refills = settings.reservoir.is_none_or(|(_, amount, interval)| amount > 0 && interval.is_some());
        prop_assert!(!refills || !free.is_empty(), "the next call runs");
        prop_assert!(!unbounded || free.len() == settings.places, "no place lost or doubled");
    }
}

#[test]
fn threads_that_start_cancel_and_leave_lose_no_place() {
    const PLACES: u32 = 3;
    let config = BulkheadConfig { max_concurrent: PLACES, max_queue: 100, ..BulkheadConfig::default() };
    let bulkhead = Arc::new(Bulkhead::new(config).unwrap());
    let (running, asked) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap();
    let caller = |seed: u32| {
        let (bulkhead, running, asked) = (bulkhead.clone(), running.clone(), asked.clone());
        async move {
            let timer = TokioClock::new();
            for round in 0..2_000 {
                asked.fetch_add(1, Ordering::SeqCst);
                let token = CancelToken::new();
                let mut wait = Box::pin(bulkhead.acquire(&timer, None, Some(&token)));
                let way = (seed + round) % 4;
                if way == 1 {
                    // Gone after one look, unless it starts at once.
                    let first = std::future::poll_fn(|context| Poll::Ready(wait.as_mut().poll(context))).await;
                    drop(first);
                    continue;
                }
                if way == 2 {
                    let token = token.clone();
                    tokio::spawn(async move { token.cancel(CancelReason::Cancelled) });
                }
                let permit = match wait.await {
                    Ok(permit) => permit,
                    Err(rejection) => {
                        assert_eq!(rejection.reason, RejectionReason::Cancelled);
                        continue;
                    }
                };
                assert!(running.fetch_add(1, Ordering::SeqCst) < PLACES, "as many run as may, no more");
                let (work, running) = (permit.hold(), running.clone());
                let end = async move {
                    tokio::task::yield_now().await;
                    running.fetch_sub(1, Ordering::SeqCst);
                    drop(work);
                };
                if way == 3 { drop(tokio::spawn(end)) } else { end.await }
            }
        }
    };
    runtime.block_on(async {
        let callers: Vec<_> = (0..8).map(|seed| tokio::spawn(caller(seed))).collect();
        for caller in callers {
            caller.await.unwrap();
        }
        while bulkhead.stats().overrunning > 0 {
            tokio::task::yield_now().await;
        }
    });
    let stats = bulkhead.stats();
    assert_eq!((stats.running, stats.queued), (0, 0));
    assert_eq!(stats.done + stats.cancelled, u64::from(asked.load(Ordering::SeqCst)));
    assert!(stats.cancelled > 100 && stats.overrun > 100, "it was busy: {stats:?}");
    let free: Vec<_> = std::iter::from_fn(|| bulkhead.try_acquire().ok()).collect();
    assert_eq!(free.len(), PLACES as usize);
}
