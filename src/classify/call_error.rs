//! The error that an attempt ends with.

use super::class::{BreakerVerdict, ErrorClass};
use super::retry_after::RetryAfter;
use crate::text::cut;

/// The most bytes of a message that a [`CallError`] keeps.
pub const MAX_MESSAGE_BYTES: usize = 500;

/// The most bytes that a [`CallError`] keeps of a provider's code or of a wait that could not be read.
pub const MAX_CODE_BYTES: usize = 100;

/// One failed attempt, judged.
///
/// ```
/// use resilience::classify::{BreakerVerdict, CallError, ErrorClass};
///
/// let error = CallError::new(ErrorClass::Interrupted, "socket hang up");
/// assert!(error.is_retryable() && error.maybe_billed);
/// assert_eq!(error.breaker_verdict(), BreakerVerdict::Failure);
/// assert_eq!(error.to_string(), "interrupted: socket hang up");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {message}")]
pub struct CallError {
    /// What kind of fault it is.
    pub class: ErrorClass,
    /// What client or provider said, cut to [`MAX_MESSAGE_BYTES`] on a character boundary.
    pub message: String,
    /// HTTP status, or the status that stood in the body or at the start of the message.
    pub status: Option<u16>,
    /// Code that the provider gave, at most [`MAX_CODE_BYTES`].
    pub provider_code: Option<String>,
    /// How long the provider asks to be left alone.
    pub retry_after: Option<RetryAfter>,
    /// A wait that was ignored, at most [`MAX_CODE_BYTES`]: it could not be read, or only words say it and it is too long to
    /// be believed (see [`RetryAfterSource::Message`](super::RetryAfterSource::Message)).
    pub retry_after_malformed: Option<String>,
    /// What the error itself or `x-should-retry` says about a retry; wins over the class.
    pub retryable: Option<bool>,
    /// The provider may have done, and billed, the work: it answered, but with nothing of use, or the request was sent and
    /// nothing tells that it was refused.
    pub maybe_billed: bool,
}

impl CallError {
    /// An error of that class. Interrupted and timed-out calls are taken as sent, and invalid responses as answers: so
    /// maybe billed.
    pub fn new(class: ErrorClass, message: impl AsRef<str>) -> Self {
        Self {
            class,
            message: cut(message.as_ref(), MAX_MESSAGE_BYTES).to_owned(),
            status: None,
            provider_code: None,
            retry_after: None,
            retry_after_malformed: None,
            retryable: None,
            maybe_billed: class.maybe_billed(),
        }
    }

    /// The same provider may be asked again.
    pub fn is_retryable(&self) -> bool {
        self.retryable.unwrap_or(self.class.handling().retry)
    }

    /// What the breaker of this provider learns.
    pub fn breaker_verdict(&self) -> BreakerVerdict {
        self.class.handling().breaker
    }

    /// The caller gets this error instead of the fallback text.
    pub fn reaches_caller(&self) -> bool {
        self.class.handling().reaches_caller
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_is_cut_on_a_character_boundary() {
        let error = CallError::new(ErrorClass::Server, "错".repeat(1000));
        assert_eq!(error.message.len(), MAX_MESSAGE_BYTES - MAX_MESSAGE_BYTES % 3);
        assert!(error.message.chars().all(|character| character == '错'));
    }

    #[test]
    fn what_the_error_says_about_a_retry_wins() {
        let mut error = CallError::new(ErrorClass::RateLimit, "");
        assert!(error.is_retryable());
        error.retryable = Some(false);
        assert!(!error.is_retryable());
        assert_eq!(error.breaker_verdict(), BreakerVerdict::Failure, "the breaker asks the class");
    }

    #[test]
    fn only_a_fault_that_the_app_must_mend_reaches_the_caller() {
        let reaches = |class| CallError::new(class, "").reaches_caller();
        assert!(reaches(ErrorClass::BadRequest) && !reaches(ErrorClass::Server));
    }
}
