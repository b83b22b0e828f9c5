//! `ManualClock`, and the clocks that the core is given here.

use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Either, Env, Result};

use super::arguments::{Argument, argument};
use super::executor::{JsPromise, JsSleep, Runtime};
use super::instance::{Instance, constructing};
use super::js::{Checked, Scope};
use super::kept::UserFunction;
use super::records::or_undefined;
use crate::clock::{Clock, ManualClock as Core, Monotonic, SystemClock, Timer, Timestamp};
use crate::device::{Device, DeviceSleep, DeviceTimer};
use crate::millis::{millis, whole_millis};
use crate::random::Rng;

/// A clock that moves only when told to, so that an app can test its own policy without waiting. Give it to a client as
/// `clock` and to a breaker as `() => clock.now()`.
#[napi]
#[repr(transparent)]
pub struct ManualClock {
    instance: Instance<Hand>,
}

struct Hand {
    clock: Core,
    device: Arc<Device>,
    runtime: Rc<Runtime>,
    /// How many sleeps it has ended.
    steps: Rc<Cell<u64>>,
}

/// Ends the earliest sleep up to `target`. False: there is none.
fn next_step(clock: &Core, steps: &Cell<u64>, target: Timestamp) -> bool {
    let woken = clock.wake_next_until(target);
    steps.set(steps.get() + u64::from(woken));
    woken
}

impl ManualClock {
    /// `None`: an instance of another class under a false flag.
    fn timer(&self) -> Option<DeviceTimer<Core>> {
        self.instance.content().map(|content| DeviceTimer::new(content.clock.clone(), content.device.clone()))
    }
}

fn step(scope: Scope, ms: Unknown) -> Checked<Duration> {
    argument(scope, ms, "ms").millis(0.0)
}

#[napi]
impl ManualClock {
    /// Starts at 0.
    #[napi(constructor, ts_args_type = "")]
    pub fn new(env: Env, this: This) -> Result<Self> {
        let runtime = Runtime::of(constructing::<Self>(env, &this)?);
        let clock = Core::new();
        let device = runtime.devices().on(clock.clone());
        Ok(Self { instance: Instance::new(Hand { clock, device, runtime, steps: Rc::default() }) })
    }

    /// Milliseconds since its start.
    #[napi]
    pub fn now(&self, env: Env) -> Result<f64> {
        Ok(millis(self.instance.of(env)?.clock.now().since_origin()))
    }

    /// Moves on by `ms` and ends each sleep on the way, in order, at its own moment. Promises of the app's own client
    /// settle only after this returns: where the call goes through several, use `advanceAsync`.
    /// Throws INVALID_ARGUMENT unless `ms` is from 0 to 365 days.
    #[napi(ts_args_type = "ms: number")]
    pub fn advance(&self, env: Env, ms: Unknown) -> Result<()> {
        let Hand { clock, runtime, steps, .. } = self.instance.of(env)?;
        let scope = Scope::of(env);
        let step = step(scope, ms)?;
        let advanced = runtime.enter(|scope| {
            let target = clock.now() + step;
            while next_step(clock, steps, target) {
                // There may be many thousands: each drops what it made.
                scope.with_handles(|| runtime.run_ready());
            }
            clock.advance(target.since(clock.now()));
        });
        Ok(advanced?)
    }

