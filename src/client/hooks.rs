use std::time::Duration;

use crate::classify::{CallError, ErrorClass};
use crate::retry::{DelaySource, StopReason};

/// A retry has been decided, or in a chain where all cool down another round, and its wait begins.
#[derive(Debug, Clone, Copy)]
pub struct RetryEvent<'a> {
    /// The attempt that failed, counted from 1.
    pub attempt: u32,
    /// The wait before the next one.
    pub delay: Duration,
    /// Where the wait comes from.
    pub source: DelaySource,
    /// Why the attempt failed.
    pub error: &'a CallError,
}

/// A call that ends without an answer, as the fallback sees it.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'a> {
    /// Why the call ended.
    pub stop_reason: StopReason,
    /// The last attempt's error; `None` when no attempt was made.
    pub error: Option<&'a CallError>,
    /// What kind of fault is behind it: the error's class or, when no attempt was made, that of the failure for which the
    /// breaker rejects.
    pub cause: Option<ErrorClass>,
    /// When the service may be asked again, if known.
    pub retry_after: Option<Duration>,
}

/// What an app hangs into a client. All of it is optional.
pub trait Hooks {
    /// Called when a retry has been decided, before its wait.
    fn on_retry(&self, _event: &RetryEvent<'_>) {}

    /// The fallback text of this call. `text` is the configured one; an error ends the call with the cause and
    /// [`fallback_error`](super::Outcome::fallback_error).
    fn fallback(&self, _failure: &Failure<'_>, text: String) -> impl Future<Output = Result<String, String>> {
        std::future::ready(Ok(text))
    }
}

/// No hooks.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHooks;

impl Hooks for NoHooks {}
