//! Section I: bulkheads and limiters that lose places, give them twice or wait in vain. And of section O what concerns
//! a registry.

use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use resilience::bulkhead::RejectionReason::{QueueFull, TimedOut, WaitTooLong};
use resilience::bulkhead::{
    Bulkhead, BulkheadConfig, BulkheadManager, Permit, Rejection, RejectionReason, ReservoirConfig,
};
use resilience::cancel::{CancelReason, CancelToken};
use resilience::clock::{Clock, ManualClock, Timer, Timestamp};
use resilience::registry::RegistryError;

use crate::support::{at, join_all, ms, run};

fn bulkhead(config: BulkheadConfig) -> (ManualClock, Arc<Bulkhead>) {
    let clock = ManualClock::new();
    let bulkhead = Bulkhead::with_clock(config, Arc::new(clock.clone())).unwrap();
    (clock, Arc::new(bulkhead))
}

fn places(max_concurrent: u32) -> BulkheadConfig {
    BulkheadConfig { max_concurrent, ..BulkheadConfig::default() }
}

/// `amount` starts in any `interval_ms`.
fn rate(amount: u32, interval_ms: u64) -> BulkheadConfig {
    let reservoir = ReservoirConfig { size: amount, refresh_amount: amount, refresh_interval: Some(ms(interval_ms)) };
    BulkheadConfig { reservoir: Some(reservoir), ..BulkheadConfig::default() }
}

fn millis(clock: &ManualClock) -> u64 {
    clock.now().since_origin().as_millis() as u64
}

fn poll<F: Future>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// How many places there are, by taking them all.
fn free_places(bulkhead: &Arc<Bulkhead>) -> usize {
    let taken: Vec<Permit> = std::iter::from_fn(|| bulkhead.try_acquire().ok()).collect();
    taken.len()
}

/// Work that takes 200 ms and can't be stopped, called with a timeout of 50 ms. Gives when its caller was told.
async fn call_with_timeout(clock: &ManualClock, bulkhead: &Arc<Bulkhead>, work: impl Future<Output = ()>) -> u64 {
    let permit = bulkhead.acquire(clock, None, None).await.unwrap();
    let hold = permit.hold();
    let caller = async {
        clock.sleep_until(clock.now() + ms(50)).await;
        drop(permit);
        millis(clock)
    };
    let work = async {
        work.await;
        drop(hold);
    };
    tokio::join!(caller, work).0
}

#[test]
fn i2_cockatiel_112_whoever_leaves_the_queue_leaves_no_place_taken() {
    let max_wait = Some(ms(100));
    for way in ["cancel", "drop", "timeout"] {
        let (clock, bulkhead) = bulkhead(BulkheadConfig { max_queue: 2, ..places(1) });
        let running = bulkhead.try_acquire().unwrap();
        let token = CancelToken::new();
        let wait = || Box::pin(bulkhead.acquire(&clock, max_wait, Some(&token)));
        let (mut first, mut second) = (wait(), wait());
        assert!(poll(&mut first).is_pending() && poll(&mut second).is_pending());
        assert!(matches!(poll(&mut wait()), Poll::Ready(Err(Rejection { reason: QueueFull, .. }))));
        let mut ends = Vec::new();
        match way {
            "cancel" => {
                token.cancel(CancelReason::Cancelled);
                ends.extend([poll(&mut first), poll(&mut second)]);
            }
            "drop" => drop((first, second)),
            _ => {
                clock.advance(ms(100));
                ends.extend([poll(&mut first), poll(&mut second)]);
            }
        }
        let reason = if way == "cancel" { RejectionReason::Cancelled } else { TimedOut };
        assert!(ends.iter().all(|end| matches!(end, Poll::Ready(Err(rejection)) if rejection.reason == reason)));
        assert_eq!(bulkhead.stats().queued, 0, "{way}");
        let mut third = Box::pin(bulkhead.acquire(&clock, None, None));
        assert!(poll(&mut third).is_pending(), "{way}: queued");
        drop(running);
        assert!(matches!(poll(&mut third), Poll::Ready(Ok(_))), "{way}");
    }
}

