//! JS values that outlive the native call that brought them.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

use napi_ohos::bindgen_prelude::ToNapiValue;
use napi_ohos::sys;

use super::executor::{References, Runtime};
use super::js::{Scope, Type, Value};
use crate::log;

/// A reference to an object or function of one environment.
pub struct Reference {
    runtime: Rc<Runtime>,
    number: usize,
    /// Who keeps the object for it, and under what number, when it is a weak one. Boxed: most are not.
    place: Option<Box<(Rc<Keeper>, u64)>>,
}

impl Reference {
    /// A strong one. `None`: the value is neither an object nor a function.
    pub fn new(runtime: &Rc<Runtime>, scope: Scope, value: Value) -> Option<Self> {
        Self::counted(runtime, scope, value, 1)
    }

    fn counted(runtime: &Rc<Runtime>, scope: Scope, value: Value, count: u32) -> Option<Self> {
        let number = runtime.references().add(scope, value, count)?;
        Some(Self { runtime: runtime.clone(), number, place: None })
    }

    /// Undefined once the object of a weak one is gone.
    pub fn value(&self, scope: Scope) -> Value {
        let value = self.runtime.references().value(scope, self.number);
        if value.is_null() { scope.undefined() } else { value }
    }
}

impl ToNapiValue for Reference {
    unsafe fn to_napi_value(env: sys::napi_env, reference: Self) -> napi_ohos::Result<sys::napi_value> {
        Ok(reference.value(Scope::new(env)))
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // When the environment goes down the runtime deletes all of its references itself.
        if self.runtime.is_alive() {
            self.runtime.references().delete(self.runtime.env(), self.number);
            self.place.iter().for_each(|place| place.0.forget(place.1));
        }
    }
}

/// What an instance of a class of this module keeps alive: functions and objects of the app, in a hidden property of the
/// instance itself.
///
/// Strong references would close a ring that no garbage collector sees through: a page of the app holds its client, the
/// client (on this side) the page's functions, and they hold the page. A property is seen. The price: what is kept lives
/// as long as the instance can be reached, so a call in flight [holds](Self::hold) it.
pub struct Keeper {
    runtime: Rc<Runtime>,
    /// The object in the property; strong while somebody holds it.
    kept: Option<Reference>,
    holders: Cell<u32>,
    next_number: Cell<u64>,
}

impl Keeper {
    pub fn new(runtime: &Rc<Runtime>, scope: Scope, instance: Value) -> Rc<Self> {
        let kept = scope.object();
        // An instance that takes no new property leaves only a strong reference.
        // No identifier: a class of the app that extends ours may have fields of any name.
        let hidden = scope.set_hidden(instance, c"resilience:kept", kept);
        let kept = Reference::counted(runtime, scope, kept, u32::from(!hidden));
        Rc::new(Self { runtime: runtime.clone(), kept, holders: Cell::new(0), next_number: Cell::new(0) })
    }

    /// Keeps `value` until the result is dropped. `None`: it is neither an object nor a function.
    pub fn keep(self: &Rc<Self>, scope: Scope, value: Value) -> Option<Reference> {
        let number = self.next_number.replace(self.next_number.get() + 1);
        // False when the app has frozen it.
        let kept = self.kept.as_ref().is_some_and(|kept| scope.set_own(kept.value(scope), key(scope, number), value));
        let mut reference = Reference::counted(&self.runtime, scope, value, u32::from(!kept))?;
        reference.place = kept.then(|| Box::new((self.clone(), number)));
        Some(reference)
    }

    fn forget(&self, number: u64) {
        let scope = self.runtime.scope();
        // The collector may be at work: then there is no scope yet, and what was kept is gone.
        scope.with_handles(|| {
            let kept = self.kept.as_ref().map(|kept| kept.value(scope));
            if let Some(kept) = kept.filter(|&kept| scope.type_of(kept) == Type::Object) {
                scope.delete(kept, key(scope, number));
            }
        });
    }

    /// Keeps everything alive while the result lives, whatever becomes of the instance.
    pub fn hold(self: &Rc<Self>) -> Hold {
        if self.holders.replace(self.holders.get() + 1) == 0 {
            self.count(References::hold);
        }
        Hold(self.clone())
    }

    fn count(&self, count: fn(&References, sys::napi_env, usize)) {
        if let Some(kept) = self.kept.as_ref().filter(|_| self.runtime.is_alive()) {
            count(self.runtime.references(), self.runtime.env(), kept.number);
        }
    }
}

fn key(scope: Scope, number: u64) -> Value {
    scope.string(&number.to_string())
}

/// See [`Keeper::hold`]. Counted: a strong reference for each call would make it 7 % slower.
pub struct Hold(Rc<Keeper>);

