//! `CircuitBreaker`, its permit and its events.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Either, Env, JsValue, Result};

use super::arguments::{Argument, MAX_SAFE_INTEGER, argument, config};
use super::clock::app_clock;
use super::executor::Runtime;
use super::instance::{self, Instance, constructing, made_elsewhere};
use super::js::{Checked, Scope};
use super::kept::Keeper;
use super::records::{BreakerStats, WindowCounts, breaker_event};
use crate::breaker::{self, BreakerConfig, FailureReport, Ticket, WindowConfig, WindowSpan};
use crate::clock::{Clock, SystemClock};
use crate::millis::whole_millis;
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
    breaker: Arc<breaker::CircuitBreaker>,
    runtime: Rc<Runtime>,
    /// Of `now` and the listeners.
    keeper: Rc<Keeper>,
    listener_errors: Arc<AtomicU64>,
}

impl CircuitBreaker {
    /// `None`: an instance of another class under a false flag.
    pub fn core(&self) -> Option<&Arc<breaker::CircuitBreaker>> {
        self.instance.content().map(|content| &content.breaker)
    }
}

impl Breaker {
    /// A result that comes without its permit.
    fn record(&self, record: impl FnOnce(&breaker::CircuitBreaker, Ticket)) -> Checked<()> {
        self.runtime.enter(|_| {
            if let Some(ticket) = self.breaker.current_ticket() {
                record(&self.breaker, ticket);
            }
        })
    }
}

fn read_config(threshold: Argument, cooldown: Argument, options: Argument) -> Checked<BreakerConfig> {
    let mut config = BreakerConfig::default();
    threshold.set(&mut config.failure_threshold, |failures| failures.count(BreakerConfig::FAILURE_THRESHOLD))?;
    cooldown.set(&mut config.cooldown, |time| time.millis(0.0))?;
    let options = options.options()?;
    options
        .field(c"cooldownFactor")
        .set(&mut config.cooldown_factor, |factor| factor.number(BreakerConfig::COOLDOWN_FACTOR))?;
    config.max_cooldown = options.field(c"maxCooldownMs").optional(|max| max.millis(0.0))?;
    options
        .field(c"cooldownSpread")
        .set(&mut config.cooldown_spread, |spread| spread.number(BreakerConfig::COOLDOWN_SPREAD))?;
    options.field(c"cooldownResetMs").set(&mut config.cooldown_reset, |time| time.millis(0.0))?;
    options.field(c"maxRetryAfterMs").set(&mut config.max_retry_after, |time| time.millis(0.0))?;
    options.field(c"halfOpenProbes").set(&mut config.half_open_probes, |probes| probes.count(BreakerConfig::PROBES))?;
    options
        .field(c"successThreshold")
        .set(&mut config.success_threshold, |probes| probes.count(BreakerConfig::PROBES))?;
    config.probe_lease = options.field(c"probeLeaseMs").optional(|lease| lease.millis(1.0))?;
    config.window = options.field(c"window").optional(read_window)?;
    Ok(config)
}

