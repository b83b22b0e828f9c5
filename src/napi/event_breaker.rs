//! `createBreaker` of article 004: a breaker around one function, in the shape of opossum.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Either, Env, JsValue, Result};

use super::agent_records::circuit_state;
use super::arguments::{Argument, argument, config};
use super::breaker_listeners::Subscription;
use super::client_config::own_breaker;
use super::clock::JsTimer;
use super::errors::{call_error, rejected};
use super::executor::Runtime;
use super::instance::{self, Instance, made_elsewhere};
use super::js::{Checked, Scope, Type, Value};
use super::kept::{Keeper, Kept, Reference, UserFunction};
use super::named::{Source, read_name};
use super::records::measured_ms;
use super::work::{AppCall, Work, called};
use crate::breaker::{self, BreakerConfig, BreakerState, CircuitBreaker, WindowConfig, WindowSpan};
use crate::classify::ErrorClass;
use crate::clock::Clock;
use crate::error::MAX_DURATION;
use crate::random::{Rng, SeededRng};
use crate::request::{RequestConfig, RequestOptions, RetryOutcome};
use crate::retry::StopReason;

/// The most arguments that `fire` passes on.
const MAX_ARGUMENTS: usize = 8;

/// A breaker around one function, as article 004 has it from opossum. Only `createBreaker` makes one.
#[napi]
#[repr(transparent)]
pub struct BreakerWithEvents {
    instance: Instance<Rc<EventBreaker>>,
}

struct EventBreaker {
    runtime: Rc<Runtime>,
    source: Source<CircuitBreaker>,
    timer: JsTimer,
    timeout: Duration,
    /// These are set before the app gets the instance.
    keeper: OnceCell<Rc<Keeper>>,
    action: OnceCell<Rc<Reference>>,
    fallback: RefCell<Option<Rc<Reference>>>,
    listeners: RefCell<Vec<Rc<Listener>>>,
    /// While somebody listens to its states.
    subscription: RefCell<Option<Rc<Subscription>>>,
    listener_errors: Arc<AtomicU64>,
    counts: Cell<Counts>,
    shut_down: Cell<bool>,
}

struct Listener {
    event: Event,
    /// To know it again.
    function: Reference,
    told: Told,
}

enum Told {
    /// By `fire`.
    Here(UserFunction),
    /// By the breaker, under that number.
    ByBreaker(u64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    State(BreakerState),
    Fire,
    Success,
    Failure,
    Timeout,
    Reject,
    Fallback,
}

const EVENTS: [(&str, Event); 9] = [
    ("open", Event::State(BreakerState::Open)),
    ("halfOpen", Event::State(BreakerState::HalfOpen)),
    ("close", Event::State(BreakerState::Closed)),
    ("fire", Event::Fire),
    ("success", Event::Success),
    ("failure", Event::Failure),
    ("timeout", Event::Timeout),
    ("reject", Event::Reject),
    ("fallback", Event::Fallback),
];

#[derive(Clone, Copy, Default)]
struct Counts {
    fires: u64,
    successes: u64,
    failures: u64,
    timeouts: u64,
    rejects: u64,
    fallbacks: u64,
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
    let breaker = runtime.enter(|scope| EventBreaker::create(&runtime, scope, action, options))??;
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

impl EventBreaker {
    fn create(runtime: &Rc<Runtime>, scope: Scope, action: Argument, options: Argument) -> Checked<Value> {
        let function = action.function()?;
        let options = options.options()?;
        let config = read_config(options)?;
        config.validate().map_err(|error| options.refused(error))?;
        let timeout = options.field(c"timeout").optional(|time| time.millis(1.0))?;
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
        let content = Rc::new(Self {
            runtime: runtime.clone(),
            source,
            timer,
            timeout: timeout.unwrap_or(Duration::from_secs(10)),
            keeper: OnceCell::new(),
            action: OnceCell::new(),
            fallback: RefCell::default(),
            listeners: RefCell::default(),
            subscription: RefCell::default(),
            listener_errors: Arc::default(),
            counts: Cell::default(),
            shut_down: Cell::new(false),
        });
        let instance = BreakerWithEvents { instance: Instance::new(content.clone()) };
        let Some(instance) = instance::make(scope, "BreakerWithEvents\0", instance) else {
            return Ok(scope.undefined());
        };
        let keeper = content.keeper.get_or_init(|| Keeper::new(runtime, scope, instance));
        let kept = keeper.keep(scope, function).ok_or_else(|| action.wrong("a function"))?;
        _ = content.action.set(Rc::new(kept));
        Ok(instance)
    }

    fn with<T>(&self, work: impl FnOnce(&Arc<CircuitBreaker>) -> T) -> Checked<T> {
        self.runtime.enter(|scope| self.source.with(scope, work))?
    }

    fn state(&self) -> Checked<BreakerState> {
        self.with(|breaker| breaker.state())
    }

    fn count(&self, count: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        count(&mut counts);
        self.counts.set(counts);
    }

    fn keep(&self, scope: Scope, function: Argument) -> Checked<Reference> {
        let value = function.function()?;
        let kept = self.keeper.get().and_then(|keeper| keeper.keep(scope, value));
        kept.ok_or_else(|| function.wrong("a function"))
    }

    /// Tells those who listen to `event`.
    fn emit(&self, event: Event, arguments: &[Value]) {
        let told: Vec<_> = self.listeners.borrow().iter().filter(|one| one.event == event).cloned().collect();
        for listener in told {
            let Told::Here(function) = &listener.told else { continue };
            let errors = self.listener_errors.clone();
            function.tell_all(|_| Ok(arguments), move || _ = errors.fetch_add(1, Ordering::Relaxed));
        }
    }

