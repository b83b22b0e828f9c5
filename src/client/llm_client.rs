use super::Attempt;
use super::stream::TextSink;
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

    /// Makes one attempt and pushes the text as it comes. Gives the whole answer in the end.
    ///
    /// A client that can't stream leaves this out: its answer comes in one piece.
    fn chat_stream<S: TextSink<TextOf<Self>>>(
        &self,
        request: &Self::Request,
        sink: &S,
        attempt: &Attempt<'_>,
    ) -> impl Future<Output = Result<Self::Response, CallError>> {
        async move {
            let response = self.chat(request, attempt).await?;
            sink.push(response.text()).await;
            Ok(response)
        }
    }
}

/// The text of a client's answers.
pub type TextOf<L> = <<L as LlmClient>::Response as LlmResponse>::Text;

/// An answer that has a text.
pub trait LlmResponse {
    /// The text's own type: where answers live in another language's memory it need not be copied out.
    type Text: AnswerText;

    /// The text for the user.
    fn text(&self) -> Self::Text;

    /// The same, taken out.
    fn into_text(self) -> Self::Text;
}

impl LlmResponse for String {
    type Text = Self;

    fn text(&self) -> Self {
        self.clone()
    }

    fn into_text(self) -> Self {
        self
    }
}

/// Text of an answer, or a piece of it.
pub trait AnswerText: From<String> {
    /// Whether it shows nothing.
    fn is_empty(&self) -> bool;

    /// Adds it to what has come before.
    fn append_to(&self, received: &mut String);
}

impl<T: AsRef<str> + From<String>> AnswerText for T {
    fn is_empty(&self) -> bool {
        self.as_ref().is_empty()
    }

    fn append_to(&self, received: &mut String) {
        received.push_str(self.as_ref());
    }
}
