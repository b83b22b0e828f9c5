use std::time::Duration;

use super::*;
use crate::backoff::{BackoffConfig, Jitter};
use crate::classify::{CallError, ErrorClass, RetryAfter, RetryAfterSource};
use crate::clock::Timestamp;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// One call whose second attempt has failed: what the policy makes of it.
struct Case {
    config: RetryConfig,
    error: CallError,
    now: Timestamp,
}

impl Case {
    /// Nothing speaks against a retry.
    fn new() -> Self {
        let backoff = BackoffConfig { base: ms(100), jitter: Jitter::None, ..BackoffConfig::default() };
        let config = RetryConfig {
            max_retries: 2,
            backoff,
            deadline: ms(10_000),
            retry_after_spread: 0.0,
            ..RetryConfig::default()
        };
        Self { config, error: CallError::new(ErrorClass::Server, "500"), now: Timestamp::ZERO }
    }

    fn asking_for(self, wait: Duration) -> Self {
        let retry_after = Some(RetryAfter { wait, source: RetryAfterSource::Seconds });
        Self { error: CallError { retry_after, ..self.error }, ..self }
    }

    fn of(class: ErrorClass) -> Self {
        Self { error: CallError::new(class, ""), ..Self::new() }
    }

    fn at(self, millis: u64) -> Self {
        Self { now: Timestamp::from_millis(millis), ..self }
    }

    fn decide(&self) -> Decision {
        let policy = self.config.build().unwrap();
        RetryState::begin(&policy, Timestamp::ZERO).after_failure(&policy, &self.error, self.now, &|| 0.5)
    }
}

fn after_backoff(delay: u64) -> Decision {
    Decision::Retry { delay: ms(delay), source: DelaySource::Backoff }
}

fn when_asked(delay: u64) -> Decision {
    Decision::Retry { delay: ms(delay), source: DelaySource::RetryAfter }
}

/// Each obstacle alone gives its reason; with all later ones on top it still does: that is the order of the checks.
#[test]
fn the_checks_come_in_their_order() {
    type Obstacle = (StopReason, fn(Case) -> Case);
    let obstacles: [Obstacle; 6] = [
        (StopReason::Cancelled, |case| Case { error: CallError::new(ErrorClass::Cancelled, ""), ..case }),
        (StopReason::NotRetryable, |case| Case { error: CallError { retryable: Some(false), ..case.error }, ..case }),
        (StopReason::Deadline, |case| case.at(10_000)),
        (StopReason::Attempts, |case| Case { config: RetryConfig { max_retries: 0, ..case.config }, ..case }),
        (StopReason::RetryAfterTooLong, |case| case.asking_for(ms(60_001))),
        (StopReason::Deadline, |case| case.at(9_950)),
    ];
    assert_eq!(Case::new().decide(), after_backoff(100));
    for (first, (reason, obstacle)) in obstacles.iter().enumerate() {
        assert_eq!(obstacle(Case::new()).decide(), Decision::Stop(*reason), "{reason:?} alone");
        let case = obstacles[first..].iter().rev().fold(Case::new(), |case, (_, obstacle)| obstacle(case));
        assert_eq!(case.decide(), Decision::Stop(*reason), "{reason:?} before all later ones");
    }
}

#[test]
fn two_retries_are_three_attempts_and_an_attempt_made_before_is_one_of_them() {
    let case = Case::new();
    let policy = case.config.build().unwrap();
    let fail = |call: &mut RetryState| call.after_failure(&policy, &case.error, case.now, &|| 0.5);
    let mut call = RetryState::begin(&policy, Timestamp::ZERO);
    let third = Decision::Stop(StopReason::Attempts);
    assert_eq!([fail(&mut call), fail(&mut call), fail(&mut call)], [after_backoff(100), after_backoff(200), third]);
    let mut continued = RetryState::begin(&policy, Timestamp::ZERO).with_attempts(1);
    assert_eq!([fail(&mut continued), fail(&mut continued)], [after_backoff(100), third]);
}