    fn listen(&self, scope: Scope, event: Event, listener: Argument) -> Checked<()> {
        let (function, told) = (self.keep(scope, listener)?, UserFunction::new(self.keep(scope, listener)?));
        let told = match event {
            Event::State(state) => {
                let breaker = self.source.get(scope)?;
                let shared = self.source.name().is_some();
                let subscription = Subscription::of(&self.subscription, &self.runtime, scope, breaker, shared);
                let number = subscription.add(told, self.listener_errors.clone(), Some(state));
                Told::ByBreaker(number.unwrap_or_default())
            }
            _ => Told::Here(told),
        };
        self.listeners.borrow_mut().push(Rc::new(Listener { event, function, told }));
        Ok(())
    }

    /// Takes one back; false: there is none.
    fn ignore(&self, scope: Scope, event: Event, function: Value) -> bool {
        let is_it = |one: &Rc<Listener>| one.event == event && scope.same(one.function.value(scope), function);
        let found = self.listeners.borrow().iter().position(is_it);
        let Some(removed) = found.map(|index| self.listeners.borrow_mut().remove(index)) else { return false };
        let Told::ByBreaker(number) = removed.told else { return true };
        let subscription = self.subscription.borrow().clone();
        let emptied = subscription.filter(|subscription| subscription.remove(number) && subscription.is_empty());
        if emptied.is_some() {
            self.end_subscription();
        }
        true
    }

    fn end_subscription(&self) {
        let subscription = self.subscription.take();
        subscription.into_iter().for_each(|subscription| subscription.end());
    }

    /// One call.
    async fn fire(self: Rc<Self>, arguments: Vec<Kept>) -> std::result::Result<Value, Value> {
        let _hold = self.keeper.get().map(Keeper::hold);
        let began = self.timer.now();
        let call = AppCall::new(arguments, None);
        let run = {
            let scope = self.runtime.scope();
            self.count(|counts| counts.fires += 1);
            self.emit(Event::Fire, &call.arguments(scope));
            if self.shut_down.get() {
                return Err(rejected(scope, "the breaker has been shut down", "shutdown", None));
            }
            let Some(action) = self.action.get().cloned() else { return Ok(scope.undefined()) };
            let breaker = self.source.get(scope).map_err(|thrown| thrown.value)?;
            let mut config = RequestConfig::new(Duration::ZERO, 1.0, Duration::ZERO, 0);
            (config.retry.attempt_timeout, config.retry.deadline) = (self.timeout, MAX_DURATION);
            let options = RequestOptions { breaker: Some(breaker), ..RequestOptions::default() };
            let run = Work::call(&self.runtime, action, &call).run(config, self.timer.clone(), options);
            run.map_err(|error| scope.error(&error.to_string()))?.1
        };
        let result = run.await;
        let scope = self.runtime.scope();
        let took = scope.number(measured_ms(self.timer.now().since(began)));
        if let (RetryOutcome::Success, Some(response)) = (result.outcome, result.response) {
            let value = response.into_value().value(scope);
            self.count(|counts| counts.successes += 1);
            self.emit(Event::Success, &[value, took]);
            return Ok(value);
        }
        let error = match (call.take_thrown(), result.error) {
            (Some(thrown), _) => thrown.value(scope),
            (None, Some(error)) => {
                let value = call_error(scope, &error, None);
                if error.class == ErrorClass::Timeout {
                    self.count(|counts| counts.timeouts += 1);
                    self.emit(Event::Timeout, &[value, took]);
                }
                value
            }
            (None, None) => {
                let asked = result.stop_reason == StopReason::RetryAfter;
                let code = if asked { "retry_after" } else { "circuit_open" };
                let value = rejected(scope, "the breaker rejects the call", code, result.retry_after);
                self.count(|counts| counts.rejects += 1);
                self.emit(Event::Reject, &[value]);
                value
            }
        };
        if !result.trace.requests.is_empty() {
            self.count(|counts| counts.failures += 1);
            self.emit(Event::Failure, &[error, took]);
        }
        let Some(fallback) = self.fallback.borrow().clone() else { return Err(error) };
        // Both live on: what the fallback gives may take its time.
        let error = Kept::new(&self.runtime, scope, error);
        let arguments: Vec<_> = call.arguments(scope).into_iter().chain([error.value(scope)]).collect();
        let given = called(&self.runtime, scope, fallback.value(scope), &arguments);
        drop(arguments);
        let given = given.await;
        let scope = self.runtime.scope();
        let given = given.map_err(|error| error.value(scope))?.value(scope);
        self.count(|counts| counts.fallbacks += 1);
        self.emit(Event::Fallback, &[given, error.value(scope)]);
        Ok(given)
    }
}

/// The figures of article 004 where nothing is said.
/// `CreateBreakerOptions`, but for what is no setting of the breaker itself.
pub fn read_config(options: Argument) -> Checked<BreakerConfig> {
    let mut window = WindowConfig { failure_rate: Some(0.5), ..WindowConfig::default() };
    let (mut length, mut buckets) = (Duration::from_secs(10), 10);
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

impl Drop for EventBreaker {
    fn drop(&mut self) {
        self.end_subscription();
    }
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
        Ok(self.instance.of(env)?.source.name().map_or(Either::B(()), |name| Either::A(name.to_owned())))
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
        this.shut_down.set(true);
        Ok(this.runtime.enter(|_| {
            this.end_subscription();
            let listeners = this.listeners.take();
            drop(listeners);
        })?)
    }
}
