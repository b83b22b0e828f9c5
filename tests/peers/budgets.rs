//! Section J: retry budgets. And H11: what bounds the calls of retries within retries.

use resilience::breaker::BreakerState;
use resilience::classify::ErrorClass;
use resilience::client::{CallOptions, ClientConfig, NoHooks};
use resilience::clock::Timestamp;
use resilience::retry::{RetryBudget, RetryBudgetConfig, StopReason};

use crate::support::{
    Client, Reply, TestBreaker, TestCascade, TestChain, client_config, client_with_hooks, join_all, ms, retry_config,
    run,
};

const NOW: Timestamp = Timestamp::ZERO;

fn budget(capacity: f64, per_call: f64) -> RetryBudget {
    RetryBudget::new(RetryBudgetConfig { capacity, per_call, per_minute: 0.0 }).unwrap()
}

fn client_with(breaker: &TestBreaker, budget: RetryBudgetConfig, retries: u32, script: Vec<Reply>) -> Client {
    client_with_hooks(breaker, ClientConfig { budget, ..client_config(retry_config(retries)) }, script, NoHooks)
}

/// A breaker that never opens.
fn patient() -> TestBreaker {
    TestBreaker::with(|config| config.failure_threshold = u32::MAX)
}

#[test]
fn j1_tower_857_parts_of_tokens_are_neither_lost_nor_rounded_up() {
    for (per_call, granted) in [(0.6, 60), (0.0, 0), (0.01, 1), (0.29, 29), (0.999, 99), (1.0, 100), (1.5, 150)] {
        let budget = budget(1_000.0, per_call);
        while budget.withdraw(NOW) {}
        (0..100).for_each(|_| budget.deposit_call());
        assert_eq!((0..1_000).filter(|_| budget.withdraw(NOW)).count(), granted, "{per_call} of each call");
    }
}

#[test]
fn j2_grpc_proposal_27_tokens_never_go_below_zero() {
    let budget = budget(10.0, 0.1);
    (0..1_000).for_each(|_| _ = budget.withdraw(NOW));
    assert_eq!(budget.tokens(NOW), 0.0);
    let calls = (1..).find(|_| {
        budget.deposit_call();
        budget.withdraw(NOW)
    });
    assert_eq!(calls, Some(10), "the first that ten calls bring, not what a thousand have taken");
}

#[test]
fn j3_aws_sdk_go_v2_3550_it_fills_up_again_and_not_beyond() {
    let budget = budget(10.0, 0.1);
    while budget.withdraw(NOW) {}
    for calls in [99, 1, 1, 10_000] {
        (0..calls).for_each(|_| budget.deposit_call());
        assert!(budget.tokens(NOW) <= 10.0);
    }
    assert_eq!(budget.tokens(NOW), 10.0);
}

#[test]
fn j4_failsafe_go_139_the_first_call_after_launch_may_be_tried_again() {
    let breaker = patient();
    let client =
        client_with(&breaker, RetryBudgetConfig::default(), 2, vec![Reply::fail(), Reply::fail(), Reply::ok()]);
    let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.stop_reason, outcome.attempts()), (StopReason::Success, 3));
}

#[test]
fn j4_failsafe_go_139_five_failing_calls_an_hour_are_tried_again_all_day() {
    let breaker = patient();
    let client = client_with(&breaker, RetryBudgetConfig::default(), 2, vec![Reply::fail()]);
    for call in 0..120 {
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!(outcome.attempts(), 3, "call {call}");
        breaker.clock.advance(ms(12 * 60_000));
    }
}

#[test]
fn j5_envoy_mobile_811_a_device_without_network_uses_up_nothing() {
    let breaker = TestBreaker::new();
    let budget = RetryBudgetConfig { capacity: 3.0, per_call: 0.5, per_minute: 0.0 };
    let offline = vec![Reply::class(ErrorClass::Offline); 20];
    let script = [vec![Reply::fail()], offline, vec![Reply::fail()]].concat();
    let client = client_with(&breaker, budget, 1, script);
    let first = run(&breaker.clock, client.execute("hi", CallOptions::default()));
    assert_eq!((first.attempts(), first.stop_reason), (2, StopReason::NotRetryable), "one of its three tokens is gone");
    let before = client.snapshot(0);
    for _ in 0..18 {
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        assert_eq!((outcome.attempts(), outcome.cause), (1, Some(ErrorClass::Offline)));
    }
    assert_eq!(client.snapshot(0), before, "neither fuller nor emptier, and the breaker as it was");
    assert_eq!((breaker.state(), breaker.consecutive_failures()), (BreakerState::Closed, 1));
}

#[test]
fn j6_envoy_30205_a_token_is_taken_when_the_retry_is_planned() {
    let breaker = patient();
    let (reserve, calls) = (20.0, 1_000);
    let budget = RetryBudgetConfig { capacity: reserve, per_call: 0.2, per_minute: 0.0 };
    let client = client_with(&breaker, budget, 1, vec![Reply::fail().after(50)]);
    let outcomes = run(&breaker.clock, join_all((0..calls).map(|_| client.execute("hi", CallOptions::default()))));
    let retries = client.inner().calls() - calls;
    assert!((200..=220).contains(&retries), "{retries}");
    assert_eq!(outcomes.iter().filter(|outcome| outcome.stop_reason == StopReason::Budget).count(), calls - retries);
}

#[test]
fn h11_openai_cookbook_2812_one_number_bounds_a_call_over_all_services_and_rounds() {
    for (most, calls) in [(1, [1, 0, 0]), (4, [3, 1, 0]), (7, [3, 3, 1]), (9, [3, 3, 3]), (10_000, [3, 3, 3])] {
        let test = TestChain::with(
            2,
            [vec![Reply::fail()], vec![Reply::fail()], vec![Reply::fail()]],
            |config, breaker, _| {
                config.client.retry.max_total_attempts = Some(most);
                breaker.failure_threshold = u32::MAX;
            },
        );
        let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
        assert_eq!((test.calls(), outcome.attempts()), (calls.to_vec(), calls.iter().sum::<usize>() as u32));
        assert_eq!(outcome.stop_reason, StopReason::Attempts);
    }
}

#[test]
fn h11_openai_cookbook_2812_no_service_is_waited_for_when_no_attempt_is_left() {
    let script = || vec![Reply::error(crate::support::throttled(1_000)), Reply::ok()];
    let test =
        TestChain::with(2, [script(), script()], |config, _, _| config.client.retry.max_total_attempts = Some(2));
    let outcome = run(&test.clock, test.chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.attempts(), outcome.elapsed), (2, ms(0)));
    assert_eq!(outcome.stop_reason, StopReason::Attempts);
    assert_eq!(outcome.retry_after, Some(ms(1_000)), "when to come back is told");
}

#[test]
fn h11_openai_cookbook_2812_it_holds_for_a_cascade_too() {
    let scripts = vec![vec![Reply::fail()]; 3];
    let test = TestCascade::with(scripts, vec![Ok(1.0); 3], |config| {
        config.client.retry = resilience::retry::RetryConfig { max_total_attempts: Some(4), ..retry_config(2) };
        config.max_models = 3;
    });
    let outcome = test.ask(0);
    assert_eq!((outcome.attempts(), outcome.stop_reason), (4, StopReason::Attempts));
}
