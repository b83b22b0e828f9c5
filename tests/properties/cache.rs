//! The cache against one as plainly as it can be said; keys against what they stand for; flights among callers who come
//! and go.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use proptest::prelude::*;
use resilience::cache::{
    AnswerCache, CacheConfig, CacheKey, CacheStats, Flights, FlightsConfig, Join, Joined, Lead, Normalization,
    SimilarityConfig, SimilarityIndex,
};
use resilience::clock::ManualClock;
use serde_json::{Map, Number, Value, json};

use crate::cases;
use crate::support::ms;

#[derive(Debug, Clone)]
enum Step {
    Get(u8),
    Contains(u8),
    Insert(u8, usize),
    Remove(u8),
    Clear,
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let name = || 0..8_u8;
    prop_oneof![
        4 => name().prop_map(Step::Get),
        1 => name().prop_map(Step::Contains),
        6 => (name(), 0..12_usize).prop_map(|(name, length)| Step::Insert(name, length)),
        1 => name().prop_map(Step::Remove),
        3 => (0..8_u64).prop_map(Step::Wait),
        1 => prop::bool::weighted(0.2).prop_map(|clear| if clear { Step::Clear } else { Step::Wait(1) }),
    ]
}

/// The least recently used answer first.
#[derive(Debug, Default)]
struct Model {
    max_entries: usize,
    max_bytes: usize,
    ttl: u64,
    now: u64,
    answers: Vec<(u8, String, u64)>,
    stats: CacheStats,
}

impl Model {
    fn expire(&mut self) {
        let before = self.answers.len();
        self.answers.retain(|(_, _, stored)| self.now - stored <= self.ttl);
        self.stats.expired += (before - self.answers.len()) as u64;
    }

    fn get(&mut self, name: u8) -> Option<Arc<str>> {
        let Some(place) = self.answers.iter().position(|(other, ..)| *other == name) else {
            self.stats.misses += 1;
            return None;
        };
        self.stats.hits += 1;
        let answer = self.answers.remove(place);
        self.answers.push(answer.clone());
        Some(answer.1.into())
    }

    fn bytes(&self) -> usize {
        self.answers.iter().map(|(_, text, _)| text.len()).sum()
    }

    fn insert(&mut self, name: u8, text: String) -> bool {
        self.answers.retain(|(other, ..)| *other != name);
        let kept = self.max_entries > 0 && self.max_bytes > 0 && self.ttl > 0 && text.len() <= self.max_bytes;
        if kept {
            self.answers.push((name, text, self.now));
        }
        while self.answers.len() > self.max_entries || self.bytes() > self.max_bytes {
            self.answers.remove(0);
            self.stats.evicted += 1;
        }
        kept
    }
}

/// As the module says: equal in JSON, with numbers by value.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => match (one.as_i128(), other.as_i128()) {
            (Some(one), Some(other)) => one == other,
            (None, None) => one.as_f64() == other.as_f64(),
            (Some(whole), None) => whole as f64 == other.as_f64().unwrap() && whole == other.as_f64().unwrap() as i128,
            (None, Some(whole)) => whole as f64 == one.as_f64().unwrap() && whole == one.as_f64().unwrap() as i128,
        },
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let same = |(name, value): (&String, &Value)| other.get(name).is_some_and(|other| equal(value, other));
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}

fn number() -> impl Strategy<Value = Value> {
    let edges = vec![0.0, -0.0, 1.0, -1.0, 0.5, 9_007_199_254_740_992.0, 9_007_199_254_740_994.0, 2e19, 1e300];
    prop_oneof![
        prop::sample::select(edges).prop_map(|float| json!(float)),
        (-2..3_i64).prop_map(|whole| json!(whole)),
        (9_007_199_254_740_991..9_007_199_254_740_995_u64).prop_map(|whole| json!(whole)),
        any::<u64>().prop_map(|whole| json!(whole)),
        any::<f64>().prop_map(|float| json!(float)), // NaN and the infinities become null
    ]
}

/// Few different ones, so that two of them are often equal.
fn request() -> impl Strategy<Value = Value> {
    let text = || prop::sample::select(vec!["", "a", "b", "ab", "a|b", "0", "null"]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number(),
        text().prop_map(|text| json!(text))
    ];
    leaf.prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((text(), inner), 0..4)
                .prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
                .prop_map(Value::Object),
        ]
    })
}

/// The same, made in another way: fields from back to front, whole numbers as floats where they are the same.
fn rewritten(value: &Value) -> Value {
    match value {
        Value::Number(number) => {
            let float = number.as_f64().and_then(Number::from_f64).map(Value::Number);
            float.filter(|float| equal(float, value)).unwrap_or_else(|| value.clone())
        }
        Value::Array(items) => items.iter().map(rewritten).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().rev().map(|(name, value)| (name.clone(), rewritten(value))).collect())
        }
        _ => value.clone(),
    }
}

