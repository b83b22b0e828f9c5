use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::Runtime;
use super::alarm::Alarm;
use super::queue::Queue;
use crate::clock::{Clock, SystemClock, Timestamp};

/// The sleeps of one runtime. The timer thread knows only the earliest time that was ever asked for and not yet reached:
/// a sleep that is dropped leaves it armed, and the next call with a later deadline has nothing to send.
///
/// In no order: nearly all are dropped long before their time, a timeout with each call. Whoever rings looks at them all.
///
/// When the system gives no thread, calls run on: what their clients answer arrives. Each entry into the module ends the
/// sleeps that are over by then, and asks for the thread again.
pub struct Timers {
    queue: Arc<Queue>,
    sleeps: RefCell<Sleeps>,
    armed: Cell<Option<Timestamp>>,
    alarm: RefCell<Option<Alarm>>,
}

#[derive(Default)]
struct Sleeps {
    /// `None`: over, or free.
    all: Vec<Option<(Timestamp, Waker)>>,
    free: Vec<usize>,
}

impl Timers {
    pub fn new(queue: Arc<Queue>) -> Self {
        Self { queue, sleeps: RefCell::default(), armed: Cell::new(None), alarm: RefCell::default() }
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
        if self.armed.get().is_none() && self.sleeps.borrow().any() {
            self.wake_until(SystemClock.now());
        }
    }

    fn wake_until(&self, now: Timestamp) {
        let due = self.sleeps.borrow_mut().take_until(now);
        due.into_iter().for_each(|(_, waker)| waker.wake());
        let next = self.sleeps.borrow().next();
        next.into_iter().for_each(|deadline| self.arm(deadline));
    }

    /// Forgets all sleeps and the alarm. For the end of the environment.
    pub fn clear(&self) {
        self.alarm.take();
        drop(self.sleeps.take());
    }
}

impl Sleeps {
    fn any(&self) -> bool {
        self.all.len() > self.free.len()
    }

    fn add(&mut self, deadline: Timestamp, waker: Waker) -> usize {
        let sleep = Some((deadline, waker));
        match self.free.pop() {
            Some(index) => {
                self.all[index] = sleep;
                index
            }
            None => {
                self.all.push(sleep);
                self.all.len() - 1
            }
        }
    }

    /// Those that are over, in their order.
    fn take_until(&mut self, now: Timestamp) -> Vec<(Timestamp, Waker)> {
        let due = |sleep: &mut (Timestamp, Waker)| sleep.0 <= now;
        let mut over: Vec<_> = self.all.iter_mut().filter_map(|sleep| sleep.take_if(due)).collect();
        over.sort_by_key(|&(deadline, _)| deadline);
        over
    }

    fn next(&self) -> Option<Timestamp> {
        self.all.iter().flatten().map(|&(deadline, _)| deadline).min()
    }
}

/// A wait on the system's clock.
pub struct JsSleep {
    runtime: Rc<Runtime>,
    deadline: Timestamp,
    index: Option<usize>,
}

impl JsSleep {
    pub fn until(runtime: Rc<Runtime>, deadline: Timestamp) -> Self {
        Self { runtime, deadline, index: None }
    }
}

impl Future for JsSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let timers = &this.runtime.timers;
        let Some(index) = this.index else {
            // Not asked whether it is over already: then the alarm rings at once.
            this.index = Some(timers.sleeps.borrow_mut().add(this.deadline, context.waker().clone()));
            timers.arm(this.deadline);
            return Poll::Pending;
        };
        match timers.sleeps.borrow_mut().all.get_mut(index).and_then(Option::as_mut) {
            Some((_, waker)) => {
                waker.clone_from(context.waker());
                Poll::Pending
            }
            None => Poll::Ready(()),
        }
    }
}

impl Drop for JsSleep {
    fn drop(&mut self) {
        let Some(index) = self.index else { return };
        let sleeps = &mut *self.runtime.timers.sleeps.borrow_mut();
        // None there are once the environment has gone down.
        if let Some(sleep) = sleeps.all.get_mut(index) {
            *sleep = None;
            sleeps.free.push(index);
        }
    }
}
