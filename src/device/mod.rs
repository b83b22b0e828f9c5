//! What the app knows of its device, and the service can't be blamed for: whether there is a network, and whether the app is
//! suspended.
//!
//! A [`Device`] is told of it; a [`DeviceTimer`], given to clients as their timer, brings it to their calls. Telling is optional,
//! and what is told is a hint: calls are made all the same, but their failures are read differently.
//!
//! | told | what calls make of it |
//! |---|---|
//! | no network | an attempt that fails without an answer of the service is [`Offline`](crate::classify::ErrorClass::Offline): neutral for breakers, no retry, no token of the budget, no other service |
//! | suspended | time stands still: deadlines, time limits of attempts and waits go on after it, see [`MAX_PAUSE`] |
//! | network is back, or resumed | connections have died meanwhile: the first such failure of a call is free, see [`GRACE`], and tried again at once; a backoff ends early |
//!
//! Free means: neutral for the breaker, no token of the budget, none of the retries; the trace shows the attempt, and it counts
//! in [`max_total_attempts`](crate::retry::RetryConfig::max_total_attempts). Each return of network or app makes one failure of a
//! call free, and at most [`MAX_FREE`] of a call are. A backoff ends early once in a call: within the policy's first wait, by
//! chance, so that devices that come out of one tunnel do not all ask at the same moment, and never before a Retry-After; later
//! ones begin with the first wait again.
//!
//! The cooldowns of breakers go on while the app is suspended: the service recovers meanwhile.

mod timer;

use std::time::Duration;

pub use timer::{DeviceSleep, DeviceTimer};

use crate::cancel::{CancelReason, CancelToken, Cancelled};
use crate::clock::{Clock, Timestamp};
use crate::lock::lock;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};

/// So long, at the most, time stands still for one suspension: one whose end is never told must not hold calls for ever.
pub const MAX_PAUSE: Duration = Duration::from_secs(24 * 3_600);

/// Connections that were made before may fail so long after the network has come back or the app was resumed.
pub const GRACE: Duration = Duration::from_secs(10);

/// The most failures of one call that are free.
pub const MAX_FREE: u32 = 3;

/// Network and suspension of a device, as the app tells them.
///
/// ```
/// use resilience::breaker::CircuitBreaker;
/// use resilience::classify::ErrorClass;
/// use resilience::client::{CallOptions, ClientConfig, ResilientLlmClient};
/// use resilience::clock::ManualClock;
/// use resilience::device::{Device, DeviceTimer};
/// use resilience::mock::MockLlmClient;
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// let device = Arc::new(Device::new(clock.clone()));
/// let timer = DeviceTimer::new(clock.clone(), device.clone());
/// let started = resilience::clock::Clock::now(&timer);
/// device.suspended();
/// clock.advance(Duration::from_secs(600));
/// device.resumed();
/// assert_eq!(resilience::clock::Clock::now(&timer), started, "no time for any call");
/// ```
pub struct Device {
    clock: Box<dyn Clock + Send + Sync>,
    /// Of the state, what each call asks: how long all pauses were, in nanoseconds and shifted left by one; lowest bit: time
    /// stands still. 0 until a first pause.
    pauses: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    offline: bool,
    /// Since when, on the clock.
    suspended: Option<Timestamp>,
    /// Length of all pauses that are over.
    paused: Duration,
    fresh_start: FreshStart,
    /// Cancelled, and replaced, with the next fresh start.
    next: CancelToken,
}

/// The network has come back, or the app was resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FreshStart {
    /// How many there were, this one included; 0: none.
    pub number: u64,
    /// When, in the time of calls.
    pub at: Timestamp,
}

impl Device {
    /// With a network and not suspended. `clock` is that of the timers that go with it.
    pub fn new(clock: impl Clock + Send + Sync + 'static) -> Self {
        Self { clock: Box::new(clock), pauses: AtomicU64::new(0), state: Mutex::default() }
    }

    /// The network was lost, or there is one again: another one, perhaps. Each `true` says that earlier connections have died.
    pub fn network_changed(&self, online: bool) {
        if online {
            self.start_afresh(|state| state.offline = false);
        } else {
            lock(&self.state).offline = true;
        }
    }

    /// The app is about to be suspended: time stands still for its calls. Telling it twice is telling it once.
    pub fn suspended(&self) {
        let now = self.clock.now();
        let mut state = lock(&self.state);
        state.suspended.get_or_insert(now);
        self.publish(&state);
    }

    /// The app goes on. May be told without a [`suspended`](Self::suspended) before.
    pub fn resumed(&self) {
        let now = self.clock.now();
        self.start_afresh(|state| {
            let pause = state.suspended.take().map_or(Duration::ZERO, |since| now.since(since).min(MAX_PAUSE));
            state.paused = state.paused.saturating_add(pause);
            self.publish(state);
        });
    }

    /// Whether the app has told that there is no network.
    pub fn is_offline(&self) -> bool {
        lock(&self.state).offline
    }

    /// Whether the app has told that it is suspended.
    pub fn is_suspended(&self) -> bool {
        self.pauses.load(Ordering::Acquire) & 1 == 1
    }

    fn start_afresh(&self, change: impl FnOnce(&mut State)) {
        let now = self.clock.now();
        let waiting = {
            let mut state = lock(&self.state);
            change(&mut state);
            state.fresh_start = FreshStart { number: state.fresh_start.number + 1, at: state.time_of_calls(now) };
            std::mem::take(&mut state.next)
        };
        // Outside the lock: who is woken may ask.
        waiting.cancel(CancelReason::Cancelled);
    }

    fn publish(&self, state: &State) {
        let paused = u64::try_from(state.paused.as_nanos()).unwrap_or(u64::MAX) << 1;
        self.pauses.store(paused | u64::from(state.suspended.is_some()), Ordering::Release);
    }

    /// Time without the pauses: what calls count in.
    pub(crate) fn time_of_calls(&self, now: Timestamp) -> Timestamp {
        match self.pauses.load(Ordering::Acquire) {
            0 => now,
            pauses if pauses & 1 == 0 => before(now, Duration::from_nanos(pauses >> 1)),
            _ => lock(&self.state).time_of_calls(now),
        }
    }

    /// When a moment of the [time of calls](Self::time_of_calls) comes. While time stands still: at the latest, and what ends
    /// with the next fresh start.
    fn comes_at(&self, moment: Timestamp) -> (Timestamp, Option<Cancelled>) {
        let pauses = self.pauses.load(Ordering::Acquire);
        if pauses & 1 == 0 {
            return (moment + Duration::from_nanos(pauses >> 1), None);
        }
        let state = lock(&self.state);
        let comes_at = moment + state.paused;
        match state.suspended {
            Some(since) if since < comes_at => (comes_at + MAX_PAUSE, Some(state.next.cancelled())),
            _ => (comes_at, None),
        }
    }

    /// The latest.
    pub(crate) fn fresh_start(&self) -> FreshStart {
        lock(&self.state).fresh_start
    }

    /// Ready with the next fresh start.
    pub(crate) fn starts_afresh(&self) -> Cancelled {
        lock(&self.state).next.cancelled()
    }
}

impl State {
    fn time_of_calls(&self, now: Timestamp) -> Timestamp {
        let pause = self.suspended.map_or(Duration::ZERO, |since| now.since(since).min(MAX_PAUSE));
        before(now, self.paused.saturating_add(pause))
    }
}

fn before(moment: Timestamp, time: Duration) -> Timestamp {
    Timestamp::new(moment.since_origin().saturating_sub(time))
}
