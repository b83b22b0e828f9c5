use std::iter;
use std::sync::Arc;

use super::call::{Call, End, Limits};
use super::config::{CallOptions, ClientConfig};
use super::driver::Driver;
use super::exchange::{Exchange, Whole};
use super::hooks::{Hooks, NoHooks};
use super::llm_client::{LlmClient, LlmResponse, TextOf};
use super::outcome::{Outcome, OutcomeStatus};
use super::saved;
use super::stream::{StreamConfig, Streamed, TextSink};
use super::target::Target;
use crate::breaker::CircuitBreaker;
use crate::classify::{CallError, ErrorClass};
use crate::clock::Timer;
use crate::error::InvalidConfig;
use crate::random::{Rng, SeededRng};
use crate::snapshot::RestoreError;
use crate::sync::atomic::{AtomicU64, Ordering};

/// Keeps the calls to one LLM service alive.
///
/// ```
/// use resilience::breaker::CircuitBreaker;
/// use resilience::client::{CallOptions, ClientConfig, OutcomeStatus, ResilientLlmClient};
/// use resilience::clock::TokioClock;
/// use resilience::mock::MockLlmClient;
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let breaker = Arc::new(CircuitBreaker::new(Default::default())?);
/// let flaky = MockLlmClient::failing_first(2);
/// let client = ResilientLlmClient::new(flaky, ClientConfig::default(), breaker, TokioClock::new())?;
///
/// let outcome = client.execute("hello", CallOptions::default()).await;
/// assert_eq!(outcome.status, OutcomeStatus::Ok);
/// assert_eq!(outcome.attempts(), 3);
/// # Ok::<(), resilience::InvalidConfig>(()) }).unwrap();
/// ```
pub struct ResilientLlmClient<L, T, H = NoHooks> {
    target: Target<L>,
    driver: Driver<T, H>,
    stream: StreamConfig,
    /// The latest finished call: attempts, shifted left by one; lowest bit: the fallback was used.
    last: AtomicU64,
}

impl<L: LlmClient, T: Timer> ResilientLlmClient<L, T> {
    /// A client without hooks.
    ///
    /// # Errors
    /// [`InvalidConfig`] names the field that is out of its range.
    pub fn new(inner: L, config: ClientConfig, breaker: Arc<CircuitBreaker>, timer: T) -> Result<Self, InvalidConfig> {
        Self::with_hooks(inner, config, breaker, timer, Arc::new(SeededRng::from_system()), NoHooks)
    }
}

impl<L: LlmClient, T: Timer, H: Hooks> ResilientLlmClient<L, T, H> {
    /// A client with its own chance and hooks.
    ///
    /// # Errors
    /// [`InvalidConfig`] names the field that is out of its range.
    pub fn with_hooks(
        inner: L,
        config: ClientConfig,
        breaker: Arc<CircuitBreaker>,
        timer: T,
        rng: Arc<dyn Rng>,
        hooks: H,
    ) -> Result<Self, InvalidConfig> {
        let target = Target::new(inner, &config, breaker)?;
        let driver = Driver::new(timer, rng, hooks, &config);
        Ok(Self { target, driver, stream: config.stream, last: AtomicU64::new(0) })
    }

    /// The text of the answer, or of the fallback.
    ///
    /// # Errors
    /// What only the caller can mend, see [`CallError::reaches_caller`]: a wrong key, a refused prompt, a cancelled
    /// call. Also the last error, when the fallback itself failed.
    pub async fn chat(&self, request: &L::Request) -> Result<TextOf<L>, CallError> {
        self.chat_boxed(request).await.map_err(|error| *error)
    }

