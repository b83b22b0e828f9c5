//! N: faults of cascades.

use resilience::breaker::CircuitBreaker;
use resilience::cascade::{CascadeConfig, Model, ModelCascade};
use resilience::classify::{CallError, ErrorClass};
use resilience::client::{CallOptions, OutcomeStatus};
use resilience::clock::ManualClock;
use resilience::mock::MockLlmClient;

use crate::support::{Reply, TestCascade, asked, ms, run};

fn answers() -> Vec<Reply> {
    vec![Reply::ok()]
}

#[test]
fn n2_fastworkflow_80_a_placeholder_threshold_is_refused() {
    let refused = |threshold| {
        let breaker = std::sync::Arc::new(CircuitBreaker::new(Default::default()).unwrap());
        let models = vec![Model::new("a", MockLlmClient::failing_first(0), breaker)];
        let config = CascadeConfig { threshold, ..CascadeConfig::default() };
        ModelCascade::new(models, config, ManualClock::new()).err().map(|error| error.field)
    };
    for threshold in [-1.0, 1.1, f64::NAN, f64::INFINITY] {
        assert_eq!(refused(threshold), Some("threshold"), "{threshold}");
    }
    assert_eq!((refused(0.0), refused(1.0)), (None, None));
}

#[test]
fn n3_eddi_587_time_and_number_of_models_are_bounded_and_the_best_so_far_is_given() {
    let hang = || vec![Reply::hang()];
    let scripts = vec![hang(), hang(), hang(), answers()];
    let test = TestCascade::with(scripts, vec![Ok(0.1); 4], |config| config.client.retry.deadline = ms(9_000));
    let outcome = test.ask(3);
    assert_eq!((outcome.status, outcome.accepted, outcome.elapsed), (OutcomeStatus::Ok, false, ms(9_000)));
    assert_eq!(asked(&outcome), ["fourth", "economy", "standard", "premium"]);
    let test = TestCascade::with(vec![answers(); 4], vec![Ok(0.1); 4], |config| config.max_models = 2);
    let outcome = test.ask(3);
    assert_eq!((asked(&outcome), outcome.provider.as_deref()), (vec!["fourth", "economy"], Some("economy")));
}

#[test]
fn n4_semantic_router_2864_below_the_threshold_everywhere_the_best_is_given_and_marked() {
    let outcome = TestCascade::new(vec![answers(); 3], vec![Ok(0.4), Ok(0.2), Ok(0.1)]).ask(2);
    assert_eq!(
        (outcome.status, outcome.accepted, outcome.provider.as_deref()),
        (OutcomeStatus::Ok, false, Some("premium"))
    );
    assert_eq!(outcome.passed_over.len(), 2, "not the one whose answer is given");
}

#[test]
fn n6_aisoc_560_a_strong_model_that_is_down_does_not_cost_the_cheap_answer() {
    let outcome = TestCascade::new(vec![vec![Reply::fail()], answers()], vec![Ok(1.0), Ok(0.4)]).ask(1);
    assert_eq!(
        (outcome.status, outcome.accepted, outcome.provider.as_deref()),
        (OutcomeStatus::Ok, false, Some("standard"))
    );
}

#[test]
fn a_broken_check_costs_no_answer_and_no_further_model() {
    for broken in [Err("check gone wrong"), Ok(f64::NAN), Ok(7.0), Ok(-1.0)] {
        let outcome = TestCascade::new(vec![answers(); 3], vec![broken; 3]).ask(1);
        assert_eq!((asked(&outcome), outcome.accepted, outcome.text()), (vec!["standard"], false, "answer to hi"));
    }
}

#[test]
fn what_each_model_would_say_is_asked_once() {
    for class in [ErrorClass::BadRequest, ErrorClass::Offline, ErrorClass::ClientBug] {
        let script = vec![Reply::error(CallError::new(class, ""))];
        let outcome = TestCascade::new(vec![answers(), script, answers()], vec![Ok(1.0); 3]).ask(1);
        assert_eq!(asked(&outcome), ["standard"], "{class}");
    }
}

#[test]
fn a_start_that_does_not_exist_is_refused() {
    let test = TestCascade::new(vec![answers(); 2], vec![Ok(1.0); 2]);
    let refused = run(&test.clock, test.cascade.execute("hi", 2, CallOptions::default())).unwrap_err();
    assert_eq!(refused.to_string(), "start: got 2, allowed: a finite number from 0 to 1");
}
