//! L where an answer comes piece by piece, and L8: what may have been paid for.

use std::sync::Arc;

use resilience::breaker::CircuitBreaker;
use resilience::chain::{ChainConfig, Provider, ResilientLlmRunner};
use resilience::classify::{CallError, ErrorClass};
use resilience::client::{CallOptions, NoHooks, Outcome, OutcomeStatus};
use resilience::clock::ManualClock;
use resilience::retry::StopReason;

use crate::support::Step::{self, Fail, Hang, Text, Wait};
use crate::support::{
    Page, Reply, Streams, TestBreaker, breaker_config, client, client_config, middle, ms, retry_config, run,
    unavailable,
};

/// A streamed call to two services that play these scripts, without retries: outcome, and what the page shows.
fn stream(scripts: [Vec<Step>; 2]) -> (Outcome<String>, String, [usize; 2]) {
    let clock = ManualClock::new();
    let mut config = ChainConfig { client: client_config(retry_config(0)), ..ChainConfig::default() };
    config.client.stream.first_text_timeout = ms(10_000);
    config.client.stream.idle_timeout = ms(20_000);
    let [first, second] = scripts.map(|script| Streams::new(&clock, vec![script]));
    let breaker =
        || Arc::new(CircuitBreaker::with_clock(breaker_config(), Arc::new(clock.clone()), Arc::new(middle)).unwrap());
    let providers = vec![Provider::new("a", first, breaker()), Provider::new("b", second, breaker())];
    let chain = ResilientLlmRunner::with_hooks(providers, config, clock.clone(), Arc::new(middle), NoHooks).unwrap();
    let page = Page::new(&clock, ms(0));
    let outcome = run(&clock, chain.chat_stream("hi", CallOptions::default(), &page));
    let mut asked = chain.providers().map(|(_, client)| client.attempts());
    let asked = [asked.next().unwrap(), asked.next().unwrap()];
    (outcome, page.shown(), asked)
}

#[test]
fn l5_omadia_122_an_error_as_the_first_event_leads_to_the_next_service() {
    let (outcome, shown, asked) = stream([vec![Fail(unavailable())], vec![Text("fine")]]);
    assert_eq!((outcome.provider.as_deref(), shown.as_str(), asked), (Some("b"), "fine", [1, 1]));
}

#[test]
fn l5_tau_556_an_error_after_text_ends_the_call_and_nothing_is_played_again() {
    let script = vec![Text("one "), Text("two "), Text("three "), Fail(unavailable())];
    let (outcome, shown, asked) = stream([script, vec![Text("never")]]);
    assert_eq!((outcome.status, outcome.stop_reason), (OutcomeStatus::Partial, StopReason::Partial));
    assert_eq!((shown.as_str(), outcome.text(), asked), ("one two three ", "one two three ", [1, 0]));
}

#[test]
fn l6_livekit_6171_signs_of_life_do_not_hide_a_dead_model() {
    let pings = (0..20).flat_map(|_| [Wait(5_000), Text("")]).collect();
    let (outcome, shown, _) = stream([pings, vec![Text("fine")]]);
    assert_eq!((outcome.trace[0].class, outcome.trace[0].duration), (Some(ErrorClass::Timeout), ms(10_000)));
    assert_eq!((outcome.provider.as_deref(), shown.as_str()), (Some("b"), "fine"));
}

#[test]
fn l10_vercel_ai_11670_silence_after_the_first_text_has_an_end() {
    let (outcome, shown, asked) = stream([vec![Wait(1_000), Text("well"), Hang], vec![Text("never")]]);
    assert_eq!((outcome.status, outcome.elapsed, shown.as_str()), (OutcomeStatus::Partial, ms(21_000), "well"));
    assert_eq!((outcome.cause, asked), (Some(ErrorClass::Timeout), [1, 0]));
}

#[test]
fn l10_who_streams_already_gets_all_the_time_of_the_call() {
    // 50 s of text, one piece a second: more than the half of the call's 60 s that the first of two services gets.
    let steady = (0..50).flat_map(|_| [Wait(1_000), Text(".")]).collect();
    let (outcome, shown, asked) = stream([steady, vec![Text("never")]]);
    assert_eq!((outcome.status, shown.len(), asked), (OutcomeStatus::Ok, 50, [1, 0]));
    let endless = (0..100).flat_map(|_| [Wait(1_000), Text(".")]).collect();
    let (outcome, ..) = stream([endless, vec![Text("never")]]);
    assert_eq!((outcome.status, outcome.elapsed), (OutcomeStatus::Partial, ms(60_000)));
    assert_eq!(outcome.error.unwrap().message, "no end of the answer within 60000 ms");
}

fn interrupted() -> CallError {
    CallError { maybe_billed: true, ..CallError::new(ErrorClass::Interrupted, "ECONNRESET") }
}

#[test]
fn l8_comfy_ui_16204_what_may_be_paid_for_is_one_request_and_marked() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(2), [Reply::error(interrupted()), Reply::ok()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert!(outcome.maybe_billed() && outcome.trace[0].maybe_billed);
    let ids: Vec<String> = client.inner().seen().into_iter().map(|attempt| attempt.request_id).collect();
    assert_eq!(ids, [outcome.request_id.as_str(), outcome.request_id.as_str()], "the same idempotency key");
}

#[test]
fn l8_comfy_sdk_79_it_is_not_sent_again_unless_allowed() {
    let breaker = TestBreaker::new();
    let retry = resilience::retry::RetryConfig { retry_unsafe: false, ..retry_config(2) };
    for (error, attempts) in [(interrupted(), 1), (CallError::new(ErrorClass::Connect, "refused"), 3)] {
        let client = client(&breaker, retry, [Reply::error(error)]);
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!(outcome.attempts(), attempts, "sent or not is part of the class");
        breaker.breaker.reset();
    }
}
