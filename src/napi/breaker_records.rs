//! What ArkTS gets of a breaker: its events and its counts.

use napi_derive_ohos::napi;

use super::breaker::BreakerState;
use super::js::{Scope, Value};
use super::records::to_js;
use crate::breaker::{self, BreakerEvent as CoreEvent, BreakerState as CoreState};
use crate::millis::{millis, whole_millis};

/// One change of a breaker's state.
#[napi(object, object_from_js = false)]
pub struct BreakerEvent {
    /// State before.
    #[napi(ts_type = "BreakerState")]
    pub from: BreakerState,
    /// State after.
    #[napi(ts_type = "BreakerState")]
    pub to: BreakerState,
    /// `'failures'`, `'window'`, `'opened_at_once'`, `'probe_failed'`, `'cooldown_over'`, `'probe_succeeded'`, `'manual'` or
    /// `'restored'`.
    pub reason: String,
    /// When, in milliseconds on the breaker's clock.
    pub at_ms: f64,
    /// Failures in a row at that moment, or failures in its window.
    pub failures: u32,
    /// How long it will stay open, in milliseconds; 0 unless it opened.
    pub cooldown_ms: f64,
}

/// A breaker's event as a JS value.
pub fn breaker_event(scope: Scope, event: &CoreEvent) -> Result<Value, Value> {
    let record = BreakerEvent {
        from: event.from.into(),
        to: event.to.into(),
        reason: event.reason.as_str().to_owned(),
        at_ms: millis(event.at.since_origin()),
        failures: event.failures,
        cooldown_ms: whole_millis(event.cooldown),
    };
    to_js(scope, record)
}

/// What a breaker has seen since it was made.
#[napi(object, object_from_js = false)]
pub struct BreakerStats {
    /// Results counted as success.
    pub successes: f64,
    /// Results counted as failure.
    pub failures: f64,
    /// Results that say nothing about the service.
    pub neutral: f64,
    /// Results that came too late to count.
    pub stale: f64,
    /// Calls not admitted.
    pub rejected: f64,
    /// Times it opened.
    pub opened: f64,
    /// Times it became half-open.
    pub half_opened: f64,
    /// Times it closed again.
    pub closed: f64,
    /// Listeners that threw.
    pub listener_errors: f64,
}

impl BreakerStats {
    pub fn new(stats: breaker::BreakerStats, listener_errors: u64) -> Self {
        Self {
            successes: stats.successes as f64,
            failures: stats.failures as f64,
            neutral: stats.neutral as f64,
            stale: stats.stale as f64,
            rejected: stats.rejected as f64,
            opened: stats.opened as f64,
            half_opened: stats.half_opened as f64,
            closed: stats.closed as f64,
            listener_errors: (stats.listener_errors + listener_errors) as f64,
        }
    }
}

/// Calls that the window of a breaker holds.
#[napi(object, object_from_js = false)]
pub struct WindowCounts {
    /// Completed.
    pub total: u32,
    /// Of these, failed.
    pub failed: u32,
    /// Of these, slow; a call may be both.
    pub slow: u32,
}

impl From<breaker::WindowCounts> for WindowCounts {
    fn from(counts: breaker::WindowCounts) -> Self {
        Self { total: counts.total, failed: counts.failed, slow: counts.slow }
    }
}

/// As article 004 spells it.
pub fn circuit_state(state: CoreState) -> String {
    let word = match state {
        CoreState::Closed => "closed",
        CoreState::Open => "open",
        CoreState::HalfOpen => "halfOpen",
    };
    word.to_owned()
}
