use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use super::reservoir::Reservoir;
use super::state::{Admission, State, Turn};
use super::*;
use crate::cancel::{CancelReason, CancelToken};
use crate::clock::{Clock, ManualClock, Timer, Timestamp, TokioClock};
use crate::registry::Registered;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn one_place() -> BulkheadConfig {
    BulkheadConfig { max_concurrent: 1, ..BulkheadConfig::default() }
}

fn reservoir(size: u32, refresh_amount: u32, interval_ms: Option<u64>) -> Option<ReservoirConfig> {
    Some(ReservoirConfig { size, refresh_amount, refresh_interval: interval_ms.map(ms) })
}

fn bulkhead(config: BulkheadConfig) -> (ManualClock, Arc<Bulkhead>) {
    let clock = ManualClock::new();
    let bulkhead = Bulkhead::with_clock(config, Arc::new(clock.clone())).unwrap();
    (clock, Arc::new(bulkhead))
}

fn poll<F: Future + ?Sized>(future: &mut Pin<Box<F>>, waker: &Waker) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(waker))
}

#[derive(Default)]
struct Count(AtomicU32);

impl Count {
    fn new() -> (Arc<Self>, Waker) {
        let count = Arc::new(Self::default());
        (count.clone(), Waker::from(count))
    }

    fn take(&self) -> u32 {
        self.0.swap(0, Ordering::SeqCst)
    }
}

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn each_setting_has_its_range() {
    let refused = |field: &str, change: &dyn Fn(&mut BulkheadConfig)| {
        let mut config = BulkheadConfig { reservoir: reservoir(1, 1, Some(1)), ..BulkheadConfig::default() };
        assert_eq!(config.validate(), Ok(()));
        change(&mut config);
        assert_eq!(Bulkhead::new(config).unwrap_err().field, field);
    };
    let too_long = crate::MAX_DURATION + ms(1);
    refused("maxConcurrent", &|config| config.max_concurrent = 0);
    refused("maxConcurrent", &|config| config.max_concurrent = 100_001);
    refused("maxQueue", &|config| config.max_queue = 100_001);
    refused("maxWaitMs", &|config| config.max_wait = Some(too_long));
    refused("minSpacingMs", &|config| config.min_spacing = too_long);
    refused("overrunGraceMs", &|config| config.overrun_grace = too_long);
    refused("reservoir.size", &|config| config.reservoir = reservoir(100_001, 1, Some(1)));
    refused("reservoir.refreshAmount", &|config| config.reservoir = reservoir(1, 100_001, Some(1)));
    refused("reservoir.refreshIntervalMs", &|config| config.reservoir = reservoir(1, 1, Some(0)));
}

#[test]
fn the_presets_are_those_of_article_004() {
    let seen = Preset::ALL.map(|preset| {
        let config = BulkheadConfig::preset(preset);
        config.validate().unwrap();
        assert_eq!(Preset::from_name(preset.name()), Some(preset));
        (preset.name(), config.max_concurrent, config.min_spacing.as_millis(), config.reservoir)
    });
    let per_minute = reservoir(10, 10, Some(60_000));
    let expected = [
        ("premium-model", 5, 200, None),
        ("standard-model", 20, 50, None),
        ("economy-model", 30, 30, None),
        ("free-tier", 2, 1_000, per_minute),
    ];
    assert_eq!(seen, expected);
    assert_eq!(Preset::from_name("semantic-cache"), None);
}

/// Takes so many tokens, each known by the moment at which it is there; when the last one is.
fn token_times(tokens: &mut [u64], interval: Option<u64>, starts: u32, now: u64) -> u64 {
    let mut last = now;
    for _ in 0..starts {
        let next = tokens.iter_mut().min().expect("at least one");
        last = (*next).max(now);
        *next = interval.map_or(u64::MAX, |interval| last.saturating_add(interval));
    }
    last
}

