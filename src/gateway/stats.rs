use std::collections::BTreeMap;

use crate::breaker::{BreakerState, BreakerStats};
use crate::bulkhead::BulkheadStats;

/// Calls of one tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TierCalls {
    /// Calls that ended with an answer of this tier.
    pub success: u64,
    /// Attempts of this tier that failed; for the cache: calls that ended with the fallback text.
    pub failed: u64,
}

/// What an agent has done since it was made, or since its figures were reset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentStats {
    /// Calls.
    pub total_calls: u64,
    /// Calls whose text was second best.
    pub total_degraded: u64,
    /// By tier: premium, standard, economy, cache.
    pub model_calls: [TierCalls; 4],
    /// Breakers of the premium, the standard and the economy model. Not reset.
    pub circuits: [(BreakerState, BreakerStats); 3],
    /// Bulkheads by name. Not reset.
    pub bulkheads: BTreeMap<&'static str, BulkheadStats>,
}
