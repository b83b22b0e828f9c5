//! Option bags as ArkTS declares them. Only for `index.d.ts`: the values are read field by field, with checks that name
//! field, value and range, by the file of the class that takes them.
#![allow(dead_code)]

use napi_derive_ohos::napi;

/// Settings of a `CircuitBreaker` beyond threshold and cooldown. Unset: as in article 000.
#[napi(object, object_to_js = false)]
pub struct BreakerOptions {
    /// Each cooldown that follows a failed probe is this many times longer. 1 (constant) to 100; default 1.
    pub cooldown_factor: Option<f64>,
    /// Longest cooldown that the factor leads to, in milliseconds. From cooldownMs to 365 days; default 600 000, or
    /// cooldownMs if that is longer.
    pub max_cooldown_ms: Option<f64>,
    /// Spreads the cooldown over [1 − spread, 1 + spread), so that devices do not probe together. 0 to 1; default 0.
    pub cooldown_spread: Option<f64>,
    /// After so many milliseconds without opening, the next cooldown is the first one again. 0 to 365 days; default 60 000.
    pub cooldown_reset_ms: Option<f64>,
    /// Longest time in milliseconds for which a Retry-After of the service keeps calls back; a longer one is cut to it. 0
    /// (never) to 365 days; default 3 600 000.
    pub max_retry_after_ms: Option<f64>,
    /// Probes in flight at once while half-open. 1 to 1000; default 1.
    pub half_open_probes: Option<f64>,
    /// Probes that must succeed before it closes. 1 to 1000; default 1.
    pub success_threshold: Option<f64>,
    /// After so many milliseconds a probe that has not reported loses its place. 1 to 365 days; default: the longer of
    /// cooldownMs and the attempt's timeout (60 000 where there is none) plus 1000 for its report.
    pub probe_lease_ms: Option<f64>,
    /// What happened lately opens it, not failures in a row: failureThreshold is not looked at then. Default none.
    #[napi(ts_type = "WindowOptions")]
    pub window: Option<WindowOptions>,
}

/// How a breaker looks back: at the last calls, or at those of the last seconds. After each completed call it opens when at
/// least `minimumCalls` are in the window and one of the limits is reached.
#[napi(object, object_to_js = false)]
pub struct WindowOptions {
    /// The last so many calls. 1 to 10 000; left out: a window of time. Not beside `lengthMs` or `buckets`.
    pub calls: Option<f64>,
    /// The last so many milliseconds. 1 to 365 days; default 10 000.
    pub length_ms: Option<f64>,
    /// Steps in which a window of time moves on. 1 to 1000; default 10.
    pub buckets: Option<f64>,
    /// With fewer calls in the window nothing is judged. 1 to 1 000 000, at most `calls`; default 3, or `calls` if that is less.
    pub minimum_calls: Option<f64>,
    /// Share of failed calls that opens it. Above 0, up to 1; default 0.5, or none when `failures` or `slowRate` is given.
    pub failure_rate: Option<f64>,
    /// Number of failed calls that opens it. 1 to 1 000 000, at most `calls`; default none.
    pub failures: Option<f64>,
    /// Share of slow calls that opens it, whether they succeeded or not. Above 0, up to 1; default none.
    pub slow_rate: Option<f64>,
    /// A call that took so many milliseconds is slow. 0 to 365 days; default 10 000.
    pub slow_call_ms: Option<f64>,
}

/// How waits are spread. `d` is the exponential wait, baseMs · factor^(retry − 1), at most maxMs.
#[napi(string_enum = "snake_case")]
pub enum Jitter {
    /// d · [1 − jitterSpread, 1 + jitterSpread); article 000 with a spread of 0.5. So that this stays under maxMs, d is at most
    /// maxMs / (1 + jitterSpread): with 30 000 and 0.5 the longest waits are 10 000 to 30 000, 20 000 in the middle.
    Multiplicative,
    /// [0, d); article 001.
    Full,
    /// [d/2, d).
    Equal,
    /// d + [0, jitterMs); article 002. d is at most maxMs − jitterMs.
    Additive,
    /// [baseMs, 3 · previous wait), under the cap.
    Decorrelated,
    /// Exactly d: only for tests.
    None,
}

/// Language of the built-in fallback texts.
#[napi(string_enum)]
pub enum Locale {
    /// Simplified Chinese.
    #[napi(value = "zh")]
    Chinese,
    /// English.
    #[napi(value = "en")]
    English,
}

/// What a breaker counts.
#[napi(string_enum = "snake_case")]
pub enum Accounting {
    /// Each attempt: a breaker that opens in the middle of a call ends it at once (article 000).
    Attempt,
    /// Each call by its last attempt: what a retry mends is not counted (article 003).
    Call,
}

