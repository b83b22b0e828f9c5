//! What ArkTS sees.
use napi_derive_ohos::napi;

/// Version of the module.
#[napi]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
