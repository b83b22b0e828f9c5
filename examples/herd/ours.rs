//! A device that runs this crate's own policies: the same decisions, in the same order, as `ResilientLlmClient` makes them.

use std::time::Duration;

use resilience::breaker::{BreakerState, CircuitBreaker, FailureReport, Permit};
use resilience::classify::{CallError, ErrorClass, RetryAfter, RetryAfterSource};
use resilience::clock::Timestamp;
use resilience::random::SeededRng;
use resilience::retry::{Decision, RetryBudget, RetryPolicy, RetryState};

use crate::service::Result;
use crate::simulation::{After, Client};

pub struct Ours<'a> {
    policy: &'a RetryPolicy,
    breaker: Option<&'a CircuitBreaker>,
    budget: Option<&'a RetryBudget>,
    permit: Option<Permit<'a>>,
    retry: RetryState,
}

impl<'a> Ours<'a> {
    pub fn new(policy: &'a RetryPolicy, breaker: Option<&'a CircuitBreaker>, budget: Option<&'a RetryBudget>) -> Self {
        Self { policy, breaker, budget, permit: None, retry: RetryState::begin(policy, Timestamp::ZERO) }
    }

    fn breaker_wait(&self) -> Duration {
        self.breaker.map_or(Duration::ZERO, CircuitBreaker::retry_after)
    }
}

impl Client for Ours<'_> {
    fn begin(&mut self, now: Timestamp) {
        self.retry = RetryState::begin(self.policy, now);
        self.budget.iter().for_each(|budget| budget.deposit_call());
    }

    fn admit(&mut self, _now: Timestamp) -> std::result::Result<(), After> {
        let permit = self.breaker.map(CircuitBreaker::try_acquire).transpose();
        self.permit = permit.map_err(|rejection| After::GiveUp(rejection.retry_after))?;
        Ok(())
    }

    fn answered(&mut self) {
        self.permit.take().into_iter().for_each(Permit::success);
    }

    fn failed(&mut self, result: Result, now: Timestamp, rng: &SeededRng) -> After {
        let error = error_of(result);
        let asked = error.retry_after.map(|asked| asked.wait);
        if let Some(permit) = self.permit.take() {
            permit.failure(FailureReport { retry_after: asked, cause: Some(error.class), ..Default::default() });
        }
        let decision = self.retry.after_failure(self.policy, &error, now, rng);
        let closed = self.breaker.is_none_or(|breaker| breaker.state() == BreakerState::Closed);
        let allowed = |delay| self.budget.is_none_or(|budget| budget.withdraw(now)).then_some(delay);
        match decision {
            Decision::Retry { delay, .. } if closed => allowed(delay).map(After::Retry),
            _ => None,
        }
        .unwrap_or_else(|| After::GiveUp(self.breaker_wait().max(asked.unwrap_or_default())))
    }
}

fn error_of(result: Result) -> CallError {
    let class = match result {
        Result::Answered | Result::Refused => ErrorClass::Connect,
        Result::TurnedAway(_) => ErrorClass::Overloaded,
        Result::TimedOut => ErrorClass::Timeout,
    };
    let Result::TurnedAway(Some(wait)) = result else { return CallError::new(class, "") };
    let retry_after = Some(RetryAfter { wait, source: RetryAfterSource::Seconds });
    CallError { retry_after, ..CallError::new(class, "") }
}
