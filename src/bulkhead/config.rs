use std::ops::RangeInclusive;
use std::time::Duration;

use crate::error::{InvalidConfig, duration_in_range, in_range};

/// Settings of a [`Bulkhead`](super::Bulkhead).
///
/// ```
/// use resilience::bulkhead::{BulkheadConfig, Preset};
///
/// assert_eq!(BulkheadConfig::preset(Preset::FreeTier).max_concurrent, 2);
/// let error = BulkheadConfig { max_concurrent: 0, ..Default::default() }.validate().unwrap_err();
/// assert_eq!(error.to_string(), "maxConcurrent: got 0, allowed: a finite number from 1 to 100000");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BulkheadConfig {
    /// Calls that run at once: its places. 1 to 100 000; default 20.
    pub max_concurrent: u32,
    /// Calls that wait at once for a place. 0 (none waits) to 100 000; default 1000.
    pub max_queue: u32,
    /// How long a call waits at the most. 0 (none waits) to 365 days; default: as long as the caller allows.
    pub max_wait: Option<Duration>,
    /// Time from one start to the next (bottleneck's `minTime`). 0 to 365 days; default 0.
    pub min_spacing: Duration,
    /// Bounds how many calls start in a time; default: nothing does.
    pub reservoir: Option<ReservoirConfig>,
    /// How long work that its caller has left keeps its place, see [`Hold`](super::Hold). 0 to 365 days; default 30 s.
    pub overrun_grace: Duration,
}

/// Tokens: each start takes one.
///
/// The window slides: a token comes back `refresh_interval` after its use, so that in any interval at most
/// `refresh_amount` calls start. A counter that is filled up every so often lets twice as many through around that
/// moment. What `size` has above `refresh_amount` is spent first and once; what it lacks is there one interval after the
/// bulkhead was made.
///
/// ```
/// use resilience::bulkhead::ReservoirConfig;
/// use std::time::Duration;
///
/// // Ten calls a minute, in any minute.
/// let free_tier =
///     ReservoirConfig { size: 10, refresh_amount: 10, refresh_interval: Some(Duration::from_secs(60)) };
/// # let _ = free_tier;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservoirConfig {
    /// Tokens at the beginning. 0 to 100 000.
    pub size: u32,
    /// Starts in any interval. 0 (no token comes back) to 100 000. Says nothing without `refresh_interval`.
    pub refresh_amount: u32,
    /// After so long a used token comes back. 1 ms to 365 days; `None`: never.
    pub refresh_interval: Option<Duration>,
}

impl Default for BulkheadConfig {
    fn default() -> Self {
        Self {
            max_concurrent: 20,
            max_queue: 1_000,
            max_wait: None,
            min_spacing: Duration::ZERO,
            reservoir: None,
            overrun_grace: Duration::from_secs(30),
        }
    }
}

impl BulkheadConfig {
    /// Range of [`max_concurrent`](Self::max_concurrent).
    pub(crate) const PLACES: RangeInclusive<u32> = 1..=100_000;
    /// Range of waiting calls and of tokens.
    pub(crate) const COUNT: RangeInclusive<u32> = 0..=100_000;

    /// The settings of article 004 for a kind of model.
    pub fn preset(preset: Preset) -> Self {
        let (max_concurrent, spacing_ms) = match preset {
            Preset::PremiumModel => (5, 200),
            Preset::StandardModel => (20, 50),
            Preset::EconomyModel => (30, 30),
            Preset::FreeTier => (2, 1_000),
        };
        let reservoir = (preset == Preset::FreeTier).then_some(ReservoirConfig {
            size: 10,
            refresh_amount: 10,
            refresh_interval: Some(Duration::from_secs(60)),
        });
        Self { max_concurrent, min_spacing: Duration::from_millis(spacing_ms), reservoir, ..Self::default() }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn validate(&self) -> Result<(), InvalidConfig> {
        in_range("maxConcurrent", self.max_concurrent, Self::PLACES)?;
        in_range("maxQueue", self.max_queue, Self::COUNT)?;
        if let Some(max_wait) = self.max_wait {
            duration_in_range("maxWaitMs", max_wait, Duration::ZERO)?;
        }
        duration_in_range("minSpacingMs", self.min_spacing, Duration::ZERO)?;
        if let Some(reservoir) = self.reservoir {
            in_range("reservoir.size", reservoir.size, Self::COUNT)?;
            in_range("reservoir.refreshAmount", reservoir.refresh_amount, Self::COUNT)?;
            if let Some(interval) = reservoir.refresh_interval {
                duration_in_range("reservoir.refreshIntervalMs", interval, Duration::from_millis(1))?;
            }
        }
        duration_in_range("overrunGraceMs", self.overrun_grace, Duration::ZERO)
    }
}

/// The bulkheads of article 004, one for each kind of model.
///
/// ```
/// use resilience::bulkhead::Preset;
///
/// assert_eq!(Preset::from_name("free-tier"), Some(Preset::FreeTier));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Preset {
    /// 5 at once, 200 ms apart.
    PremiumModel,
    /// 20 at once, 50 ms apart.
    StandardModel,
    /// 30 at once, 30 ms apart.
    EconomyModel,
    /// 2 at once, 1 s apart, 10 in any minute.
    FreeTier,
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::PremiumModel, Self::StandardModel, Self::EconomyModel, Self::FreeTier];

    /// The name of its bulkhead: `premium-model`, `standard-model`, `economy-model` or `free-tier`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PremiumModel => "premium-model",
            Self::StandardModel => "standard-model",
            Self::EconomyModel => "economy-model",
            Self::FreeTier => "free-tier",
        }
    }

    /// The preset of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }
}
