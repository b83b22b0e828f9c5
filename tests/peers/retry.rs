//! Section H: cancelling, counting attempts, deadlines.

use resilience::breaker::BreakerState::Closed;
use resilience::cancel::{CancelReason, CancelToken};
use resilience::classify::ErrorClass;
use resilience::client::{CallOptions, ClientConfig, NoHooks, OutcomeStatus};
use resilience::retry::{RetryBudgetConfig, RetryConfig, StopReason};

use crate::support::{
    Reply, TestBreaker, at, client, client_config, client_with_hooks, ms, retry_config, run, unavailable,
};

#[test]
fn h2_p_retry_71_cockatiel_69_nothing_stays_registered_at_a_token() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = u32::MAX);
    let token = CancelToken::new();
    let options = CallOptions { cancel: Some(token.clone()), ..CallOptions::default() };
    let client = client(&breaker, retry_config(2), [Reply::fail().after(5)]);
    for _ in 0..10_000 {
        let outcome = run(&breaker.clock, client.execute("hi", options.clone()));
        assert_eq!((outcome.attempts(), token.listeners()), (3, 0));
    }
    assert_eq!(breaker.clock.pending_sleeps(), 0);
}

#[test]
fn h3_google_cloud_rust_2307_aerospike_246_go_retry_7_no_sleep_past_the_deadline() {
    let breaker = TestBreaker::new();
    let mut config = RetryConfig { deadline: ms(1_000), ..retry_config(2) };
    config.backoff.base = ms(500);
    let client = client(&breaker, config, [Reply::fail().after(900)]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.stop_reason, outcome.elapsed), (StopReason::Deadline, ms(900)));
    assert_eq!(outcome.error, Some(unavailable()), "the cause, not a bare timeout");
    assert_eq!(outcome.trace[0].delay, None);
}

