use std::ffi::c_void;
use std::ptr;

use napi_ohos::sys;

use crate::lock::lock;
use crate::napi::js::Scope;
use crate::sync::Mutex;

type OnRing = unsafe extern "C" fn(sys::napi_env, sys::napi_value, *mut c_void, *mut c_void);

/// The bell that calls the JS thread, and the tasks that it is called for. The only part of a runtime that other threads
/// touch.
pub struct Queue(Mutex<Bell>);

struct Bell {
    function: Option<ThreadsafeFunction>,
    /// It rang and the JS thread has not come yet: no need to ring again.
    ringing: bool,
    woken: Vec<usize>,
}

struct ThreadsafeFunction(sys::napi_threadsafe_function);

// SAFETY: it may be called from any thread until it is released, which `close` does under the lock.
unsafe impl Send for ThreadsafeFunction {}

impl Queue {
    pub fn new(scope: Scope, on_ring: OnRing) -> Self {
        let (env, name) = (scope.env(), scope.string("resilience"));
        let mut function = ptr::null_mut();
        // SAFETY: live values; no JS function, since `on_ring` is the callback; released in `close`. Weak: an app or a
        // process may end while a timer is pending.
        unsafe {
            sys::napi_create_threadsafe_function(
                env,
                ptr::null_mut(),
                ptr::null_mut(),
                name,
                0,
                1,
                ptr::null_mut(),
                None,
                ptr::null_mut(),
                Some(on_ring),
                &mut function,
            );
            if !function.is_null() {
                sys::napi_unref_threadsafe_function(env, function);
            }
        }
        let function = (!function.is_null()).then_some(ThreadsafeFunction(function));
        Self(Mutex::new(Bell { function, ringing: false, woken: Vec::new() }))
    }

    /// From any thread: this task can go on.
    pub fn push(&self, task: usize) {
        let mut bell = lock(&self.0);
        bell.woken.push(task);
        bell.ring();
    }

    /// From any thread: call the JS thread.
    pub fn ring(&self) {
        lock(&self.0).ring();
    }

    /// The JS thread answers the bell and takes what it was called for.
    pub fn answer(&self) -> Vec<usize> {
        let mut bell = lock(&self.0);
        bell.ringing = false;
        std::mem::take(&mut bell.woken)
    }

    /// The environment goes down: nobody rings any more.
    pub fn close(&self) {
        if let Some(ThreadsafeFunction(function)) = lock(&self.0).function.take() {
            // SAFETY: made in `new`, released once; callers on other threads are kept out by the lock.
            unsafe { sys::napi_release_threadsafe_function(function, sys::ThreadsafeFunctionReleaseMode::abort) };
        }
    }
}

impl Bell {
    fn ring(&mut self) {
        if let Self { function: Some(ThreadsafeFunction(function)), ringing: ringing @ false, .. } = self {
            *ringing = true;
            // SAFETY: not released, see `close`.
            unsafe {
                let mode = sys::ThreadsafeFunctionCallMode::nonblocking;
                sys::napi_call_threadsafe_function(*function, ptr::null_mut(), mode);
            }
        }
    }
}
