//! What kind of fault ended an attempt, and what follows from it.
//!
//! [`classify`] and [`classify_answer`] turn facts into a [`CallError`]; [`ErrorClass::handling`] says what to do with
//! it. No other code of this crate asks for a status number.
//!
//! The knowledge is in tables, one line a fact: `rules/` holds the error codes of twenty providers, one file per vendor;
//! `tables/` holds what is the same for all of them (HTTP statuses, codes of HarmonyOS, errno and JavaScript names,
//! finish reasons, phrases). A new code of a provider is one more line there and a row in `tests/classify_providers`.
//! The code only finds the error in whatever came (`body`, `payload`) and walks the tables (`judge`, `answer`).
//!
//! Everything here is a pure function of its arguments. Input may be hostile: how much of it is read is limited, work is
//! linear in that, and nothing panics.

mod answer;
mod body;
mod call_error;
mod class;
mod duration;
mod facts;
mod judge;
mod payload;
mod retry_after;
mod rules;
mod tables;
mod text;

pub use answer::classify_answer;
pub use call_error::{CallError, MAX_CODE_BYTES, MAX_MESSAGE_BYTES};
pub use class::{BreakerVerdict, ErrorClass, Handling, NextProvider};
pub use facts::{AnswerFacts, Code, ErrorFacts};
pub use judge::classify;
pub use retry_after::{RetryAfter, RetryAfterSource};

#[cfg(test)]
mod body_tests;
#[cfg(test)]
mod echo_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod judge_tests;
#[cfg(test)]
mod retry_after_tests;
