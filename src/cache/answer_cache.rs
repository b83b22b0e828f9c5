//! The shell around the cache: lock and clock.

use std::fmt;
use std::sync::Arc;

use super::config::CacheConfig;
use super::key::CacheKey;
use super::similarity::{EmbeddingError, Nearest};
use super::state::{CacheStats, State};
use crate::clock::{Clock, SystemClock, Timestamp};
use crate::error::InvalidConfig;
use crate::guarded;
use crate::lock::lock;
use crate::sync::{Mutex, MutexGuard};

/// Keeps answers: at most so many, so large, so long. The least recently used one leaves first.
///
/// Share it by reference or [`Arc`]. A look-up also removes what has outlived its time: most cost one look at the oldest
/// answer, the first one after a long silence may remove all of them.
///
/// ```
/// use resilience::cache::{AnswerCache, CacheConfig, CacheKey};
/// use resilience::clock::ManualClock;
/// use serde_json::json;
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// let clock = ManualClock::new();
/// let cache = AnswerCache::with_clock(CacheConfig::default(), Arc::new(clock.clone()))?;
/// let key = CacheKey::of_request(&json!({"model": "gpt-4o-mini", "prompt": "1 + 1 = ?"}));
/// cache.insert_accepted(key, "2");
/// assert_eq!(cache.get(key).as_deref(), Some("2"));
/// clock.advance(Duration::from_secs(31 * 60));
/// assert_eq!(cache.get(key), None);
/// # Ok::<(), resilience::InvalidConfig>(())
/// ```
pub struct AnswerCache {
    state: Mutex<State>,
    clock: Arc<dyn Clock + Send + Sync>,
}

impl AnswerCache {
    /// On the system's clock.
    ///
    /// # Errors
    /// [`InvalidConfig`], see [`CacheConfig`].
    pub fn new(config: CacheConfig) -> Result<Self, InvalidConfig> {
        Self::with_clock(config, Arc::new(SystemClock))
    }

    /// With a clock of one's own.
    ///
    /// # Errors
    /// [`InvalidConfig`], see [`CacheConfig`].
    pub fn with_clock(config: CacheConfig, clock: Arc<dyn Clock + Send + Sync>) -> Result<Self, InvalidConfig> {
        Ok(Self { state: Mutex::new(State::new(config)?), clock })
    }

    /// The answer to an equal request.
    pub fn get(&self, key: CacheKey) -> Option<Arc<str>> {
        let now = self.now();
        self.state().get(key, now)
    }

    /// Whether there is one: no use of it, and not counted as a hit.
    pub fn contains(&self, key: CacheKey) -> bool {
        let now = self.now();
        self.state().contains(key, now)
    }

    /// Keeps an answer, in place of any other one of the same key. The caller vouches for it: it is complete and was
    /// accepted. False: it is larger than the whole cache or nothing is kept at all; an older answer is gone all the same.
    pub fn insert_accepted(&self, key: CacheKey, answer: impl Into<Arc<str>>) -> bool {
        // Before the lock: both are the caller's own code.
        let (answer, now) = (answer.into(), self.now());
        self.state().insert(key, answer, None, now)
    }

    /// The answer to the most similar question of the same scope, if it is similar enough.
    ///
    /// `scope` is the key of everything but the question that an answer depends on, see
    /// [`SimilarityIndex`](super::SimilarityIndex).
    ///
    /// # Errors
    /// [`EmbeddingError`].
    pub fn get_similar(
        &self,
        scope: CacheKey,
        embedding: &[f32],
    ) -> Result<Option<(Nearest, Arc<str>)>, EmbeddingError> {
        let now = self.now();
        self.state().get_similar(scope, embedding, now)
    }

    /// As [`insert_accepted`](Self::insert_accepted), and to be found by similar questions of the same scope.
    ///
    /// # Errors
    /// [`EmbeddingError`]; nothing has changed then.
    pub fn insert_accepted_similar(
        &self,
        key: CacheKey,
        scope: CacheKey,
        embedding: &[f32],
        answer: impl Into<Arc<str>>,
    ) -> Result<bool, EmbeddingError> {
        let (answer, now) = (answer.into(), self.now());
        let mut state = self.state();
        let placement = state.place(scope, embedding)?;
        Ok(state.insert(key, answer, Some(placement), now))
    }

    /// Forgets an answer. False: it was not there.
    pub fn remove(&self, key: CacheKey) -> bool {
        self.state().remove(key)
    }

    /// Forgets all answers. The counts stay.
    pub fn clear(&self) {
        self.state().clear();
    }

    /// How many answers it holds.
    pub fn len(&self) -> usize {
        let now = self.now();
        self.state().size(now).0
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all answers and embeddings.
    pub fn bytes(&self) -> usize {
        let now = self.now();
        self.state().size(now).1
    }

    /// What it has seen.
    pub fn stats(&self) -> CacheStats {
        self.state().stats()
    }

    /// The settings it was built from.
    pub fn config(&self) -> CacheConfig {
        *self.state().config()
    }

    /// A clock that panics leaves the time where it was: the state knows the latest.
    fn now(&self) -> Timestamp {
        guarded::now(&*self.clock)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl fmt::Debug for AnswerCache {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AnswerCache").field("stats", &self.stats()).finish_non_exhaustive()
    }
}
