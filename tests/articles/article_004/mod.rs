//! Article 004: five layers from the bare call to the gateway.

mod agent;
mod cache;
mod cascade;
mod router;

use std::sync::Arc;

use resilience::clock::ManualClock;
use resilience::router::{ModelRouter, RouterConfig};

/// A router on a clock that the test moves.
fn router(clock: &ManualClock, config: RouterConfig) -> ModelRouter {
    ModelRouter::with_clock(config, Arc::new(clock.clone())).unwrap()
}
