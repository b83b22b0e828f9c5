//! `ResilientLlmClient` of article 000.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Env, JsValue, Result};

use super::arguments::{Argument, argument};
use super::breaker::BreakerState;
use super::call_records::CallOutcome;
use super::client_config::{call_options, given_breaker, own_breaker, read_client_config, read_rng};
use super::client_handle::ClientHandle;
use super::clock::JsTimer;
use super::errors::call_error;
use super::executor::Runtime;
use super::hooks::JsHooks;
use super::inner_client::{Answers, InnerClient, Keep, Request};
use super::instance::{Instance, constructing};
use super::js::{Checked, Scope};
use super::kept::Keeper;
use super::records::to_js;
use super::snapshot::{Saved, wall_clock};
use crate::breaker::BreakerConfig;
use crate::client::{self, ClientConfig};

type Core = client::ResilientLlmClient<InnerClient, JsTimer, JsHooks>;

/// Keeps the calls to one LLM service alive: breaker, retry with backoff and jitter, timeouts, fallback.
#[napi]
#[repr(transparent)]
pub struct ResilientLlmClient {
    instance: Instance<ClientHandle<Core>>,
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
        ts_args_type = "inner: LlmClient | StreamingLlmClient, config?: ResilienceConfig, breaker?: CircuitBreaker, fallback?: string | FallbackFunction, onRetry?: (event: RetryEvent) => void"
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
        let name = |value, name| super::arguments::config(scope, value, name);
        let arguments = Arguments {
            inner: name(inner, "inner"),
            config: name(config, "config"),
            breaker: name(breaker, "breaker"),
            fallback: name(fallback, "fallback"),
            on_retry: name(on_retry, "onRetry"),
        };
        let read = |runtime: &_, keeper: &_, listener_errors| arguments.read(runtime, keeper, listener_errors);
        Ok(Self { instance: Instance::new(ClientHandle::new(scope, this.raw(), read)?) })
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
        let request = Request::new(&this.runtime, scope, request.raw(), Keep::Nothing);
        let promise = this.start(scope, |client, runtime| async move {
            let result = client.chat_boxed(&request).await;
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
        Ok(scope.promise_of(|| {
            let options = call_options(argument(scope, options, "options"))?;
            let request = Request::new(&this.runtime, scope, request.raw(), Keep::Value);
            Ok(this.start(scope, |client, runtime| async move {
                let outcome = client.execute(&request, options).await;
                to_js(runtime.scope(), CallOutcome::from(outcome))
            }))
        }))
    }

    /// Runs a call whose answer comes piece by piece, and tells everything about it. Before the first text a failure is
    /// tried again; after it the call ends with status Partial and what came, and nothing is asked again. A client without
    /// `chatStream` gives its answer in one piece.
    ///
    /// @param request passed to the inner client untouched
    /// @param onText gets each piece as it comes; as long as a promise that it gives is pending, the next one waits. What it
    /// throws costs the call nothing
    /// @param options cancelling, deadline and identity of this call
    /// @returns as of `execute`
    #[napi(
        ts_args_type = "request: Object, onText: (text: string) => void | Promise<void>, options?: CallOptions",
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
            Ok(this.start(scope, |client, runtime| async move {
                let outcome = client.chat_stream(&request, options, &sink).await;
                to_js(runtime.scope(), CallOutcome::from(outcome))
            }))
        }))
    }

    /// What its breaker and its retry budget have learned, as a text to keep over the end of the app and to give to `restore()`
    /// after it: see `CircuitBreaker.snapshot()`.
    /// Throws INVALID_ARGUMENT unless `nowUnixMs` is a whole number from 0 to 2^53 - 1.
    ///
    /// @param nowUnixMs the wall clock in milliseconds since 1970, for tests; default: the device's
    #[napi(ts_args_type = "nowUnixMs?: number")]
    pub fn snapshot(&self, env: Env, now_unix_ms: Unknown) -> Result<String> {
        let this = self.instance.of(env)?;
        let now = wall_clock(env, now_unix_ms)?;
        Ok(this.with(|client| client.snapshot(now))?)
    }

    /// Goes on where `snapshot()` was called, as if there had been no call since: see `CircuitBreaker.restore()`. A breaker that
    /// other clients use as well is restored for them, too: it is enough to do so once.
    /// Throws INVALID_ARGUMENT with `field` `'snapshot'`, or the field in it that is wrong, for a text that is none of its
    /// snapshots or is damaged: then breaker and budget are as they were.
    ///
    /// @param snapshot the text
    /// @param nowUnixMs the wall clock in milliseconds since 1970, for tests; default: the device's
    #[napi(ts_args_type = "snapshot: string, nowUnixMs?: number")]
    pub fn restore(&self, env: Env, snapshot: Unknown, now_unix_ms: Unknown) -> Result<()> {
        let this = self.instance.of(env)?;
        let saved = Saved::read(env, snapshot, now_unix_ms)?;
        Ok(this.with(|client| saved.restore(|text, now| client.restore(text, now)))??)
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

    /// How often `onRetry` or `onText` threw.
    #[napi(getter)]
    pub fn listener_errors(&self, env: Env) -> Result<f64> {
        Ok(self.instance.of(env)?.listener_errors())
    }
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
        let mut config = read_client_config(options, ClientConfig::default())?;
        let breakers = self.breaker.given().into_iter().collect();
        let text = &mut config.fallback;
        let hooks = JsHooks::read(runtime, keeper, self.fallback, self.on_retry, breakers, text, listener_errors)?;
        let timer = JsTimer::read(runtime, options)?;
        let rng = read_rng(keeper, options)?;
        let breaker = match self.breaker.given() {
            Some(breaker) => given_breaker(breaker)?,
            None => own_breaker(options, BreakerConfig::default(), &timer, &rng)?,
        };
        let inner = InnerClient::read(runtime, keeper, self.inner, &[options], Answers::Objects, &timer)?;
        Core::with_hooks(inner, config, breaker, timer, rng, hooks).map_err(|error| options.refused(error))
    }
}
