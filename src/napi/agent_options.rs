//! Option bags of article 004's classes as ArkTS declares them. Only for `index.d.ts`, as in `options.rs`.
#![allow(dead_code)]

use napi_derive_ohos::napi;

use super::options::ResilienceConfig;
use super::router::ModelTier;

/// Settings of a `FlakyLlmClient`.
#[napi(object, object_to_js = false)]
pub struct FlakyOptions {
    /// Share of calls that fail. 0 to 1; default 0.3.
    pub failure_rate: Option<f64>,
    /// The least time that a call takes, in milliseconds. 0 to 365 days; default 100.
    pub latency_ms: Option<f64>,
    /// The most that chance adds to it, in milliseconds. 0 to 365 days; default 50.
    pub latency_spread_ms: Option<f64>,
    /// The same seed gives the same calls. 0 to 2^53 − 1; default: another one each time.
    pub seed: Option<f64>,
    /// What it answers; default a sentence with the number of the call.
    pub reply: Option<String>,
    /// HTTP statuses that it fails with, each as often as the others: 1 to 100 of them, each 100 to 999. Default: 429, a
    /// timeout, 503 and a reset.
    pub errors: Option<Vec<f64>>,
    /// A clock that moves by hand, for tests.
    #[napi(ts_type = "ManualClock")]
    pub clock: Option<f64>,
}

/// Limits of stored answers. 0 in one of them: nothing is kept.
#[napi(object, object_to_js = false)]
pub struct CacheOptions {
    /// Most answers. 0 to 1 000 000; default 1000.
    pub max_entries: Option<f64>,
    /// Most bytes of all answers together, in UTF-8. 0 to 2^30; default 4 194 304.
    pub max_bytes: Option<f64>,
    /// How long an answer is kept, in milliseconds. 0 to 365 days; default 1 800 000.
    pub ttl_ms: Option<f64>,
}

/// Settings of an `AnswerCache`.
#[napi(object, object_to_js = false)]
pub struct AnswerCacheOptions {
    /// Most answers. 0 to 1 000 000; default 1000.
    pub max_entries: Option<f64>,
    /// Most bytes of all answers together, in UTF-8; an embedding counts 4 bytes a number. 0 to 2^30; default 4 194 304.
    pub max_bytes: Option<f64>,
    /// How long an answer is kept, in milliseconds. 0 to 365 days; default 1 800 000.
    pub ttl_ms: Option<f64>,
    /// Also find answers to questions that mean the same. Default: no.
    #[napi(ts_type = "SimilarityOptions")]
    pub similarity: Option<SimilarityOptions>,
    /// A clock that moves by hand, for tests.
    #[napi(ts_type = "ManualClock")]
    pub clock: Option<f64>,
}

/// How questions that mean the same are found: by embeddings that your own model makes.
#[napi(object, object_to_js = false)]
pub struct SimilarityOptions {
    /// Gives the embedding of a question: `dimensions` numbers. When it fails there is no such look-up, but the call is
    /// made.
    #[napi(ts_type = "(question: string) => Promise<number[]>")]
    pub embed: f64,
    /// Numbers of an embedding. 1 to 8192.
    pub dimensions: f64,
    /// Least cosine of two questions that share an answer. Above 0, up to 1; default 0.95. Lower finds more answers, and
    /// more that belong to another question.
    pub threshold: Option<f64>,
    /// Longest time for an embedding, in milliseconds. 1 to 365 days; default 5000.
    pub embed_timeout_ms: Option<f64>,
}

/// Settings of one `getOrCall`.
#[napi(object, object_to_js = false)]
pub struct CachedCallOptions {
    /// The question alone, for a cache that finds similar ones; left out: only equal requests are found.
    pub question: Option<String>,
    /// All but the question that the answer depends on (model, system prompt, user …): only questions of the same scope
    /// share an answer.
    #[napi(ts_type = "string | Object")]
    pub scope: Option<f64>,
    /// Ends the wait of this caller; who waits for the same call goes on.
    #[napi(ts_type = "CancelToken")]
    pub cancel_token: Option<f64>,
    /// Longest time for this caller, in milliseconds. 1 to 365 days; default 120 000.
    pub timeout_ms: Option<f64>,
}

/// Names of the models.
#[napi(object, object_to_js = false)]
pub struct ModelNames {
    /// 1 to 200 bytes; default `'gpt-4o'`.
    pub premium: Option<String>,
    /// 1 to 200 bytes; default `'gpt-4o-mini'`.
    pub standard: Option<String>,
    /// 1 to 200 bytes; default `'deepseek-chat'`.
    pub economy: Option<String>,
}

