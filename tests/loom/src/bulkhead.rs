//! A place that is handed over.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use loom::future::block_on;
use loom::sync::Mutex;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use resilience::bulkhead::{Bulkhead, BulkheadConfig, Permit, Rejection, RejectionReason};
use resilience::cancel::{CancelReason, CancelToken};
use resilience::clock::ManualClock;

use crate::{Still, large_model, model};

type Acquiring = Pin<Box<dyn Future<Output = Result<Permit, Rejection>> + Send>>;

/// One place.
fn bulkhead() -> Arc<Bulkhead> {
    let config = BulkheadConfig { max_concurrent: 1, ..BulkheadConfig::default() };
    Arc::new(Bulkhead::with_clock(config, Arc::new(Still)).unwrap())
}

/// Takes a place in the queue.
fn queued(bulkhead: &Arc<Bulkhead>, cancel: Option<CancelToken>) -> Acquiring {
    let bulkhead = bulkhead.clone();
    let mut acquiring: Acquiring =
        Box::pin(async move { bulkhead.acquire(&ManualClock::new(), None, cancel.as_ref()).await });
    assert!(acquiring.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    acquiring
}

/// Nothing runs or waits, and there is one place.
fn assert_whole(bulkhead: &Arc<Bulkhead>) {
    let stats = bulkhead.stats();
    assert_eq!((stats.running, stats.queued, stats.overrunning), (0, 0, 0));
    let place = bulkhead.try_acquire();
    assert!(place.is_ok() && bulkhead.try_acquire().is_err());
}

#[test]
fn a_place_goes_from_one_to_the_next_in_their_order() {
    large_model(|| {
        let (bulkhead, order) = (bulkhead(), Arc::new(Mutex::new(Vec::new())));
        let inside = Arc::new(AtomicUsize::new(0));
        let held = bulkhead.try_acquire().unwrap();
        let mut waiters = ["first", "second"].map(|name| (name, queued(&bulkhead, None))).into_iter();
        let run = |(name, acquiring): (&'static str, Acquiring)| {
            let (order, inside) = (order.clone(), inside.clone());
            move || {
                let _place = block_on(acquiring).unwrap();
                assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "one place");
                order.lock().unwrap().push(name);
                inside.fetch_sub(1, Ordering::SeqCst);
            }
        };
        let first = thread::spawn(run(waiters.next().unwrap()));
        let second = thread::spawn(run(waiters.next().unwrap()));
        drop(held);
        first.join().unwrap();
        second.join().unwrap();
        assert_eq!(*order.lock().unwrap(), ["first", "second"]);
        assert_eq!(bulkhead.stats().done, 3);
        assert_whole(&bulkhead);
    });
}

#[test]
fn a_newcomer_overtakes_nobody() {
    model(|| {
        let bulkhead = bulkhead();
        let held = bulkhead.try_acquire().unwrap();
        let (waiter, started) = (queued(&bulkhead, None), Arc::new(AtomicUsize::new(0)));
        let (newcomer, before) = (bulkhead.clone(), started.clone());
        let newcomer = thread::spawn(move || {
            let place = newcomer.try_acquire();
            assert!(place.is_err() || before.load(Ordering::SeqCst) == 1);
        });
        drop(held);
        let place = block_on(waiter).unwrap();
        started.store(1, Ordering::SeqCst);
        drop(place);
        newcomer.join().unwrap();
        assert_whole(&bulkhead);
    });
}

/// The first of two waiters is cancelled while the place is on its way to it.
#[test]
fn a_cancelled_waiter_takes_no_place_with_it() {
    large_model(|| {
        let (bulkhead, token) = (bulkhead(), CancelToken::new());
        let held = bulkhead.try_acquire().unwrap();
        let (first, second) = (queued(&bulkhead, Some(token.clone())), queued(&bulkhead, None));
        let first = thread::spawn(move || match block_on(first) {
            Ok(_place) => {}
            Err(rejection) => assert_eq!(rejection.reason, RejectionReason::Cancelled),
        });
        let cancelling = thread::spawn(move || token.cancel(CancelReason::Cancelled));
        drop(held);
        drop(block_on(second).unwrap());
        first.join().unwrap();
        cancelling.join().unwrap();
        let stats = bulkhead.stats();
        assert_eq!(stats.done + stats.cancelled, 3);
        assert_whole(&bulkhead);
    });
}

#[test]
fn a_waiter_that_is_dropped_takes_no_place_with_it() {
    model(|| {
        let bulkhead = bulkhead();
        let held = bulkhead.try_acquire().unwrap();
        let (first, second) = (queued(&bulkhead, None), queued(&bulkhead, None));
        let leaving = thread::spawn(move || drop(first));
        let releasing = thread::spawn(move || drop(held));
        drop(block_on(second).unwrap());
        leaving.join().unwrap();
        releasing.join().unwrap();
        let stats = bulkhead.stats();
        assert_eq!((stats.done, stats.cancelled), (2, 1));
        assert_whole(&bulkhead);
    });
}

/// Caller and work end at the same moment.
#[test]
fn a_place_that_caller_and_work_share_is_given_back_once() {
    model(|| {
        let bulkhead = bulkhead();
        let permit = bulkhead.try_acquire().unwrap();
        let (work, waiter) = (permit.hold(), queued(&bulkhead, None));
        let working = thread::spawn(move || drop(work));
        drop(permit);
        drop(block_on(waiter).unwrap());
        working.join().unwrap();
        assert_eq!(bulkhead.stats().done, 2);
        assert_whole(&bulkhead);
    });
}
