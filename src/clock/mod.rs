//! Time, passed in: a [`Clock`] tells it, a [`Timer`] also waits.
//!
//! No policy of this crate asks the system for the time, so a test moves a [`ManualClock`] by hand and never sleeps.

mod manual;
mod monotonic;
mod system;
mod timestamp;
mod tokio_clock;

pub use manual::{ManualClock, ManualSleep};
pub use monotonic::Monotonic;
pub use system::SystemClock;
pub use timestamp::Timestamp;
pub use tokio_clock::TokioClock;

use crate::device::Device;

/// A clock that never runs backwards. [`Monotonic`] makes one of readings that may.
pub trait Clock {
    /// Time since the clock's own origin.
    fn now(&self) -> Timestamp;
}

/// A clock that can also wait.
pub trait Timer: Clock {
    /// The wait. Dropping it cancels it.
    type Sleep: Future<Output = ()>;

    /// Ready when [`Clock::now`] has reached `deadline`.
    fn sleep_until(&self, deadline: Timestamp) -> Self::Sleep;

    /// What the app tells of its device, where it tells anything: see [`DeviceTimer`](crate::device::DeviceTimer).
    fn device(&self) -> Option<&Device> {
        None
    }
}

impl<C: Clock + ?Sized> Clock for std::sync::Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }
}
