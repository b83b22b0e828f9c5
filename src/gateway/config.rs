use std::sync::Arc;
use std::time::Duration;

use crate::breaker::{BreakerConfig, WindowConfig};
use crate::bulkhead::{BulkheadConfig, Preset};
use crate::cache::FlightsConfig;
use crate::cascade::CascadeConfig;
use crate::router::{ModelRouter, ModelTier, RouterConfig};

/// Settings of a [`ResilientAgent`](super::ResilientAgent).
#[derive(Debug, Clone)]
pub struct AgentConfig {
    /// With a name its breakers and bulkheads are the named ones, `name:premium`, `name:standard` and `name:economy`: shared
    /// with all agents of that name on all threads, and told of by the [metrics](crate::metrics). They are on the system's
    /// clock. 1 to 80 characters; default: none, they are its own.
    pub name: Option<String>,
    /// Stored and preset answers, words, names and costs of the models.
    pub router: RouterConfig,
    /// A router that others use too, in place of one of its own: `router` is not looked at then. Default: none.
    pub shared_router: Option<Arc<ModelRouter>>,
    /// Retries, waits, time limits, and when an answer is good enough.
    pub cascade: CascadeConfig,
    /// Of each model. Default: opens when half of at least 3 calls in 10 s failed, for 5 s (article 004).
    pub breaker: BreakerConfig,
    /// Of the premium, the standard and the economy model, for calls that begin there. Default: their presets.
    pub bulkheads: [BulkheadConfig; 3],
    /// Whether accepted answers are stored for equal prompts; default true.
    pub store_answers: bool,
    /// Sharing of calls between equal prompts.
    pub coalescing: FlightsConfig,
}

impl Default for AgentConfig {
    fn default() -> Self {
        let breaker = BreakerConfig {
            window: Some(WindowConfig::default()),
            cooldown: Duration::from_secs(5),
            ..BreakerConfig::default()
        };
        let presets = [Preset::PremiumModel, Preset::StandardModel, Preset::EconomyModel];
        Self {
            name: None,
            router: RouterConfig::default(),
            shared_router: None,
            cascade: CascadeConfig::default(),
            breaker,
            bulkheads: presets.map(BulkheadConfig::preset),
            store_answers: true,
            coalescing: FlightsConfig::default(),
        }
    }
}

/// The clients of an agent's models, one for each tier. The cache tier has none.
#[derive(Debug, Clone)]
pub struct AgentModels<L> {
    /// For [`ModelTier::Premium`].
    pub premium: L,
    /// For [`ModelTier::Standard`].
    pub standard: L,
    /// For [`ModelTier::Economy`].
    pub economy: L,
}

impl<L> AgentModels<L> {
    pub(super) fn into_tiers(self) -> [(ModelTier, L); 3] {
        [(ModelTier::Premium, self.premium), (ModelTier::Standard, self.standard), (ModelTier::Economy, self.economy)]
    }
}
