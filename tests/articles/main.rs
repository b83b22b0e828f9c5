//! What the articles say that this crate is built on, one test for each statement.

#[path = "../support/mod.rs"]
mod support;

mod article_000;
mod article_001;
mod article_002;
mod article_003;
mod article_004;
