//! The shell around the state: lock, clock, and the wakers of those who wait.

use std::collections::BTreeMap;
use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Poll, Waker, ready};
use std::time::Duration;

use super::config::BulkheadConfig;
use super::permit::Permit;
use super::rejection::{Rejection, RejectionReason};
use super::state::{Admission, BulkheadStats, Overrun, State, Turn, Waiter};
use crate::cancel::CancelToken;
use crate::clock::{Clock, SystemClock, Timer, Timestamp};
use crate::error::InvalidConfig;
use crate::guarded;
use crate::lock::lock;
use crate::registry::Registered;
use crate::sync::Mutex;

/// Bounds how many calls run at once, and how fast they start. Share it by [`Arc`]: one for each service or model.
///
/// ```
/// use resilience::bulkhead::{Bulkhead, BulkheadConfig};
/// use resilience::clock::TokioClock;
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let bulkhead = Arc::new(Bulkhead::new(BulkheadConfig { max_concurrent: 1, ..Default::default() })?);
/// let permit = bulkhead.acquire(&TokioClock::new(), None, None).await?;
/// // … make the call …
/// drop(permit);
/// assert_eq!(bulkhead.stats().done, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub struct Bulkhead {
    shared: Mutex<Shared>,
    clock: Arc<dyn Clock + Send + Sync>,
}

struct Shared {
    state: State,
    /// Of those who wait and have not been woken since they asked.
    wakers: BTreeMap<Waiter, Waker>,
}

impl Bulkhead {
    /// On the system's clock.
    ///
    /// # Errors
    /// [`InvalidConfig`], see [`BulkheadConfig`].
    pub fn new(config: BulkheadConfig) -> Result<Self, InvalidConfig> {
        Self::with_clock(config, Arc::new(SystemClock))
    }

    /// With a clock of one's own.
    ///
    /// # Errors
    /// [`InvalidConfig`], see [`BulkheadConfig`].
    pub fn with_clock(config: BulkheadConfig, clock: Arc<dyn Clock + Send + Sync>) -> Result<Self, InvalidConfig> {
        config.validate()?;
        let state = State::new(config, clock.now());
        Ok(Self { shared: Mutex::new(Shared { state, wakers: BTreeMap::new() }), clock })
    }

    /// A place for one call, after a wait if need be. Those who wait get theirs in the order in which they came: in which
    /// their futures were first polled. A future that is kept but not polled holds up those behind it.
    ///
    /// The wait ends early when `max_wait` or [`BulkheadConfig::max_wait`] has passed, when `cancel` is cancelled, or
    /// when the future is dropped; what it held in the queue is free at once. A wait that spacing or reservoir would
    /// make too long is not begun. Times are those of the bulkhead's clock, `timer` only sleeps.
    ///
    /// # Errors
    /// [`Rejection`] says why not and, when it is known, how long to wait before asking again.
    pub async fn acquire(
        self: &Arc<Self>,
        timer: &impl Timer,
        max_wait: Option<Duration>,
        cancel: Option<&CancelToken>,
    ) -> Result<Permit, Rejection> {
        if cancel.is_some_and(CancelToken::is_cancelled) {
            self.change(|shared| (shared.state.cancelled(), None));
            return Err(CANCELLED);
        }
        match self.request(max_wait)? {
            Admission::Started => Ok(Permit::new(self.clone())),
            Admission::Queued(waiter) => self.wait(waiter, timer, cancel).await,
        }
    }

    /// A place for one call if there is one now and nobody waits.
    ///
    /// # Errors
    /// [`Rejection`] as of [`acquire`](Self::acquire) with no time to wait.
    pub fn try_acquire(self: &Arc<Self>) -> Result<Permit, Rejection> {
        // Without any time to wait it is never queued.
        self.request(Some(Duration::ZERO)).map(|_| Permit::new(self.clone()))
    }

    fn request(&self, max_wait: Option<Duration>) -> Result<Admission, Rejection> {
        let now = self.now();
        self.change(|shared| {
            let limit = max_wait.into_iter().chain(shared.state.config().max_wait).min();
            (shared.state.request(now, limit), None)
        })
    }

