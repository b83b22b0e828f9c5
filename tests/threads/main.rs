//! Eight real threads on one of each thing that threads share: what was let in, recorded and counted adds up in the end.
//! Rare orders are the matter of tests/loom; here is everything at once, with the orders that a machine makes.

#[path = "../support/mod.rs"]
mod support;

mod breaker;
mod bulkhead;
mod cache;
mod registry;

use std::thread;

use resilience::random::{Rng, SeededRng};

const THREADS: usize = 8;

/// Chance of one thread.
struct Dice(SeededRng);

impl Dice {
    /// 0 to `sides - 1`.
    fn roll(&self, sides: u32) -> u32 {
        (self.0.next_unit() * f64::from(sides)) as u32
    }
}

/// Runs so many rounds on each thread, and gives what each of them counted.
fn on_all_threads<T: Send>(rounds: usize, round: impl Fn(usize, &Dice, &mut T) + Sync, counted: fn() -> T) -> Vec<T> {
    let run = |thread: usize| {
        let (dice, mut counted) = (Dice(SeededRng::new(thread as u64)), counted());
        (0..rounds).for_each(|_| round(thread, &dice, &mut counted));
        counted
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}
