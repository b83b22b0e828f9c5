//! A herd of devices loses an LLM service at the same moment, and all of them want it back.
//!
//! `cargo run --release --example herd -- [--devices N] [--seed N] [--out FOLDER]`
//!
//! The service ([`service`]) is gone for 20 s; back again, it needs 20 s of work to serve everybody once. Who would wait for
//! more than 3 s in its queue is turned away; writing an answer takes 0.5 to 4 s; a client gives an attempt up after 5 s, and
//! what is given up is worked on and billed all the same. A device that came to nothing asks again 5 s later, or later than
//! that if it was told so.
//!
//! Devices that run this crate's policies use the crate itself ([`ours`]); those of others are written from their documented
//! rules ([`peers`]). The same seed gives the same figures. The table of jitters and guards comes from at most 50 000 devices:
//! what is counted is a share of them all. Writes `herd.md` and its pictures into the folder, `target/herd`
//! unless named.

mod ours;
mod peers;
mod plan;
mod report;
mod service;
mod simulation;
#[cfg(test)]
mod tests;

#[path = "../support/chart.rs"]
mod chart;
#[path = "../support/options.rs"]
mod options;

use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use plan::Entry;
use service::World;
use simulation::Run;

/// The most devices of the table of jitters and guards.
const LARGEST_MATRIX: u32 = 50_000;

const USAGE: &str = "herd [--devices 1..=2000000] [--seed N] [--out FOLDER]";

fn main() -> Result<(), Box<dyn Error>> {
    let options = options::read(USAGE, &["devices", "seed", "out"])?;
    let devices = options.number("devices", 100_000, 1..=2_000_000)? as u32;
    let seed = options.number("seed", 1, 0..=u64::MAX)?;
    let out = options.folder("target/herd")?;

    let began = Instant::now();
    eprintln!("{devices} devices; a million take 40 s, on a busy machine two minutes");
    let world = World::of(devices);
    let named = plan::named();
    let policies = Figures { runs: run_all(&named, &world, seed)?, world };
    let world = World::of(devices.min(LARGEST_MATRIX));
    let matrix = Figures { runs: run_all(&plan::matrix(), &world, seed)?, world };
    let table = report::markdown(seed, &matrix, &named, &policies);
    report::pictures(&matrix, &named, &policies, &out)?;
    std::fs::write(out.join("herd.md"), &table)?;
    println!("{table}");
    eprintln!("{devices} devices in {:.1} s; written to {}", began.elapsed().as_secs_f64(), out.display());
    Ok(())
}

/// What a list of entries came to.
struct Figures {
    world: World,
    runs: Vec<Run>,
}

/// Each entry has a seed and a world of its own, so it does not matter which thread runs it.
fn run_all(entries: &[Entry], world: &World, seed: u64) -> Result<Vec<Run>, resilience::InvalidConfig> {
    let next = AtomicUsize::new(0);
    let runs = Mutex::new(vec![None; entries.len()]);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let place = entries.iter().position(|other| std::ptr::eq(other, entry));
                    let run = entry.run(world, seed);
                    let mut runs = runs.lock().unwrap_or_else(PoisonError::into_inner);
                    place.into_iter().for_each(|place| runs[place] = Some(run.clone()));
                }
            });
        }
    });
    runs.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
}

/// A duration in milliseconds.
const fn milliseconds(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}
