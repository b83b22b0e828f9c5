//! What runs calls: time, chance, hooks and the fallback, whatever service is asked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use super::attempt::CallIdentity;
use super::call::{Call, End, cancelled};
use super::config::ClientConfig;
use super::fallback::Fallback;
use super::hooks::{Failure, Hooks, RetryEvent};
use super::outcome::{AttemptRecord, Outcome, OutcomeStatus};
use super::race::{Raced, caught, race};
use crate::cancel::CancelToken;
use crate::classify::{CallError, ErrorClass};
use crate::clock::{Timer, Timestamp};
use crate::log;
use crate::millis::millis;
use crate::random::{Rng, draw};
use crate::retry::{DelaySource, StopReason};

/// The least time that a fallback function gets, even when the deadline of its call has passed.
const LEAST_FALLBACK_TIME: Duration = Duration::from_secs(1);

pub(crate) struct Driver<T, H> {
    pub timer: T,
    pub rng: Arc<dyn Rng>,
    hooks: H,
    fallback: Fallback,
    /// The most time that a fallback function gets.
    fallback_timeout: Duration,
}

impl<T: Timer, H: Hooks> Driver<T, H> {
    pub fn new(timer: T, rng: Arc<dyn Rng>, hooks: H, config: &ClientConfig) -> Self {
        let (fallback, fallback_timeout) = (config.fallback.clone(), config.retry.attempt_timeout);
        Self { timer, rng, hooks, fallback, fallback_timeout }
    }

    /// Ends early when the call is cancelled.
    pub async fn sleep_until(&self, end: Timestamp, call: &CallIdentity) {
        let sleep = pin!(self.timer.sleep_until(end));
        race(sleep, call.cancel.as_ref(), pin!(std::future::pending::<()>())).await;
    }

    /// Waits before a retry, until `end`. With a `spread`, when the network comes back meanwhile or the app is resumed, only up
    /// to that much longer, but not less than until `soonest`. True: it was that.
    pub async fn back_off(
        &self,
        end: Timestamp,
        soonest: Timestamp,
        spread: Option<Duration>,
        call: &CallIdentity,
    ) -> bool {
        let Some((device, spread)) = self.timer.device().zip(spread) else {
            self.sleep_until(end, call).await;
            return false;
        };
        let (sleep, fresh_start) = (pin!(self.timer.sleep_until(end)), pin!(device.starts_afresh()));
        let woken = matches!(race(sleep, call.cancel.as_ref(), fresh_start).await, Raced::TimedOut(()));
        if woken {
            let early = self.timer.now() + Duration::from_millis((millis(spread) * draw(&*self.rng)) as u64);
            self.sleep_until(early.max(soonest).min(end), call).await;
        }
        woken
    }

    /// Runs a function of the app until `end`, or until the call is cancelled. `Err`: it panicked or did neither.
    pub async fn bounded<F: Future>(
        &self,
        start: impl FnOnce() -> F,
        end: Timestamp,
        call: &CallIdentity,
    ) -> Result<F::Output, String> {
        let (work, timeout) = (pin!(caught(start)), pin!(self.timer.sleep_until(end)));
        match race(work, call.cancel.as_ref(), timeout).await {
            Raced::Done(result) => result,
            Raced::TimedOut(()) => Err("it gave nothing in time".to_owned()),
            Raced::Cancelled => Err("the call was cancelled".to_owned()),
        }
    }

    /// Tells the log and the hook of a retry. `provider` is asked again, where there are several.
    pub fn tell_retry(&self, event: &RetryEvent<'_>, provider: Option<&str>) {
        let &RetryEvent { attempt, delay, error, .. } = event;
        let of = provider.map(|name| format!(" of {name:?}")).unwrap_or_default();
        log::debug(format_args!("attempt {attempt}{of} failed ({}), next in {} ms", error.class, delay.as_millis()));
        self.tell_hook(event);
    }

    /// Tells whoever asks that the call waits for `provider`, which lets nobody in: the record of the last attempt, the log, and
    /// the hook if there is an error to tell.
    pub fn tell_wait(
        &self,
        trace: &mut [AttemptRecord],
        delay: Duration,
        source: DelaySource,
        error: Option<&CallError>,
        provider: Option<&str>,
    ) {
        let attempt = trace.len() as u32;
        if let Some(entry) = trace.last_mut() {
            entry.delay = Some(entry.delay.unwrap_or_default() + delay);
            entry.delay_source = Some(source);
        }
        let service = provider.map_or_else(|| "the service".to_owned(), |name| format!("{name:?}"));
        log::debug(format_args!("waiting {} ms for {service} to come back", delay.as_millis()));
        if let Some(error) = error {
            self.tell_hook(&RetryEvent { attempt, delay, source, error });
        }
    }

