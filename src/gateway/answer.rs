use std::time::Duration;

use crate::breaker::BreakerState;
use crate::classify::{CallError, ErrorClass};
use crate::client::{AttemptRecord, OutcomeStatus, PassedOver};
use crate::retry::StopReason;
use crate::router::{ModelTier, RouteDecision};

/// Where a text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnswerSource {
    /// A model answered.
    Model,
    /// It was stored or preset.
    Cache,
    /// The fallback text stands in for an answer.
    Fallback,
    /// There is none: the call was cancelled, or only the caller can mend what is wrong.
    None,
}

/// What an agent gives: always something that can be shown, and what it is worth.
#[derive(Debug, Clone)]
pub struct AgentAnswer {
    /// What the app may show; empty for an error that only the caller can mend, and for a cancelled call.
    pub text: String,
    /// Where it comes from.
    pub source: AnswerSource,
    /// What the router chose; `None` when the caller chose.
    pub route: Option<RouteDecision>,
    /// How the call ended.
    pub status: OutcomeStatus,
    /// The model that answered; [`ModelTier::Cache`] for a stored answer, and when no model answered (article 004).
    pub model_used: ModelTier,
    /// The tier that was meant, when it is not `model_used`.
    pub degraded_from: Option<ModelTier>,
    /// Whether the answer passed the quality check. False for the fallback text.
    pub quality_check_passed: bool,
    /// The bulkhead that the call went through; none for stored answers.
    pub bulkhead: Option<&'static str>,
    /// The breaker of the tier that was meant, when the call had ended.
    pub circuit_state: BreakerState,
    /// Whether an equal prompt's call was shared.
    pub shared: bool,
    /// Duration of the whole call, its wait in the bulkhead included.
    pub latency: Duration,
    /// Why no further attempt was made.
    pub stop_reason: StopReason,
    /// The last failed attempt's error.
    pub error: Option<CallError>,
    /// What kind of fault is behind an answer that is none.
    pub cause: Option<ErrorClass>,
    /// When it may be asked again, if known.
    pub retry_after: Option<Duration>,
    /// The models that gave no accepted answer, and why.
    pub passed_over: Vec<PassedOver>,
    /// One entry for each attempt, over all models.
    pub trace: Vec<AttemptRecord>,
}

impl AgentAnswer {
    /// Whether the text is second best: another model's than was meant, or the fallback's.
    pub fn degraded(&self) -> bool {
        self.degraded_from.is_some()
    }

    /// How many attempts were made.
    pub fn attempts(&self) -> u32 {
        self.trace.len() as u32
    }
}
