//! Allocations of one call, for all rows: a tab between row, who, count and bytes.

mod counting;
mod rows;

use std::hint::black_box;

use rows::Measure;

struct Counts;

impl Measure for Counts {
    fn row<T>(&mut self, row: &str, who: &str, mut call: impl FnMut() -> T) {
        const CALLS: u64 = 1_000;
        // The first calls fill what is kept and used again.
        (0..CALLS).for_each(|_| drop(black_box(call())));
        let counted = counting::allocations(|| (0..CALLS).for_each(|_| drop(black_box(call()))));
        let per_call = |sum: u64| sum as f64 / CALLS as f64;
        println!("{row}\t{who}\t{}\t{}", per_call(counted.count), per_call(counted.bytes));
    }

    fn shared_row<T>(&mut self, row: &str, who: &str, call: impl Fn() -> T + Sync) {
        self.row(row, who, call);
    }
}

fn main() {
    rows::measure(&mut Counts);
}
