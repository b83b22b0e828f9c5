use super::*;

#[test]
fn the_same_seed_gives_the_same_figures() {
    for (name, layer) in LAYERS {
        assert_eq!(mean(layer, 0.6, 5, 1).unwrap(), mean(layer, 0.6, 5, 1).unwrap(), "{name}");
        assert_ne!(mean(layer, 0.6, 5, 1).unwrap(), mean(layer, 0.6, 5, 99).unwrap(), "{name}");
    }
}

#[test]
fn a_service_that_never_fails_is_asked_once_a_call_and_one_that_always_fails_answers_nobody() {
    for (name, layer) in LAYERS {
        let [never, always] = [0.0, 1.0].map(|rate| climb(layer, rate, 1).unwrap());
        assert_eq!((never.answered, never.text, never.calls), (CALLS, 0, u64::from(CALLS)), "{name}");
        assert_eq!(always.answered, 0, "{name}");
    }
}

#[test]
fn from_the_cascade_on_nobody_is_left_without_a_text() {
    for (name, layer) in &LAYERS[3..] {
        for tenths in RATES {
            let seen = climb(*layer, f64::from(tenths) / 10.0, 3).unwrap();
            assert_eq!(seen.answered + seen.text, CALLS, "{name}");
        }
    }
}

#[test]
fn retries_answer_more_calls_and_the_breaker_asks_less_of_a_service_that_is_down() {
    let at = |layer, rate| mean(layer, rate, 20, 1).unwrap();
    assert!(at(Layer::Retry, 0.5).answered_percent > at(Layer::Bare, 0.5).answered_percent + 30.0);
    assert_eq!(at(Layer::Retry, 1.0).calls, 80.0);
    assert!(at(Layer::Breaker, 1.0).calls <= 40.0);
}
