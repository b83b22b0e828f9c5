//! L, and D7 to D10 and G7 where there is another service: which one is asked, and when.

use resilience::breaker::BreakerState;
use resilience::chain::{ChainConfig, Provider, ResilientLlmRunner};
use resilience::classify::{CallError, ErrorClass};
use resilience::client::{CallOptions, OutcomeStatus};
use resilience::retry::{DelaySource, StopReason};

use crate::support::{Reply, ScriptedClient, TestChain, ms, run, throttled};

fn ok() -> Vec<Reply> {
    vec![Reply::ok()]
}

fn once(error: CallError) -> Vec<Reply> {
    vec![Reply::error(error), Reply::ok()]
}

#[test]
fn l1_litellm_3274_a_retry_after_moves_the_call_instead_of_stopping_it() {
    let test = TestChain::new(3, [once(throttled(47_000)), ok()]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.provider.as_deref(), outcome.elapsed), (Some("b"), ms(0)));
    assert_eq!((test.calls(), outcome.passed_over[0].stop_reason), (vec![1, 1], StopReason::RetryAfter));
    assert_eq!(outcome.passed_over[0].retry_after, Some(ms(47_000)));
}

#[test]
fn g3_pi_6911_with_another_service_no_retry_after_is_too_long() {
    let test = TestChain::new(3, [once(throttled(2_592_000_000)), ok()]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.provider.as_deref(), outcome.elapsed), (Some("b"), ms(0)));
}

#[test]
fn g7_litellm_34399_the_next_call_leaves_a_cooling_service_alone() {
    let test = TestChain::new(0, [once(throttled(20_000)), ok()]);
    run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    for (time, provider) in [(1_000, "b"), (19_999, "b"), (20_000, "a")] {
        test.to(time);
        let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
        assert_eq!(outcome.provider.as_deref(), Some(provider), "at {time}");
    }
    assert_eq!(test.called_at(0), [0, 20_000]);
}

#[test]
fn l2_litellm_7091_each_service_is_asked_so_often_at_most() {
    let test = TestChain::new(2, vec![vec![Reply::fail()]; 3]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.status, test.calls(), outcome.attempts()), (OutcomeStatus::Fallback, vec![3, 3, 3], 9));
    let names: Vec<_> = outcome.passed_over.iter().map(|one| (&*one.provider, one.attempts)).collect();
    assert_eq!(names, [("a", 3), ("b", 3), ("c", 3)]);
}

#[test]
fn l2_litellm_19985_a_service_twice_in_the_list_is_refused() {
    let clock = resilience::clock::ManualClock::new();
    let provider = |name: &str| {
        let breaker = std::sync::Arc::new(resilience::breaker::CircuitBreaker::new(Default::default()).unwrap());
        Provider::new(name, ScriptedClient::new(&clock, [Reply::ok()]), breaker)
    };
    let refused = |names: &[&str]| {
        let providers = names.iter().map(|name| provider(name)).collect();
        ResilientLlmRunner::new(providers, ChainConfig::default(), clock.clone()).err().map(|error| error.to_string())
    };
    assert_eq!(refused(&["a", "b"]), None);
    let same = "name: got 'a' (number 3 of the providers), allowed: a name that none before it has";
    assert_eq!(refused(&["a", "b", "a"]).as_deref(), Some(same));
    assert_eq!(refused(&[]).as_deref(), Some("providers: got 0, allowed: 1 to 20 of them"));
    assert_eq!(
        refused(&["a", ""]).as_deref(),
        Some("name: got '' (number 2 of the providers), allowed: 1 to 100 bytes")
    );
    let many: Vec<String> = (0..21).map(|number| number.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(refused(&many).as_deref(), Some("providers: got 21, allowed: 1 to 20 of them"));
}

#[test]
fn l4_litellm_33258_one_failure_is_counted_once() {
    let test = TestChain::new(1, [vec![Reply::fail()], ok()]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    let failed = outcome.trace.iter().filter(|attempt| attempt.class.is_some()).count() as u64;
    let counted: Vec<u64> = test.breakers.iter().map(|breaker| breaker.stats().failures).collect();
    assert_eq!((failed, counted), (2, vec![2, 0]));
}

#[test]
fn l7_litellm_3646_when_all_cool_down_the_first_that_comes_back_is_waited_for() {
    let test = TestChain::new(1, [once(throttled(9_000)), once(throttled(200)), once(throttled(5_000))]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.provider.as_deref(), outcome.elapsed), (Some("b"), ms(200)));
    assert_eq!(test.calls(), [1, 2, 1]);
    // Seen as any other wait: behind the attempt that came before it.
    let waits: Vec<_> = outcome.trace.iter().map(|attempt| (attempt.delay, attempt.delay_source)).collect();
    let none = (None, None);
    assert_eq!(waits, [none, none, (Some(ms(200)), Some(DelaySource::Cooldown)), none]);
    // Beyond the deadline there is nothing to wait for: the call says when.
    let test = TestChain::with(1, [once(throttled(9_000)), once(throttled(4_000))], |config, _, _| {
        config.client.retry.deadline = ms(3_000);
    });
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.status, outcome.elapsed), (OutcomeStatus::Fallback, ms(0)));
    assert_eq!(outcome.retry_after, Some(ms(4_000)));
}

