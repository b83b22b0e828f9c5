//! `createBreaker` of article 004: a breaker around one function, in the shape of opossum.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Either, Env, JsValue, Result};

use super::arguments::{Argument, argument, config};
use super::breaker_records::circuit_state;
use super::client_config::own_breaker;
use super::clock::JsTimer;
use super::event_breaker::{EVENTS, EventBreaker};
use super::executor::Runtime;
use super::instance::{self, Instance, made_elsewhere};
use super::js::{Checked, Scope, Type, Value};
use super::kept::Kept;
use super::named::{Source, read_name};
use super::records::or_undefined;
use crate::breaker::{self, BreakerConfig, BreakerState, WindowConfig, WindowSpan};
use crate::millis::millis;
use crate::random::{Rng, SeededRng};

/// The most arguments that `fire` passes on.
const MAX_ARGUMENTS: usize = 8;
/// Article 004's figures; the others are the core's own defaults.
const TIMEOUT: Duration = Duration::from_secs(10);
const WINDOW: Duration = Duration::from_secs(10);
const BUCKETS: u32 = 10;
const FAILURE_RATE: f64 = 0.5;

/// A breaker around one function, as article 004 has it from opossum. Only `createBreaker` makes one.
#[napi]
#[repr(transparent)]
pub struct BreakerWithEvents {
    instance: Instance<Rc<EventBreaker>>,
}

/// What a `BreakerWithEvents` has seen since it was made.
#[napi(object, object_from_js = false)]
pub struct FireStats {
    /// Calls of `fire`.
    pub fires: f64,
    /// Calls whose function succeeded.
    pub successes: f64,
    /// Calls whose function failed, for whatever reason, or took too long.
    pub failures: f64,
    /// Of these, those that took too long.
    pub timeouts: f64,
    /// Calls that the breaker rejected.
    pub rejects: f64,
    /// Calls that ended with what the fallback gave.
    pub fallbacks: f64,
    /// Listeners that threw.
    pub listener_errors: f64,
}

/// The state of a `BreakerWithEvents` in three words, one of which is true.
#[napi(object, object_from_js = false)]
pub struct BreakerStatus {
    /// Calls are rejected.
    pub open: bool,
    /// One call probes.
    pub half_open: bool,
    /// Calls pass.
    pub closed: bool,
}

/// A breaker around `action`, in the shape of opossum as article 004 uses it. It opens when enough of the calls of the last
/// seconds have failed.
///
/// What is different from opossum, on purpose: what counts as a failure of the service is what `classifyError` says, so
/// that a wrong key or a cancelled call opens nothing; it opens at its percentage, not above it, over completed calls only;
/// it is half-open from the first call after `resetTimeout` on, not by a timer; one call probes while others are rejected,
/// and it can neither get stuck nor be closed by a late result; a Retry-After of the service is obeyed; `open()` holds
/// until `close()`; `stats` count from the start, not over the window.
/// Throws INVALID_CONFIG naming the field, the value and what is allowed.
///
/// @param action makes one call and does not retry by itself
/// @param options the window and the times
#[napi(
    ts_args_type = "action: (...args: Object[]) => Promise<Object | string | void>, options?: CreateBreakerOptions",
    ts_return_type = "BreakerWithEvents"
)]
pub fn create_breaker(env: Env, action: Unknown, options: Unknown) -> Result<Unknown<'static>> {
    let scope = Scope::of(env);
    let runtime = Runtime::of(scope);
    let (action, options) = (config(scope, action, "action"), config(scope, options, "options"));
    let breaker = runtime.enter(|scope| create(&runtime, scope, action, options))??;
    Ok(scope.unknown(breaker))
}

/// The state of a breaker in one word (article 004).
/// Throws INVALID_ARGUMENT unless `createBreaker` made it.
#[napi(ts_args_type = "breaker: BreakerWithEvents", ts_return_type = "'closed' | 'open' | 'halfOpen'")]
pub fn get_breaker_state(env: Env, breaker: Unknown) -> Result<String> {
    let breaker = argument(Scope::of(env), breaker, "breaker");
    let content = breaker.instance::<BreakerWithEvents>()?.and_then(|breaker| breaker.instance.content());
    let content = content.ok_or_else(|| breaker.wrong("what createBreaker() gives"))?;
    Ok(circuit_state(content.state()?))
}

fn create(runtime: &Rc<Runtime>, scope: Scope, action: Argument, options: Argument) -> Checked<Value> {
    action.function()?;
    let options = options.options()?;
    let config = read_config(options)?;
    config.validate().map_err(|error| options.refused(error))?;
    let mut timeout = TIMEOUT;
    options.field(c"timeout").set(&mut timeout, |time| time.millis(1.0))?;
    let timer = JsTimer::read(runtime, options)?;
    let source = match options.field(c"name").optional(read_name)? {
        Some(_) if matches!(timer, JsTimer::Manual(_)) => {
            return Err(options.field(c"clock").wrong("nothing beside name"));
        }
        Some(name) => Source::named(breaker::registry(), scope, &name, Some(config))?,
        None => {
            let rng: Arc<dyn Rng> = Arc::new(SeededRng::from_system());
            Source::Own(own_breaker(options, config, &timer, &rng)?)
        }
    };
    let content = Rc::new(EventBreaker::new(runtime, source, timer, timeout));
    let instance = BreakerWithEvents { instance: Instance::new(content.clone()) };
    let Some(instance) = instance::make(scope, "BreakerWithEvents\0", instance) else { return Ok(scope.undefined()) };
    content.begin(scope, instance, action)?;
    Ok(instance)
}