#[test]
fn i2_cockatiel_112_a_front_that_leaves_hands_its_turn_on() {
    let (clock, bulkhead) = bulkhead(BulkheadConfig { min_spacing: ms(100), ..places(5) });
    drop(bulkhead.try_acquire().unwrap());
    let token = CancelToken::new();
    let started = run(&clock, async {
        let cancelled = bulkhead.acquire(&clock, None, Some(&token));
        let next = async {
            let _permit = bulkhead.acquire(&clock, None, None).await.unwrap();
            millis(&clock)
        };
        tokio::join!(cancelled, next, at(&clock, 50, || token.cancel(CancelReason::Cancelled))).1
    });
    assert_eq!(started, 100);
}

#[test]
fn i3_resilience4j_1569_a_timeout_and_a_completion_at_once_give_one_place_back() {
    let (clock, bulkhead) = bulkhead(BulkheadConfig { overrun_grace: ms(10), ..places(3) });
    for round in 0..1_000 {
        let permit = bulkhead.acquire(&clock, None, None);
        let permit = run(&clock, permit).unwrap();
        let (work, copy) = (permit.hold(), permit.hold());
        match round % 5 {
            0 => drop((permit, work, copy)),
            1 => drop((work, copy, permit)),
            2 => drop((work, permit, copy)),
            // The work ends at the very end of its grace, with and without somebody who looks in between.
            3 => {
                drop((permit, copy));
                clock.advance(ms(10));
                drop(work);
            }
            _ => {
                drop((permit, copy));
                clock.advance(ms(10));
                assert_eq!(free_places(&bulkhead), 3, "its place was given away");
                drop(work);
            }
        }
        assert_eq!((bulkhead.stats().running, bulkhead.stats().overrunning), (0, 0), "round {round}");
        assert_eq!(free_places(&bulkhead), 3, "round {round}");
    }
    assert_eq!(bulkhead.stats().overrun, 800);
}

#[test]
fn i3_resilience4j_1569_so_it_is_when_two_threads_do_it() {
    let (_, bulkhead) = bulkhead(places(1));
    let barrier = Arc::new(Barrier::new(2));
    let (give, take) = std::sync::mpsc::channel();
    let other = barrier.clone();
    let worker = thread::spawn(move || {
        for work in take {
            other.wait();
            drop(work);
        }
    });
    for _ in 0..1_000 {
        let permit = bulkhead.try_acquire().unwrap();
        give.send(permit.hold()).unwrap();
        barrier.wait();
        drop(permit);
        while bulkhead.stats().overrunning > 0 {
            thread::yield_now();
        }
        assert_eq!(free_places(&bulkhead), 1);
    }
    drop(give);
    worker.join().unwrap();
    assert_eq!((bulkhead.stats().running, bulkhead.stats().done), (0, 2_000));
}

#[test]
fn i4_opossum_72_work_that_its_timeout_drops_gives_its_place_back_once() {
    let (clock, bulkhead) = bulkhead(places(1));
    for round in 1..=100 {
        let mut work = Box::pin(async {
            let _permit = bulkhead.acquire(&clock, None, None).await.unwrap();
            std::future::pending::<()>().await;
        });
        assert!(poll(&mut work).is_pending());
        assert_eq!(free_places(&bulkhead), 0);
        clock.advance(ms(50));
        drop(work);
        assert_eq!(free_places(&bulkhead), 1);
        assert_eq!((bulkhead.stats().done, bulkhead.stats().overrun), (round * 2, 0), "the test's own call is one");
    }
}

