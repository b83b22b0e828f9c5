use std::time::Duration;

use super::similarity::SimilarityConfig;
use crate::error::{InvalidConfig, duration_in_range, in_range};

/// Settings of an [`AnswerCache`](super::AnswerCache). 0 in any of the three limits means that nothing is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CacheConfig {
    /// Most answers. 0 to 1 000 000; default 1000. Beside its text an answer takes some 300 bytes.
    pub max_entries: usize,
    /// Most bytes of all answers together (UTF-8; an embedding counts 4 bytes a number). 0 to 1 GiB; default 4 MiB: a
    /// thousand answers of about 1300 Chinese characters each.
    pub max_bytes: usize,
    /// How long an answer is kept, inclusive. Default 30 min.
    pub ttl: Duration,
    /// Also find answers to questions that mean the same. Default: no.
    pub similarity: Option<SimilarityConfig>,
}

impl Default for CacheConfig {
    fn default() -> Self {
        Self { max_entries: 1_000, max_bytes: 4 << 20, ttl: Duration::from_secs(30 * 60), similarity: None }
    }
}

impl CacheConfig {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn validate(&self) -> Result<(), InvalidConfig> {
        in_range("cache.maxEntries", self.max_entries, 0..=1_000_000)?;
        in_range("cache.maxBytes", self.max_bytes, 0..=1 << 30)?;
        duration_in_range("cache.ttlMs", self.ttl, Duration::ZERO)?;
        self.similarity.map_or(Ok(()), |similarity| similarity.validate())
    }
}
