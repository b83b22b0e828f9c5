//! Every value outside its range is refused, by name; every other one is taken.

use std::fmt::Debug;
use std::time::Duration;

use proptest::prelude::*;
use resilience::InvalidConfig;
use resilience::MAX_DURATION;
use resilience::backoff::{BackoffConfig, Jitter};
use resilience::breaker::{BreakerConfig, CircuitBreaker};
use resilience::client::{ClientConfig, ResilientLlmClient};
use resilience::clock::ManualClock;
use resilience::mock::MockLlmClient;
use resilience::retry::{RetryBudget, RetryBudgetConfig, RetryConfig};

use crate::cases;

/// Around the limits of all ranges, and anywhere.
fn number() -> impl Strategy<Value = f64> {
    let limits =
        prop::sample::select(vec![-1.0, -0.0, 0.0, 0.5, 0.999, 1.0, 1.001, 100.0, 100.1, 1e3, 1_000.5, 1e4, 1e5]);
    prop_oneof![limits.boxed(), proptest::num::f64::ANY.boxed()]
}

fn count() -> impl Strategy<Value = u32> {
    prop_oneof![0..3_u32, 99..103_u32, 999..1_003_u32, any::<u32>()]
}

fn time() -> impl Strategy<Value = Duration> {
    let year = MAX_DURATION.as_nanos() as u64;
    let limits = prop_oneof![0..3_u64, 999_999..1_000_002_u64, year - 1..year + 2];
    prop_oneof![
        limits.prop_map(Duration::from_nanos),
        any::<Duration>(),
        (0..100_000_u64).prop_map(Duration::from_millis)
    ]
}

/// `built` must be refused exactly when a field is wrong, and must then name one that is.
fn check<T: Debug>(built: Result<T, InvalidConfig>, fields: &[(&str, bool)]) -> Result<(), TestCaseError> {
    let wrong: Vec<&str> = fields.iter().filter(|(_, valid)| !valid).map(|(name, _)| *name).collect();
    match built {
        Ok(_) => prop_assert!(wrong.is_empty(), "{wrong:?} should be refused"),
        Err(error) => {
            prop_assert!(wrong.contains(&error.field), "{error}, but wrong are {wrong:?}");
            prop_assert!(!error.value.is_empty() && error.allowed.contains(" from "), "{error}");
        }
    }
    Ok(())
}

fn valid(time: Duration) -> bool {
    time <= MAX_DURATION
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn of_the_breaker(
        (failure_threshold, half_open_probes, success_threshold) in (count(), count(), count()),
        (cooldown, cooldown_reset, max_retry_after) in (time(), time(), time()),
        (max_cooldown, probe_lease) in (prop::option::of(time()), prop::option::of(time())),
        (cooldown_factor, cooldown_spread) in (number(), number()),
    ) {
        let config = BreakerConfig {
            window: None,
            failure_threshold, cooldown, cooldown_factor, max_cooldown, cooldown_spread, cooldown_reset, max_retry_after,
            half_open_probes, success_threshold, probe_lease,
        };
        check(CircuitBreaker::new(config), &[
            ("failureThreshold", failure_threshold >= 1),
            ("cooldownMs", valid(cooldown)),
            ("cooldownFactor", (1.0..=100.0).contains(&cooldown_factor)),
            ("maxCooldownMs", max_cooldown.is_none_or(|max| max >= cooldown && valid(max))),
            ("cooldownSpread", (0.0..=1.0).contains(&cooldown_spread)),
            ("cooldownResetMs", valid(cooldown_reset)),
            ("maxRetryAfterMs", valid(max_retry_after)),
            ("halfOpenProbes", (1..=1_000).contains(&half_open_probes)),
            ("successThreshold", (1..=1_000).contains(&success_threshold)),
            ("probeLeaseMs", probe_lease.is_none_or(|lease| lease >= Duration::from_millis(1) && valid(lease))),
        ])?;
    }

    #[test]
    fn of_the_backoff(
        (base, max_delay, most) in (time(), time(), time()),
        (factor, spread) in (number(), number()),
        kind in 0..3,
    ) {
        let jitter = match kind {
            0 => Jitter::Multiplicative { spread },
            1 => Jitter::Additive { max: most },
            _ => Jitter::Decorrelated,
        };
        check(BackoffConfig { base, factor, max_delay, jitter }.build(), &[
            ("baseMs", valid(base)),
            ("factor", (1.0..=1_000.0).contains(&factor)),
            ("maxMs", max_delay >= base && valid(max_delay)),
            ("jitterSpread", kind != 0 || (0.0..=1.0).contains(&spread)),
            ("jitterMs", kind != 1 || most <= max_delay),
        ])?;
    }

    #[test]
    fn of_the_retry_policy(
        max_retries in count(),
        (attempt_timeout, deadline, retry_after_max) in (time(), time(), time()),
        (retry_after_spread, max_total_attempts) in (number(), prop::option::of(count())),
        retry_unsafe in any::<bool>(),
    ) {
        let config = RetryConfig {
            max_retries,
            backoff: BackoffConfig::default(),
            attempt_timeout,
            deadline,
            retry_after_max,
            retry_after_spread,
            max_total_attempts,
            retry_unsafe,
        };
        let at_least_one = |time| time >= Duration::from_millis(1) && valid(time);
        check(config.build(), &[
            ("maxRetries", max_retries <= 100),
            ("attemptTimeoutMs", at_least_one(attempt_timeout)),
            ("deadlineMs", at_least_one(deadline)),
            ("retryAfterMaxMs", valid(retry_after_max)),
            ("retryAfterSpread", (0.0..=1.0).contains(&retry_after_spread)),
            ("maxTotalAttempts", max_total_attempts.is_none_or(|attempts| (1..=10_000).contains(&attempts))),
        ])?;
    }

    #[test]
    fn of_the_client(
        (capacity, per_call, per_minute) in (number(), number(), number()),
        quota_cooldown in time(),
        factor in number(),
    ) {
        let budget = RetryBudgetConfig { capacity, per_call, per_minute };
        let of_budget = [
            ("budget.capacity", (0.0..=10_000.0).contains(&capacity)),
            ("budget.perCall", (0.0..=100.0).contains(&per_call)),
            ("budget.perMinute", (0.0..=10_000.0).contains(&per_minute)),
        ];
        check(RetryBudget::new(budget), &of_budget)?;
        let backoff = BackoffConfig { factor, ..Default::default() };
        let retry = RetryConfig { backoff, ..Default::default() };
        let config = ClientConfig { retry, budget, quota_cooldown, ..Default::default() };
        let breaker = std::sync::Arc::new(CircuitBreaker::new(BreakerConfig::default()).unwrap());
        let built = ResilientLlmClient::new(MockLlmClient::failing_first(0), config, breaker, ManualClock::new());
        let of_client = [("quotaCooldownMs", valid(quota_cooldown)), ("factor", (1.0..=1_000.0).contains(&factor))];
        check(built.map(|_| ()), &[&of_client[..], &of_budget[..]].concat())?;
    }
}
