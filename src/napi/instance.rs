//! Instances of the exported classes, as their methods get them.

use std::any::TypeId;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr;

use napi_ohos::__private::{___CALL_FROM_FACTORY, get_class_constructor};
use napi_ohos::bindgen_prelude::{FromNapiRef, This, ValidateNapiValue};
use napi_ohos::{Env, JsValue, sys};

use super::errors::bad_input;
use super::executor::guarded;
use super::js::{Checked, Scope, Thrown, Value};
use crate::error::InvalidConfig;

/// The content of an instance, behind the name of its class.
///
/// Node-API unwraps whatever object a getter or method is called on, an instance of another class too (in JavaScript:
/// `getOwnPropertyDescriptor(A.prototype, 'x').get.call(b)`, or `setPrototypeOf(b, A.prototype)`). So each exported
/// struct is nothing but one of these, and nothing is read from it before its class has been looked at.
#[repr(C)]
pub struct Instance<T: 'static> {
    class: TypeId,
    content: ManuallyDrop<T>,
}

impl<T: 'static> Drop for Instance<T> {
    fn drop(&mut self) {
        // SAFETY: dropped here only.
        guarded(|| unsafe { ManuallyDrop::drop(&mut self.content) });
    }
}

impl<T: 'static> Instance<T> {
    pub fn new(content: T) -> Self {
        Self { class: TypeId::of::<T>(), content: ManuallyDrop::new(content) }
    }

    /// The content, if this is an instance of the class at all.
    pub fn content(&self) -> Option<&T> {
        (self.class == TypeId::of::<T>()).then_some(&self.content)
    }

    /// What a method works on.
    pub fn of(&self, env: Env) -> Checked<&T> {
        self.content()
            .ok_or_else(|| wrong_this(Scope::of(env), "INVALID_ARGUMENT", "an instance of the method's own class"))
    }
}

/// For constructors: refuses a call without `new`, which would make an instance of whatever `this` is then.
pub fn constructing<T>(env: Env, this: &This<'_>) -> Checked<Scope>
where
    T: FromNapiRef + 'static,
    &'static T: ValidateNapiValue,
{
    let scope = Scope::of(env);
    if is_instance::<T>(scope, this.raw())? {
        Ok(scope)
    } else {
        Err(wrong_this(scope, "INVALID_CONFIG", "a call with new"))
    }
}

/// A new instance of the class that is exported as `name`, NUL-terminated, around `instance`. `None`: the engine refuses.
///
/// napi-ohos's own way (`ToNapiValue`) keeps the reference that `napi_wrap` gives. On Ark that is a strong one, so no
/// such instance is ever collected there. None is asked for here.
pub fn make<T: 'static>(scope: Scope, name: &'static str, instance: T) -> Option<Value> {
    let (mut class, mut object) = (ptr::null_mut(), ptr::null_mut());
    let constructor = get_class_constructor(name)?;
    // The constructor then leaves it to the caller to wrap something.
    ___CALL_FROM_FACTORY.set(true);
    // SAFETY: a reference of this environment, in a class of which it was registered; results outlive the calls.
    let status = unsafe {
        sys::napi_get_reference_value(scope.env(), constructor, &mut class);
        sys::napi_new_instance(scope.env(), class, 0, ptr::null(), &mut object)
    };
    ___CALL_FROM_FACTORY.set(false);
    if status != sys::Status::napi_ok {
        scope.take_exception();
        return None;
    }
    let instance = Box::into_raw(Box::new(instance)).cast::<c_void>();
    // SAFETY: a new object; `instance` is what `finalize` frees.
    let status =
        unsafe { sys::napi_wrap(scope.env(), object, instance, Some(finalize::<T>), ptr::null_mut(), ptr::null_mut()) };
    if status != sys::Status::napi_ok {
        // SAFETY: not taken by the engine.
        drop(unsafe { Box::from_raw(instance.cast::<T>()) });
        return None;
    }
    Some(object)
}

/// What `new` gives for the class that is exported as `name`, NUL-terminated.
pub fn construct(scope: Scope, name: &'static str, arguments: &[Value]) -> Checked<Value> {
    let (mut class, mut object) = (ptr::null_mut(), ptr::null_mut());
    let constructor = get_class_constructor(name).unwrap_or(ptr::null_mut());
    // SAFETY: a reference of this environment, in a class of which it was registered; results outlive the calls; pointer
    // and length describe `arguments`.
    let status = unsafe {
        sys::napi_get_reference_value(scope.env(), constructor, &mut class);
        sys::napi_new_instance(scope.env(), class, arguments.len(), arguments.as_ptr(), &mut object)
    };
    if status == sys::Status::napi_ok {
        return Ok(object);
    }
    let exception = scope.take_exception();
    Err(scope.thrown(exception.unwrap_or_else(|| scope.error("the engine made no instance"))))
}

unsafe extern "C" fn finalize<T>(_env: sys::napi_env, instance: *mut c_void, _hint: *mut c_void) {
    // SAFETY: what `make` turned into a raw pointer; the engine calls this once.
    drop(unsafe { Box::from_raw(instance.cast::<T>()) });
}

/// Whether `value` has the class of `T` among its prototypes. Asking may throw: at the end of the stack, or a Proxy.
pub fn is_instance<T>(scope: Scope, value: Value) -> Checked<bool>
where
    T: 'static,
    &'static T: ValidateNapiValue,
{
    // SAFETY: a live value of this scope; it is only asked for its class.
    let asked = unsafe { <&T as ValidateNapiValue>::validate(scope.env(), value) };
    match scope.take_exception() {
        Some(exception) => Err(scope.thrown(exception)),
        None => Ok(matches!(asked, Ok(rejected) if rejected.is_null())),
    }
}

/// For constructors of classes whose instances only this module makes.
pub fn made_elsewhere(scope: Scope, allowed: &str) -> Thrown {
    bad_input(scope, "INVALID_CONFIG", &InvalidConfig::new("new", "a call of the constructor", allowed))
}

fn wrong_this(scope: Scope, code: &str, allowed: &str) -> Thrown {
    bad_input(scope, code, &InvalidConfig::new("this", "something else", allowed))
}
