use std::sync::{Arc, LazyLock};

use super::config::RequestConfig;
use super::response::Response;
use super::trace::{RetryOutcome, RetryResult, RetryTrace};
use crate::breaker::{BreakerConfig, CircuitBreaker};
use crate::cancel::{CancelReason, CancelToken};
use crate::classify::{CallError, ErrorClass};
use crate::client::internal::{Call, Driver, End, Limits, Target, Whole};
use crate::client::{Accounting, Attempt, CallOptions, ClientConfig, Hooks, LlmClient, LlmResponse, RetryEvent};
use crate::clock::Timer;
use crate::error::InvalidConfig;
use crate::lock::lock;
use crate::random::{Rng, SeededRng};
use crate::retry::{RetryBudgetConfig, RetryConfig};
use crate::sync::Mutex;

/// Settings of one request.
#[derive(Clone, Default)]
pub struct RequestOptions {
    /// What its trace calls it; cut to [`MAX_URL_BYTES`](super::MAX_URL_BYTES).
    pub url: String,
    /// Cancelling, deadline and identity.
    pub call: CallOptions,
    /// Chance for the jitter; `None`: the system's.
    pub rng: Option<Arc<dyn Rng>>,
    /// Asked before each attempt, and told how it ended; `None`: nothing keeps an attempt back.
    pub breaker: Option<Arc<CircuitBreaker>>,
    /// What `breaker` counts.
    pub accounting: Accounting,
}

/// A request that runs.
#[derive(Debug, Clone)]
pub struct RetryHandle {
    cancel: CancelToken,
    trace: Arc<Mutex<RetryTrace>>,
}

impl RetryHandle {
    /// Ends the request: a wait ends at once, and the attempt in flight is told by its
    /// [token](Attempt::cancel_token). Without effect once it has ended.
    pub fn cancel(&self) {
        self.cancel.cancel(CancelReason::Cancelled);
    }

    /// What has happened so far: retries and waits while it runs, everything once it has ended.
    pub fn trace(&self) -> RetryTrace {
        lock(&self.trace).clone()
    }
}

