//! One LLM service, and how it may be asked.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use super::attempt::Attempt;
use super::call::{Call, End, Limits, cancelled, cancelled_in_flight};
use super::config::{Accounting, ClientConfig};
use super::driver::Driver;
use super::exchange::Exchange;
use super::hooks::{Hooks, RetryEvent};
use super::llm_client::LlmClient;
use super::outcome::AttemptRecord;
use super::race::{Boxed, Raced, caught, race};
use crate::breaker::{BreakerState, CircuitBreaker, FailureReport, Permit, Rejection, RejectionReason};
use crate::cancel::{CancelReason, CancelToken};
use crate::classify::{BreakerVerdict, CallError, ErrorClass};
use crate::clock::{Timer, Timestamp};
use crate::error::{InvalidConfig, duration_in_range};
use crate::retry::{Decision, DelaySource, RetryBudget, RetryPolicy, RetryState, StopReason};

/// An attempt that has less time than this is not begun: as a timeout in whole milliseconds it would read "none".
const LEAST_ATTEMPT_TIME: Duration = Duration::from_millis(1);

pub(crate) struct Target<L> {
    pub inner: L,
    pub breaker: Arc<CircuitBreaker>,
    pub policy: RetryPolicy,
    pub budget: RetryBudget,
    accounting: Accounting,
    quota_cooldown: Duration,
    /// None where there is only one.
    pub name: Option<Arc<str>>,
}

impl<L: LlmClient> Target<L> {
    pub fn new(inner: L, config: &ClientConfig, breaker: Arc<CircuitBreaker>) -> Result<Self, InvalidConfig> {
        duration_in_range("quotaCooldownMs", config.quota_cooldown, Duration::ZERO)?;
        config.stream.validate()?;
        Ok(Self {
            inner,
            breaker,
            policy: config.retry.build()?,
            budget: RetryBudget::new(config.budget)?,
            accounting: config.accounting,
            name: None,
            quota_cooldown: config.quota_cooldown,
        })
    }

    /// How traces and the log call it.
    pub fn named(self, name: Arc<str>) -> Self {
        self.breaker.log_as(&name);
        Self { name: Some(name), ..self }
    }

