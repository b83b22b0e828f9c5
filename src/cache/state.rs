//! The cache as a function of key, answer and time. No lock, no clock.

use std::sync::Arc;

use super::config::CacheConfig;
use super::lru::Lru;
use super::similarity::{EmbeddingError, Nearest, SimilarityIndex};
use super::{CacheKey, similarity};
use crate::clock::Timestamp;
use crate::error::InvalidConfig;

/// What a cache has seen since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheStats {
    /// Questions that were answered, by an equal or by a similar one.
    pub hits: u64,
    /// Questions that were not.
    pub misses: u64,
    /// Answers that had to make room for others.
    pub evicted: u64,
    /// Answers that outlived their time.
    pub expired: u64,
}

pub(super) struct State {
    config: CacheConfig,
    /// The latest time that it was told.
    now: Timestamp,
    /// In the order of their use.
    answers: Lru<Answer>,
    /// When each may last be given, in the order in which they were stored: with one time to live for all, that is also
    /// the order in which they expire.
    expiries: Lru<Timestamp>,
    index: Option<SimilarityIndex>,
    bytes: usize,
    stats: CacheStats,
}

struct Answer {
    text: Arc<str>,
    /// With its vector.
    bytes: usize,
}

/// The vector of a new answer, checked and of length 1.
pub(super) struct Placement {
    pub scope: CacheKey,
    pub unit: Vec<f32>,
}

impl State {
    pub fn new(config: CacheConfig) -> Result<Self, InvalidConfig> {
        config.validate()?;
        let index = config.similarity.map(|similarity| SimilarityIndex::new(similarity, config.max_entries));
        Ok(Self {
            config,
            now: Timestamp::ZERO,
            answers: Lru::new(),
            expiries: Lru::new(),
            index: index.transpose()?,
            bytes: 0,
            stats: CacheStats::default(),
        })
    }

    pub fn config(&self) -> &CacheConfig {
        &self.config
    }

    pub fn stats(&self) -> CacheStats {
        self.stats
    }

    pub fn get(&mut self, key: CacheKey, now: Timestamp) -> Option<Arc<str>> {
        self.move_to(now);
        let answer = self.answers.touch(key).map(|answer| answer.text.clone());
        self.count(answer.is_some());
        answer
    }

    /// Whether there is an answer: no use of it, and not counted.
    pub fn contains(&mut self, key: CacheKey, now: Timestamp) -> bool {
        self.move_to(now);
        self.answers.contains(key)
    }

    /// The most similar question of the same scope, if it is similar enough.
    pub fn get_similar(
        &mut self,
        scope: CacheKey,
        embedding: &[f32],
        now: Timestamp,
    ) -> Result<Option<(Nearest, Arc<str>)>, EmbeddingError> {
        self.move_to(now);
        let found = self.index.as_ref().ok_or(EmbeddingError::NoIndex)?.nearest(scope, embedding)?;
        let answer = found.and_then(|nearest| Some((nearest, self.answers.touch(nearest.key)?.text.clone())));
        self.count(answer.is_some());
        Ok(answer)
    }

    /// Keeps an answer in place of any other one of the same key. False: it is larger than the whole cache, or nothing is
    /// kept at all; the old one is gone all the same.
    pub fn insert(&mut self, key: CacheKey, text: Arc<str>, placement: Option<Placement>, now: Timestamp) -> bool {
        self.remove(key);
        self.move_to(now);
        let bytes = text.len() + placement.as_ref().map_or(0, |placement| size_of_val(&placement.unit[..]));
        let CacheConfig { max_entries, max_bytes, ttl, .. } = self.config;
        if max_entries == 0 || ttl.is_zero() || max_bytes == 0 || bytes > max_bytes {
            return false;
        }
        while self.answers.len() >= max_entries || self.bytes + bytes > max_bytes {
            // Not endless: each round removes one, and an empty cache has room.
            let Some((oldest, _)) = self.answers.oldest() else { break };
            self.remove(oldest);
            self.stats.evicted += 1;
        }
        self.answers.insert(key, Answer { text, bytes });
        self.expiries.insert(key, self.now + ttl);
        self.bytes += bytes;
        if let (Some(index), Some(Placement { scope, unit })) = (&mut self.index, placement) {
            index.place(key, scope, &unit);
        }
        true
    }

    /// Checks a vector for [`insert`](Self::insert).
    pub fn place(&self, scope: CacheKey, embedding: &[f32]) -> Result<Placement, EmbeddingError> {
        let config = self.config.similarity.ok_or(EmbeddingError::NoIndex)?;
        Ok(Placement { scope, unit: similarity::unit(embedding, config.dimensions)? })
    }

    /// The one way out. False: it was not there.
    pub fn remove(&mut self, key: CacheKey) -> bool {
        let Some(answer) = self.answers.remove(key) else { return false };
        self.expiries.remove(key);
        self.bytes -= answer.bytes;
        self.index.as_mut().map(|index| index.remove(key));
        true
    }

    /// Answers and their bytes.
    pub fn size(&mut self, now: Timestamp) -> (usize, usize) {
        self.move_to(now);
        (self.answers.len(), self.bytes)
    }

    pub fn clear(&mut self) {
        while let Some((oldest, _)) = self.answers.oldest() {
            self.remove(oldest);
        }
    }

    fn count(&mut self, hit: bool) {
        self.stats.hits += u64::from(hit);
        self.stats.misses += u64::from(!hit);
    }

    /// Removes what has expired by now. Each answer is removed once, so that on the average this costs a look at the oldest.
    fn move_to(&mut self, now: Timestamp) {
        self.now = self.now.max(now);
        while let Some((oldest, _)) = self.expiries.oldest().filter(|(_, last)| self.now > **last) {
            self.remove(oldest);
            self.stats.expired += 1;
        }
    }
}