    /// The same with the error in a box: the text is moved about in the same place.
    pub(crate) async fn chat_boxed(&self, request: &L::Request) -> Result<TextOf<L>, Box<CallError>> {
        let mut call = self.begin(CallOptions::default());
        call.tells_how = false;
        let end = self.run(&Whole, request, &mut call).await;
        if let Some(response) = end.response {
            self.remember(call.trace.len() + 1, false);
            return Ok(response.into_text());
        }
        // On the heap: the rare end must not make the future of each call larger.
        let mut outcome = Box::pin(self.conclude(end, None, call)).await;
        match (outcome.status, outcome.error.take()) {
            (OutcomeStatus::Ok | OutcomeStatus::Fallback, _) => Ok(outcome.take_text()),
            (_, Some(error)) => Err(Box::new(error)),
            // The breaker let no attempt through, and the fallback failed.
            (_, None) => Err(Box::new(CallError::new(ErrorClass::Unknown, outcome.fallback_error.unwrap_or_default()))),
        }
    }

    /// Runs a call to its end. Never fails: the outcome says how it went.
    pub async fn execute(&self, request: &L::Request, options: CallOptions) -> Outcome<L::Response> {
        let mut call = self.begin(options);
        let end = self.run(&Whole, request, &mut call).await;
        self.conclude(end, None, call).await
    }

    /// The same, with the answer piece by piece: `sink` gets each text as it comes. A client that can't stream gives its
    /// answer in one piece.
    ///
    /// Before the first text a failure is tried again; after it the call ends as [`OutcomeStatus::Partial`] with what came,
    /// and nothing is asked again.
    pub async fn chat_stream<S: TextSink<TextOf<L>>>(
        &self,
        request: &L::Request,
        options: CallOptions,
        sink: &S,
    ) -> Outcome<L::Response> {
        let mut call = self.begin(options);
        let streamed = Streamed::new(sink, &self.driver.timer, self.stream, call.deadline);
        let end = self.run(&streamed, request, &mut call).await;
        self.conclude(end, streamed.received(), call).await
    }

    fn begin(&self, options: CallOptions) -> Call {
        Call::begin(options, &self.driver.timer, self.target.policy.config())
    }

    fn run(
        &self,
        exchange: &impl Exchange<L>,
        request: &L::Request,
        call: &mut Call,
    ) -> impl Future<Output = End<L::Response>> {
        let limits = Limits { began: call.started, deadline: call.deadline, attempts: 0, others: false };
        self.target.run(&self.driver, exchange, request, call, limits)
    }

    async fn conclude(&self, end: End<L::Response>, partial_text: Option<String>, call: Call) -> Outcome<L::Response> {
        let outcome = self.driver.conclude(end, partial_text, call).await;
        self.remember(outcome.trace.len(), outcome.used_fallback());
        outcome
    }

    /// What its breaker and its retry budget have learned, as a text for [`restore`](Self::restore) after the app was ended; see
    /// [`CircuitBreaker::snapshot`]. `now_unix_ms` is the wall clock, in milliseconds since 1970.
    pub fn snapshot(&self, now_unix_ms: u64) -> String {
        saved::save(saved::CLIENT, iter::once(&self.target), self.driver.timer.now(), now_unix_ms)
    }

    /// Goes on where a [`snapshot`](Self::snapshot) was made; see [`CircuitBreaker::restore`]. A breaker that others use as well
    /// is restored for them, too.
    ///
    /// # Errors
    /// [`RestoreError`]: no snapshot of a client, or a damaged one. Breaker and budget are as they were.
    pub fn restore(&self, text: &str, now_unix_ms: u64) -> Result<(), RestoreError> {
        saved::restore(saved::CLIENT, iter::once(&self.target), text, self.driver.timer.now(), now_unix_ms)
    }

    /// Attempts of the latest finished call; with calls at once, see the outcome of each.
    pub fn last_attempts(&self) -> u32 {
        (self.last.load(Ordering::Relaxed) >> 1) as u32
    }

    /// Whether the latest finished call ended with the fallback.
    pub fn used_fallback(&self) -> bool {
        self.last.load(Ordering::Relaxed) & 1 == 1
    }

    /// The client that it keeps alive.
    pub fn inner(&self) -> &L {
        &self.target.inner
    }

    /// Its breaker.
    pub fn breaker(&self) -> &Arc<CircuitBreaker> {
        &self.target.breaker
    }

    fn remember(&self, attempts: usize, used_fallback: bool) {
        self.last.store((attempts as u64) << 1 | u64::from(used_fallback), Ordering::Relaxed);
    }
}
