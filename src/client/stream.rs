//! Answers that come piece by piece.

use std::time::Duration;

use super::attempt::Attempt;
use super::exchange::Exchange;
use super::llm_client::{AnswerText, LlmClient, TextOf};
use super::race::caught;
use crate::classify::{CallError, ErrorClass};
use crate::clock::{Clock, Timer, Timestamp};
use crate::error::{InvalidConfig, duration_in_range};
use crate::lock::lock;
use crate::log;
use crate::retry::{RetryPolicy, RetryState};
use crate::sync::Mutex;
use crate::text::cut;

/// So much of a broken-off answer is kept for its outcome, in bytes; the app has been given all of it.
const MAX_RECEIVED: usize = 1 << 20;

/// Time limits of a streamed answer. The time limit of an attempt does not hold for it, the deadline of the call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamConfig {
    /// Longest time until the first text. Keep-alives do not count as text. 1 ms to 365 days; default 30 s.
    pub first_text_timeout: Duration,
    /// Longest time between two texts. 1 ms to 365 days; default 20 s.
    pub idle_timeout: Duration,
}

impl Default for StreamConfig {
    fn default() -> Self {
        Self { first_text_timeout: Duration::from_secs(30), idle_timeout: Duration::from_secs(20) }
    }
}

impl StreamConfig {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn validate(&self) -> Result<(), InvalidConfig> {
        duration_in_range("firstTextTimeoutMs", self.first_text_timeout, Duration::from_millis(1))?;
        duration_in_range("idleTimeoutMs", self.idle_timeout, Duration::from_millis(1))
    }
}

/// Takes an answer piece by piece: the app's side of a streamed call.
///
/// ```
/// use resilience::client::TextSink;
/// use std::sync::Mutex;
///
/// #[derive(Default)]
/// struct Page(Mutex<String>);
/// impl TextSink<String> for Page {
///     async fn push(&self, text: String) {
///         self.0.lock().unwrap().push_str(&text);
///     }
/// }
/// ```
pub trait TextSink<Text> {
    /// Takes a piece. It is done when the next one may come: a slow reader slows the service down.
    fn push(&self, text: Text) -> impl Future<Output = ()>;
}

/// The core's side of a streamed call: between the client that pushes and the app's sink.
pub(crate) struct Streamed<'a, S, C> {
    sink: &'a S,
    clock: &'a C,
    config: StreamConfig,
    /// The end of the whole call: who streams already may use all of it.
    call_deadline: Timestamp,
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    received: String,
    /// When the service that is asked must have begun, so that others get their turn.
    share_ends: Timestamp,
    last_text: Option<Timestamp>,
    /// Pieces that the app has not done with: its time is not the service's.
    pushing: u32,
}

impl<'a, S, C: Clock> Streamed<'a, S, C> {
    pub fn new(sink: &'a S, clock: &'a C, config: StreamConfig, call_deadline: Timestamp) -> Self {
        Self { sink, clock, config, call_deadline, progress: Mutex::default() }
    }

    /// What has come so far.
    pub fn received(&self) -> Option<String> {
        let progress = lock(&self.progress);
        progress.last_text.map(|_| cut(&progress.received, MAX_RECEIVED).to_owned())
    }

    /// The time limit that runs, and what to say when it is over.
    fn limit(&self, attempt: &Attempt<'_>) -> (Timestamp, String) {
        let (last_text, pushing, share_ends) = {
            let progress = lock(&self.progress);
            (progress.last_text, progress.pushing > 0, progress.share_ends)
        };
        let (limit, end) = match last_text {
            None => {
                let wait = self.config.first_text_timeout;
                ((attempt.began() + wait, format!("no text within {} ms", wait.as_millis())), share_ends)
            }
            Some(last) => {
                let wait = self.config.idle_timeout;
                let since = if pushing { self.clock.now() } else { last };
                ((since + wait, format!("no further text for {} ms", wait.as_millis())), self.call_deadline)
            }
        };
        if limit.0 <= end {
            return limit;
        }
        let what = if last_text.is_some() { "end of the answer" } else { "text" };
        (end, format!("no {what} within {} ms", end.since(attempt.began()).as_millis()))
    }
}

impl<Text: AnswerText, S: TextSink<Text>, C: Clock> TextSink<Text> for Streamed<'_, S, C> {
    async fn push(&self, text: Text) {
        if text.is_empty() {
            // A sign of life at most, as a keep-alive is.
            return;
        }
        // What is not this crate's own is called outside the lock.
        let (mut piece, now) = (String::new(), self.clock.now());
        text.append_to(&mut piece);
        {
            let mut progress = lock(&self.progress);
            if progress.received.len() < MAX_RECEIVED {
                progress.received.push_str(&piece);
            }
            (progress.last_text, progress.pushing) = (Some(now), progress.pushing + 1);
        }
        if caught(|| self.sink.push(text)).await.is_err() {
            log::warn(format_args!("the sink of a streamed call panicked"));
        }
        let now = self.clock.now();
        let mut progress = lock(&self.progress);
        (progress.last_text, progress.pushing) = (Some(now), progress.pushing - 1);
    }
}

impl<L: LlmClient, S: TextSink<TextOf<L>>, C: Clock> Exchange<L> for Streamed<'_, S, C> {
    fn ask(
        &self,
        client: &L,
        request: &L::Request,
        attempt: &Attempt<'_>,
    ) -> impl Future<Output = Result<L::Response, CallError>> {
        client.chat_stream(request, self, attempt)
    }

    fn begin_attempt(&self, retry: &RetryState, _policy: &RetryPolicy, _now: Timestamp) -> Timestamp {
        lock(&self.progress).share_ends = retry.deadline();
        self.call_deadline
    }

    async fn give_up<T: Timer>(&self, timer: &T, attempt: &Attempt<'_>) -> Box<CallError> {
        loop {
            let (limit, why) = self.limit(attempt);
            let now = self.clock.now();
            if limit <= now {
                return Box::new(CallError::new(ErrorClass::Timeout, why));
            }
            // A text that comes meanwhile may bring the limit forward, to one idle timeout from now at the earliest.
            timer.sleep_until(limit.min(now + self.config.idle_timeout)).await;
        }
    }

    fn has_text(&self) -> bool {
        lock(&self.progress).last_text.is_some()
    }
}
