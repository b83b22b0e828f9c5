//! One request that is tried again, and what an observation panel shows of it (article 001).
//!
//! Requests that fail at the same moment must not come back at the same moment: each waits for a time of its own,
//! evenly spread over `[0, min(max, base · factor^(attempt − 1)))` ([`RequestConfig::next_delay`]: full jitter, capped
//! first). What came of an attempt decides what follows:
//!
//! | attempt | then |
//! |---|---|
//! | status 2xx | [`RetryOutcome::Success`] |
//! | status 4xx | [`RetryOutcome::Final`]: the request itself is wrong. Unless [`retry_statuses`] names it |
//! | status 5xx | tried again, unless [`final_statuses`] names it |
//! | any other status | [`RetryOutcome::Final`] |
//! | no answer | tried again where the [error table](crate::classify) says so, and when the device has no network |
//! | cancelled | [`RetryOutcome::Cancelled`], at once in a wait, and the request in flight is told |
//!
//! What the error itself or the header `x-should-retry` says about a retry comes before all of that; an empty account
//! is not asked again. When no retry is left there is no further wait: the end is [`RetryOutcome::GivenUp`], and so it
//! is when the time is used up or the service asks for a longer wait than is allowed. A Retry-After is never shortened.
//!
//! 408, 425 and 429 pass with time, but the article ends there all the same. So does this module, unless told otherwise:
//! asking a service once more that has just said no is the app's decision ([`RequestConfig::TRANSIENT_STATUSES`]).
//!
//! It is the pipeline of the [client](crate::client) that runs a request, with neither budget nor fallback, and with a
//! breaker only if one is [given](RequestOptions::breaker).
//!
//! [`retry_statuses`]: RequestConfig::retry_statuses
//! [`final_statuses`]: RequestConfig::final_statuses

mod config;
mod response;
mod retry;
mod sleep;
#[cfg(test)]
mod tests;
mod trace;
mod trace_log;

pub use config::RequestConfig;
pub use response::Response;
pub use retry::{RequestOptions, RetryHandle, request_with_retry};
pub use sleep::cancellable_sleep;
pub use trace::{MAX_URL_BYTES, RetryOutcome, RetryResult, RetryTrace};
pub use trace_log::TraceLog;
