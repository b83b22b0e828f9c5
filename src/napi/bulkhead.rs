//! `Bulkhead`, its permit, and how a function of the app runs in it.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Env, JsValue, Result};

use super::arguments::{Argument, argument, config};
use super::cancel::CancelToken;
use super::client_config::given_token;
use super::clock::JsTimer;
use super::errors::{call_error, rejected};
use super::executor::{JsPromise, Runtime};
use super::instance::{self, Instance, constructing, made_elsewhere};
use super::js::{Checked, Scope, Value};
use super::kept::{Kept, Reference};
use super::named::{Source, read_name};
use super::outlive::outlive;
use super::work::called;
use crate::bulkhead::{self, Bulkhead as Core, BulkheadConfig, Permit, Rejection, RejectionReason, ReservoirConfig};
use crate::cancel::{self, CancelReason};
use crate::classify::{CallError, ErrorClass};
use crate::client::internal::{Raced, cancelled, race};
use crate::clock::{Clock, Timer};
use crate::millis::{millis, whole_millis};

/// Bounds how many calls run at once and how fast they start, so that one slow or rationed service can't take what the
/// others need. Calls wait in the order in which they came.
#[napi]
#[repr(transparent)]
pub struct Bulkhead {
    instance: Instance<Rc<Handle>>,
}

pub struct Handle {
    pub source: Source<Core>,
    pub name: String,
    /// Of a bulkhead of a manager of its own, where no registry tells.
    pub config_mismatch: bool,
    pub timer: JsTimer,
    pub runtime: Rc<Runtime>,
}