/// Bounds how many calls of a client are retries.
#[napi(object, object_to_js = false)]
pub struct RetryBudgetOptions {
    /// Most tokens held, and how many there are at the start. 0 (no retries) to 10 000; default 20.
    pub capacity: Option<f64>,
    /// Tokens that each call brings that has made an attempt, unless there was no network. 0 to 100; default 0.2.
    pub per_call: Option<f64>,
    /// Tokens that come back each minute. 0 to 10 000; default 1.
    pub per_minute: Option<f64>,
}

/// Settings of a `ResilientLlmClient`. 0 means zero; only what is left out takes its default.
#[napi(object, object_to_js = false)]
pub struct ResilienceConfig {
    /// Retries after the first attempt: 2 means at most 3 calls. 0 to 100; default 2.
    pub max_retries: Option<f64>,
    /// Wait before the first retry, before jitter, in milliseconds. 0 to 365 days; default 500.
    pub base_ms: Option<f64>,
    /// The same under the name of article 000; `baseMs` wins.
    pub base: Option<f64>,
    /// What each further wait is multiplied with. 1 to 1000; default 2.
    pub factor: Option<f64>,
    /// Hard cap of a wait in milliseconds, jitter included. From baseMs to 365 days; default 30 000, or baseMs if that
    /// is longer.
    pub max_ms: Option<f64>,
    /// How waits are spread; default Multiplicative.
    #[napi(ts_type = "Jitter")]
    pub jitter: Option<Jitter>,
    /// Half the width of multiplicative jitter. 0 to 1; default 0.5.
    pub jitter_spread: Option<f64>,
    /// The most that additive jitter adds, in milliseconds. 0 to 365 days, with jitter Additive at most maxMs; default 500,
    /// or maxMs if that is shorter.
    pub jitter_ms: Option<f64>,
    /// Longest time for one attempt in milliseconds. 1 to 365 days; default 60 000.
    pub attempt_timeout_ms: Option<f64>,
    /// Longest time for the whole call in milliseconds, waits included. 1 to 365 days; default 120 000. A fallback function
    /// gets what is left of it, at most attemptTimeoutMs, at least 1000.
    pub deadline_ms: Option<f64>,
    /// Longest Retry-After in milliseconds that is waited for, inclusive. 0 to 365 days; default 60 000.
    pub retry_after_max_ms: Option<f64>,
    /// How much later than asked for, by chance, a Retry-After is obeyed, as a share of the wait, so that devices that were sent
    /// away together do not come back together. Never earlier. 0 to 1; default 0.1.
    pub retry_after_spread: Option<f64>,
    /// Most attempts of a whole call, whatever they are for. 1 to 10 000; default: maxRetries + 1 is the only limit.
    pub max_total_attempts: Option<f64>,
    /// Whether a request that may have reached the service, and been billed, is sent again; default true.
    pub retry_unsafe: Option<bool>,
    /// How long the breaker stays open when the account is empty, in milliseconds. 0 to 365 days; default 600 000.
    pub quota_cooldown_ms: Option<f64>,
    /// Longest time until the first text of a streamed answer, in milliseconds; keep-alives do not count as text. 1 to 365
    /// days; default 30 000. attemptTimeoutMs does not hold for streamed answers.
    pub first_text_timeout_ms: Option<f64>,
    /// Longest time between two texts of a streamed answer, in milliseconds. 1 to 365 days; default 20 000.
    pub idle_timeout_ms: Option<f64>,
    /// What the breaker counts; default Attempt.
    #[napi(ts_type = "Accounting")]
    pub accounting: Option<Accounting>,
    /// Bounds the retries of all calls of this client.
    #[napi(ts_type = "RetryBudgetOptions")]
    pub budget: Option<RetryBudgetOptions>,
    /// Language of the built-in fallback text; default Chinese.
    #[napi(ts_type = "Locale")]
    pub locale: Option<Locale>,
    /// Id or host of the provider (`'deepseek'`, `'dashscope.aliyuncs.com'`): some error codes mean different things.
    pub provider: Option<String>,
    /// Whether the inner client gets an `AttemptContext` as second argument; default: when `chat.length` is 2 or more. Set
    /// it for a `chat` with a default value or rest parameters there.
    pub pass_context: Option<bool>,
    /// Source of chance in [0, 1) for jitter; default: the device's. What is below or above is clamped; anything but a
    /// finite number, or an exception, counts as 0.5 and is logged.
    #[napi(ts_type = "() => number")]
    pub rng: Option<f64>,
    /// A clock that moves by hand, for tests; default: the device's monotonic clock.
    #[napi(ts_type = "ManualClock")]
    pub clock: Option<f64>,
}

