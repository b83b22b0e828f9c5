//! Times of all rows, beside the peers. Run it through `scripts/bench.sh`, which makes the table.

mod rows;

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};

use rows::Measure;

const THREADS: u64 = 8;

struct Times<'a>(&'a mut Criterion);

impl Measure for Times<'_> {
    fn row<T>(&mut self, row: &str, who: &str, mut call: impl FnMut() -> T) {
        self.0.benchmark_group(row).bench_function(who, |bencher| bencher.iter(&mut call));
    }

    fn shared_row<T>(&mut self, row: &str, who: &str, call: impl Fn() -> T + Sync) {
        self.row(row, who, &call);
        let mut group = self.0.benchmark_group(format!("{row}, {THREADS} threads"));
        group.sampling_mode(SamplingMode::Flat);
        group.bench_function(who, |bencher| bencher.iter_custom(|calls| on_threads(calls, &call)));
    }
}

/// The time from the first call's start to the last one's end. The calls are shared out evenly.
fn on_threads<T>(calls: u64, call: &(impl Fn() -> T + Sync)) -> Duration {
    let start = Barrier::new(THREADS as usize);
    let run = || {
        start.wait();
        let began = Instant::now();
        (0..calls.div_ceil(THREADS)).for_each(|_| drop(std::hint::black_box(call())));
        (began, Instant::now())
    };
    let times = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)))
    });
    times.map(|(began, ended)| ended - began).unwrap_or_default()
}

fn times(criterion: &mut Criterion) {
    rows::measure(&mut Times(criterion));
}

criterion_group!(benches, times);
criterion_main!(benches);