#[test]
fn l7_a_call_that_finds_all_breakers_open_waits_for_the_first_probe() {
    let test = TestChain::new(0, [ok(), ok()]);
    for breaker in &test.breakers {
        (0..3).for_each(|_| breaker.try_acquire().unwrap().failure(Default::default()));
    }
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.provider.as_deref(), outcome.elapsed), (Some("a"), ms(1_000)));
    assert!(outcome.trace[0].probe);
}

#[test]
fn d7_promptfoo_10855_an_empty_account_is_not_retried_and_the_next_service_answers_at_once() {
    let test = TestChain::new(5, [once(CallError::new(ErrorClass::Quota, "insufficient_quota")), ok()]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.provider.as_deref(), outcome.elapsed, test.calls()), (Some("b"), ms(0), vec![1, 1]));
    assert_eq!(test.breakers[0].state(), BreakerState::Open);
    assert_eq!(test.breakers[0].retry_after(), ms(600_000));
}

#[test]
fn d8_litellm_5225_moderation_moves_the_call_only_if_the_policy_says_so() {
    for (allowed, provider) in [(false, None), (true, Some("b"))] {
        let filtered = CallError::new(ErrorClass::ContentFilter, "flagged");
        let test = TestChain::with(2, [once(filtered), ok()], |config, _, _| {
            config.next_after_content_filter = allowed;
        });
        let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
        assert_eq!((outcome.provider.as_deref(), test.calls()[0]), (provider, 1));
        assert_eq!(test.breakers[0].stats().neutral, 1);
    }
}

#[test]
fn d9_otari_173_an_unknown_model_moves_the_call_and_a_wrong_request_ends_it() {
    for (class, status, calls) in [
        (ErrorClass::ModelNotFound, OutcomeStatus::Ok, vec![1, 1]),
        (ErrorClass::Auth, OutcomeStatus::Ok, vec![1, 1]),
        (ErrorClass::BadRequest, OutcomeStatus::Error, vec![1, 0]),
        (ErrorClass::ClientBug, OutcomeStatus::Error, vec![1, 0]),
        (ErrorClass::Offline, OutcomeStatus::Fallback, vec![1, 0]),
    ] {
        let test = TestChain::new(3, [once(CallError::new(class, "")), ok()]);
        let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
        assert_eq!((outcome.status, test.calls()), (status, calls), "{class}");
    }
}

#[test]
fn d10_litellm_10793_a_prompt_that_is_too_long_goes_only_where_longer_ones_are_read() {
    let too_long = || once(CallError::new(ErrorClass::ContextLength, "too long"));
    let test = TestChain::with(3, [too_long(), ok(), ok()], |_, _, providers| providers[2].larger_context = true);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.provider.as_deref(), test.calls()), (Some("c"), vec![1, 0, 1]));
    let test = TestChain::new(3, [too_long(), ok()]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.status, test.calls()), (OutcomeStatus::Error, vec![1, 0]));
}

#[test]
fn l9_better_ccflare_349_chains_that_share_a_breaker_learn_from_each_other() {
    let test = TestChain::new(0, [vec![Reply::fail()], ok()]);
    (0..3).for_each(|_| drop(run(&test.clock, test.chain.execute("hi", CallOptions::default()))));
    let clock = test.clock.clone();
    let clients = ["a", "b"].map(|_| ScriptedClient::new(&clock, [Reply::ok()]));
    let providers = clients.into_iter().zip(["a", "b"]).zip(&test.breakers);
    let providers = providers.map(|((client, name), breaker)| Provider::new(name, client, breaker.clone())).collect();
    let other = ResilientLlmRunner::new(providers, ChainConfig::default(), clock.clone()).unwrap();
    let outcome = run(&clock, other.execute("hi", CallOptions::default()));
    assert_eq!((outcome.provider.as_deref(), outcome.passed_over[0].stop_reason), (Some("b"), StopReason::CircuitOpen));
}

#[test]
fn one_service_does_not_eat_the_time_of_the_others() {
    let test = TestChain::with(5, [vec![Reply::hang()], vec![Reply::hang()], ok()], |config, _, _| {
        config.client.retry.deadline = ms(9_000);
    });
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((test.called_at(1), test.called_at(2)), (vec![3_000], vec![6_000]));
    assert_eq!((outcome.status, outcome.elapsed), (OutcomeStatus::Ok, ms(6_000)));
    // What one leaves the next may use.
    let test = TestChain::with(0, [vec![Reply::fail()], vec![Reply::hang()], ok()], |config, _, _| {
        config.client.retry.deadline = ms(9_000);
    });
    run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!(test.called_at(2), [4_500]);
}

#[test]
fn h11_openai_cookbook_2812_retries_are_not_multiplied_by_rounds() {
    // All cool down and come back, again and again: the attempts of each stay bounded over the rounds.
    let test = TestChain::new(2, vec![vec![Reply::error(throttled(100))]; 2]);
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((test.calls(), outcome.attempts()), (vec![3, 3], 6));
}
