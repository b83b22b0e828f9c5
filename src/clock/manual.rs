use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::{Clock, Timer, Timestamp};
use crate::lock::lock;
use crate::sync::{Mutex, MutexGuard};

/// A clock that moves only when told to: tests of a policy need not wait.
///
/// Clones share one time.
///
/// ```
/// use resilience::clock::{Clock, ManualClock, Timestamp};
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// clock.advance(Duration::from_millis(250));
/// assert_eq!(clock.now(), Timestamp::from_millis(250));
/// ```
#[derive(Clone, Default)]
pub struct ManualClock(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    now: Timestamp,
    next_id: u64,
    /// Sleeps in the order in which they end. The id keeps equal deadlines apart, first come first woken.
    sleeping: BTreeMap<(Timestamp, u64), Waker>,
}

impl ManualClock {
    /// Starts at the origin.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }

    /// Moves on by `by` and wakes each sleep that ends on the way, in order, at its own moment.
    pub fn advance(&self, by: Duration) {
        let target = self.now() + by;
        loop {
            let mut state = self.state();
            let Some(waker) = state.take_next_until(target) else {
                // Under the same lock as the look for the next sleep: none can come in between and be passed over.
                state.now = state.now.max(target);
                return;
            };
            drop(state);
            waker.wake();
        }
    }

    /// Moves to the end of the earliest sleep not later than `target` and wakes it. False: there is none.
    ///
    /// A step of its own so that the woken code can ask for another sleep before the clock moves on.
    pub fn wake_next_until(&self, target: Timestamp) -> bool {
        let waker = self.state().take_next_until(target);
        // Outside the lock: a waker may poll at once and ask this clock for the time.
        waker.map(Waker::wake).is_some()
    }

    /// When the earliest sleep ends.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        self.state().sleeping.first_key_value().map(|(&(deadline, _), _)| deadline)
    }

    /// How many sleeps are pending.
    pub fn pending_sleeps(&self) -> usize {
        self.state().sleeping.len()
    }
}

impl State {
    fn take_next_until(&mut self, target: Timestamp) -> Option<Waker> {
        let earliest = self.sleeping.first_entry()?;
        let (deadline, _) = *earliest.key();
        if deadline > target {
            return None;
        }
        self.now = self.now.max(deadline);
        Some(earliest.remove())
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.state().now
    }
}

impl Timer for ManualClock {
    type Sleep = ManualSleep;

    fn sleep_until(&self, deadline: Timestamp) -> ManualSleep {
        ManualSleep { clock: self.clone(), deadline, id: None }
    }
}

/// A wait on a [`ManualClock`].
pub struct ManualSleep {
    clock: ManualClock,
    deadline: Timestamp,
    id: Option<u64>,
}

impl Future for ManualSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        // Cloned and dropped outside the lock: wakers are not this crate's own, and may hold sleeps of this very clock.
        let waker = context.waker().clone();
        let mut state = this.clock.state();
        if state.now >= this.deadline {
            return Poll::Ready(());
        }
        let id = *this.id.get_or_insert_with(|| {
            state.next_id += 1;
            state.next_id
        });
        let replaced = state.sleeping.insert((this.deadline, id), waker);
        drop(state);
        drop(replaced);
        Poll::Pending
    }
}

