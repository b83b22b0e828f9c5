//! The timer thread: one for the process, started by the first timer, tokio's timer wheel on it.

use std::sync::{Arc, OnceLock};

use tokio::runtime::{Builder, Handle};
use tokio::sync::watch;

use super::queue::Queue;
use crate::clock::{Clock, SystemClock, Timestamp};

/// Rings a queue's bell at a time that can be moved. Dropping it stops it.
pub struct Alarm(watch::Sender<Option<Timestamp>>);

impl Alarm {
    pub fn new(queue: Arc<Queue>) -> Self {
        let (sender, receiver) = watch::channel(None);
        timer_thread().spawn(ring_when_due(receiver, queue));
        Self(sender)
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

fn timer_thread() -> &'static Handle {
    static HANDLE: OnceLock<Handle> = OnceLock::new();
    HANDLE.get_or_init(|| {
        let runtime = Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime with only a timer needs no system resource");
        let handle = runtime.handle().clone();
        std::thread::Builder::new()
            .name("resilience-timer".to_owned())
            .spawn(move || runtime.block_on(std::future::pending::<()>()))
            .expect("the system can start one thread");
        handle
    })
}
