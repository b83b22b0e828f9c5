//! `classifyError`.

use std::time::SystemTime;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::Unknown;
use napi_ohos::{Env, JsValue, Result};

use super::arguments::argument;
use super::call_records::ErrorInfo;
use super::errors::error_facts;
use super::executor::Runtime;
use super::js::Scope;
use crate::classify::classify;

/// Judges anything that a client threw or rejected with: what kind of fault it is, whether a retry can help, how long
/// the service asks to wait. Any value is allowed; what says nothing is `Unknown`.
/// Throws INVALID_ARGUMENT when `provider` is given and no such string.
///
/// @param error reads, in this order: `class` and `retryable` of the error itself; `x-should-retry`; `status`,
/// `statusCode` or `responseCode`; HarmonyOS codes (2300000+, 1007900000+); errno names; a provider's error body in
/// `body`, `data`, `error` or `result`; a message that begins with a status
/// @param provider id or host of the provider, at most 200 bytes: some codes mean different things
#[napi(ts_args_type = "error: Object | string | number | boolean | null | undefined, provider?: string")]
pub fn classify_error(env: Env, error: Unknown, provider: Unknown) -> Result<ErrorInfo> {
    let scope = Scope::of(env);
    let provider = argument(scope, provider, "provider").optional(|provider| provider.string(200))?;
    // A getter of the error may call back.
    let judged = Runtime::of(scope).enter(|scope| {
        let facts = error_facts(scope, error.raw(), provider.as_deref());
        ErrorInfo::from(&classify(&facts, SystemTime::now()))
    });
    Ok(judged?)
}
