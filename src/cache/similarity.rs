//! Finds the question that means the same, by embeddings that the app brings.

use std::collections::HashMap;

use super::CacheKey;
use crate::error::{InvalidConfig, in_range, is_share};

/// Sums of thousands of products in single precision are off by less: two equal vectors reach a threshold of 1.
const ROUNDING: f64 = 1e-5;

/// Settings of a [`SimilarityIndex`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarityConfig {
    /// Numbers of an embedding, as the app's model makes them. 1 to 8192.
    pub dimensions: usize,
    /// Least cosine of two questions that share an answer, to within 10⁻⁵. Above 0, up to 1; 0.95 in
    /// [`new`](Self::new). Lower finds more answers, and more that belong to another question.
    pub threshold: f64,
}

impl SimilarityConfig {
    /// With a threshold of 0.95.
    pub const fn new(dimensions: usize) -> Self {
        Self { dimensions, threshold: 0.95 }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn validate(&self) -> Result<(), InvalidConfig> {
        in_range("similarity.dimensions", self.dimensions, 1..=8_192)?;
        is_share("similarity.threshold", self.threshold)
    }
}

/// An embedding that can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EmbeddingError {
    /// It is of another length than the index's.
    #[error("the embedding has {actual} numbers, the index takes {expected}")]
    Dimensions {
        /// What the index takes.
        expected: usize,
        /// What was given.
        actual: usize,
    },
    /// It holds NaN or an infinity.
    #[error("number {position} of the embedding is not finite")]
    NotFinite {
        /// The first such number, counted from 0.
        position: usize,
    },
    /// All its numbers are 0: it points nowhere.
    #[error("the embedding is all zeros")]
    Zero,
    /// The index holds as many as it may.
    #[error("the index is full ({max_entries} embeddings)")]
    Full {
        /// Its limit.
        max_entries: usize,
    },
    /// The cache was made without [`SimilarityConfig`].
    #[error("the cache has no similarity index")]
    NoIndex,
}

/// The question most like the one that was asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// Its key.
    pub key: CacheKey,
    /// Cosine of the two embeddings: 1 is the same direction.
    pub similarity: f64,
}

/// Embeddings by key. The look-up compares with each of them, so it is exact; as they are brought to length 1 when they
/// come in, that is one product of two vectors for each: 0.06 ms for 1000 of 384 numbers on a desktop.
///
/// An embedding knows the question alone: it is only compared with those of the same `scope`, the key of everything else
/// that an answer depends on (model, system prompt, temperature, user …).
///
/// An [`AnswerCache`](super::AnswerCache) with [`CacheConfig::similarity`](super::CacheConfig::similarity) keeps one of its
/// own.
///
/// ```
/// use resilience::cache::{CacheKey, SimilarityConfig, SimilarityIndex};
///
/// let mut index = SimilarityIndex::new(SimilarityConfig { dimensions: 3, threshold: 0.9 }, 1_000)?;
/// let (scope, weather) = (CacheKey::of_text("gpt-4o-mini"), CacheKey::of_text("Will it rain tomorrow?"));
/// index.insert(weather, scope, &[0.8, 0.1, 0.0])?;
/// assert_eq!(index.nearest(scope, &[1.6, 0.3, 0.1])?.map(|nearest| nearest.key), Some(weather));
/// assert_eq!(index.nearest(scope, &[0.0, 1.0, 0.0])?, None);
/// assert_eq!(index.nearest(CacheKey::of_text("gpt-4o"), &[0.8, 0.1, 0.0])?, None, "another model");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SimilarityIndex {
    config: SimilarityConfig,
    max_entries: usize,
    rows: Vec<Row>,
    /// One after the other, in the order of `rows`.
    units: Vec<f32>,
    places: HashMap<CacheKey, usize>,
}

#[derive(Debug)]
struct Row {
    key: CacheKey,
    scope: CacheKey,
}

