//! Section 5: the cascade in both directions.

use resilience::cascade::{BelowThreshold, CascadeConfig, Model, ModelCascade};
use resilience::client::{CallOptions, OutcomeStatus};
use resilience::mock::MockLlmClient;
use resilience::retry::StopReason;

use crate::support::{Reply, TestCascade, asked};

fn fails() -> Vec<Reply> {
    vec![Reply::fail()]
}

fn answers() -> Vec<Reply> {
    vec![Reply::ok()]
}

const GOOD: Result<f64, &str> = Ok(1.0);
const BAD: Result<f64, &str> = Ok(0.0);

#[test]
fn a_good_answer_of_the_first_model_is_final() {
    let outcome = TestCascade::new(vec![answers(); 3], vec![GOOD; 3]).ask(1);
    assert_eq!((asked(&outcome), outcome.provider.as_deref()), (vec!["standard"], Some("standard")));
    assert!(outcome.accepted && !outcome.degraded());
}

#[test]
fn an_error_leads_to_a_cheaper_model() {
    let outcome = TestCascade::new(vec![fails(), fails(), answers()], vec![GOOD; 3]).ask(0);
    assert_eq!(asked(&outcome), ["premium", "standard", "economy"]);
    assert!(outcome.accepted && outcome.degraded());
}

#[test]
fn a_bad_answer_leads_to_a_stronger_model() {
    let outcome = TestCascade::new(vec![answers(); 3], vec![GOOD, BAD, BAD]).ask(2);
    assert_eq!(asked(&outcome), ["economy", "standard", "premium"]);
    assert_eq!((outcome.provider.as_deref(), outcome.accepted), (Some("premium"), true));
    assert_eq!(outcome.passed_over.iter().map(|one| one.stop_reason).collect::<Vec<_>>(), [StopReason::LowQuality; 2]);
}

#[test]
fn a_bad_answer_of_the_strongest_leads_to_a_cheaper_one() {
    let outcome = TestCascade::new(vec![answers(); 3], vec![BAD, GOOD, GOOD]).ask(0);
    assert_eq!(asked(&outcome), ["premium", "standard"]);
}

/// The article's own loop would go standard, premium, standard, premium.
#[test]
fn no_model_is_asked_twice() {
    let outcome = TestCascade::new(vec![fails(), answers(), fails()], vec![GOOD, BAD, GOOD]).ask(1);
    assert_eq!(asked(&outcome), ["standard", "premium", "economy"]);
}

#[test]
fn when_all_fail_the_static_text_is_given_and_nothing_is_thrown() {
    let outcome = TestCascade::new(vec![fails(); 3], vec![GOOD; 3]).ask(0);
    assert_eq!((outcome.status, outcome.text(), outcome.accepted), (OutcomeStatus::Fallback, "fallback", false));
    assert_eq!(outcome.attempts(), 3);
}

#[test]
fn when_the_cheapest_fails_the_static_text_follows_if_told_so() {
    let strict = |config: &mut CascadeConfig| config.stronger_after_error = false;
    let outcome = TestCascade::with(vec![answers(), answers(), fails()], vec![GOOD; 3], strict).ask(2);
    assert_eq!((asked(&outcome), outcome.status), (vec!["economy"], OutcomeStatus::Fallback));
    let outcome = TestCascade::new(vec![answers(), answers(), fails()], vec![GOOD; 3]).ask(2);
    assert_eq!((asked(&outcome), outcome.status), (vec!["economy", "standard"], OutcomeStatus::Ok));
}

#[test]
fn below_the_threshold_the_static_text_follows_if_told_so() {
    let strict = |config: &mut CascadeConfig| config.below_threshold = BelowThreshold::Fallback;
    let outcome = TestCascade::with(vec![answers(); 2], vec![BAD; 2], strict).ask(0);
    assert_eq!((outcome.status, outcome.stop_reason), (OutcomeStatus::Fallback, StopReason::LowQuality));
}

#[tokio::test(start_paused = true)]
async fn the_default_check_knows_the_article_s_bad_answers() {
    let breaker = || std::sync::Arc::new(resilience::breaker::CircuitBreaker::new(Default::default()).unwrap());
    let says = |text: &str| MockLlmClient::failing_first(0).with_reply(text);
    for bad in ["[DeepSeek] 不知道", "[GPT-4o-mini] 抱歉", "", "好"] {
        let strong = "[GPT-4o] 这是一个高质量的详细回答，包含完整的分析和代码示例。";
        let models = vec![Model::new("strong", says(strong), breaker()), Model::new("weak", says(bad), breaker())];
        let timer = resilience::clock::TokioClock::new();
        let cascade = ModelCascade::new(models, CascadeConfig::default(), timer).unwrap();
        let outcome = cascade.execute("hi", 1, CallOptions::default()).await.unwrap();
        assert_eq!((outcome.text(), outcome.accepted), (strong, true), "{bad}");
    }
}
