//! Awaiting a JS promise without making two functions for it each time.
//!
//! A slot owns a pair of JS functions, made once, with the slot's number as their data. To wait for a promise, a free
//! slot takes the waiting state and its functions go to the promise's `then`; when one of them is called, the state is
//! taken out, gets the result, and the slot is free again. A real promise calls exactly one of them, once; whatever
//! else has a `then`, a subclass of Promise included, is first adopted by a real one, as `await` does. Where an app has
//! replaced `Promise.prototype.then`, nobody knows how often that calls: each slot is used once, its number never again.
//!
//! There are as many slots as there were calls in flight at once. When a call gives up waiting, its slot is gone: the
//! promise may settle later or never, and the functions live as long as it does.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::pin::Pin;
use std::ptr;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use napi_ohos::sys;

use super::answer::{AnswerField, FieldNames};
use super::{References, Runtime};
use crate::napi::js::{Checked, Scope, Type, Value};

pub struct PromisePool {
    references: Rc<References>,
    intrinsics: OnceCell<Intrinsics>,
    slots: RefCell<BTreeMap<usize, Slot>>,
    /// Numbers of the slots where nobody waits.
    free: RefCell<Vec<usize>>,
    /// No number is given twice.
    next_number: Cell<usize>,
}

/// `Promise.prototype` and its `then`: found once, not looked up for each promise.
struct Intrinsics {
    prototype: usize,
    then: usize,
    /// Whether `then` is the engine's own: that calls back once.
    calls_once: bool,
    /// `Function.prototype.bind`, if that is the engine's own.
    bind: Option<usize>,
}

/// The functions are numbers of references, as are the intrinsics.
struct Slot {
    on_resolve: usize,
    on_reject: usize,
    waiting: Option<Rc<dyn Settle>>,
}

trait Settle {
    fn settle(&self, scope: Scope, result: Result<Value, Value>);
}

impl PromisePool {
    pub fn new(references: Rc<References>) -> Self {
        Self {
            references,
            intrinsics: OnceCell::new(),
            slots: RefCell::default(),
            free: RefCell::default(),
            next_number: Cell::new(0),
        }
    }

    /// At the end of the environment, when all references are deleted.
    pub fn clear(&self) {
        drop((self.slots.take(), self.free.take()));
    }

    /// A slot with somebody waiting, and its two functions.
    fn occupy(&self, scope: Scope, waiting: Rc<dyn Settle>) -> (usize, [Value; 2]) {
        let free = self.free.borrow_mut().pop();
        let number = free.unwrap_or_else(|| self.next_number.replace(self.next_number.get() + 1));
        let intrinsics = self.intrinsics(scope);
        let mut slots = self.slots.borrow_mut();
        let slot = slots.entry(number).or_insert_with(|| self.new_slot(scope, intrinsics, number));
        slot.waiting = Some(waiting);
        (number, [slot.on_resolve, slot.on_reject].map(|function| self.references.value(scope, function)))
    }

    /// Who waits in a slot, once; the slot is free from here on.
    fn vacate(&self, scope: Scope, number: usize) -> Option<Rc<dyn Settle>> {
        let waiting = self.slots.borrow_mut().get_mut(&number)?.waiting.take()?;
        if self.intrinsics.get().is_some_and(|intrinsics| intrinsics.calls_once) {
            self.free.borrow_mut().push(number);
        } else {
            self.discard(scope, number);
        }
        Some(waiting)
    }

    /// A slot whose functions may be called again, when nobody waits there any more.
    fn discard(&self, scope: Scope, number: usize) {
        let slot = self.slots.borrow_mut().remove(&number);
        let functions = slot.iter().flat_map(|slot| [slot.on_resolve, slot.on_reject]);
        functions.for_each(|function| self.references.delete(scope.env(), function));
    }

    fn new_slot(&self, scope: Scope, intrinsics: &Intrinsics, number: usize) -> Slot {
        // A number, never pointed through.
        let calling = |callback| function(scope, callback, ptr::without_provenance_mut(number));
        let bound = intrinsics.bind.and_then(|bind| {
            let [text, finish_reason] = AnswerField::ALL.map(|field| scope.string(field.name()));
            let arguments = [scope.undefined(), text, finish_reason];
            scope.call(calling(on_resolve_with_names), self.references.value(scope, bind), &arguments).ok()
        });
        let on_resolve = bound.unwrap_or_else(|| calling(on_resolve));
        let [on_resolve, on_reject] = [on_resolve, calling(on_reject)].map(|function| self.refer(scope, function));
        Slot { on_resolve, on_reject, waiting: None }
    }

    fn intrinsics(&self, scope: Scope) -> &Intrinsics {
        self.intrinsics.get().unwrap_or_else(|| {
            let found = self.find_intrinsics(scope);
            // Not computed in there: a replaced toString may come back here.
            self.intrinsics.get_or_init(|| found)
        })
    }

