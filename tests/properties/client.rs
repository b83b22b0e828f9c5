//! The client's outcome always adds up, whatever the service does and whenever the app cancels.

use proptest::prelude::*;
use resilience::breaker::BreakerState;
use resilience::cancel::{CancelReason, CancelToken};
use resilience::classify::{BreakerVerdict, CallError, ErrorClass, RetryAfter, RetryAfterSource};
use resilience::client::{CallOptions, Outcome, OutcomeStatus};
use resilience::clock::{Clock, ManualClock, Timer};
use resilience::retry::{DelaySource, RetryConfig, StopReason};
use std::time::Duration;

use crate::cases;
use crate::support::{Client, Reply, TestBreaker, client, join_all, ms, retry_config, run};

#[derive(Debug, Clone)]
struct Plan {
    retry: RetryConfig,
    threshold: u32,
    cooldown: u64,
    probes: u32,
    script: Vec<Reply>,
    calls: Vec<Call>,
}

#[derive(Debug, Clone)]
struct Call {
    pause: u64,
    deadline: Option<u64>,
    cancel_after: Option<u64>,
}

pub fn reply() -> impl Strategy<Value = Reply> {
    let wait = prop::option::weighted(0.3, prop_oneof![0..300_u64, 0..100_000_u64]);
    let says = prop::option::weighted(0.2, any::<bool>());
    let error = (prop::sample::select(ErrorClass::ALL.to_vec()), wait, says).prop_map(|(class, wait, retryable)| {
        let retry_after = wait.map(|wait| RetryAfter { wait: ms(wait), source: RetryAfterSource::Seconds });
        Reply::error(CallError { retry_after, retryable, ..CallError::new(class, "scripted") })
    });
    let overloaded = Just(Reply::fail());
    let odd = prop_oneof![Just(Reply::hang()), Just(Reply::aborts()), Just(Reply::panic())];
    let end = prop_oneof![3 => Just(Reply::ok()), 4 => error, 4 => overloaded, 1 => odd];
    (end, prop_oneof![Just(0), 0..600_u64])
        .prop_map(|(reply, latency)| if latency > 0 { reply.after(latency) } else { reply })
}

fn plan() -> impl Strategy<Value = Plan> {
    let limits = (0..5_u32, 1..800_u64, 1..3_000_u64, prop_oneof![Just(0), 0..2_000_u64], any::<bool>());
    let retry = limits.prop_map(|(retries, timeout, deadline, longest, retry_unsafe)| RetryConfig {
        attempt_timeout: ms(timeout),
        deadline: ms(deadline),
        retry_after_max: ms(longest),
        retry_unsafe,
        ..retry_config(retries)
    });
    let call = (0..1_500_u64, prop::option::of(0..1_500_u64), prop::option::weighted(0.3, 0..1_000_u64))
        .prop_map(|(pause, deadline, cancel_after)| Call { pause, deadline, cancel_after });
    let script = prop::collection::vec(reply(), 1..12);
    (retry, (1..5_u32, 0..1_000_u64, 1..3_u32), script, prop::collection::vec(call, 1..6)).prop_map(
        |(retry, (threshold, cooldown, probes), script, calls)| Plan {
            retry,
            threshold,
            cooldown,
            probes,
            script,
            calls,
        },
    )
}

impl Plan {
    fn breaker(&self) -> TestBreaker {
        TestBreaker::with(|config| {
            config.failure_threshold = self.threshold;
            config.cooldown = ms(self.cooldown);
            config.half_open_probes = self.probes;
        })
    }
}

async fn one_call(client: &Client, clock: &ManualClock, call: &Call) -> Outcome<String> {
    clock.sleep_until(clock.now() + ms(call.pause)).await;
    let token = CancelToken::new();
    let options =
        CallOptions { cancel: Some(token.clone()), deadline: call.deadline.map(ms), ..CallOptions::default() };
    let mut work = std::pin::pin!(client.execute("hi", options));
    let Some(after) = call.cancel_after else { return work.await };
    let outcome = tokio::select! {
        biased;
        outcome = &mut work => outcome,
        () = clock.sleep_until(clock.now() + ms(after)) => {
            token.cancel(CancelReason::Cancelled);
            work.await
        }
    };
    assert_eq!(token.listeners(), 0);
    outcome
}

