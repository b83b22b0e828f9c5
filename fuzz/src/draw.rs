//! Values out of the bytes of an input, those around the limits of settings more often than others.

use std::time::Duration;

use arbitrary::{Result, Unstructured};
use resilience::MAX_DURATION;

/// Any number: also NaN and the infinities.
pub fn number(input: &mut Unstructured<'_>) -> Result<f64> {
    const EDGES: [f64; 20] = [
        0.0,
        -0.0,
        -1.0,
        f64::MIN_POSITIVE,
        5e-324,
        0.1,
        0.5,
        1.0 - f64::EPSILON,
        1.0,
        1.0 + f64::EPSILON,
        2.0,
        100.0,
        100.1,
        1_000.0,
        1_000.5,
        10_000.0,
        1e300,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    if input.ratio(1, 4)? { input.arbitrary() } else { input.choose(&EDGES).copied() }
}

pub fn count(input: &mut Unstructured<'_>) -> Result<u32> {
    const EDGES: [u32; 14] = [0, 1, 2, 3, 10, 20, 21, 99, 100, 101, 1_000, 1_001, 10_000, u32::MAX];
    if input.ratio(1, 4)? { input.arbitrary() } else { input.choose(&EDGES).copied() }
}

pub fn size(input: &mut Unstructured<'_>) -> Result<usize> {
    Ok(if input.ratio(1, 8)? { usize::MAX } else { count(input)? as usize })
}

/// A time in whole nanoseconds, from none to longer than any clock goes.
pub fn time(input: &mut Unstructured<'_>) -> Result<Duration> {
    const YEAR: Duration = MAX_DURATION;
    const NANO: Duration = Duration::from_nanos(1);
    const EDGES: [Duration; 10] = [
        Duration::ZERO,
        NANO,
        Duration::from_nanos(999_999),
        Duration::from_millis(1),
        Duration::from_nanos(1_000_001),
        Duration::from_secs(1),
        YEAR.saturating_sub(NANO),
        YEAR,
        YEAR.saturating_add(NANO),
        Duration::MAX,
    ];
    Ok(match input.int_in_range(0..=7)? {
        0..=2 => *input.choose(&EDGES)?,
        3..=5 => Duration::from_millis(input.arbitrary::<u16>()?.into()),
        6 => Duration::from_nanos(input.arbitrary()?),
        _ => Duration::from_secs(input.arbitrary()?),
    })
}

/// Something, or nothing.
pub fn maybe<T>(
    input: &mut Unstructured<'_>,
    draw: impl FnOnce(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Option<T>> {
    if input.arbitrary()? { draw(input).map(Some) } else { Ok(None) }
}

/// What `draw` makes of the rest of the input, at most `most` times.
pub fn rest<T>(input: &mut Unstructured<'_>, most: usize, draw: impl Fn(&mut Unstructured<'_>) -> Result<T>) -> Vec<T> {
    let mut drawn = Vec::new();
    while !input.is_empty() && drawn.len() < most {
        let Ok(next) = draw(input) else { break };
        drawn.push(next);
    }
    drawn
}

/// Up to `most`, with bytes left for what follows.
pub fn several<T>(
    input: &mut Unstructured<'_>,
    most: usize,
    draw: impl Fn(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    (0..input.int_in_range(0..=most)?).map(|_| draw(input)).collect()
}