    fn find_intrinsics(&self, scope: Scope) -> Intrinsics {
        // A fresh promise of our own: the app's may carry a `then` of its own.
        let (deferred, own) = scope.promise();
        scope.resolve(deferred, scope.undefined());
        let prototype = scope.prototype(own);
        let then = scope.get(prototype, c"then");
        let bind = scope.get(then, c"bind");
        Intrinsics {
            prototype: self.refer(scope, prototype),
            then: self.refer(scope, then),
            calls_once: is_own(scope, then, "then"),
            bind: is_own(scope, bind, "bind").then(|| self.refer(scope, bind)),
        }
    }

    /// `Promise.prototype.then`.
    fn then(&self, scope: Scope) -> Value {
        self.references.value(scope, self.intrinsics(scope).then)
    }

    /// Refused by the engine: a number that nobody has, and no value.
    fn refer(&self, scope: Scope, value: Value) -> usize {
        self.references.add(scope, value, 1).unwrap_or(usize::MAX)
    }
}

/// What a JS promise comes to, converted the moment it settles: its value lives no longer than that.
pub struct JsPromise<T> {
    state: Rc<dyn Waiting<T>>,
    slot: Option<(Rc<Runtime>, usize)>,
}

trait Waiting<T> {
    fn take(&self, waker: &Waker) -> Option<T>;
    /// Whether it was still waiting.
    fn abandon(&self) -> bool;
}

struct State<T, C> {
    convert: Cell<Option<C>>,
    result: Cell<Option<T>>,
    waker: Cell<Option<Waker>>,
}

impl<T, C> State<T, C> {
    fn new(convert: Option<C>, result: Option<T>) -> Self {
        Self { convert: Cell::new(convert), result: Cell::new(result), waker: Cell::new(None) }
    }
}

impl<T: 'static> JsPromise<T> {
    /// Waits for `value` if it is a promise or has a `then`; anything else is converted at once, as `await` does.
    pub fn new(
        runtime: &Rc<Runtime>,
        scope: Scope,
        value: Value,
        convert: impl FnOnce(Scope, Result<Value, Value>) -> T + 'static,
    ) -> Self {
        let state = Rc::new(State::new(Some(convert), None));
        let promise = runtime.to_promise(scope, value);
        let slot = promise.map(|promise| (runtime.clone(), runtime.await_promise(scope, promise, state.clone())));
        if slot.is_none() {
            state.settle(scope, Ok(value));
        }
        Self { state, slot }
    }

    /// Waits for what a function of the app has returned; what it threw at once counts as a rejection.
    pub fn called(
        runtime: &Rc<Runtime>,
        scope: Scope,
        called: Checked<Value>,
        convert: impl FnOnce(Scope, Result<Value, Value>) -> T + 'static,
    ) -> Self {
        match called {
            Ok(returned) => Self::new(runtime, scope, returned, convert),
            Err(thrown) => Self::ready(convert(scope, Err(thrown.value))),
        }
    }

    /// One that is settled already.
    fn ready(result: T) -> Self {
        Self { state: Rc::new(State::new(None::<fn(Scope, Result<Value, Value>) -> T>, Some(result))), slot: None }
    }
}

/// A real promise that follows `value`, if that has a `then`.
fn adopt(scope: Scope, value: Value) -> Option<Value> {
    let can_have_then = matches!(scope.type_of(value), Type::Object | Type::Function);
    if !can_have_then || scope.type_of(scope.get(value, c"then")) != Type::Function {
        return None;
    }
    let (deferred, promise) = scope.promise();
    scope.resolve(deferred, value);
    Some(promise)
}

impl<T, C: FnOnce(Scope, Result<Value, Value>) -> T> Settle for State<T, C> {
    fn settle(&self, scope: Scope, result: Result<Value, Value>) {
        // Gone when nobody waits any more.
        let Some(convert) = self.convert.take() else { return };
        self.result.set(Some(convert(scope, result)));
        self.waker.take().into_iter().for_each(Waker::wake);
    }
}

impl<T, C> Waiting<T> for State<T, C> {
    fn take(&self, waker: &Waker) -> Option<T> {
        let result = self.result.take();
        if result.is_none() {
            self.waker.set(Some(waker.clone()));
        }
        result
    }

    fn abandon(&self) -> bool {
        self.waker.take();
        self.convert.take().is_some()
    }
}

impl<T> Future for JsPromise<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        self.state.take(context.waker()).map_or(Poll::Pending, Poll::Ready)
    }
}

impl<T> Drop for JsPromise<T> {
    fn drop(&mut self) {
        if self.state.abandon()
            && let Some((runtime, number)) = &self.slot
            && runtime.is_alive()
        {
            runtime.promises.discard(runtime.scope(), *number);
        }
    }
}

impl Runtime {
    /// For what a listener returns: when it is a promise that is rejected, nobody else would hear of it.
    pub fn watch(self: &Rc<Self>, scope: Scope, value: Value, rejected: impl FnOnce(Scope, Value) + 'static) {
        if scope.is_promise(value)
            && let Some(promise) = self.to_promise(scope, value)
        {
            let (then, on_reject) = (self.promises.then(scope), rejection(scope, rejected));
            // No slot, which nobody would ever give up: the function lives as long as the promise.
            _ = scope.call(promise, then, &[scope.undefined(), on_reject]);
        }
    }