fn read_window(options: Argument) -> Checked<WindowConfig> {
    let options = options.options()?;
    let field = |name, full_name| options.field(name).named(full_name);
    let mut window = WindowConfig::default();
    let calls = field(c"calls", "window.calls").optional(|calls| calls.count(WindowConfig::CALLS))?;
    let length = field(c"lengthMs", "window.lengthMs").optional(|length| length.millis(1.0))?;
    let buckets = field(c"buckets", "window.buckets").optional(|buckets| buckets.count(WindowConfig::BUCKETS))?;
    window.span = match (calls, window.span) {
        (Some(calls), _) if length.is_none() && buckets.is_none() => WindowSpan::Calls(calls),
        (Some(_), _) => return Err(field(c"calls", "window.calls").wrong("nothing beside lengthMs or buckets")),
        (None, WindowSpan::Time { length: usual, buckets: many }) => {
            WindowSpan::Time { length: length.unwrap_or(usual), buckets: buckets.unwrap_or(many) }
        }
        (None, span) => span,
    };
    let rate = |name, full_name| field(name, full_name).optional(Argument::share);
    let most = WindowConfig::MINIMUM_CALLS;
    window.minimum_calls = window.minimum_calls.min(calls.unwrap_or(u32::MAX));
    field(c"minimumCalls", "window.minimumCalls").set(&mut window.minimum_calls, |calls| calls.count(most.clone()))?;
    window.failures = field(c"failures", "window.failures").optional(|failures| failures.count(most))?;
    window.slow_rate = rate(c"slowRate", "window.slowRate")?;
    field(c"slowCallMs", "window.slowCallMs").set(&mut window.slow_call, |time| time.millis(0.0))?;
    let only_others = window.failures.is_some() || window.slow_rate.is_some();
    window.failure_rate = rate(c"failureRate", "window.failureRate")?.or(window.failure_rate.filter(|_| !only_others));
    Ok(window)
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
        let breaker = runtime.enter(|_| breaker::CircuitBreaker::with_clock(settings, clock, rng))?;
        let breaker = Arc::new(breaker.map_err(|error| options.refused(error))?);
        Ok(Self { instance: Instance::new(Breaker { breaker, runtime, keeper, listener_errors: Arc::default() }) })
    }

    /// Asks for one call. True: make it and record how it ended. While half-open only probes are let through.
    #[napi]
    pub fn allow_request(&self, env: Env) -> Result<bool> {
        let this = self.instance.of(env)?;
        // The result comes through recordSuccess or recordFailure, without the permit: see `current_ticket`.
        Ok(this.runtime.enter(|_| this.breaker.try_acquire().map(breaker::Permit::into_ticket).is_ok())?)
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
        Ok(self.instance.of(env)?.record(breaker::CircuitBreaker::record_neutral)?)
    }

    /// As `allowRequest`, with a permit that knows which call its result belongs to: use it where calls overlap.
    ///
    /// @returns null when the call is rejected
    #[napi(ts_args_type = "", ts_return_type = "BreakerPermit | null")]
    pub fn try_acquire(&self, env: Env, this: This) -> Result<Unknown<'static>> {
        let instance = this.raw();
        let this = self.instance.of(env)?;
        let permit = this.runtime.enter(|scope| {
            let permit = this.breaker.try_acquire().ok()?;
            let is_probe = permit.is_probe();
            let permit = Permit {
                ticket: Cell::new(Some(permit.into_ticket())),
                is_probe,
                breaker: this.breaker.clone(),
                runtime: this.runtime.clone(),
            };
            let permit = instance::make(scope, "BreakerPermit\0", BreakerPermit { instance: Instance::new(permit) })?;
            // The report needs the breaker's `now` and listeners, which live as long as that can be reached: see `Keeper`.
            scope.set_hidden(permit, c"resilience:breaker", instance);
            Some(permit)
        })?;
        let scope = Scope::of(env);
        Ok(scope.unknown(permit.unwrap_or_else(|| scope.null())))
    }

    /// State as the last event left it: OPEN is read until a call comes after the cooldown. Reading changes nothing.
    #[napi(getter)]
    pub fn state(&self, env: Env) -> Result<BreakerState> {
        Ok(self.instance.of(env)?.breaker.state().into())
    }

    /// Milliseconds until a call may be admitted; 0 when one may be now. Infinity while isolated.
    #[napi(getter)]
    pub fn retry_after_ms(&self, env: Env) -> Result<f64> {
        let this = self.instance.of(env)?;
        Ok(this.runtime.enter(|_| match this.breaker.retry_after() {
            std::time::Duration::MAX => f64::INFINITY,
            wait => whole_millis(wait),
        })?)
    }

    /// Failures in a row.
    #[napi(getter)]
    pub fn consecutive_failures(&self, env: Env) -> Result<u32> {
        Ok(self.instance.of(env)?.breaker.consecutive_failures())
    }

    /// The calls that its window holds; undefined without a window.
    #[napi(getter, ts_return_type = "WindowCounts | undefined")]
    pub fn window_counts(&self, env: Env) -> Result<Either<WindowCounts, ()>> {
        let this = self.instance.of(env)?;
        // Not an Option: that becomes null.
        Ok(this.runtime.enter(|_| this.breaker.window_counts())?.map_or(Either::B(()), |held| Either::A(held.into())))
    }

    /// What it has seen since it was made; `opened` and `closed` count `isolate()`, `forceClosed()` and `reset()` too.
    #[napi(getter)]
    pub fn stats(&self, env: Env) -> Result<BreakerStats> {
        let this = self.instance.of(env)?;
        Ok(BreakerStats::new(this.breaker.stats(), this.listener_errors.load(Ordering::Relaxed)))
    }

    /// Rejects every call until `reset()`.
    #[napi]
    pub fn isolate(&self, env: Env) -> Result<()> {
        let this = self.instance.of(env)?;
        Ok(this.runtime.enter(|_| this.breaker.isolate())?)
    }

    /// Admits every call and counts nothing until `reset()`.
    #[napi]
    pub fn force_closed(&self, env: Env) -> Result<()> {
        let this = self.instance.of(env)?;
        Ok(this.runtime.enter(|_| this.breaker.force_closed())?)
    }

    /// Closed, no failures, no cooldown, as when it was made; `stats` stay. Calls in flight no longer count.
    #[napi]
    pub fn reset(&self, env: Env) -> Result<()> {
        let this = self.instance.of(env)?;
        Ok(this.runtime.enter(|_| this.breaker.reset())?)
    }

    /// Calls `listener` after each change of state. What it throws costs the call nothing: `stats.listenerErrors` counts.
    /// Throws INVALID_ARGUMENT when `listener` is no function.
    ///
    /// @returns a number for `offStateChange`
    #[napi(ts_args_type = "listener: (event: BreakerEvent) => void")]
    pub fn on_state_change(&self, env: Env, listener: Unknown) -> Result<f64> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let function = argument(scope, listener, "listener").kept_function(&this.keeper)?;
        let errors = this.listener_errors.clone();
        let id = this.breaker.subscribe(move |event| {
            let errors = errors.clone();
            function.tell(|scope| breaker_event(scope, event), move || _ = errors.fetch_add(1, Ordering::Relaxed));
        });
        Ok(id as f64)
    }

    /// Forgets a listener.
    /// Throws INVALID_ARGUMENT when `id` is no whole number.
    ///
    /// @returns false when there is none of that number
    #[napi(ts_args_type = "id: number")]
    pub fn off_state_change(&self, env: Env, id: Unknown) -> Result<bool> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let id = argument(scope, id, "id").integer(0, MAX_SAFE_INTEGER)?;
        Ok(this.breaker.unsubscribe(id))
    }
}

