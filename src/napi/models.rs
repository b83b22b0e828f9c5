//! The app's models, one for each tier, and its check of what they answer.

use std::rc::Rc;
use std::time::Duration;

use super::arguments::{Argument, returned_by};
use super::clock::JsTimer;
use super::errors::kind;
use super::executor::{JsPromise, Runtime};
use super::flaky::FlakyLlmClient;
use super::inner_client::{Answers, InnerClient};
use super::js::{Checked, Scope, Type, Value};
use super::kept::{Keeper, Reference};
use crate::cascade::{DefaultQualityCheck, QualityCheck};
use crate::classify::{CallError, ErrorClass};
use crate::gateway::AgentModels;
use crate::mock::FlakyConfig;
use crate::router::{ModelRouter, ModelTier};

/// With `mockMode` stand-ins, else the clients in `models`, else the one client in `client`.
pub fn read_models(
    runtime: &Rc<Runtime>,
    keeper: &Rc<Keeper>,
    options: Argument,
    calls: Argument,
    timer: &JsTimer,
    router: &ModelRouter,
) -> Checked<AgentModels<InnerClient>> {
    let (models, client) = (options.field(c"models"), options.field(c"client"));
    let mock = options.field(c"mockMode").optional(Argument::boolean)?.unwrap_or(false);
    let scenario = options.field(c"mockScenario").optional(Scenario::read)?.unwrap_or(Scenario::Success);
    let read = |tier: ModelTier, client: Argument| {
        let client = InnerClient::read(runtime, keeper, client, &[client, calls], Answers::ObjectsOrTexts, timer)?;
        Ok(client.for_model(router.model(tier)))
    };
    let stand_in = |tier| {
        let scope = options.scope();
        let client = FlakyLlmClient::make(scope, scenario.config(router.model(tier)), timer.clone());
        read(tier, returned_by(scope, client.unwrap_or_else(|| scope.undefined()), "mockMode"))
    };
    let each = |read: &dyn Fn(ModelTier) -> Checked<InnerClient>| {
        let [premium, standard, economy, _] = ModelTier::ORDER;
        Ok(AgentModels { premium: read(premium)?, standard: read(standard)?, economy: read(economy)? })
    };
    match (models.given(), client.given()) {
        _ if mock => each(&stand_in),
        (None, Some(client)) => each(&|tier| read(tier, client)),
        (Some(models), _) => {
            let models = models.options()?;
            each(&|tier| {
                let (field, name) = match tier {
                    ModelTier::Premium => (c"premium", "models.premium"),
                    ModelTier::Standard => (c"standard", "models.standard"),
                    ModelTier::Economy | ModelTier::Cache => (c"economy", "models.economy"),
                };
                read(tier, models.field(field).named(name))
            })
        }
        (None, None) => Err(client.wrong("a client, unless there are models or mockMode is true")),
    }
}

/// What stand-ins do.
#[derive(Clone, Copy)]
enum Scenario {
    Success,
    Timeout,
    RateLimited,
    LowQuality,
}

impl Scenario {
    fn read(word: Argument) -> Checked<Self> {
        word.one_of(&[
            ("success", Self::Success),
            ("timeout", Self::Timeout),
            ("rate_limited", Self::RateLimited),
            ("low_quality", Self::LowQuality),
        ])
    }

    fn config(self, model: &str) -> FlakyConfig {
        let reply = match self {
            Self::LowQuality => format!("[{model}] 不知道"),
            _ => format!("[{model}] 这是模拟模式的回答，没有请求任何服务。"),
        };
        let error = match self {
            Self::Success | Self::LowQuality => None,
            Self::Timeout => Some(CallError::new(ErrorClass::Timeout, "ETIMEDOUT")),
            Self::RateLimited => {
                Some(CallError { status: Some(429), ..CallError::new(ErrorClass::RateLimit, "429 Too Many Requests") })
            }
        };
        let mut config = FlakyConfig {
            failure_rate: if error.is_some() { 1.0 } else { 0.0 },
            latency: Duration::from_millis(30),
            latency_spread: Duration::from_millis(70),
            reply: Some(reply),
            ..FlakyConfig::default()
        };
        config.errors = error.map_or(config.errors, |error| vec![error]);
        config
    }
}

/// The app's check, or the default one.
pub struct JsQualityCheck {
    runtime: Rc<Runtime>,
    function: Option<Reference>,
}

impl JsQualityCheck {
    /// The function in `qualityCheck`.
    pub fn read(runtime: &Rc<Runtime>, keeper: &Rc<Keeper>, options: Argument) -> Checked<Self> {
        let function = options.field(c"qualityCheck").optional(|check| check.kept_reference(keeper))?;
        Ok(Self { runtime: runtime.clone(), function })
    }
}

impl QualityCheck for JsQualityCheck {
    async fn score(&self, text: &str, model: &str) -> Result<f64, String> {
        let Some(function) = &self.function else { return DefaultQualityCheck.score(text, model).await };
        let scope = self.runtime.scope();
        let arguments = [scope.string(text), scope.string(model)];
        let called = scope.call(scope.undefined(), function.value(scope), &arguments);
        JsPromise::called(&self.runtime, scope, called, read_score).await
    }
}

/// A verdict or a score.
fn read_score(scope: Scope, settled: Result<Value, Value>) -> Result<f64, String> {
    let value = settled.map_err(|error| format!("threw {}", kind(scope, error)))?;
    let verdict = scope.as_boolean(value).map(|good| if good { 1.0 } else { 0.0 });
    let score = verdict.or_else(|| scope.as_number(value));
    score.ok_or_else(|| match scope.type_of(value) {
        Type::Object => "gave an object".to_owned(),
        other => format!("gave {}", other.name()),
    })
}