impl Drop for ManualSleep {
    fn drop(&mut self) {
        let removed = self.id.and_then(|id| self.clock.state().sleeping.remove(&(self.deadline, id)));
        // Outside the lock, as in `poll`.
        drop(removed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Count(AtomicUsize);
    impl std::task::Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_sleep_is_woken_once_at_its_deadline_and_leaves_nothing_behind() {
        let clock = ManualClock::new();
        let count = Arc::new(Count(AtomicUsize::new(0)));
        let waker = Waker::from(count.clone());
        let mut context = Context::from_waker(&waker);
        let mut sleep = Box::pin(clock.sleep_until(Timestamp::from_millis(100)));
        assert!(sleep.as_mut().poll(&mut context).is_pending());
        clock.advance(Duration::from_millis(99));
        assert_eq!(count.0.load(Ordering::SeqCst), 0);
        clock.advance(Duration::from_millis(1));
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
        assert!(sleep.as_mut().poll(&mut context).is_ready());
        assert_eq!(clock.pending_sleeps(), 0);
    }

    #[test]
    fn sleeps_that_end_together_are_all_woken_first_come_first() {
        let (clock, woken) = (ManualClock::new(), Arc::new(Mutex::new(Vec::new())));
        for name in 0..10 {
            let (clock, woken) = (clock.clone(), woken.clone());
            let sleep = async move {
                clock.sleep_until(Timestamp::from_millis(100)).await;
                woken.lock().unwrap().push(name);
            };
            Waker::from(Arc::new(Eager(Mutex::new(Box::pin(sleep))))).wake();
        }
        assert_eq!(clock.pending_sleeps(), 10);
        clock.advance(Duration::from_millis(100));
        assert_eq!(*woken.lock().unwrap(), Vec::from_iter(0..10));
    }

    #[test]
    fn a_dropped_sleep_is_forgotten() {
        let clock = ManualClock::new();
        let mut sleep = Box::pin(clock.sleep_until(Timestamp::from_millis(100)));
        assert!(sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert_eq!(clock.next_deadline(), Some(Timestamp::from_millis(100)));
        drop(sleep);
        assert_eq!(clock.pending_sleeps(), 0);
    }

    /// Notes, as the last of its wakers goes, whether the clock can be asked.
    struct Asks(ManualClock, Arc<Mutex<Vec<bool>>>);
    impl std::task::Wake for Asks {
        fn wake(self: Arc<Self>) {}
    }
    impl Drop for Asks {
        fn drop(&mut self) {
            lock(&self.1).push(self.0.0.try_lock().is_ok());
        }
    }

    #[test]
    fn a_waker_may_ask_the_clock_as_it_is_dropped() {
        let (clock, could_ask) = (ManualClock::new(), Arc::default());
        let mut sleep = clock.sleep_until(Timestamp::from_millis(10));
        for _ in 0..2 {
            let waker = Waker::from(Arc::new(Asks(clock.clone(), Arc::clone(&could_ask))));
            assert!(Pin::new(&mut sleep).poll(&mut Context::from_waker(&waker)).is_pending());
        }
        assert_eq!(*could_ask.lock().unwrap(), [true], "replaced by the second");
        drop(sleep);
        assert_eq!(*could_ask.lock().unwrap(), [true; 2]);
    }

    /// Sleeps three times in a row and tells when it woke.
    async fn three_sleeps(clock: ManualClock, step: Duration, woken: Arc<Mutex<Vec<Timestamp>>>) {
        for _ in 0..3 {
            clock.sleep_until(clock.now() + step).await;
            woken.lock().unwrap().push(clock.now());
        }
    }

    /// Polls a future whenever it is woken, at once.
    struct Eager(Mutex<Pin<Box<dyn Future<Output = ()> + Send>>>);
    impl std::task::Wake for Eager {
        fn wake(self: Arc<Self>) {
            let waker = Waker::from(self.clone());
            let _ = self.0.lock().unwrap().as_mut().poll(&mut Context::from_waker(&waker));
        }
    }

    #[test]
    fn one_advance_ends_all_sleeps_on_the_way_each_at_its_own_moment() {
        let (clock, woken) = (ManualClock::new(), Arc::new(Mutex::new(Vec::new())));
        for step in [100, 30] {
            let sleeps = three_sleeps(clock.clone(), Duration::from_millis(step), woken.clone());
            Waker::from(Arc::new(Eager(Mutex::new(Box::pin(sleeps))))).wake();
        }
        clock.advance(Duration::from_millis(250));
        assert_eq!(*woken.lock().unwrap(), [30, 60, 90, 100, 200].map(Timestamp::from_millis));
        assert_eq!((clock.now(), clock.pending_sleeps()), (Timestamp::from_millis(250), 1));
        clock.advance(Duration::MAX);
        assert_eq!((clock.now(), clock.pending_sleeps()), (Timestamp::new(Duration::MAX), 0));
    }

    #[test]
    fn no_sleep_is_passed_over_that_begins_while_the_clock_moves() {
        let clock = ManualClock::new();
        let sleeper = clock.clone();
        let thread = std::thread::spawn(move || {
            for _ in 0..50_000 {
                let mut sleep = sleeper.sleep_until(sleeper.now() + Duration::from_millis(1));
                let _ = Pin::new(&mut sleep).poll(&mut Context::from_waker(Waker::noop()));
            }
        });
        while !thread.is_finished() {
            clock.advance(Duration::from_millis(1));
            let passed_over = clock.next_deadline().filter(|&deadline| deadline <= clock.now());
            assert_eq!(passed_over, None, "nobody would wake it");
        }
        thread.join().unwrap();
    }
}
