//! `CircuitBreaker` and its events.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Either, Env, JsValue, Result};

use super::arguments::{Argument, MAX_SAFE_INTEGER, argument, config};
use super::breaker_config::read_config;
use super::breaker_listeners::StateListeners;
use super::breaker_permit::{BreakerPermit, failure_report, read_took};
use super::breaker_records::{BreakerStats, WindowCounts};
use super::clock::app_clock;
use super::executor::Runtime;
use super::instance::{self, Instance, constructing};
use super::js::{Checked, Scope, Value};
use super::kept::Keeper;
use super::named::{Source, read_name};
use super::records::{or_undefined, wait_ms};
use super::snapshot::{Saved, wall_clock};
use crate::breaker::{self, CircuitBreaker as Core, Ticket};
use crate::clock::{Clock, SystemClock};
use crate::random::SeededRng;

/// State of a circuit breaker.
#[napi]
#[allow(non_camel_case_types, clippy::upper_case_acronyms)] // article 000 spells them so
#[derive(Debug, PartialEq, Eq)]
pub enum BreakerState {
    /// Calls pass, but for those that come before a Retry-After of the service is over.
    CLOSED = 0,
    /// Calls are rejected until the cooldown has run out.
    OPEN = 1,
    /// One probe (or as many as configured) passes.
    HALF_OPEN = 2,
}

impl From<breaker::BreakerState> for BreakerState {
    fn from(state: breaker::BreakerState) -> Self {
        match state {
            breaker::BreakerState::Closed => Self::CLOSED,
            breaker::BreakerState::Open => Self::OPEN,
            breaker::BreakerState::HalfOpen => Self::HALF_OPEN,
        }
    }
}

/// Stops calls to a service that keeps failing, and lets a probe through after a cooldown.
#[napi]
#[repr(transparent)]
pub struct CircuitBreaker {
    instance: Instance<Breaker>,
}

struct Breaker {
    source: Source<Core>,
    runtime: Rc<Runtime>,
    /// Of `now` and the listeners. A named one has it from the first listener on.
    keeper: OnceCell<Rc<Keeper>>,
    listeners: StateListeners,
    listener_errors: Arc<AtomicU64>,
}

impl CircuitBreaker {
    /// `None`: an instance of another class under a false flag.
    pub fn core(&self, scope: Scope) -> Option<Checked<Arc<Core>>> {
        self.instance.content().map(|content| content.source.get(scope))
    }

    fn with(source: Source<Core>, runtime: Rc<Runtime>, keeper: OnceCell<Rc<Keeper>>) -> Self {
        let (listeners, listener_errors) = (StateListeners::default(), Arc::default());
        Self { instance: Instance::new(Breaker { source, runtime, keeper, listeners, listener_errors }) }
    }
}

impl Breaker {
    fn with<T>(&self, work: impl FnOnce(&Arc<Core>) -> T) -> Checked<T> {
        self.runtime.enter(|scope| self.source.with(scope, work))?
    }

    /// A result that comes without its permit.
    fn record(&self, record: impl FnOnce(&Core, Ticket)) -> Checked<()> {
        self.with(|breaker| {
            if let Some(ticket) = breaker.current_ticket() {
                record(breaker, ticket);
            }
        })
    }

    fn listen(&self, scope: Scope, instance: Value, listener: Argument) -> Checked<f64> {
        let keeper = self.keeper.get_or_init(|| Keeper::new(&self.runtime, scope, instance));
        let function = listener.kept_function(keeper)?;
        let errors = self.listener_errors.clone();
        Ok(self.listeners.add(&self.runtime, scope, &self.source, function, errors, None)? as f64)
    }
}

