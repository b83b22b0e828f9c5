//! What the executor of the Node-API layer meets at its ends: the engine, and of tokio a channel and a timeout.

pub mod engine;
pub mod watch;

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use loom::future::block_on;

/// For [`timeout`].
pub struct Elapsed;

/// tokio's, in a world in which a moment has come or never comes: it elapses at once or never.
pub async fn timeout<F: Future>(duration: Duration, future: F) -> Result<F::Output, Elapsed> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(Ok(result)),
        Poll::Pending if duration.is_zero() => Poll::Ready(Err(Elapsed)),
        Poll::Pending => Poll::Pending,
    })
    .await
}

/// A timer thread for each alarm.
pub struct Handle;

/// There is always one.
pub fn handle() -> Option<Handle> {
    Some(Handle)
}

impl Handle {
    pub fn spawn(&self, future: impl Future<Output = ()> + 'static) {
        loom::thread::spawn(|| block_on(future));
    }
}
