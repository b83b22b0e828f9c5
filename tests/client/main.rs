//! The client as a whole, in virtual time: its trace, its limits, its ways to end.

#[path = "../support/mod.rs"]
mod support;

mod accounting;
mod cancel;
mod clocks;
mod endings;
mod limits;
mod stream;
mod trace;