    /// As `advance`, but lets the promises that are due settle before each step.
    /// Rejects with INVALID_ARGUMENT unless `ms` is from 0 to 365 days.
    #[napi(ts_args_type = "ms: number", ts_return_type = "Promise<void>")]
    pub fn advance_async(&self, env: Env, ms: Unknown) -> Result<Unknown<'static>> {
        let Hand { clock, runtime, steps, .. } = self.instance.of(env)?;
        let scope = Scope::of(env);
        Ok(scope.promise_of(|| {
            let step = step(scope, ms)?;
            let (clock, own, steps) = (clock.clone(), runtime.clone(), steps.clone());
            Ok(runtime.spawn(scope, async move {
                let target = clock.now() + step;
                loop {
                    let before = steps.get();
                    settle_promises(&own).await;
                    // Another advance has gone on meanwhile: what that woke has to settle as well.
                    if steps.get() == before && !next_step(&clock, &steps, target) {
                        break;
                    }
                }
                clock.advance(target.since(clock.now()));
                settle_promises(&own).await;
                Ok(own.scope().undefined())
            }))
        }))
    }

    /// How many sleeps are pending.
    #[napi(getter)]
    pub fn pending_sleeps(&self, env: Env) -> Result<u32> {
        Ok(self.instance.of(env)?.clock.pending_sleeps() as u32)
    }

    /// Milliseconds until the next sleep ends; undefined when none is pending.
    #[napi(getter, ts_return_type = "number | undefined")]
    pub fn next_sleep_ms(&self, env: Env) -> Result<Either<f64, ()>> {
        let clock = &self.instance.of(env)?.clock;
        let wait = clock.next_deadline().map(|deadline| whole_millis(deadline.since(clock.now())));
        Ok(or_undefined(wait))
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

/// The clock of a client: while the app is suspended, time stands still on it.
#[derive(Clone)]
pub enum JsTimer {
    System(Rc<Runtime>),
    Manual(DeviceTimer<Core>),
}

impl JsTimer {
    /// The clock that an options object names in `clock`.
    pub fn read(runtime: &Rc<Runtime>, options: Argument) -> Checked<Self> {
        Ok(options.field(c"clock").optional(Self::given)?.unwrap_or_else(|| Self::System(runtime.clone())))
    }

    /// A clock that the app moves by hand.
    pub fn given(clock: Argument) -> Checked<Self> {
        let timer = clock.instance::<ManualClock>()?.and_then(ManualClock::timer);
        timer.map(Self::Manual).ok_or_else(|| clock.wrong("an instance of ManualClock"))
    }

    /// The clock itself, which goes on: for breakers and whatever else only reads it.
    pub fn clock(&self) -> Arc<dyn Clock + Send + Sync> {
        match self {
            Self::System(_) => Arc::new(SystemClock),
            Self::Manual(timer) => Arc::new(timer.timer().clone()),
        }
    }
}

impl Clock for JsTimer {
    fn now(&self) -> Timestamp {
        match self {
            Self::System(runtime) => runtime.devices().system.time_of_calls(SystemClock.now()),
            Self::Manual(timer) => timer.now(),
        }
    }
}

impl Timer for JsTimer {
    type Sleep = EitherSleep;

    fn sleep_until(&self, deadline: Timestamp) -> EitherSleep {
        match self {
            Self::System(runtime) => {
                let timer = DeviceTimer::new(SystemTimer(runtime.clone()), SystemDevice(runtime.clone()));
                EitherSleep::System(timer.sleep_until(deadline))
            }
            Self::Manual(timer) => EitherSleep::Manual(timer.sleep_until(deadline)),
        }
    }

    fn device(&self) -> Option<&Device> {
        match self {
            Self::System(runtime) => Some(&runtime.devices().system),
            Self::Manual(timer) => timer.device(),
        }
    }
}

/// The system's clock.
#[derive(Clone)]
pub struct SystemTimer(Rc<Runtime>);

impl Clock for SystemTimer {
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }
}

impl Timer for SystemTimer {
    type Sleep = JsSleep;

    fn sleep_until(&self, deadline: Timestamp) -> JsSleep {
        JsSleep::until(self.0.clone(), deadline)
    }
}

/// The device's wall clock, in milliseconds since 1970.
pub fn unix_ms() -> u64 {
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
}

/// The device on that clock.
#[derive(Clone)]
pub struct SystemDevice(Rc<Runtime>);

impl Deref for SystemDevice {
    type Target = Device;

    fn deref(&self) -> &Device {
        &self.0.devices().system
    }
}

pub enum EitherSleep {
    System(DeviceSleep<SystemTimer, SystemDevice>),
    Manual(DeviceSleep<Core, Arc<Device>>),
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

/// A `now` of the app, in milliseconds from any origin. What it returns besides a finite number, or an exception, leaves
/// the time where it was: a broken clock delays a breaker, but breaks no call.
pub fn app_clock(now: UserFunction) -> impl Clock + Send + Sync {
    Monotonic::new(move || now.number("now").unwrap_or(f64::NAN))
}

/// An `rng` of the app. An exception or anything but a number counts as 0.5: the middle of every jitter.
pub struct JsRng(pub UserFunction);

impl Rng for JsRng {
    fn next_unit(&self) -> f64 {
        self.0.number("rng").unwrap_or(0.5)
    }
}
