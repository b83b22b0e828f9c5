use std::sync::Arc;

use resilience::breaker::{BreakerConfig, CircuitBreaker};
use resilience::chain::{ChainConfig, Provider, ResilientLlmRunner};
use resilience::client::NoHooks;
use resilience::clock::{Clock, ManualClock, Timestamp};

use super::breaker::breaker_config;
use super::{Reply, ScriptedClient, client_config, middle, retry_config};

pub type Chain = ResilientLlmRunner<ScriptedClient, ManualClock, NoHooks>;

/// Services called a, b, c … that each play a script, on one clock; `retries` each, waits of 100, 200, 400 … ms.
pub struct TestChain {
    pub clock: ManualClock,
    pub breakers: Vec<Arc<CircuitBreaker>>,
    pub chain: Chain,
}

impl TestChain {
    pub fn new(retries: u32, scripts: impl IntoIterator<Item = Vec<Reply>>) -> Self {
        Self::with(retries, scripts, |_, _, _| ())
    }

    /// The same, with the settings of the chain, of all breakers, and of the services changed.
    pub fn with(
        retries: u32,
        scripts: impl IntoIterator<Item = Vec<Reply>>,
        change: impl FnOnce(&mut ChainConfig, &mut BreakerConfig, &mut Vec<Provider<ScriptedClient>>),
    ) -> Self {
        let clock = ManualClock::new();
        let mut config = ChainConfig { client: client_config(retry_config(retries)), ..ChainConfig::default() };
        let mut of_breakers = breaker_config();
        let names = ["a", "b", "c", "d"];
        let stand_in = Arc::new(CircuitBreaker::new(of_breakers).unwrap());
        let client = |script| ScriptedClient::new(&clock, script);
        let mut providers: Vec<_> = names
            .into_iter()
            .zip(scripts)
            .map(|(name, script)| Provider::new(name, client(script), stand_in.clone()))
            .collect();
        change(&mut config, &mut of_breakers, &mut providers);
        for provider in &mut providers {
            let breaker = CircuitBreaker::with_clock(of_breakers, Arc::new(clock.clone()), Arc::new(middle));
            provider.breaker = Arc::new(breaker.unwrap());
        }
        let breakers = providers.iter().map(|provider| provider.breaker.clone()).collect();
        let chain =
            ResilientLlmRunner::with_hooks(providers, config, clock.clone(), Arc::new(middle), NoHooks).unwrap();
        Self { clock, breakers, chain }
    }

    /// Moves the clock to `millis` after its origin.
    pub fn to(&self, millis: u64) {
        self.clock.advance(Timestamp::from_millis(millis).since(self.clock.now()));
    }

    /// How often each service was called.
    pub fn calls(&self) -> Vec<usize> {
        self.chain.providers().map(|(_, client)| client.calls()).collect()
    }

    /// When service `index` was called, in milliseconds.
    pub fn called_at(&self, index: usize) -> Vec<u64> {
        self.chain.providers().nth(index).map(|(_, client)| client.called_at()).unwrap_or_default()
    }
}
