use std::sync::Arc;

use crate::breaker::CircuitBreaker;
use crate::client::ClientConfig;
use crate::error::InvalidConfig;
use crate::text::cut;

/// The most services of one chain.
pub(super) const MAX_PROVIDERS: usize = 20;
const MAX_NAME: usize = 100;

/// One service of a chain.
#[derive(Debug, Clone)]
pub struct Provider<L> {
    /// How outcomes, traces and errors call it: 1 to 100 bytes, different from the others'.
    pub name: String,
    /// Its client.
    pub client: L,
    /// Its breaker. Chains that ask the same service share it, so that one learns from the other.
    pub breaker: Arc<CircuitBreaker>,
    /// Whether it reads longer prompts than those before it: asked after a `context_length` error.
    pub larger_context: bool,
}

impl<L> Provider<L> {
    /// A service with no larger context than the others.
    pub fn new(name: impl Into<String>, client: L, breaker: Arc<CircuitBreaker>) -> Self {
        Self { name: name.into(), client, breaker, larger_context: false }
    }
}

/// Settings of a [`ResilientLlmRunner`](super::ResilientLlmRunner).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChainConfig {
    /// What holds for each service: retries, waits, time limits; its deadline is that of the whole call.
    pub client: ClientConfig,
    /// Whether another service is asked after moderation refused the question or the answer; default false.
    pub next_after_content_filter: bool,
}

/// Names that can be told apart.
pub(super) fn check_names<'a>(names: impl ExactSizeIterator<Item = &'a str> + Clone) -> Result<(), InvalidConfig> {
    if names.len() == 0 || names.len() > MAX_PROVIDERS {
        return Err(InvalidConfig::new("providers", names.len(), format!("1 to {MAX_PROVIDERS} services")));
    }
    for (index, name) in names.clone().enumerate() {
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(InvalidConfig::new("name", cut(name, MAX_NAME), format!("1 to {MAX_NAME} bytes")));
        }
        if names.clone().take(index).any(|earlier| earlier == name) {
            return Err(InvalidConfig::new("name", name, "a name that no other service of the chain has"));
        }
    }
    Ok(())
}
