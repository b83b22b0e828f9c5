//! Times as ArkTS counts them: in milliseconds.

use std::time::Duration;

/// With its fraction.
pub(crate) fn millis(duration: Duration) -> f64 {
    // From the integer: whole milliseconds stay whole, where seconds times 1000 gives 1000.999… for 1001.
    duration.as_nanos() as f64 / 1e6
}

/// Rounded up: a wait that is named must not be too short.
pub(crate) fn whole_millis(duration: Duration) -> f64 {
    duration.as_nanos().div_ceil(1_000_000) as f64
}