    /// A hook that panics costs a line in the log, not the call.
    fn tell_hook(&self, event: &RetryEvent<'_>) {
        if catch_unwind(AssertUnwindSafe(|| self.hooks.on_retry(event))).is_err() {
            log::warn(format_args!("on_retry panicked"));
        }
    }

    /// What a call came to, and the fallback if it came to nothing.
    ///
    /// `partial_text` is what came of a streamed answer.
    pub async fn conclude<R>(&self, mut end: End<R>, partial_text: Option<String>, call: Call) -> Outcome<R> {
        if end.response.is_none() && end.reason != StopReason::Cancelled && call.identity.is_cancelled() {
            // By a hook or a listener that was told of the last failure.
            end = End::cancelled(cancelled(), end.at);
        }
        let Call { identity, started, deadline, trace, provider, passed_over, accepted, .. } = call;
        let status = match &end.error {
            _ if end.response.is_some() => OutcomeStatus::Ok,
            _ if end.reason == StopReason::Cancelled => OutcomeStatus::Cancelled,
            _ if end.reason == StopReason::Partial => OutcomeStatus::Partial,
            Some(error) if error.reaches_caller() => OutcomeStatus::Error,
            _ => OutcomeStatus::Fallback,
        };
        let mut outcome = Outcome {
            status,
            accepted: accepted && end.response.is_some(),
            partial_text: partial_text.filter(|_| end.response.is_none()),
            response: end.response,
            fallback_text: None,
            fallback_error: None,
            error: end.error.map(|error| *error),
            cause: end.cause,
            stop_reason: end.reason,
            retry_after: end.retry_after.filter(|wait| !wait.is_zero()),
            request_id: identity.request_id,
            elapsed: end.at.since(started),
            trace,
            provider,
            passed_over,
        };
        if status == OutcomeStatus::Fallback {
            // On the heap: the rare end must not make the future of each call larger.
            Box::pin(self.fall_back(&mut outcome, deadline, identity.cancel.as_ref())).await;
            outcome.elapsed = self.timer.now().since(started);
        }
        outcome
    }

    async fn fall_back<R>(&self, outcome: &mut Outcome<R>, deadline: Timestamp, cancel: Option<&CancelToken>) {
        let failure = Failure {
            stop_reason: outcome.stop_reason,
            error: outcome.error.as_ref(),
            cause: outcome.cause,
            retry_after: outcome.retry_after,
        };
        match self.ask_fallback(&failure, deadline, cancel).await {
            Some(Ok(text)) => outcome.fallback_text = Some(text),
            Some(Err(error)) => (outcome.status, outcome.fallback_error) = (OutcomeStatus::Error, Some(error)),
            None => {
                (outcome.status, outcome.stop_reason) = (OutcomeStatus::Cancelled, StopReason::Cancelled);
                (outcome.error, outcome.cause) = (Some(cancelled()), Some(ErrorClass::Cancelled));
            }
        }
    }

    /// The fallback runs once, and not for ever: it gets the time of one attempt, or what is left. `None`: the call was cancelled.
    async fn ask_fallback(
        &self,
        failure: &Failure<'_>,
        deadline: Timestamp,
        cancel: Option<&CancelToken>,
    ) -> Option<Result<String, String>> {
        let work = pin!(caught(|| self.hooks.fallback(failure, self.fallback.text(failure))));
        let now = self.timer.now();
        let end = (now + self.fallback_timeout).min(deadline.max(now + LEAST_FALLBACK_TIME));
        let timeout = pin!(self.timer.sleep_until(end));
        Some(match race(work, cancel, timeout).await {
            Raced::Done(Ok(text)) => text,
            Raced::Done(Err(panic)) => Err(format!("the fallback panicked: {panic}")),
            Raced::TimedOut(()) => Err(format!("the fallback gave no text within {} ms", end.since(now).as_millis())),
            Raced::Cancelled => return None,
        })
    }
}
