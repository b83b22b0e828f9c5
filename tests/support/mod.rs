//! What the test targets share: virtual time, a scripted LLM client, a breaker on a manual clock.
#![allow(dead_code, unused_imports)] // no target uses all of it

mod breaker;
mod cascade;
mod chain;
mod hooks;
mod scripted;
mod streams;
mod time;

pub use breaker::{TestBreaker, breaker_config};
pub use cascade::{TestCascade, asked};
pub use chain::TestChain;
pub use hooks::{FallbackHook, TestHooks};
pub use scripted::{Client, Reply, ScriptedClient, client, client_config, client_with_hooks, retry_config};
pub use streams::{Page, Step, Streams};
pub use time::{at, join_all, ms, run};

use resilience::classify::{CallError, ErrorClass, RetryAfter, RetryAfterSource};

/// A number between the bounds of every jitter.
pub fn middle() -> f64 {
    0.5
}

/// A 503.
pub fn unavailable() -> CallError {
    CallError { status: Some(503), ..CallError::new(ErrorClass::Overloaded, "503 Service Unavailable") }
}

/// A 429 that asks for a wait.
pub fn throttled(wait_ms: u64) -> CallError {
    let retry_after = Some(RetryAfter { wait: ms(wait_ms), source: RetryAfterSource::Seconds });
    CallError { status: Some(429), retry_after, ..CallError::new(ErrorClass::RateLimit, "429 Too Many Requests") }
}
