//! A module of faults for tests/scripts/sanitize.test.sh. It ships nowhere.
#![allow(non_camel_case_types)]
use std::ffi::{CStr, c_char, c_void};
use std::hint::black_box;
use std::ptr;

type napi_env = *mut c_void;
type napi_value = *mut c_void;
type napi_callback = extern "C" fn(napi_env, *mut c_void) -> napi_value;

unsafe extern "C" {
    fn napi_create_function(env: napi_env, name: *const c_char, length: usize, callback: napi_callback, data: *mut c_void, function: *mut napi_value) -> i32;
    fn napi_set_named_property(env: napi_env, object: napi_value, name: *const c_char, value: napi_value) -> i32;
    fn napi_create_object(env: napi_env, object: *mut napi_value) -> i32;
    fn napi_create_reference(env: napi_env, value: napi_value, count: u32, reference: *mut *mut c_void) -> i32;
}

extern "C" fn nothing(_env: napi_env, _info: *mut c_void) -> napi_value {
    drop(black_box(Box::new([0u8; 100])));
    ptr::null_mut()
}

#[inline(never)]
fn read(pointer: *const u8) {
    black_box(unsafe { pointer.read() });
}

extern "C" fn use_after_free(_env: napi_env, _info: *mut c_void) -> napi_value {
    let freed = Box::into_raw(black_box(Box::new(7u8)));
    drop(unsafe { Box::from_raw(freed) });
    read(freed);
    ptr::null_mut()
}

extern "C" fn overflow(_env: napi_env, _info: *mut c_void) -> napi_value {
    let bytes = black_box(vec![1u8; 100]);
    read(bytes.as_ptr().wrapping_add(100));
    ptr::null_mut()
}

extern "C" fn leak(_env: napi_env, _info: *mut c_void) -> napi_value {
    black_box(Box::into_raw(black_box(Box::new([0u8; 1000]))));
    ptr::null_mut()
}

extern "C" fn leak_reference(env: napi_env, _info: *mut c_void) -> napi_value {
    let (mut object, mut reference) = (ptr::null_mut(), ptr::null_mut());
    unsafe {
        napi_create_object(env, &mut object);
        napi_create_reference(env, object, 1, &mut reference);
    }
    ptr::null_mut()
}

#[unsafe(no_mangle)]
pub extern "C" fn napi_register_module_v1(env: napi_env, exports: napi_value) -> napi_value {
    let functions: [(&CStr, napi_callback); 5] =
        [(c"nothing", nothing), (c"useAfterFree", use_after_free), (c"overflow", overflow), (c"leak", leak), (c"leakReference", leak_reference)];
    for (name, callback) in functions {
        let mut function = ptr::null_mut();
        unsafe {
            napi_create_function(env, name.as_ptr(), usize::MAX, callback, ptr::null_mut(), &mut function);
            napi_set_named_property(env, exports, name.as_ptr(), function);
        }
    }
    exports
}
