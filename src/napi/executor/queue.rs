use std::collections::VecDeque;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use napi_ohos::sys;

use crate::napi::js::Scope;

/// Tasks that wait to be polled, and the bell that calls the JS thread to them. The only part of a runtime that other
/// threads touch.
pub struct Queue(Mutex<State>);

struct State {
    ready: VecDeque<usize>,
    /// The JS thread is inside `Runtime::enter` and will look into `ready` before it leaves: no need to ring.
    entered: bool,
    /// The bell rang and the JS thread has not come yet: no need to ring again.
    ringing: bool,
    bell: Option<Bell>,
}

struct Bell(sys::napi_threadsafe_function);

// SAFETY: a threadsafe function may be called from any thread until it is released, which `close` does under the lock.
unsafe impl Send for Bell {}

impl Queue {
    pub fn new(
        scope: Scope,
        on_ring: unsafe extern "C" fn(sys::napi_env, sys::napi_value, *mut std::ffi::c_void, *mut std::ffi::c_void),
    ) -> Self {
        let (env, name) = (scope.env(), scope.string("resilience"));
        let mut bell = ptr::null_mut();
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
                &mut bell,
            );
            if !bell.is_null() {
                sys::napi_unref_threadsafe_function(env, bell);
            }
        }
        let bell = (!bell.is_null()).then_some(Bell(bell));
        Self(Mutex::new(State { ready: VecDeque::new(), entered: false, ringing: false, bell }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From any thread: this task can go on.
    pub fn push(&self, task: usize) {
        let mut state = self.state();
        state.ready.push_back(task);
        if !state.entered {
            state.ring();
        }
    }

    /// From any thread: call the JS thread.
    pub fn ring(&self) {
        self.state().ring();
    }

    /// The JS thread comes in.
    pub fn begin(&self) {
        let mut state = self.state();
        (state.entered, state.ringing) = (true, false);
    }

    /// The JS thread goes out.
    pub fn end(&self) {
        self.state().entered = false;
    }

    pub fn next(&self) -> Option<usize> {
        self.state().ready.pop_front()
    }

    /// The next task; with none the JS thread is out, in the same step: a task pushed from now on rings.
    pub fn next_or_end(&self) -> Option<usize> {
        let mut state = self.state();
        let task = state.ready.pop_front();
        state.entered = task.is_some();
        task
    }

    /// The environment goes down: nobody rings any more.
    pub fn close(&self) {
        let mut state = self.state();
        state.ready.clear();
        if let Some(Bell(bell)) = state.bell.take() {
            // SAFETY: made in `new`, released once; callers on other threads are kept out by the lock.
            unsafe { sys::napi_release_threadsafe_function(bell, sys::ThreadsafeFunctionReleaseMode::abort) };
        }
    }
}

impl State {
    fn ring(&mut self) {
        let Some(Bell(bell)) = &self.bell else { return };
        if !std::mem::replace(&mut self.ringing, true) {
            // SAFETY: not released, see `close`.
            unsafe {
                sys::napi_call_threadsafe_function(
                    *bell,
                    ptr::null_mut(),
                    sys::ThreadsafeFunctionCallMode::nonblocking,
                );
            }
        }
    }
}
