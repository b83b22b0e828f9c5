//! `ResilientLlmClient` of article 000.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Env, JsValue, Result};

use super::arguments::{Argument, argument};
use super::breaker::{BreakerState, CircuitBreaker};
use super::cancel::CancelToken;
use super::clock::{JsRng, JsTimer};
use super::errors::call_error;
use super::executor::Runtime;
use super::inner_client::{InnerClient, Request};
use super::instance::{Instance, constructing};
use super::js::{Checked, Scope, Type, Value};
use super::kept::{Keeper, Reference, UserFunction};
use super::records::{CallOutcome, FailureInfo, RetryEvent, to_js};
use crate::backoff::{BackoffConfig, Jitter};
use crate::breaker::{self, BreakerConfig};
use crate::client::{self, CallOptions, ClientConfig, Fallback, Hooks, Locale};
use crate::log;
use crate::random::{Rng, SeededRng};
use crate::retry::{RetryBudgetConfig, RetryConfig};

type Core = client::ResilientLlmClient<InnerClient, JsTimer, JsHooks>;

/// Keeps the calls to one LLM service alive: breaker, retry with backoff and jitter, timeouts, fallback.
#[napi]
#[repr(transparent)]
pub struct ResilientLlmClient {
    instance: Instance<Client>,
}

struct Client {
    client: Rc<Core>,
    runtime: Rc<Runtime>,
    /// Of everything that the app passed in; held by each call in flight.
    keeper: Rc<Keeper>,
    listener_errors: Arc<AtomicU64>,
}

#[napi]
impl ResilientLlmClient {
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed.
    ///
    /// @param inner your client for the service; it makes one attempt a call and does not retry by itself
    /// @param config attempts, waits, timeouts; left out: the defaults
    /// @param breaker the service's breaker; left out: one of its own
    /// @param fallback what the user reads when no answer can be had: a text (may be empty), or a function that gives
    /// one, or a promise of one; left out: a text that says what happened and what to do next
    /// @param onRetry called when a retry has been decided, before its wait; what it throws costs the call nothing
    #[napi(
        constructor,
        ts_args_type = "inner: LlmClient, config?: ResilienceConfig, breaker?: CircuitBreaker, fallback?: string | FallbackFunction, onRetry?: (event: RetryEvent) => void"
    )]
    pub fn new(
        env: Env,
        this: This,
        inner: Unknown,
        config: Unknown,
        breaker: Unknown,
        fallback: Unknown,
        on_retry: Unknown,
    ) -> Result<Self> {
        let scope = constructing::<Self>(env, &this)?;
        let runtime = Runtime::of(scope);
        let keeper = Keeper::new(&runtime, scope, this.raw());
        let name = |value, name| super::arguments::config(scope, value, name);
        let arguments = Arguments {
            inner: name(inner, "inner"),
            config: name(config, "config"),
            breaker: name(breaker, "breaker"),
            fallback: name(fallback, "fallback"),
            on_retry: name(on_retry, "onRetry"),
        };
        let listener_errors = Arc::new(AtomicU64::new(0));
        let client = Rc::new(runtime.enter(|_| arguments.read(&runtime, &keeper, listener_errors.clone()))?);
        Ok(Self { instance: Instance::new(Client { client, runtime, keeper, listener_errors }) })
    }

    /// The text of the model's answer, or the fallback text.
    ///
    /// @param request passed to the inner client untouched
    /// @returns rejects only with what the caller alone can mend, an `Error` with `code` (see ErrorClass), `retryable`,
    /// `status` and `cause`: `auth`, `model_not_found`, `context_length`, `content_filter`, `bad_request`, `protocol`,
    /// `client_bug`; `cancelled` when your client says that the request was aborted; or with the last error when the
    /// fallback itself failed
    #[napi(ts_args_type = "request: Object", ts_return_type = "Promise<string>")]
    pub fn chat(&self, env: Env, request: Unknown) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let (client, runtime, hold) = (this.client.clone(), this.runtime.clone(), this.keeper.hold());
        let request = Request::new(&this.runtime, scope, request.raw(), false);
        let promise = this.runtime.spawn(scope, async move {
            let _hold = hold;
            let result = client.chat(&request).await;
            let scope = runtime.scope();
            result.map(|text| text.value(scope)).map_err(|error| {
                let cause = request.take_cause().map(|cause| cause.value(scope));
                call_error(scope, &error, cause)
            })
        });
        Ok(scope.unknown(promise))
    }

    /// Runs a call to its end and tells everything about it. Rejects only for a wrong argument, with INVALID_ARGUMENT
    /// naming the field of `options`, the value and what is allowed.
    ///
    /// @param request passed to the inner client untouched
    /// @param options cancelling, deadline and identity of this call
    #[napi(ts_args_type = "request: Object, options?: CallOptions", ts_return_type = "Promise<CallOutcome>")]
    pub fn execute(&self, env: Env, request: Unknown, options: Unknown) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let options = match call_options(argument(scope, options, "options")) {
            Ok(options) => options,
            Err(error) => return Ok(scope.rejected(error)),
        };
        let (client, runtime, hold) = (this.client.clone(), this.runtime.clone(), this.keeper.hold());
        let request = Request::new(&this.runtime, scope, request.raw(), true);
        let promise = this.runtime.spawn(scope, async move {
            let _hold = hold;
            let outcome = client.execute(&request, options).await;
            Ok(to_js(runtime.scope(), CallOutcome::from(outcome)))
        });
        Ok(scope.unknown(promise))
    }

    /// Attempts of the latest finished call. With calls at once, the outcome of each tells its own.
    #[napi(getter)]
    pub fn last_attempts(&self, env: Env) -> Result<u32> {
        Ok(self.instance.of(env)?.client.last_attempts())
    }

    /// Whether the latest finished call ended with the fallback. With calls at once, the outcome of each tells its own.
    #[napi(getter)]
    pub fn used_fallback(&self, env: Env) -> Result<bool> {
        Ok(self.instance.of(env)?.client.used_fallback())
    }

    /// State of its breaker.
    #[napi(getter)]
    pub fn breaker_state(&self, env: Env) -> Result<BreakerState> {
        Ok(self.instance.of(env)?.client.breaker().state().into())
    }

    /// How often `onRetry` threw.
    #[napi(getter)]
    pub fn listener_errors(&self, env: Env) -> Result<f64> {
        Ok(self.instance.of(env)?.listener_errors.load(Ordering::Relaxed) as f64)
    }
}

