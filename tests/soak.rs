//! Calls with every kind of end, over and over, in virtual time: memory is flat, and nothing is left behind.
//!
//! `cargo test` makes 20 000 of them, `scripts/soak.sh` two million:
//! `RESILIENCE_SOAK_CALLS=2000000 cargo test --release --test soak -- --nocapture`.

#[path = "../benches/counting/mod.rs"]
mod counting;
mod support;

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use counting::bytes_in_use;
use resilience::breaker::{BreakerConfig, CircuitBreaker};
use resilience::bulkhead::{BulkheadConfig, Preset};
use resilience::cancel::{CancelReason, CancelToken};
use resilience::cascade::{CascadeConfig, DefaultQualityCheck};
use resilience::chain::{ChainConfig, Provider, ResilientLlmRunner};
use resilience::classify::{CallError, ErrorClass};
use resilience::client::{
    Attempt, CallOptions, ClientConfig, LlmClient, NoHooks, OutcomeStatus, ResilientLlmClient, TextSink,
};
use resilience::clock::{Clock, ManualClock, Timer};
use resilience::gateway::{AgentConfig, AgentModels, InvokeOptions, ResilientAgent};
use resilience::random::{Rng, SeededRng};
use resilience::retry::{RetryBudgetConfig, RetryConfig};
use support::{join_all, ms, run, throttled, unavailable};

const AT_ONCE: usize = 20;
const TENTHS: u64 = 10;

/// Ends each attempt by chance.
#[derive(Clone)]
struct Service {
    clock: ManualClock,
    rng: Arc<SeededRng>,
}

impl Service {
    async fn end(&self, attempt: &Attempt<'_>) -> Result<String, CallError> {
        if self.rng.next_unit() < 0.2 {
            attempt.cancel_token();
        }
        self.clock.sleep_until(self.clock.now() + ms((20.0 * self.rng.next_unit()) as u64)).await;
        match (self.rng.next_unit() * 12.0) as u32 {
            0 => Err(unavailable()),
            1 => Err(throttled(20)),
            2 => Err(CallError::new(ErrorClass::Interrupted, "m".repeat(300))),
            3 => Err(CallError::new(ErrorClass::BadRequest, "400 Bad Request")),
            4 => std::future::pending().await,
            5 => panic!("a client gone wrong"),
            _ => Ok("a good answer, whole and in time".to_owned()),
        }
    }
}

impl LlmClient for Service {
    type Request = str;
    type Response = String;

    async fn chat(&self, _request: &str, attempt: &Attempt<'_>) -> Result<String, CallError> {
        self.end(attempt).await
    }

    async fn chat_stream<S: TextSink<String>>(
        &self,
        _request: &str,
        sink: &S,
        attempt: &Attempt<'_>,
    ) -> Result<String, CallError> {
        let mut whole = String::new();
        for _ in 0..3 {
            whole += &self.end(attempt).await?;
            sink.push("some text".to_owned()).await;
        }
        Ok(whole)
    }
}

struct NoPage;

impl TextSink<String> for NoPage {
    async fn push(&self, _text: String) {}
}

