//! What all plain records are made with.

use std::time::Duration;

use napi_ohos::Either;

use super::js::{Scope, Value};
use crate::millis::whole_millis;

/// Any record as a JS value. `Err`: what the engine threw, for a setter of the app that every object inherits.
pub fn to_js<T: napi_ohos::bindgen_prelude::ToNapiValue>(scope: Scope, record: T) -> Result<Value, Value> {
    // SAFETY: the environment of the running native call.
    let value = unsafe { T::to_napi_value(scope.env(), record) };
    value.map_err(|error| scope.take_exception().unwrap_or_else(|| scope.error(&error.reason)))
}

/// Not an Option: that becomes null.
pub fn or_undefined<T>(value: Option<T>) -> Either<T, ()> {
    value.map_or(Either::B(()), Either::A)
}

/// Of a wait that has an end: an isolated breaker's has none.
pub fn known_ms(wait: Duration) -> Option<f64> {
    (wait != Duration::MAX).then(|| whole_millis(wait))
}

/// Of a wait; Infinity where it has no end.
pub fn wait_ms(wait: Duration) -> f64 {
    known_ms(wait).unwrap_or(f64::INFINITY)
}

/// To the microsecond: what was measured is not rounded up.
pub fn measured_ms(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1_000.0
}
