//! The layers around a call: windows, bulkheads, stored answers, figures.

use std::collections::HashMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use governor::{Quota, RateLimiter};
use lru::LruCache;
use resilience::breaker::{BreakerConfig, CircuitBreaker, WindowConfig, WindowSpan};
use resilience::bulkhead::{Bulkhead, BulkheadConfig};
use resilience::cache::{AnswerCache, CacheConfig, CacheKey, SimilarityConfig, SimilarityIndex};
use resilience::metrics::{self, Metrics};
use tokio::sync::Semaphore;

use super::{HOUR, Measure, OURS, work};

/// A closed breaker that looks back admits a call, and its success is recorded, beside one that counts failures in a row.
pub fn windows(to: &mut impl Measure) {
    const ROW: &str = "closed breaker with a window, admit and record a success";
    let time = |buckets| WindowSpan::Time { length: Duration::from_secs(10), buckets };
    for (who, span) in [
        (OURS, Some(time(10))),
        ("ours, 1000 buckets", Some(time(1_000))),
        ("ours, the last 100 calls", Some(WindowSpan::Calls(100))),
        ("ours, the last 10 000 calls", Some(WindowSpan::Calls(10_000))),
        ("ours, failures in a row", None),
    ] {
        let window = span.map(|span| WindowConfig { span, ..WindowConfig::default() });
        let breaker = CircuitBreaker::new(BreakerConfig { window, ..BreakerConfig::default() }).unwrap();
        to.row(ROW, who, || {
            let permit = breaker.try_acquire().ok()?;
            permit.success();
            work().ok()
        });
    }
    let breaker = recloser::Recloser::default();
    to.row(ROW, "recloser, the last 100 calls", || breaker.call(work));
}

/// A place is taken and given back. A rate limiter knows no places: it only counts the start.
pub fn bulkhead(to: &mut impl Measure) {
    const ROW: &str = "bulkhead, a place taken and given back";
    let bulkhead = Arc::new(Bulkhead::new(BulkheadConfig::default()).unwrap());
    to.shared_row(ROW, OURS, || bulkhead.try_acquire().is_ok());
    let semaphore = Semaphore::new(20);
    to.shared_row(ROW, "tokio Semaphore", || semaphore.try_acquire().is_ok());
    let limiter = RateLimiter::direct(Quota::per_second(NonZeroU32::MAX));
    to.shared_row(ROW, "governor", || limiter.check().is_ok());
}

/// One of 10 000 stored answers is found by its key.
pub fn cache(to: &mut impl Measure) {
    const ROW: &str = "stored answer of 10 000, found by its key";
    const ANSWERS: usize = 10_000;
    let keys: Vec<CacheKey> = (0..ANSWERS).map(|number| CacheKey::of_text(&number.to_string())).collect();
    let mut next = 0;
    let mut in_turn = || {
        next = (next + 7_919) % ANSWERS;
        keys[next]
    };
    let cache = AnswerCache::new(CacheConfig { max_entries: ANSWERS, ..CacheConfig::default() }).unwrap();
    keys.iter().for_each(|&key| _ = cache.insert_accepted(key, "an answer of twenty b"));
    to.row(ROW, OURS, || cache.get(in_turn()));
    let answer: Arc<str> = "an answer of twenty b".into();
    let mut cache = LruCache::new(NonZeroUsize::new(ANSWERS).unwrap());
    keys.iter().for_each(|&key| _ = cache.put(key, answer.clone()));
    let cache = Mutex::new(cache);
    to.row(ROW, "lru in a Mutex, no time to live", || cache.lock().unwrap().get(&in_turn()).cloned());
    let map: HashMap<CacheKey, Arc<str>> = keys.iter().map(|&key| (key, answer.clone())).collect();
    to.row(ROW, "std HashMap, no bounds at all", || map.get(&in_turn()).cloned());
}

/// The nearest of 1000 questions by embeddings of 384 numbers.
pub fn similarity(to: &mut impl Measure) {
    const ROW: &str = "nearest of 1000 questions, 384 numbers each";
    let scope = CacheKey::of_text("model");
    let mut index = SimilarityIndex::new(SimilarityConfig::new(384), 1_000).unwrap();
    let embedding =
        |seed: usize| -> Vec<f32> { (0..384).map(|at| ((seed * 31 + at * 17) % 101) as f32 - 50.0).collect() };
    for number in 0..1_000 {
        index.insert(CacheKey::of_text(&number.to_string()), scope, &embedding(number)).unwrap();
    }
    let question = embedding(500);
    to.row(ROW, OURS, || index.nearest(scope, &question));
}

/// The text for Prometheus of 500 named breakers.
pub fn prometheus(to: &mut impl Measure) {
    const ROW: &str = "text for Prometheus of 500 breakers";
    let breaker = |number: u32| {
        let config = BreakerConfig { cooldown: HOUR, ..BreakerConfig::default() };
        (format!("service_{number}"), Arc::new(CircuitBreaker::new(config).unwrap()))
    };
    let breakers: Vec<_> = (0..500).map(breaker).collect();
    to.row(ROW, OURS, || metrics::render(&Metrics::of(&breakers, &[])));
}
