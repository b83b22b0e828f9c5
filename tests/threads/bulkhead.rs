use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use resilience::bulkhead::{Bulkhead, BulkheadConfig, RejectionReason};
use resilience::cancel::{CancelReason, CancelToken};
use resilience::clock::ManualClock;
use resilience::metrics::Metrics;

use crate::{THREADS, on_all_threads};

const PLACES: u32 = 3;

/// How calls of one thread ended.
#[derive(Default)]
struct Calls {
    ran: u64,
    outlived: u64,
    cancelled: u64,
    rejected: u64,
}

#[test]
fn no_place_is_lost_or_given_twice() {
    let config = BulkheadConfig { max_concurrent: PLACES, max_queue: 4, ..BulkheadConfig::default() };
    let bulkhead = Arc::new(Bulkhead::new(config).unwrap());
    let (timer, inside) = (ManualClock::new(), AtomicU32::new(0));
    // The token of each thread's call.
    let tokens: [Mutex<CancelToken>; THREADS] = Default::default();
    let rounds = 5_000;
    let calls = on_all_threads(
        rounds,
        |thread, dice, calls: &mut Calls| {
            let token = CancelToken::new();
            *tokens[thread].lock().unwrap() = token.clone();
            if dice.roll(3) == 0 {
                let other = tokens[dice.roll(THREADS as u32) as usize].lock().unwrap().clone();
                other.cancel(CancelReason::Cancelled);
            }
            let acquired = match dice.roll(4) {
                0 => bulkhead.try_acquire(),
                _ => waits_for(bulkhead.acquire(&timer, None, Some(&token))),
            };
            let place = match acquired {
                Ok(place) => place,
                Err(rejection) if rejection.reason == RejectionReason::Cancelled => return calls.cancelled += 1,
                Err(_) => return calls.rejected += 1,
            };
            assert!(inside.fetch_add(1, Ordering::SeqCst) < PLACES);
            let work = (dice.roll(4) == 0).then(|| place.hold());
            calls.ran += 1;
            // Gives the others a chance to come.
            std::thread::yield_now();
            inside.fetch_sub(1, Ordering::SeqCst);
            calls.outlived += u64::from(work.is_some());
            drop(place);
            drop(work);
        },
        Calls::default,
    );
    let sum = |of: fn(&Calls) -> u64| calls.iter().map(of).sum::<u64>();
    let stats = Metrics::of(&[], &[("model".to_owned(), bulkhead.clone())]).bulkheads[0].stats;
    assert_eq!((stats.running, stats.queued, stats.overrunning), (0, 0, 0));
    assert_eq!((stats.done, stats.overrun), (sum(|calls| calls.ran), sum(|calls| calls.outlived)));
    assert_eq!((stats.cancelled, stats.rejected), (sum(|calls| calls.cancelled), sum(|calls| calls.rejected)));
    assert_eq!(stats.done + stats.cancelled + stats.rejected + stats.timed_out, (THREADS * rounds) as u64);
    assert!(stats.cancelled > 100 && stats.rejected > 100 && stats.overrun > 100, "it was busy: {stats:?}");
    let places: Vec<_> = (0..PLACES).map(|_| bulkhead.try_acquire().unwrap()).collect();
    assert!(bulkhead.try_acquire().is_err());
    drop(places);
}

/// Blocks the thread until it is ready.
fn waits_for<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}
