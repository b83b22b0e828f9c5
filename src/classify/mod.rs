//! What kind of fault ended an attempt, and what follows from it.
//!
//! [`classify`] and [`classify_answer`] turn facts into a [`CallError`]; [`ErrorClass::decision`] says what to do with
//! it. No other code of this crate asks for a status number. The knowledge is in tables; the code only walks them.

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
pub use class::{BreakerVerdict, Decision, ErrorClass, NextProvider};
pub use facts::{AnswerFacts, Code, ErrorFacts};
pub use judge::classify;
pub use retry_after::{MAX_WAIT, RetryAfter, RetryAfterSource};

#[cfg(test)]
mod judge_tests;
#[cfg(test)]
mod retry_after_tests;
