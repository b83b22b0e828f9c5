//! `ResilientLlmRunner` of article 002.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Env, JsValue, Result};

use super::arguments::{Argument, argument};
use super::call_records::{CallOutcome, PassedOver};
use super::client_config::{call_options, given_breaker, own_breaker, read_client_config, read_rng};
use super::client_handle::ClientHandle;
use super::clock::JsTimer;
use super::errors::call_error;
use super::executor::Runtime;
use super::hooks::JsHooks;
use super::inner_client::{Answer, Answers, InnerClient, Keep, Request, Text};
use super::instance::{Instance, constructing};
use super::js::{Checked, Scope, Value};
use super::kept::Keeper;
use super::records::to_js;
use super::snapshot::{Saved, wall_clock};
use crate::backoff::{BackoffConfig, Jitter};
use crate::breaker::BreakerConfig;
use crate::chain::{self, ChainConfig, Provider};
use crate::classify::{CallError, ErrorClass};
use crate::client::{ClientConfig, Outcome, OutcomeStatus};

type Core = chain::ResilientLlmRunner<InnerClient, JsTimer, JsHooks>;

/// Several LLM services, one behind the other: when the first does not answer, the next one is asked. Each has its own
/// breaker and retries; the time of the call is shared; a service that asked to be left alone is passed over.
///
/// When all of them cool down (an open breaker, a Retry-After) the call waits for the first that comes back: each time for
/// `retryAfterMaxMs` and its spread at the most, 66 s by default, and only if that ends inside `deadlineMs`. A smaller
/// `retryAfterMaxMs` or `deadlineMs` makes it end sooner; `retryAfterMaxMs: 0`: it never waits so. Such a wait is the `delayMs` of
/// the attempt before it, with `DelaySource.Cooldown`, and is told to `onRetry` if there was one.
#[napi]
#[repr(transparent)]
pub struct ResilientLlmRunner {
    instance: Instance<ClientHandle<Core>>,
}

/// What `execute` gives.
#[napi(object, object_from_js = false)]
pub struct RunnerAnswer {
    /// The model's answer.
    #[napi(ts_type = "string")]
    pub text: Text,
    /// Name of the service that answered.
    pub provider_used: String,
    /// Whether that is not the first one: mark the answer for the user.
    pub degraded: bool,
    /// The services that gave no answer before, in their order, and why.
    #[napi(ts_type = "Array<PassedOver>")]
    pub passed_over: Vec<PassedOver>,
}

