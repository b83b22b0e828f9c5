//! A breaker around one function of the app, with listeners and a fallback: what `createBreaker` is made of.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::arguments::Argument;
use super::breaker_listeners::StateListeners;
use super::clock::JsTimer;
use super::errors::{call_error, rejected};
use super::executor::Runtime;
use super::js::{Checked, Scope, Value};
use super::kept::{Keeper, Kept, Reference, UserFunction};
use super::named::Source;
use super::records::measured_ms;
use super::work::{AppCall, Work, called};
use crate::breaker::{BreakerState, CircuitBreaker};
use crate::classify::ErrorClass;
use crate::clock::Clock;
use crate::error::MAX_DURATION;
use crate::request::{RequestConfig, RequestOptions, RetryOutcome};
use crate::retry::StopReason;

pub struct EventBreaker {
    pub runtime: Rc<Runtime>,
    pub source: Source<CircuitBreaker>,
    timer: JsTimer,
    timeout: Duration,
    /// These two are set before the app gets the instance.
    keeper: OnceCell<Rc<Keeper>>,
    action: OnceCell<Rc<Reference>>,
    pub fallback: RefCell<Option<Rc<Reference>>>,
    listeners: RefCell<Vec<Rc<Listener>>>,
    state_listeners: StateListeners,
    pub listener_errors: Arc<AtomicU64>,
    pub counts: Cell<Counts>,
    shut_down: Cell<bool>,
}

struct Listener {
    event: Event,
    /// To know it again.
    function: Reference,
    told: Told,
}

enum Told {
    /// By `fire`.
    Here(UserFunction),
    /// By the breaker, under that number.
    ByBreaker(u64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Event {
    State(BreakerState),
    Fire,
    Success,
    Failure,
    Timeout,
    Reject,
    Fallback,
}

pub const EVENTS: [(&str, Event); 9] = [
    ("open", Event::State(BreakerState::Open)),
    ("halfOpen", Event::State(BreakerState::HalfOpen)),
    ("close", Event::State(BreakerState::Closed)),
    ("fire", Event::Fire),
    ("success", Event::Success),
    ("failure", Event::Failure),
    ("timeout", Event::Timeout),
    ("reject", Event::Reject),
    ("fallback", Event::Fallback),
];

#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub fires: u64,
    pub successes: u64,
    pub failures: u64,
    pub timeouts: u64,
    pub rejects: u64,
    pub fallbacks: u64,
}

impl EventBreaker {
    pub fn new(runtime: &Rc<Runtime>, source: Source<CircuitBreaker>, timer: JsTimer, timeout: Duration) -> Self {
        Self {
            runtime: runtime.clone(),
            source,
            timer,
            timeout,
            keeper: OnceCell::new(),
            action: OnceCell::new(),
            fallback: RefCell::default(),
            listeners: RefCell::default(),
            state_listeners: StateListeners::default(),
            listener_errors: Arc::default(),
            counts: Cell::default(),
            shut_down: Cell::new(false),
        }
    }

    /// Keeps the app's function in the instance that the app gets.
    pub fn begin(&self, scope: Scope, instance: Value, action: Argument) -> Checked<()> {
        self.keeper.get_or_init(|| Keeper::new(&self.runtime, scope, instance));
        let kept = self.keep(scope, action)?;
        _ = self.action.set(Rc::new(kept));
        Ok(())
    }

    pub fn with<T>(&self, work: impl FnOnce(&Arc<CircuitBreaker>) -> T) -> Checked<T> {
        self.runtime.enter(|scope| self.source.with(scope, work))?
    }

    pub fn state(&self) -> Checked<BreakerState> {
        self.with(|breaker| breaker.state())
    }

    fn count(&self, count: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.get();
        count(&mut counts);
        self.counts.set(counts);
    }

    pub fn keep(&self, scope: Scope, function: Argument) -> Checked<Reference> {
        let value = function.function()?;
        let kept = self.keeper.get().and_then(|keeper| keeper.keep(scope, value));
        kept.ok_or_else(|| function.wrong("a function"))
    }

    /// Tells those who listen to `event`.
    fn emit(&self, event: Event, arguments: &[Value]) {
        let told: Vec<_> = self.listeners.borrow().iter().filter(|one| one.event == event).cloned().collect();
        for listener in told {
            let Told::Here(function) = &listener.told else { continue };
            let errors = self.listener_errors.clone();
            function.tell_all(|_| Ok(arguments), move |_, _| _ = errors.fetch_add(1, Ordering::Relaxed));
        }
    }

