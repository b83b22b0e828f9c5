use std::ops::RangeInclusive;
use std::time::Duration;

use super::{Backoff, Jitter};
use crate::error::{InvalidConfig, duration_in_range, in_range};
use crate::millis::millis;

/// Settings of a [`Backoff`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BackoffConfig {
    /// Wait before the first retry, before jitter. 0 to 365 days; default 500 ms.
    pub base: Duration,
    /// What each further wait is multiplied with. 1 to 1000; default 2.
    pub factor: f64,
    /// Hard cap of a wait, jitter included. Not below `base`, at most 365 days; default 30 s.
    pub max_delay: Duration,
    /// How waits are spread; default [`Jitter::MULTIPLICATIVE`].
    pub jitter: Jitter,
}

impl Default for BackoffConfig {
    fn default() -> Self {
        Self {
            base: Duration::from_millis(500),
            factor: 2.0,
            max_delay: Duration::from_secs(30),
            jitter: Jitter::MULTIPLICATIVE,
        }
    }
}

impl BackoffConfig {
    pub(crate) const FACTOR: RangeInclusive<f64> = 1.0..=1_000.0;
    pub(crate) const SPREAD: RangeInclusive<f64> = 0.0..=1.0;

    /// Checks the settings.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn build(self) -> Result<Backoff, InvalidConfig> {
        duration_in_range("baseMs", self.base, Duration::ZERO)?;
        in_range("factor", self.factor, Self::FACTOR)?;
        duration_in_range("maxMs", self.max_delay, self.base)?;
        match self.jitter {
            Jitter::Multiplicative { spread } => in_range("jitterSpread", spread, Self::SPREAD)?,
            Jitter::Additive { max } if max > self.max_delay => {
                return Err(InvalidConfig::new("jitterMs", max.as_millis(), "a finite number from 0 to maxMs"));
            }
            _ => {}
        }
        Ok(Backoff { config: self, base_ms: millis(self.base), max_ms: millis(self.max_delay) })
    }
}
