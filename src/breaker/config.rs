use std::ops::RangeInclusive;
use std::time::Duration;

use super::window::WindowConfig;
use crate::backoff::exponential;
use crate::error::{InvalidConfig, duration_in_range, in_range};
use crate::millis::millis;

/// Settings of a [`CircuitBreaker`](super::CircuitBreaker).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BreakerConfig {
    /// Failures in a row that open it. At least 1; default 3. Not looked at where [`window`](Self::window) is set.
    pub failure_threshold: u32,
    /// What happened lately opens it, not failures in a row. Default none: a phone asks too rarely for rates to mean much
    /// (article 003).
    pub window: Option<WindowConfig>,
    /// How long it stays open before a probe may go out. 0 (at once) to 365 days; default 5 s.
    pub cooldown: Duration,
    /// Each cooldown that follows a failed probe is this many times longer. 1 (constant) to 100; default 1.
    pub cooldown_factor: f64,
    /// Longest cooldown that the factor leads to. Not below `cooldown`; default 10 min, or `cooldown` if longer.
    pub max_cooldown: Option<Duration>,
    /// Spreads the cooldown over `[1 − spread, 1 + spread)`, so that devices do not probe together. A Retry-After is spread over
    /// `[1, 1 + spread)`: never earlier than asked. 0 to 1; default 0.
    pub cooldown_spread: f64,
    /// After so long without opening, the next cooldown is the first one again. Default 60 s.
    pub cooldown_reset: Duration,
    /// Longest time for which a Retry-After keeps calls back; a longer one is cut to it, so that a wrong date does not end
    /// all calls for good. 0 (never) to 365 days; default 1 h.
    pub max_retry_after: Duration,
    /// Probes in flight at once while half-open. 1 to 1000; default 1.
    pub half_open_probes: u32,
    /// Probes that must succeed before it closes. 1 to 1000; default 1.
    pub success_threshold: u32,
    /// After so long a probe that has not reported loses its place to the next call. At least 1 ms; default: the longer
    /// of the cooldown and the attempt's own timeout (60 s where the caller has none) plus 1 s for its report.
    pub probe_lease: Option<Duration>,
}

impl Default for BreakerConfig {
    fn default() -> Self {
        Self {
            failure_threshold: 3,
            window: None,
            cooldown: Duration::from_secs(5),
            cooldown_factor: 1.0,
            max_cooldown: None,
            cooldown_spread: 0.0,
            cooldown_reset: Duration::from_secs(60),
            max_retry_after: Duration::from_secs(3_600),
            half_open_probes: 1,
            success_threshold: 1,
            probe_lease: None,
        }
    }
}

impl BreakerConfig {
    pub(crate) const FAILURE_THRESHOLD: RangeInclusive<u32> = 1..=u32::MAX;
    pub(crate) const COOLDOWN_FACTOR: RangeInclusive<f64> = 1.0..=100.0;
    pub(crate) const COOLDOWN_SPREAD: RangeInclusive<f64> = 0.0..=1.0;
    pub(crate) const PROBES: RangeInclusive<u32> = 1..=1_000;

    /// Checks the settings.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn validate(&self) -> Result<(), InvalidConfig> {
        in_range("failureThreshold", self.failure_threshold, Self::FAILURE_THRESHOLD)?;
        self.window.as_ref().map_or(Ok(()), WindowConfig::validate)?;
        duration_in_range("cooldownMs", self.cooldown, Duration::ZERO)?;
        in_range("cooldownFactor", self.cooldown_factor, Self::COOLDOWN_FACTOR)?;
        if let Some(max) = self.max_cooldown {
            duration_in_range("maxCooldownMs", max, self.cooldown)?;
        }
        in_range("cooldownSpread", self.cooldown_spread, Self::COOLDOWN_SPREAD)?;
        duration_in_range("cooldownResetMs", self.cooldown_reset, Duration::ZERO)?;
        duration_in_range("maxRetryAfterMs", self.max_retry_after, Duration::ZERO)?;
        in_range("halfOpenProbes", self.half_open_probes, Self::PROBES)?;
        in_range("successThreshold", self.success_threshold, Self::PROBES)?;
        if let Some(lease) = self.probe_lease {
            duration_in_range("probeLeaseMs", lease, Duration::from_millis(1))?;
        }
        Ok(())
    }

    /// How long calls are kept back that a service does not want for `wait`. `chance` in `[0, 1)` spreads it.
    pub(super) fn held_back(&self, wait: Duration, chance: f64) -> Duration {
        let wait = wait.min(self.max_retry_after);
        wait.mul_f64(1.0 + self.cooldown_spread * chance).max(wait).min(self.max_retry_after)
    }

    /// The cooldown after `reopened` failed probes in a row. `chance` in `[0, 1)` spreads it.
    pub(super) fn cooldown_after(&self, reopened: u32, chance: f64) -> Duration {
        let max = self.max_cooldown.unwrap_or(Duration::from_secs(600)).max(self.cooldown);
        let grown = exponential(millis(self.cooldown), self.cooldown_factor, reopened.saturating_add(1));
        let spread = 1.0 - self.cooldown_spread + 2.0 * self.cooldown_spread * chance;
        // The cap is of the grown cooldown; jitter spreads around it, so that capped devices stay apart too.
        Duration::from_secs_f64(grown.min(millis(max)) * spread / 1e3)
    }
}
