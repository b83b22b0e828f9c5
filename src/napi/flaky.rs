//! `FlakyLlmClient` and `createFlakyLLMMock` of article 004.

use std::rc::Rc;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Env, JsValue, Result};

use super::arguments::{Argument, MAX_SAFE_INTEGER, config};
use super::clock::JsTimer;
use super::errors::call_error;
use super::executor::Runtime;
use super::instance::{self, Instance, constructing};
use super::js::{Checked, Scope, Value};
use super::mock::mock_error;
use crate::mock::{FlakyConfig, FlakyLlmClient as Core};

/// A stand-in for an LLM service that fails by chance and takes its time. With a seed it does the same each time.
#[napi]
#[repr(transparent)]
pub struct FlakyLlmClient {
    instance: Instance<Flaky>,
}

#[derive(Clone)]
pub struct Flaky {
    flaky: Rc<Core<JsTimer>>,
    runtime: Rc<Runtime>,
}

#[napi]
impl FlakyLlmClient {
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed.
    ///
    /// @param options how often it fails, with what, and how long it takes; left out: the article's figures
    #[napi(constructor, ts_args_type = "options?: FlakyOptions")]
    pub fn new(env: Env, this: This, options: Unknown) -> Result<Self> {
        let scope = constructing::<Self>(env, &this)?;
        let flaky = Flaky::read(&Runtime::of(scope), config(scope, options, "options"))?;
        Ok(Self { instance: Instance::new(flaky) })
    }

    /// Makes one call.
    ///
    /// @param request anything; it is not looked at
    #[napi(ts_args_type = "request: Object", ts_return_type = "Promise<ChatResponse>")]
    pub fn chat(&self, env: Env, _request: Unknown) -> Result<Unknown<'static>> {
        let this = self.instance.of(env)?.clone();
        Ok(this.spawn(Scope::of(env), |scope, text| {
            let response = scope.object();
            scope.set(response, c"text", scope.string(&text));
            response
        }))
    }

    /// Calls so far, failed ones included.
    #[napi(getter)]
    pub fn calls(&self, env: Env) -> Result<f64> {
        Ok(self.instance.of(env)?.flaky.calls() as f64)
    }
}

impl FlakyLlmClient {
    /// A new one for a config of the core, as a JS value. `None`: the engine refuses.
    pub fn make(scope: Scope, config: FlakyConfig, timer: JsTimer) -> Option<Value> {
        let flaky = Core::new(config, timer).ok().map(Rc::new)?;
        let instance = Instance::new(Flaky { flaky, runtime: Runtime::of(scope) });
        instance::make(scope, "FlakyLlmClient\0", Self { instance })
    }
}

impl Flaky {
    fn read(runtime: &Rc<Runtime>, options: Argument) -> Checked<Self> {
        let options = options.options()?;
        let mut config = FlakyConfig::default();
        options.field(c"failureRate").set(&mut config.failure_rate, |rate| rate.number(0.0..=1.0))?;
        options.field(c"latencyMs").set(&mut config.latency, |time| time.millis(0.0))?;
        options.field(c"latencySpreadMs").set(&mut config.latency_spread, |time| time.millis(0.0))?;
        config.seed = options.field(c"seed").optional(|seed| seed.integer(0, MAX_SAFE_INTEGER))?;
        config.reply = options.field(c"reply").optional(|reply| reply.string(1 << 20))?;
        if let Some(errors) = options.field(c"errors").given() {
            let status = |status: Argument| status.count(100..=999).map(|status| mock_error(status as u16, None, None));
            config.errors = errors.items()?.into_iter().map(status).collect::<Checked<_>>()?;
        }
        let flaky = Core::new(config, JsTimer::read(runtime, options)?).map_err(|error| options.refused(error))?;
        Ok(Self { flaky: Rc::new(flaky), runtime: runtime.clone() })
    }

    /// One call; `answer` makes of its text what the app gets.
    fn spawn(&self, scope: Scope, answer: impl FnOnce(Scope, String) -> Value + 'static) -> Unknown<'static> {
        let (flaky, runtime) = (self.flaky.clone(), self.runtime.clone());
        scope.unknown(self.runtime.spawn(scope, async move {
            let reply = flaky.reply().await;
            let scope = runtime.scope();
            reply.map(|text| answer(scope, text)).map_err(|error| call_error(scope, &error, None))
        }))
    }
}

/// The same as a function, as article 004 makes it: each call gives a text, or fails.
/// Throws INVALID_CONFIG naming the field, the value and what is allowed.
#[napi(
    js_name = "createFlakyLLMMock",
    ts_args_type = "options?: FlakyOptions",
    ts_return_type = "() => Promise<string>"
)]
pub fn create_flaky_llm_mock(env: Env, options: Unknown) -> Result<Unknown<'static>> {
    let scope = Scope::of(env);
    let flaky = Flaky::read(&Runtime::of(scope), config(scope, options, "options"))?;
    let call = move |context: napi_ohos::bindgen_prelude::FunctionCallContext| {
        Ok(flaky.spawn(Scope::of(*context.env), |scope, text| scope.string(&text)))
    };
    let function = env.create_function_from_closure::<(), Unknown, _>("flakyLLMMock", call)?;
    Ok(scope.unknown(function.raw()))
}
