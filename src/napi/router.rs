//! `ModelRouter` of article 004, its tiers and constants.

use std::sync::Arc;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Either, Env, JsValue, Result};

use super::arguments::{Argument, argument, config};
use super::cache::read_cache_config;
use super::clock::JsTimer;
use super::executor::Runtime;
use super::instance::{self, Instance, constructing};
use super::js::{Checked, Scope};
use super::records::or_undefined;
use super::words::words;
use crate::cache::Normalization;
use crate::router::{self, PerTier, PresetAnswer, RouterConfig, WordMatch};

/// A model, by how strong and how dear it is. Its words are the models that article 004 names; an app's own names are
/// in `RouterOptions.models`.
#[napi(string_enum)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelTier {
    /// For what needs thought.
    #[napi(value = "gpt-4o")]
    Premium,
    /// For most prompts.
    #[napi(value = "gpt-4o-mini")]
    Standard,
    /// When the others are down.
    #[napi(value = "deepseek-chat")]
    Economy,
    /// No model: an answer that is there already.
    #[napi(value = "semantic-cache")]
    Cache,
}

impl From<router::ModelTier> for ModelTier {
    fn from(tier: router::ModelTier) -> Self {
        match tier {
            router::ModelTier::Premium => Self::Premium,
            router::ModelTier::Standard => Self::Standard,
            router::ModelTier::Economy => Self::Economy,
            router::ModelTier::Cache => Self::Cache,
        }
    }
}

/// From dear to cheap: the way down when calls fail.
#[napi]
pub const MODEL_TIER_ORDER: [ModelTier; 4] =
    [ModelTier::Premium, ModelTier::Standard, ModelTier::Economy, ModelTier::Cache];

/// What the user reads when every model has failed, in Chinese.
#[napi]
pub const STATIC_FALLBACK_RESPONSE: &str = router::STATIC_FALLBACK_RESPONSE;

/// One of the tiers.
pub fn read_tier(tier: Argument) -> Checked<router::ModelTier> {
    tier.one_of(&router::ModelTier::ORDER.map(|tier| (tier.model(), tier)))
}

/// The next cheaper tier; undefined after the last one.
/// Throws INVALID_ARGUMENT for anything but a tier.
#[napi(ts_args_type = "current: ModelTier", ts_return_type = "ModelTier | undefined")]
pub fn get_next_tier(env: Env, current: Unknown) -> Result<Either<ModelTier, ()>> {
    let current = read_tier(argument(Scope::of(env), current, "current"))?;
    Ok(or_undefined(current.next().map(Into::into)))
}

words! {
    /// Why a tier was chosen.
    RouteReason from router::RouteReason {
        /// There is an answer already.
        CacheHit,
        /// A short prompt with a simple word.
        SimpleQuery,
        /// A complex word.
        Complexity,
        /// Nothing speaks for another one.
        CostFirst,
        /// The tiers before it failed. Not the router's: for who goes on after a decision.
        Fallback,
    }
}

/// Which model is to answer, and why.
#[napi(object, object_from_js = false)]
pub struct RouteDecision {
    /// Whose turn it is.
    #[napi(ts_type = "ModelTier")]
    pub model: ModelTier,
    /// Why.
    #[napi(ts_type = "RouteReason")]
    pub reason: RouteReason,
    /// US dollars for 1000 tokens, mean of input and output.
    #[napi(js_name = "estimatedCostPer1kTokens")]
    pub estimated_cost_per_1k_tokens: f64,
}

impl From<router::RouteDecision> for RouteDecision {
    fn from(decision: router::RouteDecision) -> Self {
        let estimated_cost_per_1k_tokens = decision.estimated_cost_per_1k_tokens;
        Self { model: decision.tier.into(), reason: decision.reason.into(), estimated_cost_per_1k_tokens }
    }
}

/// Chooses a model for each prompt by rules that cost nothing, and keeps answers to prompts. Answers are found by the
/// prompt alone: for prompts that stand alone, asked of one model setting, by one user; else see `AnswerCache`.
#[napi]
#[repr(transparent)]
pub struct ModelRouter {
    instance: Instance<Arc<router::ModelRouter>>,
}

impl ModelRouter {
    /// `None`: an instance of another class under a false flag.
    pub fn core(&self) -> Option<&Arc<router::ModelRouter>> {
        self.instance.content()
    }
}

#[napi]
impl ModelRouter {
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed.
    ///
    /// @param options words, names, costs, preset answers and limits of stored ones; left out: article 004's
    #[napi(constructor, ts_args_type = "options?: RouterOptions")]
    pub fn new(env: Env, this: This, options: Unknown) -> Result<Self> {
        let scope = constructing::<Self>(env, &this)?;
        let options = config(scope, options, "options").options()?;
        let timer = JsTimer::read(&Runtime::of(scope), options)?;
        let router = router::ModelRouter::with_clock(read_router_config(options)?, timer.clock());
        let router = router.map_err(|error| options.refused(error))?;
        Ok(Self { instance: Instance::new(Arc::new(router)) })
    }

    /// Chooses a model.
    /// Throws INVALID_ARGUMENT for anything but a text of at most 1 MiB.
    #[napi(ts_args_type = "query: string")]
    pub fn route(&self, env: Env, query: Unknown) -> Result<RouteDecision> {
        let (this, query) = (self.instance.of(env)?, read_prompt(argument(Scope::of(env), query, "query"))?);
        Ok(this.route(&query).into())
    }