/// What holds for each outcome by itself.
fn adds_up(plan: &Plan, call: &Call, outcome: &Outcome<String>) -> Result<(), TestCaseError> {
    let retry = &plan.retry;
    let trace = &outcome.trace;
    let deadline = retry.deadline.min(call.deadline.map_or(Duration::MAX, ms));
    prop_assert!(trace.len() <= retry.max_retries as usize + 1);
    prop_assert!(outcome.elapsed <= deadline, "{:?} of {deadline:?}", outcome.elapsed);
    prop_assert!(trace.iter().map(|attempt| attempt.duration).sum::<Duration>() <= outcome.elapsed);
    let mut expected_start = ms(0);
    for (index, attempt) in trace.iter().enumerate() {
        prop_assert_eq!(attempt.attempt as usize, index + 1);
        prop_assert_eq!(attempt.started_at, expected_start);
        prop_assert!(attempt.duration <= retry.attempt_timeout);
        prop_assert_eq!(attempt.delay.is_some(), attempt.delay_source.is_some());
        if let Some(delay) = attempt.delay {
            let asked = attempt.retry_after.map_or(ms(0), |asked| asked.wait);
            prop_assert!(delay >= asked, "never earlier than asked");
            prop_assert!(asked <= retry.retry_after_max);
            prop_assert!(attempt.started_at + attempt.duration + delay < deadline, "no sleep past the deadline");
            prop_assert!(attempt.delay_source == Some(DelaySource::RetryAfter) || delay >= ms(100));
        }
        expected_start = attempt.started_at + attempt.duration + attempt.delay.unwrap_or_default();
        prop_assert!(attempt.delay.is_some() || index + 1 == trace.len(), "only the last has no wait");
        // Unless another probe has closed the breaker meanwhile.
        let retried_probe = attempt.probe && index + 1 < trace.len();
        prop_assert!(!retried_probe || attempt.breaker_state == BreakerState::Closed, "a probe is not retried");
    }
    let cancelled = outcome.status == OutcomeStatus::Cancelled;
    if cancelled {
        prop_assert!(outcome.elapsed <= expected_start);
    } else {
        prop_assert_eq!(outcome.elapsed, expected_start);
    }
    let ok = outcome.status == OutcomeStatus::Ok;
    prop_assert_eq!(ok, outcome.stop_reason == StopReason::Success);
    prop_assert_eq!(ok, outcome.response.is_some());
    prop_assert_eq!(ok, trace.last().is_some_and(|attempt| attempt.class.is_none()));
    prop_assert_eq!(cancelled, outcome.stop_reason == StopReason::Cancelled);
    prop_assert_eq!(outcome.used_fallback(), outcome.fallback_text.is_some());
    prop_assert!(trace.iter().rev().skip(1).all(|attempt| attempt.class.is_some()));
    let reaches = outcome.error.as_ref().is_some_and(CallError::reaches_caller);
    prop_assert_eq!(outcome.status == OutcomeStatus::Error || cancelled, reaches);
    Ok(())
}

fn counted(outcomes: &[Outcome<String>], verdict: Option<BreakerVerdict>) -> u64 {
    let attempts = outcomes.iter().flat_map(|outcome| &outcome.trace);
    attempts.filter(|attempt| attempt.class.map(|class| class.handling().breaker) == verdict).count() as u64
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn of_calls_one_after_the_other(plan in plan()) {
        let breaker = plan.breaker();
        let client = client(&breaker, plan.retry, plan.script.clone());
        let mut outcomes = Vec::new();
        for call in &plan.calls {
            let before = client.inner().calls();
            let outcome = run(&breaker.clock, one_call(&client, &breaker.clock, call));
            adds_up(&plan, call, &outcome)?;
            prop_assert_eq!(client.inner().calls() - before, outcome.trace.len());
            prop_assert_eq!(client.last_attempts() as usize, outcome.trace.len());
            prop_assert_eq!(client.used_fallback(), outcome.used_fallback());
            prop_assert_eq!(breaker.clock.pending_sleeps(), 0);
            outcomes.push(outcome);
        }
        let stats = breaker.stats();
        prop_assert_eq!(stats.successes, counted(&outcomes, None));
        prop_assert_eq!(stats.neutral, counted(&outcomes, Some(BreakerVerdict::Neutral)));
        let failures = counted(&outcomes, Some(BreakerVerdict::Failure)) + counted(&outcomes, Some(BreakerVerdict::OpenNow));
        prop_assert_eq!((stats.failures, stats.stale), (failures, 0));
        if breaker.state() == BreakerState::HalfOpen && breaker.retry_after().is_zero() {
            let places: Vec<_> = (0..plan.probes).map(|_| breaker.try_acquire()).collect();
            prop_assert!(places.iter().all(Result::is_ok), "a place was not given back");
        }
    }

    #[test]
    fn of_calls_at_once(plan in plan()) {
        let breaker = plan.breaker();
        let client = client(&breaker, plan.retry, plan.script.clone());
        let calls = plan.calls.iter().map(|call| one_call(&client, &breaker.clock, call));
        let outcomes = run(&breaker.clock, join_all(calls));
        for (call, outcome) in plan.calls.iter().zip(&outcomes) {
            adds_up(&plan, call, outcome)?;
        }
        let attempts: usize = outcomes.iter().map(|outcome| outcome.trace.len()).sum();
        prop_assert_eq!(client.inner().calls(), attempts);
        let stats = breaker.stats();
        let reported = stats.successes + stats.failures + stats.neutral + stats.stale;
        prop_assert_eq!(reported, attempts as u64, "each attempt reports once");
        prop_assert_eq!(breaker.clock.pending_sleeps(), 0);
    }
}
