//! `BackoffCalculator` of article 000.

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::Unknown;
use napi_ohos::{Env, Result};

use super::arguments::{MAX_SAFE_INTEGER, argument, returned_by};
use super::executor::Runtime;
use super::js::{Checked, Scope};
use crate::backoff::{BackoffConfig, multiplicative_delay_ms};

/// Exponential backoff with multiplicative jitter, as a pure function.
#[napi]
pub struct BackoffCalculator {}

#[napi]
impl BackoffCalculator {
    /// `floor(base · factor^(attempt − 1) · jitter)` in milliseconds, jitter in [0.5, 1.5). No cap but 2^53 − 1.
    /// Throws INVALID_ARGUMENT naming the argument; whatever `rng` throws.
    ///
    /// @param attempt the attempt that failed, from 1 to 2^32 − 1
    /// @param base wait before the first retry in milliseconds, 0 to 2^53 − 1
    /// @param factor growth from one wait to the next, 1 to 1000
    /// @param rng source of chance in [0, 1), such as `Math.random`
    #[napi(ts_args_type = "attempt: number, base: number, factor: number, rng: () => number")]
    pub fn next_delay(env: Env, attempt: Unknown, base: Unknown, factor: Unknown, rng: Unknown) -> Result<f64> {
        let scope = Scope::of(env);
        let delay = Runtime::of(scope).enter(|scope| -> Checked<f64> {
            let attempt = argument(scope, attempt, "attempt").count(1..=u32::MAX)?;
            let base = argument(scope, base, "base").number(0.0..=MAX_SAFE_INTEGER as f64)?;
            let factor = argument(scope, factor, "factor").number(BackoffConfig::FACTOR)?;
            let rng = argument(scope, rng, "rng").function()?;
            let drawn = scope.call(scope.undefined(), rng, &[])?;
            match scope.as_number(drawn) {
                Some(drawn) if (0.0..=1.0).contains(&drawn) => {
                    Ok(multiplicative_delay_ms(attempt, base, factor, drawn))
                }
                _ => Err(returned_by(scope, drawn, "rng").wrong("a function that returns a number in [0, 1)")),
            }
        });
        Ok(delay??)
    }
}
