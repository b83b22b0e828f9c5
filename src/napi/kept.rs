//! JS values that outlive the native call that brought them.

use std::ptr;
use std::rc::Rc;
use std::thread::{self, ThreadId};

use napi_ohos::sys;

use super::executor::Runtime;
use super::js::{Scope, Thrown, Type, Value};

/// A strong reference to an object or function of one environment.
pub struct Reference {
    runtime: Rc<Runtime>,
    raw: sys::napi_ref,
}

impl Reference {
    /// `None`: the value is neither an object nor a function.
    pub fn new(runtime: &Rc<Runtime>, scope: Scope, value: Value) -> Option<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: a live value; `raw` outlives the call. Deleted in `drop`.
        let status = unsafe { sys::napi_create_reference(scope.env(), value, 1, &mut raw) };
        (status == sys::Status::napi_ok).then(|| Self { runtime: runtime.clone(), raw })
    }

    pub fn value(&self, scope: Scope) -> Value {
        let mut value = ptr::null_mut();
        // SAFETY: the reference is strong and of this environment.
        unsafe { sys::napi_get_reference_value(scope.env(), self.raw, &mut value) };
        if value.is_null() { scope.undefined() } else { value }
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // When the environment goes down it frees its references itself.
        if self.runtime.is_alive() {
            // SAFETY: made by `new`, deleted once, on the JS thread: `Rc` keeps this type there.
            unsafe { sys::napi_delete_reference(self.runtime.env(), self.raw) };
        }
    }
}

/// Any JS value, kept. Primitives are copied: only objects and functions can be referred to.
pub enum Kept {
    Reference(Reference),
    Text(Vec<u16>),
    Number(f64),
    Boolean(bool),
    Null,
    Undefined,
}

impl Kept {
    pub fn new(runtime: &Rc<Runtime>, scope: Scope, value: Value) -> Self {
        match scope.type_of(value) {
            Type::String => Self::Text(scope.as_utf16(value)),
            Type::Number => Self::Number(scope.as_number(value).unwrap_or(f64::NAN)),
            Type::Boolean => Self::Boolean(scope.as_boolean(value).unwrap_or_default()),
            Type::Null => Self::Null,
            Type::Undefined => Self::Undefined,
            _ => Reference::new(runtime, scope, value).map_or(Self::Undefined, Self::Reference),
        }
    }

    pub fn value(&self, scope: Scope) -> Value {
        match self {
            Self::Reference(reference) => reference.value(scope),
            Self::Text(units) => scope.utf16(units),
            Self::Number(number) => scope.number(*number),
            Self::Boolean(boolean) => scope.boolean(*boolean),
            Self::Null => scope.null(),
            Self::Undefined => scope.undefined(),
        }
    }
}

/// A function of the app that a core object holds: a clock, a source of chance, a listener.
///
/// Core objects are `Send + Sync` by type, a JS function is neither: away from its own thread it is never called and
/// never freed. Such objects don't leave their environment, so this is a guard, not a path.
pub struct UserFunction {
    function: Option<Reference>,
    thread: ThreadId,
}

// SAFETY: `function` is only touched where `on_own_thread` has said yes, `drop` included.
unsafe impl Send for UserFunction {}
// SAFETY: as above.
unsafe impl Sync for UserFunction {}

impl UserFunction {
    pub fn new(function: Reference) -> Self {
        Self { function: Some(function), thread: thread::current().id() }
    }

    fn on_own_thread(&self) -> bool {
        thread::current().id() == self.thread
    }

    /// Calls it with the arguments that `arguments` makes and hands its result to `read`. `None` away from its thread
    /// or once the environment is gone.
    pub fn call<const N: usize, T>(
        &self,
        arguments: impl FnOnce(Scope) -> [Value; N],
        read: impl FnOnce(Scope, Result<Value, Thrown>) -> T,
    ) -> Option<T> {
        if !self.on_own_thread() {
            return None;
        }
        let reference = self.function.as_ref().filter(|reference| reference.runtime.is_alive())?;
        Some(reference.runtime.clone().enter(|scope| {
            let result = scope.call(scope.undefined(), reference.value(scope), &arguments(scope));
            read(scope, result)
        }))
    }
}

impl Drop for UserFunction {
    fn drop(&mut self) {
        if !self.on_own_thread() {
            std::mem::forget(self.function.take());
        }
    }
}