/// `CreateBreakerOptions` as they are where nothing is said.
pub fn default_options(scope: Scope) -> Value {
    let (options, breaker) = (scope.object(), BreakerConfig::default());
    let set = |name, number| scope.set(options, name, scope.number(number));
    set(c"timeout", millis(TIMEOUT));
    set(c"errorThresholdPercentage", FAILURE_RATE * 100.0);
    set(c"resetTimeout", millis(breaker.cooldown));
    set(c"volumeThreshold", WindowConfig::default().minimum_calls.into());
    set(c"rollingCountTimeout", millis(WINDOW));
    set(c"rollingCountBuckets", BUCKETS.into());
    options
}

/// `CreateBreakerOptions`, but for what is no setting of the breaker itself: the figures of article 004 where nothing is
/// said.
pub fn read_config(options: Argument) -> Checked<BreakerConfig> {
    let mut window = WindowConfig { failure_rate: Some(FAILURE_RATE), ..WindowConfig::default() };
    let (mut length, mut buckets) = (WINDOW, BUCKETS);
    options.field(c"rollingCountTimeout").set(&mut length, |time| time.millis(1.0))?;
    options.field(c"rollingCountBuckets").set(&mut buckets, |buckets| buckets.count(WindowConfig::BUCKETS))?;
    window.span = WindowSpan::Time { length, buckets };
    options
        .field(c"volumeThreshold")
        .set(&mut window.minimum_calls, |calls| calls.count(WindowConfig::MINIMUM_CALLS))?;
    let percentage = options.field(c"errorThresholdPercentage").optional(Argument::percentage)?;
    // The smallest numbers have no hundredth.
    let share = percentage.map(|percent| (percent / 100.0).max(f64::MIN_POSITIVE));
    window.failure_rate = share.or(window.failure_rate);
    let mut config = BreakerConfig { window: Some(window), ..BreakerConfig::default() };
    options.field(c"resetTimeout").set(&mut config.cooldown, |time| time.millis(0.0))?;
    Ok(config)
}

#[napi]
impl BreakerWithEvents {
    /// Only `createBreaker` makes one.
    #[napi(constructor, skip_typescript)]
    pub fn new(env: Env) -> Result<Self> {
        Err(made_elsewhere(Scope::of(env), "the breaker that createBreaker() gives").into())
    }

