//! The shell around the state machine: lock, clock, chance, listeners, and a way past the lock while it is closed.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::config::BreakerConfig;
use super::counter::Counter;
use super::event::BreakerEvent;
use super::listeners::Listeners;
use super::permit::{FailureReport, Permit};
use super::rejection::{Rejection, RejectionReason};
use super::state::{BreakerState, Recorded, SavedState, State, Ticket};
use super::stats::BreakerStats;
use super::window::WindowCounts;
use crate::classify::ErrorClass;
use crate::clock::{Clock, SystemClock, Timestamp};
use crate::error::InvalidConfig;
use crate::lock::lock;
use crate::log;
use crate::random::{Rng, SeededRng, draw};
use crate::snapshot::{self, RestoreError};
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::sync::{Mutex, MutexGuard};

/// Kind of its snapshots.
const SNAPSHOT: &str = "circuit_breaker";

/// What a caller without an attempt timeout is taken to need, at the most.
const DEFAULT_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(60);

/// A circuit breaker. Share it by reference or [`Arc`]: one for each service, whoever calls it.
///
/// ```
/// use resilience::breaker::{BreakerConfig, BreakerState, CircuitBreaker};
///
/// let breaker = CircuitBreaker::new(BreakerConfig::default())?;
/// for _ in 0..3 {
///     breaker.try_acquire()?.failure(Default::default());
/// }
/// let rejection = breaker.try_acquire().unwrap_err();
/// assert!(rejection.retry_after.as_millis() <= 5_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CircuitBreaker {
    /// Generation, shifted left by one; lowest bit: calls pass without asking the state machine.
    /// Written under the lock, read without it: a closed breaker costs a success two loads and one addition.
    gate: AtomicU64,
    /// Whether a success that is not slow has nothing to reset and nothing to count but itself.
    ignores_success: AtomicBool,
    /// A call that took so long is slow; `None`: it doesn't matter.
    slow_call: Option<Duration>,
    /// Until when an open breaker rejects, in nanoseconds on its clock; 0: ask the state machine.
    open_until: AtomicU64,
    /// What was counted without the lock.
    successes: Counter,
    rejected: Counter,
    shared: Mutex<Shared>,
    listeners: Listeners,
    clock: Arc<dyn Clock + Send + Sync>,
    rng: Arc<dyn Rng>,
    /// How the log calls it.
    name: OnceLock<Box<str>>,
}

struct Shared {
    state: State,
    stats: BreakerStats,
}

impl CircuitBreaker {
    /// On the system's clock, with the system's chance.
    ///
    /// # Errors
    /// [`InvalidConfig`], see [`BreakerConfig`].
    pub fn new(config: BreakerConfig) -> Result<Self, InvalidConfig> {
        Self::with_clock(config, Arc::new(SystemClock), Arc::new(SeededRng::from_system()))
    }

    /// With a clock and a source of chance of one's own.
    ///
    /// # Errors
    /// [`InvalidConfig`], see [`BreakerConfig`].
    pub fn with_clock(
        config: BreakerConfig,
        clock: Arc<dyn Clock + Send + Sync>,
        rng: Arc<dyn Rng>,
    ) -> Result<Self, InvalidConfig> {
        config.validate()?;
        let slow_call = config.window.map(|window| window.slow_call);
        let state = State::new(config);
        let gate = gate_of(&state);
        Ok(Self {
            gate: AtomicU64::new(gate),
            ignores_success: AtomicBool::new(state.ignores_success()),
            slow_call,
            open_until: AtomicU64::new(0),
            successes: Counter::default(),
            rejected: Counter::default(),
            shared: Mutex::new(Shared { state, stats: BreakerStats::default() }),
            listeners: Listeners::default(),
            clock,
            rng,
            name: OnceLock::new(),
        })
    }

    /// How the log calls it from now on: its own name, or that of the service it is for. The first one stays.
    pub(crate) fn log_as(&self, name: &str) {
        self.name.get_or_init(|| name.into());
    }

