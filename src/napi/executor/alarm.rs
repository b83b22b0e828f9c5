//! The timer thread: one for the process, started by the first timer, tokio's timer wheel on it.

use std::io;
use std::sync::{Arc, Mutex, Once};

use tokio::runtime::{Builder, Handle};
use tokio::sync::watch;

use super::queue::Queue;
use crate::clock::{Clock, SystemClock, Timestamp};
use crate::lock::lock;
use crate::log;

/// Rings a queue's bell at a time that can be moved. Dropping it stops it.
pub struct Alarm(watch::Sender<Option<Timestamp>>);

impl Alarm {
    /// `None`: the system gives no thread now. It may give one later.
    pub fn new(queue: &Arc<Queue>) -> Option<Self> {
        let thread = timer_thread()?;
        let (sender, receiver) = watch::channel(None);
        thread.spawn(ring_when_due(receiver, queue.clone()));
        Some(Self(sender))
    }

    pub fn set(&self, deadline: Timestamp) {
        self.0.send_replace(Some(deadline));
    }
}

async fn ring_when_due(mut deadline: watch::Receiver<Option<Timestamp>>, queue: Arc<Queue>) {
    loop {
        let due = *deadline.borrow_and_update();
        let moved = match due {
            None => deadline.changed().await,
            Some(due) => match tokio::time::timeout(due.since(SystemClock.now()), deadline.changed()).await {
                Ok(moved) => moved,
                Err(_elapsed) => {
                    queue.ring();
                    deadline.changed().await
                }
            },
        };
        if moved.is_err() {
            return;
        }
    }
}

fn timer_thread() -> Option<Handle> {
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
