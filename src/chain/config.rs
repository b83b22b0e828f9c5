use std::sync::Arc;

use crate::breaker::CircuitBreaker;
use crate::client::ClientConfig;

/// The most services of one chain.
pub(super) const MAX_PROVIDERS: usize = 20;

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
