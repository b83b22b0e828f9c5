use std::collections::VecDeque;
use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use napi_ohos::sys;

use crate::lock::lock;
use crate::napi::js::Scope;

type OnRing = unsafe extern "C" fn(sys::napi_env, sys::napi_value, *mut c_void, *mut c_void);

/// Tasks that wait to be polled, and the bell that calls the JS thread to them. The only part of a runtime that other
/// threads touch.
///
/// Whoever pushes a task rings, unless the JS thread is inside `Runtime::enter` and will look here before it leaves.
/// Neither can miss the other: the pusher adds to `waiting` and then reads `entered`, the JS thread clears `entered` and
/// then reads `waiting`, all in one order (`SeqCst`).
pub struct Queue {
    entered: AtomicBool,
    waiting: AtomicUsize,
    ready: Mutex<VecDeque<usize>>,
    bell: Mutex<Bell>,
}

struct Bell {
    function: Option<ThreadsafeFunction>,
    /// It rang and the JS thread has not come yet: no need to ring again.
    ringing: bool,
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
        Self {
            entered: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            ready: Mutex::default(),
            bell: Mutex::new(Bell { function, ringing: false }),
        }
    }

    /// From any thread: this task can go on.
    pub fn push(&self, task: usize) {
        lock(&self.ready).push_back(task);
        self.waiting.fetch_add(1, Ordering::SeqCst);
        if !self.entered.load(Ordering::SeqCst) {
            self.ring();
        }
    }

    /// From any thread: call the JS thread.
    pub fn ring(&self) {
        let mut bell = lock(&self.bell);
        if let Bell { function: Some(ThreadsafeFunction(function)), ringing: ringing @ false } = &mut *bell {
            *ringing = true;
            // SAFETY: not released, see `close`.
            unsafe {
                let mode = sys::ThreadsafeFunctionCallMode::nonblocking;
                sys::napi_call_threadsafe_function(*function, ptr::null_mut(), mode);
            }
        }
    }

    /// The JS thread answers the bell.
    pub fn answered(&self) {
        lock(&self.bell).ringing = false;
    }

    /// The JS thread comes in.
    pub fn begin(&self) {
        self.entered.store(true, Ordering::SeqCst);
    }

    /// The JS thread goes out. False: a task came at the last moment, stay.
    pub fn end(&self) -> bool {
        self.entered.store(false, Ordering::SeqCst);
        if self.waiting.load(Ordering::SeqCst) == 0 {
            return true;
        }
        self.begin();
        false
    }

    pub fn next(&self) -> Option<usize> {
        if self.waiting.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let task = lock(&self.ready).pop_front();
        if task.is_some() {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
        task
    }

    /// The environment goes down: nobody rings any more.
    pub fn close(&self) {
        if let Some(ThreadsafeFunction(function)) = lock(&self.bell).function.take() {
            // SAFETY: made in `new`, released once; callers on other threads are kept out by the lock.
            unsafe { sys::napi_release_threadsafe_function(function, sys::ThreadsafeFunctionReleaseMode::abort) };
        }
    }
}