#[test]
fn a_reservoir_foresees_what_its_tokens_do_one_by_one() {
    for (size, amount) in [(5, 5), (1, 1), (4, 7), (0, 3), (3, 3)] {
        let config = ReservoirConfig { size, refresh_amount: amount, refresh_interval: Some(ms(100)) };
        let mut real = Reservoir::new(config, at(0));
        let mut tokens: Vec<u64> = (0..amount).map(|index| if index < size { 0 } else { 100 }).collect();
        for now in (0..2_000).step_by(7) {
            for ahead in 0..20 {
                let foreseen = token_times(&mut tokens.clone(), Some(100), ahead + 1, now);
                assert_eq!(real.available_at(ahead, at(now)), Some(at(foreseen)), "{size}/{amount} {now} {ahead}");
            }
            // Now one, now several, now none.
            for _ in 0..now % 3 {
                if real.available_at(0, at(now)) == Some(at(now)) {
                    real.take(at(now));
                    token_times(&mut tokens, Some(100), 1, now);
                }
            }
        }
    }
}

#[test]
fn tokens_above_the_refresh_amount_are_spent_first_and_once() {
    let mut reservoir = Reservoir::new(reservoir(5, 2, Some(100)).unwrap(), at(0));
    (0..4).for_each(|_| reservoir.take(at(0)));
    assert_eq!(
        [0, 1, 2, 3].map(|ahead| reservoir.available_at(ahead, at(0)).unwrap()),
        [at(0), at(100), at(100), at(200)]
    );
    assert!(!reservoir.is_full(at(1_000)), "another burst is not to be had");
}

#[test]
fn a_start_at_the_very_end_of_its_limit_is_in_time() {
    for (config, first_wait) in [
        (BulkheadConfig { min_spacing: ms(100), ..one_place() }, 100),
        (BulkheadConfig { reservoir: reservoir(1, 1, Some(100)), ..BulkheadConfig::default() }, 100),
    ] {
        let mut state = State::new(config, at(0));
        assert_eq!(state.request(at(0), None), Ok(Admission::Started));
        state.release();
        let Ok(Admission::Queued(waiter)) = state.request(at(0), Some(ms(first_wait))) else { panic!("in time") };
        let until = Some(at(first_wait));
        assert_eq!(state.turn(waiter, at(first_wait - 1)), (Turn::Waits { until }, None));
        assert_eq!(state.turn(waiter, at(first_wait)), (Turn::Started, None));
    }
}

#[test]
fn a_wait_that_becomes_too_long_ends_when_that_is_seen() {
    let mut state = State::new(BulkheadConfig { min_spacing: ms(100), ..one_place() }, at(0));
    assert_eq!(state.request(at(0), None), Ok(Admission::Started));
    let Ok(Admission::Queued(first)) = state.request(at(0), None) else { panic!("queued") };
    let Ok(Admission::Queued(second)) = state.request(at(0), Some(ms(250))) else { panic!("queued") };
    assert_eq!(state.release(), Some(first), "the front is named");
    assert_eq!(state.turn(first, at(180)), (Turn::Started, Some(second)));
    assert_eq!(state.release(), Some(second));
    let (Turn::Refused(rejection), None) = state.turn(second, at(181)) else { panic!("280 is after 250") };
    assert_eq!(rejection, Rejection { reason: RejectionReason::WaitTooLong, retry_after: Some(ms(99)) });
    assert_eq!((state.stats(at(181)).queued, state.stats(at(181)).rejected), (0, 1));
}

#[test]
fn readings_of_the_clock_may_come_in_any_order() {
    let config = BulkheadConfig { min_spacing: ms(10), reservoir: reservoir(2, 2, Some(100)), ..Default::default() };
    let mut state = State::new(config, at(50));
    assert_eq!(state.request(at(50), None), Ok(Admission::Started));
    assert_eq!(state.request(at(60), None), Ok(Admission::Started));
    let rejection = state.request(at(49), Some(ms(0))).unwrap_err();
    assert_eq!(rejection.retry_after, Some(ms(90)), "counted from 60");
}

