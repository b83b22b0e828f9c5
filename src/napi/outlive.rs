//! Work of the app that goes on after its caller has left keeps its place in the bulkhead.

use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};

use super::clock::JsTimer;
use super::executor::{JsPromise, Runtime};
use crate::bulkhead::Hold;
use crate::client::internal::race;
use crate::clock::{Clock, Timer};

/// Keeps the place until the work is done, for the bulkhead's grace at the most.
pub fn outlive<T: 'static>(runtime: &Rc<Runtime>, timer: JsTimer, work: JsPromise<T>, hold: Hold) {
    let own = runtime.clone();
    let left = async move {
        let end = timer.now() + hold.overrun_grace();
        race(pin!(work), None, pin!(timer.sleep_until(end))).await;
        drop(hold);
        Ok(own.scope().undefined())
    };
    runtime.spawn(runtime.scope(), left);
}

/// The work of one attempt. When the attempt is given up, the work outlives it.
pub struct Attempted<T: 'static> {
    work: Option<JsPromise<T>>,
    /// Boxed: few calls have one, and it would make the future of each larger.
    place: Option<Box<Place>>,
}

/// Where the work runs.
pub struct Place {
    pub hold: Hold,
    pub timer: JsTimer,
    pub runtime: Rc<Runtime>,
}

impl<T: 'static> Attempted<T> {
    pub fn new(work: JsPromise<T>, place: Option<Place>) -> Self {
        Self { work: Some(work), place: place.map(Box::new) }
    }
}

impl<T: 'static> Future for Attempted<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let work = self.work.as_mut().expect("no future is polled after its end");
        let polled = Pin::new(work).poll(context);
        if polled.is_ready() {
            self.work = None;
        }
        polled
    }
}

impl<T: 'static> Drop for Attempted<T> {
    fn drop(&mut self) {
        let (Some(work), Some(place)) = (self.work.take(), self.place.take()) else { return };
        // Not at the end of the environment, where nothing runs any more.
        if place.runtime.is_alive() {
            let Place { hold, timer, runtime } = *place;
            outlive(&runtime, timer, work, hold);
        }
    }
}
