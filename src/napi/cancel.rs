//! `CancelToken`.

use std::cell::RefCell;
use std::rc::Rc;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::Unknown;
use napi_ohos::{Env, Result};

use super::arguments::{argument, scope_of};
use super::executor::Runtime;
use super::kept::{Reference, UserFunction};
use crate::cancel::{CancelReason, CancelToken as Core, Registration};
use crate::log;

/// Ends the calls that it was given to, once and at once: waits end, the client in flight is told.
#[napi]
pub struct CancelToken {
    token: Core,
    runtime: Rc<Runtime>,
    registrations: RefCell<Vec<(u32, Registration)>>,
    next_id: RefCell<u32>,
}

impl CancelToken {
    pub fn of(runtime: Rc<Runtime>, token: Core) -> Self {
        Self { token, runtime, registrations: RefCell::default(), next_id: RefCell::default() }
    }

    pub fn core(&self) -> &Core {
        &self.token
    }
}

#[napi]
impl CancelToken {
    /// A token that is not cancelled.
    #[napi(constructor)]
    pub fn new(env: Env) -> Self {
        Self::of(Runtime::of(scope_of(env)), Core::new())
    }

    /// Cancels. Only the first call counts.
    #[napi]
    pub fn cancel(&self) {
        self.runtime.enter(|_| self.token.cancel(CancelReason::Cancelled));
        self.registrations.borrow_mut().clear();
    }

    /// Whether it is cancelled.
    #[napi(getter)]
    pub fn cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// `'cancelled'` by the app, or `'timeout'` of the attempt; undefined while it is neither.
    #[napi(getter, ts_return_type = "string | undefined")]
    pub fn reason(&self) -> Option<String> {
        self.token.reason().map(|reason| reason.as_str().to_owned())
    }

    /// Calls `listener` with the reason when the token is cancelled, at once if it already is: the place to destroy an
    /// HTTP request. What a listener throws is logged.
    ///
    /// @returns a number for `offCancel`
    /// @throws INVALID_ARGUMENT when `listener` is no function
    #[napi(ts_args_type = "listener: (reason: string) => void")]
    pub fn on_cancel(&self, env: Env, listener: Unknown) -> Result<u32> {
        let scope = scope_of(env);
        let function = argument(scope, listener, "listener").function().map_err(|error| error.throw(scope))?;
        let Some(function) = Reference::new(&self.runtime, scope, function).map(UserFunction::new) else {
            return Ok(0);
        };
        let tell = move |reason: CancelReason| {
            let thrown = function.call(|scope| [scope.string(reason.as_str())], |_, result| result.is_err());
            if thrown == Some(true) {
                log::warn(format_args!("a cancel listener threw"));
            }
        };
        *self.next_id.borrow_mut() += 1;
        let id = *self.next_id.borrow();
        match self.token.reason() {
            Some(reason) => tell(reason),
            None => self.registrations.borrow_mut().extend(self.token.on_cancel(tell).map(|place| (id, place))),
        }
        Ok(id)
    }

    /// Forgets a listener.
    ///
    /// @returns false when there is none of that number
    /// @throws INVALID_ARGUMENT when `id` is no whole number
    #[napi(ts_args_type = "id: number")]
    pub fn off_cancel(&self, env: Env, id: Unknown) -> Result<bool> {
        let scope = scope_of(env);
        let id = argument(scope, id, "id").integer(0, u64::from(u32::MAX)).map_err(|error| error.throw(scope))?;
        let mut registrations = self.registrations.borrow_mut();
        let before = registrations.len();
        let removed: Vec<_> = registrations.extract_if(.., |(place, _)| u64::from(*place) == id).collect();
        let found = registrations.len() < before;
        // Not while borrowed: dropping a registration frees the app's function.
        drop(registrations);
        drop(removed);
        Ok(found)
    }
}
