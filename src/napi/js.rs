//! The few Node-API calls that this layer needs, as safe functions on a [`Scope`].
//!
//! A [`Scope`] stands for "we are on the JS thread, inside a native call, with a handle scope open". Values live as long
//! as it does, which their type can't say (they pass through futures that are polled inside one scope); so nothing keeps
//! a [`Value`] over an await: what must live longer becomes a [`Kept`](super::kept::Kept).
//!
//! Every call that can run JS clears an exception that it leaves pending, see [`Scope::call`]: an engine that finds one
//! pending after a native callback may stop all async work.

mod properties;
mod text;

use std::ptr;

use napi_ohos::bindgen_prelude::Unknown;
use napi_ohos::{Env, Error, Status, sys};

pub type Value = sys::napi_value;

/// Type of a JS value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Undefined,
    Null,
    Boolean,
    Number,
    String,
    Object,
    Function,
    /// Symbol, bigint, external.
    Other,
}

impl Type {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Undefined => "undefined",
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Object => "an object",
            Self::Function => "a function",
            Self::Other => "a value of another type",
        }
    }
}

/// An exception that is not pending: taken off the engine, or not thrown yet.
///
/// It becomes pending where an exported function returns it (`?` turns it into napi-ohos's error), not before: while one
/// is pending, most of Node-API does nothing. napi-ohos's own way, an error made of the value, puts the exception and its
/// causes into words first, which runs the app's code, and has crashed on a cause that is its own cause.
#[derive(Debug, Clone, Copy)]
pub struct Thrown {
    scope: Scope,
    pub value: Value,
}

/// What a function gives that may end with an exception.
pub type Checked<T> = Result<T, Thrown>;

impl From<Thrown> for Error {
    fn from(Thrown { scope, value }: Thrown) -> Self {
        // SAFETY: a live value of the scope, on its thread.
        let throw = |value| unsafe { sys::napi_throw(scope.env, value) } == sys::Status::napi_ok;
        if !throw(value) {
            // Ark lets native code throw errors only.
            let error = scope.error("a function of the app threw what is no error");
            scope.set(error, c"cause", value);
            throw(error);
        }
        // Tells napi-ohos that there is nothing to throw any more.
        Self::new(Status::PendingException, String::new())
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Scope {
    env: sys::napi_env,
}

impl Scope {
    /// `env` must be the environment of the native call that is running, on its own thread.
    pub const fn new(env: sys::napi_env) -> Self {
        Self { env }
    }

    /// The same, as napi-ohos hands it to an exported function.
    pub fn of(env: Env) -> Self {
        Self::new(env.raw())
    }

    pub const fn env(self) -> sys::napi_env {
        self.env
    }

    /// A value as an exported function returns it.
    pub fn unknown(self, value: Value) -> Unknown<'static> {
        // SAFETY: a live value of this scope, which is that of the function that returns it.
        unsafe { Unknown::from_raw_unchecked(self.env, value) }
    }

    /// What throws `value`.
    pub fn thrown(self, value: Value) -> Thrown {
        Thrown { scope: self, value }
    }

    /// The promise that `start` gives, or one that is rejected with what it refuses.
    pub fn promise_of(self, start: impl FnOnce() -> Checked<Value>) -> Unknown<'static> {
        start().map_or_else(|error| self.rejected(error), |promise| self.unknown(promise))
    }

