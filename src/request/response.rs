use std::time::SystemTime;

use crate::classify::{CallError, ErrorFacts, classify};

/// What a request brings back when it brings anything back: something with an HTTP status.
///
/// ```
/// use resilience::classify::ErrorClass;
/// use resilience::request::Response;
///
/// assert_eq!((404_u16.status(), 503_u16.error().class), (404, ErrorClass::Overloaded));
/// ```
pub trait Response {
    /// Its status.
    fn status(&self) -> u16;

    /// What it says when it reports no success: class, Retry-After. Left out: what the status alone says.
    fn error(&self) -> CallError {
        // No date to read without headers.
        classify(&ErrorFacts { status: Some(self.status()), ..ErrorFacts::default() }, SystemTime::UNIX_EPOCH)
    }
}

impl Response for u16 {
    fn status(&self) -> u16 {
        *self
    }
}