    /// Calls the action with these arguments, unless the breaker rejects it.
    ///
    /// @param args passed to the action untouched; at most 8, more are refused
    /// @returns what the action gave, or the fallback; rejects without a fallback, with what the action threw, or with an
    /// `Error` whose `code` is `circuit_open`, `retry_after` (with `retryAfterMs`), `timeout` or `shutdown`, and with it
    /// when the fallback itself fails
    #[napi(ts_generic_types = "T", ts_args_type = "...args: Object[]", ts_return_type = "Promise<T>")]
    #[allow(clippy::too_many_arguments)] // napi-ohos knows no rest parameters
    pub fn fire(
        &self,
        env: Env,
        first: Unknown,
        second: Unknown,
        third: Unknown,
        fourth: Unknown,
        fifth: Unknown,
        sixth: Unknown,
        seventh: Unknown,
        eighth: Unknown,
        one_too_many: Unknown,
    ) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        if argument(scope, one_too_many, "args").given().is_some() {
            let error = argument(scope, one_too_many, "args").wrong(&format!("at most {MAX_ARGUMENTS} arguments"));
            return Ok(scope.rejected(error));
        }
        let given: [Value; MAX_ARGUMENTS] =
            [first, second, third, fourth, fifth, sixth, seventh, eighth].map(|given| given.raw());
        let count = given.iter().rposition(|&given| scope.type_of(given) != Type::Undefined).map_or(0, |last| last + 1);
        let arguments = given[..count].iter().map(|&given| Kept::new(&this.runtime, scope, given)).collect();
        Ok(scope.unknown(this.runtime.spawn(scope, this.clone().fire(arguments))))
    }

    /// What `fire` gives when the action fails, is too slow or is rejected. The latest one counts.
    /// Throws INVALID_ARGUMENT when it is no function.
    ///
    /// @param fallback gets the arguments of `fire` and after them the error
    #[napi(
        ts_args_type = "fallback: (...args: Object[]) => Object | Promise<Object>",
        ts_return_type = "BreakerWithEvents"
    )]
    pub fn fallback(&self, env: Env, this: This, fallback: Unknown) -> Result<Unknown<'static>> {
        let (instance, scope) = (this.raw(), Scope::of(env));
        let this = self.instance.of(env)?;
        let fallback = argument(scope, fallback, "fallback");
        let kept = this.runtime.enter(|scope| this.keep(scope, fallback))??;
        let before = this.fallback.replace(Some(Rc::new(kept)));
        drop(before);
        Ok(scope.unknown(instance))
    }

    /// Calls `listener` at each such event: `open`, `halfOpen`, `close` (with a `BreakerEvent`), `fire` (arguments), `success`
    /// (result, milliseconds), `failure` (error, milliseconds), `timeout` (error, milliseconds), `reject` (error), `fallback`
    /// (result, error). What it throws costs the call nothing: `stats.listenerErrors` counts.
    /// Throws INVALID_ARGUMENT for another event, or when `listener` is no function.
    #[napi(ts_args_type = "event: string, listener: (...args: Object[]) => void", ts_return_type = "BreakerWithEvents")]
    pub fn on(&self, env: Env, this: This, event: Unknown, listener: Unknown) -> Result<Unknown<'static>> {
        let (instance, scope) = (this.raw(), Scope::of(env));
        let this = self.instance.of(env)?;
        let event = argument(scope, event, "event").one_of(&EVENTS)?;
        let listener = argument(scope, listener, "listener");
        this.runtime.enter(|scope| this.listen(scope, event, listener))??;
        Ok(scope.unknown(instance))
    }

    /// Forgets a listener.
    /// Throws INVALID_ARGUMENT for another event, or when `listener` is no function.
    ///
    /// @returns false when it does not listen to that event
    #[napi(ts_args_type = "event: string, listener: (...args: Object[]) => void")]
    pub fn off(&self, env: Env, event: Unknown, listener: Unknown) -> Result<bool> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let event = argument(scope, event, "event").one_of(&EVENTS)?;
        let listener = argument(scope, listener, "listener").function()?;
        Ok(this.runtime.enter(|scope| this.ignore(scope, event, listener))?)
    }

    /// Its name; undefined unless it was given one.
    #[napi(getter, ts_return_type = "string | undefined")]
    pub fn name(&self, env: Env) -> Result<Either<String, ()>> {
        Ok(or_undefined(self.instance.of(env)?.source.name().map(str::to_owned)))
    }

    /// Whether the breaker of this name has other settings than those that this one was made with.
    #[napi(getter)]
    pub fn config_mismatch(&self, env: Env) -> Result<bool> {
        let this = self.instance.of(env)?;
        Ok(this.runtime.enter(|scope| this.source.config_mismatch(scope))??)
    }

    /// Whether calls are rejected: true until a call comes after `resetTimeout`.
    #[napi(getter)]
    pub fn opened(&self, env: Env) -> Result<bool> {
        Ok(self.instance.of(env)?.state()? == BreakerState::Open)
    }

    /// Whether one call probes.
    #[napi(getter)]
    pub fn half_open(&self, env: Env) -> Result<bool> {
        Ok(self.instance.of(env)?.state()? == BreakerState::HalfOpen)
    }

    /// Whether calls pass.
    #[napi(getter)]
    pub fn closed(&self, env: Env) -> Result<bool> {
        Ok(self.instance.of(env)?.state()? == BreakerState::Closed)
    }

    /// The three of them.
    #[napi(getter)]
    pub fn status(&self, env: Env) -> Result<BreakerStatus> {
        let state = self.instance.of(env)?.state()?;
        let is = |one| state == one;
        let (open, half_open) = (is(BreakerState::Open), is(BreakerState::HalfOpen));
        Ok(BreakerStatus { open, half_open, closed: is(BreakerState::Closed) })
    }

    /// What it has seen since it was made.
    #[napi(getter)]
    pub fn stats(&self, env: Env) -> Result<FireStats> {
        let this = self.instance.of(env)?;
        let counts = this.counts.get();
        Ok(FireStats {
            fires: counts.fires as f64,
            successes: counts.successes as f64,
            failures: counts.failures as f64,
            timeouts: counts.timeouts as f64,
            rejects: counts.rejects as f64,
            fallbacks: counts.fallbacks as f64,
            listener_errors: this.listener_errors.load(Ordering::Relaxed) as f64,
        })
    }

    /// Rejects every call until `close()`.
    #[napi]
    pub fn open(&self, env: Env) -> Result<()> {
        Ok(self.instance.of(env)?.with(|breaker| breaker.isolate())?)
    }

    /// Closed, nothing counted, as when it was made.
    #[napi]
    pub fn close(&self, env: Env) -> Result<()> {
        Ok(self.instance.of(env)?.with(|breaker| breaker.reset())?)
    }

    /// Forgets all listeners; `fire` rejects from now on. Calls in flight go on.
    #[napi]
    pub fn shutdown(&self, env: Env) -> Result<()> {
        let this = self.instance.of(env)?;
        Ok(this.runtime.enter(|_| this.shut_down())?)
    }
}