    /// A real promise: `value` itself, or one that follows it if it has a `then`.
    fn to_promise(&self, scope: Scope, value: Value) -> Option<Value> {
        let own_prototype = || self.references.value(scope, self.promises.intrinsics(scope).prototype);
        let is_real = scope.is_promise(value) && scope.same(scope.prototype(value), own_prototype());
        if is_real { Some(value) } else { adopt(scope, value) }
    }

    /// The number of the slot.
    fn await_promise(&self, scope: Scope, promise: Value, waiting: Rc<dyn Settle>) -> usize {
        let (number, callbacks) = self.promises.occupy(scope, waiting);
        let then = self.promises.then(scope);
        // The intrinsic function refuses only a broken promise; then it has kept no callback.
        if let Err(thrown) = scope.call(promise, then, &callbacks) {
            self.settle(scope, number, Err(thrown.value));
        }
        number
    }

    fn settle(&self, scope: Scope, number: usize, result: Result<Value, Value>) {
        if let Some(waiting) = self.promises.vacate(scope, number) {
            waiting.settle(scope, result);
        }
    }
}

/// Whether a function is the engine's own, by its text.
fn is_own(scope: Scope, function: Value, name: &str) -> bool {
    let text = scope.call(function, scope.get(function, c"toString"), &[]).ok().and_then(|text| scope.as_string(text));
    text.is_some_and(|text| text == format!("function {name}() {{ [native code] }}"))
}

type Callback = unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> Value;

fn function(scope: Scope, callback: Callback, data: *mut c_void) -> Value {
    let mut function = ptr::null_mut();
    // SAFETY: no name; `callback` knows what `data` is.
    unsafe { sys::napi_create_function(scope.env(), ptr::null(), 0, Some(callback), data, &mut function) };
    function
}

unsafe extern "C" fn on_resolve(env: sys::napi_env, info: sys::napi_callback_info) -> Value {
    let ([value], slot) = called_with(env, info);
    settled(env, slot, Ok(value), None)
}

unsafe extern "C" fn on_resolve_with_names(env: sys::napi_env, info: sys::napi_callback_info) -> Value {
    let ([text, finish_reason, value], slot) = called_with(env, info);
    settled(env, slot, Ok(value), Some([text, finish_reason]))
}

unsafe extern "C" fn on_reject(env: sys::napi_env, info: sys::napi_callback_info) -> Value {
    let ([error], slot) = called_with(env, info);
    settled(env, slot, Err(error), None)
}

fn settled(env: sys::napi_env, slot: *mut c_void, result: Result<Value, Value>, names: Option<FieldNames>) -> Value {
    if let Some(runtime) = Runtime::find(env) {
        let outer = runtime.names.replace(names);
        _ = runtime.enter(|scope| runtime.settle(scope, slot.addr(), result));
        runtime.names.set(outer);
    }
    ptr::null_mut()
}

/// The first arguments and the function's data.
fn called_with<const N: usize>(env: sys::napi_env, info: sys::napi_callback_info) -> ([Value; N], *mut c_void) {
    let (mut count, mut arguments, mut data) = (N, [ptr::null_mut(); N], ptr::null_mut());
    // SAFETY: the engine's own callback info; it fills in undefined for a missing argument.
    unsafe { sys::napi_get_cb_info(env, info, &mut count, arguments.as_mut_ptr(), ptr::null_mut(), &mut data) };
    (arguments, data)
}

/// A JS function that runs `rejected` once, and frees it with itself.
fn rejection<F: FnOnce(Scope, Value) + 'static>(scope: Scope, rejected: F) -> Value {
    let data = Box::into_raw(Box::new(Cell::new(Some(rejected)))).cast::<c_void>();
    let function = function(scope, on_rejection::<F>, data);
    // SAFETY: `data` is used by the function only, and freed once it is gone.
    let status = unsafe {
        sys::napi_add_finalizer(scope.env(), function, data, Some(free::<F>), ptr::null_mut(), ptr::null_mut())
    };
    // Refused: better never freed than too early.
    debug_assert_eq!(status, sys::Status::napi_ok);
    function
}

unsafe extern "C" fn on_rejection<F: FnOnce(Scope, Value)>(env: sys::napi_env, info: sys::napi_callback_info) -> Value {
    let ([thrown], data) = called_with(env, info);
    // SAFETY: made in `rejection`; alive as long as the function, which is being called.
    let rejected = unsafe { &*data.cast::<Cell<Option<F>>>() }.take();
    if let (Some(rejected), Some(runtime)) = (rejected, Runtime::find(env)) {
        _ = runtime.enter(|scope| rejected(scope, thrown));
    }
    ptr::null_mut()
}

unsafe extern "C" fn free<F>(_env: sys::napi_env, data: *mut c_void, _hint: *mut c_void) {
    // SAFETY: what `rejection` turned into a raw pointer; the engine calls this once.
    let rejected = unsafe { Box::from_raw(data.cast::<Cell<Option<F>>>()) };
    super::guarded(|| drop(rejected));
}