fn call_options(options: Argument) -> Checked<CallOptions> {
    let options = options.options()?;
    Ok(CallOptions {
        cancel: options.field(c"cancelToken").optional(|token| {
            let core = token.instance::<CancelToken>()?.and_then(CancelToken::core);
            core.cloned().ok_or_else(|| token.wrong("an instance of CancelToken"))
        })?,
        deadline: options.field(c"deadlineMs").optional(|time| time.millis(1.0))?,
        request_id: options.field(c"requestId").optional(|id| id.string(200))?,
    })
}

/// What the constructor was given.
struct Arguments {
    inner: Argument,
    config: Argument,
    breaker: Argument,
    fallback: Argument,
    on_retry: Argument,
}

impl Arguments {
    fn read(self, runtime: &Rc<Runtime>, keeper: &Rc<Keeper>, listener_errors: Arc<AtomicU64>) -> Checked<Core> {
        let options = self.config.options()?;
        let keep = |argument: Argument| keeper.keep(argument.scope(), argument.value());
        let mut config = ClientConfig {
            retry: read_retry(options)?,
            budget: read_budget(options)?,
            fallback: Fallback::Localized(read_locale(options)?),
            ..ClientConfig::default()
        };
        options.field(c"quotaCooldownMs").set(&mut config.quota_cooldown, |time| time.millis(0.0))?;
        let mut hooks = JsHooks {
            runtime: runtime.clone(),
            on_retry: None,
            fallback: None,
            _breaker: self.breaker.given().and_then(keep),
            listener_errors,
        };
        if let Some(fallback) = self.fallback.given() {
            match fallback.scope().type_of(fallback.value()) {
                Type::String => config.fallback = Fallback::Text(fallback.string(1 << 20)?),
                Type::Function => hooks.fallback = keep(fallback),
                _ => return Err(fallback.wrong("a string or a function")),
            }
        }
        hooks.on_retry = self.on_retry.optional(|listener| listener.kept_function(keeper))?;
        let timer = JsTimer::read(runtime, options)?;
        let rng = read_rng(keeper, options)?;
        let breaker = self.read_breaker(&timer, &rng)?;
        let inner = InnerClient::read(runtime, keeper, self.inner, options)?;
        Core::with_hooks(inner, config, breaker, timer, rng, hooks).map_err(|error| options.refused(error))
    }

    fn read_breaker(&self, timer: &JsTimer, rng: &Arc<dyn Rng>) -> Checked<Arc<breaker::CircuitBreaker>> {
        if let Some(breaker) = self.breaker.given() {
            let core = breaker.instance::<CircuitBreaker>()?.and_then(CircuitBreaker::core);
            return core.cloned().ok_or_else(|| breaker.wrong("an instance of CircuitBreaker"));
        }
        let config = BreakerConfig::default();
        let built = match timer {
            JsTimer::System(_) => breaker::CircuitBreaker::new(config),
            JsTimer::Manual(clock) => breaker::CircuitBreaker::with_clock(config, Arc::new(clock.clone()), rng.clone()),
        };
        built.map(Arc::new).map_err(|error| self.breaker.refused(error))
    }
}

fn read_rng(keeper: &Rc<Keeper>, options: Argument) -> Checked<Arc<dyn Rng>> {
    Ok(match options.field(c"rng").given() {
        None => Arc::new(SeededRng::from_system()),
        Some(rng) => Arc::new(JsRng(rng.kept_function(keeper)?)),
    })
}

