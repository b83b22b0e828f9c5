//! Section G: what the service asked for, and what the client does with it.

use resilience::classify::{ErrorClass, RetryAfter, RetryAfterSource};
use resilience::client::{CallOptions, OutcomeStatus};
use resilience::retry::{DelaySource, RetryConfig, StopReason};

use crate::support::{Reply, TestBreaker, at, client, ms, retry_config, run, throttled, unavailable};

#[test]
fn g3_pi_6911_eliza_23807_a_wait_of_days_ends_the_call_at_once() {
    let breaker = TestBreaker::new();
    let config = RetryConfig { deadline: ms(30_000), ..retry_config(2) };
    for (days, wait) in [(30, 2_592_000_000), (3, 277_403_000), (365, 31_536_000_000)] {
        breaker.reset();
        let client = client(&breaker, config, [Reply::error(throttled(wait))]);
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!(outcome.stop_reason, StopReason::RetryAfterTooLong, "{days} days");
        assert_eq!((outcome.retry_after, outcome.elapsed), (Some(ms(wait)), ms(0)), "{days} days");
        assert_eq!((outcome.status, client.inner().calls()), (OutcomeStatus::Fallback, 1));
    }
}

#[test]
fn g3_pi_6911_a_wait_that_ends_at_the_deadline_or_later_ends_the_call() {
    for (wait, calls) in [(29_999, 2), (30_000, 1), (30_001, 1)] {
        let breaker = TestBreaker::new();
        let config = RetryConfig { deadline: ms(30_000), ..retry_config(2) };
        let client = client(&breaker, config, [Reply::error(throttled(wait)), Reply::ok()]);
        run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!(client.inner().calls(), calls, "{wait} ms");
    }
}

#[test]
fn g3_pi_6911_a_wait_that_no_breaker_keeps_is_told_all_the_same() {
    let breaker = TestBreaker::new();
    breaker.force_closed();
    let client = client(&breaker, retry_config(2), [Reply::error(throttled(2_592_000_000))]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.retry_after, breaker.retry_after()), (Some(ms(2_592_000_000)), ms(0)));
}

#[test]
fn g4_openai_node_1840_the_longest_wait_is_inclusive_and_never_cut() {
    let config = RetryConfig { deadline: ms(600_000), retry_after_max: ms(60_000), ..retry_config(2) };
    for (wait, called_at) in [(60_000, vec![0, 60_000]), (61_000, vec![0]), (60_001, vec![0])] {
        let breaker = TestBreaker::new();
        let client = client(&breaker, config, [Reply::error(throttled(wait)), Reply::ok()]);
        run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!(client.inner().called_at(), called_at, "{wait} ms");
    }
}

#[test]
fn g4_openai_node_1840_a_longest_wait_of_zero_waits_for_nobody() {
    let config = RetryConfig { retry_after_max: ms(0), ..retry_config(2) };
    let breaker = TestBreaker::new();
    let client = client(&breaker, config, [Reply::error(throttled(1)), Reply::ok()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.stop_reason, outcome.attempts()), (StopReason::RetryAfterTooLong, 1));
}

#[test]
fn g6_openai_python_a_wait_of_zero_leaves_backoff_and_count_as_they_are() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 10);
    let client = client(&breaker, retry_config(2), [Reply::error(throttled(0))]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!(client.inner().called_at(), [0, 100, 300]);
    assert_eq!(outcome.trace[0].delay_source, Some(DelaySource::Backoff));
    assert_eq!((outcome.stop_reason, breaker.consecutive_failures()), (StopReason::Attempts, 3));
}

#[test]
fn g7_litellm_34399_the_wait_holds_for_every_call_to_the_service() {
    let breaker = TestBreaker::new();
    let script = [Reply::error(throttled(20_000)), Reply::ok()];
    let client = client(&breaker, retry_config(2), script);
    let (first, second) = run(&breaker.clock, async {
        let second = async {
            at(&breaker.clock, 1_000, || ()).await;
            client.execute("second", CallOptions::default()).await
        };
        tokio::join!(client.execute("first", CallOptions::default()), second)
    });
    assert_eq!((second.attempts(), second.retry_after), (0, Some(ms(19_000))));
    assert_eq!((first.status, client.inner().called_at()), (OutcomeStatus::Ok, vec![0, 20_000]));
    assert_eq!(first.trace[0].delay_source, Some(DelaySource::RetryAfter));
}

#[test]
fn g7_litellm_34399_a_longer_wait_that_another_call_was_told_of_holds_too() {
    let breaker = TestBreaker::new();
    let script = [Reply::error(throttled(5_000)).after(10), Reply::error(throttled(8_000)).after(20), Reply::ok()];
    let client = client(&breaker, retry_config(2), script);
    let (first, second) = run(&breaker.clock, async {
        tokio::join!(client.execute("first", CallOptions::default()), client.execute("second", CallOptions::default()))
    });
    // The first would come back at 5010, but the service has asked to be left alone until 8020.
    assert_eq!(client.inner().called_at(), [0, 0, 8_020, 8_020]);
    assert_eq!((first.status, second.status), (OutcomeStatus::Ok, OutcomeStatus::Ok));
    assert_eq!((first.trace[0].delay, first.trace[1].started_at), (Some(ms(8_010)), ms(8_020)));
}

#[test]
fn g7_litellm_34399_a_wait_only_ever_moves_back() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 10);
    let (first, second) = (breaker.admit(), breaker.admit());
    for (permit, wait) in [(first, 20_000), (second, 5_000)] {
        permit.failure(resilience::breaker::FailureReport { retry_after: Some(ms(wait)), ..Default::default() });
    }
    assert!(breaker.at(19_999).rejects());
    assert!(!breaker.at(20_000).rejects());
}

#[test]
fn g7_litellm_34399_a_breaker_that_opens_with_the_same_failure_keeps_the_longer_of_both() {
    for (wait, reopens) in [(500, 1_000), (20_000, 20_000)] {
        let breaker = TestBreaker::new();
        breaker.fail();
        breaker.fail();
        breaker.fail_asking_for(wait);
        assert_eq!(breaker.events()[0].cooldown, ms(reopens));
        assert!(breaker.at(reopens - 1).rejects());
        assert!(breaker.at(reopens).admit().is_probe());
    }
}

#[test]
fn g7_litellm_34399_after_the_wait_the_outcome_does_not_ask_for_it_again() {
    // Told to wait 5 s, it did; what counts then is the cooldown of the breaker that opened meanwhile.
    let breaker = TestBreaker::new();
    let retry_after = Some(RetryAfter { wait: ms(5_000), source: RetryAfterSource::Seconds });
    let asks = resilience::classify::CallError { retry_after, ..unavailable() };
    let client = client(&breaker, retry_config(2), [Reply::error(asks)]);
    let opens = at(&breaker.clock, 4_500, || breaker.isolate());
    let resets = at(&breaker.clock, 4_600, || {
        breaker.reset();
        breaker.open();
    });
    let outcome =
        run(&breaker.clock, async { tokio::join!(client.execute("hi", CallOptions::default()), opens, resets).0 });
    assert_eq!((outcome.stop_reason, outcome.retry_after), (StopReason::CircuitOpen, Some(ms(600))));
    assert_eq!(outcome.error.unwrap().class, ErrorClass::Overloaded);
}
