//! `ResilientAgent` and `cascadedModelCall` of article 004.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Env, JsValue, Result};

use super::agent_records::{AgentAnswer, AgentStats};
use super::arguments::{Argument, argument, config};
use super::bulkhead;
use super::client_config::{call_options, read_client_config, read_rng};
use super::client_handle::ClientHandle;
use super::clock::JsTimer;
use super::create_breaker;
use super::executor::Runtime;
use super::hooks::JsHooks;
use super::inner_client::{InnerClient, Keep, Request};
use super::instance::{self, Instance, constructing};
use super::js::{Checked, Scope, Value};
use super::kept::{Keeper, Kept};
use super::models::{JsQualityCheck, read_models};
use super::named::read_name;
use super::records::to_js;
use super::router::{given_router, read_prompt, read_tier};
use super::snapshot::{Saved, wall_clock};
use crate::cascade::{BelowThreshold, CascadeConfig};
use crate::client::ClientConfig;
use crate::gateway::{self, AgentConfig, InvokeOptions};
use crate::retry::RetryConfig;
use crate::router::ModelRouter;

type Core = gateway::ResilientAgent<InnerClient, JsTimer, JsQualityCheck, JsHooks>;

/// Answers prompts with whatever works: a stored answer, a model, another model, a text that says what happened.
#[napi]
#[repr(transparent)]
pub struct ResilientAgent {
    instance: Instance<ClientHandle<Core>>,
}

#[napi]
impl ResilientAgent {
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed.
    ///
    /// @param options the models, and how they are asked; `models`, `client` or `mockMode` must be there
    #[napi(constructor, ts_args_type = "options: AgentOptions")]
    pub fn new(env: Env, this: This, options: Unknown) -> Result<Self> {
        let scope = constructing::<Self>(env, &this)?;
        let agent =
            make(scope, this.raw(), config(scope, options, "options").given_options()?, ClientConfig::default())?;
        Ok(Self { instance: Instance::new(agent) })
    }

    /// Answers a prompt. Never rejects but for a wrong argument, with INVALID_ARGUMENT naming the field, the value and what
    /// is allowed: look at `source` and `qualityCheckPassed`.
    ///
    /// @param prompt at most 1 MiB; the models' clients get it in a `ModelRequest`
    /// @param options tier, data, cancelling, deadline and identity of this call
    #[napi(ts_args_type = "prompt: string, options?: InvokeOptions", ts_return_type = "Promise<AgentAnswer>")]
    pub fn invoke(&self, env: Env, prompt: Unknown, options: Unknown) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let (prompt, options) = (argument(scope, prompt, "prompt"), argument(scope, options, "options"));
        Ok(scope.promise_of(|| Ok(Prompt::read(&this.runtime, prompt, options)?.invoke(scope, this))))
    }

    /// As `invoke`, with the answer piece by piece. Before the first text a failure leads to a cheaper model; after it the
    /// call ends with status Partial. What is read along can't be checked first: a bad answer leads to no stronger model,
    /// but `qualityCheckPassed` says what it is. Equal prompts share no call.
    ///
    /// @param prompt at most 1 MiB; the models' clients get it in a `ModelRequest`
    /// @param onText gets each piece as it comes; as long as a promise that it gives is pending, the next one waits
    /// @param options tier, data, cancelling, deadline and identity of this call
    #[napi(
        ts_args_type = "prompt: string, onText: (text: string) => void | Promise<void>, options?: InvokeOptions",
        ts_return_type = "Promise<AgentAnswer>"
    )]
    pub fn chat_stream(
        &self,
        env: Env,
        prompt: Unknown,
        on_text: Unknown,
        options: Unknown,
    ) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let (prompt, options) = (argument(scope, prompt, "prompt"), argument(scope, options, "options"));
        Ok(scope.promise_of(|| {
            let Prompt { prompt, request, options } = Prompt::read(&this.runtime, prompt, options)?;
            let sink = this.sink(argument(scope, on_text, "onText"))?;
            Ok(this.start(scope, |agent, runtime| async move {
                let answer = agent.chat_stream(&prompt, &request, options, &sink).await;
                to_js(runtime.scope(), AgentAnswer::from(answer))
            }))
        }))
    }

    /// What it has done.
    #[napi]
    pub fn get_stats(&self, env: Env) -> Result<AgentStats> {
        Ok(self.instance.of(env)?.with(Core::stats)?.into())
    }

    /// Sets the counts of calls to 0. What breakers and bulkheads have seen stays.
    #[napi]
    pub fn reset_stats(&self, env: Env) -> Result<()> {
        Ok(self.instance.of(env)?.with(Core::reset_stats)?)
    }

    /// Ends all calls, as if each had been cancelled, and every later one at once.
    #[napi]
    pub fn shutdown(&self, env: Env) -> Result<()> {
        Ok(self.instance.of(env)?.with(Core::shutdown)?)
    }

    /// What the breakers and the retry budgets of its models have learned, as a text to keep over the end of the app and to
    /// give to `restore()` after it: see `CircuitBreaker.snapshot()`. Stored answers are not in it.
    /// Throws INVALID_ARGUMENT unless `nowUnixMs` is a whole number from 0 to 2^53 - 1.
    ///
    /// @param nowUnixMs the wall clock in milliseconds since 1970, for tests; default: the device's
    #[napi(ts_args_type = "nowUnixMs?: number")]
    pub fn snapshot(&self, env: Env, now_unix_ms: Unknown) -> Result<String> {
        let this = self.instance.of(env)?;
        let now = wall_clock(env, now_unix_ms)?;
        Ok(this.with(|agent| agent.snapshot(now))?)
    }

    /// Goes on where `snapshot()` was called, as if there had been no call since: see `CircuitBreaker.restore()`. Models are
    /// known by their names: one that the snapshot has not stays as it is.
    /// Throws INVALID_ARGUMENT with `field` `'snapshot'`, or the field in it that is wrong, for a text that is none of its
    /// snapshots or is damaged: then all models are as they were.
    ///
    /// @param snapshot the text
    /// @param nowUnixMs the wall clock in milliseconds since 1970, for tests; default: the device's
    #[napi(ts_args_type = "snapshot: string, nowUnixMs?: number")]
    pub fn restore(&self, env: Env, snapshot: Unknown, now_unix_ms: Unknown) -> Result<()> {
        let this = self.instance.of(env)?;
        let saved = Saved::read(env, snapshot, now_unix_ms)?;
        Ok(this.with(|agent| saved.restore(|text, now| agent.restore(text, now)))??)
    }

    /// How often `onRetry` or `onText` threw.
    #[napi(getter)]
    pub fn listener_errors(&self, env: Env) -> Result<f64> {
        Ok(self.instance.of(env)?.listener_errors())
    }
}