type Ways = [fn(&Layers, String, CallOptions) -> Pin<Box<dyn Future<Output = OutcomeStatus> + '_>>; 6];

struct Layers {
    clock: ManualClock,
    rng: Arc<SeededRng>,
    client: ResilientLlmClient<Service, ManualClock>,
    runner: ResilientLlmRunner<Service, ManualClock>,
    agent: ResilientAgent<Service, ManualClock>,
}

impl Layers {
    fn new(seed: u64) -> Self {
        let clock = ManualClock::new();
        let rng = Arc::new(SeededRng::new(seed));
        let time = Arc::new(clock.clone());
        let breaker = || {
            let config = BreakerConfig { failure_threshold: 10, cooldown: ms(100), ..Default::default() };
            Arc::new(CircuitBreaker::with_clock(config, time.clone(), rng.clone()).unwrap())
        };
        let backoff = resilience::backoff::BackoffConfig { base: ms(10), ..Default::default() };
        let retry = RetryConfig { attempt_timeout: ms(50), deadline: ms(300), backoff, ..Default::default() };
        let budget = RetryBudgetConfig { capacity: 1_000.0, per_call: 1.0, ..Default::default() };
        let config = ClientConfig { retry, budget, ..Default::default() };
        let service = Service { clock: clock.clone(), rng: rng.clone() };
        let providers = ["one", "two"].map(|name| Provider::new(name, service.clone(), breaker()));
        let chain = ChainConfig { client: config.clone(), ..Default::default() };
        let [premium, standard, economy] = [0; 3].map(|_| service.clone());
        let models = AgentModels { premium, standard, economy };
        let bulkheads = [Preset::PremiumModel, Preset::StandardModel, Preset::EconomyModel]
            .map(|preset| BulkheadConfig { max_concurrent: 5, max_queue: 5, ..BulkheadConfig::preset(preset) });
        let agent = AgentConfig {
            cascade: CascadeConfig { client: config.clone(), ..Default::default() },
            bulkheads,
            ..Default::default()
        };
        Self {
            client: ResilientLlmClient::with_hooks(
                service.clone(),
                config,
                breaker(),
                clock.clone(),
                rng.clone(),
                NoHooks,
            )
            .unwrap(),
            runner: ResilientLlmRunner::with_hooks(providers.into(), chain, clock.clone(), rng.clone(), NoHooks)
                .unwrap(),
            agent: ResilientAgent::with_hooks(
                models,
                agent,
                DefaultQualityCheck,
                clock.clone(),
                time,
                rng.clone(),
                NoHooks,
            )
            .unwrap(),
            clock,
            rng,
        }
    }

    const WAYS: Ways = [
        |layers, prompt, options| Box::pin(async move { layers.client.execute(&prompt, options).await.status }),
        |layers, prompt, options| {
            Box::pin(async move { layers.client.chat_stream(&prompt, options, &NoPage).await.status })
        },
        |layers, prompt, options| Box::pin(async move { layers.runner.execute(&prompt, options).await.status }),
        |layers, prompt, options| {
            Box::pin(async move { layers.runner.chat_stream(&prompt, options, &NoPage).await.status })
        },
        |layers, prompt, call| {
            let options = InvokeOptions { call, ..Default::default() };
            Box::pin(async move { layers.agent.invoke(&prompt, &prompt, options).await.status })
        },
        |layers, prompt, call| {
            let options = InvokeOptions { call, no_store: true, ..Default::default() };
            Box::pin(async move { layers.agent.chat_stream(&prompt, &prompt, options, &NoPage).await.status })
        },
    ];

    /// One call, some of them with a token that is cancelled while they run.
    async fn call(&self, number: u64) -> OutcomeStatus {
        let way = Self::WAYS[(self.rng.next_unit() * Self::WAYS.len() as f64) as usize];
        let prompt = format!("question {}", number % 200);
        if self.rng.next_unit() > 0.1 {
            return way(self, prompt, CallOptions::default()).await;
        }
        let token = CancelToken::new();
        let options = CallOptions { cancel: Some(token.clone()), ..Default::default() };
        let cancel = async {
            self.clock.sleep_until(self.clock.now() + ms(15)).await;
            token.cancel(CancelReason::Cancelled);
            OutcomeStatus::Cancelled
        };
        let calls: [Pin<Box<dyn Future<Output = OutcomeStatus> + '_>>; 2] =
            [way(self, prompt, options), Box::pin(cancel)];
        join_all(calls).await[0]
    }
}

#[test]
fn memory_is_flat_whatever_calls_come_to() {
    let calls =
        std::env::var("RESILIENCE_SOAK_CALLS").map_or(20_000, |calls| calls.parse().expect("a number of calls"));
    // The clients' panics are a part of it.
    std::panic::set_hook(Box::new(|_| ()));
    let layers = Layers::new(1);
    let (mut made, mut ended) = (0, BTreeMap::new());
    let mut samples = Vec::new();
    for tenth in 1..=TENTHS {
        while made < calls * tenth / TENTHS {
            let batch = (0..AT_ONCE as u64).map(|place| layers.call(made + place));
            for status in run(&layers.clock, join_all(batch)) {
                *ended.entry(format!("{status:?}")).or_insert(0_u64) += 1;
            }
            made += AT_ONCE as u64;
            layers.clock.advance(Duration::from_millis(50));
        }
        samples.push((bytes_in_use(), resident_kilobytes()));
    }
    println!("{ended:?}; bytes in use and kB resident after each tenth: {samples:?}");
    let _ = std::panic::take_hook();
    assert_eq!(ended.values().sum::<u64>(), made);
    assert_eq!(ended.len(), 5, "every kind of end: {ended:?}");
    assert_eq!(layers.clock.pending_sleeps(), 0);
    let stats = layers.agent.stats();
    assert!(stats.bulkheads.values().all(|one| one.running + one.queued == 0), "{stats:?}");
    let (first, last) = (samples[0], samples[TENTHS as usize - 1]);
    assert!(last.0 - first.0 < 100_000, "{samples:?}");
    assert!(last.1.saturating_sub(first.1) < 10_000, "{samples:?}");
}

/// 0 where there is no /proc.
fn resident_kilobytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    pages.and_then(|pages| pages.split(' ').nth(1)?.parse::<u64>().ok()).unwrap_or_default() * 4
}