/// How errors call the settings that `read_config` reads, in its order.
pub type Names = [&'static str; 8];

macro_rules! names {
    ($place:literal) => {
        [
            concat!($place, "maxConcurrent"),
            concat!($place, "maxQueue"),
            concat!($place, "maxWaitMs"),
            concat!($place, "minTime"),
            concat!($place, "reservoir"),
            concat!($place, "reservoirRefreshAmount"),
            concat!($place, "reservoirRefreshInterval"),
            concat!($place, "overrunGraceMs"),
        ]
    };
}

/// Of a bulkhead by itself.
pub const NAMES: Names = names!("");

/// Of those of an agent's tiers.
pub const TIER_NAMES: [Names; 3] =
    [names!("bulkheads.premium."), names!("bulkheads.standard."), names!("bulkheads.economy.")];

/// Reads all of it but the name, over `config`.
pub fn read_config(options: Argument, names: Names, mut config: BulkheadConfig) -> Checked<BulkheadConfig> {
    let [max_concurrent, max_queue, max_wait, min_time, reservoir, refresh_amount, refresh_interval, overrun_grace] =
        names;
    let field = |name, full_name| options.field(name).named(full_name);
    let places = |count: Argument| count.count(BulkheadConfig::PLACES);
    let count = |count: Argument| count.count(BulkheadConfig::COUNT);
    let time = |time: Argument| time.millis(0.0);
    field(c"maxConcurrent", max_concurrent).set(&mut config.max_concurrent, places)?;
    field(c"maxQueue", max_queue).set(&mut config.max_queue, count)?;
    config.max_wait = field(c"maxWaitMs", max_wait).optional(time)?.or(config.max_wait);
    field(c"minTime", min_time).set(&mut config.min_spacing, time)?;
    let size = field(c"reservoir", reservoir).optional(count)?;
    let amount = field(c"reservoirRefreshAmount", refresh_amount).optional(count)?;
    let interval = field(c"reservoirRefreshInterval", refresh_interval).optional(|time| time.millis(1.0))?;
    let reservoir = |size| ReservoirConfig { size, refresh_amount: amount.unwrap_or(size), refresh_interval: interval };
    config.reservoir = size.map(reservoir).or(config.reservoir);
    field(c"overrunGraceMs", overrun_grace).set(&mut config.overrun_grace, time)?;
    Ok(config)
}

/// As `read_config` reads it: what a preset sets.
pub fn write_config(scope: Scope, name: &str, config: &BulkheadConfig) -> Value {
    let options = scope.object();
    let set = |name, number| scope.set(options, name, scope.number(number));
    scope.set(options, c"name", scope.string(name));
    set(c"maxConcurrent", config.max_concurrent.into());
    set(c"minTime", millis(config.min_spacing));
    if let Some(ReservoirConfig { size, refresh_amount, refresh_interval }) = config.reservoir {
        set(c"reservoir", size.into());
        set(c"reservoirRefreshAmount", refresh_amount.into());
        refresh_interval.into_iter().for_each(|interval| set(c"reservoirRefreshInterval", millis(interval)));
    }
    options
}

/// The clock that calls sleep on, and a bulkhead on it.
pub fn on_clock(runtime: &Rc<Runtime>, clock: Argument) -> Checked<(JsTimer, Option<Arc<dyn Clock + Send + Sync>>)> {
    Ok(match clock.optional(JsTimer::given)? {
        Some(timer) => (timer.clone(), Some(timer.clock())),
        None => (JsTimer::System(runtime.clone()), None),
    })
}

impl Bulkhead {
    /// A new instance.
    pub fn make(scope: Scope, handle: Handle) -> Value {
        let bulkhead = Self { instance: Instance::new(Rc::new(handle)) };
        instance::make(scope, "Bulkhead\0", bulkhead).unwrap_or_else(|| scope.undefined())
    }
}

#[napi]
impl Bulkhead {
    /// One of its own, whatever its name; a `BulkheadManager` gives those that are shared by name.
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed.
    ///
    /// @param config name and limits
    /// @param clock a clock that moves by hand, for tests; default: the device's monotonic clock
    #[napi(constructor, ts_args_type = "config: BulkheadConfig, clock?: ManualClock")]
    pub fn new(env: Env, this: This, options: Unknown, clock: Unknown) -> Result<Self> {
        let scope = constructing::<Self>(env, &this)?;
        let runtime = Runtime::of(scope);
        let options = config(scope, options, "config");
        let name = read_name(options.given_options()?.field(c"name"))?;
        let settings = read_config(options, NAMES, BulkheadConfig::default())?;
        let (timer, clock) = on_clock(&runtime, config(scope, clock, "clock"))?;
        let made = match clock {
            Some(clock) => Core::with_clock(settings, clock),
            None => Core::new(settings),
        };
        let source = Source::Own(Arc::new(made.map_err(|error| options.refused(error))?));
        let handle = Handle { source, name, config_mismatch: false, timer, runtime };
        Ok(Self { instance: Instance::new(Rc::new(handle)) })
    }

    /// Its name.
    #[napi(getter)]
    pub fn name(&self, env: Env) -> Result<String> {
        Ok(self.instance.of(env)?.name.clone())
    }

    /// Whether the bulkhead of this name has other settings than this instance was asked for with: whoever named it first
    /// has set them.
    #[napi(getter)]
    pub fn config_mismatch(&self, env: Env) -> Result<bool> {
        let this = self.instance.of(env)?;
        Ok(this.config_mismatch || this.runtime.enter(|scope| this.source.config_mismatch(scope))??)
    }

    /// What it has seen.
    #[napi]
    pub fn stats(&self, env: Env) -> Result<BulkheadStats> {
        let this = self.instance.of(env)?;
        Ok(this.runtime.enter(|scope| this.source.with(scope, |bulkhead| bulkhead.stats().into()))??)
    }

    /// Calls `fn` once there is a place for it, and keeps the place until its promise has settled: also when `schedule`
    /// itself has been given up before, by cancel or timeout, but then for `overrunGraceMs` at the most.
    /// Rejects with INVALID_ARGUMENT naming the field, the value and what is allowed.
    ///
    /// @param fn the call; when it declares a parameter it gets a token that is cancelled when `schedule` is given up
    /// @param options longest wait, timeout, cancelling
    /// @returns what `fn` gave; rejects with what it threw, or with an `Error` whose `code` is `bulkhead` (with `reason`
    /// `queue_full`, `wait_too_long` or `timed_out`, and `retryAfterMs` if that is known), `cancelled` or `timeout`
    #[napi(
        ts_generic_types = "T",
        ts_args_type = "fn: (cancelToken: CancelToken) => Promise<T>, options?: ScheduleOptions",
        ts_return_type = "Promise<T>"
    )]
    pub fn schedule(&self, env: Env, function: Unknown, options: Unknown) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        Ok(scope.promise_of(|| {
            let job = Job::read(&this.runtime, argument(scope, function, "fn"))?;
            let options = argument(scope, options, "options");
            let (wait, timeout) = (Wait::read(options)?, options.field(c"timeoutMs"));
            let timeout = timeout.optional(|time| time.millis(1.0))?;
            let bulkhead = this.runtime.enter(|scope| this.source.get(scope))??;
            Ok(this.runtime.spawn(scope, run(this.clone(), bulkhead, job, wait, timeout)))
        }))
    }

    /// A place, for work that is no single function. Give it back with `release()`.
    /// Rejects with INVALID_ARGUMENT naming the field, the value and what is allowed.
    ///
    /// @param options longest wait, cancelling
    /// @returns rejects as `schedule` does
    #[napi(ts_args_type = "options?: AcquireOptions", ts_return_type = "Promise<BulkheadPermit>")]
    pub fn acquire(&self, env: Env, options: Unknown) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        Ok(scope.promise_of(|| {
            let wait = Wait::read(argument(scope, options, "options"))?;
            let bulkhead = this.runtime.enter(|scope| this.source.get(scope))??;
            let own = this.clone();
            Ok(this.runtime.spawn(scope, async move {
                let permit = bulkhead.acquire(&own.timer, wait.longest, wait.cancel.as_ref()).await;
                let scope = own.runtime.scope();
                let permit = Cell::new(Some(permit.map_err(|rejection| turned_away(scope, &own.name, &rejection))?));
                let place = Place { permit, runtime: own.runtime.clone() };
                let permit =
                    instance::make(scope, "BulkheadPermit\0", BulkheadPermit { instance: Instance::new(place) });
                Ok(permit.unwrap_or_else(|| scope.undefined()))
            }))
        }))
    }
}