#[test]
fn a_backoff_that_begins_again_gives_back_no_attempt() {
    let case = Case::new();
    let policy = case.config.build().unwrap();
    let fail = |call: &mut RetryState| call.after_failure(&policy, &case.error, case.now, &|| 0.5);
    let mut call = RetryState::begin(&policy, Timestamp::ZERO);
    assert_eq!(fail(&mut call), after_backoff(100));
    call.begin_backoff_again(&policy);
    assert_eq!([fail(&mut call), fail(&mut call)], [after_backoff(100), Decision::Stop(StopReason::Attempts)]);
}

#[test]
fn it_tells_its_settings() {
    let config = RetryConfig { max_retries: 7, ..RetryConfig::default() };
    assert_eq!(config.build().unwrap().config(), &config);
}

#[test]
fn the_longer_of_backoff_and_retry_after_is_waited() {
    for (asked, expected) in [(0, after_backoff(100)), (100, after_backoff(100)), (101, when_asked(101))] {
        assert_eq!(Case::new().asking_for(ms(asked)).decide(), expected, "{asked}");
    }
}

#[test]
fn a_retry_after_is_spread_later_by_its_share_and_within_the_deadline() {
    let spread = |spread, asked, now, chance: f64| {
        let case = Case::new();
        let config = RetryConfig { retry_after_spread: spread, ..case.config };
        let policy = config.build().unwrap();
        let error = Case { config, ..case }.asking_for(ms(asked)).error;
        let mut call = RetryState::begin(&policy, Timestamp::ZERO);
        match call.after_failure(&policy, &error, Timestamp::from_millis(now), &move || chance) {
            Decision::Retry { delay, source: DelaySource::RetryAfter } => delay,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(RetryConfig::default().retry_after_spread, 0.1);
    assert_eq!(spread(0.1, 5_000, 0, 0.0), ms(5_000), "never earlier than asked");
    assert_eq!(spread(0.1, 5_000, 0, 0.5), ms(5_250));
    assert_eq!(spread(1.0, 3_000, 0, 0.999_999), ms(5_999));
    assert_eq!(spread(0.1, 101, 0, 0.999_999), ms(111), "whole milliseconds");
    assert_eq!(spread(1.0, 5_000, 4_000, 0.5), ms(5_500), "over what the deadline leaves");
    assert_eq!(spread(1.0, 5_000, 4_999, 1.0), ms(5_000));
}

#[test]
fn a_free_failure_is_followed_by_a_retry_at_once_unless_nothing_may_follow() {
    let free = |case: Case| {
        let policy = case.config.build().unwrap();
        RetryState::begin(&policy, Timestamp::ZERO).after_free_failure(&policy, &case.error, case.now)
    };
    let at_once = Decision::Retry { delay: ms(0), source: DelaySource::Reconnect };
    let no_retries = |case: Case| Case { config: RetryConfig { max_retries: 0, ..case.config }, ..case };
    assert_eq!(free(no_retries(Case::of(ErrorClass::Connect))), at_once, "it is none of them");
    assert_eq!(free(Case::of(ErrorClass::Cancelled)), Decision::Stop(StopReason::Cancelled));
    assert_eq!(free(Case::new().at(10_000)), Decision::Stop(StopReason::Deadline));
    let case = Case::of(ErrorClass::Interrupted);
    let careful = Case { config: RetryConfig { retry_unsafe: false, ..case.config }, ..case };
    assert_eq!(free(careful), Decision::Stop(StopReason::NotRetryable), "it may have been billed");
}

#[test]
fn a_wait_must_end_before_the_deadline() {
    assert_eq!(Case::new().at(9_899).decide(), after_backoff(100));
    assert_eq!(Case::new().at(9_900).decide(), Decision::Stop(StopReason::Deadline));
    assert_eq!(Case::new().asking_for(ms(500)).at(9_499).decide(), when_asked(500));
    let too_long = Decision::Stop(StopReason::RetryAfterTooLong);
    assert_eq!(Case::new().asking_for(ms(500)).at(9_500).decide(), too_long);
    assert_eq!(Case::new().asking_for(Duration::MAX).decide(), too_long);
}

#[test]
fn whatever_an_error_says_about_a_retry_wins_over_its_class() {
    for class in ErrorClass::ALL {
        let says = |retryable| {
            let case = Case::of(class);
            Case { error: CallError { retryable, ..case.error }, ..case }.decide()
        };
        let stopped = Decision::Stop(match class {
            ErrorClass::Cancelled => StopReason::Cancelled,
            _ => StopReason::NotRetryable,
        });
        let retried = if class == ErrorClass::Cancelled { stopped } else { after_backoff(100) };
        assert_eq!(says(Some(true)), retried, "{class}");
        assert_eq!(says(Some(false)), stopped, "{class}");
        assert_eq!(says(None), if class.handling().retry { retried } else { stopped }, "{class}");
    }
}

#[test]
fn what_may_have_been_billed_is_not_sent_again_unless_allowed() {
    for class in ErrorClass::ALL.into_iter().filter(|class| class.handling().retry) {
        let case = Case::of(class);
        let case = Case { config: RetryConfig { retry_unsafe: false, ..case.config }, ..case };
        let sent = matches!(class, ErrorClass::Interrupted | ErrorClass::Timeout);
        let expected = if sent { Decision::Stop(StopReason::NotRetryable) } else { after_backoff(100) };
        assert_eq!(case.decide(), expected, "{class}");
    }
}

#[test]
fn a_deadline_can_only_be_brought_forward() {
    let policy = Case::new().config.build().unwrap();
    let call = |deadline| RetryState::begin(&policy, Timestamp::from_millis(5)).with_deadline(deadline);
    assert_eq!(call(Timestamp::from_millis(70)).deadline(), Timestamp::from_millis(70));
    let unchanged = call(Timestamp::new(Duration::MAX));
    assert_eq!(unchanged.deadline(), Timestamp::from_millis(10_005));
    assert_eq!(unchanged.attempt_deadline(&policy, Timestamp::from_millis(9_000)), Timestamp::from_millis(10_005));
}

#[test]
fn each_value_out_of_its_range_is_refused_by_name() {
    let refused = |change: fn(&mut RetryConfig)| {
        let mut config = RetryConfig::default();
        change(&mut config);
        config.build().unwrap_err().field
    };
    assert_eq!(refused(|config| config.max_retries = 101), "maxRetries");
    assert_eq!(refused(|config| config.attempt_timeout = Duration::ZERO), "attemptTimeoutMs");
    assert_eq!(refused(|config| config.attempt_timeout = Duration::MAX), "attemptTimeoutMs");
    assert_eq!(refused(|config| config.deadline = Duration::ZERO), "deadlineMs");
    assert_eq!(refused(|config| config.deadline = Duration::MAX), "deadlineMs");
    assert_eq!(refused(|config| config.retry_after_max = Duration::MAX), "retryAfterMaxMs");
    assert_eq!(refused(|config| config.retry_after_spread = 1.1), "retryAfterSpread");
    assert_eq!(refused(|config| config.max_total_attempts = Some(0)), "maxTotalAttempts");
    assert_eq!(refused(|config| config.backoff.factor = 0.0), "factor");
    let budget = |capacity, per_call, per_minute| {
        RetryBudget::new(RetryBudgetConfig { capacity, per_call, per_minute }).unwrap_err().field
    };
    for nonsense in [f64::NAN, f64::INFINITY, -1.0, 10_001.0] {
        assert_eq!(budget(nonsense, 0.0, 0.0), "budget.capacity");
        assert_eq!(budget(0.0, nonsense, 0.0), "budget.perCall");
        assert_eq!(budget(0.0, 0.0, nonsense), "budget.perMinute");
    }
}
