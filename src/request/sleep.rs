use std::pin::pin;
use std::time::Duration;

use crate::cancel::CancelToken;
use crate::client::internal::{Raced, race};
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
    let sleep = pin!(timer.sleep_until(timer.now() + duration));
    match cancel {
        // The token as the work, which is asked first: cancelled and slept out in one moment is cancelled.
        Some(token) => matches!(race(pin!(token.cancelled()), None, sleep).await, Raced::TimedOut(())),
        None => {
            sleep.await;
            true
        }
    }
}
