use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::config::RouterConfig;
use super::decision::{RouteDecision, RouteReason};
use super::tier::ModelTier;
use crate::cache::{AnswerCache, CacheKey, Normalization};
use crate::clock::{Clock, SystemClock};
use crate::error::InvalidConfig;

/// Words are looked for in so many first characters of a prompt.
const SEARCHED_CHARS: usize = 10_000;

/// Chooses a model for each prompt, and keeps the answers to prompts.
///
/// Its answers are found by the prompt alone: for prompts that stand alone, asked of one model setting, by one user. For
/// anything else keep answers under a [`CacheKey::of_request`] in [`cache`](Self::cache) or in a cache of your own.
///
/// ```
/// use resilience::router::{ModelRouter, ModelTier, RouteReason, RouterConfig};
///
/// let router = ModelRouter::new(RouterConfig::default())?;
/// let decision = router.route("请分析这段代码的性能");
/// assert_eq!((decision.tier, decision.reason), (ModelTier::Premium, RouteReason::Complexity));
///
/// router.set_cached("What is 1 + 1?", "2");
/// assert_eq!(router.route("What is 1 + 1?").tier, ModelTier::Cache);
/// assert_eq!(router.get_cached("What is 1 + 1?").as_deref(), Some("2"));
/// # Ok::<(), resilience::InvalidConfig>(())
/// ```
pub struct ModelRouter {
    /// Words in lower case, without sentence marks.
    config: RouterConfig,
    /// By the question's wording.
    presets: HashMap<String, Arc<str>>,
    cache: Arc<AnswerCache>,
}

impl ModelRouter {
    /// On the system's clock.
    ///
    /// # Errors
    /// [`InvalidConfig`], see [`RouterConfig`].
    pub fn new(config: RouterConfig) -> Result<Self, InvalidConfig> {
        Self::with_clock(config, Arc::new(SystemClock))
    }

    /// With a clock of one's own.
    ///
    /// # Errors
    /// [`InvalidConfig`], see [`RouterConfig`].
    pub fn with_clock(mut config: RouterConfig, clock: Arc<dyn Clock + Send + Sync>) -> Result<Self, InvalidConfig> {
        config.validate()?;
        let cache = Arc::new(AnswerCache::with_clock(config.cache, clock)?);
        let mut presets = HashMap::new();
        for preset in &config.preset_answers {
            let answer = Arc::from(preset.answer.as_str());
            if presets.insert(wording(&preset.question), answer).is_some() {
                let allowed = "questions that differ in more than case, white space and sentence marks";
                return Err(InvalidConfig::new("presetAnswers", format_args!("{:?} twice", preset.question), allowed));
            }
        }
        for word in config.simple_words.iter_mut().chain(&mut config.complex_words) {
            *word = wording(word);
        }
        Ok(Self { config, presets, cache })
    }

    /// Chooses a model. An answer that it says is there may be gone when it is asked for.
    pub fn route(&self, prompt: &str) -> RouteDecision {
        let stored = self.key(prompt).is_some_and(|key| self.cache.contains(key));
        if stored {
            return self.stored_decision();
        }
        let opening = Opening::of(prompt);
        match self.preset(&opening) {
            Some(_) => self.stored_decision(),
            None => self.by_words(&opening),
        }
    }

    /// Chooses a model by the prompt's words alone, whatever answers there are.
    pub fn route_by_words(&self, prompt: &str) -> RouteDecision {
        self.by_words(&Opening::of(prompt))
    }

    /// The answer to a prompt: the stored one, else the preset one.
    pub fn get_cached(&self, prompt: &str) -> Option<Arc<str>> {
        let stored = self.key(prompt).and_then(|key| self.cache.get(key));
        stored.or_else(|| self.preset(&Opening::of(prompt)).cloned())
    }

    /// Keeps an answer. The caller vouches for it: it is complete and was accepted. False: it is not kept, see
    /// [`AnswerCache::insert_accepted`]; nothing is kept for a prompt without letters and digits where the settings ignore
    /// all else.
    pub fn set_cached(&self, prompt: &str, answer: impl Into<Arc<str>>) -> bool {
        self.key(prompt).is_some_and(|key| self.cache.insert_accepted(key, answer))
    }

    /// Forgets all stored answers. Preset ones stay.
    pub fn clear_cache(&self) {
        self.cache.clear();
    }

    /// How many answers are stored, preset ones aside.
    pub fn cache_size(&self) -> usize {
        self.cache.len()
    }

    /// Name of a tier's model.
    pub fn model(&self, tier: ModelTier) -> &str {
        self.config.models.get(tier)
    }

    /// Where its answers are.
    pub fn cache(&self) -> &Arc<AnswerCache> {
        &self.cache
    }

    /// The settings it was built from; words in lower case, without sentence marks.
    pub fn config(&self) -> &RouterConfig {
        &self.config
    }

    /// What is decided where there is an answer.
    pub(crate) fn stored_decision(&self) -> RouteDecision {
        self.decide(ModelTier::Cache, RouteReason::CacheHit)
    }

    fn by_words(&self, opening: &Opening) -> RouteDecision {
        let RouterConfig { simple_words, complex_words, word_match, short_query_chars, .. } = &self.config;
        if opening.is_shorter_than(*short_query_chars) && word_match.finds_any(simple_words, &opening.wording) {
            self.decide(ModelTier::Standard, RouteReason::SimpleQuery)
        } else if word_match.finds_any(complex_words, &opening.wording) {
            self.decide(ModelTier::Premium, RouteReason::Complexity)
        } else {
            self.decide(ModelTier::Standard, RouteReason::CostFirst)
        }
    }

    fn decide(&self, tier: ModelTier, reason: RouteReason) -> RouteDecision {
        RouteDecision { tier, reason, estimated_cost_per_1k_tokens: *self.config.costs.get(tier) }
    }

    fn preset(&self, opening: &Opening) -> Option<&Arc<str>> {
        // No preset question is that long: a prompt that goes on is another question.
        self.presets.get(&opening.wording).filter(|_| opening.is_all)
    }

    /// `None`: nothing is left of the prompt, as of any other one made of marks.
    fn key(&self, prompt: &str) -> Option<CacheKey> {
        let normalized = self.config.normalization.apply(prompt);
        let text = self.config.key_chars.map_or(&*normalized, |chars| first_chars(&normalized, chars));
        (!text.is_empty()).then(|| CacheKey::of_text(text))
    }
}

impl fmt::Debug for ModelRouter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ModelRouter").field("cache", &self.cache).finish_non_exhaustive()
    }
}

/// As much of a prompt as is searched.
struct Opening {
    wording: String,
    is_all: bool,
}

impl Opening {
    fn of(prompt: &str) -> Self {
        let opening = first_chars(prompt, SEARCHED_CHARS);
        Self { wording: wording(opening), is_all: opening.len() == prompt.len() }
    }

    fn is_shorter_than(&self, chars: usize) -> bool {
        self.is_all && self.wording.chars().take(chars).count() < chars
    }
}

fn wording(text: &str) -> String {
    Normalization::Wording.apply(text).into_owned()
}

fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}