/// The same as `new Bulkhead(config, clock)` (article 004).
/// Throws INVALID_CONFIG naming the field, the value and what is allowed.
///
/// @param config name and limits
/// @param clock a clock that moves by hand, for tests
#[napi(ts_args_type = "config: BulkheadConfig, clock?: ManualClock", ts_return_type = "Bulkhead")]
pub fn create_bulkhead(env: Env, config: Unknown, clock: Unknown) -> Result<Unknown<'static>> {
    let scope = Scope::of(env);
    Ok(scope.unknown(instance::construct(scope, "Bulkhead\0", &[config.raw(), clock.raw()])?))
}

/// How a place is waited for.
struct Wait {
    longest: Option<Duration>,
    cancel: Option<cancel::CancelToken>,
}

impl Wait {
    fn read(options: Argument) -> Checked<Self> {
        let options = options.options()?;
        Ok(Self {
            longest: options.field(c"maxWaitMs").optional(|time| time.millis(0.0))?,
            cancel: options.field(c"cancelToken").optional(given_token)?,
        })
    }
}

/// A function of the app that runs in a place.
struct Job {
    function: Reference,
    takes_token: bool,
}

type Settled = std::result::Result<Kept, Kept>;

impl Job {
    fn read(runtime: &Rc<Runtime>, function: Argument) -> Checked<Self> {
        let takes_token = function.scope().declares(function.function()?, 1);
        Ok(Self { function: function.reference(runtime)?, takes_token })
    }

    fn start(&self, runtime: &Rc<Runtime>, token: Option<&cancel::CancelToken>) -> JsPromise<Settled> {
        let scope = runtime.scope();
        let token = token.and_then(|token| {
            instance::make(scope, "CancelToken\0", CancelToken::of_attempt(runtime.clone(), token.clone()))
        });
        called(runtime, scope, self.function.value(scope), token.as_slice())
    }
}

