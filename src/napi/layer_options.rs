//! As `options.rs`: option bags of single layers, by the names of article 004.
#![allow(dead_code)]

use napi_derive_ohos::napi;

/// Settings of one `withSimpleRetry`, by the names of article 004.
#[napi(object, object_to_js = false)]
pub struct SimpleRetryOptions {
    /// Retries after the first attempt: 3 means at most 4 calls. 0 to 100; default 3.
    pub retries: Option<f64>,
    /// Wait before the first retry, in milliseconds. 0 to 365 days; default 500.
    pub min_timeout: Option<f64>,
    /// Cap of a wait in milliseconds. 0 to 365 days; default 5000.
    pub max_timeout: Option<f64>,
    /// What each further wait is multiplied with. 1 to 1000; default 2.
    pub factor: Option<f64>,
    /// Whether waits are spread over [0.5, 1.5) of that, maxTimeout being the cap all the same. Default true: calls that
    /// failed together don't come back together; a Retry-After is obeyed up to a tenth later. False is the article's own:
    /// 500, 1000, 2000 ms, and a Retry-After as it is.
    pub randomize: Option<bool>,
    /// Longest time for one attempt in milliseconds. 1 to 365 days; default 365 days: a function that hangs is waited for.
    pub attempt_timeout_ms: Option<f64>,
    /// Whether it is tried again after this error; default: when `classifyError(error).retryable`, so that a wrong key is
    /// not. `() => true` tries all again, as the article does. What it throws, and anything but true, means no. Not asked
    /// about attempts that were given up.
    #[napi(ts_type = "(error: Error) => boolean")]
    pub should_retry: Option<f64>,
    /// Called after each attempt that threw, counted from 1. What it throws is logged.
    #[napi(ts_type = "(error: Error, attempt: number) => void")]
    pub on_failed_attempt: Option<f64>,
    /// Ends it when cancelled, at once in a wait.
    #[napi(ts_type = "CancelToken")]
    pub cancel_token: Option<f64>,
    /// Source of chance in [0, 1) for the spread; default: the device's.
    #[napi(ts_type = "() => number")]
    pub rng: Option<f64>,
    /// A clock that moves by hand, for tests; default: the device's monotonic clock.
    #[napi(ts_type = "ManualClock")]
    pub clock: Option<f64>,
}

/// Settings of a `Bulkhead`, by the names of article 004.
#[napi(object, object_to_js = false)]
pub struct BulkheadConfig {
    /// 1 to 100 characters.
    pub name: String,
    /// Calls that run at once. 1 to 100 000; default 20.
    pub max_concurrent: Option<f64>,
    /// Calls that wait at once. 0 (none waits) to 100 000; default 1000.
    pub max_queue: Option<f64>,
    /// Longest wait in milliseconds. 0 (none waits) to 365 days; default: as long as the caller allows.
    pub max_wait_ms: Option<f64>,
    /// Time from one start to the next, in milliseconds. 0 to 365 days; default 0.
    pub min_time: Option<f64>,
    /// Tokens at the beginning: each start takes one. 0 (nothing starts) to 100 000; default: starts are not counted.
    pub reservoir: Option<f64>,
    /// Starts in any refresh interval: a token comes back one interval after its use, not all at once at its end. 0 to
    /// 100 000; default `reservoir`. Nothing without `reservoir`.
    pub reservoir_refresh_amount: Option<f64>,
    /// That interval in milliseconds. 1 to 365 days; default: no token comes back. Nothing without `reservoir`.
    pub reservoir_refresh_interval: Option<f64>,
    /// How long work that its caller has left keeps its place, in milliseconds. 0 to 365 days; default 30 000.
    pub overrun_grace_ms: Option<f64>,
}

/// Settings of one `Bulkhead.schedule`.
#[napi(object, object_to_js = false)]
pub struct ScheduleOptions {
    /// Longest wait for a place in milliseconds, within that of the bulkhead. 0 (now or not at all) to 365 days.
    pub max_wait_ms: Option<f64>,
    /// Longest time for the function itself in milliseconds, from its start. 1 to 365 days; default: it is waited for.
    pub timeout_ms: Option<f64>,
    /// Ends the wait when cancelled, and lets `schedule` reject although its function still runs.
    #[napi(ts_type = "CancelToken")]
    pub cancel_token: Option<f64>,
}

/// Settings of one `Bulkhead.acquire`.
#[napi(object, object_to_js = false)]
pub struct AcquireOptions {
    /// Longest wait for a place in milliseconds, within that of the bulkhead. 0 (now or not at all) to 365 days.
    pub max_wait_ms: Option<f64>,
    /// Ends the wait when cancelled.
    #[napi(ts_type = "CancelToken")]
    pub cancel_token: Option<f64>,
}

/// Settings of `createBreaker`, by the names of opossum that article 004 uses, with its values as defaults.
#[napi(object, object_to_js = false)]
pub struct CreateBreakerOptions {
    /// Longest time for one call in milliseconds. 1 to 365 days; default 10 000.
    pub timeout: Option<f64>,
    /// Share of failed calls in the window that opens it, in percent. Above 0, up to 100; default 50.
    pub error_threshold_percentage: Option<f64>,
    /// How long it stays open before a call may probe, in milliseconds. 0 to 365 days; default 5000.
    pub reset_timeout: Option<f64>,
    /// With fewer calls in the window nothing is judged. 1 to 1 000 000; default 3.
    pub volume_threshold: Option<f64>,
    /// Length of the window in milliseconds. 1 to 365 days; default 10 000. Where calls come one after another and hang, it
    /// must hold `volumeThreshold` timeouts: with the article's figures only hanging calls made at once open it.
    pub rolling_count_timeout: Option<f64>,
    /// Steps in which the window moves on. 1 to 1000; default 10.
    pub rolling_count_buckets: Option<f64>,
    /// 1 to 100 characters: it is then the breaker of that name, as of `CircuitBreaker.named`. Not beside `clock`.
    pub name: Option<String>,
    /// A clock that moves by hand, for tests; default: the device's monotonic clock.
    #[napi(ts_type = "ManualClock")]
    pub clock: Option<f64>,
}
