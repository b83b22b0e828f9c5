//! `TraceLog`: what an observation panel shows.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Env, JsValue, Result};

use super::arguments::{Argument, MAX_SAFE_INTEGER, argument, config};
use super::clock::unix_ms;
use super::errors::kind;
use super::executor::Runtime;
use super::instance::{Instance, constructing};
use super::js::{Checked, Scope, Value};
use super::kept::{Keeper, Reference};
use super::records::to_js;
use super::retry_trace::RetryTrace;
use crate::log;
use crate::millis::millis;
use crate::request::{self, MAX_URL_BYTES, RetryOutcome};

type Core = request::TraceLog<Reference>;

/// The latest traces, for an observation panel; in memory only. What is added is kept as it is.
#[napi]
#[repr(transparent)]
pub struct TraceLog {
    instance: Instance<Rc<Log>>,
}

struct Log {
    log: Core,
    runtime: Rc<Runtime>,
    /// Of traces and listeners.
    keeper: Rc<Keeper>,
    listener_errors: Arc<AtomicU64>,
}

impl Log {
    fn add(&self, scope: Scope, trace: Value) -> Checked<()> {
        let kept = self.keeper.keep(scope, trace);
        self.runtime.enter(|_| kept.into_iter().for_each(|trace| self.log.add(trace)))
    }
}

/// A log that a request was given, kept as long as that runs.
pub struct GivenLog {
    log: Rc<Log>,
    _object: Reference,
}

impl GivenLog {
    pub fn read(runtime: &Rc<Runtime>, log: Argument) -> Checked<Self> {
        let instance = log.instance::<TraceLog>()?.and_then(|log| log.instance.content());
        let object = Reference::new(runtime, log.scope(), log.value());
        let given = instance.zip(object).map(|(log, object)| Self { log: log.clone(), _object: object });
        given.ok_or_else(|| log.wrong("an instance of TraceLog"))
    }

    /// What may go wrong with it costs the request nothing.
    pub fn add(&self, scope: Scope, trace: Value) {
        _ = self.log.add(scope, trace);
    }
}

#[napi]
impl TraceLog {
    /// Throws INVALID_CONFIG unless `limit` is in its range.
    ///
    /// @param limit the most traces that are kept, 1 to 10 000: a new one takes the place of the oldest; default 200
    #[napi(constructor, ts_args_type = "limit?: number")]
    pub fn new(env: Env, this: This, limit: Unknown) -> Result<Self> {
        let scope = constructing::<Self>(env, &this)?;
        let limit = config(scope, limit, "limit");
        let range = Core::LIMIT;
        let given = limit.optional(|limit| limit.integer(*range.start() as u64, *range.end() as u64))?;
        let log = given.map_or_else(|| Ok(Core::new()), |given| Core::with_limit(given as usize));
        let log = log.map_err(|error| limit.refused(error))?;
        let runtime = Runtime::of(scope);
        let keeper = Keeper::new(&runtime, scope, this.raw());
        let log = Log { log, runtime, keeper, listener_errors: Arc::default() };
        Ok(Self { instance: Instance::new(Rc::new(log)) })
    }