/// Settings of a `ResilientLlmRunner`: those of each service, and of the chain.
///
/// `timeoutMs`, `circuitFailureThreshold` and `circuitResetWindowMs` are article 002's names. Its `maxRetries` counts
/// attempts; here it counts retries after the first attempt, as everywhere: 2 for its 3.
#[napi(object, object_to_js = false)]
pub struct RunnerConfig {
    /// Retries of each service after its first attempt. 0 to 100; default 2.
    pub max_retries: Option<f64>,
    /// Longest time for one attempt in milliseconds. 1 to 365 days; default 15 000.
    pub timeout_ms: Option<f64>,
    /// Failures in a row that open the breaker of a service that brings none. 1 to 2^32 − 1; default 4.
    pub circuit_failure_threshold: Option<f64>,
    /// How long it stays open before a probe may go out, in milliseconds. 0 to 365 days; default 60 000.
    pub circuit_reset_window_ms: Option<f64>,
    /// Whether only the first service has a breaker (article 002); default false: each has one.
    pub breaker_of_primary_only: Option<bool>,
    /// Whether another service is asked after moderation refused the question or the answer; default false.
    pub next_after_content_filter: Option<bool>,
    /// Wait before the first retry of a service, before jitter, in milliseconds. 0 to 365 days; default 1000.
    pub base_ms: Option<f64>,
    /// What each further wait is multiplied with. 1 to 1000; default 2.
    pub factor: Option<f64>,
    /// Hard cap of a wait in milliseconds, jitter included. From baseMs to 365 days; default 30 000, or baseMs if that is
    /// longer.
    pub max_ms: Option<f64>,
    /// How waits are spread; default Additive.
    #[napi(ts_type = "Jitter")]
    pub jitter: Option<Jitter>,
    /// Half the width of multiplicative jitter. 0 to 1; default 0.5.
    pub jitter_spread: Option<f64>,
    /// The most that additive jitter adds, in milliseconds. 0 to maxMs; default 300.
    pub jitter_ms: Option<f64>,
    /// Longest time for the whole call in milliseconds, shared by the services. 1 to 365 days; default 120 000.
    pub deadline_ms: Option<f64>,
    /// Longest Retry-After in milliseconds that is waited for, and longest wait for the first service to come back when all cool
    /// down; inclusive, 0: none. 0 to 365 days; default 60 000.
    pub retry_after_max_ms: Option<f64>,
    /// How much later than asked for, by chance, a Retry-After is obeyed, as a share of the wait, so that devices that were sent
    /// away together do not come back together. Never earlier. 0 to 1; default 0.1.
    pub retry_after_spread: Option<f64>,
    /// Most attempts of a whole call, over all services. 1 to 10 000; default: maxRetries + 1 of each service is the only limit.
    pub max_total_attempts: Option<f64>,
    /// Whether a request that may have reached the service, and been billed, is sent again; default true.
    pub retry_unsafe: Option<bool>,
    /// How long a breaker stays open when the account is empty, in milliseconds. 0 to 365 days; default 600 000.
    pub quota_cooldown_ms: Option<f64>,
    /// Longest time until the first text of a streamed answer, in milliseconds. 1 to 365 days; default 30 000.
    pub first_text_timeout_ms: Option<f64>,
    /// Longest time between two texts of a streamed answer, in milliseconds. 1 to 365 days; default 20 000.
    pub idle_timeout_ms: Option<f64>,
    /// What the breakers count; default Attempt. Article 002 counts calls.
    #[napi(ts_type = "Accounting")]
    pub accounting: Option<Accounting>,
    /// Bounds the retries of all calls of each service.
    #[napi(ts_type = "RetryBudgetOptions")]
    pub budget: Option<RetryBudgetOptions>,
    /// Language of the built-in fallback text; default Chinese.
    #[napi(ts_type = "Locale")]
    pub locale: Option<Locale>,
    /// Source of chance in [0, 1) for jitter; default: the device's.
    #[napi(ts_type = "() => number")]
    pub rng: Option<f64>,
    /// A clock that moves by hand, for tests; default: the device's monotonic clock.
    #[napi(ts_type = "ManualClock")]
    pub clock: Option<f64>,
}

/// Settings of one call.
#[napi(object, object_to_js = false)]
pub struct CallOptions {
    /// Ends the call when cancelled.
    #[napi(ts_type = "CancelToken")]
    pub cancel_token: Option<f64>,
    /// Shortens the whole call, in milliseconds: 1 to 365 days; longer than the client's deadline has no effect.
    pub deadline_ms: Option<f64>,
    /// Identity of the request, at most 200 bytes; made up when left out.
    pub request_id: Option<String>,
}