async fn run(
    handle: Rc<Handle>,
    bulkhead: Arc<Core>,
    job: Job,
    wait: Wait,
    timeout: Option<Duration>,
) -> std::result::Result<Value, Value> {
    let Handle { name, timer, runtime, .. } = &*handle;
    let cancel = wait.cancel.as_ref();
    let permit = bulkhead.acquire(timer, wait.longest, cancel).await;
    let permit = permit.map_err(|rejection| turned_away(runtime.scope(), name, &rejection))?;
    let ends = timeout.map(|timeout| timer.now() + timeout);
    let token = job.takes_token.then(|| cancel.map_or_else(cancel::CancelToken::new, cancel::CancelToken::child));
    let mut work = job.start(runtime, token.as_ref());
    let end = pin!(async {
        match ends {
            Some(ends) => timer.sleep_until(ends).await,
            None => std::future::pending().await,
        }
    });
    let raced = race(pin!(&mut work), cancel, end).await;
    let scope = runtime.scope();
    let (error, reason) = match raced {
        Raced::Done(settled) => {
            token.iter().for_each(cancel::CancelToken::close);
            return settled.map(|value| value.value(scope)).map_err(|error| error.value(scope));
        }
        Raced::Cancelled => (cancelled(), CancelReason::Cancelled),
        Raced::TimedOut(()) => {
            let allowed = whole_millis(timeout.unwrap_or_default());
            let message = format!("it was not done within {allowed} ms");
            (CallError::new(ErrorClass::Timeout, message), CancelReason::Timeout)
        }
    };
    outlive(runtime, timer.clone(), work, permit.hold());
    drop(permit);
    token.iter().for_each(|token| {
        token.cancel(reason);
        token.close();
    });
    Err(call_error(runtime.scope(), &error, None))
}

/// The error for a call that got no place.
fn turned_away(scope: Scope, name: &str, rejection: &Rejection) -> Value {
    if rejection.reason == RejectionReason::Cancelled {
        return call_error(scope, &cancelled(), None);
    }
    let message = format!("bulkhead '{name}' rejects the call {}", rejection.why());
    let error = rejected(scope, &message, "bulkhead", rejection.retry_after);
    scope.set(error, c"reason", scope.string(rejection.reason.as_str()));
    error
}

/// A place in a `Bulkhead`. One that is never given back is when it is garbage-collected.
#[napi]
#[repr(transparent)]
pub struct BulkheadPermit {
    instance: Instance<Place>,
}

struct Place {
    permit: Cell<Option<Permit>>,
    runtime: Rc<Runtime>,
}

#[napi]
impl BulkheadPermit {
    /// Only `acquire()` makes one.
    #[napi(constructor, skip_typescript)]
    pub fn new(env: Env) -> Result<Self> {
        Err(made_elsewhere(Scope::of(env), "a permit that acquire() gives").into())
    }

    /// Gives the place back, once: later calls do nothing.
    #[napi]
    pub fn release(&self, env: Env) -> Result<()> {
        let this = self.instance.of(env)?;
        Ok(this.runtime.enter(|_| drop(this.permit.take()))?)
    }
}

/// What a bulkhead has seen since it was made.
#[napi(object, object_from_js = false)]
pub struct BulkheadStats {
    /// Calls that run now.
    pub running: u32,
    /// Calls that wait now.
    pub queued: u32,
    /// Places taken now by work whose caller has left.
    pub overrunning: u32,
    /// Calls that ran and are over for their caller.
    pub done: f64,
    /// Calls refused without a wait of its full length.
    pub rejected: f64,
    /// Calls that waited as long as they may.
    pub timed_out: f64,
    /// Calls that were cancelled before they started.
    pub cancelled: f64,
    /// Of `done`, those whose work went on without its caller.
    pub overrun: f64,
}

impl From<bulkhead::BulkheadStats> for BulkheadStats {
    fn from(stats: bulkhead::BulkheadStats) -> Self {
        Self {
            running: stats.running,
            queued: stats.queued,
            overrunning: stats.overrunning,
            done: stats.done as f64,
            rejected: stats.rejected as f64,
            timed_out: stats.timed_out as f64,
            cancelled: stats.cancelled as f64,
            overrun: stats.overrun as f64,
        }
    }
}
