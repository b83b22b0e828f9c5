use std::collections::BTreeMap;

use super::answer::{AgentAnswer, AnswerSource};
use crate::breaker::{BreakerState, BreakerStats};
use crate::bulkhead::BulkheadStats;
use crate::router::ModelTier;

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

/// The counts of calls.
#[derive(Default)]
pub struct Figures {
    pub total_calls: u64,
    pub total_degraded: u64,
    pub model_calls: [TierCalls; 4],
}

impl Figures {
    /// Counts a call; `tier_of` knows a model's tier by its name.
    pub fn count(&mut self, answer: &AgentAnswer, tier_of: impl Fn(&str) -> Option<usize>) {
        self.total_calls += 1;
        self.total_degraded += u64::from(answer.degraded());
        match answer.source {
            AnswerSource::Model | AnswerSource::Cache => self.model_calls[answer.model_used as usize].success += 1,
            AnswerSource::Fallback => self.model_calls[ModelTier::Cache as usize].failed += 1,
            AnswerSource::None => {}
        }
        if answer.shared {
            return;
        }
        for attempt in answer.trace.iter().filter(|attempt| attempt.class.is_some()) {
            if let Some(tier) = attempt.provider.as_deref().and_then(&tier_of) {
                self.model_calls[tier].failed += 1;
            }
        }
    }
}
