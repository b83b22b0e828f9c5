use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use crate::cancel::CancelToken;

/// Which of the three came first.
pub(super) enum Raced<T> {
    Done(T),
    Cancelled,
    TimedOut,
}

/// Runs `work` until it is done, `cancel` is cancelled or `timeout` is over. In this order: work that is done at the
/// very moment of its timeout counts as done.
pub(super) async fn race<T>(
    work: impl Future<Output = T>,
    cancel: Option<&CancelToken>,
    timeout: impl Future<Output = ()>,
) -> Raced<T> {
    let (mut work, mut timeout) = (pin!(work), pin!(timeout));
    let mut cancelled = pin!(cancel.map(CancelToken::cancelled));
    poll_fn(|context| {
        if let Poll::Ready(result) = work.as_mut().poll(context) {
            return Poll::Ready(Raced::Done(result));
        }
        if cancelled.as_mut().as_pin_mut().is_some_and(|cancelled| cancelled.poll(context).is_ready()) {
            return Poll::Ready(Raced::Cancelled);
        }
        timeout.as_mut().poll(context).map(|()| Raced::TimedOut)
    })
    .await
}
