//! How one attempt talks to its service: for one whole answer, or for text piece by piece.

use std::pin::pin;

use super::attempt::Attempt;
use super::llm_client::LlmClient;
use crate::classify::{CallError, ErrorClass};
use crate::clock::{Timer, Timestamp};
use crate::retry::{RetryPolicy, RetryState};

pub(crate) trait Exchange<L: LlmClient> {
    /// Makes the attempt.
    fn ask(
        &self,
        client: &L,
        request: &L::Request,
        attempt: &Attempt<'_>,
    ) -> impl Future<Output = Result<L::Response, CallError>>;

    /// An attempt begins. Gives when it must be over, whatever it has brought by then.
    fn begin_attempt(&self, retry: &RetryState, policy: &RetryPolicy, now: Timestamp) -> Timestamp;

    /// Done when the attempt has taken too long, with the error that says so.
    fn give_up<T: Timer>(&self, timer: &T, attempt: &Attempt<'_>) -> impl Future<Output = Box<CallError>>;

    /// Whether the app has been given text: then nothing may be asked again, it would be shown twice.
    fn has_text(&self) -> bool;
}

/// One whole answer.
pub(crate) struct Whole;

impl<L: LlmClient> Exchange<L> for Whole {
    fn ask(
        &self,
        client: &L,
        request: &L::Request,
        attempt: &Attempt<'_>,
    ) -> impl Future<Output = Result<L::Response, CallError>> {
        client.chat(request, attempt)
    }

    fn begin_attempt(&self, retry: &RetryState, policy: &RetryPolicy, now: Timestamp) -> Timestamp {
        retry.attempt_deadline(policy, now)
    }

    async fn give_up<T: Timer>(&self, timer: &T, attempt: &Attempt<'_>) -> Box<CallError> {
        // In place: awaited as it is, it would be moved once more.
        pin!(timer.sleep_until(attempt.deadline())).await;
        let limit = attempt.timeout().as_millis();
        Box::new(CallError::new(ErrorClass::Timeout, format!("no answer within {limit} ms")))
    }

    fn has_text(&self) -> bool {
        false
    }
}
