//! The whole way of a prompt: router and stored answers, bulkhead, cascade of models, fallback text.
//!
//! [`ResilientAgent::invoke`] never fails. The layers stand in this order, and why:
//!
//! 1. **Router and stored answers:** what is known already costs nothing, not even a place.
//! 2. **Equal prompts in flight** share one call: a page that asks twice pays once.
//! 3. **Bulkhead of the tier:** waiting happens before a breaker or a retry counts anything, and calls that are rejected here
//!    say nothing about the service.
//! 4. **Cascade:** for each model its breaker, asked before each attempt, so that a service that is down costs no attempt;
//!    inside it the retries, for what passes by itself. In article 004 the breaker wraps a whole cascade, so that one bad
//!    model opens it for all, and retries go on against an open breaker.
//! 5. **Fallback text,** marked as such.

mod agent;
mod answer;
mod config;
mod stats;

pub use agent::{InvokeOptions, ResilientAgent};
pub use answer::{AgentAnswer, AnswerSource};
pub use config::{AgentConfig, AgentModels};
pub use stats::{AgentStats, TierCalls};
