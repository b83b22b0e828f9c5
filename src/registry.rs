//! Named instances that all threads share: breakers, bulkheads. Bounded, whatever the names are made of.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::error::{InvalidConfig, in_range};

/// What a [`Registry`] can hold.
pub trait Registered: Sized {
    /// Its settings.
    type Config: Clone + PartialEq;

    /// A new one.
    ///
    /// # Errors
    /// [`InvalidConfig`] for settings that are not allowed.
    fn create(config: Self::Config) -> Result<Self, InvalidConfig>;

    /// The settings it was made with.
    fn config(&self) -> Self::Config;

    /// Whether it can be forgotten: nobody is in it, and a new one of the same settings would behave the same. Asked when
    /// room is needed, outside any lock.
    fn is_idle(&self) -> bool;
}

/// Why there is no instance of a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The name or the settings are not allowed.
    #[error(transparent)]
    InvalidConfig(#[from] InvalidConfig),
    /// As many names as may be, all of them in use.
    #[error("{limit} names are in use, which is the limit")]
    Full {
        /// How many it holds at the most.
        limit: usize,
    },
}

/// Most characters of a name.
const MAX_NAME: usize = 100;

/// Instances by name. Whoever asks by the same name gets the same one.
///
/// When there are as many as may be, the one that was asked for the longest ago goes, of those that are
/// [idle](Registered::is_idle) and that nobody else keeps an [`Arc`] of: two of one name would let twice as much through.
///
/// ```
/// use resilience::bulkhead::{Bulkhead, BulkheadConfig};
/// use resilience::registry::Registry;
/// use std::sync::Arc;
///
/// let bulkheads = Registry::<Bulkhead>::new();
/// let (first, _) = bulkheads.get_or_create("model-a", BulkheadConfig::default())?;
/// let other = BulkheadConfig { max_concurrent: 1, ..Default::default() };
/// let (second, config_mismatch) = bulkheads.get_or_create("model-a", other)?;
/// assert!(Arc::ptr_eq(&first, &second) && config_mismatch);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Registry<T> {
    limit: usize,
    entries: Mutex<Entries<T>>,
}

struct Entries<T> {
    by_name: BTreeMap<String, Entry<T>>,
    /// Counts the uses: the larger, the later.
    uses: u64,
}

struct Entry<T> {
    instance: Arc<T>,
    used: u64,
}

impl<T: Registered> Registry<T> {
    /// For at most 500 names.
    pub fn new() -> Self {
        Self { limit: 500, entries: Mutex::new(Entries { by_name: BTreeMap::new(), uses: 0 }) }
    }

    /// For at most `limit` names, 1 to 100 000.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a limit outside that range.
    pub fn with_limit(limit: usize) -> Result<Self, InvalidConfig> {
        in_range("limit", limit, 1..=100_000)?;
        Ok(Self { limit, ..Self::new() })
    }

    /// The instance of that name, and whether its settings are others than `config` (`configMismatch`). It is made if
    /// there is none. A name has 1 to 100 characters.
    ///
    /// # Errors
    /// [`RegistryError`]: bad settings, a bad name, or too many that are in use.
    pub fn get_or_create(&self, name: &str, config: T::Config) -> Result<(Arc<T>, bool), RegistryError> {
        self.get_or_create_with(name, config, T::create)
    }

    /// As [`get_or_create`](Self::get_or_create), made in a way of one's own: with another clock, say.
    ///
    /// # Errors
    /// [`RegistryError`]: what `create` says, a bad name, or too many that are in use.
    pub fn get_or_create_with(
        &self,
        name: &str,
        config: T::Config,
        create: impl FnOnce(T::Config) -> Result<T, InvalidConfig>,
    ) -> Result<(Arc<T>, bool), RegistryError> {
        if !(1..=MAX_NAME).contains(&name.chars().take(MAX_NAME + 1).count()) {
            return Err(InvalidConfig::new("name", name, format!("1 to {MAX_NAME} characters")).into());
        }
        let found = match self.get(name) {
            Some(found) => found,
            // Made outside the lock: `create` may ask this registry. What comes first under one name stays.
            None => self.insert(name, Arc::new(create(config.clone())?))?,
        };
        let config_mismatch = found.config() != config;
        Ok((found, config_mismatch))
    }

    /// The instance of that name, if there is one.
    pub fn get(&self, name: &str) -> Option<Arc<T>> {
        self.entries().get(name)
    }

    /// Forgets an instance. Whoever has it keeps it; whoever asks for the name next gets a new one.
    pub fn remove(&self, name: &str) -> Option<Arc<T>> {
        self.entries().by_name.remove(name).map(|entry| entry.instance)
    }

    /// All instances, sorted by name. Counts as no use.
    pub fn snapshot(&self) -> Vec<(String, Arc<T>)> {
        let entries = self.entries();
        entries.by_name.iter().map(|(name, entry)| (name.clone(), entry.instance.clone())).collect()
    }

    /// How many names it holds.
    pub fn len(&self) -> usize {
        self.entries().by_name.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts `instance` in, or gives the one that is there by now.
    fn insert(&self, name: &str, instance: Arc<T>) -> Result<Arc<T>, RegistryError> {
        loop {
            {
                let mut entries = self.entries();
                if let Some(earlier) = entries.get(name) {
                    return Ok(earlier);
                }
                if entries.by_name.len() < self.limit {
                    entries.uses += 1;
                    let entry = Entry { instance: instance.clone(), used: entries.uses };
                    entries.by_name.insert(name.to_owned(), entry);
                    return Ok(instance);
                }
            }
            if !self.evict() {
                return Err(RegistryError::Full { limit: self.limit });
            }
        }
    }

    /// Makes room for one. False: all are in use.
    fn evict(&self) -> bool {
        let evicted = self.unshared().into_iter().find_map(|(used, name, instance)| {
            // Asked outside the lock, without keeping it: it may read a clock of the app.
            let is_idle = instance.upgrade().is_some_and(|instance| instance.is_idle());
            is_idle.then(|| self.entries().remove_unused_since(&name, used))?
        });
        evicted.is_some()
    }

    /// What only the registry itself keeps, the one that was used the longest ago first.
    fn unshared(&self) -> Vec<(u64, String, Weak<T>)> {
        let entries = self.entries();
        let unshared = entries.by_name.iter().filter(|(_, entry)| Arc::strong_count(&entry.instance) == 1);
        let mut unshared: Vec<_> =
            unshared.map(|(name, entry)| (entry.used, name.clone(), Arc::downgrade(&entry.instance))).collect();
        unshared.sort_unstable_by_key(|&(used, ..)| used);
        unshared
    }

    fn entries(&self) -> MutexGuard<'_, Entries<T>> {
        // Nothing panics under this lock, so there is no half-made change to fear.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Entries<T> {
    fn get(&mut self, name: &str) -> Option<Arc<T>> {
        let entry = self.by_name.get_mut(name)?;
        self.uses += 1;
        entry.used = self.uses;
        Some(entry.instance.clone())
    }

    /// The entry, unless it has been asked for since or somebody keeps it.
    fn remove_unused_since(&mut self, name: &str, used: u64) -> Option<Entry<T>> {
        let entry = self.by_name.get(name)?;
        if entry.used != used || Arc::strong_count(&entry.instance) > 1 {
            return None;
        }
        self.by_name.remove(name)
    }
}

impl<T: Registered> Default for Registry<T> {
    fn default() -> Self {
        Self::new()
    }
}
