//! What all named breakers and bulkheads have seen, as text for Prometheus.
//!
//! Everything in the [registries](crate::registry) is in it from the moment it is made, at whatever state it is in when
//! the text is asked for: nothing has to be signed up, and nothing is left of what was removed.
//!
//! | family | labels | what |
//! |---|---|---|
//! | `resilience_breaker_state` | `name`, `state` | 1 for the state it is in, 0 for the two others |
//! | `resilience_breaker_retry_after_seconds` | `name` | until a call may be admitted; `+Inf` while isolated |
//! | `resilience_breaker_failures_in_a_row` | `name` | |
//! | `resilience_breaker_calls_total` | `name`, `result` | `success`, `failure`, `neutral`, `stale`, `rejected` |
//! | `resilience_breaker_transitions_total` | `name`, `to` | `closed`, `open`, `half_open` |
//! | `resilience_bulkhead_running`, `resilience_bulkhead_queued` | `name` | calls now |
//! | `resilience_bulkhead_calls_total` | `name`, `result` | `done`, `rejected`, `timed_out`, `cancelled`, `overrun` |
//!
//! ```
//! use resilience::breaker::CircuitBreaker;
//!
//! let (breaker, _) = CircuitBreaker::named("event_log", Default::default())?;
//! breaker.try_acquire().unwrap().success();
//! let text = resilience::metrics::prometheus_text();
//! assert!(text.contains("resilience_breaker_state{name=\"event_log\",state=\"closed\"} 1\n"));
//! assert!(text.contains("resilience_breaker_calls_total{name=\"event_log\",result=\"success\"} 1\n"));
//! # Ok::<(), resilience::registry::RegistryError>(())
//! ```

mod text;

use std::sync::Arc;
use std::time::Duration;

use self::text::Text;
use crate::breaker::{self, BreakerState, BreakerStats, CircuitBreaker};
use crate::bulkhead::{self, Bulkhead, BulkheadStats};

/// What breakers and bulkheads have seen, each looked at once: the families of the text must not tell of different moments.
///
/// ```
/// use resilience::breaker::{BreakerState, CircuitBreaker};
/// use resilience::metrics::Metrics;
///
/// CircuitBreaker::named("reranker", Default::default())?;
/// let metrics = Metrics::of_all();
/// let reranker = metrics.breakers.iter().find(|breaker| breaker.name == "reranker").expect("it is named");
/// assert_eq!(reranker.state, BreakerState::Closed);
/// # Ok::<(), resilience::registry::RegistryError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Metrics {
    /// Sorted by name.
    pub breakers: Vec<BreakerMetrics>,
    /// Sorted by name.
    pub bulkheads: Vec<BulkheadMetrics>,
}

/// One breaker of [`Metrics`].
///
/// ```
/// # use resilience::{breaker::CircuitBreaker, metrics::{BreakerMetrics, Metrics}};
/// CircuitBreaker::named("towers", Default::default())?;
/// let idle = |breaker: &BreakerMetrics| breaker.consecutive_failures == 0 && breaker.retry_after.is_zero();
/// assert!(Metrics::of_all().breakers.iter().any(idle));
/// # Ok::<(), resilience::registry::RegistryError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BreakerMetrics {
    /// Its name.
    pub name: String,
    /// The state that it is in.
    pub state: BreakerState,
    /// Until a call may be admitted; [`Duration::MAX`] while isolated.
    pub retry_after: Duration,
    /// Failed calls since the last one that succeeded.
    pub consecutive_failures: u32,
    /// What it has seen.
    pub stats: BreakerStats,
}

/// One bulkhead of [`Metrics`].
///
/// ```
/// use resilience::bulkhead::{BulkheadManager, Preset};
/// use resilience::metrics::Metrics;
///
/// BulkheadManager::shared().preset(Preset::FreeTier)?;
/// assert!(Metrics::of_all().bulkheads.iter().any(|bulkhead| bulkhead.name == "free-tier"));
/// # Ok::<(), resilience::registry::RegistryError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BulkheadMetrics {
    /// Its name.
    pub name: String,
    /// What it has seen.
    pub stats: BulkheadStats,
}

