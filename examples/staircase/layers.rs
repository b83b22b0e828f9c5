//! The layers of article 004, each around the same flaky service, in virtual time.

use std::sync::Arc;
use std::time::Duration;

use resilience::InvalidConfig;
use resilience::backoff::BackoffConfig;
use resilience::breaker::{BreakerConfig, CircuitBreaker, WindowConfig};
use resilience::cascade::{CascadeConfig, DefaultQualityCheck, Model, ModelCascade};
use resilience::classify::CallError;
use resilience::client::{
    Accounting, Attempt, CallOptions, ClientConfig, LlmClient, NoHooks, OutcomeStatus, ResilientLlmClient,
};
use resilience::clock::{Clock, ManualClock};
use resilience::gateway::{AgentConfig, AgentModels, AnswerSource, InvokeOptions, ResilientAgent};
use resilience::mock::{FlakyConfig, FlakyLlmClient};
use resilience::random::{Rng, SeededRng};
use resilience::retry::{RetryBudgetConfig, RetryConfig};

use crate::time::{join_all, run};

/// Calls made at once, as in the article.
pub const CALLS: u32 = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    Bare,
    Retry,
    Breaker,
    Cascade,
    Agent(Accounting),
}

/// What stands in the tables.
pub const LAYERS: [(&str, Layer); 6] = [
    ("L0 bare call", Layer::Bare),
    ("L1 retries", Layer::Retry),
    ("L2 retries, breaker", Layer::Breaker),
    ("L3 cascade of models", Layer::Cascade),
    ("L4 agent, counts attempts", Layer::Agent(Accounting::Attempt)),
    ("L4' agent, counts calls", Layer::Agent(Accounting::Call)),
];

/// What came of the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen {
    /// Calls that a model answered.
    pub answered: u32,
    /// Calls that the fallback text answered.
    pub text: u32,
    /// From the first call's begin to the last one's end.
    pub wall: Duration,
    /// Calls that the service saw.
    pub calls: u64,
}

/// The service, asked as each model.
#[derive(Clone)]
struct Shared(Arc<FlakyLlmClient<ManualClock>>);

impl LlmClient for Shared {
    type Request = str;
    type Response = String;

    async fn chat(&self, request: &str, attempt: &Attempt<'_>) -> Result<String, CallError> {
        self.0.chat(request, attempt).await
    }
}

#[derive(PartialEq)]
enum Answer {
    Model,
    Text,
    Nothing,
}

/// Makes the calls at once.
///
/// # Errors
/// A failure rate outside 0 to 1.
pub fn climb(layer: Layer, failure_rate: f64, seed: u64) -> Result<Seen, InvalidConfig> {
    let clock = ManualClock::new();
    let ms = Duration::from_millis;
    let flaky =
        FlakyConfig { failure_rate, latency: ms(50), latency_spread: ms(50), seed: Some(seed), ..Default::default() };
    let service = Shared(Arc::new(FlakyLlmClient::new(flaky, clock.clone())?));
    let rng: Arc<dyn Rng> = Arc::new(SeededRng::new(!seed));
    let backoff = BackoffConfig { base: ms(200), max_delay: ms(2_000), ..Default::default() };
    let breaker = |config| CircuitBreaker::with_clock(config, Arc::new(clock.clone()), rng.clone()).map(Arc::new);
    let windowed = BreakerConfig { window: Some(WindowConfig::default()), ..Default::default() };
    // Article 004 knows no budget: retries are bounded by their number alone.
    let unbounded = RetryBudgetConfig { capacity: 10_000.0, ..Default::default() };
    let retrying = || ClientConfig {
        retry: RetryConfig { max_retries: 3, backoff, ..Default::default() },
        budget: unbounded,
        ..Default::default()
    };
    let cascade = |accounting, budget| CascadeConfig {
        client: ClientConfig {
            retry: RetryConfig { backoff, ..Default::default() },
            budget,
            accounting,
            ..Default::default()
        },
        ..Default::default()
    };
    let prompts: Vec<String> = (1..=CALLS).map(|number| format!("写一句话，第 {number} 个问题")).collect();

    let answers = match layer {
        Layer::Bare => {
            let ask = async |_: &String| match service.0.reply().await {
                Ok(_) => Answer::Model,
                Err(_) => Answer::Nothing,
            };
            run(&clock, join_all(prompts.iter().map(ask)))
        }
        Layer::Retry | Layer::Breaker => {
            let breaker = breaker(windowed)?;
            if layer == Layer::Retry {
                breaker.force_closed();
            }
            let client = ResilientLlmClient::with_hooks(
                service.clone(),
                retrying(),
                breaker,
                clock.clone(),
                rng.clone(),
                NoHooks,
            )?;
            // These layers have no fallback of their own: whoever gets its text has got an error.
            let ask = async |prompt: &String| match client.execute(prompt, CallOptions::default()).await.status {
                OutcomeStatus::Ok => Answer::Model,
                _ => Answer::Nothing,
            };
            run(&clock, join_all(prompts.iter().map(ask)))
        }
        Layer::Cascade => {
            let models = ["premium", "standard", "economy"]
                .map(|name| Ok(Model::new(name, service.clone(), breaker(windowed)?)));
            let models = models.into_iter().collect::<Result<_, InvalidConfig>>()?;
            let config = cascade(Accounting::default(), unbounded);
            let cascade =
                ModelCascade::with_hooks(models, config, DefaultQualityCheck, clock.clone(), rng.clone(), NoHooks)?;
            let ask = async |prompt: &String| match cascade.execute(prompt, 1, CallOptions::default()).await {
                Ok(outcome) if outcome.status == OutcomeStatus::Ok => Answer::Model,
                _ => Answer::Text,
            };
            run(&clock, join_all(prompts.iter().map(ask)))
        }
        Layer::Agent(accounting) => {
            let [premium, standard, economy] = [0; 3].map(|_| service.clone());
            let models = AgentModels { premium, standard, economy };
            let config =
                AgentConfig { cascade: cascade(accounting, RetryBudgetConfig::default()), ..AgentConfig::default() };
            let time = Arc::new(clock.clone());
            let agent = ResilientAgent::with_hooks(
                models,
                config,
                DefaultQualityCheck,
                clock.clone(),
                time,
                rng.clone(),
                NoHooks,
            )?;
            let ask = async |prompt: &String| match agent.invoke(prompt, prompt, InvokeOptions::default()).await.source
            {
                AnswerSource::Model | AnswerSource::Cache => Answer::Model,
                AnswerSource::Fallback => Answer::Text,
                AnswerSource::None => Answer::Nothing,
            };
            run(&clock, join_all(prompts.iter().map(ask)))
        }
    };
    let count = |kind: Answer| answers.iter().filter(|&answer| *answer == kind).count() as u32;
    Ok(Seen {
        answered: count(Answer::Model),
        text: count(Answer::Text),
        wall: clock.now().since(resilience::clock::Timestamp::ZERO),
        calls: service.0.calls(),
    })
}
