//! Any sequence of calls, waits, cancels and drops: the bulkhead does what the naive model of `tests/properties` does.

use arbitrary::{Result, Unstructured};

use super::draw::{maybe, rest};
use super::pairs::bulkhead_model::Settings;
use super::pairs::bulkhead_pair::{Step, play};

const MOST_STEPS: usize = 60;

pub fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    if let Ok(settings) = settings(&mut input) {
        play(settings, rest(&mut input, MOST_STEPS, step));
    }
}

/// All times are even, limits are odd: no wait ends at the very moment at which it could start, where both are right.
fn even(input: &mut Unstructured<'_>, most: u64) -> Result<u64> {
    Ok(2 * input.int_in_range(0..=most)?)
}

fn limit(input: &mut Unstructured<'_>) -> Result<u64> {
    Ok(even(input, 40)? + 1)
}

fn settings(input: &mut Unstructured<'_>) -> Result<Settings> {
    Ok(Settings {
        places: input.int_in_range(1..=3)?,
        queue: input.int_in_range(0..=5)?,
        max_wait: maybe(input, limit)?,
        spacing: even(input, 15)?,
        reservoir: maybe(input, |input| {
            let interval = maybe(input, |input| Ok(even(input, 60)? + 2))?;
            Ok((input.int_in_range(0..=5)?, input.int_in_range(0..=5)?, interval))
        })?,
        grace: even(input, 25)?,
    })
}

fn step(input: &mut Unstructured<'_>) -> Result<Step> {
    let which = |input: &mut Unstructured<'_>| Ok(usize::from(input.arbitrary::<u8>()?));
    Ok(match input.int_in_range(0..=24)? {
        0..=5 => Step::Wait(even(input, 15)?),
        6..=13 => Step::Acquire(maybe(input, limit)?),
        14 => Step::TryAcquire,
        15 => Step::Cancel(which(input)?),
        16 => Step::DropWait(which(input)?),
        17..=20 => Step::Release(which(input)?),
        21..=22 => Step::Hold(which(input)?),
        _ => Step::DropHold(which(input)?),
    })
}
