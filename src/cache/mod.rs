//! Answers kept for the next time, bounded; and equal requests in flight that share one call.
//!
//! | part | what it does |
//! |---|---|
//! | [`CacheKey`] | names a request by **all** its parameters |
//! | [`AnswerCache`] | keeps answers: at most so many, so large, so long |
//! | [`SimilarityIndex`] | finds the answer to a question that means the same, by the app's own embeddings |
//! | [`Flights`] | lets callers of equal requests wait for one call |
//! | [`ReadThrough`] | all of that around a call: gives what is stored, else makes the call once |
//!
//! # What holds
//!
//! * Only complete answers that were accepted belong in it: not one that was cut off, refused, made up by a fallback, or
//!   turned down by a quality check. The cache can't see that; whoever calls
//!   [`insert_accepted`](AnswerCache::insert_accepted) vouches for it.
//! * An empty answer is an answer: stored, it is a hit.
//! * Entries and bytes are bounded, the least recently used answer leaves first; what has outlived its time leaves before
//!   that. An answer's vector leaves the similarity index with it.
//! * Time is the passed-in clock's, which never runs backwards: setting the device's clock neither revives an answer nor
//!   ends it.
//! * A leader that is cancelled takes nobody with it: the next caller in the line leads.
//! * What one user asked may answer another one who shares the cache: keep one for each user, or put the user into the
//!   key ([`CacheKey::within`]).

mod answer_cache;
mod config;
mod flights;
mod key;
#[cfg(test)]
mod key_tests;
mod lru;
mod normalization;
mod read_through;
#[cfg(test)]
mod read_through_tests;
mod similarity;
#[cfg(test)]
mod similarity_tests;
mod state;
#[cfg(test)]
mod tests;

pub use answer_cache::AnswerCache;
pub use config::CacheConfig;
pub use flights::{Flights, FlightsConfig, Join, Joined, Lead};
pub use key::CacheKey;
pub use normalization::Normalization;
pub use read_through::{CachedAnswer, CachedFrom, Fresh, Meaning, ReadThrough};
pub use similarity::{EmbeddingError, Nearest, SimilarityConfig, SimilarityIndex};
pub use state::CacheStats;
