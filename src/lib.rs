//! Keeps LLM calls of HarmonyOS apps alive.
#![deny(missing_docs)]
#![deny(unsafe_code)]

pub mod backoff;
pub mod breaker;
pub mod cancel;
pub mod classify;
pub mod client;
pub mod clock;
mod error;
mod log;
pub mod mock;
pub mod random;
pub mod retry;

pub use error::{InvalidConfig, MAX_DURATION};

#[cfg(any(feature = "napi", target_env = "ohos"))]
#[allow(unsafe_code)]
// A test build registers nothing, so that what is only exported has no user there.
#[cfg_attr(test, allow(dead_code))]
mod napi;
