//! The library itself, as the engine opens it.

use std::ffi::CStr;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use napi_ohos::bindgen_prelude::napi_register_module_v1;
use napi_ohos::sys;

/// As ArkTS imports it, without `lib` and `.so`.
const NAME: &CStr = c"resilience";

/// The engine calls this each time that it has opened the library. The first time the constructor that napi-ohos writes
/// has registered the module. But the engine forgets what was imported dynamically when the app lets go of it, and closes
/// its library; this one stays open (`build.rs` says why), so at the next import there is no constructor any more.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
extern "C" fn napi_onLoad() {
    static OPENED: AtomicBool = AtomicBool::new(false);
    if !OPENED.swap(true, Ordering::Relaxed) {
        return;
    }
    let mut module = sys::napi_module {
        nm_version: 1,
        nm_flags: 0,
        nm_filename: ptr::null(),
        nm_register_func: Some(napi_register_module_v1),
        nm_modname: NAME.as_ptr(),
        nm_priv: ptr::null_mut(),
        reserved: [ptr::null_mut(); 4],
    };
    // SAFETY: the engine copies what it is given.
    unsafe { sys::napi_module_register(&mut module) };
}
