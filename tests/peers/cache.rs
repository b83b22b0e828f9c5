//! Section M, and what of N is the cache's and the router's: answers to other requests, lost followers, no bounds.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use resilience::cache::{AnswerCache, CacheConfig, CacheKey, Flights, FlightsConfig, Join, Joined, SimilarityConfig};
use resilience::clock::{Clock, ManualClock, Timer, Timestamp};
use resilience::router::{ModelRouter, RouteReason, RouterConfig};
use serde_json::{Value, json};

use crate::support::{at, join_all, ms, run};

#[test]
fn m2_instructor_2585_orcarouter_lite_84_lobster_129_the_key_is_of_all_parameters() {
    let request = json!({
        "model": "gpt-4o", "temperature": 0, "max_tokens": 16, "stream": false, "stop": ["a|b", "c"], "user": "",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}],
    });
    let mut all = vec![request.clone()];
    let mut change = |pointer: &str, value: Value| {
        let mut other = request.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        all.push(other);
    };
    change("/model", json!("gpt-4o-mini"));
    change("/temperature", json!(0.7));
    change("/temperature", json!(null));
    change("/temperature", json!("0"));
    change("/temperature", json!(false));
    change("/max_tokens", json!(4_000));
    change("/stream", json!(true));
    change("/stop", json!(["a", "b|c"]));
    change("/stop", json!(["c", "a|b"]));
    change("/stop", json!(["a|b,c"]));
    change("/stop", json!([["a|b", "c"]]));
    change("/messages/0/content", json!("Be polite."));
    change("/messages/1/content", json!("hi "));
    change("/messages/1/role", json!("system"));
    for left_out in ["temperature", "user", "stream", "max_tokens"] {
        let mut other = request.clone();
        other.as_object_mut().unwrap().remove(left_out);
        all.push(other);
    }
    let cache = AnswerCache::new(CacheConfig::default()).unwrap();
    for request in &all {
        let key = CacheKey::of_request(request);
        assert_eq!(cache.get(key), None, "{request}");
        cache.insert_accepted(key, request.to_string());
    }
    for request in &all {
        assert_eq!(cache.get(CacheKey::of_request(request)).as_deref(), Some(request.to_string().as_str()));
    }
}

