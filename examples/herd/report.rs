//! The tables and pictures.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use crate::Figures;
use crate::chart::{Chart, Line};
use crate::plan::{Entry, GUARDS, JITTERS};
use crate::service::World;
use crate::simulation::{BIN, Run};

/// `matrix` has a run for each kind of jitter with each guard.
pub fn markdown(seed: u64, matrix: &Figures, named: &[Entry], policies: &Figures) -> String {
    let world = &policies.world;
    let mut text = format!(
        "# A herd of {} devices\n\nMade by `cargo run --release --example herd -- --devices {} --seed {seed}`; \
        the world is described in `examples/herd/main.rs`.\n",
        grouped(world.devices.into()),
        world.devices,
    );
    text += "\n## Policies as they come\n\n";
    text +=
        "| policy | peak load over capacity | 99 % served after | wasted calls a device | wasted tokens a device |\n";
    text += "|---|---:|---:|---:|---:|\n";
    for (entry, run) in named.iter().zip(&policies.runs) {
        let cells = [peak(run), served(run), wasted(world, run), tokens(world, run)].join(" | ");
        _ = writeln!(text, "| {} | {cells} |", entry.name);
    }
    let world = &matrix.world;
    type Cell<'a> = (&'a str, &'a dyn Fn(&Run) -> String);
    let (of_wasted, of_tokens) = (|run: &Run| wasted(world, run), |run: &Run| tokens(world, run));
    let tables: [Cell; 4] = [
        ("Peak load over capacity", &peak),
        ("99 % served after", &served),
        ("Wasted calls a device", &of_wasted),
        ("Wasted tokens a device", &of_tokens),
    ];
    for (title, cell) in tables {
        _ = write!(text, "\n## {title}, by jitter and guard\n\n| jitter |");
        GUARDS.iter().for_each(|guard| _ = write!(text, " {guard} |"));
        _ = writeln!(text, "\n|---|{}", "---:|".repeat(GUARDS.len()));
        for ((name, _), runs) in JITTERS.iter().zip(matrix.runs.chunks(GUARDS.len())) {
            let cells: Vec<String> = runs.iter().map(cell).collect();
            _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
        }
    }
    text += "\nPeak load: calls in the busiest 100 ms since the service is back, divided by what it can answer in that time. \
        Time counts from when the service is back; with an answer for each, one after the other, it would be about 22 s. \
        Wasted: calls without an answer, those during the outage included. \
        Tokens: of calls that were worked on although the client had given up, 1200 each.\n";
    text
}

/// The load over time, by jitter and by policy.
pub fn pictures(matrix: &Figures, named: &[Entry], policies: &Figures, out: &Path) -> Result<(), Box<dyn Error>> {
    let world = &policies.world;
    let alone = JITTERS.iter().zip(matrix.runs.chunks(GUARDS.len())).map(|((name, _), runs)| (*name, &runs[0]));
    let policies = named.iter().zip(&policies.runs).map(|(entry, run)| (entry.name.as_str(), run));
    let policies: Vec<(&str, &Run)> = policies.filter(|(name, _)| !name.starts_with("article")).collect();
    let title = "Load on the service that comes back after 20 s, by jitter";
    load(&matrix.world, title, alone.collect(), &out.join("jitter.svg"))?;
    load(world, "The same, by policy", policies.clone(), &out.join("policies.svg"))?;
    let share = |&(name, run): &(&str, &Run)| {
        let percent = |&count: &u32| f64::from(count) * 100.0 / f64::from(world.devices);
        Line { name: name.to_owned(), points: points(run.served.iter().map(percent)) }
    };
    let chart = Chart {
        title: "Devices that have their answer",
        x: "seconds since the service was lost",
        y: "%",
        logarithmic_from: None,
        lines: policies.iter().map(share).collect(),
    };
    chart.write(&out.join("served.svg"))
}

fn load(world: &World, title: &str, runs: Vec<(&str, &Run)>, file: &Path) -> Result<(), Box<dyn Error>> {
    let over = |&count: &u32| f64::from(count) / (world.capacity() * BIN as f64);
    let line =
        |(name, run): (&str, &Run)| Line { name: name.to_owned(), points: points(run.arrivals.iter().map(over)) };
    let lines = runs.into_iter().map(line).collect();
    let (x, y) = ("seconds since the service was lost", "calls over capacity");
    Chart { title, x, y, logarithmic_from: Some(0.01), lines }.write(file)
}

/// By second, up to where the pictures end: a point for each bin would be a megabyte.
fn points(bins: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
    const SECONDS: usize = 80;
    let bins: Vec<f64> = bins.take(SECONDS * (1_000 / BIN) as usize).collect();
    let most = |bins: &[f64]| bins.iter().copied().fold(0.0, f64::max);
    bins.chunks(3).enumerate().map(|(at, chunk)| (at as f64 * 3.0 * BIN as f64 / 1e3, most(chunk))).collect()
}

fn peak(run: &Run) -> String {
    format!("{:.1}", run.peak)
}

fn served(run: &Run) -> String {
    run.served_99.map_or_else(|| "not in 10 min".to_owned(), |time| format!("{:.1} s", time as f64 / 1e3))
}

fn wasted(world: &World, run: &Run) -> String {
    format!("{:.2}", run.wasted as f64 / f64::from(world.devices))
}

fn tokens(world: &World, run: &Run) -> String {
    format!("{:.0}", run.wasted_tokens as f64 / f64::from(world.devices))
}

/// 1 000 000 for 1000000.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(" ")
}
