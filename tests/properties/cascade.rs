//! However models answer, fail and are judged, a cascade ends, asks each once, and gives the best it has.

use proptest::prelude::*;
use resilience::classify::{CallError, ErrorClass};
use resilience::client::OutcomeStatus;

use crate::support::{Reply, TestCascade, asked};

proptest! {
    #[test]
    fn each_model_is_asked_once_at_most_and_an_answer_is_never_lost(
        models in prop::collection::vec((prop::option::of(0..18_usize), 0.0..=1.0_f64), 1..=6),
        start in any::<prop::sample::Index>(),
        stronger_after_error in any::<bool>(),
        max_models in 1..=6_u32,
    ) {
        let script = |fails: &Option<usize>| {
            let error = fails.map(|class| Reply::error(CallError::new(ErrorClass::ALL[class], "")));
            vec![error.unwrap_or_else(Reply::ok)]
        };
        let scripts = models.iter().map(|(fails, _)| script(fails)).collect();
        let scores: Vec<_> = models.iter().map(|(_, score)| Ok(*score)).collect();
        let test = TestCascade::with(scripts, scores, |config| {
            (config.stronger_after_error, config.max_models) = (stronger_after_error, max_models);
        });
        let outcome = test.ask(start.index(models.len()));
        let mut asked = asked(&outcome);
        let steps = asked.len();
        asked.sort_unstable();
        asked.dedup();
        prop_assert_eq!(asked.len(), steps, "once each");
        prop_assert!(steps <= max_models as usize);
        let answered = outcome.trace.iter().any(|attempt| attempt.class.is_none());
        let cancelled = outcome.status == OutcomeStatus::Cancelled;
        prop_assert_eq!(outcome.status == OutcomeStatus::Ok, answered && !cancelled);
        if outcome.accepted {
            let winner = outcome.trace.last().unwrap();
            prop_assert!(winner.class.is_none() && winner.provider == outcome.provider);
        }
    }
}
