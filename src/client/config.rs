use std::time::Duration;

use super::{Fallback, StreamConfig};
use crate::bulkhead::Hold;
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
    /// Time limits of streamed answers.
    pub stream: StreamConfig,
    /// What the breaker counts.
    pub accounting: Accounting,
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
            stream: StreamConfig::default(),
            accounting: Accounting::default(),
            quota_cooldown: Duration::from_secs(600),
        }
    }
}

/// What a breaker counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Accounting {
    /// Each attempt (article 000): a breaker that opens in the middle of a call ends it at once, and the probe of a
    /// half-open breaker is one attempt. The safer one for a service that is paid by the token.
    #[default]
    Attempt,
    /// Each call by its last attempt (article 003): a fault that a retry mends is never counted. The breaker is asked once a
    /// call, and its probe is a whole call with its retries.
    Call,
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
    /// Its share in the place of a bulkhead that the call holds: see [`Attempt::place`](super::Attempt::place).
    pub place: Option<Hold>,
}
