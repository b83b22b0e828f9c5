//! The one error that every constructor of this crate can give.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::millis::millis;
use crate::text::shortened;

/// A configuration value that is not allowed. Nothing was built.
///
/// ```
/// use resilience::backoff::BackoffConfig;
///
/// let error = BackoffConfig { factor: f64::NAN, ..Default::default() }.build().unwrap_err();
/// assert_eq!(error.to_string(), "factor: got NaN, allowed: a finite number from 1 to 1000");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: got {value}, allowed: {allowed}")]
pub struct InvalidConfig {
    /// Name of the field, as ArkTS spells it (`maxRetries`, `cooldownMs`).
    pub field: &'static str,
    /// The value that was given, shortened when long.
    pub value: String,
    /// What is allowed instead, with the range.
    pub allowed: String,
}

impl InvalidConfig {
    /// Names the field, the value and what is allowed.
    pub fn new(field: &'static str, value: impl Display, allowed: impl Into<String>) -> Self {
        Self { field, value: shortened(&value.to_string(), 80), allowed: allowed.into() }
    }
}

/// The longest time that any option takes: 365 days. Longer is a mistake in units.
pub const MAX_DURATION: Duration = Duration::from_secs(365 * 24 * 3600);

/// Checks that `value` is in `range` and says so in ArkTS terms if not.
pub(crate) fn in_range<T: PartialOrd + Display>(
    field: &'static str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), InvalidConfig> {
    kind_in_range(field, value, range, "a finite number")
}

/// As [`in_range`], for what is counted.
pub(crate) fn count_in_range(field: &'static str, count: u32, range: RangeInclusive<u32>) -> Result<(), InvalidConfig> {
    kind_in_range(field, count, range, "a whole number")
}

fn kind_in_range<T: PartialOrd + Display>(
    field: &'static str,
    value: T,
    range: RangeInclusive<T>,
    kind: &str,
) -> Result<(), InvalidConfig> {
    if range.contains(&value) {
        return Ok(());
    }
    let (min, max) = range.into_inner();
    Err(InvalidConfig::new(field, value, format!("{kind} from {min} to {max}")))
}

/// Checks a time against `min` and [`MAX_DURATION`]; the message counts in milliseconds.
pub(crate) fn duration_in_range(field: &'static str, value: Duration, min: Duration) -> Result<(), InvalidConfig> {
    if min <= value && value <= MAX_DURATION {
        return Ok(());
    }
    let allowed = format!("a finite number from {} to {}", millis(min), millis(MAX_DURATION));
    Err(InvalidConfig::new(field, millis(value), allowed))
}

/// Checks that `value` is a share: above 0, up to 1.
pub(crate) fn is_share(field: &'static str, value: f64) -> Result<(), InvalidConfig> {
    if value > 0.0 && value <= 1.0 {
        return Ok(());
    }
    Err(InvalidConfig::new(field, value, "a number above 0, up to 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_error_names_field_value_and_range() {
        let error = duration_in_range("attemptTimeoutMs", Duration::ZERO, Duration::from_millis(1)).unwrap_err();
        assert_eq!(error.to_string(), "attemptTimeoutMs: got 0, allowed: a finite number from 1 to 31536000000");
    }
}
