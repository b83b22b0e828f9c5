//! No wait outside its bounds, and no crowd at the cap.

use proptest::prelude::*;
use resilience::MAX_DURATION;
use resilience::backoff::{Backoff, BackoffConfig, Jitter, multiplicative_delay_ms};
use resilience::random::{Rng, SeededRng};

use crate::cases;
use crate::support::ms;

const YEAR: u64 = MAX_DURATION.as_millis() as u64;

/// Short times mostly, long ones too.
fn time() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..10_000_u64, 1 => 0..=YEAR]
}

fn config() -> impl Strategy<Value = BackoffConfig> {
    let factor = prop_oneof![Just(1.0), Just(2.0), 1.0..=3.0, 1.0..=1_000.0];
    let times = (time(), time(), 0.0..=1.0);
    (times, factor, 0.0..=1.0, 0..6).prop_map(|((one, other, share), factor, spread, kind)| {
        let (base, max) = (ms(one.min(other)), ms(one.max(other)));
        let jitter = match kind {
            0 => Jitter::None,
            1 => Jitter::Multiplicative { spread },
            2 => Jitter::Full,
            3 => Jitter::Equal,
            4 => Jitter::Additive { max: max.mul_f64(share).min(max) },
            _ => Jitter::Decorrelated,
        };
        BackoffConfig { base, factor, max_delay: max, jitter }
    })
}

/// What an app's rng may give.
fn drawn() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 0.0..1.0, 1 => Just(1.0), 1 => Just(-1.0), 1 => proptest::num::f64::ANY]
}

/// What the documentation of the jitter promises, in milliseconds.
fn bounds(config: &BackoffConfig, exponential: f64, previous: f64) -> (f64, f64) {
    let (base, max) = (config.base.as_secs_f64() * 1e3, config.max_delay.as_secs_f64() * 1e3);
    let capped = exponential.min(max);
    match config.jitter {
        Jitter::None => (capped, capped),
        Jitter::Multiplicative { spread } => {
            let middle = exponential.min(max / (1.0 + spread));
            (middle * (1.0 - spread), middle * (1.0 + spread))
        }
        Jitter::Full => (0.0, capped),
        Jitter::Equal => (capped / 2.0, capped),
        Jitter::Additive { max: most } => {
            let most = most.as_secs_f64() * 1e3;
            let low = exponential.min(max - most);
            (low, low + most)
        }
        Jitter::Decorrelated => (base, (3.0 * previous).max(base).min(max)),
    }
}

fn last_wait(backoff: &Backoff, attempt: usize, rng: &impl Rng) -> f64 {
    let mut delays = backoff.delays();
    (0..attempt).map(|_| delays.next(backoff, rng)).last().map_or(0.0, |wait| wait.as_secs_f64() * 1e3)
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn no_wait_leaves_its_bounds_whatever_is_drawn(
        config in config(),
        drawn in prop::collection::vec(drawn(), 1..60),
    ) {
        let backoff = config.build().unwrap();
        let mut delays = backoff.delays();
        let mut exponential = config.base.as_secs_f64() * 1e3;
        let mut previous = exponential;
        for drawn in drawn {
            let wait = delays.next(&backoff, &move || drawn);
            let millis = wait.as_secs_f64() * 1e3;
            prop_assert!(wait <= config.max_delay);
            prop_assert_eq!(wait.subsec_nanos() % 1_000_000, 0, "whole milliseconds");
            let (low, high) = bounds(&config, exponential, previous);
            // One millisecond for rounding down, and what floating point loses.
            prop_assert!(low * (1.0 - 1e-9) - 1.0 <= millis && millis <= high * (1.0 + 1e-9), "{millis} not in {low}..={high}");
            exponential = (exponential * config.factor).min(1e18);
            previous = millis + 1.0;
        }
    }

    #[test]
    fn the_calculator_of_article_000_stays_in_its_interval(
        attempt in any::<u32>(),
        base in 0.0..1e16,
        factor in 1.0..1e3,
        drawn in proptest::num::f64::ANY,
    ) {
        let wait = multiplicative_delay_ms(attempt, base, factor, drawn);
        prop_assert!((0.0..=9_007_199_254_740_991.0).contains(&wait) && wait.fract() == 0.0, "{wait}");
        let exponential = base * factor.powf(f64::from(attempt.max(1)) - 1.0);
        if exponential < 1e15 {
            prop_assert!((0.5 * exponential - 1.0..=1.5 * exponential).contains(&wait), "{wait} for {exponential}");
        }
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn at_the_cap_the_waits_are_still_spread(max in 1_000..=YEAR, share in 0.4..=1.0, kind in 0..5, seed in any::<u64>()) {
        let jitter = match kind {
            0 => Jitter::Multiplicative { spread: share },
            1 => Jitter::Full,
            2 => Jitter::Equal,
            3 => Jitter::Additive { max: ms(max).mul_f64(share) },
            _ => Jitter::Decorrelated,
        };
        let config = BackoffConfig { base: ms(max / 2), factor: 2.0, max_delay: ms(max), jitter };
        let (backoff, rng) = (config.build().unwrap(), SeededRng::new(seed));
        let waits: Vec<f64> = (0..1_000).map(|_| last_wait(&backoff, 10, &rng)).collect();
        let at_cap = waits.iter().filter(|&&wait| wait >= (max - 1) as f64).count();
        let mean = waits.iter().sum::<f64>() / 1e3;
        let deviation = (waits.iter().map(|wait| (wait - mean).powi(2)).sum::<f64>() / 1e3).sqrt();
        prop_assert!(at_cap < 50, "{at_cap} of 1000 at the cap");
        prop_assert!(deviation > 0.1 * max as f64, "deviation {deviation} of {max}");
    }
}
