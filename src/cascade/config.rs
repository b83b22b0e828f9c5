use std::sync::Arc;

use crate::breaker::CircuitBreaker;
use crate::client::ClientConfig;
use crate::error::{InvalidConfig, in_range};

/// The most models of one cascade.
pub(super) const MAX_MODELS: usize = 20;

/// One model of a cascade.
#[derive(Debug, Clone)]
pub struct Model<L> {
    /// How outcomes and traces call it: 1 to 100 bytes, different from the others'.
    pub name: String,
    /// Its client.
    pub client: L,
    /// Its breaker.
    pub breaker: Arc<CircuitBreaker>,
}

impl<L> Model<L> {
    /// A model of that name.
    pub fn new(name: impl Into<String>, client: L, breaker: Arc<CircuitBreaker>) -> Self {
        Self { name: name.into(), client, breaker }
    }
}

/// What a call gives when no answer reaches the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BelowThreshold {
    /// The best answer that came, marked as not accepted.
    #[default]
    Best,
    /// The fallback text (article 004).
    Fallback,
}

/// Settings of a [`ModelCascade`](super::ModelCascade).
#[derive(Debug, Clone, PartialEq)]
pub struct CascadeConfig {
    /// What holds for each model: retries, waits, time limits; its deadline is that of the whole call.
    pub client: ClientConfig,
    /// Answers of this score and above are accepted. 0 to 1; default 0.5.
    pub threshold: f64,
    /// What a call gives when no answer reaches it; default the best.
    pub below_threshold: BelowThreshold,
    /// Models that one call asks at most. 1 to 20; default 20: all.
    pub max_models: u32,
    /// Whether a stronger model is asked when all cheaper ones failed; default true. Article 004 gives the static text then.
    pub stronger_after_error: bool,
}

impl Default for CascadeConfig {
    fn default() -> Self {
        Self {
            client: ClientConfig::default(),
            threshold: 0.5,
            below_threshold: BelowThreshold::default(),
            max_models: MAX_MODELS as u32,
            stronger_after_error: true,
        }
    }
}

impl CascadeConfig {
    /// Checks the settings of the cascade itself.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn validate(&self) -> Result<(), InvalidConfig> {
        in_range("threshold", self.threshold, 0.0..=1.0)?;
        in_range("maxModels", self.max_models, 1..=MAX_MODELS as u32)
    }
}