#[napi]
impl CircuitBreaker {
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed.
    ///
    /// @param failureThreshold failures in a row that open it, 1 to 2^32 − 1; default 3
    /// @param cooldownMs how long it stays open before a probe may go out, 0 (at once) to 365 days; default 5000
    /// @param now the time in milliseconds from any origin, for tests; default: the device's monotonic clock. While it
    /// gives anything but a finite number, or throws, time stands still for this breaker, and that is logged
    /// @param options everything else
    #[napi(
        constructor,
        ts_args_type = "failureThreshold?: number, cooldownMs?: number, now?: () => number, options?: BreakerOptions"
    )]
    pub fn new(
        env: Env,
        this: This,
        failure_threshold: Unknown,
        cooldown_ms: Unknown,
        now: Unknown,
        options: Unknown,
    ) -> Result<Self> {
        let scope = constructing::<Self>(env, &this)?;
        let runtime = Runtime::of(scope);
        let options = config(scope, options, "options");
        let settings = read_config(
            config(scope, failure_threshold, "failureThreshold"),
            config(scope, cooldown_ms, "cooldownMs"),
            options,
        )?;
        let keeper = Keeper::new(&runtime, scope, this.raw());
        let clock: Arc<dyn Clock + Send + Sync> = match config(scope, now, "now").given() {
            None => Arc::new(SystemClock),
            Some(now) => Arc::new(app_clock(now.kept_function(&keeper)?)),
        };
        let rng = Arc::new(SeededRng::from_system());
        let breaker = runtime.enter(|_| Core::with_clock(settings, clock, rng))?;
        let breaker = Arc::new(breaker.map_err(|error| options.refused(error))?);
        Ok(Self::with(Source::Own(breaker), runtime, keeper.into()))
    }

    /// The breaker of that name, which all threads of the process share, and which `prometheusText()` tells of (article
    /// 003). It is made if there is none.
    ///
    /// There may be 500 names. When there are more, the breaker that was used the longest ago is forgotten, of those that
    /// are as new: closed, nothing counted, no call in flight, no listener, no client. Whoever uses it next gets a new one of the same
    /// settings; only its `stats` are lost. Open ones are never forgotten.
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed; also when 500 names are in use.
    ///
    /// @param name 1 to 100 characters
    /// @param options its settings, which hold when it is made; left out: those that it has, or the defaults. `configMismatch` tells
    /// whether it has others
    #[napi(ts_args_type = "name: string, options?: NamedBreakerOptions", ts_return_type = "CircuitBreaker")]
    pub fn named(env: Env, name: Unknown, options: Unknown) -> Result<Unknown<'static>> {
        let scope = Scope::of(env);
        let runtime = Runtime::of(scope);
        let wanted = config(scope, options, "options").optional(|options| {
            let options = options.options()?;
            let config = read_config(options.field(c"failureThreshold"), options.field(c"cooldownMs"), options)?;
            config.validate().map_err(|error| options.refused(error))?;
            Ok(config)
        })?;
        let name = read_name(config(scope, name, "name"))?;
        let source = runtime.enter(|scope| Source::named(breaker::registry(), scope, &name, wanted))??;
        let breaker = Self::with(source, runtime, OnceCell::new());
        Ok(scope.unknown(instance::make(scope, "CircuitBreaker\0", breaker).unwrap_or_else(|| scope.undefined())))
    }

    /// Asks for one call. True: make it and record how it ended. While half-open only probes are let through.
    #[napi]
    pub fn allow_request(&self, env: Env) -> Result<bool> {
        let this = self.instance.of(env)?;
        // The result comes through recordSuccess or recordFailure, without the permit: see `current_ticket`.
        Ok(this.with(|breaker| breaker.try_acquire().map(breaker::Permit::into_ticket).is_ok())?)
    }

    /// A call succeeded. Half-open: taken for the oldest probe in flight. Open: ignored, it comes from before.
    /// Throws INVALID_ARGUMENT unless `tookMs` is from 0 to 365 days.
    ///
    /// @param tookMs how long the call took, for a window that looks at slow calls
    #[napi(ts_args_type = "tookMs?: number")]
    pub fn record_success(&self, env: Env, took_ms: Unknown) -> Result<()> {
        let this = self.instance.of(env)?;
        let took = read_took(Scope::of(env), took_ms)?;
        Ok(this.record(|breaker, ticket| breaker.record_success(ticket, took))?)
    }

    /// A call failed and the service is to blame. Half-open: taken for the oldest probe in flight. Open: ignored.
    /// Throws INVALID_ARGUMENT unless both are from 0 to 365 days.
    ///
    /// @param retryAfterMs the service asked to be left alone so long: no call is admitted earlier (up to maxRetryAfterMs)
    /// @param tookMs how long the call took, for a window that looks at slow calls
    #[napi(ts_args_type = "retryAfterMs?: number, tookMs?: number")]
    pub fn record_failure(&self, env: Env, retry_after_ms: Unknown, took_ms: Unknown) -> Result<()> {
        let this = self.instance.of(env)?;
        let report = failure_report(Scope::of(env), retry_after_ms, took_ms)?;
        Ok(this.record(|breaker, ticket| breaker.record_failure(ticket, report))?)
    }

    /// A call said nothing about the service (cancelled, the caller's mistake): a probe gives its place back.
    #[napi]
    pub fn record_neutral(&self, env: Env) -> Result<()> {
        Ok(self.instance.of(env)?.record(Core::record_neutral)?)
    }

    /// As `allowRequest`, with a permit that knows which call its result belongs to: use it where calls overlap.
    ///
    /// @returns null when the call is rejected
    #[napi(ts_args_type = "", ts_return_type = "BreakerPermit | null")]
    pub fn try_acquire(&self, env: Env, this: This) -> Result<Unknown<'static>> {
        let (scope, instance) = (Scope::of(env), this.raw());
        let this = self.instance.of(env)?;
        let permit = this.with(|breaker| BreakerPermit::acquire(&this.runtime, scope, breaker, instance))?;
        Ok(scope.unknown(permit.unwrap_or_else(|| scope.null())))
    }

    /// State as the last event left it: OPEN is read until a call comes after the cooldown. Reading changes nothing.
    #[napi(getter)]
    pub fn state(&self, env: Env) -> Result<BreakerState> {
        Ok(self.instance.of(env)?.with(|breaker| breaker.state().into())?)
    }

    /// Milliseconds until a call may be admitted; 0 when one may be now. Infinity while isolated.
    #[napi(getter)]
    pub fn retry_after_ms(&self, env: Env) -> Result<f64> {
        let this = self.instance.of(env)?;
        Ok(this.with(|breaker| wait_ms(breaker.retry_after()))?)
    }

    /// Failures in a row.
    #[napi(getter)]
    pub fn consecutive_failures(&self, env: Env) -> Result<u32> {
        Ok(self.instance.of(env)?.with(|breaker| breaker.consecutive_failures())?)
    }

    /// The calls that its window holds; undefined without a window.
    #[napi(getter, ts_return_type = "WindowCounts | undefined")]
    pub fn window_counts(&self, env: Env) -> Result<Either<WindowCounts, ()>> {
        let this = self.instance.of(env)?;
        Ok(or_undefined(this.with(|breaker| breaker.window_counts())?.map(Into::into)))
    }

    /// What it has seen since it was made; `opened` and `closed` count `isolate()`, `forceClosed()` and `reset()` too.
    #[napi(getter)]
    pub fn stats(&self, env: Env) -> Result<BreakerStats> {
        let this = self.instance.of(env)?;
        let errors = this.listener_errors.load(Ordering::Relaxed);
        Ok(this.with(|breaker| BreakerStats::new(breaker.stats(), errors))?)
    }

    /// Its name; undefined unless it was made with `named`.
    #[napi(getter, ts_return_type = "string | undefined")]
    pub fn name(&self, env: Env) -> Result<Either<String, ()>> {
        Ok(or_undefined(self.instance.of(env)?.source.name().map(str::to_owned)))
    }

    /// Whether the breaker of this name has other settings than the options that this instance was made with: whoever
    /// named it first has set them. False unless it was made with `named` and with options.
    #[napi(getter)]
    pub fn config_mismatch(&self, env: Env) -> Result<bool> {
        let this = self.instance.of(env)?;
        Ok(this.runtime.enter(|scope| this.source.config_mismatch(scope))??)
    }

    /// Rejects every call until `reset()`.
    #[napi]
    pub fn isolate(&self, env: Env) -> Result<()> {
        let this = self.instance.of(env)?;
        Ok(this.with(|breaker| breaker.isolate())?)
    }

    /// Admits every call and counts nothing until `reset()`.
    #[napi]
    pub fn force_closed(&self, env: Env) -> Result<()> {
        let this = self.instance.of(env)?;
        Ok(this.with(|breaker| breaker.force_closed())?)
    }

    /// Closed, no failures, no cooldown, as when it was made; `stats` stay. Calls in flight no longer count.
    #[napi]
    pub fn reset(&self, env: Env) -> Result<()> {
        let this = self.instance.of(env)?;
        Ok(this.with(|breaker| breaker.reset())?)
    }

    /// What it has learned, as a text to keep over the end of the app (in `preferences`, say) and to give to `restore()` after
    /// it. State, what is left of the cooldown and of a Retry-After, failures in a row. Not its settings, `stats`, the calls in
    /// its window, probes in flight, `isolate()` and `forceClosed()`.
    /// Throws INVALID_ARGUMENT unless `nowUnixMs` is a whole number from 0 to 2^53 - 1.
    ///
    /// @param nowUnixMs the wall clock in milliseconds since 1970, for tests; default: the device's
    #[napi(ts_args_type = "nowUnixMs?: number")]
    pub fn snapshot(&self, env: Env, now_unix_ms: Unknown) -> Result<String> {
        let this = self.instance.of(env)?;
        let now = wall_clock(env, now_unix_ms)?;
        Ok(this.with(|breaker| breaker.snapshot(now))?)
    }

    /// Goes on where `snapshot()` was called, as if there had been no call since. Open stays open for what is left of its cooldown
    /// by the wall clock, never longer than its own settings allow; a clock that was set back takes nothing off. Half-open, or with
    /// the cooldown over, the next call is the probe. Call it before the first call: those in flight no longer count. One that was
    /// isolated or forced closed stays so.
    /// Throws INVALID_ARGUMENT with `field` `'snapshot'`, or the field in it that is wrong, for a text that is none of its
    /// snapshots or is damaged: then it is as it was.
    ///
    /// @param snapshot the text
    /// @param nowUnixMs the wall clock in milliseconds since 1970, for tests; default: the device's
    #[napi(ts_args_type = "snapshot: string, nowUnixMs?: number")]
    pub fn restore(&self, env: Env, snapshot: Unknown, now_unix_ms: Unknown) -> Result<()> {
        let this = self.instance.of(env)?;
        let saved = Saved::read(env, snapshot, now_unix_ms)?;
        Ok(this.with(|breaker| saved.restore(|text, now| breaker.restore(text, now)))??)
    }

    /// Calls `listener` after each change of state. What it throws costs the call nothing: `stats.listenerErrors` counts.
    /// Of a named breaker it hears what other threads bring about, too, a little later and on its own thread.
    /// A listener goes with this instance: keep it for as long as you listen.
    /// Throws INVALID_ARGUMENT when `listener` is no function.
    ///
    /// @returns a number for `offStateChange`
    #[napi(ts_args_type = "listener: (event: BreakerEvent) => void")]
    pub fn on_state_change(&self, env: Env, this: This, listener: Unknown) -> Result<f64> {
        let instance = this.raw();
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let listener = argument(scope, listener, "listener");
        Ok(this.runtime.enter(|scope| this.listen(scope, instance, listener))??)
    }

    /// Forgets a listener of this instance.
    /// Throws INVALID_ARGUMENT when `id` is no whole number.
    ///
    /// @returns false when there is none of that number
    #[napi(ts_args_type = "id: number")]
    pub fn off_state_change(&self, env: Env, id: Unknown) -> Result<bool> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let id = argument(scope, id, "id").integer(0, MAX_SAFE_INTEGER)?;
        Ok(this.runtime.enter(|_| this.listeners.remove(id))?)
    }
}
