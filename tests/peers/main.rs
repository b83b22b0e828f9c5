//! One regression test for each public fault of a peer library, named after its thread.
//!
//! Each runs the sequence that showed the fault, in virtual time, and then what else is of its kind.

#[path = "../support/mod.rs"]
mod support;

mod backoff;
mod budgets;
mod bulkhead;
mod cache;
mod callbacks;
mod cascade;
mod classify_quota;
mod classify_retry_after;
mod half_open;
mod herd;
mod late_results;
mod metrics;
mod phone_life;
mod retry;
mod retry_after;
mod routing;
mod saved_state;
mod streaming;
mod what_counts;
mod windows;