    /// Adds a trace of the app's own. `requestWithRetry` adds its own where the log is among its options.
    /// Throws INVALID_ARGUMENT unless `url`, `attempts`, `delays` and `finalStatus` are what a trace has there.
    #[napi(ts_args_type = "trace: RetryTrace")]
    pub fn add(&self, env: Env, trace: Unknown) -> Result<()> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let trace = argument(scope, trace, "trace").given_options()?;
        trace.field(c"url").string(MAX_URL_BYTES)?;
        trace.field(c"attempts").integer(0, MAX_SAFE_INTEGER)?;
        let delays = trace.field(c"delays");
        let delays = delays.given().ok_or_else(|| delays.wrong("an array"))?.items()?;
        delays.into_iter().try_for_each(|delay| delay.millis(0.0).map(|_| ()))?;
        trace.field(c"finalStatus").integer(0, 999)?;
        Ok(this.add(scope, trace.value())?)
    }

    /// Adds a call of a `ResilientLlmClient` or `ResilientLlmRunner`, as a trace.
    /// Throws INVALID_ARGUMENT unless `outcome` is the record of a call.
    ///
    /// @param outcome what `execute`, `call` or `chatStream` gave
    /// @param url what the trace calls it, at most 2048 bytes
    #[napi(ts_args_type = "outcome: CallOutcome, url: string")]
    pub fn add_outcome(&self, env: Env, outcome: Unknown, url: Unknown) -> Result<()> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let outcome = argument(scope, outcome, "outcome").given_options()?;
        let url = argument(scope, url, "url").string(MAX_URL_BYTES)?;
        Ok(this.add(scope, trace_of(outcome, url)?)?)
    }

    /// All that are kept, the oldest first, in an array of its own each time.
    #[napi(ts_return_type = "Array<RetryTrace>")]
    pub fn all(&self, env: Env) -> Result<Vec<Unknown<'static>>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        Ok(this.log.all().iter().map(|trace| scope.unknown(trace.value(scope))).collect())
    }

    /// Forgets all traces.
    #[napi]
    pub fn clear(&self, env: Env) -> Result<()> {
        let this = self.instance.of(env)?;
        Ok(this.runtime.enter(|_| this.log.clear())?)
    }

    /// Calls `listener` after each change, with the trace that was added; with undefined when all were forgotten. What
    /// it throws costs nobody anything; what it changes in the log is told to nobody.
    /// Throws INVALID_ARGUMENT when `listener` is no function.
    ///
    /// @returns a number for `offChange`
    #[napi(ts_args_type = "listener: (trace?: RetryTrace) => void")]
    pub fn on_change(&self, env: Env, listener: Unknown) -> Result<f64> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let function = argument(scope, listener, "listener").kept_function(&this.keeper)?;
        let errors = this.listener_errors.clone();
        let id = this.log.subscribe(move |added| {
            let errors = errors.clone();
            let failed = move |scope: Scope, thrown| {
                errors.fetch_add(1, Ordering::Relaxed);
                log::warn(format_args!("onChange failed: {}", kind(scope, thrown)));
            };
            function.tell(|scope| Ok(added.map_or_else(|| scope.undefined(), |trace| trace.value(scope))), failed);
        });
        Ok(id as f64)
    }

    /// Forgets a listener.
    /// Throws INVALID_ARGUMENT when `id` is no whole number.
    ///
    /// @returns false when there is none of that number
    #[napi(ts_args_type = "id: number")]
    pub fn off_change(&self, env: Env, id: Unknown) -> Result<bool> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let id = argument(scope, id, "id").integer(0, MAX_SAFE_INTEGER)?;
        Ok(this.log.unsubscribe(id))
    }

    /// How often a listener threw.
    #[napi(getter)]
    pub fn listener_errors(&self, env: Env) -> Result<f64> {
        Ok(self.instance.of(env)?.listener_errors.load(Ordering::Relaxed) as f64)
    }
}

/// The record of a call, as a trace.
fn trace_of(outcome: Argument, url: String) -> Checked<Value> {
    let scope = outcome.scope();
    let ended = outcome.field(c"status").one_of(&[
        ("ok", RetryOutcome::Success),
        ("error", RetryOutcome::Final),
        ("fallback", RetryOutcome::GivenUp),
        ("partial", RetryOutcome::GivenUp),
        ("cancelled", RetryOutcome::Cancelled),
    ])?;
    let elapsed = outcome.field(c"elapsedMs").millis(0.0)?;
    let calls = outcome.field(c"trace");
    let requests = calls.given().ok_or_else(|| calls.wrong("an array"))?.items()?;
    let number = |request: &Argument, name| scope.as_number(scope.get(request.value(), name));
    let delays: Vec<f64> = requests.iter().filter_map(|request| number(request, c"delayMs")).collect();
    let status = requests.last().and_then(|request| number(request, c"status"));
    let trace = RetryTrace {
        url,
        attempts: delays.len() as u32,
        delays,
        final_status: status.unwrap_or(0.0) as u32,
        outcome: Some(ended.into()),
        stop_reason: None,
        started_at_ms: Some(unix_ms().saturating_sub(elapsed.as_millis() as u64) as f64),
        duration_ms: Some(millis(elapsed)),
        request_id: None,
        requests: None,
    };
    let trace = to_js(scope, trace).map_err(|error| scope.thrown(error))?;
    scope.set(trace, c"stopReason", outcome.field(c"stopReason").value());
    scope.set(trace, c"requestId", outcome.field(c"requestId").value());
    scope.set(trace, c"requests", calls.value());
    Ok(trace)
}
