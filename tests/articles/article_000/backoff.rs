//! `base · factor^(attempt − 1) · jitter`, jitter in `[0.5, 1.5)`.

use resilience::backoff::multiplicative_delay_ms as next_delay;
use resilience::random::{Rng, SeededRng};

#[test]
fn attempts_count_from_one_so_the_first_wait_is_the_base() {
    assert_eq!(next_delay(1, 200.0, 2.0, 0.5), 200.0);
    assert_eq!(next_delay(2, 200.0, 2.0, 0.5), 400.0);
    assert_eq!(next_delay(3, 200.0, 2.0, 0.5), 800.0);
}

#[test]
fn with_a_fixed_rng_the_wait_is_fixed() {
    for drawn in [0.0, 0.25, 0.999] {
        assert_eq!(next_delay(3, 100.0, 2.0, drawn), (400.0 * (0.5 + drawn)).floor());
    }
}

#[test]
fn the_wait_grows_with_each_attempt() {
    for drawn in [0.0, 0.3, 0.999] {
        let waits: Vec<f64> = (1..=20).map(|attempt| next_delay(attempt, 100.0, 2.0, drawn)).collect();
        assert!(waits.windows(2).all(|pair| pair[0] < pair[1]), "{waits:?}");
    }
}

#[test]
fn the_jitter_stays_between_half_and_one_and_a_half() {
    let rng = SeededRng::new(1);
    for attempt in 1..=10 {
        let base = 100.0 * 2_f64.powi(attempt - 1);
        let waits: Vec<f64> = (0..1_000).map(|_| next_delay(attempt as u32, 100.0, 2.0, rng.next_unit())).collect();
        assert!(waits.iter().all(|&wait| (0.5 * base..1.5 * base).contains(&wait)));
        let (shortest, longest) =
            waits.iter().fold((f64::MAX, 0_f64), |(low, high), &wait| (low.min(wait), high.max(wait)));
        assert!(shortest < 0.55 * base && longest > 1.45 * base, "it uses the whole width: {shortest} to {longest}");
    }
    assert_eq!(next_delay(1, 100.0, 2.0, 0.0), 50.0);
    assert_eq!(next_delay(1, 100.0, 2.0, 1.0), 149.0, "1 and more count as just below 1");
}

#[test]
fn the_jitter_is_in_proportion_to_the_wait() {
    let width = |attempt| next_delay(attempt, 1_000.0, 2.0, 1.0) - next_delay(attempt, 1_000.0, 2.0, 0.0);
    for attempt in 1..=10 {
        let ratio = width(attempt + 1) / width(attempt);
        assert!((1.99..=2.01).contains(&ratio), "attempt {attempt}: {ratio}");
    }
}

#[test]
fn the_wait_is_whole_milliseconds_rounded_down() {
    assert_eq!(next_delay(1, 101.0, 2.0, 0.25), 75.0);
}
