use napi_derive_ohos::napi;

/// Version of this module.
#[napi]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
