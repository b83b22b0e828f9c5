//! Section F: waits that overflow, break their cap, lose their jitter or ignore an option.

use std::time::Duration;

use resilience::backoff::{Backoff, BackoffConfig, Jitter, multiplicative_delay_ms};
use resilience::client::{CallOptions, OutcomeStatus};
use resilience::random::{Rng, SeededRng};
use resilience::retry::RetryConfig;

use crate::support::{Reply, TestBreaker, client, middle, ms, retry_config, run};

const JITTERS: [Jitter; 6] = [
    Jitter::None,
    Jitter::MULTIPLICATIVE,
    Jitter::Full,
    Jitter::Equal,
    Jitter::Additive { max: ms(200) },
    Jitter::Decorrelated,
];

fn backoff(base: u64, factor: f64, max: u64, jitter: Jitter) -> Backoff {
    BackoffConfig { base: ms(base), factor, max_delay: ms(max), jitter }.build().unwrap()
}

/// The waits of one call, in milliseconds.
fn waits(backoff: &Backoff, count: usize, rng: &impl Rng) -> Vec<u64> {
    let mut delays = backoff.delays();
    (0..count).map(|_| delays.next(backoff, rng).as_millis() as u64).collect()
}

/// The wait after attempt `attempt`, drawn again and again.
fn draws(backoff: &Backoff, attempt: usize, count: usize) -> Vec<f64> {
    let rng = SeededRng::new(7);
    (0..count).map(|_| *waits(backoff, attempt, &rng).last().unwrap() as f64).collect()
}

fn mean(draws: &[f64]) -> f64 {
    draws.iter().sum::<f64>() / draws.len() as f64
}

fn deviation(draws: &[f64]) -> f64 {
    let mean = mean(draws);
    (draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64).sqrt()
}

#[test]
fn f2_polly_1866_dragonfly_4852_no_attempt_number_overflows() {
    let year = 365 * 24 * 3_600_000;
    for (base, factor, max) in [(1_000, 2.0, 30_000), (year, 10.0, year), (1, 1_000.0, year)] {
        let backoff = backoff(base, factor, max, Jitter::None);
        assert!(waits(&backoff, 5_000, &middle)[30..].iter().all(|&wait| wait == max));
    }
    // The calculator of article 000 has no cap of its own: it ends at the largest exact integer.
    for attempt in [31, 70, 1_024, u32::MAX] {
        assert_eq!(multiplicative_delay_ms(attempt, 2_f64.powi(53), 10.0, 0.5), 2_f64.powi(53) - 1.0);
    }
}

#[test]
fn f3_failsafe_115_jitter_wider_than_the_wait_stays_above_zero() {
    let rng = SeededRng::new(1);
    let wide = backoff(100, 2.0, 30_000, Jitter::Additive { max: ms(200) });
    assert!((0..10_000).all(|_| (100..300).contains(&waits(&wide, 1, &rng)[0])));
    let widest = backoff(100, 2.0, 30_000, Jitter::Multiplicative { spread: 1.0 });
    assert!((0..10_000).all(|_| (0..200).contains(&waits(&widest, 1, &rng)[0])));
}

#[test]
fn f4_agenda_1748_openai_agents_2676_rag_anything_323_backon_the_cap_holds_with_jitter() {
    let rng = SeededRng::new(2);
    for jitter in JITTERS {
        let backoff = backoff(100, 2.0, 500, jitter);
        for _ in 0..10_000 {
            let waits = waits(&backoff, 10, &rng);
            assert!(waits.iter().all(|&wait| wait <= 500), "{jitter:?}: {waits:?}");
        }
    }
}

#[test]
fn f5_adk_js_704_dkg_2291_retry_policies_10_p_retry_jitter_survives_at_the_cap() {
    for jitter in JITTERS.into_iter().filter(|jitter| *jitter != Jitter::None) {
        let backoff = backoff(100, 2.0, 500, jitter);
        for attempt in 4..=10 {
            let draws = draws(&backoff, attempt, 10_000);
            let at_cap = draws.iter().filter(|&&draw| draw >= 499.5).count();
            assert!(at_cap < 500, "{jitter:?}, attempt {attempt}: {at_cap} of 10 000 at the cap");
            assert!(deviation(&draws) > 50.0, "{jitter:?}, attempt {attempt}: {}", deviation(&draws));
        }
    }
}

