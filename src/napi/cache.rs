//! `AnswerCache`: answers for the next time.

use std::future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Either, Env, JsValue, Result};

use super::arguments::{Argument, argument, config};
use super::client_config::given_token;
use super::clock::JsTimer;
use super::errors::{call_error, kind};
use super::executor::{JsPromise, Runtime};
use super::instance::{Instance, constructing};
use super::js::{Checked, Scope, Type, Value};
use super::json::exact_json;
use super::kept::{Keeper, Kept, Reference};
use super::records::{or_undefined, to_js};
use crate::cache::{
    self, CacheConfig, CacheKey, CachedFrom, FlightsConfig, Fresh, Meaning, ReadThrough, SimilarityConfig,
};
use crate::cancel;
use crate::classify::{CallError, ErrorClass};
use crate::client::internal::{Raced, race};
use crate::clock::{Clock, Timer};
use crate::log;

/// What a call gave or failed with, as the app's function gave it.
type Outcome = Rc<Kept>;

/// The core's cache, with the app's values.
type Calls = ReadThrough<Outcome, Outcome>;

/// Keeps answers, at most so many, so large, so long; the least recently used one leaves first. Equal requests at the
/// same time share one call. What one user asked may answer another one who shares the cache: keep one for each user, or
/// put the user into the request.
#[napi]
#[repr(transparent)]
pub struct AnswerCache {
    instance: Instance<Cached>,
}

struct Cached {
    cached: Rc<Calls>,
    timer: JsTimer,
    runtime: Rc<Runtime>,
    /// Of `embed`; held by each call in flight.
    keeper: Rc<Keeper>,
    embed: Option<Rc<Embed>>,
}

/// The app's own model of meaning.
struct Embed {
    function: Reference,
    timeout: Duration,
}

/// An answer, old or new.
#[napi(object, object_from_js = false)]
pub struct CachedAnswer {
    /// The answer.
    pub text: String,
    /// `'call'`: from this caller's own call; `'shared'`: from an equal request's call, which this caller waited for;
    /// `'stored'`: an equal request was answered before; `'similar'`: a question that means the same was.
    pub source: &'static str,
    /// Cosine of the two embeddings, for `'similar'`.
    pub similarity: Option<f64>,
    /// Whether it was accepted: only then is it stored.
    pub accepted: bool,
    /// What `call` gave, as it is: why an answer was not accepted stands there. For `'call'` and `'shared'`.
    #[napi(ts_type = "Object | string")]
    pub outcome: Option<Unknown<'static>>,
}

impl CachedAnswer {
    fn new(scope: Scope, answer: cache::CachedAnswer<Outcome>) -> Self {
        let (source, similarity) = match answer.from {
            CachedFrom::Call => ("call", None),
            CachedFrom::Shared => ("shared", None),
            CachedFrom::Stored => ("stored", None),
            CachedFrom::Similar { similarity } => ("similar", Some(similarity)),
        };
        let outcome = answer.outcome.map(|outcome| scope.unknown(outcome.value(scope)));
        Self { text: answer.text.as_ref().to_owned(), source, similarity, accepted: answer.accepted, outcome }
    }
}

/// What a cache has seen.
#[napi(object, object_from_js = false)]
pub struct CacheStats {
    /// Look-ups that found an answer.
    pub hits: f64,
    /// Look-ups that found none.
    pub misses: f64,
    /// Answers that had to leave for others.
    pub evicted: f64,
    /// Answers that outlived their time.
    pub expired: f64,
    /// Answers that it holds.
    pub entries: u32,
    /// Bytes of all answers and embeddings.
    pub bytes: f64,
}

#[napi]
impl AnswerCache {
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed.
    ///
    /// @param options limits, and how questions that mean the same are found; left out: the defaults
    #[napi(constructor, ts_args_type = "options?: AnswerCacheOptions")]
    pub fn new(env: Env, this: This, options: Unknown) -> Result<Self> {
        let scope = constructing::<Self>(env, &this)?;
        let runtime = Runtime::of(scope);
        let keeper = Keeper::new(&runtime, scope, this.raw());
        let options = config(scope, options, "options").options()?;
        let timer = JsTimer::read(&runtime, options)?;
        let mut settings = read_limits(options, ["maxEntries", "maxBytes", "ttlMs"])?;
        let similarity = options.field(c"similarity").optional(|given| read_similarity(given, &keeper))?;
        let (similarity, embed) = similarity.unzip();
        settings.similarity = similarity;
        let cached = cache::AnswerCache::with_clock(settings, timer.clock())
            .and_then(|cache| ReadThrough::new(Arc::new(cache), FlightsConfig::default()))
            .map_err(|error| options.refused(error))?;
        let (cached, embed) = (Rc::new(cached), embed.map(Rc::new));
        Ok(Self { instance: Instance::new(Cached { cached, timer, runtime, keeper, embed }) })
    }

