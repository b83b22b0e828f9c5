use crate::classify::{CallError, ErrorClass};
use crate::client::{Attempt, LlmClient};
use crate::sync::atomic::{AtomicU64, Ordering};

/// Fails its first calls, then answers; counts them all.
///
/// ```
/// use resilience::mock::MockLlmClient;
///
/// let mock = MockLlmClient::failing_first(2);
/// assert!(mock.next_reply().is_err());
/// assert!(mock.next_reply().is_err());
/// assert_eq!(mock.next_reply().unwrap(), "mock reply");
/// assert_eq!(mock.calls(), 3);
/// ```
#[derive(Debug)]
pub struct MockLlmClient {
    /// `None`: always.
    failures: Option<u64>,
    calls: AtomicU64,
    reply: String,
    error: CallError,
}

impl MockLlmClient {
    /// Fails the first `count` calls with 503, then answers.
    pub fn failing_first(count: u64) -> Self {
        Self {
            failures: Some(count),
            calls: AtomicU64::new(0),
            reply: "mock reply".to_owned(),
            error: CallError { status: Some(503), ..CallError::new(ErrorClass::Overloaded, "503 Service Unavailable") },
        }
    }

    /// Fails every call with 503.
    pub fn always_failing() -> Self {
        Self { failures: None, ..Self::failing_first(0) }
    }

    /// Answers with `reply` instead.
    #[must_use]
    pub fn with_reply(self, reply: impl Into<String>) -> Self {
        Self { reply: reply.into(), ..self }
    }

    /// Fails with `error` instead.
    #[must_use]
    pub fn with_error(self, error: CallError) -> Self {
        Self { error, ..self }
    }

    /// Calls so far, failed ones included.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Counts a call and says how it ends.
    ///
    /// # Errors
    /// The configured error, while the mock still fails.
    pub fn next_reply(&self) -> Result<String, CallError> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        match self.failures {
            Some(failures) if call >= failures => Ok(self.reply.clone()),
            _ => Err(self.error.clone()),
        }
    }
}

impl LlmClient for MockLlmClient {
    type Request = str;
    type Response = String;

    async fn chat(&self, _request: &str, _attempt: &Attempt<'_>) -> Result<String, CallError> {
        self.next_reply()
    }
}
