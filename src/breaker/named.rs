//! Breakers by name: one for each service, whoever asks for it, on whatever thread.

use std::sync::{Arc, LazyLock};

use super::{BreakerConfig, CircuitBreaker};
use crate::error::InvalidConfig;
use crate::registry::{Registered, Registry, RegistryError};

static BREAKERS: LazyLock<Registry<CircuitBreaker>> = LazyLock::new(Registry::new);

/// All breakers that were asked for by name.
pub fn registry() -> &'static Registry<CircuitBreaker> {
    &BREAKERS
}

impl CircuitBreaker {
    /// The breaker of that name, and whether its settings are others than `config`. It is made if there is none.
    ///
    /// # Errors
    /// [`RegistryError`]: bad settings, a bad name, or too many that are in use.
    ///
    /// ```
    /// use resilience::breaker::CircuitBreaker;
    /// use std::sync::Arc;
    ///
    /// let (here, _) = CircuitBreaker::named("reranker", Default::default())?;
    /// let (there, mismatch) = CircuitBreaker::named("reranker", Default::default())?;
    /// assert!(Arc::ptr_eq(&here, &there) && !mismatch);
    /// # Ok::<(), resilience::registry::RegistryError>(())
    /// ```
    pub fn named(name: &str, config: BreakerConfig) -> Result<(Arc<Self>, bool), RegistryError> {
        BREAKERS.get_or_create(name, config)
    }
}

impl Registered for CircuitBreaker {
    type Config = BreakerConfig;

    fn create(config: BreakerConfig) -> Result<Self, InvalidConfig> {
        Self::new(config)
    }

    fn registered_as(&self, name: &str) {
        self.log_as(name);
    }

    fn config(&self) -> BreakerConfig {
        self.config()
    }

    /// Closed by itself, nothing counted, nothing asked for by the service, the next cooldown the first one.
    fn is_idle(&self) -> bool {
        self.is_as_new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_settings_of_a_name_hold_and_others_are_told() {
        let careful = BreakerConfig { failure_threshold: 1, ..BreakerConfig::default() };
        let (first, mismatch) = CircuitBreaker::named("first settings", careful).unwrap();
        assert!(!mismatch && first.config() == careful);
        let (same, mismatch) = CircuitBreaker::named("first settings", BreakerConfig::default()).unwrap();
        assert!(mismatch && Arc::ptr_eq(&same, &first));
        assert!(Arc::ptr_eq(&registry().get("first settings").unwrap(), &first));
    }

    #[test]
    fn one_that_remembers_a_failure_makes_no_room_for_another_name() {
        let one = Registry::<CircuitBreaker>::with_limit(1).unwrap();
        let breaker = |name| one.get_or_create(name, BreakerConfig::default()).map(|(breaker, _)| breaker);
        breaker("failed").unwrap().try_acquire().unwrap().failure(Default::default());
        assert_eq!(breaker("other").unwrap_err(), RegistryError::Full { limit: 1 });
        breaker("failed").unwrap().try_acquire().unwrap().success();
        assert!(breaker("other").is_ok() && one.get("failed").is_none());
    }
}
