//! Any sequence of calls, results, waits and switches: the breaker does what the naive model of `tests/properties` does.

use arbitrary::{Result, Unstructured};

use super::draw::{maybe, rest};
use super::pairs::breaker_model::{Report, Settings, Switch};
use super::pairs::breaker_pair::{Step, play};

const MOST_STEPS: usize = 100;

pub fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    if let Ok(settings) = settings(&mut input) {
        play(settings, rest(&mut input, MOST_STEPS, step));
    }
}

fn settings(input: &mut Unstructured<'_>) -> Result<Settings> {
    let cooldown = millis(input)?;
    Ok(Settings {
        threshold: input.int_in_range(1..=4)?,
        cooldown,
        factor: input.int_in_range(1..=3)?,
        max_cooldown: cooldown + millis(input)?,
        cooldown_reset: millis(input)?,
        max_retry_after: millis(input)?,
        probes: input.int_in_range(1..=3)?,
        success_threshold: input.int_in_range(1..=3)?,
        probe_lease: maybe(input, |input| Ok(millis(input)?.max(1)))?,
    })
}

fn step(input: &mut Unstructured<'_>) -> Result<Step> {
    Ok(match input.int_in_range(0..=20)? {
        0..=4 => Step::Wait(millis(input)?),
        5..=11 => Step::Admit { timeout: millis(input)? },
        12..=19 => Step::Report(input.arbitrary::<u8>()?.into(), report(input)?),
        _ => Step::Switch(*input.choose(&[Switch::Isolate, Switch::ForceClosed, Switch::Reset])?),
    })
}

fn report(input: &mut Unstructured<'_>) -> Result<Report> {
    Ok(match input.int_in_range(0..=6)? {
        0..=1 => Report::Success,
        2..=5 => Report::Failure { retry_after: asked(input)?, open_for: maybe(input, asked)? },
        _ => Report::Neutral,
    })
}

/// Mostly nothing: what a service seldom asks for.
fn asked(input: &mut Unstructured<'_>) -> Result<u64> {
    if input.ratio(1, 4)? { millis(input) } else { Ok(0) }
}

/// One byte as often as two, so that equal times come up.
fn millis(input: &mut Unstructured<'_>) -> Result<u64> {
    let short: u8 = input.arbitrary()?;
    Ok(if short < 128 { u64::from(short) } else { input.arbitrary::<u16>()?.into() })
}
