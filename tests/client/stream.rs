//! Streamed answers: what is tried again, what is not, and how long is waited.

use std::sync::{Arc, Mutex};

use resilience::breaker::BreakerState;
use resilience::cancel::{CancelReason, CancelToken};
use resilience::classify::ErrorClass;
use resilience::client::{CallOptions, NoHooks, Outcome, OutcomeStatus, ResilientLlmClient, TextSink};
use resilience::retry::StopReason;

use crate::support::Step::{self, Fail, Hang, Text, Wait};
use crate::support::{
    Page, Reply, Streams, TestBreaker, client, client_config, middle, ms, retry_config, run, unavailable,
};

struct Played {
    outcome: Outcome<String>,
    shown: String,
    attempts: usize,
    breaker: TestBreaker,
}

fn play_on(page_takes: u64, scripts: Vec<Vec<Step>>, cancel: Option<CancelToken>) -> Played {
    let breaker = TestBreaker::new();
    let page = Page::new(&breaker.clock, ms(page_takes));
    let inner = Streams::new(&breaker.clock, scripts);
    let mut config = client_config(retry_config(2));
    config.stream.first_text_timeout = ms(5_000);
    config.stream.idle_timeout = ms(2_000);
    let (timer, rng) = (breaker.clock.clone(), Arc::new(middle));
    let client = ResilientLlmClient::with_hooks(inner, config, breaker.breaker.clone(), timer, rng, NoHooks).unwrap();
    let outcome =
        run(&breaker.clock, client.chat_stream("hi", CallOptions { cancel, ..CallOptions::default() }, &page));
    let (shown, attempts) = (page.shown(), client.inner().attempts());
    assert_eq!(breaker.clock.pending_sleeps(), 0);
    Played { outcome, shown, attempts, breaker }
}

fn play(scripts: Vec<Vec<Step>>) -> Played {
    play_on(0, scripts, None)
}

#[test]
fn text_comes_as_it_is_pushed() {
    let played = play(vec![vec![Text("Hel"), Wait(500), Text("lo"), Wait(1_999), Text("!")]]);
    assert_eq!(
        (played.outcome.status, played.outcome.text(), played.shown.as_str()),
        (OutcomeStatus::Ok, "Hello!", "Hello!")
    );
    assert_eq!((played.outcome.stop_reason, played.outcome.partial_text), (StopReason::Success, None));
}

#[test]
fn before_the_first_text_a_failure_is_tried_again() {
    let played = play(vec![vec![Wait(50), Fail(unavailable())], vec![Text("late but here")]]);
    assert_eq!(
        (played.outcome.status, played.attempts, played.shown.as_str()),
        (OutcomeStatus::Ok, 2, "late but here")
    );
}

#[test]
fn after_text_a_failure_ends_the_call_and_nothing_is_shown_twice() {
    let played = play(vec![vec![Text("Half an ans"), Fail(unavailable())], vec![Text("never")]]);
    assert_eq!((played.outcome.status, played.outcome.stop_reason), (OutcomeStatus::Partial, StopReason::Partial));
    assert_eq!((played.outcome.text(), played.shown.as_str(), played.attempts), ("Half an ans", "Half an ans", 1));
    assert_eq!(played.outcome.error, Some(unavailable()));
    assert_eq!(played.breaker.stats().failures, 1);
}

#[test]
fn the_first_text_has_a_time_limit_that_signs_of_life_do_not_move() {
    let signs_of_life = vec![Wait(4_000), Text(""), Wait(4_000), Text("too late")];
    let played = play(vec![signs_of_life, vec![Text("in time")]]);
    assert_eq!((played.attempts, played.outcome.text()), (2, "in time"));
    let first = &played.outcome.trace[0];
    assert_eq!((first.class, first.message.as_str()), (Some(ErrorClass::Timeout), "no text within 5000 ms"));
    assert_eq!((first.duration, first.maybe_billed), (ms(5_000), true));
}

#[test]
fn a_silence_after_text_ends_the_call_with_what_came() {
    let played = play(vec![vec![Text("so "), Wait(1_500), Text("far"), Hang]]);
    assert_eq!((played.outcome.status, played.outcome.text()), (OutcomeStatus::Partial, "so far"));
    let error = played.outcome.error.unwrap();
    assert_eq!((error.class, error.message.as_str()), (ErrorClass::Timeout, "no further text for 2000 ms"));
    assert_eq!((played.outcome.elapsed, played.breaker.stats().failures), (ms(3_500), 1));
}

#[test]
fn a_silence_is_noticed_although_the_first_text_had_more_time() {
    let played = play(vec![vec![Wait(500), Text("one"), Hang]]);
    assert_eq!((played.outcome.status, played.outcome.elapsed), (OutcomeStatus::Partial, ms(2_500)));
}

