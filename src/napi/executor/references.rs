use std::cell::RefCell;
use std::ptr;

use napi_ohos::sys;

use crate::napi::js::{Scope, Value};

/// The references of one runtime that are not deleted yet. An engine lets go of what a module refers to when an
/// environment goes down, but not of the reference itself: that is up to the module, until its cleanup hook has run.
#[derive(Default)]
pub struct References(RefCell<Table>);

#[derive(Default)]
struct Table {
    /// Null: free.
    all: Vec<sys::napi_ref>,
    free: Vec<usize>,
}

impl References {
    /// The number of a new one, weak when `count` is 0. `None`: the value is neither an object nor a function.
    pub fn add(&self, scope: Scope, value: Value, count: u32) -> Option<usize> {
        let mut reference = ptr::null_mut();
        // SAFETY: a live value; `reference` outlives the call. Deleted in `delete` or `clear`.
        let status = unsafe { sys::napi_create_reference(scope.env(), value, count, &mut reference) };
        (status == sys::Status::napi_ok).then(|| self.0.borrow_mut().add(reference))
    }

    /// Null once the object of a weak one is gone, and after the end of the environment.
    pub fn value(&self, scope: Scope, number: usize) -> Value {
        let (reference, mut value) = (self.get(number), ptr::null_mut());
        // SAFETY: of this environment and not deleted; or null, which is refused.
        unsafe { sys::napi_get_reference_value(scope.env(), reference, &mut value) };
        value
    }

    /// One more that holds the object.
    pub fn hold(&self, env: sys::napi_env, number: usize) {
        // SAFETY: as in `value`.
        unsafe { sys::napi_reference_ref(env, self.get(number), &mut 0) };
    }

    /// One less.
    pub fn let_go(&self, env: sys::napi_env, number: usize) {
        // SAFETY: as in `value`.
        unsafe { sys::napi_reference_unref(env, self.get(number), &mut 0) };
    }

    pub fn delete(&self, env: sys::napi_env, number: usize) {
        let reference = self.0.borrow_mut().take(number);
        // SAFETY: as in `value`; taken, so deleted once.
        unsafe { sys::napi_delete_reference(env, reference) };
    }

    /// Deletes all, for the end of the environment.
    pub fn clear(&self, env: sys::napi_env) {
        for reference in self.0.take().all.into_iter().filter(|reference| !reference.is_null()) {
            // SAFETY: as in `delete`.
            unsafe { sys::napi_delete_reference(env, reference) };
        }
    }

    fn get(&self, number: usize) -> sys::napi_ref {
        self.0.borrow().all.get(number).copied().unwrap_or(ptr::null_mut())
    }
}

impl Table {
    fn add(&mut self, reference: sys::napi_ref) -> usize {
        if let Some(number) = self.free.pop() {
            self.all[number] = reference;
            number
        } else {
            self.all.push(reference);
            self.all.len() - 1
        }
    }

    fn take(&mut self, number: usize) -> sys::napi_ref {
        let Some(reference) = self.all.get_mut(number) else { return ptr::null_mut() };
        self.free.push(number);
        std::mem::replace(reference, ptr::null_mut())
    }
}