    /// A promise that is rejected: who awaits a call expects all its errors there.
    pub fn rejected(self, thrown: Thrown) -> Unknown<'static> {
        let (deferred, promise) = self.promise();
        self.reject(deferred, thrown.value);
        self.unknown(promise)
    }

    /// Runs `work` with handles of its own, which are gone afterwards: where no native call is running, and in loops.
    pub fn with_handles<T>(self, work: impl FnOnce() -> T) -> T {
        struct Handles(sys::napi_env, sys::napi_handle_scope);
        // On a panic, too: Node ends the process when one stays open.
        impl Drop for Handles {
            fn drop(&mut self) {
                // SAFETY: opened below, and every scope that was opened since is closed.
                unsafe { sys::napi_close_handle_scope(self.0, self.1) };
            }
        }
        let mut handles = ptr::null_mut();
        // SAFETY: on the JS thread; closed when the work is done.
        unsafe { sys::napi_open_handle_scope(self.env, &mut handles) };
        let _handles = Handles(self.env, handles);
        work()
    }

    pub fn type_of(self, value: Value) -> Type {
        let mut kind = sys::ValueType::napi_undefined;
        // SAFETY: a live value of this scope; `kind` outlives the call.
        unsafe { sys::napi_typeof(self.env, value, &mut kind) };
        match kind {
            sys::ValueType::napi_undefined => Type::Undefined,
            sys::ValueType::napi_null => Type::Null,
            sys::ValueType::napi_boolean => Type::Boolean,
            sys::ValueType::napi_number => Type::Number,
            sys::ValueType::napi_string => Type::String,
            sys::ValueType::napi_object => Type::Object,
            sys::ValueType::napi_function => Type::Function,
            _ => Type::Other,
        }
    }

    pub fn undefined(self) -> Value {
        // SAFETY: no argument but the environment.
        self.make(|result| unsafe { sys::napi_get_undefined(self.env, result) })
    }

    pub fn global(self) -> Value {
        // SAFETY: no argument but the environment.
        self.make(|result| unsafe { sys::napi_get_global(self.env, result) })
    }

    pub fn null(self) -> Value {
        // SAFETY: no argument but the environment.
        self.make(|result| unsafe { sys::napi_get_null(self.env, result) })
    }

    pub fn boolean(self, value: bool) -> Value {
        // SAFETY: plain data in, a value of this scope out.
        self.make(|result| unsafe { sys::napi_get_boolean(self.env, value, result) })
    }

    pub fn number(self, value: f64) -> Value {
        // SAFETY: plain data in, a value of this scope out.
        self.make(|result| unsafe { sys::napi_create_double(self.env, value, result) })
    }

    pub fn object(self) -> Value {
        // SAFETY: no argument but the environment.
        self.make(|result| unsafe { sys::napi_create_object(self.env, result) })
    }

    pub fn error(self, message: &str) -> Value {
        let message = self.string(message);
        // SAFETY: `message` is a live string; no code is given.
        self.make(|result| unsafe { sys::napi_create_error(self.env, ptr::null_mut(), message, result) })
    }

    /// A new promise and what settles it.
    pub fn promise(self) -> (Deferred, Value) {
        let mut deferred = ptr::null_mut();
        // SAFETY: both results outlive the call.
        let promise = self.make(|result| unsafe { sys::napi_create_promise(self.env, &mut deferred, result) });
        (Deferred(deferred), promise)
    }

    pub fn resolve(self, deferred: Deferred, value: Value) {
        // SAFETY: `deferred` came from `promise` and is used up here, once: `Deferred` is not `Copy`.
        if unsafe { sys::napi_resolve_deferred(self.env, deferred.0, value) } != sys::Status::napi_ok {
            // A getter `then` has thrown. The promise is rejected with that, and it is pending besides.
            self.take_exception();
        }
    }

    pub fn reject(self, deferred: Deferred, error: Value) {
        // SAFETY: as in `resolve`.
        unsafe { sys::napi_reject_deferred(self.env, deferred.0, error) };
    }

    /// The number, if it is one.
    pub fn as_number(self, value: Value) -> Option<f64> {
        let mut number = 0.0;
        // SAFETY: a live value of this scope; the engine checks its type.
        let status = unsafe { sys::napi_get_value_double(self.env, value, &mut number) };
        (status == sys::Status::napi_ok).then_some(number)
    }

    pub fn as_boolean(self, value: Value) -> Option<bool> {
        let mut boolean = false;
        // SAFETY: a live value of this scope; the engine checks its type.
        let status = unsafe { sys::napi_get_value_bool(self.env, value, &mut boolean) };
        (status == sys::Status::napi_ok).then_some(boolean)
    }

    pub fn same(self, first: Value, second: Value) -> bool {
        let mut same = false;
        // SAFETY: live values.
        unsafe { sys::napi_strict_equals(self.env, first, second, &mut same) };
        same
    }

    pub fn is_promise(self, value: Value) -> bool {
        let mut is_promise = false;
        // SAFETY: a live value.
        unsafe { sys::napi_is_promise(self.env, value, &mut is_promise) };
        is_promise
    }

    /// What `object` inherits from. It is no Proxy: asking that may throw.
    pub fn prototype(self, object: Value) -> Value {
        // SAFETY: a live value.
        self.make(|result| unsafe { sys::napi_get_prototype(self.env, object, result) })
    }

    pub fn is_error(self, value: Value) -> bool {
        let mut is_error = false;
        // SAFETY: a live value.
        unsafe { sys::napi_is_error(self.env, value, &mut is_error) };
        is_error
    }

    /// Calls a JS function. What it throws comes back as a value and is no longer pending.
    pub fn call(self, this: Value, function: Value, arguments: &[Value]) -> Checked<Value> {
        let mut result = ptr::null_mut();
        // SAFETY: live values; pointer and length describe `arguments`.
        let status = unsafe {
            sys::napi_call_function(self.env, this, function, arguments.len(), arguments.as_ptr(), &mut result)
        };
        if status == sys::Status::napi_ok && !result.is_null() {
            return Ok(result);
        }
        let exception = self.take_exception();
        Err(self.thrown(exception.unwrap_or_else(|| self.error("the call failed without an exception"))))
    }

    /// Takes a pending exception off the engine.
    pub fn take_exception(self) -> Option<Value> {
        let (mut pending, mut exception) = (false, ptr::null_mut());
        // SAFETY: results outlive the calls; the exception is taken only if there is one.
        unsafe {
            sys::napi_is_exception_pending(self.env, &mut pending);
            (pending && sys::napi_get_and_clear_last_exception(self.env, &mut exception) == sys::Status::napi_ok)
                .then_some(exception)
        }
    }

    /// The value that `create` writes; undefined where the engine refuses (out of memory, env going down).
    fn make(self, create: impl FnOnce(*mut Value) -> sys::napi_status) -> Value {
        let mut value = ptr::null_mut();
        if create(&mut value) != sys::Status::napi_ok || value.is_null() {
            // SAFETY: no argument but the environment.
            unsafe { sys::napi_get_undefined(self.env, &mut value) };
        }
        value
    }
}

/// The settling end of a promise; used once.
pub struct Deferred(sys::napi_deferred);