#[test]
fn a_slow_page_is_not_the_silence_of_the_service() {
    let played = play_on(7_000, vec![vec![Text("one"), Text("two"), Wait(1_900), Text("three")]], None);
    assert_eq!((played.outcome.status, played.shown.as_str()), (OutcomeStatus::Ok, "onetwothree"));
    assert_eq!(played.outcome.elapsed, ms(3 * 7_000 + 1_900), "the client waits until the page has taken a piece");
    let hanging = play_on(7_000, vec![vec![Text("one"), Hang]], None);
    assert_eq!((hanging.outcome.status, hanging.outcome.elapsed), (OutcomeStatus::Partial, ms(9_000)));
}

#[test]
fn an_answer_may_take_longer_than_an_attempt_may_but_not_longer_than_the_call() {
    let slowly = |pieces: usize| (0..pieces).flat_map(|_| [Wait(1_000), Text("x")]).collect::<Vec<_>>();
    let played = play(vec![slowly(50)]);
    assert_eq!(
        (played.outcome.status, played.outcome.elapsed),
        (OutcomeStatus::Ok, ms(50_000)),
        "attempts may take 10 s"
    );
    let endless = play(vec![slowly(100)]);
    assert_eq!((endless.outcome.status, endless.outcome.elapsed), (OutcomeStatus::Partial, ms(60_000)));
    assert_eq!(endless.outcome.text().len(), 60, "the piece of the last moment counts");
    assert_eq!(endless.outcome.error.unwrap().message, "no end of the answer within 60000 ms");
}

#[test]
fn a_cancel_ends_it_at_any_moment_and_keeps_what_came() {
    struct CancelAt(CancelToken, usize, Mutex<usize>);
    impl TextSink<String> for CancelAt {
        async fn push(&self, _: String) {
            let mut pieces = self.2.lock().unwrap();
            *pieces += 1;
            if *pieces == self.1 {
                self.0.cancel(CancelReason::Cancelled);
            }
        }
    }
    let breaker = TestBreaker::new();
    let script = vec![vec![Text("a"), Text("b"), Wait(100), Text("c")]];
    let inner = Streams::new(&breaker.clock, script);
    let (timer, rng) = (breaker.clock.clone(), Arc::new(middle));
    let config = client_config(retry_config(2));
    let client = ResilientLlmClient::with_hooks(inner, config, breaker.breaker.clone(), timer, rng, NoHooks).unwrap();
    let token = CancelToken::new();
    let options = CallOptions { cancel: Some(token.clone()), ..CallOptions::default() };
    let outcome = run(&breaker.clock, client.chat_stream("hi", options, &CancelAt(token, 2, Mutex::new(0))));
    assert_eq!((outcome.status, outcome.text()), (OutcomeStatus::Cancelled, "ab"));
    assert_eq!((breaker.stats().neutral, breaker.state()), (1, BreakerState::Closed));
}

#[test]
fn a_client_that_only_chats_streams_in_one_piece() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(1), [Reply::fail(), Reply::ok()]);
    let page = Page::new(&breaker.clock, ms(0));
    let outcome = run(&breaker.clock, client.chat_stream("hi", CallOptions::default(), &page));
    assert_eq!((outcome.status, outcome.attempts(), outcome.text()), (OutcomeStatus::Ok, 2, "answer to hi"));
    assert_eq!(page.pieces(), ["answer to hi"]);
}

#[test]
fn the_half_open_probe_of_a_streamed_call_counts_by_its_end() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
    breaker.fail();
    breaker.at(60_000);
    let inner = Streams::new(&breaker.clock, vec![vec![Text("well")]]);
    let (timer, rng) = (breaker.clock.clone(), Arc::new(middle));
    let config = client_config(retry_config(0));
    let client = ResilientLlmClient::with_hooks(inner, config, breaker.breaker.clone(), timer, rng, NoHooks).unwrap();
    let page = Page::new(&breaker.clock, ms(0));
    let outcome = run(&breaker.clock, client.chat_stream("hi", CallOptions::default(), &page));
    assert!(outcome.trace[0].probe);
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn a_page_that_panics_costs_the_call_nothing() {
    struct Broken;
    impl TextSink<String> for Broken {
        async fn push(&self, text: String) {
            panic!("no room for {text}");
        }
    }
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(1), [Reply::ok()]);
    let outcome = run(&breaker.clock, client.chat_stream("hi", CallOptions::default(), &Broken));
    assert_eq!((outcome.status, outcome.text()), (OutcomeStatus::Ok, "answer to hi"));
}