#[test]
fn it_is_idle_when_a_new_one_would_do_the_same() {
    let (clock, bulkhead) = bulkhead(BulkheadConfig {
        max_concurrent: 3,
        min_spacing: ms(100),
        reservoir: reservoir(2, 2, Some(1_000)),
        ..BulkheadConfig::default()
    });
    assert!(bulkhead.is_idle());
    let permit = bulkhead.try_acquire().unwrap();
    assert!(!bulkhead.is_idle(), "a call runs");
    drop(permit);
    clock.advance(ms(999));
    assert!(!bulkhead.is_idle(), "a token is away");
    clock.advance(ms(1));
    assert!(bulkhead.is_idle());
    let permit = bulkhead.try_acquire().unwrap();
    let work = permit.hold();
    drop(permit);
    clock.advance(ms(5_000));
    assert!(!bulkhead.is_idle(), "work goes on");
    clock.advance(ms(25_000));
    assert!(bulkhead.is_idle(), "its grace is over");
    drop(work);
}

#[test]
fn it_is_not_idle_until_the_next_may_start() {
    let (clock, bulkhead) = bulkhead(BulkheadConfig { min_spacing: ms(100), ..one_place() });
    drop(bulkhead.try_acquire().unwrap());
    clock.advance(ms(99));
    assert!(!bulkhead.is_idle());
    clock.advance(ms(1));
    assert!(bulkhead.is_idle());
}

#[test]
fn only_those_whom_a_change_concerns_are_woken() {
    let (clock, bulkhead) = bulkhead(BulkheadConfig { min_spacing: ms(100), ..one_place() });
    let permit = bulkhead.try_acquire().unwrap();
    let waiters: [(Arc<Count>, Waker); 3] = std::array::from_fn(|_| Count::new());
    let woken = || [0, 1, 2].map(|waiter: usize| waiters[waiter].0.take());
    let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(bulkhead.acquire(&clock, None, None))).collect();
    for (future, (_, waker)) in waiting.iter_mut().zip(&waiters) {
        assert!(poll(future, waker).is_pending());
    }
    assert_eq!((woken(), clock.pending_sleeps()), ([0, 0, 0], 1), "only the front has a timer");
    clock.advance(ms(100));
    assert_eq!(woken(), [1, 0, 0]);
    assert!(poll(&mut waiting[0], &waiters[0].1).is_pending(), "the place is taken");
    assert_eq!((woken(), clock.pending_sleeps()), ([0, 0, 0], 0), "time no longer matters");
    drop(waiting.remove(1));
    assert_eq!(woken(), [0, 0, 0], "not the front");
    drop(permit);
    assert_eq!(woken(), [1, 0, 0]);
    drop(waiting.remove(0));
    assert_eq!(woken(), [0, 0, 1], "the new front");
    assert!(poll(&mut waiting[0], &waiters[2].1).is_ready());
    let stats = bulkhead.stats();
    assert_eq!((stats.queued, stats.cancelled, woken()), (0, 2, [0, 0, 0]));
}

#[test]
fn an_overrun_gives_the_front_a_timer() {
    let (clock, bulkhead) = bulkhead(one_place());
    let permit = bulkhead.try_acquire().unwrap();
    let (count, waker) = Count::new();
    let mut waiting = Box::pin(bulkhead.acquire(&clock, None, None));
    assert!(poll(&mut waiting, &waker).is_pending());
    let _work = permit.hold();
    drop(permit);
    assert_eq!(count.take(), 1);
    assert!(poll(&mut waiting, &waker).is_pending());
    assert_eq!(clock.next_deadline(), Some(at(30_000)));
    clock.advance(ms(30_000));
    assert_eq!(count.take(), 1);
    assert!(poll(&mut waiting, &waker).is_ready());
}

#[test]
fn a_cancelled_token_comes_before_a_free_place() {
    let (clock, bulkhead) = bulkhead(one_place());
    let token = CancelToken::new();
    let permit = bulkhead.try_acquire().unwrap();
    let mut waiting = Box::pin(bulkhead.acquire(&clock, None, Some(&token)));
    assert!(poll(&mut waiting, Waker::noop()).is_pending());
    drop(permit);
    token.cancel(CancelReason::Cancelled);
    let Poll::Ready(Err(rejection)) = poll(&mut waiting, Waker::noop()) else { panic!("cancelled") };
    assert_eq!(rejection, Rejection { reason: RejectionReason::Cancelled, retry_after: None });
    let mut late = Box::pin(bulkhead.acquire(&clock, None, Some(&token)));
    assert!(matches!(poll(&mut late, Waker::noop()), Poll::Ready(Err(_))));
    drop((waiting, late));
    assert_eq!((bulkhead.stats().cancelled, bulkhead.stats().running, token.listeners()), (2, 0, 0));
}

