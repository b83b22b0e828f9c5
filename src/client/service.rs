use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::attempt::{Attempt, CallIdentity, RequestId};
use super::config::{CallOptions, ClientConfig};
use super::hooks::{Failure, Hooks, NoHooks, RetryEvent};
use super::llm_client::{LlmClient, LlmResponse};
use super::outcome::{AttemptRecord, Outcome, OutcomeStatus};
use super::race::{Raced, caught, race};
use crate::breaker::{BreakerState, CircuitBreaker, FailureReport, Permit, RejectionReason};
use crate::cancel::{CancelReason, CancelToken};
use crate::classify::{BreakerVerdict, CallError, ErrorClass};
use crate::clock::{Timer, Timestamp};
use crate::error::{InvalidConfig, duration_in_range};
use crate::log;
use crate::random::{Rng, SeededRng};
use crate::retry::{Decision, DelaySource, RetryBudget, RetryPolicy, RetryState, StopReason};

type TextOf<L> = <<L as LlmClient>::Response as LlmResponse>::Text;

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
    inner: L,
    timer: T,
    hooks: H,
    breaker: Arc<CircuitBreaker>,
    policy: RetryPolicy,
    budget: RetryBudget,
    fallback: super::Fallback,
    quota_cooldown: Duration,
    rng: Arc<dyn Rng>,
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
        duration_in_range("quotaCooldownMs", config.quota_cooldown, Duration::ZERO)?;
        Ok(Self {
            inner,
            timer,
            hooks,
            breaker,
            policy: config.retry.build()?,
            budget: RetryBudget::new(config.budget)?,
            fallback: config.fallback,
            quota_cooldown: config.quota_cooldown,
            rng,
            last: AtomicU64::new(0),
        })
    }

    /// The text of the answer, or of the fallback.
    ///
    /// # Errors
    /// What only the caller can mend, see [`CallError::reaches_caller`]: a wrong key, a refused prompt, a cancelled
    /// call. Also the last error, when the fallback itself failed.
    pub async fn chat(&self, request: &L::Request) -> Result<TextOf<L>, CallError> {
        let mut call = Call::new(RequestId::next(), None, self.timer.now());
        let end = self.attempts(request, &mut call, self.policy.config().deadline).await;
        if let Some(response) = end.response {
            // Most calls end here: they need no record of themselves.
            self.remember(call.trace.len(), false);
            return Ok(response.into_text());
        }
        let mut outcome = self.conclude(end, call).await;
        match (outcome.status, outcome.error.take()) {
            (OutcomeStatus::Ok | OutcomeStatus::Fallback, _) => Ok(outcome.take_text()),
            (_, Some(error)) => Err(error),
            // The breaker let no attempt through, and the fallback failed.
            (_, None) => Err(CallError::new(ErrorClass::Unknown, outcome.fallback_error.unwrap_or_default())),
        }
    }

    /// Runs a call to its end. Never fails: the outcome says how it went.
    pub async fn execute(&self, request: &L::Request, options: CallOptions) -> Outcome<L::Response> {
        let request_id = options.request_id.map_or_else(RequestId::next, RequestId::from);
        let mut call = Call::new(request_id, options.cancel, self.timer.now());
        let longest = self.policy.config().deadline;
        let deadline = options.deadline.map_or(longest, |deadline| deadline.min(longest));
        let end = self.attempts(request, &mut call, deadline).await;
        self.conclude(end, call).await
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
        &self.inner
    }

    /// Its breaker.
    pub fn breaker(&self) -> &Arc<CircuitBreaker> {
        &self.breaker
    }

    /// Attempt after attempt, until one answers or there is a reason to stop.
    async fn attempts(&self, request: &L::Request, call: &mut Call, deadline: Duration) -> End<L::Response> {
        let Call { identity: call, started, trace } = call;
        let started = *started;
        self.budget.deposit_call(started);
        let mut retry = RetryState::begin(&self.policy, started).with_deadline(started + deadline);
        let (mut began, mut last_error) = (started, None);
        loop {
            if call.is_cancelled() {
                return End::stopped(StopReason::Cancelled, Some(Box::new(cancelled())), began);
            }
            if began >= retry.deadline() {
                // A sleep may end late. An attempt without any time would only blame the service for it.
                return End::stopped(StopReason::Deadline, last_error, began);
            }
            let permit = match self.breaker.try_acquire_for(self.policy.config().attempt_timeout) {
                Ok(permit) => permit,
                Err(rejection) => {
                    let wait = rejection.retry_after;
                    let asked = rejection.reason == RejectionReason::RetryAfter;
                    if let Some(entry) = trace.last_mut().filter(|_| asked && retry.may_wait(&self.policy, wait, began))
                    {
                        // This call has waited, but another one was asked for a longer wait meanwhile.
                        entry.delay = Some(entry.delay.unwrap_or_default() + wait);
                        entry.delay_source = Some(DelaySource::RetryAfter);
                        self.sleep_until(began + wait, call).await;
                        began = self.timer.now();
                        continue;
                    }
                    return End::stopped(StopReason::CircuitOpen, last_error, began);
                }
            };
            let (number, probe) = (trace.len() as u32 + 1, permit.is_probe());
            let deadline = retry.attempt_deadline(&self.policy, began);
            let result = self.attempt(request, &Attempt::new(number, began, deadline, call)).await;
            let now = self.timer.now();
            self.report(permit, result.as_ref().err());
            trace.push(self.record(number, result.as_ref().err(), began, now, started, probe));
            let error = match result {
                Ok(response) => return End::answered(response, now),
                // Boxed from here on: it is kept over waits and moved about.
                Err(error) => Box::new(error),
            };
            let decision = match retry.after_failure(&self.policy, &error, now, &*self.rng) {
                Decision::Retry { .. } if self.breaker.state() != BreakerState::Closed => {
                    Decision::Stop(StopReason::CircuitOpen)
                }
                // Last, so that a token is taken for a retry that will be made, and for nothing else.
                Decision::Retry { .. } if !self.budget.withdraw(now) => Decision::Stop(StopReason::Budget),
                decision => decision,
            };
            let (delay, source) = match decision {
                Decision::Retry { delay, source } => (delay, source),
                Decision::Stop(reason) => {
                    let retry_after = error.retry_after.map(|asked| asked.wait);
                    return End { retry_after, ..End::stopped(reason, Some(error), now) };
                }
            };
            if let Some(entry) = trace.last_mut() {
                (entry.delay, entry.delay_source) = (Some(delay), Some(source));
            }
            self.tell_retry(&RetryEvent { attempt: number, delay, source, error: &error });
            self.sleep_until(now + delay, call).await;
            began = self.timer.now();
            last_error = Some(error);
        }
    }

    /// Ends early when the call is cancelled.
    async fn sleep_until(&self, end: Timestamp, call: &CallIdentity) {
        let sleep = pin!(self.timer.sleep_until(end));
        race(sleep, call.cancel.as_ref(), pin!(std::future::pending())).await;
    }

    async fn attempt(&self, request: &L::Request, attempt: &Attempt<'_>) -> Result<L::Response, CallError> {
        let call_token = attempt.call_token();
        let timeout = pin!(self.timer.sleep_until(attempt.deadline()));
        let work = pin!(caught(|| self.inner.chat(request, attempt)));
        match race(work, call_token, timeout).await {
            Raced::Done(Ok(Ok(response))) => Ok(response),
            // A client that is told of the cancel fails in a way of its own, which says nothing about the service.
            Raced::Done(_) if call_token.is_some_and(CancelToken::is_cancelled) => Err(cancelled_in_flight()),
            Raced::Done(Ok(Err(error))) => Err(error),
            Raced::Done(Err(panic)) => {
                Err(CallError::new(ErrorClass::ClientBug, format!("the client panicked: {panic}")))
            }
            Raced::Cancelled => {
                attempt.abandon(CancelReason::Cancelled);
                Err(cancelled_in_flight())
            }
            Raced::TimedOut => {
                attempt.abandon(CancelReason::Timeout);
                let limit = attempt.timeout().as_millis();
                Err(CallError::new(ErrorClass::Timeout, format!("no answer within {limit} ms")))
            }
        }
    }

    fn report(&self, permit: Permit<'_>, error: Option<&CallError>) {
        let Some(error) = error else { return permit.success() };
        let retry_after = error.retry_after.map(|asked| asked.wait);
        let open_for = match error.breaker_verdict() {
            BreakerVerdict::Neutral => return permit.neutral(),
            BreakerVerdict::Failure => None,
            BreakerVerdict::OpenNow => Some(self.quota_cooldown),
        };
        permit.failure(FailureReport { retry_after, open_for, cause: Some(error.class) });
    }

    fn record(
        &self,
        attempt: u32,
        error: Option<&CallError>,
        began: Timestamp,
        now: Timestamp,
        started: Timestamp,
        probe: bool,
    ) -> AttemptRecord {
        AttemptRecord {
            attempt,
            class: error.map(|error| error.class),
            status: error.and_then(|error| error.status),
            message: error.map(|error| error.message.clone()).unwrap_or_default(),
            started_at: began.since(started),
            duration: now.since(began),
            delay: None,
            delay_source: None,
            retry_after: error.and_then(|error| error.retry_after),
            retry_after_malformed: error.and_then(|error| error.retry_after_malformed.clone()),
            breaker_state: self.breaker.state(),
            probe,
            maybe_billed: error.is_some_and(|error| error.maybe_billed),
        }
    }

    /// A hook that panics costs a line in the log, not the call.
    fn tell_retry(&self, event: &RetryEvent<'_>) {
        log::debug(format_args!(
            "attempt {} failed ({}), next in {} ms",
            event.attempt,
            event.error.class,
            event.delay.as_millis()
        ));
        if catch_unwind(AssertUnwindSafe(|| self.hooks.on_retry(event))).is_err() {
            log::warn(format_args!("on_retry panicked"));
        }
    }

    /// What a call came to, and the fallback if it came to nothing.
    async fn conclude(&self, end: End<L::Response>, call: Call) -> Outcome<L::Response> {
        let Call { identity, started, trace } = call;
        let mut outcome = self.outcome(end, identity.request_id, started, trace);
        if outcome.status == OutcomeStatus::Fallback {
            // On the heap: the rare end must not make the future of each call larger.
            Box::pin(self.fall_back(&mut outcome, identity.cancel.as_ref())).await;
            outcome.elapsed = self.timer.now().since(started);
        }
        self.remember(outcome.trace.len(), outcome.used_fallback());
        outcome
    }

    fn outcome(
        &self,
        end: End<L::Response>,
        request_id: RequestId,
        started: Timestamp,
        trace: Vec<AttemptRecord>,
    ) -> Outcome<L::Response> {
        let mut retry_after = end.retry_after;
        let mut cause = end.error.as_ref().map(|error| error.class);
        if end.response.is_none() && end.reason != StopReason::Cancelled {
            retry_after = retry_after.max(Some(self.breaker.retry_after())).filter(|wait| !wait.is_zero());
            cause = cause.or_else(|| self.breaker.cause());
        }
        let status = match &end.error {
            _ if end.response.is_some() => OutcomeStatus::Ok,
            _ if end.reason == StopReason::Cancelled => OutcomeStatus::Cancelled,
            Some(error) if error.reaches_caller() => OutcomeStatus::Error,
            _ => OutcomeStatus::Fallback,
        };
        Outcome {
            status,
            response: end.response,
            fallback_text: None,
            fallback_error: None,
            error: end.error.map(|error| *error),
            cause,
            stop_reason: end.reason,
            retry_after,
            request_id,
            elapsed: end.at.since(started),
            trace,
        }
    }

    fn remember(&self, attempts: usize, used_fallback: bool) {
        self.last.store((attempts as u64) << 1 | u64::from(used_fallback), Ordering::Relaxed);
    }

    async fn fall_back(&self, outcome: &mut Outcome<L::Response>, cancel: Option<&CancelToken>) {
        let failure = Failure {
            stop_reason: outcome.stop_reason,
            error: outcome.error.as_ref(),
            cause: outcome.cause,
            retry_after: outcome.retry_after,
        };
        match self.ask_fallback(&failure, cancel).await {
            Some(Ok(text)) => outcome.fallback_text = Some(text),
            Some(Err(error)) => (outcome.status, outcome.fallback_error) = (OutcomeStatus::Error, Some(error)),
            None => {
                (outcome.status, outcome.stop_reason) = (OutcomeStatus::Cancelled, StopReason::Cancelled);
                (outcome.error, outcome.cause) = (Some(cancelled()), Some(ErrorClass::Cancelled));
            }
        }
    }

    /// The fallback runs once, and not for ever: it gets the time of one attempt. `None`: the call was cancelled.
    async fn ask_fallback(
        &self,
        failure: &Failure<'_>,
        cancel: Option<&CancelToken>,
    ) -> Option<Result<String, String>> {
        let work = pin!(caught(|| self.hooks.fallback(failure, self.fallback.text(failure))));
        let limit = self.policy.config().attempt_timeout;
        let timeout = pin!(self.timer.sleep_until(self.timer.now() + limit));
        Some(match race(work, cancel, timeout).await {
            Raced::Done(Ok(text)) => text,
            Raced::Done(Err(panic)) => Err(format!("the fallback panicked: {panic}")),
            Raced::TimedOut => Err(format!("the fallback gave no text within {} ms", limit.as_millis())),
            Raced::Cancelled => return None,
        })
    }
}

/// A call that runs.
struct Call {
    identity: CallIdentity,
    started: Timestamp,
    trace: Vec<AttemptRecord>,
}

impl Call {
    fn new(request_id: RequestId, cancel: Option<CancelToken>, started: Timestamp) -> Self {
        Self { identity: CallIdentity { cancel, request_id }, started, trace: Vec::with_capacity(1) }
    }
}

/// How the attempts of a call ended.
struct End<R> {
    response: Option<R>,
    error: Option<Box<CallError>>,
    reason: StopReason,
    retry_after: Option<Duration>,
    at: Timestamp,
}

impl<R: LlmResponse> End<R> {
    fn answered(response: R, at: Timestamp) -> Self {
        Self { response: Some(response), error: None, reason: StopReason::Success, retry_after: None, at }
    }

    fn stopped(reason: StopReason, error: Option<Box<CallError>>, at: Timestamp) -> Self {
        Self { response: None, error, reason, retry_after: None, at }
    }
}

fn cancelled() -> CallError {
    CallError::new(ErrorClass::Cancelled, "cancelled by the app")
}

/// The request had been sent: the service may do the work all the same.
fn cancelled_in_flight() -> CallError {
    CallError { maybe_billed: true, ..cancelled() }
}
