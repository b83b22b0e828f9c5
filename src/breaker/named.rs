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

    fn config(&self) -> BreakerConfig {
        self.config()
    }

    /// Closed by itself, nothing counted, nothing asked for by the service, the next cooldown the first one.
    fn is_idle(&self) -> bool {
        self.is_as_new()
    }
}
