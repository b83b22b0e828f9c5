//! The ring against a plain list: whatever comes when, both hold the same calls and open at the same one.

use std::sync::Arc;

use proptest::prelude::*;
use resilience::breaker::{
    BreakerConfig, BreakerState, CircuitBreaker, FailureReport, WindowConfig, WindowCounts, WindowSpan,
};
use resilience::clock::{Clock, ManualClock};

use crate::support::ms;

/// All calls since the breaker closed: when, failed, slow.
#[derive(Default)]
struct List(Vec<(u64, bool, bool)>);

impl List {
    fn counts(&self, config: &WindowConfig, now: u64) -> WindowCounts {
        let inside: Vec<_> = match config.span {
            WindowSpan::Calls(calls) => self.0.iter().rev().take(calls as usize).collect(),
            WindowSpan::Time { length, buckets } => {
                let width = (length.as_nanos() / u128::from(buckets)).max(1) as u64;
                let bucket = |time: u64| time * 1_000_000 / width;
                let oldest = (bucket(now) + 1).saturating_sub(buckets.into());
                self.0.iter().filter(|(time, ..)| bucket(*time) >= oldest).collect()
            }
        };
        WindowCounts {
            total: inside.len() as u32,
            failed: inside.iter().filter(|(_, failed, _)| *failed).count() as u32,
            slow: inside.iter().filter(|(.., slow)| *slow).count() as u32,
        }
    }
}

fn is_bad(config: &WindowConfig, counts: WindowCounts) -> bool {
    // In thousandths, so that nothing is rounded.
    let reached = |rate: Option<f64>, part: u32| {
        rate.is_some_and(|rate| u64::from(part) * 1_000 >= (rate * 1_000.0).round() as u64 * u64::from(counts.total))
    };
    counts.total >= config.minimum_calls
        && (reached(config.failure_rate, counts.failed)
            || reached(config.slow_rate, counts.slow)
            || config.failures.is_some_and(|limit| counts.failed >= limit))
}

fn span() -> impl Strategy<Value = WindowSpan> {
    prop_oneof![
        (1..30_u32).prop_map(WindowSpan::Calls),
        (1..5_000_u64, 1..20_u32).prop_map(|(length, buckets)| WindowSpan::Time { length: ms(length), buckets }),
    ]
}

fn config() -> impl Strategy<Value = WindowConfig> {
    let rate = || (1..=1_000_u32).prop_map(|thousandths| f64::from(thousandths) / 1_000.0);
    (span(), 1..30_u32, rate(), prop::option::of(rate()), prop::option::of(1..20_u32)).prop_map(
        |(span, minimum, rate, slow_rate, failures)| {
            let most = if let WindowSpan::Calls(calls) = span { calls } else { u32::MAX };
            WindowConfig {
                span,
                minimum_calls: minimum.min(most),
                failure_rate: Some(rate),
                failures: failures.map(|failures| failures.min(most)),
                slow_rate,
                slow_call: ms(100),
            }
        },
    )
}

/// Steps of time, whether each call failed, how long it took: half of the lists hold long runs of nothing but good calls.
fn calls() -> impl Strategy<Value = Vec<(u64, bool, u64)>> {
    prop_oneof![Just(0.5), Just(0.02)].prop_flat_map(|bad| {
        let took = prop::bool::weighted(bad).prop_flat_map(|slow| if slow { 100..200_u64 } else { 0..100_u64 });
        prop::collection::vec((0..2_000_u64, prop::bool::weighted(bad), took), 1..300)
    })
}

proptest! {
    #[test]
    fn the_ring_and_a_plain_list_agree(
        window in config(),
        calls in calls(),
    ) {
        let clock = ManualClock::new();
        let config = BreakerConfig { cooldown: ms(0), window: Some(window), ..BreakerConfig::default() };
        let breaker = CircuitBreaker::with_clock(config, Arc::new(clock.clone()), Arc::new(|| 0.5)).unwrap();
        let mut list = List::default();
        for (step, failed, took) in calls {
            // Many calls at one moment, and long silences.
            clock.advance(ms(step.saturating_sub(1_000)));
            let now = clock.now().since_origin().as_millis() as u64;
            let permit = breaker.try_acquire().unwrap();
            let probe = permit.is_probe();
            if failed {
                permit.failure(FailureReport { took: ms(took), ..FailureReport::default() });
            } else {
                permit.success_in(ms(took));
            }
            if probe {
                prop_assert_eq!(breaker.state(), if failed { BreakerState::Open } else { BreakerState::Closed });
                list.0.clear();
                prop_assert_eq!(breaker.window_counts(), Some(WindowCounts::default()));
                continue;
            }
            list.0.push((now, failed, took >= 100));
            let counts = list.counts(&window, now);
            if is_bad(&window, counts) {
                prop_assert_eq!(breaker.state(), BreakerState::Open);
                list.0.clear();
            } else {
                prop_assert_eq!((breaker.state(), breaker.window_counts()), (BreakerState::Closed, Some(counts)));
            }
        }
    }
}