/// US dollars for 1000 tokens, mean of input and output.
#[napi(object, object_to_js = false)]
pub struct ModelCosts {
    /// 0 to 1000; default 0.03.
    pub premium: Option<f64>,
    /// 0 to 1000; default 0.0015.
    pub standard: Option<f64>,
    /// 0 to 1000; default 0.0007.
    pub economy: Option<f64>,
}

/// An answer that is known in advance.
#[napi(object, object_to_js = false)]
pub struct PresetAnswer {
    /// The question. Also answers one that differs in case, white space and sentence marks. 1 to 1000 bytes.
    pub question: String,
    /// The answer; may be empty.
    pub answer: String,
}

/// Settings of a `ModelRouter`.
#[napi(object, object_to_js = false)]
pub struct RouterOptions {
    /// Words of greetings and common questions. At most 1000, of 1 to 100 bytes; default: article 004's.
    pub simple_words: Option<Vec<String>>,
    /// Words of questions that need a strong model. At most 1000, of 1 to 100 bytes; default: article 004's.
    pub complex_words: Option<Vec<String>>,
    /// Where in a prompt a word is found: `'whole'`, as a word of its own, in writing without spaces anywhere (default);
    /// or `'anywhere'` (article 004: "hi" is in "this").
    pub word_match: Option<String>,
    /// Simple words count in prompts of fewer characters than this. 0 (never) to 10 000; default 20.
    pub short_query_chars: Option<f64>,
    /// Names of the models.
    #[napi(ts_type = "ModelNames")]
    pub models: Option<ModelNames>,
    /// What they cost.
    #[napi(ts_type = "ModelCosts")]
    pub costs: Option<ModelCosts>,
    /// Answers known in advance, at most 1000. They never expire; default: to two greetings, thanks, and "who are you".
    #[napi(ts_type = "PresetAnswer[]")]
    pub preset_answers: Option<Vec<PresetAnswer>>,
    /// Which prompts share a stored answer: `'exact'`, letter by letter (default); `'wording'`, whatever case, white space
    /// and sentence marks; `'letters_and_digits'` (article 004), which takes "5+3" for "5-3".
    pub normalization: Option<String>,
    /// Compare only so many first characters of prompts (article 004: 100): long prompts that begin alike then share an
    /// answer. 1 to 1 000 000; default: compare all.
    pub key_chars: Option<f64>,
    /// Limits of the stored answers.
    #[napi(ts_type = "CacheOptions")]
    pub cache: Option<CacheOptions>,
    /// A clock that moves by hand, for tests.
    #[napi(ts_type = "ManualClock")]
    pub clock: Option<f64>,
}

/// What the client of one of several models is asked with.
#[napi(object, object_from_js = false)]
pub struct ModelRequest {
    /// The prompt.
    pub prompt: String,
    /// The model's name.
    pub model: String,
    /// What the call was given as `data`.
    #[napi(ts_type = "Object")]
    pub data: Option<f64>,
}

/// Clients of the models, one for each tier; each is asked with a `ModelRequest`. One that has `provider` or `passContext`,
/// as of `LlmProvider`, is asked as these say.
#[napi(object, object_to_js = false)]
pub struct TierClients {
    /// For Premium.
    #[napi(ts_type = "LlmClient | StreamingLlmClient")]
    pub premium: f64,
    /// For Standard.
    #[napi(ts_type = "LlmClient | StreamingLlmClient")]
    pub standard: f64,
    /// For Economy.
    #[napi(ts_type = "LlmClient | StreamingLlmClient")]
    pub economy: f64,
}

/// Breakers of an agent's models, by the names of opossum that article 004 uses.
#[napi(object, object_to_js = false)]
pub struct AgentBreakerOptions {
    /// Longest time for one attempt in milliseconds. 1 to 365 days; default `config.attemptTimeoutMs`.
    pub timeout: Option<f64>,
    /// Share of failed attempts in the window that opens it, in percent. Above 0, up to 100; default 50.
    pub error_threshold_percentage: Option<f64>,
    /// How long it stays open before an attempt may probe, in milliseconds. 0 to 365 days; default 5000.
    pub reset_timeout: Option<f64>,
    /// With fewer attempts in the window nothing is judged. 1 to 1 000 000; default 3.
    pub volume_threshold: Option<f64>,
    /// Length of the window in milliseconds. 1 to 365 days; default 10 000.
    pub rolling_count_timeout: Option<f64>,
    /// Steps in which the window moves on. 1 to 1000; default 10.
    pub rolling_count_buckets: Option<f64>,
}