fn read_locale(options: Argument) -> Checked<Locale> {
    let locale = options.field(c"locale").given();
    locale.map_or(Ok(Locale::default()), |locale| locale.one_of(&[("zh", Locale::Chinese), ("en", Locale::English)]))
}

fn read_retry(options: Argument) -> Checked<RetryConfig> {
    let mut retry = RetryConfig { backoff: read_backoff(options)?, ..RetryConfig::default() };
    options.field(c"maxRetries").set(&mut retry.max_retries, |retries| retries.count(RetryConfig::MAX_RETRIES))?;
    options.field(c"attemptTimeoutMs").set(&mut retry.attempt_timeout, |time| time.millis(1.0))?;
    options.field(c"deadlineMs").set(&mut retry.deadline, |time| time.millis(1.0))?;
    options.field(c"retryAfterMaxMs").set(&mut retry.retry_after_max, |time| time.millis(0.0))?;
    options.field(c"retryUnsafe").set(&mut retry.retry_unsafe, Argument::boolean)?;
    Ok(retry)
}

fn read_backoff(options: Argument) -> Checked<BackoffConfig> {
    let mut backoff = BackoffConfig::default();
    let base = options.field(c"baseMs").given().unwrap_or(options.field(c"base"));
    base.set(&mut backoff.base, |time| time.millis(0.0))?;
    options.field(c"factor").set(&mut backoff.factor, |factor| factor.number(BackoffConfig::FACTOR))?;
    // A base that is longer than the default cap lifts it.
    backoff.max_delay = backoff.max_delay.max(backoff.base);
    options.field(c"maxMs").set(&mut backoff.max_delay, |time| time.millis(0.0))?;
    let spread = options.field(c"jitterSpread").optional(|spread| spread.number(BackoffConfig::SPREAD))?;
    let most = options.field(c"jitterMs").optional(|time| time.millis(0.0))?;
    let multiplicative = spread.map_or(Jitter::MULTIPLICATIVE, |spread| Jitter::Multiplicative { spread });
    backoff.jitter = match options.field(c"jitter").given() {
        None => multiplicative,
        Some(jitter) => jitter.one_of(&[
            ("multiplicative", multiplicative),
            ("full", Jitter::Full),
            ("equal", Jitter::Equal),
            ("additive", Jitter::Additive { max: most.unwrap_or(Duration::from_millis(500).min(backoff.max_delay)) }),
            ("decorrelated", Jitter::Decorrelated),
            ("none", Jitter::None),
        ])?,
    };
    Ok(backoff)
}

fn read_budget(options: Argument) -> Checked<RetryBudgetConfig> {
    let mut budget = RetryBudgetConfig::default();
    let Some(options) = options.field(c"budget").given() else { return Ok(budget) };
    let options = options.options()?;
    let field = |name, full_name| options.field(name).named(full_name);
    field(c"capacity", "budget.capacity")
        .set(&mut budget.capacity, |tokens| tokens.number(RetryBudgetConfig::CAPACITY))?;
    field(c"perCall", "budget.perCall")
        .set(&mut budget.per_call, |tokens| tokens.number(RetryBudgetConfig::PER_CALL))?;
    field(c"perMinute", "budget.perMinute")
        .set(&mut budget.per_minute, |tokens| tokens.number(RetryBudgetConfig::PER_MINUTE))?;
    Ok(budget)
}

/// The app's functions. Whatever one of them does, the call goes on.
struct JsHooks {
    runtime: Rc<Runtime>,
    on_retry: Option<UserFunction>,
    fallback: Option<Reference>,
    /// Only to keep it, and with it its `now` and its listeners.
    _breaker: Option<Reference>,
    listener_errors: Arc<AtomicU64>,
}

impl Hooks for JsHooks {
    fn on_retry(&self, event: &client::RetryEvent<'_>) {
        let Some(listener) = &self.on_retry else { return };
        let errors = self.listener_errors.clone();
        let failed = move || {
            errors.fetch_add(1, Ordering::Relaxed);
            log::warn(format_args!("onRetry failed"));
        };
        listener.tell(|scope| to_js(scope, RetryEvent::from(event)), failed);
    }

    async fn fallback(&self, failure: &client::Failure<'_>, text: String) -> std::result::Result<String, String> {
        let Some(function) = &self.fallback else { return Ok(text) };
        let scope = self.runtime.scope();
        let failure = to_js(scope, FailureInfo::new(failure, text));
        match scope.call(scope.undefined(), function.value(scope), &[failure]) {
            Err(thrown) => Err(describe(scope, thrown.value)),
            Ok(given) => {
                let read = |scope: Scope, settled: std::result::Result<Value, Value>| match settled {
                    Err(error) => Err(describe(scope, error)),
                    Ok(text) => scope
                        .as_string(text)
                        .ok_or_else(|| format!("the fallback must give a string, got {}", scope.type_of(text).name())),
                };
                super::executor::JsPromise::new(&self.runtime, scope, given, read).await
            }
        }
    }
}

/// What an app's function threw, in one line.
fn describe(scope: Scope, thrown: Value) -> String {
    super::errors::error_facts(scope, thrown, None).message
}