impl Drop for Hold {
    fn drop(&mut self) {
        let Self(keeper) = self;
        keeper.holders.set(keeper.holders.get() - 1);
        if keeper.holders.get() == 0 {
            keeper.count(References::let_go);
        }
    }
}

/// Any JS value, kept. Primitives are copied, where Rust has the like: only objects and functions can be referred to.
pub enum Kept {
    Reference(Reference),
    /// Field `value` of an object: a bigint.
    Field(Reference),
    Text(Vec<u16>),
    Number(f64),
    Boolean(bool),
    Null,
    Undefined,
}

impl Kept {
    pub fn new(runtime: &Rc<Runtime>, scope: Scope, value: Value) -> Self {
        // Mostly an object: tried before it is asked.
        if let Some(reference) = Reference::new(runtime, scope, value) {
            return Self::Reference(reference);
        }
        match scope.type_of(value) {
            Type::String => Self::Text(scope.as_utf16(value)),
            Type::Number => Self::Number(scope.as_number(value).unwrap_or(f64::NAN)),
            Type::Boolean => Self::Boolean(scope.as_boolean(value).unwrap_or_default()),
            Type::Null => Self::Null,
            Type::Undefined => Self::Undefined,
            _ => {
                let holder = scope.object();
                scope.set(holder, c"value", value);
                Reference::new(runtime, scope, holder).map_or(Self::Undefined, Self::Field)
            }
        }
    }

    pub fn value(&self, scope: Scope) -> Value {
        match self {
            Self::Reference(reference) => reference.value(scope),
            Self::Field(holder) => scope.get(holder.value(scope), c"value"),
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
/// never freed. Only a listener of a named breaker ever gets there, and is freed there only if it was taken back at the
/// very moment at which another thread told it something.
pub struct UserFunction {
    function: Option<Reference>,
    thread: ThreadId,
    /// Whether it was told that it gives no number.
    failed: AtomicBool,
}

// SAFETY: `function` is only touched where `is_here` has said yes, `drop` included.
unsafe impl Send for UserFunction {}
// SAFETY: as above.
unsafe impl Sync for UserFunction {}

impl UserFunction {
    pub fn new(function: Reference) -> Self {
        Self { function: Some(function), thread: thread::current().id(), failed: AtomicBool::new(false) }
    }

    /// Whether this is its own thread: elsewhere it is not called.
    pub fn is_here(&self) -> bool {
        thread::current().id() == self.thread
    }

    /// Calls a listener. `failed` is for what it throws, for a promise of it that is rejected, and for an argument that
    /// cannot be made.
    pub fn tell(
        &self,
        argument: impl FnOnce(Scope) -> Result<Value, Value>,
        failed: impl FnOnce(Scope, Value) + 'static,
    ) {
        self.tell_all(|scope| argument(scope).map(|argument| [argument]), failed);
    }

    /// The same with several arguments.
    pub fn tell_all<A: AsRef<[Value]>>(
        &self,
        arguments: impl FnOnce(Scope) -> Result<A, Value>,
        failed: impl FnOnce(Scope, Value) + 'static,
    ) {
        self.call(|scope, runtime, function| {
            let call = |arguments: A| {
                scope.call(scope.undefined(), function, arguments.as_ref()).map_err(|thrown| thrown.value)
            };
            match arguments(scope).and_then(call) {
                Ok(returned) => runtime.watch(scope, returned, failed),
                Err(thrown) => failed(scope, thrown),
            }
        });
    }

    /// Calls a source of numbers, which errors call `name`. `None`: it threw or gave anything but a finite number.
    pub fn number(&self, name: &str) -> Option<f64> {
        let called = self.call(|scope, runtime, function| {
            let given = scope.call(scope.undefined(), function, &[]).ok()?;
            runtime.watch(scope, given, |_, _| ());
            scope.as_number(given).filter(|number| number.is_finite())
        });
        let number = called.flatten();
        if number.is_none() && !self.failed.swap(true, Ordering::Relaxed) {
            log::warn(format_args!("{name}() gave no finite number; told once"));
        }
        number
    }

    /// `None` away from its thread, once the environment is gone, or where a panic ended it.
    fn call<T>(&self, call: impl FnOnce(Scope, &Rc<Runtime>, Value) -> T) -> Option<T> {
        if !self.is_here() {
            return None;
        }
        let reference = self.function.as_ref().filter(|reference| reference.runtime.is_alive())?;
        let runtime = reference.runtime.clone();
        runtime.enter(|scope| call(scope, &runtime, reference.value(scope))).ok()
    }
}

impl Drop for UserFunction {
    fn drop(&mut self) {
        if !self.is_here() {
            std::mem::forget(self.function.take());
        }
    }
}