/// Polls its future whenever it is woken, at once, wherever that is.
struct Eager(Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>);

impl Eager {
    fn run(future: impl Future<Output = ()> + Send + 'static) {
        Waker::from(Arc::new(Self(Mutex::new(Some(Box::pin(future)))))).wake();
    }
}

impl Wake for Eager {
    fn wake(self: Arc<Self>) {
        let waker = Waker::from(self.clone());
        // Busy: it is being polled right now.
        let Ok(mut future) = self.0.try_lock() else { return };
        if future.as_mut().is_some_and(|future| poll(future, &waker).is_ready()) {
            *future = None;
        }
    }
}

#[test]
fn a_waker_may_poll_at_once() {
    let (clock, bulkhead) = bulkhead(one_place());
    let order: Arc<Mutex<Vec<u32>>> = Arc::default();
    let permit = bulkhead.try_acquire().unwrap();
    for caller in 0..100 {
        let (clock, bulkhead, order) = (clock.clone(), bulkhead.clone(), order.clone());
        Eager::run(async move {
            let _permit = bulkhead.acquire(&clock, None, None).await.unwrap();
            order.lock().unwrap().push(caller);
        });
    }
    drop(permit);
    assert_eq!(*order.lock().unwrap(), Vec::from_iter(0..100));
    assert_eq!((bulkhead.stats().running, bulkhead.stats().queued), (0, 0));
}

/// A waker that keeps a permit, as one of a task does whose future has another call in flight.
struct Keeper {
    _permit: Permit,
}

impl Wake for Keeper {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn a_waker_is_never_dropped_under_the_lock_nor_kept() {
    let (clock, bulkhead) = bulkhead(BulkheadConfig { max_concurrent: 2, ..BulkheadConfig::default() });
    for replaced in [true, false] {
        let keeper = || Waker::from(Arc::new(Keeper { _permit: bulkhead.try_acquire().unwrap() }));
        let (first, second) = (keeper(), keeper());
        let mut waiting = Box::pin(bulkhead.acquire(&clock, None, None));
        assert!(poll(&mut waiting, &first).is_pending());
        drop(first);
        if replaced {
            assert!(poll(&mut waiting, &second).is_pending(), "the place comes free while it asks");
            assert_eq!(bulkhead.stats().running, 1);
        }
        drop(waiting);
        assert_eq!(bulkhead.stats().running, 1);
        drop(second);
        assert_eq!((bulkhead.stats().running, bulkhead.stats().queued), (0, 0));
    }
}

/// Goes wrong once it is told to.
struct Broken(ManualClock, AtomicBool);

impl Clock for Broken {
    fn now(&self) -> Timestamp {
        assert!(!self.1.load(Ordering::SeqCst), "clock gone wrong");
        self.0.now()
    }
}

impl Wake for Broken {
    fn wake(self: Arc<Self>) {
        panic!("waker gone wrong");
    }
}

#[test]
fn a_clock_and_a_waker_that_panic_cost_no_place() {
    let timer = ManualClock::new();
    let clock = Arc::new(Broken(timer.clone(), AtomicBool::new(false)));
    let bulkhead = Arc::new(Bulkhead::with_clock(one_place(), clock.clone()).unwrap());
    let permit = bulkhead.try_acquire().unwrap();
    clock.1.store(true, Ordering::SeqCst);
    let mut waiting = Box::pin(bulkhead.acquire(&timer, Some(ms(100)), None));
    assert!(poll(&mut waiting, &Waker::from(clock.clone())).is_pending());
    let work = permit.hold();
    drop(permit);
    assert_eq!((bulkhead.stats().running, bulkhead.stats().overrunning), (0, 1));
    drop(work);
    assert!(poll(&mut waiting, Waker::noop()).is_ready());
    assert_eq!((bulkhead.stats().running, bulkhead.stats().overrunning), (0, 0));
}

/// The same clock as seen from another origin.
struct Shifted(ManualClock, Duration);

impl Clock for Shifted {
    fn now(&self) -> Timestamp {
        self.0.now() + self.1
    }
}

#[test]
fn clock_and_timer_may_have_different_origins() {
    let timer = ManualClock::new();
    for shift in [ms(0), ms(1_000_000)] {
        let config = BulkheadConfig { min_spacing: ms(100), ..BulkheadConfig::default() };
        let bulkhead = Arc::new(Bulkhead::with_clock(config, Arc::new(Shifted(timer.clone(), shift))).unwrap());
        let began = timer.now();
        drop(bulkhead.try_acquire().unwrap());
        let mut waiting = Box::pin(bulkhead.acquire(&timer, None, None));
        assert!(poll(&mut waiting, Waker::noop()).is_pending());
        assert_eq!(timer.next_deadline(), Some(began + ms(100)));
        timer.advance(ms(100));
        assert!(poll(&mut waiting, Waker::noop()).is_ready());
    }
}

/// A timer whose sleeps end too early, as those of a coarse clock do.
struct Hasty(ManualClock);

impl Clock for Hasty {
    fn now(&self) -> Timestamp {
        self.0.now()
    }
}

impl Timer for Hasty {
    type Sleep = crate::clock::ManualSleep;

