//! What an agent gives.

use std::collections::BTreeMap;

use napi_derive_ohos::napi;

use super::breaker_records::{BreakerStats, circuit_state};
use super::bulkhead::BulkheadStats;
use super::call_records::{AttemptRecord, ErrorInfo, PassedOver};
use super::records::{known_ms, measured_ms};
use super::router::{ModelTier, RouteDecision};
use super::words::{ErrorClass, OutcomeStatus, StopReason, words};
use crate::breaker;
use crate::gateway;
use crate::router;

words! {
    /// Where a text comes from.
    AnswerSource from gateway::AnswerSource {
        /// A model answered.
        Model,
        /// It was stored or preset.
        Cache,
        /// The fallback text stands in for an answer.
        Fallback,
        /// There is none: the call was cancelled, or only the caller can mend what is wrong.
        None,
    }
}

/// What an agent gives: always something that can be shown, and what it is worth.
#[napi(object, object_from_js = false)]
pub struct AgentAnswer {
    /// What the app may show; empty for an error that only the caller can mend, and for a cancelled call.
    pub result: String,
    /// Where it comes from.
    #[napi(ts_type = "AnswerSource")]
    pub source: AnswerSource,
    /// How the call ended.
    #[napi(ts_type = "OutcomeStatus")]
    pub status: OutcomeStatus,
    /// The model that answered; Cache for a stored answer, and when no model answered (article 004).
    #[napi(ts_type = "ModelTier")]
    pub model_used: ModelTier,
    /// Whether `result` is second best: another model's than was meant, or the fallback's. Mark it for the user.
    pub degraded: bool,
    /// The tier that was meant, when it is not `modelUsed`.
    #[napi(ts_type = "ModelTier")]
    pub degraded_from: Option<ModelTier>,
    /// Whether the answer passed the quality check. False for the fallback text.
    pub quality_check_passed: bool,
    /// What the router chose; undefined when the caller chose the tier.
    pub route: Option<RouteDecision>,
    /// The bulkhead that the call went through; undefined for stored answers.
    pub from_bulkhead: Option<String>,
    /// The breaker of the tier that was meant, when the call had ended: `'closed'`, `'open'` or `'halfOpen'`.
    pub circuit_state: String,
    /// Whether an equal prompt's call was shared.
    pub shared: bool,
    /// Duration of the whole call in milliseconds, its wait in the bulkhead included.
    pub latency_ms: f64,
    /// Attempts made, over all models.
    pub attempts: u32,
    /// Why no further attempt was made.
    #[napi(ts_type = "StopReason")]
    pub stop_reason: StopReason,
    /// The last failed attempt's error, or the cancel; undefined on success and when no attempt was made.
    pub error: Option<ErrorInfo>,
    /// What kind of fault is behind an answer that is none.
    #[napi(ts_type = "ErrorClass")]
    pub cause: Option<ErrorClass>,
    /// When it may be asked again, in milliseconds from now, if known.
    pub retry_after_ms: Option<f64>,
    /// The models that gave no accepted answer, and why.
    #[napi(ts_type = "Array<PassedOver>")]
    pub passed_over: Vec<PassedOver>,
    /// One entry for each attempt, over all models.
    pub trace: Vec<AttemptRecord>,
}

impl From<gateway::AgentAnswer> for AgentAnswer {
    fn from(answer: gateway::AgentAnswer) -> Self {
        Self {
            source: answer.source.into(),
            status: answer.status.into(),
            model_used: answer.model_used.into(),
            degraded: answer.degraded(),
            degraded_from: answer.degraded_from.map(Into::into),
            quality_check_passed: answer.quality_check_passed,
            route: answer.route.map(Into::into),
            from_bulkhead: answer.bulkhead.map(str::to_owned),
            circuit_state: circuit_state(answer.circuit_state),
            shared: answer.shared,
            latency_ms: measured_ms(answer.latency),
            attempts: answer.attempts(),
            stop_reason: answer.stop_reason.into(),
            error: answer.error.as_ref().map(Into::into),
            cause: answer.cause.map(Into::into),
            retry_after_ms: answer.retry_after.and_then(known_ms),
            passed_over: answer.passed_over.iter().map(Into::into).collect(),
            trace: answer.trace.iter().map(Into::into).collect(),
            result: answer.text,
        }
    }
}

/// Calls of one tier.
#[napi(object, object_from_js = false)]
pub struct TierCalls {
    /// Calls that ended with an answer of this tier.
    pub success: f64,
    /// Attempts of this tier that failed; for the cache: calls that ended with the fallback text.
    pub failed: f64,
}

/// The breaker of one tier's model.
#[napi(object, object_from_js = false)]
pub struct Circuit {
    /// `'closed'`, `'open'` or `'halfOpen'`.
    pub state: String,
    /// What it has seen. Not reset.
    pub stats: BreakerStats,
}

/// Calls of all models together, as article 004 has them.
#[napi(object, object_from_js = false)]
pub struct CircuitStats {
    /// Calls whose breaker counted a success. Not reset.
    pub successes: f64,
    /// Calls whose breaker counted a failure. Not reset.
    pub failures: f64,
    /// Calls that ended with the fallback text.
    pub fallbacks: f64,
}

/// What an agent has done since it was made, or since its figures were reset.
#[napi(object, object_from_js = false)]
pub struct AgentStats {
    /// Calls.
    pub total_calls: f64,
    /// Calls whose text was second best.
    pub total_degraded: f64,
    /// By tier, under the words of `ModelTier`.
    pub model_calls: BTreeMap<String, TierCalls>,
    /// State of the standard model's breaker, as in article 004: `'closed'`, `'open'` or `'halfOpen'`.
    pub circuit_state: String,
    /// Breakers of the premium, the standard and the economy model, under the words of `ModelTier`.
    pub circuits: BTreeMap<String, Circuit>,
    /// All models together (article 004).
    pub circuit_stats: CircuitStats,
    /// Bulkheads of the tiers, under the names of their presets. Not reset.
    pub bulkhead_stats: BTreeMap<String, BulkheadStats>,
}

impl From<gateway::AgentStats> for AgentStats {
    fn from(stats: gateway::AgentStats) -> Self {
        let tiers = || router::ModelTier::ORDER.into_iter().map(|tier| tier.model().to_owned());
        let calls =
            stats.model_calls.map(|calls| TierCalls { success: calls.success as f64, failed: calls.failed as f64 });
        let all = |count: fn(&breaker::BreakerStats) -> u64| {
            stats.circuits.iter().map(|(_, stats)| count(stats)).sum::<u64>() as f64
        };
        let circuit_stats = CircuitStats {
            successes: all(|stats| stats.successes),
            failures: all(|stats| stats.failures),
            fallbacks: stats.model_calls[router::ModelTier::Cache as usize].failed as f64,
        };
        let circuits = stats
            .circuits
            .iter()
            .map(|&(state, stats)| Circuit { state: circuit_state(state), stats: BreakerStats::new(stats, 0) });
        Self {
            total_calls: stats.total_calls as f64,
            total_degraded: stats.total_degraded as f64,
            model_calls: tiers().zip(calls).collect(),
            circuit_state: circuit_state(stats.circuits[router::ModelTier::Standard as usize].0),
            circuits: tiers().zip(circuits).collect(),
            circuit_stats,
            bulkhead_stats: stats.bulkheads.into_iter().map(|(name, stats)| (name.to_owned(), stats.into())).collect(),
        }
    }
}
