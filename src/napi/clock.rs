//! `ManualClock`, and the clocks that the core is given here.

use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::Unknown;
use napi_ohos::{Env, Result};

use super::arguments::{argument, scope_of};
use super::errors::millis;
use super::executor::{JsPromise, JsSleep, Runtime};
use super::kept::UserFunction;
use crate::clock::{Clock, ManualClock as Core, ManualSleep, SystemClock, Timer, Timestamp};
use crate::error::MAX_DURATION;
use crate::random::Rng;

/// A clock that moves only when told to, so that an app can test its own policy without waiting. Give it to a client as
/// `clock` and to a breaker as `() => clock.now()`.
#[napi]
pub struct ManualClock {
    clock: Core,
    runtime: Rc<Runtime>,
}

impl ManualClock {
    pub fn core(&self) -> &Core {
        &self.clock
    }

    fn step(&self, env: Env, ms: Unknown) -> Result<Duration> {
        let scope = scope_of(env);
        argument(scope, ms, "ms").millis(0.0).map_err(|error| error.throw(scope))
    }
}

#[napi]
impl ManualClock {
    /// Starts at 0.
    #[napi(constructor)]
    pub fn new(env: Env) -> Self {
        Self { clock: Core::new(), runtime: Runtime::of(scope_of(env)) }
    }

    /// Milliseconds since its start.
    #[napi]
    pub fn now(&self) -> f64 {
        self.clock.now().since_origin().as_secs_f64() * 1_000.0
    }

    /// Moves on by `ms` and ends each sleep on the way, in order, at its own moment. Promises of the app's own client
    /// settle only after this returns: where the call goes through several, use `advanceAsync`.
    ///
    /// @throws INVALID_ARGUMENT unless `ms` is from 0 to 365 days
    #[napi(ts_args_type = "ms: number")]
    pub fn advance(&self, env: Env, ms: Unknown) -> Result<()> {
        let step = self.step(env, ms)?;
        self.runtime.enter(|_| {
            let target = self.clock.now() + step;
            while self.clock.wake_next_until(target) {
                self.runtime.run_ready();
            }
            self.clock.advance(target.since(self.clock.now()));
        });
        Ok(())
    }

    /// As `advance`, but lets the promises that are due settle before each step.
    ///
    /// @throws INVALID_ARGUMENT unless `ms` is from 0 to 365 days
    #[napi(ts_args_type = "ms: number", ts_return_type = "Promise<void>")]
    pub fn advance_async(&self, env: Env, ms: Unknown) -> Result<Unknown<'static>> {
        let step = self.step(env, ms)?;
        let (clock, runtime) = (self.clock.clone(), self.runtime.clone());
        let scope = scope_of(env);
        let promise = self.runtime.spawn(scope, async move {
            let target = clock.now() + step;
            loop {
                settle_promises(&runtime).await;
                if !clock.wake_next_until(target) {
                    break;
                }
            }
            clock.advance(target.since(clock.now()));
            settle_promises(&runtime).await;
            Ok(runtime.scope().undefined())
        });
        // SAFETY: a promise of this scope, returned from it.
        Ok(unsafe { Unknown::from_raw_unchecked(scope.env(), promise) })
    }

    /// How many sleeps are pending.
    #[napi(getter)]
    pub fn pending_sleeps(&self) -> u32 {
        self.clock.pending_sleeps() as u32
    }

    /// Milliseconds until the next sleep ends; undefined when none is pending.
    #[napi(getter, ts_return_type = "number | undefined")]
    pub fn next_sleep_ms(&self) -> Option<f64> {
        self.clock.next_deadline().map(|deadline| millis(deadline.since(self.clock.now())))
    }
}

/// Lets chains of promises run on: a client of the app rarely awaits deeper than this.
async fn settle_promises(runtime: &Rc<Runtime>) {
    const DEPTH: usize = 50;
    for _ in 0..DEPTH {
        let resolved = {
            let scope = runtime.scope();
            let (deferred, promise) = scope.promise();
            scope.resolve(deferred, scope.undefined());
            JsPromise::new(runtime, scope, promise, |_, _| ())
        };
        resolved.await;
    }
}

/// The clock of a client.
pub enum JsTimer {
    System(Rc<Runtime>),
    Manual(Core),
}

impl Clock for JsTimer {
    fn now(&self) -> Timestamp {
        match self {
            Self::System(_) => SystemClock.now(),
            Self::Manual(clock) => clock.now(),
        }
    }
}

impl Timer for JsTimer {
    type Sleep = EitherSleep;

    fn sleep_until(&self, deadline: Timestamp) -> EitherSleep {
        match self {
            Self::System(runtime) => EitherSleep::System(JsSleep::until(runtime.clone(), deadline)),
            Self::Manual(clock) => EitherSleep::Manual(clock.sleep_until(deadline)),
        }
    }
}

pub enum EitherSleep {
    System(JsSleep),
    Manual(ManualSleep),
}

impl Future for EitherSleep {
    type Output = ();

    fn poll(self: std::pin::Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<()> {
        match self.get_mut() {
            Self::System(sleep) => std::pin::Pin::new(sleep).poll(context),
            Self::Manual(sleep) => std::pin::Pin::new(sleep).poll(context),
        }
    }
}

/// A `now` of the app, in milliseconds from any origin. What it returns besides a finite number, an earlier time, or an
/// exception leaves the time where it was: a broken clock delays a breaker, but breaks no call.
pub struct JsNow {
    now: UserFunction,
    last: Mutex<Timestamp>,
}

impl JsNow {
    pub fn new(now: UserFunction) -> Self {
        Self { now, last: Mutex::new(Timestamp::ZERO) }
    }
}

impl Clock for JsNow {
    fn now(&self) -> Timestamp {
        let read = self.now.call(|_| [], |scope, result| scope.as_number(result.ok()?));
        let longest = MAX_DURATION.as_secs_f64() * 1_000.0 * 10_000.0;
        let read = read.flatten().filter(|millis| (0.0..=longest).contains(millis));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(millis) = read {
            *last = (*last).max(Timestamp::new(Duration::from_secs_f64(millis / 1_000.0)));
        }
        *last
    }
}

/// An `rng` of the app. An exception or anything but a number counts as 0.5: the middle of every jitter.
pub struct JsRng(pub UserFunction);

impl Rng for JsRng {
    fn next_unit(&self) -> f64 {
        let drawn = self.0.call(|_| [], |scope, result| scope.as_number(result.ok()?));
        drawn.flatten().filter(|drawn| drawn.is_finite()).unwrap_or(0.5)
    }
}