    /// Asks for one call.
    ///
    /// # Errors
    /// [`Rejection`] says why not and when to ask again.
    #[inline]
    pub fn try_acquire(&self) -> Result<Permit<'_>, Rejection> {
        self.try_acquire_for(DEFAULT_ATTEMPT_TIMEOUT)
    }

    /// Asks for one call that takes at most `attempt_timeout`: a probe keeps its place at least so long.
    ///
    /// # Errors
    /// [`Rejection`] says why not and when to ask again.
    #[inline]
    pub fn try_acquire_for(&self, attempt_timeout: Duration) -> Result<Permit<'_>, Rejection> {
        let gate = self.gate.load(Ordering::Acquire);
        let ticket = if gate & 1 == 1 { Ticket::of_closed(gate >> 1) } else { self.ask(attempt_timeout)? };
        Ok(Permit::new(self, ticket))
    }

    fn ask(&self, attempt_timeout: Duration) -> Result<Ticket, Rejection> {
        let now = self.clock.now();
        match self.rejected_while_open(now) {
            Some(rejection) => Err(rejection),
            None => self.admit(now, attempt_timeout),
        }
    }

    #[cold]
    fn admit(&self, now: Timestamp, attempt_timeout: Duration) -> Result<Ticket, Rejection> {
        self.change(|shared| {
            let (admission, event) = shared.state.admit(now, attempt_timeout);
            shared.stats.rejected += u64::from(admission.is_err());
            (admission, event)
        })
    }

    /// A service that is down is asked for by many calls at once: they need no lock.
    fn rejected_while_open(&self, now: Timestamp) -> Option<Rejection> {
        let left = self.open_until.load(Ordering::Acquire).checked_sub(nanos(now)?).filter(|&left| left > 0)?;
        self.rejected.add_one();
        Some(Rejection { reason: RejectionReason::Open, retry_after: Duration::from_nanos(left) })
    }

    /// Whether it matters how long a successful call took.
    pub(super) fn wants_duration(&self) -> bool {
        self.slow_call.is_some()
    }

    /// Whether a success of this call that is not slow changes nothing but a count.
    #[inline]
    fn ignores_success(&self, ticket: Ticket) -> bool {
        let gate = self.gate.load(Ordering::Acquire);
        gate == ticket.generation() << 1 | 1 && self.ignores_success.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn record_success(&self, ticket: Ticket, took: Duration) {
        let slow = self.slow_call.is_some_and(|limit| took >= limit);
        if !slow && self.ignores_success(ticket) {
            self.successes.add_one();
            return;
        }
        let (now, chance) = (self.clock.now(), draw(&*self.rng));
        self.record(|state| state.success(ticket, took, now, chance), |stats| &mut stats.successes);
    }

    pub(crate) fn record_failure(&self, ticket: Ticket, report: FailureReport) {
        // Both may be functions of the app that call back into this breaker: not under the lock.
        let (now, chance) = (self.clock.now(), draw(&*self.rng));
        self.record(|state| state.failure(ticket, report, now, chance), |stats| &mut stats.failures);
    }

    pub(crate) fn record_neutral(&self, ticket: Ticket) {
        self.record(|state| state.neutral(ticket), |stats| &mut stats.neutral);
    }

    fn record(&self, result: impl FnOnce(&mut State) -> Recorded, counter: impl Fn(&mut BreakerStats) -> &mut u64) {
        self.change(|shared| match result(&mut shared.state) {
            Recorded::Counted(event) => {
                *counter(&mut shared.stats) += 1;
                ((), event)
            }
            Recorded::Stale => {
                shared.stats.stale += 1;
                ((), None)
            }
        });
    }

    /// A ticket for a result that was reported without its permit (article 000's `recordSuccess()`): it is taken for
    /// that of the oldest probe in flight, or of any call while closed. `None`: nothing is waited for.
    #[cfg(any(test, feature = "napi", target_env = "ohos"))]
    pub(crate) fn current_ticket(&self) -> Option<Ticket> {
        self.shared().state.current_ticket()
    }

    /// Rejects every call until [`reset`](Self::reset).
    pub fn isolate(&self) {
        self.switch(State::isolate);
    }

    /// Admits every call and counts nothing until [`reset`](Self::reset).
    pub fn force_closed(&self) {
        self.switch(State::force_closed);
    }

    /// Makes it as new: closed, nothing counted. Calls in flight no longer count, nor does a Retry-After that they bring.
    pub fn reset(&self) {
        self.switch(State::reset);
    }

    fn switch(&self, to: impl FnOnce(&mut State, Timestamp) -> Option<BreakerEvent>) {
        let now = self.clock.now();
        self.change(|shared| ((), to(&mut shared.state, now)));
    }

    /// What it has learned, as a text for [`restore`](Self::restore) after the app was ended: state, what is left of the
    /// cooldown and of a Retry-After, failures in a row, how often it has reopened. Not its settings, its statistics, the calls
    /// in its window, probes in flight, nor a switch by hand.
    ///
    /// `now_unix_ms` is the wall clock, in milliseconds since 1970.
    ///
    /// ```
    /// use resilience::breaker::{BreakerConfig, BreakerState, CircuitBreaker};
    /// use std::time::Duration;
    ///
    /// let config = BreakerConfig { failure_threshold: 1, cooldown: Duration::from_secs(60), ..Default::default() };
    /// let breaker = CircuitBreaker::new(config)?;
    /// breaker.try_acquire()?.failure(Default::default());
    /// let saved = breaker.snapshot(1_792_567_680_000);
    ///
    /// // The app is ended, and started again after 20 s.
    /// let breaker = CircuitBreaker::new(config)?;
    /// breaker.restore(&saved, 1_792_567_700_000)?;
    /// assert_eq!(breaker.state(), BreakerState::Open);
    /// assert!(breaker.retry_after() <= Duration::from_secs(40));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn snapshot(&self, now_unix_ms: u64) -> String {
        snapshot::write(SNAPSHOT, now_unix_ms, self.saved().to_json())
    }

    /// Goes on where a [`snapshot`](Self::snapshot) was made, as if it had lived on without calls since: a breaker that was open
    /// stays so for what is left of its cooldown; one that was half-open, or whose cooldown is over, lets the next call through
    /// as its probe. The window begins empty.
    ///
    /// Its own settings hold: it is not open for longer than they allow, and no failure that was saved opens it here. As with
    /// [`reset`](Self::reset) calls in flight no longer count, so restore it before the first call. One that was isolated or
    /// forced closed by hand stays so.
    ///
    /// # Errors
    /// [`RestoreError`]: no snapshot of a breaker, or a damaged one. It is as it was.
    pub fn restore(&self, text: &str, now_unix_ms: u64) -> Result<(), RestoreError> {
        let (content, elapsed) = snapshot::read(text, SNAPSHOT, now_unix_ms)?;
        self.take_up(&SavedState::read(&content)?, elapsed);
        Ok(())
    }

    /// For a snapshot of several things.
    pub(crate) fn saved(&self) -> SavedState {
        let now = self.clock.now();
        self.shared().state.saved(now)
    }

    /// For a snapshot of several things: `saved` is `elapsed` old.
    pub(crate) fn take_up(&self, saved: &SavedState, elapsed: Duration) {
        self.switch(|state, now| state.restore(saved, elapsed, now));
    }

    /// State as the last event left it: `Open` is read until a call comes after the cooldown.
    pub fn state(&self) -> BreakerState {
        if self.gate.load(Ordering::Acquire) & 1 == 1 {
            return BreakerState::Closed;
        }
        self.shared().state.state()
    }

    /// Time until a call may be admitted; zero when one may be now.
    pub fn retry_after(&self) -> Duration {
        if self.gate.load(Ordering::Acquire) & 1 == 1 {
            return Duration::ZERO;
        }
        let now = self.clock.now();
        self.shared().state.retry_after(now)
    }

    /// Failures in a row.
    pub fn consecutive_failures(&self) -> u32 {
        self.shared().state.failures()
    }

    /// The calls that its window holds; `None` where failures in a row decide.
    pub fn window_counts(&self) -> Option<WindowCounts> {
        let now = self.clock.now();
        self.shared().state.window_counts(now)
    }

    /// Whether a new one would behave as this one does.
    pub(super) fn is_as_new(&self) -> bool {
        let now = self.clock.now();
        self.shared().state.is_as_new(now)
    }

    /// What kind of fault the latest failure was, as far as it was told; `None` after a success.
    pub fn cause(&self) -> Option<ErrorClass> {
        self.shared().state.cause()
    }

    /// What it has seen.
    pub fn stats(&self) -> BreakerStats {
        let counted = self.shared().stats;
        BreakerStats {
            successes: counted.successes + self.successes.get(),
            rejected: counted.rejected + self.rejected.get(),
            listener_errors: self.listeners.errors(),
            ..counted
        }
    }

    /// The settings it was built from.
    pub fn config(&self) -> BreakerConfig {
        *self.shared().state.config()
    }

    /// Calls `listener` after each change of state: outside any lock, on the thread that made the change, before the call
    /// that made it returns. A change that a listener itself makes is told after the one that it is being told, so each
    /// hears them in their order; after a hundred in one go the rest is not told. Of changes on several threads at once the
    /// later one may be told first. The number is for [`unsubscribe`](Self::unsubscribe).
    pub fn subscribe(&self, listener: impl Fn(&BreakerEvent) + Send + Sync + 'static) -> u64 {
        self.listeners.add(listener)
    }

    /// Forgets a listener: it is not called again, not even for an event that others have heard of already. If it is at
    /// work on another thread, it ends its work there. False: there is none of that number.
    pub fn unsubscribe(&self, id: u64) -> bool {
        self.listeners.remove(id)
    }

    #[cfg(test)]
    pub(super) fn lock_for_test(&self) -> impl Sized {
        self.shared()
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        lock(&self.shared)
    }

    /// The one place that changes the state: counts the event, renews what is read without the lock, and tells the
    /// listeners once the lock is gone.
    fn change<T>(&self, change: impl FnOnce(&mut Shared) -> (T, Option<BreakerEvent>)) -> T {
        let mut shared = self.shared();
        let (result, event) = change(&mut shared);
        match event.map(|event| event.to) {
            Some(BreakerState::Open) => shared.stats.opened += 1,
            Some(BreakerState::HalfOpen) => shared.stats.half_opened += 1,
            Some(BreakerState::Closed) => shared.stats.closed += 1,
            None => {}
        }
        self.ignores_success.store(shared.state.ignores_success(), Ordering::Relaxed);
        self.open_until.store(shared.state.open_until().and_then(nanos).unwrap_or(0), Ordering::Release);
        self.gate.store(gate_of(&shared.state), Ordering::Release);
        drop(shared);
        if let Some(event) = event {
            self.tell(event);
        }
        result
    }

    fn tell(&self, event: BreakerEvent) {
        let name = self.name.get().map(|name| format!(" {name:?}")).unwrap_or_default();
        log::info(format_args!(
            "breaker{name} {} -> {} ({}), failures {}, cooldown {} ms",
            event.from.as_str(),
            event.to.as_str(),
            event.reason.as_str(),
            event.failures,
            event.cooldown.as_millis()
        ));
        self.listeners.tell(event);
    }
}

fn gate_of(state: &State) -> u64 {
    state.generation() << 1 | u64::from(state.admits_freely())
}

/// Nanoseconds since the origin; `None` after 584 years.
fn nanos(time: Timestamp) -> Option<u64> {
    u64::try_from(time.since_origin().as_nanos()).ok()
}

impl fmt::Debug for CircuitBreaker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CircuitBreaker").field("state", &self.state()).finish_non_exhaustive()
    }
}
