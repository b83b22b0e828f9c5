//! Named instances that all threads share: breakers, bulkheads. Bounded, whatever the names are made of.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use crate::error::{InvalidConfig, in_range};
use crate::lock::lock;
use crate::sync::{Mutex, MutexGuard};

/// What a [`Registry`] can hold.
pub trait Registered: Sized {
    /// Its settings.
    type Config: Clone + PartialEq;

    /// A new one.
    ///
    /// # Errors
    /// [`InvalidConfig`] for settings that are not allowed.
    fn create(config: Self::Config) -> Result<Self, InvalidConfig>;

    /// The name that it is asked for by, once it is made. For its log lines, say.
    fn registered_as(&self, _name: &str) {}

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

impl RegistryError {
    /// As the error of a setting `name`, for what is made with a name among other settings.
    pub fn into_invalid_config(self, name: &str) -> InvalidConfig {
        match self {
            Self::InvalidConfig(error) => error,
            Self::Full { limit } => {
                let allowed = format!("one of the {limit} names that are in use, which is the limit");
                InvalidConfig::new("name", format!("'{name}'"), allowed)
            }
        }
    }
}

/// Most characters of a name.
pub const MAX_NAME: usize = 100;

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
            None => {
                let made = create(config.clone())?;
                made.registered_as(name);
                self.insert(name, Arc::new(made))?
            }
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
        let evicted = self.unshared().into_iter().find_map(|(used, instance)| {
            // Asked outside the lock, without keeping it: it may read a clock of the app.
            let is_idle = instance.upgrade().is_some_and(|instance| instance.is_idle());
            is_idle.then(|| self.entries().remove_unused_since(used))?
        });
        evicted.is_some()
    }

    /// What only the registry itself keeps, by its last use, the one that was used the longest ago first.
    fn unshared(&self) -> Vec<(u64, Weak<T>)> {
        let entries = self.entries();
        let unshared = entries.by_name.values().filter(|entry| Arc::strong_count(&entry.instance) == 1);
        let mut unshared: Vec<_> = unshared.map(|entry| (entry.used, Arc::downgrade(&entry.instance))).collect();
        unshared.sort_unstable_by_key(|&(used, _)| used);
        unshared
    }

    fn entries(&self) -> MutexGuard<'_, Entries<T>> {
        lock(&self.entries)
    }
}

impl<T> Entries<T> {
    fn get(&mut self, name: &str) -> Option<Arc<T>> {
        let entry = self.by_name.get_mut(name)?;
        self.uses += 1;
        entry.used = self.uses;
        Some(entry.instance.clone())
    }

    /// The entry whose last use that was, unless somebody keeps it by now.
    fn remove_unused_since(&mut self, used: u64) -> Option<Entry<T>> {
        let mut entries = self.by_name.iter();
        let (name, _) = entries.find(|(_, entry)| entry.used == used && Arc::strong_count(&entry.instance) == 1)?;
        let name = name.clone();
        self.by_name.remove(&name)
    }
}

