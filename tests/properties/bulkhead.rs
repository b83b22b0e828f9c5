//! The bulkhead against a naive model, over random sequences of calls, and among real threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;

use proptest::prelude::*;
use resilience::bulkhead::{Bulkhead, BulkheadConfig, RejectionReason};
use resilience::cancel::{CancelReason, CancelToken};
use resilience::clock::TokioClock;

use crate::bulkhead_model::Settings;
use crate::bulkhead_pair::{Step, play};
use crate::cases;

/// All times are even, limits are odd: no wait ends at the very moment at which it could start, where both are right.
fn even(times: std::ops::Range<u64>) -> impl Strategy<Value = u64> {
    times.prop_map(|time| 2 * time)
}

fn settings() -> impl Strategy<Value = Settings> {
    let spacing = prop_oneof![Just(0), even(1..30)];
    let interval = prop_oneof![4 => even(1..200).prop_map(Some), 1 => Just(None)];
    let reservoir = prop::option::of((0..6_u64, 0..6_u64, interval));
    let max_wait = prop::option::of(even(0..100).prop_map(|wait| wait + 1));
    let numbers = (1..4_usize, 0..6_usize, max_wait, spacing, reservoir, even(0..50));
    numbers.prop_map(|(places, queue, max_wait, spacing, reservoir, grace)| Settings {
        places,
        queue,
        max_wait,
        spacing,
        reservoir,
        grace,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let limit = prop::option::of(even(0..100).prop_map(|limit| limit + 1));
    prop_oneof![
        6 => even(1..40).prop_map(Step::Wait),
        8 => limit.prop_map(Step::Acquire),
        1 => Just(Step::TryAcquire),
        1 => any::<usize>().prop_map(Step::Cancel),
        1 => any::<usize>().prop_map(Step::DropWait),
        5 => any::<usize>().prop_map(Step::Release),
        2 => any::<usize>().prop_map(Step::Hold),
        2 => any::<usize>().prop_map(Step::DropHold),
    ]
}

proptest! {
    #![proptest_config(cases(2_000))]

    /// Fault I11: 100 000 steps and more, then all is as at the beginning.
    #[test]
    fn i11_bottleneck_152_it_does_what_the_model_does_and_never_gets_stuck(
        settings in settings(),
        steps in prop::collection::vec(step(), 1..120),
    ) {
        play(settings, steps);
    }
}

#[test]
fn threads_that_start_cancel_and_leave_lose_no_place() {
    const PLACES: u32 = 3;
    let config = BulkheadConfig { max_concurrent: PLACES, max_queue: 100, ..BulkheadConfig::default() };
    let bulkhead = Arc::new(Bulkhead::new(config).unwrap());
    let (running, asked) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap();
    let caller = |seed: u32| {
        let (bulkhead, running, asked) = (bulkhead.clone(), running.clone(), asked.clone());
        async move {
            let timer = TokioClock::new();
            for round in 0..2_000 {
                asked.fetch_add(1, Ordering::SeqCst);
                let token = CancelToken::new();
                let mut wait = Box::pin(bulkhead.acquire(&timer, None, Some(&token)));
                let way = (seed + round) % 4;
                if way == 1 {
                    // Gone after one look, unless it starts at once.
                    let first = std::future::poll_fn(|context| Poll::Ready(wait.as_mut().poll(context))).await;
                    drop(first);
                    continue;
                }
                if way == 2 {
                    let token = token.clone();
                    tokio::spawn(async move { token.cancel(CancelReason::Cancelled) });
                }
                let permit = match wait.await {
                    Ok(permit) => permit,
                    Err(rejection) => {
                        assert_eq!(rejection.reason, RejectionReason::Cancelled);
                        continue;
                    }
                };
                assert!(running.fetch_add(1, Ordering::SeqCst) < PLACES, "as many run as may, no more");
                let (work, running) = (permit.hold(), running.clone());
                let end = async move {
                    tokio::task::yield_now().await;
                    running.fetch_sub(1, Ordering::SeqCst);
                    drop(work);
                };
                if way == 3 { drop(tokio::spawn(end)) } else { end.await }
            }
        }
    };
    runtime.block_on(async {
        let callers: Vec<_> = (0..8).map(|seed| tokio::spawn(caller(seed))).collect();
        for caller in callers {
            caller.await.unwrap();
        }
        while bulkhead.stats().overrunning > 0 {
            tokio::task::yield_now().await;
        }
    });
    let stats = bulkhead.stats();
    assert_eq!((stats.running, stats.queued), (0, 0));
    assert_eq!(stats.done + stats.cancelled, u64::from(asked.load(Ordering::SeqCst)));
    assert!(stats.cancelled > 100 && stats.overrun > 100, "it was busy: {stats:?}");
    let free: Vec<_> = std::iter::from_fn(|| bulkhead.try_acquire().ok()).collect();
    assert_eq!(free.len(), PLACES as usize);
}
