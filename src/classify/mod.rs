//! What kind of fault ended an attempt, and what follows from it.
//!
//! [`classify`] and [`classify_answer`] turn facts into a [`CallError`]; [`ErrorClass::decision`] says what to do with
//! it. No other code of this crate asks for a status number. The knowledge is in tables; the code only walks them.

mod call_error;
mod class;
mod facts;
mod retry_after;
mod text;

pub use call_error::{CallError, MAX_CODE_BYTES, MAX_MESSAGE_BYTES};
pub use class::{BreakerVerdict, Decision, ErrorClass, NextProvider};
pub use facts::{AnswerFacts, Code, ErrorFacts};
pub use retry_after::{MAX_WAIT, RetryAfter, RetryAfterSource};

use std::time::SystemTime;

/// Judges a failed attempt. `wall_clock` only serves to read a date when the response has no `Date` header.
pub fn classify(facts: &ErrorFacts, wall_clock: SystemTime) -> CallError {
    let _ = wall_clock;
    let class = match facts.status {
        Some(429) => ErrorClass::RateLimit,
        Some(503) => ErrorClass::Overloaded,
        Some(500..) => ErrorClass::Server,
        Some(400..) => ErrorClass::BadRequest,
        _ => ErrorClass::Unknown,
    };
    CallError { status: facts.status, ..CallError::new(class, &facts.message) }
}

/// Judges an answer with a success status. `None`: it is fine (also when cut short by its length).
pub fn classify_answer(facts: &AnswerFacts, wall_clock: SystemTime) -> Option<CallError> {
    let _ = wall_clock;
    (facts.finish_reason.as_deref() == Some("content_filter"))
        .then(|| CallError::new(ErrorClass::ContentFilter, "content_filter"))
}
