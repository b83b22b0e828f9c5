use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use resilience::clock::{ManualClock, Timer, Timestamp};

pub const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Runs a future to its end. Whenever it waits for nothing but time, the clock moves on to the next sleep's end.
pub fn run<F: Future>(clock: &ManualClock, future: F) -> F::Output {
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(woken.clone());
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        if !woken.0.swap(false, Ordering::SeqCst) {
            let end_of_time = Timestamp::new(Duration::MAX);
            assert!(clock.wake_next_until(end_of_time), "waits for something that no time brings");
            woken.0.store(false, Ordering::SeqCst);
        }
    }
}

/// Does something at a moment, `millis` after the clock's origin.
pub async fn at<T>(clock: &ManualClock, millis: u64, action: impl FnOnce() -> T) -> T {
    clock.sleep_until(Timestamp::from_millis(millis)).await;
    action()
}

/// Runs futures at once, polled in their order.
pub async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut futures: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut outputs: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, output) in futures.iter_mut().zip(&mut outputs).filter(|(_, output)| output.is_none()) {
            if let Poll::Ready(ready) = future.as_mut().poll(context) {
                *output = Some(ready);
            }
        }
        if outputs.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outputs.into_iter().flatten().collect()
}