    /// Attempt after attempt, until one answers or there is a reason to stop.
    ///
    /// No `async fn`: that would have room for its arguments twice.
    pub fn run<T: Timer, H: Hooks>(
        &self,
        driver: &Driver<T, H>,
        exchange: &impl Exchange<L>,
        request: &L::Request,
        call: &mut Call,
        limits: Limits,
    ) -> impl Future<Output = End<L::Response>> {
        let &mut Call {
            identity: ref call, started, ref mut trace, tells_how, max_attempts, ref mut disruptions, ..
        } = call;
        let Limits { mut began, deadline, attempts, others } = limits;
        // Whether the budget knows of this call: one that finds no network is none.
        let mut deposited = false;
        let retry = RetryState::begin(&self.policy, began).with_deadline(deadline);
        let mut retry = retry.with_attempts(attempts);
        let mut last_error: Option<Box<CallError>> = None;
        // Of the whole call, where that is what counts.
        let mut held: Option<Permit<'_>> = None;
        async move {
            loop {
                if call.is_cancelled() {
                    return End::cancelled(cancelled(), began);
                }
                if began + LEAST_ATTEMPT_TIME > retry.deadline() {
                    // A sleep may end late. An attempt without any time would only blame the service for it.
                    held.zip(last_error.as_ref())
                        .into_iter()
                        .for_each(|(permit, error)| self.report(permit, error, false, Duration::ZERO));
                    return self.stopped(StopReason::Deadline, last_error, None, began);
                }
                let permit = match held.take().map_or_else(|| self.admit(began, &retry), Ok) {
                    Ok(permit) => permit,
                    Err(Rejection { reason, retry_after: wait }) => {
                        let asked = reason == RejectionReason::RetryAfter;
                        if asked && !others && !trace.is_empty() && retry.may_wait(&self.policy, wait, began) {
                            // This call has waited, but another one was asked for a longer wait meanwhile.
                            let wait =
                                self.policy.config().spread_later(wait, retry.deadline().since(began), &*driver.rng);
                            // The hook has been told of the retry.
                            driver.tell_wait(trace, wait, DelaySource::RetryAfter, None, self.name.as_deref());
                            driver.sleep_until(began + wait, call).await;
                            began = driver.timer.now();
                            continue;
                        }
                        let reason = if asked { StopReason::RetryAfter } else { StopReason::CircuitOpen };
                        return self.stopped(reason, last_error, None, began);
                    }
                };
                let (number, probe) = (trace.len() as u32 + 1, permit.is_probe());
                let attempt = Attempt::new(number, began, exchange.begin_attempt(&retry, &self.policy, began), call);
                let result = self.attempt(&driver.timer, exchange, request, &attempt).await;
                // Most calls end here. A look at the clock is not free: only for who asks how long it took.
                let untimed = result.is_ok() && !tells_how && !permit.wants_duration();
                let now = if untimed { began } else { driver.timer.now() };
                let mut error = match result {
                    Ok(response) => {
                        permit.success_in(now.since(began));
                        if !deposited {
                            self.budget.deposit_call();
                        }
                        if tells_how {
                            trace.push(self.record(&attempt, None, started, now, probe));
                        }
                        return End::answered(response, now);
                    }
                    Err(error) => error,
                };
                let free = disruptions.excuse(driver.timer.device(), &mut error, began);
                if !deposited && error.class != ErrorClass::Offline {
                    self.budget.deposit_call();
                    deposited = true;
                }
                let permit = match self.accounting {
                    Accounting::Call => Some(permit),
                    Accounting::Attempt => {
                        self.report(permit, &error, free, now.since(began));
                        None
                    }
                };
                trace.push(self.record(&attempt, Some(&error), started, now, probe));
                let decision = match free {
                    true => retry.after_free_failure(&self.policy, &error, now),
                    false => retry.after_failure(&self.policy, &error, now, &*driver.rng),
                };
                let decision = match decision {
                    _ if exchange.has_text() && error.class != ErrorClass::Cancelled => {
                        Decision::Stop(StopReason::Partial)
                    }
                    Decision::Retry { .. } if trace.len() >= max_attempts => Decision::Stop(StopReason::Attempts),
                    // The breaker has learned nothing of it, and is asked once more.
                    Decision::Retry { .. } if free => decision,
                    Decision::Retry { .. } if permit.is_none() && self.breaker.state() != BreakerState::Closed => {
                        Decision::Stop(StopReason::CircuitOpen)
                    }
                    Decision::Retry { source: DelaySource::RetryAfter, .. }
                    | Decision::Stop(StopReason::RetryAfterTooLong)
                        if others =>
                    {
                        Decision::Stop(StopReason::RetryAfter)
                    }
                    // Last, so that a token is taken for a retry that will be made, and for nothing else.
                    Decision::Retry { .. } if !self.budget.withdraw(now) => Decision::Stop(StopReason::Budget),
                    decision => decision,
                };
                let (delay, source) = match decision {
                    Decision::Retry { delay, source } => (delay, source),
                    Decision::Stop(reason) => {
                        permit.into_iter().for_each(|permit| self.report(permit, &error, free, now.since(began)));
                        let retry_after = error.retry_after.map(|asked| asked.wait);
                        return self.stopped(reason, Some(error), retry_after, now);
                    }
                };
                if let Some(entry) = trace.last_mut() {
                    (entry.delay, entry.delay_source) = (Some(delay), Some(source));
                }
                driver.tell_retry(&RetryEvent { attempt: number, delay, source, error: &error }, self.name.as_deref());
                let spread = self.policy.config().backoff.base;
                let spread = (source == DelaySource::Backoff && !disruptions.woken).then_some(spread);
                let soonest = now + error.retry_after.map_or(Duration::ZERO, |asked| asked.wait);
                // On the heap: the rare wait must not make the future of each call larger.
                let woken = Box::pin(driver.back_off(now + delay, soonest, spread, call)).await;
                if let Some(entry) = trace.last_mut().filter(|_| woken) {
                    disruptions.woken = true;
                    entry.delay = Some(driver.timer.now().since(now));
                    retry.begin_backoff_again(&self.policy);
                }
                began = driver.timer.now();
                (last_error, held) = (Some(error), permit);
            }
        }
    }

