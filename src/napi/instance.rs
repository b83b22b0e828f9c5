//! Instances of the exported classes, as their methods get them.

use std::any::TypeId;

use napi_ohos::bindgen_prelude::{FromNapiRef, This, ValidateNapiValue};
use napi_ohos::{Env, JsValue, Result};

use super::arguments::scope_of;
use super::errors::BadInput;
use super::js::{Scope, Value};
use crate::error::InvalidConfig;

/// The content of an instance, behind the name of its class.
///
/// Node-API unwraps whatever object a getter or method is called on, an instance of another class too (in JavaScript:
/// `getOwnPropertyDescriptor(A.prototype, 'x').get.call(b)`, or `setPrototypeOf(b, A.prototype)`). So each exported
/// struct is nothing but one of these, and nothing is read from it before its class has been looked at.
#[repr(C)]
pub struct Instance<T: 'static> {
    class: TypeId,
    content: T,
}

impl<T: 'static> Instance<T> {
    pub fn new(content: T) -> Self {
        Self { class: TypeId::of::<T>(), content }
    }

    /// The content, if this is an instance of the class at all.
    pub fn content(&self) -> Option<&T> {
        (self.class == TypeId::of::<T>()).then_some(&self.content)
    }

    /// What a method works on.
    pub fn of(&self, env: Env) -> Result<&T> {
        self.content()
            .ok_or_else(|| wrong_this("INVALID_ARGUMENT", "an instance of the method's own class").throw(scope_of(env)))
    }
}

/// For constructors: refuses a call without `new`, which would make an instance of whatever `this` is then.
pub fn constructing<T>(env: Env, this: &This<'_>) -> Result<Scope>
where
    T: FromNapiRef + 'static,
    &'static T: ValidateNapiValue,
{
    let scope = scope_of(env);
    if is_instance::<T>(scope, this.raw()) {
        Ok(scope)
    } else {
        Err(wrong_this("INVALID_CONFIG", "a call with new").throw(scope))
    }
}

/// Whether `value` has the class of `T` among its prototypes.
pub fn is_instance<T>(scope: Scope, value: Value) -> bool
where
    T: 'static,
    &'static T: ValidateNapiValue,
{
    // SAFETY: a live value of this scope; it is only asked for its class.
    let asked = unsafe { <&T as ValidateNapiValue>::validate(scope.env(), value) };
    scope.take_exception();
    matches!(asked, Ok(rejected) if rejected.is_null())
}

fn wrong_this(code: &'static str, allowed: &str) -> BadInput {
    BadInput { code, error: InvalidConfig::new("this", "something else", allowed) }
}
