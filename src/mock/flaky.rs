use std::time::Duration;

use crate::classify::{CallError, ErrorClass};
use crate::client::{Attempt, LlmClient};
use crate::clock::Timer;
use crate::error::{InvalidConfig, duration_in_range, in_range};
use crate::random::{SeededRng, draw};
use crate::sync::atomic::{AtomicU64, Ordering};

/// Settings of a [`FlakyLlmClient`].
#[derive(Debug, Clone, PartialEq)]
pub struct FlakyConfig {
    /// Share of calls that fail. 0 to 1; default 0.3.
    pub failure_rate: f64,
    /// The least time that a call takes. 0 to 365 days; default 100 ms.
    pub latency: Duration,
    /// The most that chance adds to it. 0 to 365 days; default 50 ms.
    pub latency_spread: Duration,
    /// The same seed gives the same calls. Default: another one each time.
    pub seed: Option<u64>,
    /// What it answers. Default: a sentence with the number of the call.
    pub reply: Option<String>,
    /// What it fails with, each as often as the others. 1 to 100; default 429, a timeout, 503 and a reset.
    pub errors: Vec<CallError>,
}

impl Default for FlakyConfig {
    fn default() -> Self {
        let with_status =
            |class, status, message: &str| CallError { status: Some(status), ..CallError::new(class, message) };
        Self {
            failure_rate: 0.3,
            latency: Duration::from_millis(100),
            latency_spread: Duration::from_millis(50),
            seed: None,
            reply: None,
            errors: vec![
                with_status(ErrorClass::RateLimit, 429, "429 Too Many Requests"),
                CallError::new(ErrorClass::Timeout, "ETIMEDOUT"),
                with_status(ErrorClass::Overloaded, 503, "503 Service Unavailable"),
                CallError::new(ErrorClass::Interrupted, "ECONNRESET"),
            ],
        }
    }
}

impl FlakyConfig {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn validate(&self) -> Result<(), InvalidConfig> {
        in_range("failureRate", self.failure_rate, 0.0..=1.0)?;
        duration_in_range("latencyMs", self.latency, Duration::ZERO)?;
        duration_in_range("latencySpreadMs", self.latency_spread, Duration::ZERO)?;
        in_range("errors", self.errors.len(), 1..=100)
    }
}

/// Fails by chance, and takes its time.
///
/// ```
/// use resilience::clock::TokioClock;
/// use resilience::mock::{FlakyConfig, FlakyLlmClient};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let config = FlakyConfig { failure_rate: 1.0, seed: Some(7), ..FlakyConfig::default() };
/// let flaky = FlakyLlmClient::new(config, TokioClock::new())?;
/// assert!(flaky.reply().await.is_err());
/// assert_eq!(flaky.calls(), 1);
/// # Ok::<(), resilience::InvalidConfig>(()) }).unwrap();
/// ```
pub struct FlakyLlmClient<T> {
    config: FlakyConfig,
    timer: T,
    rng: SeededRng,
    calls: AtomicU64,
}

impl<T: Timer> FlakyLlmClient<T> {
    /// A service that fails so often.
    ///
    /// # Errors
    /// [`InvalidConfig`], see [`FlakyConfig`].
    pub fn new(config: FlakyConfig, timer: T) -> Result<Self, InvalidConfig> {
        config.validate()?;
        let rng = config.seed.map_or_else(SeededRng::from_system, SeededRng::new);
        Ok(Self { config, timer, rng, calls: AtomicU64::new(0) })
    }

    /// Calls so far, failed ones included.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Makes one call.
    ///
    /// # Errors
    /// One of the configured errors, by chance.
    pub async fn reply(&self) -> Result<String, CallError> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        // Drawn before the wait: calls that run at once must not change each other's fate.
        let [wait, fate, kind] = [0; 3].map(|_| draw(&self.rng));
        let latency = self.config.latency + self.config.latency_spread.mul_f64(wait);
        self.timer.sleep_until(self.timer.now() + latency).await;
        if fate < self.config.failure_rate {
            let errors = &self.config.errors;
            return Err(errors[(kind * errors.len() as f64) as usize].clone());
        }
        let reply = self.config.reply.clone();
        Ok(reply.unwrap_or_else(|| format!("第 {number} 次调用的回答：这是一段模拟的模型输出。")))
    }
}

impl<T: Timer> LlmClient for FlakyLlmClient<T> {
    type Request = str;
    type Response = String;

    async fn chat(&self, _request: &str, _attempt: &Attempt<'_>) -> Result<String, CallError> {
        self.reply().await
    }
}
