//! `bareLlmCall` and `demoBadScenario` of article 004: what happens without any protection.

use std::rc::Rc;

use napi_derive_ohos::napi;
use napi_ohos::Env;
use napi_ohos::bindgen_prelude::Unknown;

use super::arguments::{Argument, argument};
use super::clock::JsTimer;
use super::executor::{JsPromise, Runtime};
use super::js::{Checked, Scope, Type, Value};
use super::kept::Reference;
use super::records::{measured_ms, to_js};
use crate::mock;

/// What `demoBadScenario` saw.
#[napi(object, object_from_js = false)]
pub struct BadScenario {
    /// Calls that gave an answer.
    pub success: u32,
    /// Calls that failed.
    pub failed: u32,
    /// How long all of them took, in milliseconds.
    pub total_time_ms: f64,
}

/// Calls `fn`, with nothing around it: no timeout, no retry, no breaker, no fallback. Layer 0 of article 004, to compare with.
/// Rejects with INVALID_ARGUMENT when `fn` is no function.
#[napi(ts_generic_types = "T", ts_args_type = "fn: () => Promise<T>", ts_return_type = "Promise<T>")]
pub fn bare_llm_call(env: Env, function: Unknown) -> Unknown<'static> {
    let scope = Scope::of(env);
    let runtime = Runtime::of(scope);
    scope.promise_of(|| {
        let function = argument(scope, function, "fn").function()?;
        let value = runtime.enter(|scope| scope.call(scope.undefined(), function, &[]))??;
        if scope.is_promise(value) {
            return Ok(value);
        }
        let (deferred, promise) = scope.promise();
        scope.resolve(deferred, value);
        Ok(promise)
    })
}

/// The same as `bareLlmCall`, as article 004 spells it.
/// Rejects with INVALID_ARGUMENT when `fn` is no function.
#[napi(
    js_name = "bareLLMCall",
    ts_generic_types = "T",
    ts_args_type = "fn: () => Promise<T>",
    ts_return_type = "Promise<T>"
)]
pub fn bare_llm_call_of_the_article(env: Env, function: Unknown) -> Unknown<'static> {
    bare_llm_call(env, function)
}

/// Makes many calls at once with nothing around them, and counts (layer 0 of article 004).
/// Rejects with INVALID_ARGUMENT naming the field, the value and what is allowed.
///
/// @param client an object with `chat`, or a function that makes one call
/// @param concurrency how many calls, 1 to 1000; default 20
/// @param clock a clock that moves by hand, for tests
#[napi(
    ts_args_type = "client: LlmClient | (() => Promise<Object | string>), concurrency?: number, clock?: ManualClock",
    ts_return_type = "Promise<BadScenario>"
)]
pub fn demo_bad_scenario(env: Env, client: Unknown, concurrency: Unknown, clock: Unknown) -> Unknown<'static> {
    let scope = Scope::of(env);
    let runtime = Runtime::of(scope);
    scope.promise_of(|| {
        let caller = Caller::read(&runtime, argument(scope, client, "client"))?;
        let concurrency = argument(scope, concurrency, "concurrency").optional(|count| count.count(1..=1_000))?;
        let timer = argument(scope, clock, "clock").optional(JsTimer::given)?;
        let own = runtime.clone();
        Ok(runtime.spawn(scope, async move {
            let timer = timer.unwrap_or_else(|| JsTimer::System(own.clone()));
            let seen = mock::demo_bad_scenario(|| caller.call(), concurrency.unwrap_or(20), &timer).await;
            let mock::BadScenario { success, failed, total_time } = seen;
            to_js(own.scope(), BadScenario { success, failed, total_time_ms: measured_ms(total_time) })
        }))
    })
}

/// Makes one call of the app's client.
struct Caller {
    runtime: Rc<Runtime>,
    /// What `chat` is a method of; none for a function.
    client: Option<Reference>,
    function: Reference,
}

impl Caller {
    fn read(runtime: &Rc<Runtime>, client: Argument) -> Checked<Self> {
        let (scope, value) = (client.scope(), client.value());
        let wrong = || client.wrong("a function, or an object with a method chat");
        let (client, function) = match scope.type_of(value) {
            Type::Function => (None, Some(value)),
            _ => (Reference::new(runtime, scope, value), client.method(c"chat")),
        };
        let function = function.and_then(|function| Reference::new(runtime, scope, function)).ok_or_else(wrong)?;
        Ok(Self { runtime: runtime.clone(), client, function })
    }

    fn call(&self) -> JsPromise<std::result::Result<(), ()>> {
        let scope = self.runtime.scope();
        let this = self.client.as_ref().map_or_else(|| scope.undefined(), |client| client.value(scope));
        let request = scope.object();
        scope.set(request, c"prompt", scope.string("你好"));
        let count = |_: Scope, settled: std::result::Result<Value, Value>| settled.map(drop).map_err(drop);
        let called = scope.call(this, self.function.value(scope), &[request]);
        JsPromise::called(&self.runtime, scope, called, count)
    }
}
