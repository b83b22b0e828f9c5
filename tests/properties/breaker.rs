//! The breaker against the model, over random sequences of events.

use std::sync::Arc;

use proptest::prelude::*;
use resilience::breaker::{BreakerConfig, CircuitBreaker, FailureReport};
use resilience::clock::ManualClock;

use crate::breaker_model::{Report, Settings, Switch};
use crate::breaker_pair::{Step, config, play};
use crate::cases;

fn settings() -> impl Strategy<Value = Settings> {
    let cooldown = prop_oneof![Just(0), 1..3_000_u64];
    let lease = prop::option::of(1..4_000_u64);
    let cooldowns = (cooldown, 1..4_u32, 0..10_000_u64, 0..5_000_u64);
    let counts = (1..5_u32, 1..4_usize, 1..4_u32);
    let max_retry_after = prop_oneof![Just(0), 0..8_000_u64];
    (cooldowns, counts, lease, max_retry_after).prop_map(|(cooldowns, counts, probe_lease, max_retry_after)| {
        let (cooldown, factor, above, cooldown_reset) = cooldowns;
        let (threshold, probes, success_threshold) = counts;
        Settings {
            threshold,
            cooldown,
            factor,
            max_cooldown: cooldown + above,
            cooldown_reset,
            max_retry_after,
            probes,
            success_threshold,
            probe_lease,
        }
    })
}

fn report() -> impl Strategy<Value = Report> {
    let retry_after = prop_oneof![4 => Just(0), 1 => 1..5_000_u64];
    let open_for = prop_oneof![9 => Just(None), 1 => (0..8_000_u64).prop_map(Some)];
    let failure = (retry_after, open_for).prop_map(|(retry_after, open_for)| Report::Failure { retry_after, open_for });
    prop_oneof![2 => Just(Report::Success), 4 => failure, 1 => Just(Report::Neutral)]
}

fn step() -> impl Strategy<Value = Step> {
    let wait = prop_oneof![Just(1), 0..100_u64, 500..4_000_u64];
    let switch =
        prop_oneof![Just(Switch::Isolate), Just(Switch::ForceClosed), Just(Switch::Reset), Just(Switch::Reset)];
    prop_oneof![
        4 => wait.prop_map(Step::Wait),
        8 => (0..3_000_u64).prop_map(|timeout| Step::Admit { timeout }),
        8 => (any::<usize>(), report()).prop_map(|(which, report)| Step::Report(which, report)),
        1 => switch.prop_map(Step::Switch),
    ]
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn it_does_what_the_model_does(settings in settings(), steps in prop::collection::vec(step(), 1..80)) {
        play(settings, steps);
    }

    #[test]
    fn no_cooldown_leaves_its_bounds(
        settings in settings(),
        spread in 0.0..=1.0,
        chance in proptest::num::f64::ANY,
        rounds in 1..200_usize,
    ) {
        let config = BreakerConfig { cooldown_spread: spread, failure_threshold: 1, ..config(&settings) };
        let clock = ManualClock::new();
        let rng = Arc::new(move || chance);
        let clock_of_breaker = Arc::new(clock.clone());
        let breaker = CircuitBreaker::with_clock(config, clock_of_breaker, rng).unwrap();
        let mut expected = settings.cooldown as f64;
        for _ in 0..rounds {
            breaker.try_acquire().unwrap().failure(FailureReport::default());
            let cooldown = breaker.retry_after().as_secs_f64() * 1_000.0;
            let (low, high) = (expected * (1.0 - spread), expected * (1.0 + spread));
            prop_assert!((low - 0.001..=high + 0.001).contains(&cooldown), "{cooldown} not in {low}..={high}");
            clock.advance(breaker.retry_after());
            expected = (expected * f64::from(settings.factor)).min(settings.max_cooldown as f64);
        }
    }
}
