use std::time::Duration;

use super::Fallback;
use crate::cancel::CancelToken;
use crate::retry::{RetryBudgetConfig, RetryConfig};

/// Settings of a [`ResilientLlmClient`](super::ResilientLlmClient).
#[derive(Debug, Clone, PartialEq)]
pub struct ClientConfig {
    /// Attempts, waits, timeouts.
    pub retry: RetryConfig,
    /// Bounds the retries of all calls of this client.
    pub budget: RetryBudgetConfig,
    /// What the user reads when no answer can be had.
    pub fallback: Fallback,
    /// How long the breaker stays open after an error that waiting cannot mend soon (an empty account). 0 to 365 days;
    /// default 10 min.
    pub quota_cooldown: Duration,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            retry: RetryConfig::default(),
            budget: RetryBudgetConfig::default(),
            fallback: Fallback::default(),
            quota_cooldown: Duration::from_secs(600),
        }
    }
}

/// Settings of one call.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// Ends the call when cancelled.
    pub cancel: Option<CancelToken>,
    /// Shortens the whole call; longer than the client's deadline has no effect.
    pub deadline: Option<Duration>,
    /// Identity of the request; made up when absent.
    pub request_id: Option<String>,
}
