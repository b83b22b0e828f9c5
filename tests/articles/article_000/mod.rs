//! Article 000: backoff with jitter, circuit breaker, fallback, and the client that puts them in a row.

mod backoff;
mod breaker;
mod client;
mod demo_page;
mod pitfalls;

use resilience::breaker::{BreakerConfig, CircuitBreaker};
use resilience::client::{ClientConfig, Hooks, ResilientLlmClient};
use resilience::clock::ManualClock;
use resilience::mock::MockLlmClient;
use std::sync::Arc;

use crate::support::middle;

type Client<H> = ResilientLlmClient<MockLlmClient, ManualClock, H>;

/// A client for `mock` behind a breaker with the article's defaults: three failures, five seconds.
fn client<H: Hooks>(clock: &ManualClock, mock: MockLlmClient, config: ClientConfig, hooks: H) -> Client<H> {
    let breaker = CircuitBreaker::with_clock(BreakerConfig::default(), Arc::new(clock.clone()), Arc::new(middle));
    let breaker = Arc::new(breaker.unwrap());
    ResilientLlmClient::with_hooks(mock, config, breaker, clock.clone(), Arc::new(middle), hooks).unwrap()
}