#[napi]
impl ResilientLlmRunner {
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed.
    ///
    /// @param primary the service that is asked first
    /// @param fallbacks those that are asked after it, in this order; at most 19, default none
    /// @param config what holds for each service, and for the chain; left out: the defaults
    /// @param fallback what `call` gives when none of them answers, as of `ResilientLlmClient`
    /// @param onRetry called when a retry of the same service has been decided, or that all cool down and the first to come back
    /// is waited for, before the wait
    #[napi(
        constructor,
        ts_args_type = "primary: LlmProvider, fallbacks?: LlmProvider[], config?: RunnerConfig, fallback?: string | FallbackFunction, onRetry?: (event: RetryEvent) => void"
    )]
    pub fn new(
        env: Env,
        this: This,
        primary: Unknown,
        fallbacks: Unknown,
        config: Unknown,
        fallback: Unknown,
        on_retry: Unknown,
    ) -> Result<Self> {
        let scope = constructing::<Self>(env, &this)?;
        let name = |value, name| super::arguments::config(scope, value, name);
        let arguments = Arguments {
            primary: name(primary, "primary"),
            fallbacks: name(fallbacks, "fallbacks"),
            config: name(config, "config"),
            fallback: name(fallback, "fallback"),
            on_retry: name(on_retry, "onRetry"),
        };
        let read = |runtime: &_, keeper: &_, listener_errors| arguments.read(runtime, keeper, listener_errors);
        Ok(Self { instance: Instance::new(ClientHandle::new(scope, this.raw(), read)?) })
    }

    /// Asks the services in their order until one answers, as article 002 does.
    ///
    /// @param prompt passed to the services untouched: a text, or any object
    /// @param options cancelling, deadline and identity of this call
    /// @returns rejects when none of them answers: an `Error` whose message names each service and what it failed with,
    /// with `code` (see ErrorClass), `retryable` and `retryAfterMs` of the last error
    #[napi(ts_args_type = "prompt: string | Object, options?: CallOptions", ts_return_type = "Promise<RunnerAnswer>")]
    pub fn execute(&self, env: Env, prompt: Unknown, options: Unknown) -> Result<Unknown<'static>> {
        self.run(env, prompt, options, |scope, mut outcome| {
            if let (OutcomeStatus::Ok, Some(provider)) = (outcome.status, &outcome.provider) {
                let (provider_used, degraded) = (provider.to_string(), outcome.degraded());
                let passed_over = outcome.passed_over.iter().map(Into::into).collect();
                let answer = RunnerAnswer { text: outcome.take_text(), provider_used, degraded, passed_over };
                return to_js(scope, answer);
            }
            let summary = outcome.summary();
            let cause = outcome.cause.unwrap_or(ErrorClass::Unknown);
            let error = outcome.error.unwrap_or_else(|| CallError::new(cause, ""));
            Err(call_error(scope, &CallError { message: summary, ..error }, None))
        })
    }

    /// The same, but it never rejects: it tells everything about the call, and gives the fallback when no service answers.
    /// Rejects only for a wrong argument, with INVALID_ARGUMENT naming the field of `options`.
    ///
    /// @param request passed to the services untouched
    /// @param options cancelling, deadline and identity of this call
    #[napi(ts_args_type = "request: string | Object, options?: CallOptions", ts_return_type = "Promise<CallOutcome>")]
    pub fn call(&self, env: Env, request: Unknown, options: Unknown) -> Result<Unknown<'static>> {
        self.run(env, request, options, |scope, outcome| to_js(scope, CallOutcome::from(outcome)))
    }

    /// As `call`, with the answer piece by piece. Before the first text a failure leads to the next service; after it the
    /// call ends with status Partial.
    ///
    /// @param request passed to the services untouched
    /// @param onText gets each piece as it comes; as long as a promise that it gives is pending, the next one waits
    /// @param options cancelling, deadline and identity of this call
    #[napi(
        ts_args_type = "request: string | Object, onText: (text: string) => void | Promise<void>, options?: CallOptions",
        ts_return_type = "Promise<CallOutcome>"
    )]
    pub fn chat_stream(
        &self,
        env: Env,
        request: Unknown,
        on_text: Unknown,
        options: Unknown,
    ) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        Ok(scope.promise_of(|| {
            let sink = this.sink(argument(scope, on_text, "onText"))?;
            let options = call_options(argument(scope, options, "options"))?;
            let request = Request::new(&this.runtime, scope, request.raw(), Keep::Text);
            Ok(this.start(scope, |chain, runtime| async move {
                let outcome = chain.chat_stream(&request, options, &sink).await;
                to_js(runtime.scope(), CallOutcome::from(outcome))
            }))
        }))
    }

    /// What the breakers and the retry budgets of its services have learned, as a text to keep over the end of the app and to
    /// give to `restore()` after it: see `CircuitBreaker.snapshot()`.
    /// Throws INVALID_ARGUMENT unless `nowUnixMs` is a whole number from 0 to 2^53 - 1.
    ///
    /// @param nowUnixMs the wall clock in milliseconds since 1970, for tests; default: the device's
    #[napi(ts_args_type = "nowUnixMs?: number")]
    pub fn snapshot(&self, env: Env, now_unix_ms: Unknown) -> Result<String> {
        let this = self.instance.of(env)?;
        let now = wall_clock(env, now_unix_ms)?;
        Ok(this.with(|chain| chain.snapshot(now))?)
    }

    /// Goes on where `snapshot()` was called, as if there had been no call since: see `CircuitBreaker.restore()`. Services are
    /// known by their names: one that the snapshot has not stays as it is.
    /// Throws INVALID_ARGUMENT with `field` `'snapshot'`, or the field in it that is wrong, for a text that is none of its
    /// snapshots or is damaged: then all services are as they were.
    ///
    /// @param snapshot the text
    /// @param nowUnixMs the wall clock in milliseconds since 1970, for tests; default: the device's
    #[napi(ts_args_type = "snapshot: string, nowUnixMs?: number")]
    pub fn restore(&self, env: Env, snapshot: Unknown, now_unix_ms: Unknown) -> Result<()> {
        let this = self.instance.of(env)?;
        let saved = Saved::read(env, snapshot, now_unix_ms)?;
        Ok(this.with(|chain| saved.restore(|text, now| chain.restore(text, now)))??)
    }

    /// How often `onRetry` or `onText` threw.
    #[napi(getter)]
    pub fn listener_errors(&self, env: Env) -> Result<f64> {
        Ok(self.instance.of(env)?.listener_errors())
    }
}