    pub fn listen(&self, scope: Scope, event: Event, listener: Argument) -> Checked<()> {
        let (function, told) = (self.keep(scope, listener)?, UserFunction::new(self.keep(scope, listener)?));
        let told = match event {
            Event::State(state) => {
                let (errors, to) = (self.listener_errors.clone(), Some(state));
                let number = self.state_listeners.add(&self.runtime, scope, &self.source, told, errors, to)?;
                Told::ByBreaker(number)
            }
            _ => Told::Here(told),
        };
        self.listeners.borrow_mut().push(Rc::new(Listener { event, function, told }));
        Ok(())
    }

    /// Takes one back; false: there is none.
    pub fn ignore(&self, scope: Scope, event: Event, function: Value) -> bool {
        let is_it = |one: &Rc<Listener>| one.event == event && scope.same(one.function.value(scope), function);
        let found = self.listeners.borrow().iter().position(is_it);
        let Some(removed) = found.map(|index| self.listeners.borrow_mut().remove(index)) else { return false };
        if let Told::ByBreaker(number) = removed.told {
            self.state_listeners.remove(number);
        }
        true
    }

    /// Forgets all listeners; no call goes out from now on.
    pub fn shut_down(&self) {
        self.shut_down.set(true);
        self.state_listeners.end();
        let listeners = self.listeners.take();
        drop(listeners);
    }

    /// One call.
    pub async fn fire(self: Rc<Self>, arguments: Vec<Kept>) -> std::result::Result<Value, Value> {
        let _hold = self.keeper.get().map(Keeper::hold);
        let began = self.timer.now();
        let call = AppCall::new(arguments, None);
        let run = {
            let scope = self.runtime.scope();
            self.count(|counts| counts.fires += 1);
            self.emit(Event::Fire, &call.arguments(scope));
            if self.shut_down.get() {
                return Err(rejected(scope, "the breaker has been shut down", "shutdown", None));
            }
            let Some(action) = self.action.get().cloned() else { return Ok(scope.undefined()) };
            let breaker = self.source.get(scope).map_err(|thrown| thrown.value)?;
            let mut config = RequestConfig::new(Duration::ZERO, 1.0, Duration::ZERO, 0);
            (config.retry.attempt_timeout, config.retry.deadline) = (self.timeout, MAX_DURATION);
            let options = RequestOptions { breaker: Some(breaker), ..RequestOptions::default() };
            let run = Work::call(&self.runtime, action, &call).run(config, self.timer.clone(), options);
            run.map_err(|error| scope.error(&error.to_string()))?.1
        };
        let result = run.await;
        let scope = self.runtime.scope();
        let took = scope.number(measured_ms(self.timer.now().since(began)));
        if let (RetryOutcome::Success, Some(response)) = (result.outcome, result.response) {
            let value = response.into_value().value(scope);
            self.count(|counts| counts.successes += 1);
            self.emit(Event::Success, &[value, took]);
            return Ok(value);
        }
        let error = match (call.take_thrown(), result.error) {
            (Some(thrown), _) => thrown.value(scope),
            (None, Some(error)) => {
                let value = call_error(scope, &error, None);
                if error.class == ErrorClass::Timeout {
                    self.count(|counts| counts.timeouts += 1);
                    self.emit(Event::Timeout, &[value, took]);
                }
                value
            }
            (None, None) => {
                let asked = result.stop_reason == StopReason::RetryAfter;
                let code = if asked { "retry_after" } else { "circuit_open" };
                let value = rejected(scope, "the breaker rejects the call", code, result.retry_after);
                self.count(|counts| counts.rejects += 1);
                self.emit(Event::Reject, &[value]);
                value
            }
        };
        if !result.trace.requests.is_empty() {
            self.count(|counts| counts.failures += 1);
            self.emit(Event::Failure, &[error, took]);
        }
        let Some(fallback) = self.fallback.borrow().clone() else { return Err(error) };
        // Both live on: what the fallback gives may take its time.
        let error = Kept::new(&self.runtime, scope, error);
        let arguments: Vec<_> = call.arguments(scope).into_iter().chain([error.value(scope)]).collect();
        let given = called(&self.runtime, scope, fallback.value(scope), &arguments);
        drop(arguments);
        let given = given.await;
        let scope = self.runtime.scope();
        let given = given.map_err(|error| error.value(scope))?.value(scope);
        self.count(|counts| counts.fallbacks += 1);
        self.emit(Event::Fallback, &[given, error.value(scope)]);
        Ok(given)
    }
}
