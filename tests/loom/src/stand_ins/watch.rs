//! As `tokio::sync::watch`, as far as an alarm uses it.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use loom::sync::Mutex;

struct State<T> {
    value: T,
    version: u64,
    closed: bool,
    waiting: Option<Waker>,
}

pub struct Sender<T>(Arc<Mutex<State<T>>>);

pub struct Receiver<T> {
    state: Arc<Mutex<State<T>>>,
    seen: u64,
}

#[derive(Debug)]
pub struct Closed;

pub fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    let state = Arc::new(Mutex::new(State { value, version: 0, closed: false, waiting: None }));
    (Sender(state.clone()), Receiver { state, seen: 0 })
}

impl<T> Sender<T> {
    pub fn send_replace(&self, value: T) -> T {
        self.change(|state| {
            state.version += 1;
            std::mem::replace(&mut state.value, value)
        })
    }

    fn change<R>(&self, change: impl FnOnce(&mut State<T>) -> R) -> R {
        let (result, waiting) = {
            let mut state = self.0.lock().unwrap();
            (change(&mut state), state.waiting.take())
        };
        waiting.into_iter().for_each(Waker::wake);
        result
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.change(|state| state.closed = true);
    }
}

impl<T: Copy> Receiver<T> {
    pub fn borrow_and_update(&mut self) -> Box<T> {
        let state = self.state.lock().unwrap();
        self.seen = state.version;
        Box::new(state.value)
    }

    pub async fn changed(&mut self) -> Result<(), Closed> {
        poll_fn(|context| {
            let mut state = self.state.lock().unwrap();
            if state.version != self.seen {
                self.seen = state.version;
                Poll::Ready(Ok(()))
            } else if state.closed {
                Poll::Ready(Err(Closed))
            } else {
                state.waiting = Some(context.waker().clone());
                Poll::Pending
            }
        })
        .await
    }
}
