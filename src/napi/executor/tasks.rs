use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use super::Runtime;
use super::queue::Queue;
use crate::napi::js::{Deferred, Scope, Value};

type TaskFuture = Pin<Box<dyn Future<Output = Result<Value, Value>>>>;

/// The futures of one runtime. A place is used again after its task has ended; a waker of the ended task then wakes the
/// new one for nothing, which futures allow.
pub struct Tasks {
    queue: Arc<Queue>,
    places: RefCell<Places>,
    /// To be polled before the JS thread leaves the module.
    ready: RefCell<VecDeque<usize>>,
}

#[derive(Default)]
struct Places {
    all: Vec<Place>,
    free: Vec<usize>,
}

struct Place {
    /// Out while it is polled, as is the waker.
    task: Option<(TaskFuture, Deferred)>,
    /// Made once for the place: a task costs no waker of its own.
    waker: Option<Waker>,
    /// Woken while out: to be polled again.
    woken: bool,
}

struct TaskWaker {
    index: usize,
    queue: Arc<Queue>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !Runtime::wake_here(&self.queue, self.index) {
            self.queue.push(self.index);
        }
    }
}

impl Tasks {
    pub fn new(queue: Arc<Queue>) -> Self {
        Self { queue, places: RefCell::default(), ready: RefCell::default() }
    }

    pub fn add(&self, future: TaskFuture, deferred: Deferred) -> usize {
        let mut places = self.places.borrow_mut();
        let index = places.free.pop().unwrap_or_else(|| {
            let index = places.all.len();
            let waker = Waker::from(Arc::new(TaskWaker { index, queue: self.queue.clone() }));
            places.all.push(Place { task: None, waker: Some(waker), woken: false });
            index
        });
        places.all[index].task = Some((future, deferred));
        index
    }

    pub fn wake(&self, index: usize) {
        self.ready.borrow_mut().push_back(index);
    }

    pub fn next_ready(&self) -> Option<usize> {
        self.ready.borrow_mut().pop_front()
    }

    /// Polls one task and settles its promise when it is done. No borrow is held meanwhile: a poll runs JS, and that may
    /// start further tasks.
    pub fn poll(&self, index: usize, scope: Scope) {
        let Some((mut future, deferred, waker)) = self.take(index) else { return };
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut Context::from_waker(&waker))));
        {
            let mut places = self.places.borrow_mut();
            // Gone when the environment went down meanwhile.
            let Some(place) = places.all.get_mut(index) else { return };
            place.waker = Some(waker);
            if let Ok(Poll::Pending) = polled {
                place.task = Some((future, deferred));
                if std::mem::take(&mut place.woken) {
                    self.wake(index);
                }
                return;
            }
            places.free.push(index);
        }
        match polled {
            Ok(Poll::Ready(Ok(value))) => scope.resolve(deferred, value),
            Ok(Poll::Ready(Err(error))) => scope.reject(deferred, error),
            Ok(Poll::Pending) | Err(_) => scope.reject(deferred, scope.error(super::INTERNAL_ERROR)),
        }
    }

    fn take(&self, index: usize) -> Option<(TaskFuture, Deferred, Waker)> {
        let mut places = self.places.borrow_mut();
        let place = places.all.get_mut(index)?;
        // Woken while it is polled: its poll runs JS, and that may run what is ready.
        place.woken |= place.waker.is_none();
        let (future, deferred) = place.task.take()?;
        place.waker.take().map(|waker| (future, deferred, waker))
    }

    /// Drops all tasks; their promises stay unsettled. For the end of the environment.
    pub fn clear(&self) {
        let places = self.places.take();
        drop(places);
    }
}
