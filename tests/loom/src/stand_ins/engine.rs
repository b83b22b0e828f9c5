//! An engine that knows threadsafe functions, and keeps watch over how they are used.

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use loom::sync::{Condvar, Mutex};

/// The names of napi-ohos.
#[allow(non_camel_case_types, non_snake_case, non_upper_case_globals, clippy::too_many_arguments)]
pub mod sys {
    use super::*;

    pub type napi_env = *mut c_void;
    pub type napi_value = *mut c_void;
    pub type napi_threadsafe_function = *mut c_void;
    type OnRing = unsafe extern "C" fn(napi_env, napi_value, *mut c_void, *mut c_void);

    pub mod ThreadsafeFunctionReleaseMode {
        pub const abort: u32 = 1;
    }

    pub mod ThreadsafeFunctionCallMode {
        pub const nonblocking: u32 = 0;
    }

    pub unsafe fn napi_create_threadsafe_function(
        env: napi_env,
        _function: napi_value,
        _resource: napi_value,
        _name: napi_value,
        _max_queue: usize,
        _threads: usize,
        _finalize_data: *mut c_void,
        _finalize: Option<()>,
        _context: *mut c_void,
        _call: Option<OnRing>,
        result: *mut napi_threadsafe_function,
    ) {
        // SAFETY: as the caller says. An environment has one function here: they are the same.
        unsafe { *result = env };
    }

    pub unsafe fn napi_unref_threadsafe_function(_env: napi_env, _function: napi_threadsafe_function) {}

    pub unsafe fn napi_release_threadsafe_function(function: napi_threadsafe_function, _mode: u32) {
        // SAFETY: the model keeps its engine.
        unsafe { &*function.cast::<Engine>() }.calls.lock().unwrap().released = true;
    }

    pub unsafe fn napi_call_threadsafe_function(function: napi_threadsafe_function, _data: *mut c_void, _mode: u32) {
        // SAFETY: the model keeps its engine.
        unsafe { &*function.cast::<Engine>() }.call();
    }
}

/// Calls of one threadsafe function.
#[derive(Default)]
pub struct Engine {
    calls: Mutex<Calls>,
    called: Condvar,
}

#[derive(Default)]
struct Calls {
    waiting: u32,
    released: bool,
}

impl Engine {
    fn call(&self) {
        let mut calls = self.calls.lock().unwrap();
        assert!(!calls.released, "called after its release");
        assert_eq!(calls.waiting, 0, "called again before the first call was answered");
        calls.waiting += 1;
        self.called.notify_one();
    }

    /// The JS thread sleeps until it is called.
    pub fn wait(&self) {
        let mut calls = self.calls.lock().unwrap();
        while calls.waiting == 0 {
            calls = self.called.wait(calls).unwrap();
        }
        calls.waiting -= 1;
    }

    pub fn scope(self: &Arc<Self>) -> Scope {
        Scope(Arc::as_ptr(self).cast_mut().cast())
    }
}

#[derive(Clone, Copy)]
pub struct Scope(sys::napi_env);

impl Scope {
    pub fn env(self) -> sys::napi_env {
        self.0
    }

    pub fn string(self, _text: &str) -> sys::napi_value {
        ptr::null_mut()
    }
}
