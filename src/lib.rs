//! Keeps LLM calls of HarmonyOS apps alive: retry with backoff, circuit breaker, timeouts, fallback, and the trace that
//! shows what happened.
//!
//! This is the core, in plain Rust: it knows no Node-API, and is given its time ([`clock`]) and chance ([`random`]). The
//! ArkTS side of `libresilience.so` converts, drives and reports, and decides nothing.
//!
//! | module | what it decides |
//! |---|---|
//! | [`classify`] | what kind of fault ended an attempt, and what follows from it |
//! | [`backoff`] | how long to wait before the next attempt |
//! | [`retry`] | whether there is a next attempt |
//! | [`breaker`] | whether the service is asked at all |
//! | [`client`] | runs a call through all of them |
//! | [`chain`] | which of several services is asked |
//! | [`request`] | one request that is tried again, and its trace for a panel |
//! | [`cascade`] | which of several models is asked, and whether its answer is good enough |
//! | [`gateway`] | all of it for one prompt, in the right order |
//! | [`bulkhead`] | how many calls run at once, and how fast they follow each other |
//! | [`router`], [`cache`] | which model a prompt needs, and which answers are there already |
//! | [`registry`], [`metrics`] | breakers and bulkheads by name, and what they have seen |
//! | [`device`] | what network and suspension do to calls |
//! | [`snapshot`] | what breakers and budgets keep over the end of the app |
//! | [`cancel`], [`mock`] | ending a call early; a stand-in for a service |
//!
//! ```
//! use resilience::breaker::{BreakerConfig, CircuitBreaker};
//! use resilience::client::{CallOptions, ClientConfig, ResilientLlmClient};
//! use resilience::clock::TokioClock;
//! use resilience::mock::MockLlmClient;
//! use std::sync::Arc;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
//! let breaker = Arc::new(CircuitBreaker::new(BreakerConfig::default())?);
//! let client = ResilientLlmClient::new(
//!     MockLlmClient::always_failing(),
//!     ClientConfig::default(),
//!     breaker.clone(),
//!     TokioClock::new(),
//! )?;
//! let outcome = client.execute("hello", CallOptions::default()).await;
//! assert!(outcome.used_fallback());
//! for attempt in &outcome.trace {
//!     println!("{} {:?} then {:?}", attempt.attempt, attempt.class, attempt.delay);
//! }
//! # Ok::<(), resilience::InvalidConfig>(()) }).unwrap();
//! ```
#![deny(missing_docs)]
#![deny(unsafe_code)]

pub mod backoff;
pub mod breaker;
pub mod bulkhead;
pub mod cache;
pub mod cancel;
pub mod cascade;
pub mod chain;
pub mod classify;
pub mod client;
pub mod clock;
pub mod device;
mod error;
pub mod gateway;
mod guarded;
mod lock;
mod log;
pub mod metrics;
mod millis;
pub mod mock;
pub mod random;
pub mod registry;
pub mod request;
pub mod retry;
pub mod router;
pub mod snapshot;
mod sync;
mod text;

pub use error::{InvalidConfig, MAX_DURATION};

#[cfg(any(feature = "napi", target_env = "ohos"))]
#[allow(unsafe_code)]
// A test build registers nothing, so that what is only exported has no user there.
#[cfg_attr(test, allow(dead_code))]
mod napi;
