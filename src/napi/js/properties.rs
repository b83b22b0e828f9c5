//! Properties of objects, items of arrays.

use std::ffi::CStr;
use std::ptr;

use napi_ohos::sys;

use super::{Scope, Type, Value};

impl Scope {
    /// A property; undefined if there is none, if `value` can have none, or if its getter throws.
    pub fn get(self, value: Value, name: &CStr) -> Value {
        // Asked for a property of undefined, the engine makes an exception with a stack: slow, and only to be dropped.
        match self.type_of(value) {
            Type::Undefined | Type::Null => self.undefined(),
            _ => self.get_of(value, name),
        }
    }

    /// The same of what is known to be an object.
    pub fn get_of(self, object: Value, name: &CStr) -> Value {
        // SAFETY: a live value and a NUL-terminated name.
        self.read(|value| unsafe { sys::napi_get_named_property(self.env, object, name.as_ptr(), value) })
    }

    /// The same for any key.
    pub fn get_by(self, object: Value, key: Value) -> Value {
        // SAFETY: live values.
        self.read(|value| unsafe { sys::napi_get_property(self.env, object, key, value) })
    }

    pub fn get_index(self, object: Value, index: u32) -> Value {
        // SAFETY: a live value.
        self.read(|value| unsafe { sys::napi_get_element(self.env, object, index, value) })
    }

    /// What a getter gives; undefined if it throws.
    #[inline]
    fn read(self, get: impl FnOnce(*mut Value) -> sys::napi_status) -> Value {
        let mut value = ptr::null_mut();
        if get(&mut value) == sys::Status::napi_ok && !value.is_null() {
            return value;
        }
        self.take_exception();
        self.undefined()
    }

    /// Length of an array; `None` for anything else.
    pub fn array_length(self, value: Value) -> Option<u32> {
        let (mut is_array, mut length) = (false, 0);
        // SAFETY: a live value; results outlive the calls.
        unsafe {
            sys::napi_is_array(self.env, value, &mut is_array);
            (is_array && sys::napi_get_array_length(self.env, value, &mut length) == sys::Status::napi_ok)
                .then_some(length)
        }
    }

    /// Whether a function declares `count` parameters or more.
    pub fn declares(self, function: Value, count: u32) -> bool {
        self.as_number(self.get(function, c"length")).is_some_and(|length| length >= count.into())
    }

    /// Names of the enumerable string properties, `most` at the most.
    pub fn keys(self, object: Value, most: u32) -> Vec<Value> {
        let mut names = ptr::null_mut();
        // SAFETY: a live value; the engine checks that it is an object.
        let status = unsafe { sys::napi_get_property_names(self.env, object, &mut names) };
        self.listed(status, names, most)
    }

    /// Names of all own string properties, hidden ones too.
    pub fn all_keys(self, object: Value) -> Vec<Value> {
        let mut names = ptr::null_mut();
        // SAFETY: a live value; the engine checks that it is an object.
        let status = unsafe {
            let (own, strings) = (sys::KeyCollectionMode::own_only, sys::KeyFilter::skip_symbols);
            let as_text = sys::KeyConversion::numbers_to_strings;
            sys::napi_get_all_property_names(self.env, object, own, strings, as_text, &mut names)
        };
        self.listed(status, names, u32::MAX)
    }

    fn listed(self, status: sys::napi_status, names: Value, most: u32) -> Vec<Value> {
        if status != sys::Status::napi_ok {
            self.take_exception();
            return Vec::new();
        }
        let length = self.array_length(names).unwrap_or(0).min(most);
        (0..length).map(|index| self.get_index(names, index)).collect()
    }

    /// Gives an object that this layer made a property, whatever setters every object inherits.
    pub fn set(self, object: Value, name: &CStr, value: Value) {
        self.define(object, property(name, value, PLAIN));
    }

    /// The same for an object that the app can have frozen. False: it could not be set.
    pub fn set_own(self, object: Value, key: Value, value: Value) -> bool {
        let set = self.define(
            object,
            sys::napi_property_descriptor { utf8name: ptr::null(), name: key, ..property(c"", value, PLAIN) },
        );
        // Ark does not tell where V8 does: look.
        set && self.same(self.get_by(object, key), value)
    }

    pub fn delete(self, object: Value, key: Value) {
        // SAFETY: live values; whether it was there is not asked.
        unsafe { sys::napi_delete_property(self.env, object, key, ptr::null_mut()) };
        self.take_exception();
    }

    /// Gives an object a property that can neither be listed nor changed. False: it takes none, or has one of that name.
    pub fn set_hidden(self, object: Value, name: &CStr, value: Value) -> bool {
        let set = self.define(object, property(name, value, sys::PropertyAttributes::default));
        set && self.same(self.get(object, name), value)
    }

    fn define(self, object: Value, property: sys::napi_property_descriptor) -> bool {
        // SAFETY: live values, and a NUL-terminated name or a key, in one descriptor.
        let status = unsafe { sys::napi_define_properties(self.env, object, 1, &property) };
        if status != sys::Status::napi_ok {
            self.take_exception();
        }
        status == sys::Status::napi_ok
    }
}

/// Of a property as an assignment makes it.
const PLAIN: sys::napi_property_attributes =
    sys::PropertyAttributes::writable | sys::PropertyAttributes::enumerable | sys::PropertyAttributes::configurable;

/// A property with a value. Its name must outlive it.
fn property(name: &CStr, value: Value, attributes: sys::napi_property_attributes) -> sys::napi_property_descriptor {
    sys::napi_property_descriptor {
        utf8name: name.as_ptr(),
        name: ptr::null_mut(),
        method: None,
        getter: None,
        setter: None,
        value,
        attributes,
        data: ptr::null_mut(),
    }
}
