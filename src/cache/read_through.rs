use std::sync::Arc;

use super::answer_cache::AnswerCache;
use super::flights::{Flights, FlightsConfig, Joined};
use super::key::CacheKey;
use super::similarity::EmbeddingError;
use crate::error::InvalidConfig;
use crate::log;

/// What a call brought: a text, and whatever else (`T`) those want to see who waited for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fresh<T = ()> {
    /// The answer.
    pub text: Arc<str>,
    /// Whether it is complete and good enough for the next one who asks. Say no for half an answer and for a fallback text.
    pub accepted: bool,
    /// The whole outcome of the call. It is not stored.
    pub outcome: T,
}

/// Where an answer comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CachedFrom {
    /// From this caller's own call.
    Call,
    /// From an equal request's call, which this caller waited for.
    Shared,
    /// An equal request was answered before.
    Stored,
    /// A question that means the same was answered before.
    Similar {
        /// Cosine of the two embeddings.
        similarity: f64,
    },
}

/// An answer, old or new.
#[derive(Debug, Clone, PartialEq)]
pub struct CachedAnswer<T = ()> {
    /// The answer.
    pub text: Arc<str>,
    /// Where it comes from.
    pub from: CachedFrom,
    /// Whether it was accepted.
    pub accepted: bool,
    /// The whole outcome of the call behind it, one's own or the shared one; `None` for what was stored.
    pub outcome: Option<T>,
}

/// What a question means.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// The key of everything but the question that an answer depends on, see [`SimilarityIndex`](super::SimilarityIndex).
    pub scope: CacheKey,
    /// By the app's own model.
    pub embedding: Vec<f32>,
}

/// A cache that makes the call itself when it has no answer (read-through), once for all who ask the same at the same
/// time.
///
/// An error is everybody's who waited for the call, and nothing is stored. A caller that is dropped while it makes the
/// call hands it over to the one that has waited longest, which makes a call of its own.
///
/// ```
/// use resilience::cache::{AnswerCache, CacheConfig, CacheKey, CachedFrom, FlightsConfig, Fresh, ReadThrough};
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let cache = Arc::new(AnswerCache::new(CacheConfig::default())?);
/// let cached = ReadThrough::<String>::new(cache, FlightsConfig::default())?;
/// let key = CacheKey::of_text("1 + 1 = ?");
/// let ask = || cached.get_or_call(key, None, async || Ok(Fresh { text: "2".into(), accepted: true, outcome: () }));
/// assert_eq!(ask().await.unwrap().from, CachedFrom::Call);
/// assert_eq!(ask().await.unwrap().from, CachedFrom::Stored);
/// # Ok::<(), resilience::InvalidConfig>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct ReadThrough<E, T = ()> {
    cache: Arc<AnswerCache>,
    flights: Flights<Result<Fresh<T>, E>>,
}

impl<E: Clone, T: Clone> ReadThrough<E, T> {
    /// In front of a cache.
    ///
    /// # Errors
    /// [`InvalidConfig`], see [`FlightsConfig`].
    pub fn new(cache: Arc<AnswerCache>, flights: FlightsConfig) -> Result<Self, InvalidConfig> {
        Ok(Self { cache, flights: Flights::new(flights)? })
    }

    /// The stored answer to an equal request, else to a question of the same meaning, else what `call` brings.
    ///
    /// An embedding that can't be used costs the look-up, not the call.
    ///
    /// # Errors
    /// What `call` failed with, one's own or the shared one.
    pub async fn get_or_call(
        &self,
        key: CacheKey,
        meaning: Option<Meaning>,
        call: impl AsyncFnOnce() -> Result<Fresh<T>, E>,
    ) -> Result<CachedAnswer<T>, E> {
        if let Some(text) = self.cache.get(key) {
            return Ok(CachedAnswer { text, from: CachedFrom::Stored, accepted: true, outcome: None });
        }
        if let Some(answer) = meaning.as_ref().and_then(|meaning| self.similar(meaning)) {
            return Ok(answer);
        }
        match self.flights.join(Some(key)).await {
            Joined::Landed(shared) => answer(&shared, CachedFrom::Shared),
            Joined::Lead(lead) => {
                let brought = call().await;
                if let Ok(Fresh { text, accepted: true, .. }) = &brought {
                    self.store(key, meaning, text.clone());
                }
                answer(&lead.finish(brought), CachedFrom::Call)
            }
        }
    }

    /// The cache behind it.
    pub fn cache(&self) -> &Arc<AnswerCache> {
        &self.cache
    }

    fn similar(&self, meaning: &Meaning) -> Option<CachedAnswer<T>> {
        let (nearest, text) = usable(self.cache.get_similar(meaning.scope, &meaning.embedding))??;
        let from = CachedFrom::Similar { similarity: nearest.similarity };
        Some(CachedAnswer { text, from, accepted: true, outcome: None })
    }

    fn store(&self, key: CacheKey, meaning: Option<Meaning>, text: Arc<str>) {
        let by_meaning = meaning.and_then(|Meaning { scope, embedding }| {
            usable(self.cache.insert_accepted_similar(key, scope, &embedding, text.clone()))
        });
        if by_meaning.is_none() {
            self.cache.insert_accepted(key, text);
        }
    }
}

fn answer<E: Clone, T: Clone>(brought: &Result<Fresh<T>, E>, from: CachedFrom) -> Result<CachedAnswer<T>, E> {
    let Fresh { text, accepted, outcome } = brought.clone()?;
    Ok(CachedAnswer { text, from, accepted, outcome: Some(outcome) })
}

fn usable<T>(result: Result<T, EmbeddingError>) -> Option<T> {
    result.inspect_err(|error| log::warn(format_args!("an embedding is not used: {error}"))).ok()
}