    fn sleep_until(&self, deadline: Timestamp) -> Self::Sleep {
        let half = deadline.since(self.0.now()) / 2;
        self.0.sleep_until(self.0.now() + half.max(ms(1)))
    }
}

#[test]
fn a_sleep_that_ends_too_early_is_begun_again() {
    let (clock, bulkhead) = bulkhead(BulkheadConfig { min_spacing: ms(100), ..BulkheadConfig::default() });
    drop(bulkhead.try_acquire().unwrap());
    let timer = Hasty(clock.clone());
    let mut waiting = Box::pin(bulkhead.acquire(&timer, None, None));
    while poll(&mut waiting, Waker::noop()).is_pending() {
        assert!(clock.wake_next_until(at(101)), "it still sleeps");
    }
    assert!((at(100)..=at(101)).contains(&clock.now()));
}

#[test]
fn rejections_say_what_they_know() {
    let text = |retry_after| Rejection { reason: RejectionReason::WaitTooLong, retry_after }.to_string();
    assert_eq!(text(None), "bulkhead rejects the call (wait_too_long)");
    assert_eq!(text(Some(Duration::from_micros(1_500))), "bulkhead rejects the call (wait_too_long), retry after 2 ms");
    assert_eq!(text(Some(Duration::MAX)), "bulkhead rejects the call (wait_too_long), for good");
}

#[test]
fn a_wait_can_move_between_threads() {
    fn is_send(_: impl Send) {}
    let bulkhead = Arc::new(Bulkhead::new(BulkheadConfig::default()).unwrap());
    let timer = TokioClock::new();
    is_send(bulkhead.acquire(&timer, None, None));
    is_send(bulkhead.try_acquire().map(|permit| (permit.hold(), permit)));
}

#[test]
fn a_manager_shares_by_name() {
    let clock = ManualClock::new();
    let manager = BulkheadManager::with_clock(Arc::new(clock.clone()));
    let (first, mismatch) = manager.preset(Preset::FreeTier).unwrap();
    assert!(!mismatch);
    let (second, mismatch) = manager.get_or_create("free-tier", one_place()).unwrap();
    assert!(Arc::ptr_eq(&first, &second) && mismatch);
    drop(first.try_acquire().unwrap());
    let rejection = second.try_acquire().unwrap_err();
    assert_eq!(rejection.retry_after, Some(ms(1_000)), "on the manager's clock");
    manager.get_or_create("own", one_place()).unwrap();
    let stats: Vec<_> = manager.total_stats().into_iter().map(|(name, stats)| (name, stats.done)).collect();
    assert_eq!(stats, [("free-tier".to_owned(), 1), ("own".to_owned(), 0)]);
    assert!(manager.get("other").is_none());
    assert!(manager.remove("free-tier").is_some_and(|removed| Arc::ptr_eq(&removed, &first)));
    assert!(manager.get("free-tier").is_none());
}
