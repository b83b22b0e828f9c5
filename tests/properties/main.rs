//! What holds for any input, tried with random ones.

#[path = "../support/mod.rs"]
mod support;

mod backoff;
mod breaker;
mod breaker_model;
mod breaker_pair;
mod bulkhead;
mod bulkhead_model;
mod bulkhead_pair;
mod cache;
mod cascade;
mod client;
mod config;
mod device;
mod snapshot;
mod window;

/// So many random inputs, or as many as `PROPTEST_CASES` says.
fn cases(usual: u32) -> proptest::prelude::ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    proptest::prelude::ProptestConfig::with_cases(asked.unwrap_or(usual))
}
