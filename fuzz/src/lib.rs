//! What each fuzz target does with its input. A body is a function of bytes that panics when something does not hold, so that
//! `cargo test` runs the same ones on stable (`tests/fuzz_seeds.rs` takes this file in by its path).

pub mod breaker_model;
pub mod bulkhead_model;
pub mod classify;
pub mod config;
pub mod prometheus_names;
pub mod retry_after;
pub mod snapshot_restore;

mod draw;

/// The pairs of the property tests, played here from bytes.
#[path = "../../tests/properties"]
mod pairs {
    pub mod breaker_model;
    pub mod breaker_pair;
    pub mod bulkhead_model;
    pub mod bulkhead_pair;

    use super::support;
}

#[path = "../../tests/support/mod.rs"]
mod support;

/// What one target does with one input.
pub type Body = fn(&[u8]);

/// All targets by their names.
pub const TARGETS: [(&str, Body); 7] = [
    ("breaker_model", breaker_model::run),
    ("bulkhead_model", bulkhead_model::run),
    ("classify", classify::run),
    ("config", config::run),
    ("prometheus_names", prometheus_names::run),
    ("retry_after", retry_after::run),
    ("snapshot_restore", snapshot_restore::run),
];