impl SimilarityIndex {
    /// An empty index of at most `max_entries` embeddings, 0 to 1 000 000; each takes 4 bytes a number.
    ///
    /// # Errors
    /// [`InvalidConfig`], see [`SimilarityConfig`].
    pub fn new(config: SimilarityConfig, max_entries: usize) -> Result<Self, InvalidConfig> {
        config.validate()?;
        in_range("similarity.maxEntries", max_entries, 0..=1_000_000)?;
        Ok(Self { config, max_entries, rows: Vec::new(), units: Vec::new(), places: HashMap::new() })
    }

    /// Keeps an embedding, in place of any other one of the same key.
    ///
    /// # Errors
    /// [`EmbeddingError`]; nothing has changed then.
    pub fn insert(&mut self, key: CacheKey, scope: CacheKey, embedding: &[f32]) -> Result<(), EmbeddingError> {
        let unit = unit(embedding, self.config.dimensions)?;
        if self.rows.len() >= self.max_entries && !self.places.contains_key(&key) {
            return Err(EmbeddingError::Full { max_entries: self.max_entries });
        }
        self.place(key, scope, &unit);
        Ok(())
    }

    /// Keeps a vector that [`unit`] has made. The caller sees to it that there is room.
    pub(super) fn place(&mut self, key: CacheKey, scope: CacheKey, unit: &[f32]) {
        self.remove(key);
        self.places.insert(key, self.rows.len());
        self.rows.push(Row { key, scope });
        self.units.extend_from_slice(unit);
    }

    /// The most similar one of the same scope that reaches the threshold; of equally similar ones, any.
    ///
    /// # Errors
    /// [`EmbeddingError`].
    pub fn nearest(&self, scope: CacheKey, embedding: &[f32]) -> Result<Option<Nearest>, EmbeddingError> {
        let unit = unit(embedding, self.config.dimensions)?;
        let rows = self.rows.iter().zip(self.units.chunks_exact(self.config.dimensions));
        let cosines = rows.filter(|(row, _)| row.scope == scope).map(|(row, other)| (row.key, product(&unit, other)));
        let best = cosines.max_by(|(_, one), (_, other)| one.total_cmp(other));
        let nearest = best.map(|(key, cosine)| Nearest { key, similarity: f64::from(cosine).clamp(-1.0, 1.0) });
        Ok(nearest.filter(|nearest| nearest.similarity >= self.config.threshold - ROUNDING))
    }

    /// Forgets an embedding. False: it was not there.
    pub fn remove(&mut self, key: CacheKey) -> bool {
        let Some(place) = self.places.remove(&key) else { return false };
        let (last, dimensions) = (self.rows.len() - 1, self.config.dimensions);
        self.rows.swap_remove(place);
        self.units.copy_within(last * dimensions.., place * dimensions);
        self.units.truncate(last * dimensions);
        if let Some(moved) = self.rows.get(place) {
            self.places.insert(moved.key, place);
        }
        true
    }

    /// How many it holds.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// The vector of length 1 in the same direction. In double precision: squares of large numbers overflow the single one.
pub(super) fn unit(embedding: &[f32], dimensions: usize) -> Result<Vec<f32>, EmbeddingError> {
    if embedding.len() != dimensions {
        return Err(EmbeddingError::Dimensions { expected: dimensions, actual: embedding.len() });
    }
    if let Some(position) = embedding.iter().position(|number| !number.is_finite()) {
        return Err(EmbeddingError::NotFinite { position });
    }
    let length = embedding.iter().map(|&number| f64::from(number).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err(EmbeddingError::Zero);
    }
    Ok(embedding.iter().map(|&number| (f64::from(number) / length) as f32).collect())
}

/// Many sums side by side: a single one must be added up in order, which no processor does fast.
fn product(one: &[f32], other: &[f32]) -> f32 {
    const LANES: usize = 32;
    let ((ones, rest), (others, other_rest)) = (one.as_chunks::<LANES>(), other.as_chunks::<LANES>());
    let mut sums = [0.0_f32; LANES];
    for (ones, others) in ones.iter().zip(others) {
        for ((sum, one), other) in sums.iter_mut().zip(ones).zip(others) {
            *sum += one * other;
        }
    }
    let rest = rest.iter().zip(other_rest).map(|(one, other)| one * other);
    sums.into_iter().chain(rest).sum()
}