/// Settings of a `MockLlmClient`.
#[napi(object, object_to_js = false)]
pub struct MockOptions {
    /// What it answers; default `'mock reply'`.
    pub reply: Option<String>,
    /// How long each call takes, in milliseconds. 0 to 365 days; default 0.
    pub latency_ms: Option<f64>,
    /// HTTP status that it fails with. 100 to 999; default 503.
    pub status: Option<f64>,
    /// Text that it fails with; default `'503 Service Unavailable'`, for another status such as 500 `'500 from the mock'`.
    pub message: Option<String>,
    /// Retry-After that it fails with, in milliseconds. 0 to 365 days; default: none.
    pub retry_after_ms: Option<f64>,
    /// A clock that moves by hand, for `latencyMs` in tests.
    #[napi(ts_type = "ManualClock")]
    pub clock: Option<f64>,
}

/// When a request is tried again (article 001). The first four have no default: a policy says them all. `RetryPolicies`
/// has policies for reads and writes.
#[napi(object, object_from_js = false)]
pub struct RetryPolicy {
    /// Wait before the first retry, before jitter, in milliseconds. 0 to 365 days; in the article 200.
    pub base_ms: f64,
    /// What each further wait is multiplied with. 1 to 1000; in the article 2.
    pub factor: f64,
    /// Cap of a wait in milliseconds, before jitter. 0 to 365 days; in the article 5000.
    pub max_ms: f64,
    /// Retries after the first request, as in the article: 4 means at most 5 requests. 0 to 100; in the article 4.
    pub max_attempts: f64,
    /// Longest time for one request in milliseconds. 1 to 365 days; default 60 000.
    pub attempt_timeout_ms: Option<f64>,
    /// Longest time for all requests and waits in milliseconds. 1 to 365 days; default 365 days: maxAttempts ends it.
    pub deadline_ms: Option<f64>,
    /// Longest Retry-After in milliseconds that is waited for, inclusive; a longer one ends it. 0 to 365 days; default
    /// 60 000.
    pub retry_after_max_ms: Option<f64>,
    /// How much later than asked for, by chance, a Retry-After is obeyed, as a share of the wait, so that devices that were sent
    /// away together do not come back together. Never earlier. 0 to 1; default 0.1.
    pub retry_after_spread: Option<f64>,
    /// Whether a request is sent again after which the service may have done the work: a time limit, a broken
    /// connection, an error of no known kind, a 5xx other than 501, 503, 505 and 529. Default true; for writes false.
    pub retry_unsafe: Option<bool>,
    /// Statuses that are tried again although they are no 5xx: `[408, 425, 429]` pass with time. Each 100 to 999;
    /// default none: a 4xx is final.
    pub retry_statuses: Option<Vec<f64>>,
    /// Statuses that are final although they are 5xx, or stand in retryStatuses. Each 100 to 999; default none.
    pub final_statuses: Option<Vec<f64>>,
    /// Source of chance in [0, 1) for jitter; default: the device's. What is below or above is clamped; anything but a
    /// finite number, or an exception, counts as 0.5 and is logged.
    #[napi(ts_type = "() => number")]
    pub rng: Option<f64>,
    /// A clock that moves by hand, for tests; default: the device's monotonic clock.
    #[napi(ts_type = "ManualClock")]
    pub clock: Option<f64>,
}

/// Settings of one `requestWithRetry`.
#[napi(object, object_to_js = false)]
pub struct RetryOptions {
    /// What its trace calls it, at most 2048 bytes; default `''`.
    pub url: Option<String>,
    /// Ends it when cancelled, as `cancel()` of its handle does: one token for all requests of a page.
    #[napi(ts_type = "CancelToken")]
    pub cancel_token: Option<f64>,
    /// Shortens the whole, in milliseconds: 1 to 365 days; longer than the policy's deadline has no effect.
    pub deadline_ms: Option<f64>,
    /// Identity of the request, at most 200 bytes; made up when left out.
    pub request_id: Option<String>,
    /// Where its trace goes when it has ended.
    #[napi(ts_type = "TraceLog")]
    pub log: Option<f64>,
    /// Whether the function gets an `AttemptContext`; default: when its `length` is 1 or more. Set it for a function
    /// with a default value or rest parameters there.
    pub pass_context: Option<bool>,
}

/// Settings of one `cancellableSleep`.
#[napi(object, object_to_js = false)]
pub struct SleepOptions {
    /// A clock that moves by hand, for tests; default: the device's monotonic clock.
    #[napi(ts_type = "ManualClock")]
    pub clock: Option<f64>,
}
