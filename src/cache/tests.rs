use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::clock::{Clock, ManualClock, Timestamp};

fn cache(config: CacheConfig) -> (AnswerCache, ManualClock) {
    let clock = ManualClock::new();
    (AnswerCache::with_clock(config, Arc::new(clock.clone())).unwrap(), clock)
}

fn key(name: &str) -> CacheKey {
    CacheKey::of_text(name)
}

fn fill(cache: &AnswerCache) {
    for name in ["a", "b", "c"] {
        cache.insert_accepted(key(name), name);
    }
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn the_least_recently_used_answer_leaves_first() {
    let (cache, _) = cache(CacheConfig { max_entries: 3, ..Default::default() });
    fill(&cache);
    assert_eq!(cache.get(key("a")).as_deref(), Some("a"));
    assert!(cache.contains(key("b")), "a look is no use");
    cache.insert_accepted(key("d"), "d");
    assert_eq!(["a", "b", "c", "d"].map(|name| cache.contains(key(name))), [true, false, true, true]);
    assert_eq!(cache.stats(), CacheStats { hits: 1, evicted: 1, ..Default::default() });
}

#[test]
fn bytes_are_bounded_and_counted() {
    let (cache, _) = cache(CacheConfig { max_bytes: 10, ..Default::default() });
    assert!(cache.insert_accepted(key("a"), "重试")); // 6 bytes
    assert!(cache.insert_accepted(key("b"), "1234"));
    assert_eq!((cache.len(), cache.bytes()), (2, 10));
    assert!(cache.insert_accepted(key("c"), "1"));
    assert_eq!((cache.get(key("a")), cache.bytes()), (None, 5));
    assert!(cache.insert_accepted(key("d"), "1234567890"), "exactly the limit");
    assert_eq!((cache.len(), cache.bytes()), (1, 10));
    assert!(!cache.insert_accepted(key("e"), "12345678901"));
    assert_eq!((cache.len(), cache.stats().evicted), (1, 3), "what is too large pushes nobody out");
    assert!(!cache.insert_accepted(key("d"), "12345678901"));
    assert_eq!((cache.get(key("d")), cache.bytes()), (None, 0), "no old answer in place of the new one");
}

#[test]
fn an_answer_is_kept_for_its_time_and_no_longer() {
    let (cache, clock) = cache(CacheConfig { ttl: 10 * SECOND, ..Default::default() });
    cache.insert_accepted(key("a"), "first");
    clock.advance(5 * SECOND);
    cache.insert_accepted(key("b"), "other");
    cache.insert_accepted(key("a"), "second");
    clock.advance(10 * SECOND);
    assert_eq!(cache.get(key("a")).as_deref(), Some("second"), "a new answer has its full time");
    clock.advance(Duration::from_nanos(1));
    assert_eq!(cache.get(key("a")), None, "a use does not prolong it");
    assert_eq!((cache.len(), cache.bytes(), cache.is_empty()), (0, 0, true));
    assert_eq!(cache.stats(), CacheStats { hits: 1, misses: 1, evicted: 0, expired: 2 });
}

#[test]
fn what_has_expired_makes_room_before_what_has_not() {
    let (cache, clock) = cache(CacheConfig { max_entries: 2, ttl: 10 * SECOND, ..Default::default() });
    cache.insert_accepted(key("old"), "");
    clock.advance(6 * SECOND);
    cache.insert_accepted(key("young"), "");
    cache.get(key("old"));
    clock.advance(6 * SECOND);
    cache.insert_accepted(key("new"), "");
    assert_eq!(
        (cache.contains(key("young")), cache.stats().evicted),
        (true, 0),
        "though it was used before the old one"
    );
}

/// Tells the times that the test gives it, and panics where there is none.
struct Told(Mutex<Vec<Option<u64>>>);

impl Clock for Told {
    fn now(&self) -> Timestamp {
        let time = self.0.lock().unwrap().pop().flatten();
        Timestamp::from_millis(time.expect("clock gone wrong"))
    }
}

#[test]
fn a_clock_that_panics_or_runs_back_neither_revives_an_answer_nor_ends_it() {
    let mut times = [Some(5_000), None, Some(2_000), None, Some(15_000), Some(15_001), Some(3_000), None].to_vec();
    times.reverse();
    let config = CacheConfig { ttl: 10 * SECOND, ..Default::default() };
    let cache = AnswerCache::with_clock(config, Arc::new(Told(Mutex::new(times)))).unwrap();
    cache.insert_accepted(key("a"), "at 5 s");
    cache.insert_accepted(key("b"), "no earlier");
    let got = [(); 3].map(|()| cache.get(key("a")).is_some());
    assert_eq!(got, [true; 3]);
    let got = [(); 3].map(|()| cache.get(key("b")).is_some());
    assert_eq!(got, [false; 3], "it is 15.001 s, whatever comes after");
}

#[test]
fn zero_means_that_nothing_is_kept() {
    let defaults = CacheConfig::default;
    for config in [
        CacheConfig { max_entries: 0, ..defaults() },
        CacheConfig { max_bytes: 0, ..defaults() },
        CacheConfig { ttl: Duration::ZERO, ..defaults() },
    ] {
        let (cache, _) = cache(config);
        assert!(!cache.insert_accepted(key("a"), ""), "{config:?}");
        assert_eq!((cache.get(key("a")), cache.len(), cache.config()), (None, 0, config));
    }
}

#[test]
fn removing_and_clearing_leave_nothing() {
    let (cache, _) = cache(CacheConfig::default());
    fill(&cache);
    assert!(cache.remove(key("a")) && !cache.remove(key("a")));
    assert_eq!((cache.get(key("a")), cache.len(), cache.is_empty()), (None, 2, false));
    cache.clear();
    assert_eq!((cache.len(), cache.bytes()), (0, 0));
    assert!(cache.insert_accepted(key("b"), "again"));
    assert_eq!(cache.get(key("b")).as_deref(), Some("again"));
}

#[test]
fn an_answer_leaves_the_similarity_index_with_the_cache() {
    let similarity = Some(SimilarityConfig { dimensions: 2, threshold: 0.9 });
    let (cache, clock) = cache(CacheConfig { max_entries: 2, max_bytes: 100, similarity, ..Default::default() });
    let scope = key("model");
    let similar = |embedding: [f32; 2]| {
        let found = cache.get_similar(scope, &embedding).unwrap();
        found.map(|(nearest, answer)| (nearest.key, answer.to_string()))
    };
    let put = |name: &str, embedding: [f32; 2]| cache.insert_accepted_similar(key(name), scope, &embedding, name);
    assert_eq!(put("east", [1.0, 0.0]), Ok(true));
    assert_eq!(cache.bytes(), 4 + 8, "the embedding counts");
    assert_eq!(similar([2.0, 0.1]), Some((key("east"), "east".to_owned())));
    assert_eq!(similar([1.0, 1.0]), None);
    assert_eq!(put("north", [0.0, 1.0]), Ok(true));
    similar([1.0, 0.0]);
    assert_eq!(put("west", [-1.0, 0.0]), Ok(true));
    assert_eq!(similar([0.0, 1.0]), None, "evicted");
    assert!(similar([1.0, 0.0]).is_some(), "a similar question is a use");
    cache.insert_accepted(key("west"), "no embedding this time");
    assert_eq!(similar([-1.0, 0.0]), None, "replaced");
    cache.remove(key("east"));
    assert_eq!(similar([1.0, 0.0]), None, "removed");
    assert_eq!(put("south", [0.0, -1.0]), Ok(true));
    clock.advance(Duration::from_secs(1_801));
    assert_eq!(similar([0.0, -1.0]), None, "expired");
    assert_eq!(put("south", [0.0, -1.0]), Ok(true));
    cache.clear();
    assert_eq!(similar([0.0, -1.0]), None, "cleared");
    assert_eq!(cache.stats(), CacheStats { hits: 3, misses: 6, evicted: 1, expired: 2 });
}

#[test]
fn a_bad_embedding_changes_nothing() {
    let similarity = Some(SimilarityConfig::new(2));
    let (cache, _) = cache(CacheConfig { similarity, ..Default::default() });
    cache.insert_accepted(key("a"), "answer");
    let put = |embedding: &[f32]| cache.insert_accepted_similar(key("a"), key("model"), embedding, "other");
    assert_eq!(put(&[0.0, 0.0]), Err(EmbeddingError::Zero));
    assert_eq!(put(&[1.0]), Err(EmbeddingError::Dimensions { expected: 2, actual: 1 }));
    assert_eq!(cache.get(key("a")).as_deref(), Some("answer"));
}

#[test]
fn without_an_index_similarity_is_an_error() {
    let (cache, _) = cache(CacheConfig::default());
    assert_eq!(cache.get_similar(key("model"), &[1.0]), Err(EmbeddingError::NoIndex));
    let put = cache.insert_accepted_similar(key("a"), key("model"), &[1.0], "");
    assert_eq!((put, cache.len()), (Err(EmbeddingError::NoIndex), 0));
}

#[test]
fn bad_settings_are_refused_by_name() {
    let defaults = CacheConfig::default;
    let year = crate::MAX_DURATION;
    let similarity = |dimensions, threshold| Some(SimilarityConfig { dimensions, threshold });
    for (field, config) in [
        ("cache.maxEntries", CacheConfig { max_entries: 1_000_001, ..defaults() }),
        ("cache.maxBytes", CacheConfig { max_bytes: (1 << 30) + 1, ..defaults() }),
        ("cache.ttlMs", CacheConfig { ttl: year + Duration::from_nanos(1), ..defaults() }),
        ("similarity.dimensions", CacheConfig { similarity: similarity(0, 0.9), ..defaults() }),
        ("similarity.dimensions", CacheConfig { similarity: similarity(8_193, 0.9), ..defaults() }),
        ("similarity.threshold", CacheConfig { similarity: similarity(1, 0.0), ..defaults() }),
    ] {
        assert_eq!(AnswerCache::new(config).unwrap_err().field, field);
    }
    let similarity = similarity(8_192, 1.0);
    let largest = CacheConfig { max_entries: 1_000_000, max_bytes: 1 << 30, ttl: year, similarity };
    assert!(AnswerCache::new(largest).is_ok());
}
