//! What holds for any input, tried with random ones.

#[path = "../support/mod.rs"]
mod support;

mod backoff;
mod breaker;
mod breaker_model;
mod client;
mod config;
mod threads;
