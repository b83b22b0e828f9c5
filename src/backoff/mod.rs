//! How long to wait before the next attempt.
//!
//! The wait grows exponentially (`base · factor^(attempt − 1)`, attempts counted from 1) up to a hard cap, and jitter
//! spreads it so that devices which failed together do not come back together. The cap holds for the jittered wait
//! and jitter survives at the cap: no [`Jitter`] but `None` makes all devices end up waiting exactly the maximum.
//!
//! Computed in floating point and capped before it is turned into a [`Duration`], so that no attempt number overflows;
//! whole milliseconds, rounded down.

mod config;
mod jitter;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use config::BackoffConfig;
pub use jitter::Jitter;

use crate::random::{Rng, draw, unit};

/// A checked backoff policy. Build it with [`BackoffConfig::build`].
///
/// ```
/// use resilience::backoff::{BackoffConfig, Jitter};
/// use std::time::Duration;
///
/// let backoff = BackoffConfig { jitter: Jitter::None, ..Default::default() }.build()?;
/// let mut delays = backoff.delays();
/// let waits: Vec<u128> = (0..4).map(|_| delays.next(&backoff, &|| 0.5).as_millis()).collect();
/// assert_eq!(waits, [500, 1_000, 2_000, 4_000]);
/// # Ok::<(), resilience::InvalidConfig>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Backoff {
    config: BackoffConfig,
    base_ms: f64,
    max_ms: f64,
}

impl Backoff {
    /// The waits of one call, from the first retry on.
    pub fn delays(&self) -> Delays {
        Delays { raw_ms: self.base_ms, previous_ms: self.base_ms }
    }

    /// The settings it was built from.
    pub fn config(&self) -> &BackoffConfig {
        &self.config
    }
}

/// Where one call stands in its backoff.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delays {
    /// The next wait, before cap and jitter: may be infinite, never NaN.
    raw_ms: f64,
    /// Only decorrelated jitter remembers it.
    previous_ms: f64,
}

impl Delays {
    /// The wait after one more failed attempt.
    pub fn next(&mut self, backoff: &Backoff, rng: &(impl Rng + ?Sized)) -> Duration {
        let Backoff { config: BackoffConfig { factor, jitter, max_delay, .. }, base_ms, max_ms } = *backoff;
        let drawn = if jitter == Jitter::None { 0.0 } else { draw(rng) };
        let delay = jitter.apply(self.raw_ms, base_ms, max_ms, self.previous_ms, drawn);
        self.raw_ms *= factor;
        self.previous_ms = delay;
        // As a number the cap may be rounded up: a hundred days in nanoseconds have more digits than it holds.
        Duration::from_millis(delay as u64).min(max_delay)
    }
}

/// `base · factor^(attempt − 1)` in milliseconds, not capped: may be infinite, never NaN. `attempt` counts from 1.
pub(crate) fn exponential(base_ms: f64, factor: f64, attempt: u32) -> f64 {
    if base_ms == 0.0 { 0.0 } else { base_ms * factor.powf(f64::from(attempt.saturating_sub(1))) }
}

/// The calculator of article 000: `floor(base · factor^(attempt − 1) · jitter)`, jitter in `[0.5, 1.5)`, no cap but
/// the largest integer that ArkTS counts exactly (2⁵³ − 1).
///
/// The caller vouches for `attempt ≥ 1`, `base_ms ≥ 0` and `factor ≥ 1`, all finite.
///
/// ```
/// use resilience::backoff::multiplicative_delay_ms;
///
/// assert_eq!(multiplicative_delay_ms(3, 100.0, 2.0, 0.5), 400.0);
/// ```
pub fn multiplicative_delay_ms(attempt: u32, base_ms: f64, factor: f64, drawn: f64) -> f64 {
    const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;
    (exponential(base_ms, factor, attempt) * (0.5 + unit(drawn))).floor().min(MAX_SAFE_INTEGER)
}