/// Sends `request` until it succeeds, fails for good, or is given up; see the [module](super) for what is what. The
/// future must be polled, by an await or a task; the handle ends it early.
///
/// # Errors
/// [`InvalidConfig`] names the field that is out of its range.
///
/// ```
/// use resilience::classify::CallError;
/// use resilience::client::Attempt;
/// use resilience::clock::TokioClock;
/// use resilience::request::{RequestConfig, RequestOptions, RetryOutcome, request_with_retry};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// // An HTTP client of the app, that makes one attempt: here the service is down for the first two.
/// let get = async |attempt: &Attempt<'_>| Ok::<u16, CallError>(if attempt.number() < 3 { 503 } else { 200 });
/// let options = RequestOptions { url: "feed?page=2".to_owned(), ..Default::default() };
/// let (handle, result) = request_with_retry(get, RequestConfig::read(), TokioClock::new(), options)?;
/// let result = result.await;
/// assert_eq!((result.outcome, result.response), (RetryOutcome::Success, Some(200)));
/// assert_eq!((handle.trace().attempts, result.trace.delays.len()), (2, 2));
/// # Ok::<(), resilience::InvalidConfig>(()) }).unwrap();
/// ```
pub fn request_with_retry<R, F, T>(
    request: F,
    config: RequestConfig,
    timer: T,
    options: RequestOptions,
) -> Result<(RetryHandle, impl Future<Output = RetryResult<R>>), InvalidConfig>
where
    R: Response,
    F: AsyncFn(&Attempt<'_>) -> Result<R, CallError>,
    T: Timer,
{
    config.validate()?;
    let RequestOptions { url, call, rng, breaker, accounting } = options;
    let client_config = ClientConfig { accounting, ..client_config(config.retry) };
    let sender = Sender { request, config, failed: Mutex::new(None) };
    let target = Target::new(sender, &client_config, breaker.unwrap_or_else(|| NO_BREAKER.clone()))?;
    let cancel = call.cancel.as_ref().map_or_else(CancelToken::new, CancelToken::child);
    let call = CallOptions { cancel: Some(cancel.clone()), ..call };
    let trace = Arc::new(Mutex::new(RetryTrace::begin(&url)));
    let rng = rng.unwrap_or_else(|| Arc::new(SeededRng::from_system()));
    let driver = Driver::new(timer, rng, Following(trace.clone()), &client_config);
    let handle = RetryHandle { cancel, trace: trace.clone() };
    let run = async move {
        let mut call = Call::begin(call, &driver.timer, &client_config.retry);
        {
            let mut trace = lock(&trace);
            (trace.started_at, trace.request_id) = (call.started, call.identity.request_id.as_str().to_owned());
        }
        let limits = Limits { began: call.started, deadline: call.deadline, attempts: 0, others: false };
        let end = target.run(&driver, &Whole, &(), &mut call, limits).await;
        finish(end, call, target.inner, &trace)
    };
    Ok((handle, run))
}

/// Retries are bounded by their number alone.
fn client_config(retry: RetryConfig) -> ClientConfig {
    let budget = RetryBudgetConfig { capacity: f64::from(*RetryConfig::MAX_RETRIES.end()), ..Default::default() };
    ClientConfig { retry, budget, ..ClientConfig::default() }
}

/// Lets everything through, whoever asks.
static NO_BREAKER: LazyLock<Arc<CircuitBreaker>> = LazyLock::new(|| {
    let breaker = CircuitBreaker::new(BreakerConfig::default()).expect("the default settings are allowed");
    breaker.force_closed();
    Arc::new(breaker)
});

fn finish<R: Response, F>(
    end: End<Received<R>>,
    call: Call,
    sender: Sender<F, R>,
    trace: &Mutex<RetryTrace>,
) -> RetryResult<R> {
    // Nothing is left at the app's token, however long the handle is kept.
    call.identity.cancel.iter().for_each(CancelToken::close);
    let error = end.error.map(|error| *error);
    let outcome = RetryOutcome::new(end.reason, error.as_ref());
    let mut requests = call.trace;
    let response = match end.response {
        Some(Received { response, status }) => {
            requests.last_mut().into_iter().for_each(|last| last.status = Some(status));
            Some(response)
        }
        None => lock(&sender.failed).take(),
    };
    let retry_after = end.retry_after.filter(|wait| !wait.is_zero());
    let mut trace = lock(trace);
    *trace = RetryTrace {
        delays: requests.iter().filter_map(|request| request.delay).collect(),
        final_status: requests.last().and_then(|request| request.status),
        outcome: Some(outcome),
        stop_reason: Some(end.reason),
        elapsed: end.at.since(call.started),
        requests,
        ..trace.clone()
    };
    RetryResult { outcome, stop_reason: end.reason, response, error, retry_after, trace: trace.clone() }
}

/// Notes each retry in the trace as it is decided.
struct Following(Arc<Mutex<RetryTrace>>);

impl Hooks for Following {
    fn on_retry(&self, event: &RetryEvent<'_>) {
        let mut trace = lock(&self.0);
        trace.attempts = event.attempt;
        trace.delays.push(event.delay);
    }
}

/// A request as the pipeline knows it: a client that is asked nothing but to send it.
struct Sender<F, R> {
    request: F,
    config: RequestConfig,
    /// What the last attempt brought, if that is no success.
    failed: Mutex<Option<R>>,
}

impl<R, F> LlmClient for Sender<F, R>
where
    R: Response,
    F: AsyncFn(&Attempt<'_>) -> Result<R, CallError>,
{
    type Request = ();
    type Response = Received<R>;

    async fn chat(&self, _request: &(), attempt: &Attempt<'_>) -> Result<Received<R>, CallError> {
        let earlier = lock(&self.failed).take();
        drop(earlier);
        let response = (self.request)(attempt).await.map_err(|error| self.config.judge(error))?;
        let status = response.status();
        if (200..=299).contains(&status) {
            return Ok(Received { response, status });
        }
        let mut error = CallError { status: Some(status), ..response.error() };
        if error.class == ErrorClass::Cancelled {
            // A 499: whoever went away, it was not this app.
            error.class = ErrorClass::BadRequest;
        }
        *lock(&self.failed) = Some(response);
        Err(self.config.judge(error))
    }
}

/// A response of the right status. Only whoever asked for it knows whether there is a text in it.
struct Received<R> {
    response: R,
    status: u16,
}

impl<R> LlmResponse for Received<R> {
    type Text = String;

    fn text(&self) -> String {
        String::new()
    }

    fn into_text(self) -> String {
        String::new()
    }
}