/// One small change somewhere in it.
fn changed(value: &Value, mut at: usize) -> Value {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let mut items = items.clone();
            at %= items.len();
            items[at] = changed(&items[at], at / 2);
            Value::Array(items)
        }
        Value::Object(fields) if at.is_multiple_of(2) && !fields.is_empty() => {
            let mut fields: Map<String, Value> = fields.clone();
            let name = fields.keys().nth(at % fields.len()).cloned().unwrap();
            let value = changed(&fields[&name], at / 2);
            fields.insert(name, value);
            Value::Object(fields)
        }
        Value::Object(fields) => {
            let mut fields = fields.clone();
            fields.insert("c".to_owned(), Value::Null);
            Value::Object(fields)
        }
        Value::Null => json!({}),
        _ => Value::Null,
    }
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn the_cache_does_what_the_model_does(
        (max_entries, max_bytes, ttl) in (0..6_usize, 0..40_usize, 0..12_u64),
        steps in prop::collection::vec(step(), 0..120),
    ) {
        let clock = ManualClock::new();
        let config = CacheConfig { max_entries, max_bytes, ttl: ms(ttl), similarity: None };
        let cache = AnswerCache::with_clock(config, Arc::new(clock.clone())).unwrap();
        let mut model = Model { max_entries, max_bytes, ttl, ..Model::default() };
        let key = |name: u8| CacheKey::of_request(&json!(name));
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Get(name) => {
                    model.expire();
                    prop_assert_eq!(cache.get(key(name)), model.get(name));
                }
                Step::Contains(name) => {
                    model.expire();
                    prop_assert_eq!(cache.contains(key(name)), model.answers.iter().any(|(other, ..)| *other == name));
                }
                Step::Insert(name, length) => {
                    // An old answer that is replaced has not expired.
                    model.answers.retain(|(other, ..)| *other != name);
                    model.expire();
                    let text: String = number.to_string().chars().cycle().take(length).collect();
                    prop_assert_eq!(cache.insert_accepted(key(name), text.as_str()), model.insert(name, text));
                }
                Step::Remove(name) => {
                    let before = model.answers.len();
                    model.answers.retain(|(other, ..)| *other != name);
                    prop_assert_eq!(cache.remove(key(name)), model.answers.len() < before);
                }
                Step::Clear => {
                    cache.clear();
                    model.answers.clear();
                }
                Step::Wait(wait) => {
                    clock.advance(ms(wait));
                    model.now += wait;
                }
            }
            prop_assert_eq!(cache.stats(), model.stats);
        }
        model.expire();
        prop_assert_eq!((cache.len(), cache.bytes()), (model.answers.len(), model.bytes()));
        for name in 0..8 {
            prop_assert_eq!(cache.get(key(name)), model.get(name));
        }
    }

    #[test]
    fn keys_are_equal_exactly_when_the_requests_are(one in request(), other in request(), at in 0..8_usize) {
        let key = CacheKey::of_request;
        prop_assert_eq!(key(&one) == key(&other), equal(&one, &other), "{} and {}", one, other);
        let again = rewritten(&one);
        prop_assert_eq!(key(&one), key(&again), "{} and {}", one, again);
        let changed = changed(&one, at);
        prop_assert_eq!(key(&one) == key(&changed), equal(&one, &changed), "{} and {}", one, changed);
    }

    #[test]
    fn a_normalized_prompt_stays_as_it_is(prompt in "(\\PC|[ \\n.,!?'。，！？a-cA-C0-9+#]){0,40}") {
        for normalization in [Normalization::Exact, Normalization::Wording, Normalization::LettersAndDigits] {
            let once = normalization.apply(&prompt);
            let spaced = format!("  {prompt}\n");
            prop_assert_eq!(&once, &normalization.apply(&spaced));
            prop_assert_eq!(once.trim(), &*once);
        }
        let letters: Vec<char> = Normalization::LettersAndDigits.apply(&prompt).chars().filter(|c| *c != ' ').collect();
        let expected: Vec<char> =
            prompt.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        prop_assert_eq!(letters, expected);
    }

    #[test]
    fn the_nearest_embedding_is_the_one_with_the_largest_cosine(
        dimensions in 1..70_usize,
        numbers in prop::collection::vec(-10.0..10.0_f32, 70 * 7),
        threshold in 0.05..1.0_f64,
        removed in 0..6_usize,
    ) {
        let mut vectors = numbers.chunks(70).map(|numbers| &numbers[..dimensions]);
        let (asked, scope) = (vectors.next().unwrap(), CacheKey::of_text("scope"));
        let mut index = SimilarityIndex::new(SimilarityConfig { dimensions, threshold }, 6).unwrap();
        let key = |number: usize| CacheKey::of_request(&json!(number));
        let stored: Vec<&[f32]> = vectors.collect();
        for (number, vector) in stored.iter().enumerate() {
            prop_assume!(index.insert(key(number), scope, vector).is_ok());
        }
        index.remove(key(removed));
        let length = |vector: &[f32]| vector.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
        let cosine = |vector: &[f32]| {
            let product: f64 = vector.iter().zip(asked).map(|(&one, &other)| f64::from(one) * f64::from(other)).sum();
            product / (length(vector) * length(asked))
        };
        let cosines = stored.iter().enumerate().filter(|(number, _)| *number != removed).map(|(_, vector)| cosine(vector));
        let best = cosines.fold(f64::MIN, f64::max);
        prop_assume!(length(asked) > 0.0 && (best - threshold).abs() > 1e-4);
        match index.nearest(scope, asked).unwrap() {
            Some(nearest) => {
                prop_assert!(best > threshold && (nearest.similarity - best).abs() < 1e-5, "{nearest:?}, {best}");
                let number = (0..6).find(|number| key(*number) == nearest.key).unwrap();
                prop_assert!(number != removed && (cosine(stored[number]) - best).abs() < 1e-5);
            }
            None => prop_assert!(best < threshold),
        }
    }
}