#[test]
fn f6_tower_resilience_438_backon_what_is_no_multiplier_is_refused() {
    let refused = |change: &dyn Fn(&mut BackoffConfig)| {
        let mut config = BackoffConfig::default();
        change(&mut config);
        config.build().unwrap_err().field
    };
    for nonsense in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -2.0, -0.0, 0.0, 0.999, 1e300] {
        assert_eq!(refused(&|config| config.factor = nonsense), "factor", "{nonsense}");
    }
    for nonsense in [f64::NAN, f64::INFINITY, -0.1, 1.1] {
        assert_eq!(refused(&|config| config.jitter = Jitter::Multiplicative { spread: nonsense }), "jitterSpread");
    }
    assert_eq!(refused(&|config| config.base = Duration::MAX), "baseMs");
    assert_eq!(refused(&|config| config.max_delay = ms(499)), "maxMs");
    assert_eq!(refused(&|config| config.max_delay = ms(500) - Duration::from_nanos(1)), "maxMs");
    assert_eq!(refused(&|config| config.max_delay = Duration::MAX), "maxMs");
    assert_eq!(refused(&|config| config.jitter = Jitter::Additive { max: ms(30_001) }), "jitterMs");
}

#[test]
fn f6_tower_resilience_438_backon_limits_of_any_length_do_not_panic() {
    let refused = RetryConfig { deadline: Duration::MAX, ..retry_config(2) }.build().unwrap_err();
    assert_eq!(refused.field, "deadlineMs");
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(2), [Reply::ok()]);
    let options = CallOptions { deadline: Some(Duration::MAX), ..CallOptions::default() };
    assert_eq!(run(&breaker.clock, client.execute("hi", options)).status, OutcomeStatus::Ok);
}

#[test]
fn f7_failsafe_rs_1_1_full_jitter_grows_exponentially() {
    let backoff = backoff(1_000, 2.0, 64_000, Jitter::Full);
    for attempt in 1..=9 {
        let expected = (1_000.0 * 2_f64.powi(attempt - 1)).min(64_000.0) / 2.0;
        let mean = mean(&draws(&backoff, attempt as usize, 20_000));
        assert!((mean / expected - 1.0).abs() < 0.03, "attempt {attempt}: {mean}, not {expected}");
    }
}

#[test]
fn f8_failsafe_go_23_cockatiel_the_factor_is_used() {
    assert_eq!(waits(&backoff(100, 3.0, 30_000, Jitter::None), 4, &middle), [100, 300, 900, 2_700]);
    for jitter in [Jitter::MULTIPLICATIVE, Jitter::Full, Jitter::Equal] {
        let waits = waits(&backoff(1_000, 3.0, 1_000_000, jitter), 4, &middle);
        assert!(waits.windows(2).all(|pair| pair[1] == 3 * pair[0]), "{jitter:?}: {waits:?}");
    }
}

#[test]
fn f9_vellum_assistant_3227_p_retry_a_wait_beyond_32_bits_is_waited() {
    let month = 3_000_000_000;
    let breaker = TestBreaker::new();
    let config = RetryConfig {
        backoff: BackoffConfig { base: ms(month), max_delay: ms(month), factor: 2.0, jitter: Jitter::None },
        deadline: ms(10 * month),
        ..retry_config(2)
    };
    let client = client(&breaker, config, [Reply::fail(), Reply::fail(), Reply::ok()]);
    run(&breaker.clock, client.chat("hi")).unwrap();
    assert_eq!(client.inner().called_at(), [0, month, 2 * month]);
}

#[test]
fn f10_pulsar_25669_the_first_wait_is_jittered_too() {
    for jitter in JITTERS.into_iter().filter(|jitter| *jitter != Jitter::None) {
        let mut draws: Vec<u64> =
            draws(&backoff(1_000, 2.0, 30_000, jitter), 1, 1_000).iter().map(|&d| d as u64).collect();
        draws.sort_unstable();
        draws.dedup();
        assert!(draws.len() > 100, "{jitter:?}: {} different waits in 1000", draws.len());
    }
}

#[test]
fn failsafe_rs_1_3_half_a_second_is_a_base() {
    assert_eq!(waits(&backoff(500, 2.0, 30_000, Jitter::None), 3, &middle), [500, 1_000, 2_000]);
    // Whole milliseconds stay whole: 1001 ms as seconds times 1000 is 1000.999….
    let exact = (1..=20_000).all(|base| waits(&backoff(base, 2.0, 30_000, Jitter::None), 1, &middle) == [base]);
    assert!(exact);
}
