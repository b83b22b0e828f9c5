use std::time::Duration;

use super::*;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn backoff(jitter: Jitter) -> Backoff {
    BackoffConfig { base: ms(100), factor: 2.0, max_delay: ms(1_000), jitter }.build().unwrap()
}

fn waits(jitter: Jitter, drawn: f64, count: usize) -> Vec<u64> {
    let backoff = backoff(jitter);
    let mut delays = backoff.delays();
    (0..count).map(|_| delays.next(&backoff, &move || drawn).as_millis() as u64).collect()
}

#[test]
fn each_jitter_at_its_lowest_middle_and_highest() {
    let additive = Jitter::Additive { max: ms(50) };
    let cases = [
        // jitter, at draw 0, at draw 0.5, just below 1
        (Jitter::None, [100, 200, 400, 800, 1_000], [100, 200, 400, 800, 1_000], [100, 200, 400, 800, 1_000]),
        (Jitter::MULTIPLICATIVE, [50, 100, 200, 333, 333], [100, 200, 400, 666, 666], [149, 299, 599, 999, 999]),
        (Jitter::Full, [0, 0, 0, 0, 0], [50, 100, 200, 400, 500], [99, 199, 399, 799, 999]),
        (Jitter::Equal, [50, 100, 200, 400, 500], [75, 150, 300, 600, 750], [99, 199, 399, 799, 999]),
        (additive, [100, 200, 400, 800, 950], [125, 225, 425, 825, 975], [149, 249, 449, 849, 999]),
        (Jitter::Decorrelated, [100, 100, 100, 100, 100], [200, 350, 550, 550, 550], [299, 899, 999, 999, 999]),
    ];
    for (jitter, low, middle, high) in cases {
        assert_eq!(waits(jitter, 0.0, 5), low, "{jitter:?}");
        assert_eq!(waits(jitter, 0.5, 5), middle, "{jitter:?}");
        assert_eq!(waits(jitter, 0.999_999, 5), high, "{jitter:?}");
    }
}

#[test]
fn each_call_begins_at_the_first_wait() {
    let backoff = backoff(Jitter::Decorrelated);
    let mut used = backoff.delays();
    assert_eq!(used.next(&backoff, &|| 0.5), ms(200));
    assert_eq!(used.next(&backoff, &|| 0.5), ms(350));
    assert_ne!(used, backoff.delays());
    assert_eq!(backoff.delays().next(&backoff, &|| 0.5), ms(200));
}

#[test]
fn no_jitter_asks_for_no_number() {
    let backoff = backoff(Jitter::None);
    let never = || -> f64 { unreachable!("drew a number") };
    assert_eq!(backoff.delays().next(&backoff, &never), ms(100));
}

#[test]
fn an_rng_that_panics_counts_as_zero() {
    let backoff = backoff(Jitter::MULTIPLICATIVE);
    assert_eq!(backoff.delays().next(&backoff, &|| panic!("rng gone wrong")), ms(50));
}

#[test]
fn it_tells_its_settings() {
    assert_eq!(backoff(Jitter::Full).config().max_delay, ms(1_000));
}

#[test]
fn limits_are_inclusive() {
    let year = crate::MAX_DURATION;
    for (base, max) in [(ms(0), ms(0)), (ms(5), ms(5)), (year, year)] {
        let factor = 1_000.0;
        assert!(BackoffConfig { base, factor, max_delay: max, jitter: Jitter::Additive { max } }.build().is_ok());
    }
}

#[test]
fn a_base_of_zero_waits_nothing_however_often() {
    for jitter in [Jitter::None, Jitter::MULTIPLICATIVE, Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
        let backoff = BackoffConfig { base: ms(0), factor: 1_000.0, jitter, ..Default::default() }.build().unwrap();
        let mut delays = backoff.delays();
        assert!((0..1_000).all(|_| delays.next(&backoff, &|| 0.9).is_zero()), "{jitter:?}");
    }
}

#[test]
fn the_cap_holds_to_the_nanosecond() {
    // As a floating point number of milliseconds it is a whole year.
    let max_delay = crate::MAX_DURATION - Duration::from_nanos(1);
    let backoff = BackoffConfig { base: max_delay, factor: 1.0, max_delay, jitter: Jitter::None }.build().unwrap();
    assert_eq!(backoff.delays().next(&backoff, &|| 0.5), max_delay);
}

#[test]
fn the_calculator_of_article_000_grows_from_the_first_attempt_on_and_spreads_around_it() {
    assert_eq!([1, 2, 3].map(|attempt| multiplicative_delay_ms(attempt, 100.0, 3.0, 0.5)), [100.0, 300.0, 900.0]);
    assert_eq!([0.0, 0.25, 1.0].map(|drawn| multiplicative_delay_ms(2, 100.0, 3.0, drawn)), [150.0, 225.0, 449.0]);
    assert_eq!(multiplicative_delay_ms(u32::MAX, 0.0, 3.0, 0.5), 0.0, "zero stays zero");
}

#[test]
fn a_jitter_out_of_its_range_is_refused_by_name() {
    let refused = |jitter| {
        let config = BackoffConfig { base: ms(100), max_delay: ms(1_000), jitter, ..Default::default() };
        config.build().unwrap_err().field
    };
    assert_eq!(refused(Jitter::Multiplicative { spread: 1.1 }), "jitterSpread");
    assert_eq!(refused(Jitter::Additive { max: ms(1_001) }), "jitterMs");
}
