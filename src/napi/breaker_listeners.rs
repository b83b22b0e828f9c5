//! Listeners of a breaker that other threads may use too: each is called on its own thread.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use super::breaker_records::breaker_event;
use super::executor::Runtime;
use super::js::{Checked, Scope};
use super::kept::UserFunction;
use super::named::Source;
use crate::breaker::{BreakerEvent, BreakerState, CircuitBreaker};
use crate::lock::lock;

/// The most events of other threads that wait for this one.
const MAX_WAITING: usize = 1_000;

/// The listeners of one instance. They go with it: nobody could take them back any more.
#[derive(Default)]
pub struct StateListeners(RefCell<Option<Rc<Subscription>>>);

impl StateListeners {
    /// A listener to all changes, or to those `to` one state. Gives its number.
    pub fn add(
        &self,
        runtime: &Rc<Runtime>,
        scope: Scope,
        source: &Source<CircuitBreaker>,
        function: UserFunction,
        errors: Arc<AtomicU64>,
        to: Option<BreakerState>,
    ) -> Checked<u64> {
        let breaker = source.get(scope)?;
        // Events of a named one may come from other threads.
        let shared = source.name().is_some();
        let begun = self.0.borrow().clone();
        let subscription = begun.unwrap_or_else(|| {
            let begun = Subscription::begin(runtime, scope, breaker, shared);
            self.0.replace(Some(begun.clone()));
            begun
        });
        Ok(subscription.add(function, errors, to).unwrap_or_default())
    }

    /// False: there is none of that number here.
    pub fn remove(&self, number: u64) -> bool {
        let subscription = self.0.borrow().clone();
        let Some(subscription) = subscription.filter(|subscription| subscription.remove(number)) else { return false };
        if subscription.listeners.borrow().is_empty() {
            // Nothing keeps a named one in use any more.
            self.end();
        }
        true
    }

    pub fn end(&self) {
        let subscription = self.0.take();
        subscription.into_iter().for_each(|subscription| subscription.end());
    }
}

impl Drop for StateListeners {
    fn drop(&mut self) {
        self.end();
    }
}

/// While there is a listener, the breaker is in use, named or not.
struct Subscription {
    breaker: RefCell<Option<Arc<CircuitBreaker>>>,
    listeners: RefCell<BTreeMap<u64, Arc<Listener>>>,
    mailbox: Arc<Mailbox>,
}

struct Listener {
    function: UserFunction,
    errors: Arc<AtomicU64>,
    /// The changes that it hears of; `None`: all.
    to: Option<BreakerState>,
    /// False once it is taken back: what has been posted by then is not told.
    active: AtomicBool,
}

impl Listener {
    fn tell(&self, event: &BreakerEvent) {
        if self.active.load(Ordering::Relaxed) && self.to.is_none_or(|to| to == event.to) {
            let errors = self.errors.clone();
            self.function
                .tell(|scope| breaker_event(scope, event), move |_, _| _ = errors.fetch_add(1, Ordering::Relaxed));
        }
    }
}

impl Subscription {
    fn begin(runtime: &Rc<Runtime>, scope: Scope, breaker: Arc<CircuitBreaker>, shared: bool) -> Rc<Self> {
        let (breaker, mailbox) = (RefCell::new(Some(breaker)), Arc::default());
        let subscription = Rc::new(Self { breaker, listeners: RefCell::default(), mailbox });
        if shared {
            let (delivery, own) = (Delivery(subscription.clone()), runtime.clone());
            runtime.spawn(scope, async move {
                while let Some((listener, event)) = delivery.0.mailbox.next().await {
                    listener.tell(&event);
                }
                Ok(own.scope().undefined())
            });
        }
        subscription
    }

    /// `None` once it has ended.
    fn add(&self, function: UserFunction, errors: Arc<AtomicU64>, to: Option<BreakerState>) -> Option<u64> {
        let breaker = self.breaker.borrow().clone()?;
        let listener = Arc::new(Listener { function, errors, to, active: AtomicBool::new(true) });
        let (told, mailbox) = (listener.clone(), self.mailbox.clone());
        let number = breaker.subscribe(move |event| match told.function.is_here() {
            true => told.tell(event),
            false => mailbox.post(&told, *event),
        });
        self.listeners.borrow_mut().insert(number, listener);
        Some(number)
    }

    fn remove(&self, number: u64) -> bool {
        let Some(listener) = self.listeners.borrow_mut().remove(&number) else { return false };
        listener.active.store(false, Ordering::Relaxed);
        let breaker = self.breaker.borrow().clone();
        breaker.is_some_and(|breaker| breaker.unsubscribe(number))
    }

    /// Takes all listeners back and lets go of the breaker.
    fn end(&self) {
        self.mailbox.close();
        let numbers: Vec<u64> = self.listeners.borrow().keys().copied().collect();
        numbers.into_iter().for_each(|number| _ = self.remove(number));
        self.breaker.take();
    }
}

/// Ends with the task, at the latest with the environment.
struct Delivery(Rc<Subscription>);

impl Drop for Delivery {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Events of other threads on their way to this one.
#[derive(Default)]
struct Mailbox(Mutex<Mail>);

#[derive(Default)]
struct Mail {
    waiting: VecDeque<(Arc<Listener>, BreakerEvent)>,
    waker: Option<Waker>,
    closed: bool,
}

impl Mailbox {
    fn post(&self, listener: &Arc<Listener>, event: BreakerEvent) {
        let waker = {
            let mut mail = lock(&self.0);
            if mail.closed {
                return;
            }
            if mail.waiting.len() >= MAX_WAITING {
                listener.errors.fetch_add(1, Ordering::Relaxed);
                return;
            }
            mail.waiting.push_back((listener.clone(), event));
            mail.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }

    /// `None` once it is closed.
    async fn next(&self) -> Option<(Arc<Listener>, BreakerEvent)> {
        poll_fn(|context| {
            let mut mail = lock(&self.0);
            if mail.closed {
                return Poll::Ready(None);
            }
            let next = mail.waiting.pop_front();
            if next.is_none() {
                mail.waker = Some(context.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(next)
        })
        .await
    }

    fn close(&self) {
        let (undelivered, waker) = {
            let mut mail = lock(&self.0);
            mail.closed = true;
            (std::mem::take(&mut mail.waiting), mail.waker.take())
        };
        // Outside the lock: what a listener holds is freed here.
        drop(undelivered);
        waker.into_iter().for_each(Waker::wake);
    }
}