    /// The answer to an equal request, else what `call` brings: once for all who ask the same at the same time.
    ///
    /// @param request all that the answer depends on: a text, or an object as JSON holds it (prompt, history, model,
    /// system prompt, temperature …). The order of an object's fields does not matter; left out is neither null nor 0. JSON
    /// knows nothing of what is in a Map, a Set or a Promise: not `{}`, which they are in JSON
    /// @param call makes the call: gives a text, or an object with `text` (or `result`) that is stored unless it is empty,
    /// `accepted` or `qualityCheckPassed` is false, or `status` is neither Ok nor one of HTTP from 200 to 299. So
    /// `() => client.execute(request)` and `() => agent.invoke(prompt)` do
    /// @param options the question for similar ones, cancelling, time limit
    /// @returns rejects with what `call` failed with, which all who waited get; with code `cancelled` or `timeout`; with
    /// INVALID_ARGUMENT for a wrong argument
    #[napi(
        ts_args_type = "request: string | Object, call: () => Promise<string | Object>, options?: CachedCallOptions",
        ts_return_type = "Promise<CachedAnswer>"
    )]
    pub fn get_or_call(&self, env: Env, request: Unknown, call: Unknown, options: Unknown) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let (request, call) = (argument(scope, request, "request"), argument(scope, call, "call"));
        let options = argument(scope, options, "options");
        Ok(scope.promise_of(|| Ok(this.start(scope, Asked::read(this, request, call, options)?))))
    }

    /// The stored answer to an equal request; undefined if there is none.
    /// Throws INVALID_ARGUMENT for what is no request.
    ///
    /// @param request as of `getOrCall`
    #[napi(ts_args_type = "request: string | Object", ts_return_type = "string | undefined")]
    pub fn get(&self, env: Env, request: Unknown) -> Result<Either<String, ()>> {
        let (this, key) = (self.instance.of(env)?, read_key(argument(Scope::of(env), request, "request"))?);
        Ok(or_undefined(this.cache().get(key).map(|answer| answer.as_ref().to_owned())))
    }

    /// Keeps an answer. You vouch for it: it is complete and was accepted.
    /// Throws INVALID_ARGUMENT for what is no request or no text.
    ///
    /// @param request as of `getOrCall`
    /// @returns false: it is larger than the whole cache, or nothing is kept at all
    #[napi(ts_args_type = "request: string | Object, answer: string")]
    pub fn set(&self, env: Env, request: Unknown, answer: Unknown) -> Result<bool> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let key = read_key(argument(scope, request, "request"))?;
        Ok(this.cache().insert_accepted(key, argument(scope, answer, "answer").any_string()?))
    }

    /// Forgets an answer.
    /// Throws INVALID_ARGUMENT for what is no request.
    ///
    /// @param request as of `getOrCall`
    /// @returns false: it was not there
    #[napi(ts_args_type = "request: string | Object")]
    pub fn remove(&self, env: Env, request: Unknown) -> Result<bool> {
        let (this, key) = (self.instance.of(env)?, read_key(argument(Scope::of(env), request, "request"))?);
        Ok(this.cache().remove(key))
    }

    /// Forgets all answers. The counts stay.
    #[napi]
    pub fn clear(&self, env: Env) -> Result<()> {
        self.instance.of(env)?.cache().clear();
        Ok(())
    }

    /// What it has seen, and what it holds.
    #[napi(getter)]
    pub fn stats(&self, env: Env) -> Result<CacheStats> {
        let cache = self.instance.of(env)?.cache();
        let (entries, bytes, stats) = (cache.len() as u32, cache.bytes() as f64, cache.stats());
        Ok(CacheStats {
            hits: stats.hits as f64,
            misses: stats.misses as f64,
            evicted: stats.evicted as f64,
            expired: stats.expired as f64,
            entries,
            bytes,
        })
    }
}

