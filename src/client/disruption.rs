//! What of a call's failures the device is to blame for, and not the service.

use crate::classify::{CallError, ErrorClass};
use crate::clock::Timestamp;
use crate::device::{Device, GRACE, MAX_FREE};

/// What the device has done to one call so far.
#[derive(Debug, Default)]
pub(crate) struct Disruptions {
    /// Failures that counted for nothing.
    free: u32,
    /// Number of the fresh start that made the latest of them free.
    fresh_start: u64,
    /// Whether a backoff has ended early.
    pub woken: bool,
}

impl Disruptions {
    /// Reads the failure of an attempt that began at `began` in the light of what the app has told of its device. True: it counts
    /// for nothing.
    pub fn excuse(&mut self, device: Option<&Device>, error: &mut CallError, began: Timestamp) -> bool {
        let answered = error.status.is_some() || error.retry_after.is_some();
        let Some(device) = device.filter(|_| !answered) else { return false };
        let no_answer = [ErrorClass::Connect, ErrorClass::Interrupted, ErrorClass::Timeout, ErrorClass::Unknown];
        if !no_answer.contains(&error.class) {
            return false;
        }
        if device.is_offline() {
            error.class = ErrorClass::Offline;
            return false;
        }
        let fresh_start = device.fresh_start();
        let lost = match error.class {
            ErrorClass::Connect | ErrorClass::Interrupted => began < fresh_start.at + GRACE,
            // One that hangs does so on a connection from before, or for a reason of the service's.
            ErrorClass::Timeout => began < fresh_start.at,
            _ => false,
        };
        let free = lost && fresh_start.number > self.fresh_start && self.free < MAX_FREE;
        if free {
            (self.free, self.fresh_start) = (self.free + 1, fresh_start.number);
        }
        free
    }
}