/// The same as `new ResilientAgent(options)`, as article 004 makes it.
/// Throws INVALID_CONFIG naming the field, the value and what is allowed.
#[napi(ts_args_type = "options: AgentOptions", ts_return_type = "ResilientAgent")]
pub fn create_resilient_agent(env: Env, options: Unknown) -> Result<Unknown<'static>> {
    let scope = Scope::of(env);
    Ok(scope.unknown(instance::construct(scope, "ResilientAgent\0", &[options.raw()])?))
}

/// One prompt, on its way through the models: an error leads to a cheaper one, a bad answer to a stronger one, each is
/// asked at most once, and when none is left a text says so. It keeps nothing from one call to the next but what `router`
/// stores: breakers that remember are those of a `ResilientAgent`.
/// Never rejects but for a wrong argument, with INVALID_CONFIG naming the field, the value and what is allowed.
///
/// @param options the prompt, the models, and how they are asked
#[napi(ts_args_type = "options: CascadedCallOptions", ts_return_type = "Promise<AgentAnswer>")]
pub fn cascaded_model_call(env: Env, options: Unknown) -> Unknown<'static> {
    let scope = Scope::of(env);
    scope.promise_of(|| {
        let options = config(scope, options, "options").given_options()?;
        let mut prompt = Prompt::read(&Runtime::of(scope), options.field(c"prompt"), options)?;
        prompt.options.tier = options.field(c"startingTier").optional(read_tier)?;
        let retry = RetryConfig { max_retries: 0, ..RetryConfig::default() };
        let agent = make(scope, scope.object(), options, ClientConfig { retry, ..ClientConfig::default() })?;
        Ok(prompt.invoke(scope, &agent))
    })
}

/// What one call was given.
struct Prompt {
    prompt: String,
    request: Request,
    options: InvokeOptions,
}

impl Prompt {
    fn read(runtime: &Rc<Runtime>, prompt: Argument, options: Argument) -> Checked<Self> {
        let text = read_prompt(prompt)?;
        let call = call_options(options)?;
        let data = options.field(c"data").given().map(|data| Kept::new(runtime, data.scope(), data.value()));
        let no_store = options.field(c"noStore").optional(Argument::boolean)?.unwrap_or(false) || data.is_some();
        let tier = options.field(c"tier").optional(read_tier)?;
        let request = Request::new(runtime, prompt.scope(), prompt.value(), Keep::OnlyText).with_data(data);
        Ok(Self { prompt: text, request, options: InvokeOptions { tier, no_store, call } })
    }