    /// An end without an answer. The breaker may know more about it than the last error.
    fn stopped(
        &self,
        reason: StopReason,
        error: Option<Box<CallError>>,
        retry_after: Option<Duration>,
        at: Timestamp,
    ) -> End<L::Response> {
        let end = End { retry_after, ..End::stopped(reason, error, at) };
        if reason == StopReason::Cancelled {
            return end;
        }
        let cause = end.cause.or_else(|| self.breaker.cause());
        End { retry_after: retry_after.max(Some(self.breaker.retry_after())), cause, ..end }
    }

    /// Asks the breaker for one attempt, or for the rest of the call where that is what counts.
    fn admit(&self, now: Timestamp, retry: &RetryState) -> Result<Permit<'_>, Rejection> {
        self.breaker.try_acquire_for(match self.accounting {
            Accounting::Attempt => self.policy.config().attempt_timeout,
            Accounting::Call => retry.deadline().since(now),
        })
    }

    async fn attempt(
        &self,
        timer: &impl Timer,
        exchange: &impl Exchange<L>,
        request: &L::Request,
        attempt: &Attempt<'_>,
    ) -> Result<L::Response, Box<CallError>> {
        let call_token = attempt.call_token();
        let timeout = pin!(exchange.give_up(timer, attempt));
        let work = pin!(caught(|| Boxed { work: exchange.ask(&self.inner, request, attempt) }));
        Err(match race(work, call_token, timeout).await {
            Raced::Done(Ok(Ok(response))) => return Ok(response),
            // A client that is told of the cancel fails in a way of its own, which says nothing about the service.
            Raced::Done(_) if call_token.is_some_and(CancelToken::is_cancelled) => Box::new(cancelled_in_flight()),
            Raced::Done(Ok(Err(error))) => error,
            Raced::Done(Err(panic)) => {
                Box::new(CallError::new(ErrorClass::ClientBug, format!("the client panicked: {panic}")))
            }
            Raced::Cancelled => {
                attempt.abandon(CancelReason::Cancelled);
                Box::new(cancelled_in_flight())
            }
            Raced::TimedOut(error) => {
                attempt.abandon(CancelReason::Timeout);
                error
            }
        })
    }

    fn report(&self, permit: Permit<'_>, error: &CallError, free: bool, took: Duration) {
        let retry_after = error.retry_after.map(|asked| asked.wait);
        let open_for = match error.breaker_verdict() {
            _ if free => return permit.neutral(),
            BreakerVerdict::Neutral => return permit.neutral(),
            BreakerVerdict::Failure => None,
            BreakerVerdict::OpenNow => Some(self.quota_cooldown),
        };
        permit.failure(FailureReport { retry_after, open_for, took, cause: Some(error.class) });
    }

    fn record(
        &self,
        attempt: &Attempt<'_>,
        error: Option<&CallError>,
        started: Timestamp,
        now: Timestamp,
        probe: bool,
    ) -> AttemptRecord {
        AttemptRecord {
            provider: self.name.clone(),
            attempt: attempt.number(),
            class: error.map(|error| error.class),
            status: error.and_then(|error| error.status),
            message: error.map(|error| error.message.clone()).unwrap_or_default(),
            started_at: attempt.began().since(started),
            duration: now.since(attempt.began()),
            delay: None,
            delay_source: None,
            retry_after: error.and_then(|error| error.retry_after),
            retry_after_malformed: error.and_then(|error| error.retry_after_malformed.clone()),
            breaker_state: self.breaker.state(),
            probe,
            maybe_billed: error.is_some_and(|error| error.maybe_billed),
        }
    }
}
