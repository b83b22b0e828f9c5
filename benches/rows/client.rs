//! Whole calls in Rust: retry, breaker, timeout, fallback and trace, all on.
//!
//! The service behind answers without allocating, so that what is counted is the protection's own.

use std::borrow::Cow;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use failsafe::backoff;
use failsafe::futures::CircuitBreaker as _;
use resilience::breaker::{BreakerConfig, CircuitBreaker};
use resilience::classify::CallError;
use resilience::client::{
    Attempt, CallOptions, ClientConfig, Fallback, LlmClient, LlmResponse, OutcomeStatus, ResilientLlmClient,
};
use resilience::clock::TokioClock;

use super::{HOUR, Measure, OURS};

const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(60);

/// A call that is answered at the first attempt: by a service that answers at once, and by one that lets the caller wait
/// once, so that the timeout's timer is armed and disarmed.
///
/// The peer is the same built by hand: backon around failsafe around `tokio::time::timeout`; no fallback, no trace.
pub fn success(to: &mut impl Measure) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _context = runtime.enter();
    for waits in [false, true] {
        let when = if waits { "after a wait" } else { "at once" };
        let service = Service { waits };
        let row = format!("client, answered {when}");
        to.row(&row, "bare call", || now(service.answer()));

        let client = client(service, Arc::new(CircuitBreaker::new(BreakerConfig::default()).unwrap()));
        to.row(&row, OURS, || now(client.chat("hello")));
        to.row(&row, "ours, full record", || now(client.execute("hello", CallOptions::default())));

        let breaker = super::failsafe_breaker(3, backoff::exponential(Duration::from_secs(10), ATTEMPT_TIMEOUT));
        let protected = || breaker.call(tokio::time::timeout(ATTEMPT_TIMEOUT, service.answer()));
        to.row(&row, "backon + failsafe + tokio timeout", || {
            now(protected.retry(ExponentialBuilder::default().with_jitter()))
        });
    }
}

/// A call while the breaker is open: the fallback text, and nothing is sent.
pub fn rejected(to: &mut impl Measure) {
    const ROW: &str = "client, breaker open, fallback text";
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _context = runtime.enter();
    let config = BreakerConfig { failure_threshold: 1, cooldown: HOUR, ..Default::default() };
    let breaker = Arc::new(CircuitBreaker::new(config).unwrap());
    breaker.try_acquire().unwrap().failure(Default::default());
    let client = client(Service { waits: false }, breaker);
    assert_eq!(now(client.execute("hello", CallOptions::default())).status, OutcomeStatus::Fallback);
    to.row(ROW, OURS, || now(client.chat("hello")));
}

fn client(service: Service, breaker: Arc<CircuitBreaker>) -> ResilientLlmClient<Service, TokioClock> {
    let config = ClientConfig { fallback: Fallback::Text("try later".to_owned()), ..ClientConfig::default() };
    ResilientLlmClient::new(service, config, breaker, TokioClock::new()).unwrap()
}

#[derive(Clone, Copy)]
struct Service {
    waits: bool,
}

struct Answer(&'static str);

impl LlmResponse for Answer {
    type Text = Cow<'static, str>;

    fn text(&self) -> Self::Text {
        Cow::Borrowed(self.0)
    }

    fn into_text(self) -> Cow<'static, str> {
        self.0.into()
    }
}

impl Service {
    async fn answer(&self) -> Answer {
        let mut waits = self.waits;
        poll_fn(|_| if std::mem::take(&mut waits) { Poll::Pending } else { Poll::Ready(()) }).await;
        Answer("hello, too")
    }
}

impl LlmClient for Service {
    type Request = str;
    type Response = Answer;

    async fn chat(&self, _request: &str, _attempt: &Attempt<'_>) -> Result<Answer, CallError> {
        Ok(self.answer().await)
    }
}

/// Polls until it is ready: nothing here waits for anything but the next poll.
fn now<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
