use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::Runtime;
use super::alarm::Alarm;
use super::queue::Queue;
use crate::clock::{Clock, SystemClock, Timestamp};

/// Key of an entry that is always there: a map that becomes empty frees its memory, for the next call to ask for again.
const NEVER: (Timestamp, u64) = (Timestamp::new(Duration::MAX), 0);

/// The sleeps of one runtime. The timer thread knows only the earliest time that was ever asked for and not yet reached:
/// a sleep that is dropped leaves it armed, and the next call with a later deadline has nothing to send.
///
/// When the system gives no thread, calls run on: what their clients answer arrives. Each entry into the module ends the
/// sleeps that are over by then, and asks for the thread again.
pub struct Timers {
    queue: Arc<Queue>,
    sleeping: RefCell<BTreeMap<(Timestamp, u64), Waker>>,
    next_id: Cell<u64>,
    armed: Cell<Option<Timestamp>>,
    alarm: RefCell<Option<Alarm>>,
}

impl Timers {
    pub fn new(queue: Arc<Queue>) -> Self {
        Self {
            queue,
            sleeping: RefCell::new(BTreeMap::from([(NEVER, Waker::noop().clone())])),
            next_id: Cell::new(0),
            armed: Cell::new(None),
            alarm: RefCell::default(),
        }
    }

    fn arm(&self, deadline: Timestamp) {
        if self.armed.get().is_some_and(|armed| armed <= deadline) {
            return;
        }
        let mut alarm = self.alarm.borrow_mut();
        if alarm.is_none() {
            *alarm = Alarm::new(&self.queue);
        }
        if let Some(alarm) = &*alarm {
            alarm.set(deadline);
            self.armed.set(Some(deadline));
        }
    }

    /// Wakes the sleeps that are over and arms the alarm for the next.
    pub fn fire_due(&self) {
        let now = SystemClock.now();
        if self.armed.get().is_some_and(|armed| armed <= now) {
            self.armed.set(None);
            self.wake_until(now);
        }
    }

    /// For each entry into the module: the same where nothing is armed, because there was no thread for it.
    pub fn catch_up(&self) {
        if self.armed.get().is_none() && self.sleeping.borrow().len() > 1 {
            self.wake_until(SystemClock.now());
        }
    }

    fn wake_until(&self, now: Timestamp) {
        let later = self.sleeping.borrow_mut().split_off(&(now, u64::MAX));
        let due = self.sleeping.replace(later);
        due.into_values().for_each(Waker::wake);
        let next = self.sleeping.borrow().first_key_value().map(|(&key, _)| key);
        next.filter(|&key| key != NEVER).into_iter().for_each(|(deadline, _)| self.arm(deadline));
    }

    /// Forgets all sleeps and the alarm. For the end of the environment.
    pub fn clear(&self) {
        self.alarm.take();
        drop(self.sleeping.take());
    }
}

/// A wait on the system's clock.
pub struct JsSleep {
    runtime: Rc<Runtime>,
    deadline: Timestamp,
    id: Option<u64>,
}

impl JsSleep {
    pub fn until(runtime: Rc<Runtime>, deadline: Timestamp) -> Self {
        Self { runtime, deadline, id: None }
    }
}

impl Future for JsSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let timers = &this.runtime.timers;
        let Some(id) = this.id else {
            // Not asked whether it is over already: then the alarm rings at once.
            let id = timers.next_id.get() + 1;
            timers.next_id.set(id);
            this.id = Some(id);
            timers.sleeping.borrow_mut().insert((this.deadline, id), context.waker().clone());
            timers.arm(this.deadline);
            return Poll::Pending;
        };
        match timers.sleeping.borrow_mut().get_mut(&(this.deadline, id)) {
            Some(waker) => {
                waker.clone_from(context.waker());
                Poll::Pending
            }
            None => Poll::Ready(()),
        }
    }
}

impl Drop for JsSleep {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.runtime.timers.sleeping.borrow_mut().remove(&(self.deadline, id));
        }
    }
}