#[test]
fn i5_bottleneck_work_that_outlives_its_timeout_keeps_its_place() {
    let (clock, bulkhead) = bulkhead(places(1));
    let (now, peak) = (AtomicU32::new(0), AtomicU32::new(0));
    let work = || async {
        peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        clock.sleep_until(clock.now() + ms(200)).await;
        now.fetch_sub(1, Ordering::SeqCst);
    };
    let calls = (0..3).map(|_| call_with_timeout(&clock, &bulkhead, work()));
    let told = run(&clock, join_all(calls));
    assert_eq!(told, [50, 250, 450], "the caller does not wait for the work, the next one does");
    assert_eq!(peak.into_inner(), 1, "bottleneck ran 3 at once");
    assert_eq!((bulkhead.stats().overrun, bulkhead.stats().done, bulkhead.stats().overrunning), (3, 3, 0));
}

#[test]
fn i5_bottleneck_but_not_for_ever() {
    let (clock, bulkhead) = bulkhead(BulkheadConfig { overrun_grace: ms(100), ..places(1) });
    let permit = bulkhead.try_acquire().unwrap();
    let work = permit.hold();
    drop(permit);
    let next = run(&clock, bulkhead.acquire(&clock, None, None)).unwrap();
    assert_eq!(millis(&clock), 100);
    drop(work);
    assert_eq!(free_places(&bulkhead), 0, "work that ends late frees nothing of another's");
    drop(next);
    assert_eq!(free_places(&bulkhead), 1);
}

#[test]
fn i6_failsafe_365_each_of_three_calls_runs_in_its_turn() {
    let (clock, bulkhead) = bulkhead(places(1));
    let calls = (0..3).map(|_| async {
        let _permit = bulkhead.acquire(&clock, None, None).await.unwrap();
        clock.sleep_until(clock.now() + ms(100)).await;
        millis(&clock)
    });
    assert_eq!(run(&clock, join_all(calls)), [100, 200, 300]);
}

async fn start(clock: &ManualClock, bulkhead: &Arc<Bulkhead>) -> u64 {
    drop(bulkhead.acquire(clock, None, None).await.unwrap());
    millis(clock)
}

#[test]
fn i7_bottleneck_153_no_edge_lets_a_double_burst_through() {
    let (clock, bulkhead) = bulkhead(rate(5, 250));
    let calls = (0..10).map(|_| async {
        clock.sleep_until(Timestamp::from_millis(240)).await;
        start(&clock, &bulkhead).await
    });
    let started = run(&clock, join_all(calls));
    assert_eq!(started, [240, 240, 240, 240, 240, 490, 490, 490, 490, 490], "bottleneck: 10 in 30 ms");
}

#[test]
fn i8_resilience4j_1283_a_wait_that_cannot_succeed_is_not_begun() {
    let one_in_ten_seconds = [rate(1, 10_000), BulkheadConfig { min_spacing: ms(10_000), ..places(5) }];
    for config in one_in_ten_seconds {
        let (clock, bulkhead) = bulkhead(config);
        let rejection = |max_wait| run(&clock, bulkhead.acquire(&clock, Some(ms(max_wait)), None)).unwrap_err();
        drop(bulkhead.try_acquire().unwrap());
        let expected = Rejection { reason: WaitTooLong, retry_after: Some(ms(10_000)) };
        assert_eq!(rejection(2_000), expected);
        assert_eq!(bulkhead.try_acquire().unwrap_err(), expected);
        assert_eq!(millis(&clock), 0, "at once");
        let mut waiting = Box::pin(bulkhead.acquire(&clock, Some(ms(10_000)), None));
        assert!(poll(&mut waiting).is_pending(), "just in time");
        assert_eq!(rejection(19_999).retry_after, Some(ms(20_000)), "one is before it");
        drop(run(&clock, waiting).unwrap());
        assert_eq!((millis(&clock), bulkhead.stats().rejected), (10_000, 3));
    }
}