#[test]
fn m2_the_order_of_fields_and_the_spelling_of_numbers_do_not_matter() {
    let key = |text: &str| CacheKey::of_request(&serde_json::from_str(text).unwrap());
    let first = key(r#"{"model": "m", "options": {"temperature": 1, "top_p": 0.5}, "n": 100}"#);
    assert_eq!(first, key(r#"{"n": 1e2, "options": {"top_p": 5e-1, "temperature": 1.0}, "model": "m"}"#));
    assert_ne!(first, key(r#"{"n": 100, "model": "m", "temperature": 1, "options": {"top_p": 0.5}}"#));
}

#[test]
fn m2_a_similar_question_to_another_model_is_another_question() {
    let similarity = Some(SimilarityConfig::new(2));
    let cache = AnswerCache::new(CacheConfig { similarity, ..Default::default() }).unwrap();
    let scope =
        |model: &str, temperature: f64| CacheKey::of_request(&json!({"model": model, "temperature": temperature}));
    cache.insert_accepted_similar(CacheKey::of_text("q"), scope("a", 0.0), &[1.0, 1.0], "answer").unwrap();
    assert_eq!(cache.get_similar(scope("b", 0.0), &[1.0, 1.0]), Ok(None));
    assert_eq!(cache.get_similar(scope("a", 0.7), &[1.0, 1.0]), Ok(None));
    assert!(cache.get_similar(scope("a", 0.0), &[1.0, 1.0]).unwrap().is_some());
}

type Shared = Flights<Result<String, String>>;

fn flights() -> Shared {
    Flights::new(FlightsConfig::default()).unwrap()
}

fn key(name: &str) -> Option<CacheKey> {
    Some(CacheKey::of_text(name))
}

fn poll<T>(join: &mut Join<T>) -> Poll<Joined<T>> {
    Pin::new(join).poll(&mut Context::from_waker(Waker::noop()))
}

/// One caller: leads, or waits for who does. Who leads takes 100 ms. Gives the result, and whether it was its own call.
async fn call(clock: &ManualClock, flights: &Shared, key: Option<CacheKey>, reply: &str) -> (String, bool) {
    match flights.join(key).await {
        Joined::Landed(shared) => (shared.as_ref().clone().unwrap_or_else(|error| error), false),
        Joined::Lead(lead) => {
            clock.sleep_until(clock.now() + ms(100)).await;
            let own = lead.finish(Ok(reply.to_owned()));
            (own.as_ref().clone().unwrap(), true)
        }
    }
}

#[test]
fn m3_opossum_896_without_a_key_nothing_is_shared() {
    let (clock, flights) = (ManualClock::new(), flights());
    let calls = ["a", "b", "c"].map(|reply| call(&clock, &flights, None, reply));
    let results = run(&clock, join_all(calls));
    assert_eq!(results, ["a", "b", "c"].map(|reply| (reply.to_owned(), true)));
    assert_eq!(flights.in_flight(), 0);
    // An empty text is a key like any other.
    let calls = ["a", "b"].map(|reply| call(&clock, &flights, key(""), reply));
    assert_eq!(run(&clock, join_all(calls)), [("a".to_owned(), true), ("a".to_owned(), false)]);
}

#[test]
fn m4_cacheable_888_a_cancelled_leader_hands_over_and_the_others_get_the_answer() {
    let (clock, flights) = (ManualClock::new(), flights());
    let results = run(&clock, async {
        let leader = async {
            // Cancelled after 50 ms.
            let mut work = Box::pin(call(&clock, &flights, key("q"), "of the leader"));
            let mut end = Box::pin(clock.sleep_until(Timestamp::from_millis(50)));
            std::future::poll_fn(|context| {
                assert!(work.as_mut().poll(context).is_pending());
                end.as_mut().poll(context)
            })
            .await;
        };
        let follow = async |reply| {
            at(&clock, 10, || ()).await;
            call(&clock, &flights, key("q"), reply).await
        };
        tokio::join!(leader, follow("of the second"), follow("of the third"))
    });
    assert_eq!(results.1, ("of the second".to_owned(), true), "who has waited longest leads");
    assert_eq!(results.2, ("of the second".to_owned(), false));
    assert_eq!(clock.now(), Timestamp::from_millis(150), "it began at the cancel");
    assert_eq!((flights.in_flight(), flights.followers()), (0, 0));
}

#[test]
fn m4_a_chain_of_cancelled_leaders_ends_with_an_answer() {
    let flights = flights();
    let mut joins: Vec<_> = (0..10).map(|_| flights.join(key("q"))).collect();
    for cancelled in 0..9 {
        let Poll::Ready(Joined::Lead(lead)) = poll(&mut joins[cancelled]) else { panic!("{cancelled} should lead") };
        assert!(joins[cancelled + 1..].iter_mut().all(|join| poll(join).is_pending()));
        drop(lead);
    }
    let Poll::Ready(Joined::Lead(_)) = poll(&mut joins[9]) else { panic!("the last one leads") };
    assert_eq!(flights.in_flight(), 0);
}

#[test]
fn m4_a_panicking_leader_hands_over() {
    let flights = flights();
    let (mut first, mut second) = (flights.join(key("q")), flights.join(key("q")));
    let Poll::Ready(Joined::Lead(lead)) = poll(&mut first) else { panic!("leads") };
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let _lead = lead;
        panic!("client gone wrong");
    }));
    assert!(panicked.is_err() && matches!(poll(&mut second), Poll::Ready(Joined::Lead(_))));
}

#[test]
fn m4_a_cancelled_follower_leaves_the_rest_alone() {
    let flights = flights();
    let mut joins: Vec<_> = (0..4).map(|_| flights.join(key("q"))).collect();
    let Poll::Ready(Joined::Lead(lead)) = poll(&mut joins[0]) else { panic!("leads") };
    drop(joins.remove(2));
    assert!(joins[1..].iter_mut().all(|join| poll(join).is_pending()));
    assert_eq!(flights.followers(), 2);
    lead.finish(Ok("answer".to_owned()));
    for join in &mut joins[1..] {
        let Poll::Ready(Joined::Landed(answer)) = poll(join) else { panic!("landed") };
        assert_eq!(answer.as_deref(), Ok("answer"));
    }
}

#[test]
fn m4_one_outage_is_one_call_and_all_hear_of_it() {
    let flights = flights();
    let mut joins: Vec<_> = (0..100).map(|_| flights.join(key("q"))).collect();
    let Poll::Ready(Joined::Lead(lead)) = poll(&mut joins[0]) else { panic!("leads") };
    lead.finish(Err("503".to_owned()));
    for join in &mut joins[1..] {
        assert!(matches!(poll(join), Poll::Ready(Joined::Landed(error)) if *error == Err("503".to_owned())));
    }
}

#[test]
fn m5_opossum_an_empty_answer_is_a_hit() {
    let cache = AnswerCache::new(CacheConfig::default()).unwrap();
    let key = CacheKey::of_text("q");
    cache.insert_accepted(key, "");
    assert_eq!((cache.get(key).as_deref(), cache.stats().hits), (Some(""), 1));
    let router = ModelRouter::new(RouterConfig::default()).unwrap();
    router.set_cached("q", "");
    assert_eq!((router.route("q").reason, router.get_cached("q").as_deref()), (RouteReason::CacheHit, Some("")));
}

#[test]
fn m6_ocache_35_entries_bytes_and_time_are_bounded() {
    let (clock, defaults) = (ManualClock::new(), CacheConfig::default());
    let cache = AnswerCache::with_clock(defaults, Arc::new(clock.clone())).unwrap();
    for number in 0..10_000 {
        cache.insert_accepted(CacheKey::of_request(&json!(number)), "x".repeat(10_000));
        assert!(cache.len() <= defaults.max_entries && cache.bytes() <= defaults.max_bytes);
    }
    assert_eq!(cache.len(), defaults.max_bytes / 10_000);
    assert!(cache.contains(CacheKey::of_request(&json!(9_999))) && !cache.contains(CacheKey::of_request(&json!(0))));
    clock.advance(defaults.ttl + Duration::from_nanos(1));
    assert_eq!((cache.len(), cache.bytes()), (0, 0));
}

#[test]
fn m6_flights_and_those_who_wait_are_bounded() {
    let config = FlightsConfig { max_flights: 3, max_followers: 5 };
    let flights = Flights::<()>::new(config).unwrap();
    let mut joins: Vec<_> = (0..1_000).map(|number| flights.join(key(["a", "b", "c", "d"][number % 4]))).collect();
    assert_eq!((flights.in_flight(), flights.followers()), (3, 5));
    let polls: Vec<_> = joins.iter_mut().map(poll).collect();
    let waiting = polls.iter().filter(|poll| poll.is_pending()).count();
    assert_eq!(waiting, 5, "the others make their own calls");
}

#[test]
fn n2_fastworkflow_80_a_placeholder_is_no_threshold() {
    for threshold in [-1.0, 0.0, -0.0, 1.000_001, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let similarity = Some(SimilarityConfig { dimensions: 2, threshold });
        let error = AnswerCache::new(CacheConfig { similarity, ..Default::default() }).unwrap_err();
        assert_eq!(error.field, "similarity.threshold", "{threshold}");
    }
}

#[test]
fn n5_printing_press_library_1345_length_alone_decides_nothing() {
    let router = ModelRouter::new(RouterConfig::default()).unwrap();
    for prompt in ["", "x", "1+1", &"word ".repeat(10), &"word ".repeat(10_000)] {
        assert_eq!(router.route(prompt).reason, RouteReason::CostFirst, "{} characters", prompt.len());
    }
    for answer in ["", "42", &"long ".repeat(10_000)] {
        assert!(router.set_cached("q", answer), "whether an answer is good is not seen by its length");
    }
}