/// Limits of the bulkhead of a tier; what is left out is that of its preset.
#[napi(object, object_to_js = false)]
pub struct TierBulkhead {
    /// Calls that run at once. 1 to 100 000.
    pub max_concurrent: Option<f64>,
    /// Calls that wait at once. 0 (none waits) to 100 000.
    pub max_queue: Option<f64>,
    /// Longest wait in milliseconds. 0 (none waits) to 365 days.
    pub max_wait_ms: Option<f64>,
    /// Time from one start to the next, in milliseconds. 0 to 365 days.
    pub min_time: Option<f64>,
    /// Tokens at the beginning: each start takes one. 0 (nothing starts) to 100 000.
    pub reservoir: Option<f64>,
    /// Starts in any refresh interval. 0 to 100 000; default `reservoir`. Nothing without `reservoir`.
    pub reservoir_refresh_amount: Option<f64>,
    /// That interval in milliseconds. 1 to 365 days; default: no token comes back. Nothing without `reservoir`.
    pub reservoir_refresh_interval: Option<f64>,
    /// How long work that its caller has left keeps its place, in milliseconds. 0 to 365 days.
    pub overrun_grace_ms: Option<f64>,
}

/// Bulkheads of the tiers, for calls that begin there.
#[napi(object, object_to_js = false)]
pub struct TierBulkheads {
    /// Of Premium; default `premium-model`: 5 at once, 200 ms apart.
    #[napi(ts_type = "TierBulkhead")]
    pub premium: Option<TierBulkhead>,
    /// Of Standard; default `standard-model`: 20 at once, 50 ms apart.
    #[napi(ts_type = "TierBulkhead")]
    pub standard: Option<TierBulkhead>,
    /// Of Economy; default `economy-model`: 30 at once, 30 ms apart.
    #[napi(ts_type = "TierBulkhead")]
    pub economy: Option<TierBulkhead>,
}

/// Settings of a `ResilientAgent`. `models` or `client` says who answers, unless `mockMode` is true.
#[napi(object, object_to_js = false)]
pub struct AgentOptions {
    /// A client for each tier.
    #[napi(ts_type = "TierClients")]
    pub models: Option<TierClients>,
    /// One client for all of them, where there are no `models`: it finds the model's name in its `ModelRequest`.
    #[napi(ts_type = "LlmClient | StreamingLlmClient")]
    pub client: Option<f64>,
    /// Stand-ins answer, whatever clients there are; no service is asked. Default false.
    pub mock_mode: Option<bool>,
    /// What stand-ins do: `'success'` (default), `'timeout'`, `'rate_limited'` or `'low_quality'`.
    pub mock_scenario: Option<String>,
    /// Chooses the tier, and keeps the answers; default: one of its own.
    #[napi(ts_type = "ModelRouter")]
    pub router: Option<f64>,
    /// Retries of each model after its first attempt. 0 to 100; default 2, or `config.maxRetries`.
    pub max_retries: Option<f64>,
    /// Retries, waits and time limits of each model; its deadline is that of the whole call. Clock and chance, too.
    #[napi(ts_type = "ResilienceConfig")]
    pub config: Option<ResilienceConfig>,
    /// With a name its breakers and bulkheads are the named ones, `name:premium`, `name:standard` and `name:economy`: shared
    /// with all agents of that name, on all threads, and told of by `prometheusText()`. Whoever named them first has set
    /// them. 1 to 80 characters, not beside `config.clock`; default: they are its own.
    pub name: Option<String>,
    /// Of each model's breaker.
    #[napi(ts_type = "AgentBreakerOptions")]
    pub breaker_options: Option<AgentBreakerOptions>,
    /// How many calls run at once, and how fast they start.
    #[napi(ts_type = "TierBulkheads")]
    pub bulkheads: Option<TierBulkheads>,
    /// Whether another model is asked at all; default true.
    pub enable_degradation: Option<bool>,
    /// Judges an answer: true or false, or a score from 0 to 1. Default: article 004's rules. They accept no answer of fewer
    /// than 5 characters, none that refuses (`抱歉`, `I'm sorry` …) and none that repeats itself: where "Yes" is a good answer
    /// give your own rule, or stronger models are asked, and paid, for another one. When it throws, or gives anything else, the
    /// answer is given as it is, and not as accepted.
    #[napi(ts_type = "(output: string, model: string) => boolean | number | Promise<boolean | number>")]
    pub quality_check: Option<f64>,
    /// Answers of this score and above are accepted. 0 to 1; default 0.5.
    pub threshold: Option<f64>,
    /// What a call gives when no answer reaches it: `'best'`, the best answer that came (default), or `'fallback'`, the
    /// fallback text (article 004).
    pub below_threshold: Option<String>,
    /// Models that one call asks at most. 1 to 3; default 3.
    pub max_models: Option<f64>,
    /// Whether a stronger model is asked when all cheaper ones failed; default true. Article 004 gives the static text.
    pub stronger_after_error: Option<bool>,
    /// Whether accepted answers are stored, and equal prompts at the same time share a call; default true.
    pub store_answers: Option<bool>,
    /// What the user reads when no answer can be had, as of `ResilientLlmClient`.
    #[napi(ts_type = "string | FallbackFunction")]
    pub fallback: Option<f64>,
    /// Called when a retry of the same model has been decided, before its wait.
    #[napi(ts_type = "(event: RetryEvent) => void")]
    pub on_retry: Option<f64>,
}

