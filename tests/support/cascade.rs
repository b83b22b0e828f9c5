use std::sync::Arc;

use resilience::breaker::CircuitBreaker;
use resilience::cascade::{CascadeConfig, Model, ModelCascade, QualityCheck};
use resilience::client::{CallOptions, NoHooks, Outcome};
use resilience::clock::ManualClock;

use super::breaker::breaker_config;
use super::{Reply, ScriptedClient, client_config, middle, retry_config, run};

/// Gives each model's answers a fixed score: by its place in the cascade.
pub struct Scores(pub Vec<Result<f64, &'static str>>);

impl QualityCheck for Scores {
    async fn score(&self, _text: &str, model: &str) -> Result<f64, String> {
        let place = NAMES.iter().position(|name| *name == model).expect("a model of this test");
        self.0[place].map_err(str::to_owned)
    }
}

const NAMES: [&str; 6] = ["premium", "standard", "economy", "fourth", "fifth", "sixth"];

/// Models called premium, standard, economy, … that each play a script, on one clock.
pub struct TestCascade {
    pub clock: ManualClock,
    pub cascade: ModelCascade<ScriptedClient, ManualClock, Scores>,
}

impl TestCascade {
    pub fn new(scripts: Vec<Vec<Reply>>, scores: Vec<Result<f64, &'static str>>) -> Self {
        Self::with(scripts, scores, |_| ())
    }

    pub fn with(
        scripts: Vec<Vec<Reply>>,
        scores: Vec<Result<f64, &'static str>>,
        change: impl FnOnce(&mut CascadeConfig),
    ) -> Self {
        let clock = ManualClock::new();
        let mut config = CascadeConfig { client: client_config(retry_config(0)), ..CascadeConfig::default() };
        change(&mut config);
        let model = |(script, name): (Vec<Reply>, &str)| {
            let breaker =
                CircuitBreaker::with_clock(breaker_config(), Arc::new(clock.clone()), Arc::new(middle)).unwrap();
            Model::new(name, ScriptedClient::new(&clock, script), Arc::new(breaker))
        };
        let models = scripts.into_iter().zip(NAMES).map(model).collect();
        let (timer, rng) = (clock.clone(), Arc::new(middle));
        let cascade = ModelCascade::with_hooks(models, config, Scores(scores), timer, rng, NoHooks).unwrap();
        Self { clock, cascade }
    }

    pub fn ask(&self, start: usize) -> Outcome<String> {
        run(&self.clock, self.cascade.execute("hi", start, CallOptions::default())).unwrap()
    }
}

/// The models of a call in the order in which they were asked.
pub fn asked(outcome: &Outcome<String>) -> Vec<&str> {
    outcome.trace.iter().map(|attempt| attempt.provider.as_deref().unwrap()).collect()
}
