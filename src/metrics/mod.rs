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

use self::text::Text;
use crate::breaker::{self, BreakerState, CircuitBreaker};
use crate::bulkhead::{self, Bulkhead};

/// The text for Prometheus (exposition format 0.0.4) of everything that is named.
pub fn prometheus_text() -> String {
    render(&breaker::registry().snapshot(), &bulkhead::registry().snapshot())
}

/// The same of these instances.
pub fn render(breakers: &[(String, Arc<CircuitBreaker>)], bulkheads: &[(String, Arc<Bulkhead>)]) -> String {
    let mut text = Text::default();
    // Each once: the families must not tell of different moments.
    let breakers: Vec<_> = breakers
        .iter()
        .map(|(name, breaker)| {
            (name, breaker.state(), breaker.retry_after(), breaker.consecutive_failures(), breaker.stats())
        })
        .collect();
    let bulkheads: Vec<_> = bulkheads.iter().map(|(name, bulkhead)| (name, bulkhead.stats())).collect();
    text.family("resilience_breaker_state", "gauge", "1 for the state that the circuit breaker is in.");
    for (name, now, ..) in &breakers {
        for state in [BreakerState::Closed, BreakerState::Open, BreakerState::HalfOpen] {
            text.sample(&[("name", name), ("state", state.as_str())], f64::from(u8::from(state == *now)));
        }
    }
    text.family("resilience_breaker_retry_after_seconds", "gauge", "Seconds until a call may be admitted.");
    for (name, _, wait, ..) in &breakers {
        let seconds = if *wait == std::time::Duration::MAX { f64::INFINITY } else { wait.as_secs_f64() };
        text.sample(&[("name", name)], seconds);
    }
    text.family("resilience_breaker_failures_in_a_row", "gauge", "Failed calls since the last one that succeeded.");
    for (name, _, _, failures, _) in &breakers {
        text.sample(&[("name", name)], f64::from(*failures));
    }
    text.family("resilience_breaker_calls_total", "counter", "Calls by what the circuit breaker made of them.");
    for (name, .., stats) in &breakers {
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
    for (name, .., stats) in &breakers {
        for (to, count) in [("closed", stats.closed), ("open", stats.opened), ("half_open", stats.half_opened)] {
            text.sample(&[("name", name), ("to", to)], count as f64);
        }
    }
    text.family("resilience_bulkhead_running", "gauge", "Calls that occupy a place of the bulkhead.");
    for (name, stats) in &bulkheads {
        text.sample(&[("name", name)], f64::from(stats.running));
    }
    text.family("resilience_bulkhead_queued", "gauge", "Calls that wait for a place of the bulkhead.");
    for (name, stats) in &bulkheads {
        text.sample(&[("name", name)], f64::from(stats.queued));
    }
    text.family("resilience_bulkhead_calls_total", "counter", "Calls by what became of them at the bulkhead.");
    for (name, stats) in &bulkheads {
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