impl ResilientLlmRunner {
    fn run(
        &self,
        env: Env,
        request: Unknown,
        options: Unknown,
        finish: impl FnOnce(Scope, Outcome<Answer>) -> std::result::Result<Value, Value> + 'static,
    ) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        Ok(scope.promise_of(|| {
            let options = call_options(argument(scope, options, "options"))?;
            let request = Request::new(&this.runtime, scope, request.raw(), Keep::Value);
            Ok(this.start(scope, |chain, runtime| async move {
                let outcome = chain.execute(&request, options).await;
                finish(runtime.scope(), outcome)
            }))
        }))
    }
}

/// What the constructor was given.
struct Arguments {
    primary: Argument,
    fallbacks: Argument,
    config: Argument,
    fallback: Argument,
    on_retry: Argument,
}

impl Arguments {
    fn read(self, runtime: &Rc<Runtime>, keeper: &Rc<Keeper>, listener_errors: Arc<AtomicU64>) -> Checked<Core> {
        let options = self.config.options()?;
        let mut config = ChainConfig { client: read_client_config(options, defaults())?, ..ChainConfig::default() };
        options.field(c"timeoutMs").set(&mut config.client.retry.attempt_timeout, |time| time.millis(1.0))?;
        options.field(c"nextAfterContentFilter").set(&mut config.next_after_content_filter, Argument::boolean)?;
        let mut breaker =
            BreakerConfig { failure_threshold: 4, cooldown: Duration::from_secs(60), ..BreakerConfig::default() };
        options
            .field(c"circuitFailureThreshold")
            .set(&mut breaker.failure_threshold, |failures| failures.count(BreakerConfig::FAILURE_THRESHOLD))?;
        options.field(c"circuitResetWindowMs").set(&mut breaker.cooldown, |time| time.millis(0.0))?;
        let primary_only = options.field(c"breakerOfPrimaryOnly").optional(Argument::boolean)?.unwrap_or(false);
        let timer = JsTimer::read(runtime, options)?;
        let rng = read_rng(keeper, options)?;
        let mut services = vec![self.primary];
        services.extend(self.fallbacks.items()?);
        let mut given = Vec::new();
        let mut providers = Vec::new();
        for (index, service) in services.into_iter().enumerate() {
            let client = InnerClient::read(runtime, keeper, service, &[service], Answers::ObjectsOrTexts, &timer)?;
            let own = service.field(c"breaker");
            let breaker = match own.given() {
                Some(own) => given_breaker(own)?,
                None => own_breaker(options, breaker, &timer, &rng)?,
            };
            if own.given().is_none() && primary_only && index > 0 {
                breaker.force_closed();
            }
            given.extend(own.given());
            let name = service.field(c"name").named(if index == 0 { "primary.name" } else { "fallbacks.name" });
            let mut provider = Provider::new(name.string(100)?, client, breaker);
            service.field(c"largerContext").set(&mut provider.larger_context, Argument::boolean)?;
            providers.push(provider);
        }
        let text = &mut config.client.fallback;
        let hooks = JsHooks::read(runtime, keeper, self.fallback, self.on_retry, given, text, listener_errors)?;
        Core::with_hooks(providers, config, timer, rng, hooks).map_err(|error| options.refused(error))
    }
}

/// Article 002's figures.
fn defaults() -> ClientConfig {
    let mut config = ClientConfig::default();
    let jitter = Jitter::Additive { max: Duration::from_millis(300) };
    config.retry.backoff = BackoffConfig { base: Duration::from_secs(1), jitter, ..BackoffConfig::default() };
    config.retry.attempt_timeout = Duration::from_secs(15);
    config
}
