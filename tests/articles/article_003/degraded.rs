use resilience::client::{CallOptions, OutcomeStatus};
use resilience::retry::StopReason;

use super::article;
use crate::support::{Reply, TestChain, ms, run};

/// A reranker that is down, and a local one behind it.
fn with_a_local_one(remote: Vec<Reply>) -> TestChain {
    TestChain::with(0, [remote, vec![Reply::ok()]], |config, breaker, _| {
        config.client.retry.attempt_timeout = ms(10_000);
        config.client.retry.deadline = ms(30_000);
        article(breaker);
    })
}

#[test]
fn a_second_best_result_says_so_and_the_caller_can_branch_on_it() {
    let test = with_a_local_one(vec![Reply::fail()]);
    let outcome = run(&test.clock, test.chain.execute("rank", CallOptions::default()));
    assert_eq!((outcome.status, outcome.degraded(), outcome.provider.as_deref()), (OutcomeStatus::Ok, true, Some("b")));
    assert_eq!(&*outcome.passed_over[0].provider, "a");
    let healthy = with_a_local_one(vec![Reply::ok()]);
    assert!(!run(&healthy.clock, healthy.chain.execute("rank", CallOptions::default())).degraded());
}

#[test]
fn the_rejection_falls_into_the_same_branch_as_a_failure_only_sooner() {
    let test = with_a_local_one(vec![Reply::hang()]);
    let took = |test: &TestChain| {
        let outcome = run(&test.clock, test.chain.execute("rank", CallOptions::default()));
        assert_eq!(outcome.provider.as_deref(), Some("b"));
        (outcome.elapsed, outcome.passed_over[0].stop_reason)
    };
    for _ in 0..5 {
        assert_eq!(took(&test).0, ms(10_000), "each waits for its timeout");
    }
    for _ in 0..10 {
        assert_eq!(took(&test), (ms(0), StopReason::CircuitOpen), "from then on nobody does");
    }
}
