//! Keeps LLM calls of HarmonyOS apps alive.
#![deny(missing_docs)]
#![deny(unsafe_code)]

pub mod classify;

#[cfg(any(feature = "napi", target_env = "ohos"))]
mod napi;