impl Metrics {
    /// Of everything that is named.
    pub fn of_all() -> Self {
        Self::of(&breaker::registry().snapshot(), &bulkhead::registry().snapshot())
    }

    /// Of these instances.
    pub fn of(breakers: &[(String, Arc<CircuitBreaker>)], bulkheads: &[(String, Arc<Bulkhead>)]) -> Self {
        let breaker = |(name, breaker): &(String, Arc<CircuitBreaker>)| BreakerMetrics {
            name: name.clone(),
            state: breaker.state(),
            retry_after: breaker.retry_after(),
            consecutive_failures: breaker.consecutive_failures(),
            stats: breaker.stats(),
        };
        let bulkhead = |(name, bulkhead): &(String, Arc<Bulkhead>)| BulkheadMetrics {
            name: name.clone(),
            stats: bulkhead.stats(),
        };
        Self { breakers: breakers.iter().map(breaker).collect(), bulkheads: bulkheads.iter().map(bulkhead).collect() }
    }
}

/// The text for Prometheus (exposition format 0.0.4) of everything that is named.
pub fn prometheus_text() -> String {
    render(&Metrics::of_all())
}

/// The same of these metrics.
pub fn render(Metrics { breakers, bulkheads }: &Metrics) -> String {
    let mut text = Text::default();
    text.family("resilience_breaker_state", "gauge", "1 for the state that the circuit breaker is in.");
    for breaker in breakers {
        for state in [BreakerState::Closed, BreakerState::Open, BreakerState::HalfOpen] {
            let labels = [("name", breaker.name.as_str()), ("state", state.as_str())];
            text.sample(&labels, f64::from(u8::from(state == breaker.state)));
        }
    }
    text.family("resilience_breaker_retry_after_seconds", "gauge", "Seconds until a call may be admitted.");
    for BreakerMetrics { name, retry_after: wait, .. } in breakers {
        let seconds = if *wait == Duration::MAX { f64::INFINITY } else { wait.as_secs_f64() };
        text.sample(&[("name", name)], seconds);
    }
    text.family("resilience_breaker_failures_in_a_row", "gauge", "Failed calls since the last one that succeeded.");
    for BreakerMetrics { name, consecutive_failures: failures, .. } in breakers {
        text.sample(&[("name", name)], f64::from(*failures));
    }
    text.family("resilience_breaker_calls_total", "counter", "Calls by what the circuit breaker made of them.");
    for BreakerMetrics { name, stats, .. } in breakers {
        for (result, count) in [
            ("success", stats.successes),
            ("failure", stats.failures),
            ("neutral", stats.neutral),
            ("stale", stats.stale),
            ("rejected", stats.rejected),
        ] {
            text.sample(&[("name", name), ("result", result)], count as f64);
        }
    }
    text.family("resilience_breaker_transitions_total", "counter", "Changes of state by the state they led to.");
    for BreakerMetrics { name, stats, .. } in breakers {
        for (to, count) in [("closed", stats.closed), ("open", stats.opened), ("half_open", stats.half_opened)] {
            text.sample(&[("name", name), ("to", to)], count as f64);
        }
    }
    text.family("resilience_bulkhead_running", "gauge", "Calls that occupy a place of the bulkhead.");
    for BulkheadMetrics { name, stats } in bulkheads {
        text.sample(&[("name", name)], f64::from(stats.running));
    }
    text.family("resilience_bulkhead_queued", "gauge", "Calls that wait for a place of the bulkhead.");
    for BulkheadMetrics { name, stats } in bulkheads {
        text.sample(&[("name", name)], f64::from(stats.queued));
    }
    text.family("resilience_bulkhead_calls_total", "counter", "Calls by what became of them at the bulkhead.");
    for BulkheadMetrics { name, stats } in bulkheads {
        for (result, count) in [
            ("done", stats.done),
            ("rejected", stats.rejected),
            ("timed_out", stats.timed_out),
            ("cancelled", stats.cancelled),
            ("overrun", stats.overrun),
        ] {
            text.sample(&[("name", name), ("result", result)], count as f64);
        }
    }
    text.finish()
}
