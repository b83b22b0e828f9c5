use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::Poll;

use crate::cancel::CancelToken;

/// Which of the three came first.
pub(crate) enum Raced<T, E = ()> {
    Done(T),
    Cancelled,
    TimedOut(E),
}

/// Runs `work` until it is done, `cancel` is cancelled or `timeout` is over. In this order: work that is done at the
/// very moment of its timeout counts as done.
///
/// Takes pinned references: a future that is moved into another one is stored there twice.
pub(crate) fn race<T, E>(
    mut work: Pin<&mut impl Future<Output = T>>,
    cancel: Option<&CancelToken>,
    mut timeout: Pin<&mut impl Future<Output = E>>,
) -> impl Future<Output = Raced<T, E>> {
    let mut cancelled = cancel.map(CancelToken::cancelled);
    poll_fn(move |context| {
        if let Poll::Ready(result) = work.as_mut().poll(context) {
            return Poll::Ready(Raced::Done(result));
        }
        if cancelled.as_mut().is_some_and(|cancelled| Pin::new(cancelled).poll(context).is_ready()) {
            return Poll::Ready(Raced::Cancelled);
        }
        timeout.as_mut().poll(context).map(Raced::TimedOut)
    })
}

/// Starts and runs a future that is not this crate's own. What it panics with becomes the error.
pub(super) async fn caught<F: Future>(start: impl FnOnce() -> F) -> Result<F::Output, String> {
    let mut work = pin!(catch_unwind(AssertUnwindSafe(start)).map_err(panic_text)?);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panic_text(panic))),
    })
    .await
}

fn panic_text(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no text").to_owned()
}