fn failure_report(scope: Scope, retry_after_ms: Unknown, took_ms: Unknown) -> Checked<FailureReport> {
    let retry_after = argument(scope, retry_after_ms, "retryAfterMs").optional(|wait| wait.millis(0.0))?;
    Ok(FailureReport { retry_after, took: read_took(scope, took_ms)?, ..FailureReport::default() })
}

fn read_took(scope: Scope, took_ms: Unknown) -> Checked<Duration> {
    Ok(argument(scope, took_ms, "tookMs").optional(|took| took.millis(0.0))?.unwrap_or_default())
}

/// The right to make one call. Report once how it ended; later reports are ignored. One that is never reported is
/// neutral when it is garbage-collected; until then a probe keeps its place for the length of its lease.
#[napi]
#[repr(transparent)]
pub struct BreakerPermit {
    instance: Instance<Permit>,
}

struct Permit {
    /// A cell, not `&mut self`: a listener may call the same permit again.
    ticket: Cell<Option<Ticket>>,
    is_probe: bool,
    breaker: Arc<breaker::CircuitBreaker>,
    runtime: Rc<Runtime>,
}

impl Permit {
    /// Once; later reports find no ticket.
    fn report(&self, report: impl FnOnce(&breaker::CircuitBreaker, Ticket)) -> Checked<()> {
        self.ticket.take().map_or(Ok(()), |ticket| self.runtime.enter(|_| report(&self.breaker, ticket)))
    }
}

#[napi]
impl BreakerPermit {
    /// Only `tryAcquire()` makes one.
    #[napi(constructor, skip_typescript)]
    pub fn new(env: Env) -> Result<Self> {
        Err(made_elsewhere(Scope::of(env), "a permit that tryAcquire() gives").into())
    }

    /// Whether it is a probe of a half-open breaker.
    #[napi(getter)]
    pub fn is_probe(&self, env: Env) -> Result<bool> {
        Ok(self.instance.of(env)?.is_probe)
    }

    /// The call succeeded.
    /// Throws INVALID_ARGUMENT unless `tookMs` is from 0 to 365 days.
    ///
    /// @param tookMs how long the call took, for a window that looks at slow calls
    #[napi(ts_args_type = "tookMs?: number")]
    pub fn record_success(&self, env: Env, took_ms: Unknown) -> Result<()> {
        let this = self.instance.of(env)?;
        let took = read_took(Scope::of(env), took_ms)?;
        Ok(this.report(|breaker, ticket| breaker.record_success(ticket, took))?)
    }

    /// The call failed and the service is to blame.
    /// Throws INVALID_ARGUMENT unless both are from 0 to 365 days.
    ///
    /// @param retryAfterMs the service asked to be left alone so long: no call is admitted earlier (up to maxRetryAfterMs)
    /// @param tookMs how long the call took, for a window that looks at slow calls
    #[napi(ts_args_type = "retryAfterMs?: number, tookMs?: number")]
    pub fn record_failure(&self, env: Env, retry_after_ms: Unknown, took_ms: Unknown) -> Result<()> {
        let this = self.instance.of(env)?;
        let failure = failure_report(Scope::of(env), retry_after_ms, took_ms)?;
        Ok(this.report(|breaker, ticket| breaker.record_failure(ticket, failure))?)
    }

    /// The call said nothing about the service.
    #[napi]
    pub fn release(&self, env: Env) -> Result<()> {
        Ok(self.instance.of(env)?.report(breaker::CircuitBreaker::record_neutral)?)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        // No listener is called for a neutral result: this runs in the garbage collector.
        self.ticket.take().into_iter().for_each(|ticket| self.breaker.record_neutral(ticket));
    }
}