#[test]
fn i9_tower_resilience_363_five_waiters_start_in_five_cycles() {
    let (clock, bulkhead) = bulkhead(rate(1, 100));
    let started = run(&clock, join_all((0..6).map(|_| start(&clock, &bulkhead))));
    assert_eq!(started, [0, 100, 200, 300, 400, 500]);
}

#[test]
fn i10_polly_2638_places_and_queue_do_not_overflow() {
    let huge = BulkheadConfig { max_concurrent: u32::MAX, max_queue: u32::MAX, ..BulkheadConfig::default() };
    assert_eq!(Bulkhead::new(huge).unwrap_err().field, "maxConcurrent");
    let most = BulkheadConfig { max_concurrent: 100_000, max_queue: 100_000, ..BulkheadConfig::default() };
    let (clock, bulkhead) = bulkhead(most);
    let permits: Vec<Permit> = std::iter::from_fn(|| bulkhead.try_acquire().ok()).collect();
    let mut waiting: Vec<_> = (0..100_000).map(|_| Box::pin(bulkhead.acquire(&clock, None, None))).collect();
    assert!(waiting.iter_mut().all(|wait| poll(wait).is_pending()));
    let rejection = run(&clock, bulkhead.acquire(&clock, None, None)).unwrap_err();
    assert_eq!((permits.len(), rejection.reason), (100_000, QueueFull));
    drop(permits);
    assert!(waiting.iter_mut().all(|wait| poll(wait).is_ready()));
    assert_eq!((bulkhead.stats().running, bulkhead.stats().done), (0, 200_000));
}

#[test]
fn table_2b_18_bottleneck_an_empty_reservoir_keeps_nobody_waiting() {
    for (size, refresh_amount, refresh_interval) in [(0, 5, None), (0, 0, Some(ms(100))), (2, 9, None)] {
        let reservoir = Some(ReservoirConfig { size, refresh_amount, refresh_interval });
        let (clock, bulkhead) = bulkhead(BulkheadConfig { reservoir, ..places(5) });
        (0..size).for_each(|_| drop(bulkhead.try_acquire().unwrap()));
        let rejection = run(&clock, bulkhead.acquire(&clock, None, None)).unwrap_err();
        assert_eq!(rejection, Rejection { reason: WaitTooLong, retry_after: Some(Duration::MAX) });
        assert_eq!(millis(&clock), 0);
    }
    let reservoir = ReservoirConfig { size: 0, refresh_amount: 1, refresh_interval: Some(ms(100)) };
    let (clock, bulkhead) = bulkhead(BulkheadConfig { reservoir: Some(reservoir), ..places(5) });
    assert_eq!(run(&clock, start(&clock, &bulkhead)), 100, "one that refills is worth waiting for");
}

#[test]
fn table_2b_18_bottleneck_a_last_token_that_is_waited_for_is_not_promised_twice() {
    let reservoir = ReservoirConfig { size: 2, refresh_amount: 0, refresh_interval: None };
    let (clock, bulkhead) = bulkhead(BulkheadConfig { reservoir: Some(reservoir), ..places(1) });
    let running = bulkhead.try_acquire().unwrap();
    let mut last = Box::pin(bulkhead.acquire(&clock, None, None));
    assert!(poll(&mut last).is_pending());
    let rejection = run(&clock, bulkhead.acquire(&clock, None, None)).unwrap_err();
    assert_eq!(rejection.retry_after, Some(Duration::MAX));
    drop(running);
    assert!(matches!(poll(&mut last), Poll::Ready(Ok(_))));
}

