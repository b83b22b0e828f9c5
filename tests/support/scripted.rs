use std::sync::{Arc, Mutex};
use std::time::Duration;

use resilience::backoff::{BackoffConfig, Jitter};
use resilience::classify::{CallError, ErrorClass};
use resilience::client::{Attempt, ClientConfig, Fallback, Hooks, LlmClient, NoHooks, ResilientLlmClient};
use resilience::clock::{Clock, ManualClock, Timer, Timestamp};
use resilience::retry::{RetryBudgetConfig, RetryConfig};

use super::{TestBreaker, middle, ms, unavailable};

/// How one attempt goes.
#[derive(Debug, Clone)]
pub struct Reply {
    latency: Duration,
    end: End,
}

#[derive(Debug, Clone)]
enum End {
    Ok,
    Error(CallError),
    Aborted,
    Panic,
}

impl Reply {
    pub fn ok() -> Self {
        Self { latency: Duration::ZERO, end: End::Ok }
    }

    /// A 503.
    pub fn fail() -> Self {
        Self::error(unavailable())
    }

    pub fn class(class: ErrorClass) -> Self {
        Self::error(CallError::new(class, class.as_str()))
    }

    pub fn error(error: CallError) -> Self {
        Self { latency: Duration::ZERO, end: End::Error(error) }
    }

    pub fn panic() -> Self {
        Self { latency: Duration::ZERO, end: End::Panic }
    }

    /// Does not come in a year.
    pub fn hang() -> Self {
        Self::ok().after(366 * 24 * 3_600 * 1_000)
    }

    /// Hangs until it is told to stop, and then fails in its own way, as HTTP clients do: with an error of no known
    /// class.
    pub fn aborts() -> Self {
        Self { latency: Duration::ZERO, end: End::Aborted }
    }

    /// Takes so long.
    pub fn after(self, millis: u64) -> Self {
        Self { latency: ms(millis), ..self }
    }
}

/// What one attempt was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub at: Timestamp,
    pub number: u32,
    pub timeout: Duration,
    pub request_id: String,
}

/// An LLM client that does as told, one reply for each call; the last one is repeated for ever.
pub struct ScriptedClient<T = ManualClock> {
    clock: T,
    script: Vec<Reply>,
    seen: Mutex<Vec<Seen>>,
}

impl<T: Timer + Clone> ScriptedClient<T> {
    pub fn new(clock: &T, script: impl IntoIterator<Item = Reply>) -> Self {
        let script = script.into_iter().collect();
        Self { clock: clock.clone(), script, seen: Mutex::default() }
    }

    pub fn calls(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    /// When it was called, in milliseconds.
    pub fn called_at(&self) -> Vec<u64> {
        self.seen().iter().map(|call| call.at.since_origin().as_millis() as u64).collect()
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

impl<T: Timer> LlmClient for ScriptedClient<T> {
    type Request = str;
    type Response = String;

    async fn chat(&self, request: &str, attempt: &Attempt<'_>) -> Result<String, CallError> {
        let reply = {
            let mut seen = self.seen.lock().unwrap();
            let (number, timeout) = (attempt.number(), attempt.timeout());
            seen.push(Seen { at: self.clock.now(), number, timeout, request_id: attempt.request_id().to_owned() });
            self.script[(seen.len() - 1).min(self.script.len() - 1)].clone()
        };
        self.clock.sleep_until(self.clock.now() + reply.latency).await;
        match reply.end {
            End::Ok => Ok(format!("answer to {request}")),
            End::Error(error) => Err(error),
            End::Aborted => {
                attempt.cancel_token().cancelled().await;
                Err(CallError::new(ErrorClass::Unknown, "request aborted"))
            }
            End::Panic => panic!("client gone wrong"),
        }
    }
}

/// Waits 100, 200, 400, … ms without jitter, and no longer than a Retry-After; an attempt may take 10 s, a call 60 s.
pub fn retry_config(max_retries: u32) -> RetryConfig {
    RetryConfig {
        max_retries,
        backoff: BackoffConfig { base: ms(100), jitter: Jitter::None, ..BackoffConfig::default() },
        attempt_timeout: ms(10_000),
        deadline: ms(60_000),
        retry_after_spread: 0.0,
        ..RetryConfig::default()
    }
}

/// A budget that never runs out, and the fallback text "fallback".
pub fn client_config(retry: RetryConfig) -> ClientConfig {
    ClientConfig {
        retry,
        budget: RetryBudgetConfig { capacity: 10_000.0, per_call: 100.0, per_minute: 10_000.0 },
        fallback: Fallback::Text("fallback".to_owned()),
        ..ClientConfig::default()
    }
}

pub type Client<H = NoHooks> = ResilientLlmClient<ScriptedClient, ManualClock, H>;

/// A client on the breaker's clock.
pub fn client(breaker: &TestBreaker, retry: RetryConfig, script: impl IntoIterator<Item = Reply>) -> Client {
    client_with_hooks(breaker, client_config(retry), script, NoHooks)
}

pub fn client_with_hooks<H: Hooks>(
    breaker: &TestBreaker,
    config: ClientConfig,
    script: impl IntoIterator<Item = Reply>,
    hooks: H,
) -> Client<H> {
    let inner = ScriptedClient::new(&breaker.clock, script);
    ResilientLlmClient::with_hooks(
        inner,
        config,
        breaker.breaker.clone(),
        breaker.clock.clone(),
        Arc::new(middle),
        hooks,
    )
    .unwrap()
}