impl Cached {
    fn start(&self, scope: Scope, asked: Asked) -> Value {
        let hold = self.keeper.hold();
        let (cached, timer, runtime) = (self.cached.clone(), self.timer.clone(), self.runtime.clone());
        let embed = self.embed.clone();
        self.runtime.spawn(scope, async move {
            let _hold = hold;
            let until = timer.now() + asked.timeout;
            let cancel = asked.cancel.clone();
            let work = pin!(asked.answer(&cached, embed, &timer, &runtime));
            let raced = race(work, cancel.as_ref(), pin!(timer.sleep_until(until))).await;
            let scope = runtime.scope();
            let failed = |class, text: &str| Err(call_error(scope, &CallError::new(class, text), None));
            match raced {
                Raced::Done(Ok(answer)) => to_js(scope, CachedAnswer::new(scope, answer)),
                Raced::Done(Err(failure)) => Err(failure.value(scope)),
                Raced::Cancelled => failed(ErrorClass::Cancelled, "the call was cancelled"),
                Raced::TimedOut(()) => failed(ErrorClass::Timeout, "call() gave nothing in time"),
            }
        })
    }

    fn cache(&self) -> &cache::AnswerCache {
        self.cached.cache()
    }
}

/// One `getOrCall`.
struct Asked {
    key: CacheKey,
    call: Reference,
    /// For questions that mean the same: scope and words.
    question: Option<(CacheKey, String)>,
    cancel: Option<cancel::CancelToken>,
    timeout: Duration,
}

impl Asked {
    fn read(this: &Cached, request: Argument, call: Argument, options: Argument) -> Checked<Self> {
        let (key, options) = (read_key(request)?, options.options()?);
        let call = call.reference(&this.runtime)?;
        let scope = options.field(c"scope").optional(read_key)?.unwrap_or_else(|| CacheKey::of_text(""));
        let question = options.field(c"question").optional(|question| question.string(1 << 20))?;
        let timeout = options.field(c"timeoutMs").optional(|time| time.millis(1.0))?;
        Ok(Self {
            key,
            call,
            question: question.map(|question| (scope, question)),
            cancel: options.field(c"cancelToken").optional(given_token)?,
            timeout: timeout.unwrap_or(Duration::from_secs(120)),
        })
    }

    async fn answer(
        self,
        cached: &Calls,
        embed: Option<Rc<Embed>>,
        timer: &JsTimer,
        runtime: &Rc<Runtime>,
    ) -> std::result::Result<cache::CachedAnswer<Outcome>, Outcome> {
        let meaning = match (embed, self.question) {
            // What is stored under these very words is the better answer, and costs no embedding.
            (Some(embed), Some((scope, question))) if !cached.cache().contains(self.key) => {
                let embedding = embed.of(&question, timer, runtime).await;
                embedding.map(|embedding| Meaning { scope, embedding })
            }
            _ => None,
        };
        let call = async || {
            if self.cancel.as_ref().is_some_and(cancel::CancelToken::is_cancelled) {
                // Nothing is called any more: the race in `get_or_call` sees it next, and whoever waits leads.
                future::pending::<()>().await;
            }
            fresh(&self.call, runtime).await
        };
        cached.get_or_call(self.key, meaning, call).await
    }
}

/// Makes the app's call.
async fn fresh(call: &Reference, runtime: &Rc<Runtime>) -> std::result::Result<Fresh<Outcome>, Outcome> {
    let scope = runtime.scope();
    let own = runtime.clone();
    let settle = move |scope: Scope, settled: std::result::Result<Value, Value>| {
        let kept = |value| Rc::new(Kept::new(&own, scope, value));
        let (text, accepted, value) = settled.and_then(|value| read_fresh(scope, value)).map_err(kept)?;
        Ok(Fresh { text: text.into(), accepted, outcome: kept(value) })
    };
    JsPromise::called(runtime, scope, scope.call(scope.undefined(), call.value(scope), &[]), settle).await
}

/// Its text, whether it is accepted, and the outcome itself.
fn read_fresh(scope: Scope, value: Value) -> std::result::Result<(String, bool, Value), Value> {
    if let Some(text) = scope.as_string(value) {
        let accepted = !text.is_empty();
        return Ok((text, accepted, value));
    }
    let texts = [c"text", c"result"].into_iter().filter_map(|name| scope.as_string(scope.get(value, name)));
    let text = texts.into_iter().next().ok_or_else(|| {
        let got = format!("call() must give a string or {{ text: string }}, got {}", scope.type_of(value).name());
        call_error(scope, &CallError::new(ErrorClass::InvalidResponse, got), None)
    })?;
    let is_false = |name| scope.as_boolean(scope.get(value, name)) == Some(false);
    let status = scope.get(value, c"status");
    let is_ok = match scope.type_of(status) {
        Type::Undefined => true,
        Type::Number => scope.as_number(status).is_some_and(|status| (200.0..300.0).contains(&status)),
        _ => scope.as_string(status).is_some_and(|status| status == "ok"),
    };
    let accepted = is_ok && !text.is_empty() && !is_false(c"accepted") && !is_false(c"qualityCheckPassed");
    Ok((text, accepted, value))
}

