//! `networkChanged`, `suspended`, `resumed`: what the app tells of its device.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::Unknown;
use napi_ohos::{Env, Result};

use super::arguments::argument;
use super::executor::Runtime;
use super::js::Scope;
use crate::clock::{ManualClock, SystemClock};
use crate::device::Device;

/// One device as its clocks see it: the system's, and each that is moved by hand.
pub struct Devices {
    pub system: Device,
    manual: RefCell<Vec<Weak<Device>>>,
}

impl Default for Devices {
    fn default() -> Self {
        Self { system: Device::new(SystemClock), manual: RefCell::default() }
    }
}

impl Devices {
    /// For a new clock: as the app has told it so far.
    pub fn on(&self, clock: ManualClock) -> Arc<Device> {
        let device = Arc::new(Device::new(clock));
        if self.system.is_offline() {
            device.network_changed(false);
        }
        if self.system.is_suspended() {
            device.suspended();
        }
        let mut manual = self.manual.borrow_mut();
        manual.retain(|device| device.strong_count() > 0);
        manual.push(Arc::downgrade(&device));
        device
    }

    fn tell(&self, what: impl Fn(&Device)) {
        what(&self.system);
        let manual: Vec<_> = self.manual.borrow().iter().filter_map(Weak::upgrade).collect();
        manual.iter().for_each(|device| what(device));
    }
}

/// Tells that the network was lost (false), or that there is one again (true): another one, perhaps. For all clients, runners
/// and requests of this thread; call it in each thread that has some.
///
/// Without network a failure is nobody's: an attempt that gets no answer ends its call as `offline`, which no breaker, no
/// retry and no token of the budget is spent on. It is a hint: calls are made all the same. When the network is back,
/// connections have died: the first such failure of a call within 10 s is free, and tried again at once; a backoff that is
/// waited for ends early, once in a call, within `baseMs` and by chance.
/// Throws INVALID_ARGUMENT unless `online` is true or false.
#[napi(ts_args_type = "online: boolean")]
pub fn network_changed(env: Env, online: Unknown) -> Result<()> {
    let scope = Scope::of(env);
    let online = argument(scope, online, "online").boolean()?;
    let runtime = Runtime::of(scope);
    Ok(runtime.enter(|_| runtime.devices().tell(|device| device.network_changed(online)))?)
}

/// Tells that the app is about to be suspended (`onBackground`): time stands still for its calls, a day at the most. Deadlines,
/// time limits of attempts and waits go on after `resumed()`; the cooldowns of breakers do not wait. For this thread.
#[napi]
pub fn suspended(env: Env) -> Result<()> {
    let runtime = Runtime::of(Scope::of(env));
    Ok(runtime.enter(|_| runtime.devices().tell(Device::suspended))?)
}

/// Tells that the app goes on (`onForeground`), after `suspended()` or without it. Connections have died meanwhile, as when the
/// network is back. For this thread.
#[napi]
pub fn resumed(env: Env) -> Result<()> {
    let runtime = Runtime::of(Scope::of(env));
    Ok(runtime.enter(|_| runtime.devices().tell(Device::resumed))?)
}
