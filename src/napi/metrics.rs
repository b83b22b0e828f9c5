//! What all named breakers and bulkheads have seen.

use napi_derive_ohos::napi;
use napi_ohos::{Env, Result};

use super::breaker::BreakerState;
use super::breaker_records::BreakerStats;
use super::bulkhead::BulkheadStats;
use super::executor::Runtime;
use super::js::Scope;
use super::records::wait_ms;
use crate::metrics;

/// What all named breakers and bulkheads have seen.
#[napi(object, object_from_js = false)]
pub struct Metrics {
    /// Those of `CircuitBreaker.named` and of `createBreaker` with a name, sorted by name.
    #[napi(ts_type = "Array<BreakerMetrics>")]
    pub breakers: Vec<BreakerMetrics>,
    /// Those of `BulkheadManager`, sorted by name.
    #[napi(ts_type = "Array<BulkheadMetrics>")]
    pub bulkheads: Vec<BulkheadMetrics>,
}

/// One breaker of `Metrics`.
#[napi(object, object_from_js = false)]
pub struct BreakerMetrics {
    /// Its name.
    pub name: String,
    /// The state that it is in.
    #[napi(ts_type = "BreakerState")]
    pub state: BreakerState,
    /// Milliseconds until a call may be admitted; Infinity while isolated.
    pub retry_after_ms: f64,
    /// Failures in a row.
    pub consecutive_failures: u32,
    /// What it has seen since it was made. `listenerErrors` are only those that the listeners' own instances don't know of.
    #[napi(ts_type = "BreakerStats")]
    pub stats: BreakerStats,
}

/// One bulkhead of `Metrics`.
#[napi(object, object_from_js = false)]
pub struct BulkheadMetrics {
    /// Its name.
    pub name: String,
    /// What it has seen since it was made.
    #[napi(ts_type = "BulkheadStats")]
    pub stats: BulkheadStats,
}

/// What all named breakers and bulkheads of the process have seen, as text for Prometheus (exposition format 0.0.4): what
/// an endpoint `/metrics` gives. Whatever has a name is in it from the moment it is made.
#[napi]
pub fn prometheus_text(env: Env) -> Result<String> {
    let runtime = Runtime::of(Scope::of(env));
    Ok(runtime.enter(|_| metrics::prometheus_text())?)
}

/// The same as `prometheusText()`, as an object.
#[napi(js_name = "metrics")]
pub fn metrics_record(env: Env) -> Result<Metrics> {
    let runtime = Runtime::of(Scope::of(env));
    Ok(runtime.enter(|_| metrics::Metrics::of_all().into())?)
}

impl From<metrics::Metrics> for Metrics {
    fn from(metrics: metrics::Metrics) -> Self {
        let breaker = |breaker: metrics::BreakerMetrics| BreakerMetrics {
            name: breaker.name,
            state: breaker.state.into(),
            retry_after_ms: wait_ms(breaker.retry_after),
            consecutive_failures: breaker.consecutive_failures,
            stats: BreakerStats::new(breaker.stats, 0),
        };
        let bulkhead =
            |bulkhead: metrics::BulkheadMetrics| BulkheadMetrics { name: bulkhead.name, stats: bulkhead.stats.into() };
        Self {
            breakers: metrics.breakers.into_iter().map(breaker).collect(),
            bulkheads: metrics.bulkheads.into_iter().map(bulkhead).collect(),
        }
    }
}