impl Embed {
    /// `None`: it failed, which costs the look-up only.
    async fn of(&self, question: &str, timer: &JsTimer, runtime: &Rc<Runtime>) -> Option<Vec<f32>> {
        let scope = runtime.scope();
        let read = |scope: Scope, settled: std::result::Result<Value, Value>| {
            settled.map(|value| numbers(scope, value)).map_err(|error| format!("threw {}", kind(scope, error)))
        };
        let called = scope.call(scope.undefined(), self.function.value(scope), &[scope.string(question)]);
        let (work, until) = (pin!(JsPromise::called(runtime, scope, called, read)), timer.now() + self.timeout);
        let embedding = match race(work, None, pin!(timer.sleep_until(until))).await {
            Raced::Done(embedding) => embedding,
            Raced::Cancelled | Raced::TimedOut(()) => Err("it gave nothing in time".to_owned()),
        };
        embedding.inspect_err(|error| log::warn(format_args!("embed failed: {error}"))).ok()
    }
}

/// Numbers of an array, typed ones too; what is no number is NaN, which the cache refuses. No more than an embedding may
/// have, and one.
fn numbers(scope: Scope, list: Value) -> Vec<f32> {
    let is_list = scope.type_of(list) == Type::Object;
    let length = if is_list { scope.as_number(scope.get(list, c"length")).unwrap_or(0.0) } else { 0.0 };
    let number = |index| scope.as_number(scope.get_index(list, index)).unwrap_or(f64::NAN) as f32;
    scope.with_handles(|| (0..length.clamp(0.0, 8_193.0) as u32).map(number).collect())
}

/// The key of all that an answer depends on.
fn read_key(request: Argument) -> Checked<CacheKey> {
    let (scope, allowed) = (request.scope(), "a text or an object, of at most 4 MiB as JSON and not {}");
    match scope.type_of(request.value()) {
        Type::String => Ok(CacheKey::of_text(&request.string(4 << 20)?)),
        Type::Object => {
            // `{}` is what JSON makes of a Map, and of a promise that somebody forgot to await: all would be one request.
            let json = exact_json(scope, request.value(), 4 << 20).and_then(|json| match json {
                serde_json::Value::Object(fields) if fields.is_empty() => Err("an object that is {} as JSON"),
                json => Ok(json),
            });
            json.map(|json| CacheKey::of_request(&json)).map_err(|got| request.wrong_as(got, allowed))
        }
        _ => Err(request.wrong(allowed)),
    }
}

/// `CacheOptions` of a router.
pub fn read_cache_config(options: Argument) -> Checked<CacheConfig> {
    read_limits(options.options()?, ["cache.maxEntries", "cache.maxBytes", "cache.ttlMs"])
}

fn read_limits(options: Argument, names: [&'static str; 3]) -> Checked<CacheConfig> {
    let mut config = CacheConfig::default();
    let [max_entries, max_bytes, ttl] = names;
    let count = |most: u64| move |count: Argument| count.integer(0, most).map(|count| count as usize);
    options.field(c"maxEntries").named(max_entries).set(&mut config.max_entries, count(1_000_000))?;
    options.field(c"maxBytes").named(max_bytes).set(&mut config.max_bytes, count(1 << 30))?;
    options.field(c"ttlMs").named(ttl).set(&mut config.ttl, |time| time.millis(0.0))?;
    Ok(config)
}

fn read_similarity(options: Argument, keeper: &Rc<Keeper>) -> Checked<(SimilarityConfig, Embed)> {
    let options = options.options()?;
    let field = |name, full_name| options.field(name).named(full_name);
    let dimensions = field(c"dimensions", "similarity.dimensions").count(1..=8_192)?;
    let mut config = SimilarityConfig::new(dimensions as usize);
    field(c"threshold", "similarity.threshold").set(&mut config.threshold, Argument::share)?;
    let timeout = field(c"embedTimeoutMs", "similarity.embedTimeoutMs").optional(|time| time.millis(1.0))?;
    let function = field(c"embed", "similarity.embed").kept_reference(keeper)?;
    Ok((config, Embed { function, timeout: timeout.unwrap_or(Duration::from_secs(5)) }))
}
