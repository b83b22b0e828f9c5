//! Calls of what is not this crate's own, where a panic must cost nobody anything. Never under a lock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

use crate::clock::{Clock, Timestamp};

/// The time; the origin from a clock that panics, which leaves a state that knows the latest time where it was.
pub(crate) fn now(clock: &(impl Clock + ?Sized)) -> Timestamp {
    catch_unwind(AssertUnwindSafe(|| clock.now())).unwrap_or_default()
}

/// Wakes all of them: one that panics must not keep the others from being told.
pub(crate) fn wake(wakers: impl IntoIterator<Item = Waker>) {
    wakers.into_iter().for_each(|waker| drop(catch_unwind(AssertUnwindSafe(|| waker.wake()))));
}
