use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use crate::clock::Clock;

/// What [`demo_bad_scenario`] saw.
///
/// ```
/// use resilience::mock::BadScenario;
///
/// let seen = BadScenario { success: 1, failed: 19, total_time: std::time::Duration::from_millis(87) };
/// assert_eq!(seen.success + seen.failed, 20);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadScenario {
    /// Calls that gave an answer.
    pub success: u32,
    /// Calls that failed.
    pub failed: u32,
    /// How long all of them took.
    pub total_time: Duration,
}

/// Makes `concurrency` calls at once with nothing around them (layer 0 of article 004): no timeout, no retry, no breaker, no
/// fallback. What the layers above it are compared with.
///
/// ```
/// use resilience::clock::TokioClock;
/// use resilience::mock::{FlakyConfig, FlakyLlmClient, demo_bad_scenario};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let config = FlakyConfig { failure_rate: 0.8, seed: Some(1), ..Default::default() };
/// let client = FlakyLlmClient::new(config, TokioClock::new())?;
/// let seen = demo_bad_scenario(|| client.reply(), 20, &TokioClock::new()).await;
/// assert!(seen.failed > seen.success, "{seen:?}");
/// # Ok::<(), resilience::InvalidConfig>(()) }).unwrap();
/// ```
pub async fn demo_bad_scenario<F, T, E>(call: impl Fn() -> F, concurrency: u32, clock: &impl Clock) -> BadScenario
where
    F: Future<Output = Result<T, E>>,
{
    let started = clock.now();
    let mut running: Vec<Pin<Box<F>>> = (0..concurrency).map(|_| Box::pin(call())).collect();
    let (mut success, mut failed) = (0, 0);
    poll_fn(|context| {
        running.retain_mut(|call| match call.as_mut().poll(context) {
            Poll::Pending => true,
            Poll::Ready(result) => {
                *(if result.is_ok() { &mut success } else { &mut failed }) += 1;
                false
            }
        });
        if running.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    BadScenario { success, failed, total_time: clock.now().since(started) }
}
