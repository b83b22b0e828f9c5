//! Article 003: the breaker as infrastructure. Breaker around retries, a precise list of what is retried, results that say
//! that they are second best, and metrics of everything that has a name.

mod breaker;
mod degraded;
mod registry;
mod retry;

use resilience::breaker::BreakerConfig;

use crate::support::ms;

/// The article's figures: five failures in a row open it for 30 s.
fn article(config: &mut BreakerConfig) {
    (config.failure_threshold, config.cooldown) = (5, ms(30_000));
}
