//! The breaker and its model side by side: whatever happens, they must agree. The fuzz target plays here, too.

use std::time::Duration;

use resilience::breaker::{BreakerConfig, FailureReport, Permit};

use super::breaker_model::{Event, Model, Report, Settings, Switch};
use super::support::{TestBreaker, ms};

#[derive(Debug, Clone)]
pub enum Step {
    Wait(u64),
    Admit {
        timeout: u64,
    },
    /// Reports a call in flight; which one is drawn, so that results come in any order.
    Report(usize, Report),
    Switch(Switch),
}

pub fn config(settings: &Settings) -> BreakerConfig {
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

fn agree(breaker: &TestBreaker, model: &Model, now: u64) {
    assert_eq!(breaker.state(), model.state());
    assert_eq!(breaker.consecutive_failures(), model.failures);
    assert_eq!(breaker.stats(), model.stats);
    assert_eq!(breaker.retry_after(), model.retry_after(now).map_or(Duration::MAX, ms));
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
    assert_eq!(events, model.events);
}

/// Does the same to both and compares them after each step.
pub fn play(settings: Settings, steps: impl IntoIterator<Item = Step>) {
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
                    assert_eq!(permit.is_probe(), probe);
                    in_flight.push((permit, call));
                }
                (Err(rejection), Err((reason, wait))) => {
                    assert_eq!(rejection.reason, reason);
                    assert_eq!(rejection.retry_after, wait.map_or(Duration::MAX, ms));
                }
                (real, modelled) => panic!("{real:?}, but {modelled:?}"),
            },
            Step::Report(which, report) if !in_flight.is_empty() => {
                let (permit, call) = in_flight.remove(which % in_flight.len());
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
        agree(&breaker, &model, now);
    }
    for (permit, call) in in_flight {
        drop(permit);
        model.report(call, Report::Neutral, now);
    }
    agree(&breaker, &model, now);
}