#[derive(Default)]
struct Wakes(AtomicU64);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

struct Caller {
    name: u8,
    join: Join<usize>,
    wakes: Arc<Wakes>,
    /// How often it had been woken when it last looked and had to wait.
    waits_since: Option<u64>,
}

#[derive(Debug, Clone)]
enum Turn {
    Join(u8),
    Look(usize),
    Cancel(usize),
    Finish(usize),
    DropLead(usize),
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn of_callers_who_come_and_go_one_leads_and_none_is_forgotten(
        turns in prop::collection::vec(
            prop_oneof![
                4 => (0..3_u8).prop_map(Turn::Join),
                3 => any::<usize>().prop_map(Turn::Look),
                1 => any::<usize>().prop_map(Turn::Cancel),
                1 => any::<usize>().prop_map(Turn::Finish),
                1 => any::<usize>().prop_map(Turn::DropLead),
            ],
            0..150,
        ),
    ) {
        let flights = Flights::<usize>::new(FlightsConfig::default()).unwrap();
        let (mut callers, mut leads): (Vec<Caller>, Vec<(u8, Lead<usize>)>) = Default::default();
        let mut landed: HashMap<u8, usize> = HashMap::new();
        let end = (0..1_000).map(|number| if number % 2 == 0 { Turn::Look(number / 2) } else { Turn::Finish(0) });
        for (number, turn) in turns.into_iter().chain(end).enumerate() {
            match turn {
                Turn::Join(name) => {
                    let join = flights.join(Some(CacheKey::of_request(&json!(name))));
                    callers.push(Caller { name, join, wakes: Arc::default(), waits_since: None });
                }
                Turn::Look(which) if !callers.is_empty() => {
                    let place = which % callers.len();
                    let caller = &mut callers[place];
                    let wakes = caller.wakes.0.load(Ordering::SeqCst);
                    let woken = caller.waits_since.is_none_or(|before| wakes > before);
                    let waker = Waker::from(caller.wakes.clone());
                    let poll = Pin::new(&mut caller.join).poll(&mut Context::from_waker(&waker));
                    prop_assert!(poll.is_pending() || woken, "nobody told it to look");
                    match poll {
                        Poll::Pending => caller.waits_since = Some(wakes),
                        Poll::Ready(Joined::Lead(lead)) => leads.push((callers.remove(place).name, lead)),
                        Poll::Ready(Joined::Landed(result)) => {
                            let name = callers.remove(place).name;
                            prop_assert!(landed.get(&name).is_some_and(|last| *result <= *last), "of its own flight");
                        }
                    }
                }
                Turn::Cancel(which) if !callers.is_empty() => drop(callers.remove(which % callers.len())),
                Turn::Finish(which) if !leads.is_empty() => {
                    let (name, lead) = leads.remove(which % leads.len());
                    landed.insert(name, number);
                    lead.finish(number);
                }
                Turn::DropLead(which) if !leads.is_empty() => drop(leads.remove(which % leads.len())),
                _ => {}
            }
            let mut of_name: BTreeMap<u8, u32> = BTreeMap::new();
            leads.iter().for_each(|(name, _)| *of_name.entry(*name).or_default() += 1);
            prop_assert!(of_name.values().all(|leaders| *leaders == 1), "{of_name:?}");
            prop_assert!(flights.in_flight() >= of_name.len());
        }
        // Nobody waits for ever.
        prop_assert!(callers.is_empty() && leads.is_empty());
        prop_assert_eq!((flights.in_flight(), flights.followers()), (0, 0));
    }
}