    async fn wait(
        self: &Arc<Self>,
        waiter: Waiter,
        timer: &impl Timer,
        cancel: Option<&CancelToken>,
    ) -> Result<Permit, Rejection> {
        let _queued = Queued { bulkhead: self, waiter };
        let mut cancelled = cancel.map(CancelToken::cancelled);
        let mut sleep = pin!(None);
        let mut sleeps_until = None;
        poll_fn(|context| {
            if cancelled.as_mut().is_some_and(|cancelled| Pin::new(cancelled).poll(context).is_ready()) {
                return Poll::Ready(Err(CANCELLED));
            }
            loop {
                let now = self.now();
                match self.turn(waiter, now, context.waker().clone()) {
                    Turn::Started => return Poll::Ready(Ok(Permit::new(self.clone()))),
                    Turn::Refused(rejection) => return Poll::Ready(Err(rejection)),
                    Turn::Waits { until } if until == sleeps_until => {}
                    Turn::Waits { until } => {
                        sleeps_until = until;
                        // Lengths only: the two clocks may have different origins.
                        sleep.set(until.map(|until| timer.sleep_until(timer.now() + until.since(now))));
                    }
                }
                let Some(sleeping) = sleep.as_mut().as_pin_mut() else { return Poll::Pending };
                ready!(sleeping.poll(context));
                sleeps_until = None;
                sleep.set(None);
            }
        })
        .await
    }

    fn turn(&self, waiter: Waiter, now: Timestamp, waker: Waker) -> Turn {
        let (turn, _dropped_outside_the_lock) = self.change(|shared| {
            let before = shared.wakers.insert(waiter, waker);
            let (turn, next) = shared.state.turn(waiter, now);
            ((turn, before), next)
        });
        turn
    }

    pub(super) fn release(&self) {
        self.change(|shared| ((), shared.state.release()));
    }

    pub(super) fn begin_overrun(&self) -> Overrun {
        let now = self.now();
        self.change(|shared| shared.state.begin_overrun(now))
    }

    pub(super) fn end_overrun(&self, overrun: Overrun) {
        self.change(|shared| ((), shared.state.end_overrun(overrun)));
    }

    /// What it has seen.
    pub fn stats(&self) -> BulkheadStats {
        let now = self.now();
        lock(&self.shared).state.stats(now)
    }

    /// The one place that changes the state: wakes whom the change concerns.
    fn change<T>(&self, change: impl FnOnce(&mut Shared) -> (T, Option<Waiter>)) -> T {
        let (result, waker) = {
            let mut shared = lock(&self.shared);
            let (result, next) = change(&mut shared);
            // Whoever is woken asks again, and leaves a new one.
            (result, next.and_then(|next| shared.wakers.remove(&next)))
        };
        // Outside the lock: a waker may poll at once. One that panics must not fail the call that gives its place back.
        guarded::wake(waker);
        result
    }

    /// A clock that panics leaves the time where it was: the state knows the latest. A place is given back all the same.
    fn now(&self) -> Timestamp {
        guarded::now(&*self.clock)
    }
}

const CANCELLED: Rejection = Rejection { reason: RejectionReason::Cancelled, retry_after: None };

/// A place in the queue, given up when the wait is over, however it ends.
struct Queued<'a> {
    bulkhead: &'a Bulkhead,
    waiter: Waiter,
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        let _dropped_outside_the_lock = self.bulkhead.change(|shared| {
            let waker = shared.wakers.remove(&self.waiter);
            (waker, shared.state.leave(self.waiter))
        });
    }
}

impl Registered for Bulkhead {
    type Config = BulkheadConfig;

    fn create(config: BulkheadConfig) -> Result<Self, InvalidConfig> {
        Self::new(config)
    }

    fn config(&self) -> BulkheadConfig {
        *lock(&self.shared).state.config()
    }

    /// Nothing runs or waits, and neither spacing nor reservoir remembers a start: a new one would do the same.
    fn is_idle(&self) -> bool {
        let now = self.now();
        lock(&self.shared).state.is_as_new(now)
    }
}

impl fmt::Debug for Bulkhead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Bulkhead").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