    /// The answer to a prompt: the stored one, else the preset one; undefined if there is none.
    /// Throws INVALID_ARGUMENT for anything but a text of at most 1 MiB.
    #[napi(ts_args_type = "key: string", ts_return_type = "string | undefined")]
    pub fn get_cached(&self, env: Env, key: Unknown) -> Result<Either<String, ()>> {
        let (this, key) = (self.instance.of(env)?, read_prompt(argument(Scope::of(env), key, "key"))?);
        Ok(or_undefined(this.get_cached(&key).map(|answer| answer.as_ref().to_owned())))
    }

    /// Keeps an answer. You vouch for it: it is complete and was accepted.
    /// Throws INVALID_ARGUMENT for anything but texts, the prompt of at most 1 MiB.
    ///
    /// @returns false: it is larger than the whole cache, or nothing is kept at all
    #[napi(ts_args_type = "key: string, value: string")]
    pub fn set_cached(&self, env: Env, key: Unknown, value: Unknown) -> Result<bool> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let key = read_prompt(argument(scope, key, "key"))?;
        Ok(this.set_cached(&key, argument(scope, value, "value").any_string()?))
    }

    /// Forgets all stored answers. Preset ones stay.
    #[napi]
    pub fn clear_cache(&self, env: Env) -> Result<()> {
        self.instance.of(env)?.clear_cache();
        Ok(())
    }

    /// How many answers are stored, preset ones aside.
    #[napi]
    pub fn cache_size(&self, env: Env) -> Result<u32> {
        Ok(self.instance.of(env)?.cache_size() as u32)
    }
}

/// The same as `new ModelRouter(options)`, as article 004 makes it.
/// Throws INVALID_CONFIG naming the field, the value and what is allowed.
#[napi(ts_args_type = "options?: RouterOptions", ts_return_type = "ModelRouter")]
pub fn create_model_router(env: Env, options: Unknown) -> Result<Unknown<'static>> {
    let scope = Scope::of(env);
    Ok(scope.unknown(instance::construct(scope, "ModelRouter\0", &[options.raw()])?))
}

/// A router that the app made.
pub fn given_router(router: Argument) -> Checked<Arc<router::ModelRouter>> {
    let core = router.instance::<ModelRouter>()?.and_then(ModelRouter::core);
    core.cloned().ok_or_else(|| router.wrong("an instance of ModelRouter"))
}

/// A prompt, at most 1 MiB.
pub fn read_prompt(prompt: Argument) -> Checked<String> {
    prompt.string(1 << 20)
}

fn read_router_config(options: Argument) -> Checked<RouterConfig> {
    let mut config = RouterConfig::default();
    let words = |words: Argument| words.items()?.into_iter().map(|word| word.string(100)).collect::<Checked<Vec<_>>>();
    options.field(c"simpleWords").set(&mut config.simple_words, words)?;
    options.field(c"complexWords").set(&mut config.complex_words, words)?;
    let matches = [("whole", WordMatch::Whole), ("anywhere", WordMatch::Anywhere)];
    options.field(c"wordMatch").set(&mut config.word_match, |word| word.one_of(&matches))?;
    options
        .field(c"shortQueryChars")
        .set(&mut config.short_query_chars, |count| count.count(0..=10_000).map(|count| count as usize))?;
    let models = options.field(c"models");
    read_tiers(models, ["models.premium", "models.standard", "models.economy"], &mut config.models, |name| {
        name.string(200)
    })?;
    let costs = options.field(c"costs");
    read_tiers(costs, ["costs.premium", "costs.standard", "costs.economy"], &mut config.costs, |cost| {
        cost.number(0.0..=1_000.0)
    })?;
    options.field(c"presetAnswers").set(&mut config.preset_answers, |presets| {
        let preset = |preset: Argument| {
            let preset = preset.options()?;
            let field = |name, full_name| preset.field(name).named(full_name);
            let question = field(c"question", "presetAnswers.question").string(1_000)?;
            Ok(PresetAnswer::new(question, field(c"answer", "presetAnswers.answer").string(1 << 20)?))
        };
        presets.items()?.into_iter().map(preset).collect()
    })?;
    let normalizations = [
        ("exact", Normalization::Exact),
        ("wording", Normalization::Wording),
        ("letters_and_digits", Normalization::LettersAndDigits),
    ];
    options.field(c"normalization").set(&mut config.normalization, |word| word.one_of(&normalizations))?;
    let key_chars = options.field(c"keyChars").optional(|count| count.count(1..=1_000_000))?;
    config.key_chars = key_chars.map(|count| count as usize);
    config.cache = read_cache_config(options.field(c"cache"))?;
    Ok(config)
}

/// One value for each of the models' tiers.
fn read_tiers<T>(
    options: Argument,
    names: [&'static str; 3],
    tiers: &mut PerTier<T>,
    read: impl Fn(Argument) -> Checked<T>,
) -> Checked<()> {
    let options = options.options()?;
    let [premium, standard, economy] = names;
    options.field(c"premium").named(premium).set(&mut tiers.premium, &read)?;
    options.field(c"standard").named(standard).set(&mut tiers.standard, &read)?;
    options.field(c"economy").named(economy).set(&mut tiers.economy, &read)
}
