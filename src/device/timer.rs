use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::Device;
use crate::cancel::Cancelled;
use crate::clock::{Clock, Timer, Timestamp};

/// A timer whose time stands still while its device is suspended, and through which calls learn of the device.
///
/// ```
/// use resilience::breaker::CircuitBreaker;
/// use resilience::client::{CallOptions, ClientConfig, ResilientLlmClient};
/// use resilience::clock::TokioClock;
/// use resilience::device::{Device, DeviceTimer};
/// use resilience::mock::MockLlmClient;
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let clock = TokioClock::new();
/// let device = Arc::new(Device::new(clock));
/// let breaker = Arc::new(CircuitBreaker::new(Default::default())?);
/// let timer = DeviceTimer::new(clock, device.clone());
/// let client = ResilientLlmClient::new(MockLlmClient::failing_first(1), ClientConfig::default(), breaker, timer)?;
///
/// // Wherever the system tells the app of it:
/// device.network_changed(true);
/// assert_eq!(client.execute("hello", CallOptions::default()).await.attempts(), 2);
/// # Ok::<(), resilience::InvalidConfig>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct DeviceTimer<T, D = Arc<Device>> {
    timer: T,
    device: D,
}

impl<T: Timer, D: Deref<Target = Device>> DeviceTimer<T, D> {
    /// `timer` is on the clock of `device`.
    pub fn new(timer: T, device: D) -> Self {
        Self { timer, device }
    }

    /// The timer that goes on while the app is suspended: for breakers.
    pub fn timer(&self) -> &T {
        &self.timer
    }
}

impl<T: Timer, D: Deref<Target = Device>> Clock for DeviceTimer<T, D> {
    fn now(&self) -> Timestamp {
        self.device.time_of_calls(self.timer.now())
    }
}

impl<T: Timer + Clone, D: Deref<Target = Device> + Clone> Timer for DeviceTimer<T, D> {
    type Sleep = DeviceSleep<T, D>;

    fn sleep_until(&self, deadline: Timestamp) -> DeviceSleep<T, D> {
        let (ends_at, resumed) = self.device.comes_at(deadline);
        let (sleep, resumed) = (self.timer.sleep_until(ends_at), resumed.map(Box::new));
        DeviceSleep { sleep, ends_at, resumed, deadline, timer: self.clone() }
    }

    fn device(&self) -> Option<&Device> {
        Some(&self.device)
    }
}

pin_project! {
    /// A wait on a [`DeviceTimer`].
    pub struct DeviceSleep<T: Timer, D> {
        #[pin]
        sleep: T::Sleep,
        // Of `sleep`.
        ends_at: Timestamp,
        // While time stands still: when it goes on. In a box, for it is rare.
        resumed: Option<Box<Cancelled>>,
        // In the time of calls.
        deadline: Timestamp,
        timer: DeviceTimer<T, D>,
    }
}

impl<T: Timer + Clone, D: Deref<Target = Device> + Clone> Future for DeviceSleep<T, D> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        loop {
            let elapsed = this.sleep.as_mut().poll(context).is_ready();
            let resumed =
                this.resumed.as_mut().is_some_and(|resumed| Pin::new(&mut **resumed).poll(context).is_ready());
            if !elapsed && !resumed {
                return Poll::Pending;
            }
            let (ends_at, resumed) = this.timer.device.comes_at(*this.deadline);
            if elapsed && ends_at <= *this.ends_at {
                return Poll::Ready(());
            }
            // Time has stood still meanwhile, or goes on again.
            (*this.ends_at, *this.resumed) = (ends_at, resumed.map(Box::new));
            this.sleep.set(this.timer.timer.sleep_until(ends_at));
        }
    }
}
