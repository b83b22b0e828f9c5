use resilience::cache::{AnswerCache, CacheConfig, CacheKey};

use crate::{THREADS, on_all_threads};

const LIMIT: usize = 50;

/// What one thread did.
#[derive(Default)]
struct Uses {
    stored: u64,
    removed: u64,
    asked: u64,
}

#[test]
fn what_was_stored_is_there_or_was_evicted_or_removed() {
    let cache = AnswerCache::new(CacheConfig { max_entries: LIMIT, ..CacheConfig::default() }).unwrap();
    let question = |thread: usize, number: u64| format!("question {number} of thread {thread}");
    let uses = on_all_threads(
        10_000,
        |thread, dice, uses: &mut Uses| {
            // Anybody's, from about now.
            let back = u64::from(dice.roll(10));
            let text = question(dice.roll(THREADS as u32) as usize, uses.stored.saturating_sub(back));
            let key = CacheKey::of_text(&text);
            match dice.roll(4) {
                0 => uses.removed += u64::from(cache.remove(key)),
                1 => {
                    // Each once, so that none takes the place of an equal one.
                    uses.stored += 1;
                    let own = question(thread, uses.stored);
                    assert!(cache.insert_accepted(CacheKey::of_text(&own), own));
                }
                _ => {
                    uses.asked += 1;
                    let answer = cache.get(key);
                    assert!(answer.is_none_or(|answer| *answer == *text), "nobody else's answer");
                }
            }
            assert!(cache.len() <= LIMIT);
        },
        Uses::default,
    );
    let sum = |of: fn(&Uses) -> u64| uses.iter().map(of).sum::<u64>();
    let stats = cache.stats();
    assert_eq!(sum(|uses| uses.stored), cache.len() as u64 + stats.evicted + stats.expired + sum(|uses| uses.removed));
    assert_eq!(sum(|uses| uses.asked), stats.hits + stats.misses);
    assert!(stats.hits > 100 && stats.evicted > 100 && sum(|uses| uses.removed) > 100, "it was busy: {stats:?}");
    cache.clear();
    assert_eq!((cache.len(), cache.bytes()), (0, 0));
}
