//! Link settings of ohos-rs for OHOS targets; nothing on a host.
fn main() {
    napi_build_ohos::setup();
    if std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "ohos") {
        // The engine closes the library of a module that was imported dynamically once nothing holds the import. The timer
        // thread, what ends threads, and every object of ours that the app still has need its code after that.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
