//! Who takes part: every kind of jitter with every guard, and the policies of articles and libraries as they come.

use std::sync::Arc;
use std::time::Duration;

use resilience::InvalidConfig;
use resilience::backoff::{BackoffConfig, Jitter};
use resilience::breaker::{BreakerConfig, CircuitBreaker, WindowConfig, WindowSpan};
use resilience::random::SeededRng;
use resilience::retry::{RetryBudget, RetryBudgetConfig, RetryConfig};

use crate::milliseconds;
use crate::ours::Ours;
use crate::peers::{Aws, Cockatiel, Opossum, PRetry};
use crate::service::World;
use crate::simulation::{Client, Run, Time, simulate};

/// One line of the tables.
#[derive(Debug, Clone)]
pub struct Entry {
    pub name: String,
    pub policy: Policy,
    /// What the service asks those to wait whom it turns away.
    pub retry_after: Option<u64>,
}

#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant)] // there are a few dozen of them
pub enum Policy {
    Ours { retry: RetryConfig, breaker: Option<BreakerConfig>, budget: Option<RetryBudgetConfig> },
    Opossum,
    PRetry,
    Cockatiel,
    Aws,
}

/// The kinds of jitter that are compared.
pub const JITTERS: [(&str, Jitter); 5] = [
    ("none", Jitter::None),
    ("±25 %", Jitter::Multiplicative { spread: 0.25 }),
    ("multiplicative", Jitter::MULTIPLICATIVE),
    ("full", Jitter::Full),
    ("decorrelated", Jitter::Decorrelated),
];

/// What stands around the waits.
pub const GUARDS: [&str; 7] = [
    "waits alone",
    "Retry-After",
    "Retry-After, spread",
    "budget",
    "breaker",
    "breaker, jittered cooldown",
    "the same, growing",
];

const RETRY_AFTER: u64 = 5_000;

/// Each kind of jitter with each guard: five retries, waits that double from 500 ms up to 30 s.
pub fn matrix() -> Vec<Entry> {
    let jittered = BreakerConfig { cooldown_factor: 1.0, ..growing() };
    let entry = |name: &str, jitter, guard: &str| {
        let backoff = BackoffConfig { jitter, ..Default::default() };
        let asks = guard.starts_with("Retry-After");
        let retry_after_spread = if guard == "Retry-After, spread" { 1.0 } else { 0.0 };
        let retry = RetryConfig { max_retries: 5, backoff, retry_after_spread, ..Default::default() };
        let breaker = match guard {
            "breaker" => Some(BreakerConfig::default()),
            "breaker, jittered cooldown" => Some(jittered),
            "the same, growing" => Some(growing()),
            _ => None,
        };
        let budget = (guard == "budget").then(RetryBudgetConfig::default);
        Entry {
            name: format!("{name}, {guard}"),
            policy: Policy::Ours { retry, breaker, budget },
            retry_after: asks.then_some(RETRY_AFTER),
        }
    };
    JITTERS.iter().flat_map(|&(name, jitter)| GUARDS.iter().map(move |guard| entry(name, jitter, guard))).collect()
}

/// A cooldown that no two devices share, and that doubles with each failed probe.
fn growing() -> BreakerConfig {
    BreakerConfig { cooldown_spread: 0.5, cooldown_factor: 2.0, ..BreakerConfig::default() }
}

/// Articles, libraries, and what this module does unless told otherwise. The service asks all for the same wait.
pub fn named() -> Vec<Entry> {
    let retry = |max_retries, base, max, jitter| RetryConfig {
        max_retries,
        backoff: BackoffConfig { base: milliseconds(base), max_delay: milliseconds(max), factor: 2.0, jitter },
        retry_after_spread: 0.0,
        ..RetryConfig::default()
    };
    let within_a_minute = WindowConfig {
        span: WindowSpan::Time { length: Duration::from_secs(60), buckets: 60 },
        minimum_calls: 1,
        failure_rate: None,
        failures: Some(5),
        ..WindowConfig::default()
    };
    let runner =
        BreakerConfig { window: Some(within_a_minute), cooldown: Duration::from_secs(60), ..BreakerConfig::default() };
    let ours = |retry, breaker, budget| Policy::Ours { retry, breaker, budget };
    let (defaults, budget) = (RetryConfig::default(), Some(RetryBudgetConfig::default()));
    let additive = Jitter::Additive { max: milliseconds(300) };
    let policies = [
        ("opossum", Policy::Opossum),
        ("article 004: p-retry and opossum", Policy::PRetry),
        ("cockatiel", Policy::Cockatiel),
        ("AWS, standard mode", Policy::Aws),
        (
            "article 000: multiplicative, breaker",
            ours(retry(2, 500, 30_000, Jitter::MULTIPLICATIVE), Some(BreakerConfig::default()), None),
        ),
        ("article 001: full jitter", ours(retry(4, 200, 5_000, Jitter::Full), None, None)),
        ("article 002: additive, breaker of a minute", ours(retry(3, 1_000, 30_000, additive), Some(runner), None)),
        ("ours, defaults", ours(defaults, Some(BreakerConfig::default()), budget)),
        ("ours, full jitter, growing jittered cooldown", {
            let backoff = BackoffConfig { jitter: Jitter::Full, ..defaults.backoff };
            ours(RetryConfig { backoff, ..defaults }, Some(growing()), budget)
        }),
    ];
    let entry = |(name, policy): (&str, _)| Entry { name: name.to_owned(), policy, retry_after: Some(RETRY_AFTER) };
    policies.into_iter().map(entry).collect()
}

impl Entry {
    /// Runs it alone.
    ///
    /// # Errors
    /// A setting out of its range.
    pub fn run(&self, world: &World, seed: u64) -> Result<Run, InvalidConfig> {
        let world = World { retry_after: self.retry_after, ..*world };
        let time = Time::default();
        Ok(match &self.policy {
            Policy::Opossum => herd_of(&world, &time, seed, Opossum::new),
            Policy::PRetry => herd_of(&world, &time, seed, PRetry::new),
            Policy::Cockatiel => herd_of(&world, &time, seed, Cockatiel::new),
            Policy::Aws => herd_of(&world, &time, seed, Aws::new),
            Policy::Ours { retry, breaker, budget } => {
                let policy = retry.build()?;
                let rng = Arc::new(SeededRng::new(!seed));
                let clock = Arc::new(time.clone());
                let breakers =
                    of_all(&world, *breaker, |config| CircuitBreaker::with_clock(config, clock.clone(), rng.clone()))?;
                let budgets = of_all(&world, *budget, RetryBudget::new)?;
                let clients = (0..world.devices as usize)
                    .map(|device| Ours::new(&policy, breakers.get(device), budgets.get(device)))
                    .collect();
                simulate(&world, clients, &time, seed)
            }
        })
    }
}

fn herd_of<C: Client>(world: &World, time: &Time, seed: u64, client: fn() -> C) -> Run {
    simulate(world, (0..world.devices).map(|_| client()).collect(), time, seed)
}

/// One for each device, or none for all.
fn of_all<C: Copy, T, E>(world: &World, config: Option<C>, make: impl Fn(C) -> Result<T, E>) -> Result<Vec<T>, E> {
    config.map_or(Ok(Vec::new()), |config| (0..world.devices).map(|_| make(config)).collect())
}
