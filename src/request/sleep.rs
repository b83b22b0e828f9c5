use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use crate::cancel::CancelToken;
use crate::clock::Timer;

/// Sleeps for `duration`, or until `cancel` is cancelled: then it ends at once, not at the next of some regular checks.
/// True: slept to the end. False: cancelled, also when it was before.
///
/// ```
/// use resilience::cancel::{CancelReason, CancelToken};
/// use resilience::clock::TokioClock;
/// use resilience::request::cancellable_sleep;
/// use std::time::Duration;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let token = CancelToken::new();
/// assert!(cancellable_sleep(&TokioClock::new(), Duration::from_secs(5), Some(&token)).await);
/// token.cancel(CancelReason::Cancelled);
/// assert!(!cancellable_sleep(&TokioClock::new(), Duration::from_secs(5), Some(&token)).await);
/// # });
/// ```
pub async fn cancellable_sleep(timer: &impl Timer, duration: Duration, cancel: Option<&CancelToken>) -> bool {
    let mut cancelled = cancel.map(CancelToken::cancelled);
    let mut sleep = pin!(timer.sleep_until(timer.now() + duration));
    poll_fn(|context| {
        if cancelled.as_mut().is_some_and(|cancelled| Pin::new(cancelled).poll(context).is_ready()) {
            return Poll::Ready(false);
        }
        sleep.as_mut().poll(context).map(|()| true)
    })
    .await
}
