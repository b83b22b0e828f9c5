//! Link settings of ohos-rs for OHOS targets; nothing on a host.
fn main() {
    napi_build_ohos::setup();
}