impl<T: Registered> Default for Registry<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    static CREATED: AtomicU32 = AtomicU32::new(0);

    type Callback = Box<dyn FnOnce() + Send>;

    /// Idle unless told otherwise.
    struct Instance {
        config: u32,
        busy: AtomicBool,
        /// Called when it is asked.
        asked: Mutex<Option<Callback>>,
    }

    impl std::fmt::Debug for Instance {
        fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.config.fmt(formatter)
        }
    }

    impl Registered for Instance {
        type Config = u32;

        fn create(config: u32) -> Result<Self, InvalidConfig> {
            in_range("number", config, 0..=10)?;
            CREATED.fetch_add(1, Ordering::SeqCst);
            Ok(Self { config, busy: AtomicBool::new(false), asked: Mutex::default() })
        }

        fn config(&self) -> u32 {
            self.config
        }

        fn is_idle(&self) -> bool {
            lock(&self.asked).take().into_iter().for_each(|asked| asked());
            !self.busy.load(Ordering::SeqCst)
        }
    }

    fn names(registry: &Registry<Instance>) -> Vec<String> {
        registry.snapshot().into_iter().map(|(name, _)| name).collect()
    }

    fn ask(registry: &Registry<Instance>, name: &str) -> Arc<Instance> {
        registry.get_or_create(name, 1).unwrap().0
    }

    #[test]
    fn the_one_not_asked_for_the_longest_goes_first() {
        let registry = Registry::with_limit(3).unwrap();
        ["a", "b", "c"].into_iter().for_each(|name| drop(ask(&registry, name)));
        registry.get("a");
        drop(registry.snapshot());
        ask(&registry, "d");
        assert_eq!(names(&registry), ["a", "c", "d"], "b was the oldest; a snapshot is no use");
        ask(&registry, "c");
        ask(&registry, "e");
        assert_eq!(names(&registry), ["c", "d", "e"]);
    }

    #[test]
    fn what_is_busy_or_kept_stays_and_a_full_registry_says_so() {
        let registry = Registry::with_limit(2).unwrap();
        let kept = ask(&registry, "kept");
        ask(&registry, "busy").busy.store(true, Ordering::SeqCst);
        let error = registry.get_or_create("new", 1).unwrap_err();
        assert_eq!(error, RegistryError::Full { limit: 2 });
        assert_eq!(error.to_string(), "2 names are in use, which is the limit");
        assert!(Arc::ptr_eq(&kept, &ask(&registry, "kept")));
        drop(kept);
        ask(&registry, "new");
        assert_eq!(names(&registry), ["busy", "new"]);
        ask(&registry, "busy").busy.store(false, Ordering::SeqCst);
        ask(&registry, "new");
        ask(&registry, "newer");
        assert_eq!(names(&registry), ["new", "newer"]);
    }

    #[test]
    fn what_somebody_takes_while_it_is_asked_stays() {
        let registry = Arc::new(Registry::with_limit(1).unwrap());
        let taken = Arc::new(Mutex::new(Vec::new()));
        let (other, take) = (registry.clone(), taken.clone());
        *lock(&ask(&registry, "a").asked) = Some(Box::new(move || lock(&take).extend(other.snapshot())));
        assert_eq!(registry.get_or_create("b", 1).unwrap_err(), RegistryError::Full { limit: 1 });
        lock(&taken).clear();
        ask(&registry, "b");
        assert_eq!(names(&registry), ["b"]);
    }

    #[test]
    fn names_and_limits_have_their_ranges() {
        let registry = Registry::<Instance>::new();
        for name in ["a".to_owned(), "名".repeat(100), " ".to_owned()] {
            assert!(registry.get_or_create(&name, 1).is_ok(), "{name}");
        }
        for name in [String::new(), "名".repeat(101), "a".repeat(1_000_000)] {
            let Err(RegistryError::InvalidConfig(error)) = registry.get_or_create(&name, 1) else { panic!("refused") };
            assert_eq!((error.field, error.allowed.as_str()), ("name", "1 to 100 characters"));
            assert!(error.to_string().len() < 200);
        }
        assert!(Registry::<Instance>::with_limit(0).is_err() && Registry::<Instance>::with_limit(100_001).is_err());
        assert_eq!((registry.len(), registry.is_empty()), (3, false));
    }

    #[test]
    fn bad_settings_make_nothing_and_matter_only_where_something_is_made() {
        let registry = Registry::<Instance>::new();
        let error = registry.get_or_create("a", 11).unwrap_err();
        assert_eq!(error.to_string(), "number: got 11, allowed: a finite number from 0 to 10");
        assert!(registry.is_empty());
        ask(&registry, "a");
        assert_eq!(
            registry.get_or_create("a", 11).map(|(instance, mismatch)| (instance.config, mismatch)),
            Ok((1, true))
        );
        assert_eq!(registry.get_or_create("a", 1).map(|(_, mismatch)| mismatch), Ok(false));
    }

    #[test]
    fn what_is_being_made_may_ask_the_registry() {
        let registry = Registry::<Instance>::new();
        let create = |config| {
            drop(ask(&registry, "own"));
            Instance::create(config)
        };
        let (instance, mismatch) = registry.get_or_create_with("own", 2, create).unwrap();
        assert_eq!((instance.config, mismatch, registry.len()), (1, true, 1), "the first under a name stays");
    }

    #[test]
    fn threads_that_ask_at_once_share_one_and_stay_within_the_limit() {
        let registry = Registry::<Instance>::with_limit(4).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let registry = &registry;
                scope.spawn(move || {
                    for round in 0..2_000_u32 {
                        let name = (round % 7 + thread).to_string();
                        // Four threads keep one each at the most, and all else can go.
                        let found = registry.get_or_create(&name, 1).map(|(instance, _)| instance);
                        if let (Ok(found), Some(again)) = (&found, registry.get(&name)) {
                            assert!(Arc::ptr_eq(found, &again), "kept by us, so not replaced");
                        }
                        assert!(registry.len() <= 4);
                    }
                });
            }
        });
        assert!(CREATED.load(Ordering::SeqCst) > 100, "it was busy");
    }
}