/// Settings of one call of a `ResilientAgent`.
#[napi(object, object_to_js = false)]
pub struct InvokeOptions {
    /// The model to begin with; left out, or Cache: the router chooses. With a tier no stored answer is given and none is
    /// stored.
    #[napi(ts_type = "ModelTier")]
    pub tier: Option<ModelTier>,
    /// What the model gets beside the prompt (history, system prompt …), in `ModelRequest.data`. The answer then depends on
    /// more than the prompt: none is stored, given from the store, or shared.
    #[napi(ts_type = "Object")]
    pub data: Option<f64>,
    /// Neither store the answer, nor take a stored one, nor share a call; default false.
    pub no_store: Option<bool>,
    /// Ends the call when cancelled.
    #[napi(ts_type = "CancelToken")]
    pub cancel_token: Option<f64>,
    /// Shortens the whole call, in milliseconds: 1 to 365 days; longer than the agent's deadline has no effect.
    pub deadline_ms: Option<f64>,
    /// Identity of the request, at most 200 bytes; made up when left out.
    pub request_id: Option<String>,
}

/// Settings of `cascadedModelCall`: those of an agent, and those of one call. A model is asked once by default.
#[napi(object, object_to_js = false)]
pub struct CascadedCallOptions {
    /// At most 1 MiB.
    pub prompt: String,
    /// The model to begin with; left out: the router chooses.
    #[napi(ts_type = "ModelTier")]
    pub starting_tier: Option<ModelTier>,
    /// As of `AgentOptions`.
    #[napi(ts_type = "TierClients")]
    pub models: Option<TierClients>,
    /// As of `AgentOptions`.
    #[napi(ts_type = "LlmClient | StreamingLlmClient")]
    pub client: Option<f64>,
    /// As of `AgentOptions`.
    pub mock_mode: Option<bool>,
    /// As of `AgentOptions`.
    pub mock_scenario: Option<String>,
    /// As of `AgentOptions`.
    #[napi(ts_type = "ModelRouter")]
    pub router: Option<f64>,
    /// As of `AgentOptions`; default 0.
    pub max_retries: Option<f64>,
    /// As of `AgentOptions`.
    #[napi(ts_type = "ResilienceConfig")]
    pub config: Option<ResilienceConfig>,
    /// As of `AgentOptions`.
    #[napi(ts_type = "(output: string, model: string) => boolean | number | Promise<boolean | number>")]
    pub quality_check: Option<f64>,
    /// As of `AgentOptions`.
    pub threshold: Option<f64>,
    /// As of `AgentOptions`.
    pub below_threshold: Option<String>,
    /// As of `AgentOptions`.
    pub max_models: Option<f64>,
    /// As of `AgentOptions`.
    pub stronger_after_error: Option<bool>,
    /// As of `AgentOptions`.
    #[napi(ts_type = "string | FallbackFunction")]
    pub fallback: Option<f64>,
    /// As of `InvokeOptions`.
    #[napi(ts_type = "Object")]
    pub data: Option<f64>,
    /// As of `InvokeOptions`.
    #[napi(ts_type = "CancelToken")]
    pub cancel_token: Option<f64>,
    /// As of `InvokeOptions`.
    pub deadline_ms: Option<f64>,
    /// As of `InvokeOptions`.
    pub request_id: Option<String>,
}
