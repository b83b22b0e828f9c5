use std::sync::Arc;

use tokio::sync::watch;

use super::queue::Queue;
use super::timer_thread;
use crate::clock::{Clock, SystemClock, Timestamp};

/// Rings a queue's bell at a time that can be moved. Dropping it stops it.
pub struct Alarm(watch::Sender<Option<Timestamp>>);

impl Alarm {
    /// `None`: there is no [timer thread](timer_thread) now.
    pub fn new(queue: &Arc<Queue>) -> Option<Self> {
        let thread = timer_thread::handle()?;
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