#[test]
fn h6_opossum_824_zero_means_zero() {
    let (clock, no_queue) = bulkhead(BulkheadConfig { max_queue: 0, ..places(1) });
    let running = no_queue.try_acquire().unwrap();
    let rejection = run(&clock, no_queue.acquire(&clock, None, None)).unwrap_err();
    assert_eq!(rejection, Rejection { reason: QueueFull, retry_after: None });
    drop(running);

    let no_wait = [(Some(ms(0)), None), (None, Some(ms(0))), (Some(ms(0)), Some(ms(500)))];
    for (configured, asked) in no_wait {
        let (clock, bulkhead) = bulkhead(BulkheadConfig { max_wait: configured, ..places(1) });
        let _running = run(&clock, bulkhead.acquire(&clock, asked, None)).expect("a free place needs no wait");
        let rejection = run(&clock, bulkhead.acquire(&clock, asked, None)).unwrap_err();
        assert_eq!((rejection.reason, millis(&clock)), (WaitTooLong, 0));
    }

    let (_, no_grace) = bulkhead(BulkheadConfig { overrun_grace: ms(0), ..places(1) });
    let permit = no_grace.try_acquire().unwrap();
    let _work = permit.hold();
    drop(permit);
    assert_eq!((no_grace.stats().overrunning, no_grace.stats().overrun), (0, 1));
    assert_eq!(free_places(&no_grace), 1);

    let (_, no_spacing) = bulkhead(BulkheadConfig { min_spacing: ms(0), ..places(7) });
    assert_eq!(free_places(&no_spacing), 7);
}

#[test]
fn o4_omniroute_4114_ten_thousand_names_stay_under_the_cap() {
    let manager = BulkheadManager::new();
    let (busy, _) = manager.get_or_create("busy", places(1)).unwrap();
    let running = busy.try_acquire().unwrap();
    drop(busy);
    for name in 0..10_000 {
        manager.get_or_create(&name.to_string(), places(1)).unwrap();
        assert!(name % 100 > 0 || manager.total_stats().len() <= 500);
    }
    assert_eq!(manager.total_stats().len(), 500);
    assert_eq!(manager.get("busy").unwrap().stats().running, 1, "what is in use is kept");
    drop(running);
    let kept: Vec<_> = (0..500).map(|name| manager.get_or_create(&format!("kept {name}"), places(1))).collect();
    assert!(kept.iter().all(Result::is_ok));
    let error = manager.get_or_create("one more", places(1)).unwrap_err();
    assert_eq!(error, RegistryError::Full { limit: 500 });
}

#[test]
fn o4_omniroute_4114_a_spent_reservoir_is_not_refilled_by_being_forgotten() {
    let clock = ManualClock::new();
    let manager = BulkheadManager::with_clock(Arc::new(clock.clone()));
    let use_up = || manager.get_or_create("rationed", rate(1, 60_000)).unwrap().0.try_acquire().map(drop);
    assert_eq!(use_up(), Ok(()));
    for name in 0..1_000 {
        manager.get_or_create(&name.to_string(), places(1)).unwrap();
    }
    assert!(use_up().is_err());
    clock.advance(ms(60_000));
    assert_eq!(use_up(), Ok(()));
}

#[test]
fn o5_resilience4j_584_another_config_for_the_same_name_is_told() {
    let manager = BulkheadManager::new();
    let (first, mismatch) = manager.get_or_create("model", places(1)).unwrap();
    assert!(!mismatch && !manager.get_or_create("model", places(1)).unwrap().1);
    let (second, mismatch) = manager.get_or_create("model", places(2)).unwrap();
    assert!(mismatch && Arc::ptr_eq(&first, &second));
    assert_eq!(free_places(&second), 1);
}

#[test]
fn o6_opossum_248_a_removed_one_is_gone() {
    let manager = BulkheadManager::new();
    let (bulkhead, _) = manager.get_or_create("model", places(1)).unwrap();
    let weak = Arc::downgrade(&bulkhead);
    drop(bulkhead);
    drop(manager.remove("model").unwrap());
    assert_eq!((weak.strong_count(), manager.total_stats().len()), (0, 0));
    assert!(manager.remove("model").is_none());
    let (_, mismatch) = manager.get_or_create("model", places(2)).unwrap();
    assert!(!mismatch, "a new one");
}