    fn invoke(self, scope: Scope, agent: &ClientHandle<Core>) -> Value {
        agent.start(scope, |agent, runtime| async move {
            let answer = agent.invoke(&self.prompt, &self.request, self.options).await;
            to_js(runtime.scope(), AgentAnswer::from(answer))
        })
    }
}

fn make(scope: Scope, instance: Value, options: Argument, defaults: ClientConfig) -> Checked<ClientHandle<Core>> {
    ClientHandle::new(scope, instance, |runtime, keeper, listener_errors| {
        read_agent(runtime, keeper, options, defaults, listener_errors)
    })
}

fn read_agent(
    runtime: &Rc<Runtime>,
    keeper: &Rc<Keeper>,
    options: Argument,
    defaults: ClientConfig,
    listener_errors: Arc<AtomicU64>,
) -> Checked<Core> {
    let calls = options.field(c"config").options()?;
    let timer = JsTimer::read(runtime, calls)?;
    let rng = read_rng(keeper, calls)?;
    let of_the_article = options.field(c"bulkheadName");
    if of_the_article.given().is_some() {
        return Err(of_the_article.wrong("nothing: bulkheads.standard has the limits of standard calls"));
    }
    let name = options.field(c"name").optional(read_agent_name)?;
    let mut config = AgentConfig { name, ..AgentConfig::default() };
    if config.name.is_some() && calls.field(c"clock").given().is_some() {
        return Err(options
            .field(c"name")
            .wrong("no name beside config.clock: what all threads share is on the device's"));
    }
    let router = match options.field(c"router").given() {
        Some(router) => given_router(router)?,
        None => {
            let router = ModelRouter::with_clock(config.router.clone(), timer.clock());
            Arc::new(router.map_err(|error| options.refused(error))?)
        }
    };
    config.cascade = read_cascade(options, read_client_config(calls, defaults)?)?;
    if let Some(breaker) = options.field(c"breakerOptions").given() {
        config.breaker = create_breaker::read_config(breaker.options()?)?;
        let attempt_timeout = &mut config.cascade.client.retry.attempt_timeout;
        breaker.field(c"timeout").set(attempt_timeout, |time| time.millis(1.0))?;
    }
    let bulkheads = options.field(c"bulkheads").options()?;
    let tiers = [c"premium", c"standard", c"economy"].into_iter().zip(bulkhead::TIER_NAMES);
    for ((tier, names), limits) in tiers.zip(&mut config.bulkheads) {
        *limits = bulkhead::read_config(bulkheads.field(tier).options()?, names, *limits)?;
    }
    options.field(c"storeAnswers").set(&mut config.store_answers, Argument::boolean)?;
    let models = read_models(runtime, keeper, options, calls, &timer, &router)?;
    config.shared_router = Some(router);
    let check = JsQualityCheck::read(runtime, keeper, options)?;
    let (fallback, on_retry) = (options.field(c"fallback"), options.field(c"onRetry"));
    let text = &mut config.cascade.client.fallback;
    let hooks = JsHooks::read(runtime, keeper, fallback, on_retry, Vec::new(), text, listener_errors)?;
    let clock = timer.clock();
    Core::with_hooks(models, config, check, timer, clock, rng, hooks).map_err(|error| options.refused(error))
}

/// Room for the tier is left.
fn read_agent_name(name: Argument) -> Checked<String> {
    let text = read_name(name)?;
    if text.chars().count() <= 80 { Ok(text) } else { Err(name.wrong("a string of 1 to 80 characters")) }
}

fn read_cascade(options: Argument, client: ClientConfig) -> Checked<CascadeConfig> {
    let mut cascade = CascadeConfig { client, ..CascadeConfig::default() };
    let retries = &mut cascade.client.retry.max_retries;
    options.field(c"maxRetries").set(retries, |retries| retries.count(RetryConfig::MAX_RETRIES))?;
    options.field(c"threshold").set(&mut cascade.threshold, |score| score.number(0.0..=1.0))?;
    let words = [("best", BelowThreshold::Best), ("fallback", BelowThreshold::Fallback)];
    options.field(c"belowThreshold").set(&mut cascade.below_threshold, |word| word.one_of(&words))?;
    options.field(c"maxModels").set(&mut cascade.max_models, |models| models.count(1..=3))?;
    options.field(c"strongerAfterError").set(&mut cascade.stronger_after_error, Argument::boolean)?;
    if options.field(c"enableDegradation").optional(Argument::boolean)? == Some(false) {
        cascade.max_models = 1;
    }
    Ok(cascade)
}
