//! Models of what the core's threads do to each other. loom runs each of them in every order in which its threads may come,
//! up to a number of preemptions, and with every value that a load may give by the rules of the memory model.
//!
//! The models drive the product's own code: the core is built with `--cfg loom` and takes its locks, atomics and threads from
//! loom. Two things loom does not see: `Arc` is std's, so that what happens at one of its counts happens in one go with what
//! is next to it; and the executor of the Node-API layer is compiled in here, with [stand-ins](stand_ins) for the engine
//! and for what it uses of tokio.
//!
//! An assertion in a listener or a waker would be caught like any panic of the app: models note there and assert outside.
#![cfg(test)]

#[cfg(not(loom))]
compile_error!("without `--cfg loom` the core has std's locks, and one order is all that runs: scripts/threads.sh");

mod breaker;
mod bulkhead;
mod cancel;
mod executor;
mod flights;
mod half_open;
mod registry;
mod stand_ins;
mod timers;

// What the executor's files know by these names.
extern crate self as napi_ohos;
extern crate self as tokio;
use resilience::clock;
use stand_ins::engine::sys;
#[path = "../../../src/lock.rs"]
mod lock;
mod napi {
    pub use crate::stand_ins::engine as js;
}
mod sync {
    pub use crate::stand_ins::watch;
    pub use loom::sync::{Mutex, MutexGuard};
}
mod time {
    pub use crate::stand_ins::timeout;
}

use std::sync::Arc;
use std::task::{Wake, Waker};
use std::time::Duration;

use loom::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use resilience::clock::{Clock, Timestamp};

/// Runs a model in all orders.
fn model(model: impl Fn() + Send + Sync + 'static) {
    check(None, model);
}

/// The same for one that has too many: in those in which threads are stopped in the middle so often at the most.
fn large_model(model: impl Fn() + Send + Sync + 'static) {
    let preemptions = std::env::var("LOOM_MAX_PREEMPTIONS").map_or(2, |most| most.parse().unwrap());
    check(Some(preemptions), model);
}

fn check(preemptions: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    (builder.preemption_bound, builder.max_branches) = (preemptions, 10_000);
    let orders = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = orders.clone();
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        model();
    });
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    println!("{:>9} orders  {name}", orders.load(Ordering::Relaxed));
}

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// No chance: it draws the middle.
fn middle() -> f64 {
    0.5
}

/// A clock that a model sets, in milliseconds.
#[derive(Default)]
struct Time(AtomicU64);

impl Time {
    fn set(&self, millis: u64) {
        self.0.store(millis, Ordering::SeqCst);
    }
}

impl Clock for Time {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

/// A clock that stands still: no step for loom.
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::ZERO
    }
}

/// Counts how often it was woken.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Wakes {
    fn new() -> (Arc<Self>, Waker) {
        let wakes = Arc::new(Self::default());
        (wakes.clone(), Waker::from(wakes))
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}
