use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::bulkhead::Bulkhead;
use super::config::{BulkheadConfig, Preset};
use super::state::BulkheadStats;
use crate::clock::{Clock, SystemClock};
use crate::registry::{Registry, RegistryError};

/// Named bulkheads: whoever asks by the same name shares the same one.
///
/// ```
/// use resilience::bulkhead::{BulkheadManager, Preset};
///
/// let manager = BulkheadManager::new();
/// let (bulkhead, _) = manager.preset(Preset::PremiumModel)?;
/// let _permit = bulkhead.try_acquire()?;
/// assert_eq!(manager.total_stats()["premium-model"].running, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BulkheadManager {
    bulkheads: Registry<Bulkhead>,
    clock: Arc<dyn Clock + Send + Sync>,
}

impl BulkheadManager {
    /// None yet; they will run on the system's clock.
    pub fn new() -> Self {
        Self::with_clock(Arc::new(SystemClock))
    }

    /// None yet; they will run on this clock.
    pub fn with_clock(clock: Arc<dyn Clock + Send + Sync>) -> Self {
        Self { bulkheads: Registry::new(), clock }
    }

    /// That of the process: its bulkheads are those of [`registry`], which the [metrics](crate::metrics) tell of.
    pub fn shared() -> &'static Self {
        &SHARED
    }

    /// The bulkhead of that name, and whether its settings are others than `config`. It is made if there is none.
    ///
    /// # Errors
    /// [`RegistryError`]: bad settings, a bad name, or too many that are in use.
    pub fn get_or_create(&self, name: &str, config: BulkheadConfig) -> Result<(Arc<Bulkhead>, bool), RegistryError> {
        let create = |config| Bulkhead::with_clock(config, self.clock.clone());
        self.bulkheads.get_or_create_with(name, config, create)
    }

    /// The bulkhead of a preset, under the preset's own name.
    ///
    /// # Errors
    /// [`RegistryError`]: too many are in use.
    pub fn preset(&self, preset: Preset) -> Result<(Arc<Bulkhead>, bool), RegistryError> {
        self.get_or_create(preset.name(), BulkheadConfig::preset(preset))
    }

    /// The bulkhead of that name, if there is one.
    pub fn get(&self, name: &str) -> Option<Arc<Bulkhead>> {
        self.bulkheads.get(name)
    }

    /// Forgets a bulkhead. Calls in it and in its queue go on; whoever asks for the name next gets a new one.
    pub fn remove(&self, name: &str) -> Option<Arc<Bulkhead>> {
        self.bulkheads.remove(name)
    }

    /// What each of them has seen, by name.
    pub fn total_stats(&self) -> BTreeMap<String, BulkheadStats> {
        self.bulkheads.snapshot().into_iter().map(|(name, bulkhead)| (name, bulkhead.stats())).collect()
    }
}

impl Default for BulkheadManager {
    fn default() -> Self {
        Self::new()
    }
}

static SHARED: LazyLock<BulkheadManager> = LazyLock::new(BulkheadManager::new);

/// All bulkheads that were asked for by name, whoever asked, on whatever thread.
pub fn registry() -> &'static Registry<Bulkhead> {
    &SHARED.bulkheads
}
