//! `CancelToken`.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Either, Env, JsValue, Result};

use super::arguments::{Argument, argument};
use super::errors::kind;
use super::executor::Runtime;
use super::instance::{Instance, constructing};
use super::js::{Checked, Scope, Value};
use super::kept::{Keeper, UserFunction};
use super::records::or_undefined;
use crate::cancel::{CancelReason, CancelToken as Core, Registration};
use crate::lock::lock;
use crate::log;

/// Ends the calls that it was given to, once and at once: waits end, the client in flight is told.
#[napi]
#[repr(transparent)]
pub struct CancelToken {
    instance: Instance<Token>,
}

struct Token {
    token: Core,
    runtime: Rc<Runtime>,
    /// Who can cancel: the app only, so that its listeners may go when it lets go of the token, or an attempt, which
    /// needs them to the end (and drops them then).
    of_attempt: bool,
    keeper: OnceCell<Rc<Keeper>>,
    registrations: Registrations,
    next_id: Cell<u32>,
}

/// The listeners that are neither told nor taken back, by number. Shared with them: they stay registered when a client
/// lets go of the token itself.
#[derive(Clone, Default)]
struct Registrations(Arc<Mutex<BTreeMap<u32, Registration>>>);

impl Registrations {
    fn add(&self, id: u32, registration: Registration) {
        lock(&self.0).insert(id, registration);
    }

    /// Once for each.
    fn remove(&self, id: u32) -> bool {
        let removed = lock(&self.0).remove(&id);
        // Dropped when the lock is free again: it frees the app's function.
        removed.is_some()
    }
}

impl CancelToken {
    /// The token of an attempt.
    pub fn of_attempt(runtime: Rc<Runtime>, token: Core) -> Self {
        Self::with(runtime, token, true)
    }

    fn with(runtime: Rc<Runtime>, token: Core, of_attempt: bool) -> Self {
        let (registrations, next_id) = (Registrations::default(), Cell::new(1));
        let token = Token { token, runtime, of_attempt, keeper: OnceCell::new(), registrations, next_id };
        Self { instance: Instance::new(token) }
    }

    /// `None`: an instance of another class under a false flag.
    pub fn core(&self) -> Option<&Core> {
        self.instance.content().map(|content| &content.token)
    }
}

impl Token {
    fn keep(&self, instance: Value, listener: Argument) -> Checked<UserFunction> {
        if self.of_attempt {
            return listener.reference(&self.runtime).map(UserFunction::new);
        }
        listener.kept_function(self.keeper.get_or_init(|| Keeper::new(&self.runtime, listener.scope(), instance)))
    }
}

#[napi]
impl CancelToken {
    /// A token that is not cancelled.
    #[napi(constructor, ts_args_type = "")]
    pub fn new(env: Env, this: This) -> Result<Self> {
        let scope = constructing::<Self>(env, &this)?;
        Ok(Self::with(Runtime::of(scope), Core::new(), false))
    }

    /// Cancels. Only the first call counts.
    #[napi]
    pub fn cancel(&self, env: Env) -> Result<()> {
        let this = self.instance.of(env)?;
        Ok(this.runtime.enter(|_| this.token.cancel(CancelReason::Cancelled))?)
    }

    /// Whether it is cancelled.
    #[napi(getter)]
    pub fn cancelled(&self, env: Env) -> Result<bool> {
        Ok(self.instance.of(env)?.token.is_cancelled())
    }

    /// `'cancelled'` by the app, or `'timeout'` of the attempt; undefined while it is neither.
    #[napi(getter, ts_return_type = "string | undefined")]
    pub fn reason(&self, env: Env) -> Result<Either<&'static str, ()>> {
        Ok(or_undefined(self.instance.of(env)?.token.reason().map(CancelReason::as_str)))
    }

    /// Calls `listener` with the reason when the token is cancelled, at once if it already is: the place to destroy an
    /// HTTP request. What a listener throws is logged.
    /// Throws INVALID_ARGUMENT when `listener` is no function.
    ///
    /// @returns a number for `offCancel`
    #[napi(ts_args_type = "listener: (reason: string) => void")]
    pub fn on_cancel(&self, env: Env, this: This, listener: Unknown) -> Result<u32> {
        let (scope, instance) = (Scope::of(env), this.raw());
        let this = self.instance.of(env)?;
        let function = this.keep(instance, argument(scope, listener, "listener"))?;
        let tell = move |reason: CancelReason| {
            let failed =
                |scope: Scope, thrown| log::warn(format_args!("a cancel listener failed: {}", kind(scope, thrown)));
            function.tell(|scope| Ok(scope.string(reason.as_str())), failed);
        };
        let id = this.next_id.replace(this.next_id.get().wrapping_add(1));
        if let Some(reason) = this.token.reason() {
            tell(reason);
            return Ok(id);
        }
        let registrations = this.registrations.clone();
        let tell = move |reason| {
            // Another listener may have taken it back a moment ago.
            if registrations.remove(id) {
                tell(reason)
            }
        };
        let registration = this.token.on_cancel(tell);
        registration.into_iter().for_each(|registration| this.registrations.add(id, registration));
        Ok(id)
    }

    /// Forgets a listener.
    /// Throws INVALID_ARGUMENT when `id` is no whole number.
    ///
    /// @returns false when there is none of that number
    #[napi(ts_args_type = "id: number")]
    pub fn off_cancel(&self, env: Env, id: Unknown) -> Result<bool> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let id = argument(scope, id, "id").count(0..=u32::MAX)?;
        Ok(this.registrations.remove(id))
    }
}
