//! The timer thread: one for the process, started by the first timer, tokio's timer wheel on it.

use std::io;
use std::sync::{Mutex, Once};

use tokio::runtime::{Builder, Handle};

use crate::lock::lock;
use crate::log;

/// What runs futures on it. `None`: the system gives no thread now. It may give one later.
pub fn handle() -> Option<Handle> {
    static THREAD: Mutex<Option<Handle>> = Mutex::new(None);
    static TOLD: Once = Once::new();
    let mut thread = lock(&THREAD);
    if thread.is_none() {
        match start() {
            Ok(handle) => *thread = Some(handle),
            Err(error) => TOLD.call_once(|| log::warn(format_args!("no timer thread: {error}; timers wait for one"))),
        }
    }
    thread.clone()
}

fn start() -> io::Result<Handle> {
    let runtime = Builder::new_current_thread().enable_time().build()?;
    let handle = runtime.handle().clone();
    std::thread::Builder::new()
        .name("resilience-timer".to_owned())
        .spawn(move || runtime.block_on(std::future::pending::<()>()))?;
    Ok(handle)
}
