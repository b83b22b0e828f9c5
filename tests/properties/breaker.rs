//! The breaker against the model, over random sequences of events.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use resilience::breaker::{BreakerConfig, CircuitBreaker, FailureReport, Permit};
use resilience::clock::ManualClock;

use crate::breaker_model::{Event, Model, Report, Settings, Switch};
use crate::cases;
use crate::support::{TestBreaker, ms};

#[derive(Debug, Clone)]
enum Step {
    Wait(u64),
    Admit {
        timeout: u64,
    },
    /// Reports a call in flight; which one is drawn, so that results come in any order.
    Report(prop::sample::Index, Report),
    Switch(Switch),
}

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
        8 => (any::<prop::sample::Index>(), report()).prop_map(|(index, report)| Step::Report(index, report)),
        1 => switch.prop_map(Step::Switch),
    ]
}

fn config(settings: &Settings) -> BreakerConfig {
    BreakerConfig {
        window: None,
        failure_threshold: settings.threshold,
        cooldown: ms(settings.cooldown),
        cooldown_factor: f64::from(settings.factor),
        max_cooldown: Some(ms(settings.max_cooldown)),
        cooldown_spread: 0.0,
        cooldown_reset: ms(settings.cooldown_reset),
        max_retry_after: ms(settings.max_retry_after),
        half_open_probes: settings.probes as u32,
        success_threshold: settings.success_threshold,
        probe_lease: settings.probe_lease.map(ms),
    }
}

fn reported(permit: Permit<'_>, report: Report) {
    match report {
        Report::Success => permit.success(),
        Report::Neutral => permit.neutral(),
        Report::Failure { retry_after, open_for } => {
            permit.failure(FailureReport {
                retry_after: Some(ms(retry_after)),
                open_for: open_for.map(ms),
                ..FailureReport::default()
            });
        }
    }
}

fn agree(breaker: &TestBreaker, model: &Model, now: u64) -> Result<(), TestCaseError> {
    prop_assert_eq!(breaker.state(), model.state());
    prop_assert_eq!(breaker.consecutive_failures(), model.failures);
    prop_assert_eq!(breaker.stats(), model.stats);
    prop_assert_eq!(breaker.retry_after(), model.retry_after(now).map_or(Duration::MAX, ms));
    let events: Vec<Event> = breaker
        .events()
        .iter()
        .map(|event| Event {
            from: event.from,
            to: event.to,
            reason: event.reason,
            at: event.at.since_origin().as_millis() as u64,
            failures: event.failures,
            cooldown: event.cooldown.as_millis() as u64,
        })
        .collect();
    prop_assert_eq!(&events, &model.events);
    Ok(())
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn it_does_what_the_model_does(settings in settings(), steps in prop::collection::vec(step(), 1..80)) {
        let breaker = TestBreaker::with(|breaker| *breaker = config(&settings));
        let mut model = Model::new(settings);
        let mut in_flight: Vec<(Permit<'_>, usize)> = Vec::new();
        let mut now = 0;
        for step in steps {
            match step {
                Step::Wait(millis) => {
                    now += millis;
                    breaker.at(now);
                }
                Step::Admit { timeout } => match (breaker.try_acquire_for(ms(timeout)), model.admit(now, timeout)) {
                    (Ok(permit), Ok((call, probe))) => {
                        prop_assert_eq!(permit.is_probe(), probe);
                        in_flight.push((permit, call));
                    }
                    (Err(rejection), Err((reason, wait))) => {
                        prop_assert_eq!(rejection.reason, reason);
                        prop_assert_eq!(rejection.retry_after, wait.map_or(Duration::MAX, ms));
                    }
                    (real, modelled) => prop_assert!(false, "{real:?}, but {modelled:?}"),
                },
                Step::Report(index, report) if !in_flight.is_empty() => {
                    let (permit, call) = in_flight.remove(index.index(in_flight.len()));
                    reported(permit, report);
                    model.report(call, report, now);
                }
                Step::Report(..) => {}
                Step::Switch(switch) => {
                    match switch {
                        Switch::Isolate => breaker.isolate(),
                        Switch::ForceClosed => breaker.force_closed(),
                        Switch::Reset => breaker.reset(),
                    }
                    model.switch(switch, now);
                }
            }
            agree(&breaker, &model, now)?;
        }
        for (permit, call) in in_flight {
            drop(permit);
            model.report(call, Report::Neutral, now);
        }
        agree(&breaker, &model, now)?;
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
