use super::Attempt;
use crate::classify::CallError;

/// Something that answers a request: an HTTP client for one LLM service, or a mock of it.
///
/// It makes one attempt and keeps its hands off retrying: a client that retries inside multiplies the calls.
///
/// ```
/// use resilience::classify::{CallError, ErrorClass};
/// use resilience::client::{Attempt, LlmClient};
///
/// struct Offline;
/// impl LlmClient for Offline {
///     type Request = str;
///     type Response = String;
///     async fn chat(&self, _request: &str, _attempt: &Attempt<'_>) -> Result<String, CallError> {
///         Err(CallError::new(ErrorClass::Offline, "no network"))
///     }
/// }
/// ```
pub trait LlmClient {
    /// What is asked; passed on untouched.
    type Request: ?Sized;
    /// What is answered.
    type Response: LlmResponse;

    /// Makes one attempt.
    fn chat(
        &self,
        request: &Self::Request,
        attempt: &Attempt<'_>,
    ) -> impl Future<Output = Result<Self::Response, CallError>>;
}

/// An answer that has a text.
pub trait LlmResponse {
    /// The text's own type: where answers live in another language's memory it need not be copied out.
    type Text: From<String>;

    /// The text for the user.
    fn into_text(self) -> Self::Text;
}

impl LlmResponse for String {
    type Text = Self;

    fn into_text(self) -> Self {
        self
    }
}
