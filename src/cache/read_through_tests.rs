use std::cell::Cell;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::*;

type Cached = ReadThrough<&'static str>;

fn cached() -> Cached {
    let config = CacheConfig { similarity: Some(SimilarityConfig::new(2)), ..CacheConfig::default() };
    Cached::new(Arc::new(AnswerCache::new(config).unwrap()), FlightsConfig::default()).unwrap()
}

fn key() -> CacheKey {
    CacheKey::of_text("question")
}

fn good(text: &str) -> Result<Fresh, &'static str> {
    Ok(Fresh { text: text.into(), accepted: true, outcome: () })
}

/// What a future gives that never waits.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

fn from(answer: Result<CachedAnswer, &'static str>) -> (String, CachedFrom) {
    answer.map(|answer| (answer.text.to_string(), answer.from)).unwrap()
}

#[test]
fn what_was_accepted_is_given_again_without_a_call() {
    let cached = cached();
    assert_eq!(from(now(cached.get_or_call(key(), None, async || good("a")))), ("a".to_owned(), CachedFrom::Call));
    let again = cached.get_or_call(key(), None, async || panic!("called"));
    assert_eq!(from(now(again)), ("a".to_owned(), CachedFrom::Stored));
}

#[test]
fn an_error_and_what_was_not_accepted_are_not_stored() {
    let cached = cached();
    assert_eq!(now(cached.get_or_call(key(), None, async || Err("down"))), Err("down"));
    let half =
        now(cached.get_or_call(key(), None, async || Ok(Fresh { text: "half".into(), accepted: false, outcome: () })));
    assert!(!half.unwrap().accepted);
    assert!(cached.cache().is_empty());
}

#[test]
fn equal_requests_wait_for_one_call_and_share_its_end() {
    let (cached, calls) = (cached(), Cell::new(0));
    let gate = Cell::new(false);
    let ask = || {
        cached.get_or_call(key(), None, async || {
            calls.set(calls.get() + 1);
            std::future::poll_fn(|_| if gate.get() { Poll::Ready(()) } else { Poll::Pending }).await;
            Err("down")
        })
    };
    let (mut first, mut second) = (pin!(ask()), pin!(ask()));
    let mut context = Context::from_waker(Waker::noop());
    assert!(first.as_mut().poll(&mut context).is_pending() && second.as_mut().poll(&mut context).is_pending());
    gate.set(true);
    assert_eq!(first.as_mut().poll(&mut context), Poll::Ready(Err("down")));
    assert_eq!(second.as_mut().poll(&mut context), Poll::Ready(Err("down")));
    assert_eq!(calls.get(), 1);
}

#[test]
fn a_leader_that_leaves_hands_over() {
    let cached = cached();
    let mut context = Context::from_waker(Waker::noop());
    let mut leader = Box::pin(cached.get_or_call(key(), None, async || std::future::pending().await));
    let mut follower = pin!(cached.get_or_call(key(), None, async || good("own call")));
    assert!(leader.as_mut().poll(&mut context).is_pending() && follower.as_mut().poll(&mut context).is_pending());
    drop(leader);
    let Poll::Ready(answer) = follower.as_mut().poll(&mut context) else { panic!("it leads") };
    assert_eq!(from(answer), ("own call".to_owned(), CachedFrom::Call));
}

#[test]
fn a_question_of_the_same_meaning_is_answered_from_the_store() {
    let cached = cached();
    let meaning = |x, y| Some(Meaning { scope: CacheKey::of_text("model"), embedding: vec![x, y] });
    let first = cached.get_or_call(key(), meaning(1.0, 0.0), async || good("a"));
    assert_eq!(from(now(first)).1, CachedFrom::Call);
    let other = CacheKey::of_text("the same in other words");
    let (text, source) = from(now(cached.get_or_call(other, meaning(0.99, 0.01), async || panic!("called"))));
    assert!(text == "a" && matches!(source, CachedFrom::Similar { similarity } if similarity > 0.99));
    let far = cached.get_or_call(CacheKey::of_text("another"), meaning(0.0, 1.0), async || good("b"));
    assert_eq!(from(now(far)), ("b".to_owned(), CachedFrom::Call));
}

#[test]
fn an_embedding_that_is_none_costs_the_look_up_only() {
    let cached = cached();
    let meaning = Some(Meaning { scope: key(), embedding: vec![f32::NAN, 1.0] });
    assert_eq!(from(now(cached.get_or_call(key(), meaning, async || good("a")))).1, CachedFrom::Call);
    assert_eq!(cached.cache().get(key()).as_deref(), Some("a"), "found by its words");
}
