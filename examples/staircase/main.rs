//! The staircase of article 004: twenty calls at once to a service that fails by chance, with one more layer around them each
//! time, at failure rates from 0 to 100 %.
//!
//! `cargo run --release --example staircase -- [--rounds N] [--seed N] [--out FOLDER]`
//!
//! Virtual time: nothing waits. Each figure is the mean of so many rounds, and the same seed gives the same figures. Writes
//! `staircase.md` and its pictures into the folder, `target/herd` unless named. `scripts/demo.sh --scenario layers` plays one
//! round of it through the Node-API module.

mod layers;
#[cfg(test)]
mod tests;

#[path = "../support/chart.rs"]
mod chart;
#[path = "../support/options.rs"]
mod options;
#[allow(dead_code)] // what the tests of virtual time need beside
#[path = "../../tests/support/time.rs"]
mod time;

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use chart::{Chart, Line};
use layers::{CALLS, LAYERS, Layer, climb};
use resilience::InvalidConfig;

const USAGE: &str = "staircase [--rounds 1..=10000] [--seed N] [--out FOLDER]";

/// A failure rate in tenths.
const RATES: std::ops::RangeInclusive<u32> = 0..=10;

fn main() -> Result<(), Box<dyn Error>> {
    let options = options::read(USAGE, &["rounds", "seed", "out"])?;
    let rounds = options.number("rounds", 100, 1..=10_000)?;
    let seed = options.number("seed", 1, 0..=u64::MAX / 2)?;
    let out = options.folder("target/herd")?;
    let layers = LAYERS.map(|(name, layer)| Ok((name, means(layer, rounds, seed)?)));
    let layers: Vec<(&str, Vec<Mean>)> = layers.into_iter().collect::<Result<_, InvalidConfig>>()?;
    let text = markdown(&layers, rounds, seed);
    pictures(&layers, &out)?;
    std::fs::write(out.join("staircase.md"), &text)?;
    println!("{text}");
    Ok(())
}

/// Of the rounds at one failure rate.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Mean {
    answered_percent: f64,
    text_percent: f64,
    wall_seconds: f64,
    calls: f64,
}

fn means(layer: Layer, rounds: u64, seed: u64) -> Result<Vec<Mean>, InvalidConfig> {
    RATES.map(|tenths| mean(layer, f64::from(tenths) / 10.0, rounds, seed)).collect()
}

fn mean(layer: Layer, failure_rate: f64, rounds: u64, seed: u64) -> Result<Mean, InvalidConfig> {
    let seen = (0..rounds).map(|round| climb(layer, failure_rate, seed + round)).collect::<Result<Vec<_>, _>>()?;
    let average = |of: &dyn Fn(&layers::Seen) -> f64| seen.iter().map(of).sum::<f64>() / rounds as f64;
    let percent = |calls: u32| f64::from(calls) * 100.0 / f64::from(CALLS);
    Ok(Mean {
        answered_percent: average(&|seen| percent(seen.answered)),
        text_percent: average(&|seen| percent(seen.text)),
        wall_seconds: average(&|seen| seen.wall.as_secs_f64()),
        calls: average(&|seen| seen.calls as f64),
    })
}

type Figure = (&'static str, &'static str, fn(&Mean) -> f64);

const FIGURES: [Figure; 4] = [
    ("success", "Calls that a model answered, in percent", |mean| mean.answered_percent),
    ("text", "Calls that the fallback text answered, in percent", |mean| mean.text_percent),
    ("wall", "Until all have ended, in seconds", |mean| mean.wall_seconds),
    ("calls", "Calls that the service saw", |mean| mean.calls),
];

fn markdown(layers: &[(&str, Vec<Mean>)], rounds: u64, seed: u64) -> String {
    let mut text = format!(
        "# The staircase of article 004\n\n{CALLS} calls at once, the mean of {rounds} rounds. Made by \
        `cargo run --release --example staircase -- --rounds {rounds} --seed {seed}`.\n"
    );
    for (_, title, figure) in FIGURES {
        _ = write!(text, "\n## {title}\n\n| failing |");
        RATES.for_each(|tenths| _ = write!(text, " {} % |", tenths * 10));
        _ = writeln!(text, "\n|---|{}", "---:|".repeat(RATES.count()));
        for (name, means) in layers {
            let cells: Vec<String> = means.iter().map(|mean| format!("{:.1}", figure(mean))).collect();
            _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
        }
    }
    text
}

fn pictures(layers: &[(&str, Vec<Mean>)], out: &Path) -> Result<(), Box<dyn Error>> {
    for (file, y, figure) in FIGURES {
        let point = |(mean, tenths): (&Mean, u32)| (f64::from(tenths) * 10.0, figure(mean));
        let line = |(name, means): &(&str, Vec<Mean>)| Line {
            name: (*name).to_owned(),
            points: means.iter().zip(RATES).map(point).collect(),
        };
        let lines = layers.iter().map(line).collect();
        let (title, x) = ("20 calls at once, by layer", "percent of the service's answers that fail");
        Chart { title, x, y, logarithmic_from: None, lines }.write(&out.join(format!("staircase-{file}.svg")))?;
    }
    Ok(())
}