#[test]
fn h4_google_cloud_rust_2307_the_last_attempt_gets_what_is_left() {
    let breaker = TestBreaker::new();
    let mut config = RetryConfig { deadline: ms(1_000), attempt_timeout: ms(800), ..retry_config(5) };
    config.backoff.base = ms(50);
    let client = client(&breaker, config, [Reply::hang()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    let told: Vec<_> = client.inner().seen().iter().map(|attempt| attempt.timeout).collect();
    assert_eq!(told, [ms(800), ms(150)]);
    let times: Vec<_> = outcome.trace.iter().map(|attempt| (attempt.started_at, attempt.duration)).collect();
    assert_eq!(times, [(ms(0), ms(800)), (ms(850), ms(150))]);
    assert_eq!((outcome.stop_reason, outcome.elapsed), (StopReason::Deadline, ms(1_000)));
}

#[test]
fn h4_google_cloud_rust_2307_an_attempt_timeout_longer_than_the_deadline_is_cut_to_it() {
    let breaker = TestBreaker::new();
    let config = RetryConfig { deadline: ms(300), attempt_timeout: ms(800), ..retry_config(5) };
    let client = client(&breaker, config, [Reply::hang()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.attempts(), outcome.elapsed), (1, ms(300)));
    let shorter = CallOptions { deadline: Some(ms(70)), ..CallOptions::default() };
    assert_eq!(run(&breaker.clock, client.execute("hi", shorter)).elapsed, ms(70));
    let longer = CallOptions { deadline: Some(ms(7_000)), ..CallOptions::default() };
    assert_eq!(run(&breaker.clock, client.execute("hi", longer)).elapsed, ms(300));
}

#[test]
fn h5_failsafe_go_22_pekko_3233_retries_come_on_top_of_the_first_attempt() {
    for retries in [0, 1, 2, 10, 100] {
        let breaker = TestBreaker::with(|config| config.failure_threshold = u32::MAX);
        let config = RetryConfig { deadline: ms(365 * 24 * 3_600_000), ..retry_config(retries) };
        let client = client(&breaker, config, [Reply::fail()]);
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!(client.inner().calls(), retries as usize + 1);
        assert_eq!((outcome.attempts(), outcome.stop_reason), (retries + 1, StopReason::Attempts));
    }
    assert_eq!(retry_config(101).build().unwrap_err().field, "maxRetries");
}

#[test]
fn h6_opossum_824_litellm_zero_is_zero_and_not_the_default() {
    let breaker = TestBreaker::with(|config| config.cooldown = ms(0));
    let mut retry = retry_config(2);
    retry.backoff.base = ms(0);
    let client = client(&breaker, retry, [Reply::fail(), Reply::fail(), Reply::ok()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.status, outcome.elapsed), (OutcomeStatus::Ok, ms(0)), "base 0: no wait");
    breaker.open();
    assert!(breaker.admit().is_probe(), "cooldown 0: half-open at once");

    let breaker = TestBreaker::new();
    let nothing = RetryBudgetConfig { capacity: 0.0, per_call: 0.0, per_minute: 0.0 };
    let config = ClientConfig { budget: nothing, ..client_config(retry_config(2)) };
    let client = client_with_hooks(&breaker, config, [Reply::fail()], NoHooks);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!(outcome.stop_reason, StopReason::Budget, "capacity 0: no retries");

    let breaker = TestBreaker::new();
    let config = ClientConfig { quota_cooldown: ms(0), ..client_config(retry_config(2)) };
    let client = client_with_hooks(&breaker, config, [Reply::class(ErrorClass::Quota)], NoHooks);
    run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!(breaker.retry_after(), ms(1_000), "quota cooldown 0: the breaker's own cooldown");
}

#[test]
fn h7_p_retry_11_65_attempts_are_numbered_from_one_and_the_last_has_no_wait() {
    let breaker = TestBreaker::new();
    let client = client(&breaker, retry_config(2), [Reply::fail()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    let trace: Vec<_> = outcome.trace.iter().map(|attempt| (attempt.attempt, attempt.delay)).collect();
    assert_eq!(trace, [(1, Some(ms(100))), (2, Some(ms(200))), (3, None)]);
    let seen = client.inner().seen();
    assert_eq!(seen.iter().map(|attempt| attempt.number).collect::<Vec<_>>(), [1, 2, 3], "the client is told, too");
    assert!(seen.iter().all(|attempt| attempt.request_id == outcome.request_id.as_str()), "one request, one identity");
}

#[test]
fn h8_failsafe_241_364_the_reason_says_which_limit_ended_the_call() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = u32::MAX);
    let mut config = RetryConfig { deadline: ms(60_000), ..retry_config(100) };
    (config.backoff.factor, config.attempt_timeout) = (1.0, ms(1_000));
    let few = client(&breaker, config, [Reply::fail()]);
    let outcome = run(&breaker.clock, few.execute("hi", CallOptions::default()));
    assert_eq!((outcome.stop_reason, outcome.attempts()), (StopReason::Attempts, 101));
    let slow = client(&breaker, config, [Reply::fail().after(900)]);
    let outcome = run(&breaker.clock, slow.execute("hi", CallOptions::default()));
    assert_eq!((outcome.stop_reason, outcome.attempts()), (StopReason::Deadline, 60));
}

#[test]
fn h9_polly_2375_a_cancel_is_the_same_before_during_and_between_attempts() {
    for (moment, attempts, calls) in [(0, 0, 0), (50, 1, 1), (150, 1, 1), (250, 2, 2)] {
        let breaker = TestBreaker::new();
        let client = client(&breaker, retry_config(2), [Reply::fail().after(100)]);
        let token = CancelToken::new();
        let options = CallOptions { cancel: Some(token.clone()), ..CallOptions::default() };
        let cancel = at(&breaker.clock, moment, || token.cancel(CancelReason::Cancelled));
        let ((), outcome) = run(&breaker.clock, async { tokio::join!(cancel, client.execute("hi", options)) });
        assert_eq!((outcome.status, outcome.stop_reason), (OutcomeStatus::Cancelled, StopReason::Cancelled));
        assert_eq!(outcome.error.as_ref().unwrap().class, ErrorClass::Cancelled, "at {moment}");
        assert_eq!((outcome.attempts(), client.inner().calls()), (attempts, calls), "at {moment}");
        assert_eq!((outcome.elapsed, outcome.text()), (ms(moment), ""), "at once, and without a fallback");
        assert_eq!(breaker.state(), Closed);
    }
}

#[test]
fn h10_aws_sdk_js_v3_4754_each_call_begins_anew() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = u32::MAX);
    let client = client(&breaker, retry_config(2), [Reply::fail()]);
    for _ in 0..100 {
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        let trace: Vec<_> = outcome.trace.iter().map(|attempt| (attempt.attempt, attempt.delay)).collect();
        assert_eq!(trace, [(1, Some(ms(100))), (2, Some(ms(200))), (3, None)]);
    }
}

#[test]
fn h11_openai_cookbook_2812_one_number_bounds_the_calls_of_all_reasons_to_retry() {
    // Throttled, timed out, unreachable, broken: no kind of error has a count of its own.
    let breaker = TestBreaker::with(|config| config.failure_threshold = u32::MAX);
    let kinds = [ErrorClass::RateLimit, ErrorClass::Timeout, ErrorClass::Connect, ErrorClass::Server];
    let script = (0..100).map(|call| Reply::class(kinds[call % kinds.len()]));
    let client = client(&breaker, retry_config(3), script);
    for calls in 1..=10 {
        run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!(client.inner().calls(), 4 * calls);
    }
}
