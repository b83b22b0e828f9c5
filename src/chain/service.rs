use std::sync::Arc;
use std::time::Duration;

use super::config::{ChainConfig, MAX_PROVIDERS, Provider};
use crate::classify::{CallError, ErrorClass, NextProvider};
use crate::client::internal::{Call, Driver, End, Exchange, Limits, Streamed, Target, Whole, check_names};
use crate::client::saved;
use crate::client::{CallOptions, Hooks, LlmClient, NoHooks, Outcome, OutcomeStatus, TextOf, TextSink};
use crate::clock::{Timer, Timestamp};
use crate::error::InvalidConfig;
use crate::random::{Rng, SeededRng};
use crate::retry::{DelaySource, StopReason};
use crate::snapshot::RestoreError;

/// Asks the first service of a chain that can answer.
///
/// When all of them cool down (an open breaker, a Retry-After) the call waits for the first that comes back: each time for
/// [`retry_after_max`](crate::retry::RetryConfig::retry_after_max) and its spread at the most, 66 s by default, and only if that
/// ends inside the deadline of the call. A smaller `retry_after_max` or deadline makes it end sooner; `retry_after_max` 0: it
/// never waits so. Such a wait is the [`delay`](crate::client::AttemptRecord::delay) of the attempt before it, with
/// [`DelaySource::Cooldown`], and is told to [`Hooks::on_retry`] if there was one.
///
/// ```
/// use resilience::breaker::CircuitBreaker;
/// use resilience::chain::{ChainConfig, Provider, ResilientLlmRunner};
/// use resilience::client::CallOptions;
/// use resilience::clock::TokioClock;
/// use resilience::mock::MockLlmClient;
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let breaker = || CircuitBreaker::new(Default::default()).map(Arc::new);
/// let providers = vec![
///     Provider::new("gpt", MockLlmClient::always_failing(), breaker()?),
///     Provider::new("deepseek", MockLlmClient::failing_first(0), breaker()?),
/// ];
/// let chain = ResilientLlmRunner::new(providers, ChainConfig::default(), TokioClock::new())?;
/// let outcome = chain.execute("hello", CallOptions::default()).await;
/// assert_eq!(outcome.provider.as_deref(), Some("deepseek"));
/// assert!(outcome.degraded());
/// assert_eq!(&*outcome.passed_over[0].provider, "gpt");
/// # Ok::<(), resilience::InvalidConfig>(()) }).unwrap();
/// ```
pub struct ResilientLlmRunner<L, T, H = NoHooks> {
    links: Vec<Link<L>>,
    driver: Driver<T, H>,
    config: ChainConfig,
}

struct Link<L> {
    target: Target<L>,
    name: Arc<str>,
    larger_context: bool,
}

impl<L: LlmClient, T: Timer> ResilientLlmRunner<L, T> {
    /// A chain without hooks, asked in the order given.
    ///
    /// # Errors
    /// [`InvalidConfig`]: no service, more than 20, a name twice, or a setting out of its range.
    pub fn new(providers: Vec<Provider<L>>, config: ChainConfig, timer: T) -> Result<Self, InvalidConfig> {
        Self::with_hooks(providers, config, timer, Arc::new(SeededRng::from_system()), NoHooks)
    }
}

impl<L: LlmClient, T: Timer, H: Hooks> ResilientLlmRunner<L, T, H> {
    /// A chain with its own chance and hooks.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_hooks(
        providers: Vec<Provider<L>>,
        config: ChainConfig,
        timer: T,
        rng: Arc<dyn Rng>,
        hooks: H,
    ) -> Result<Self, InvalidConfig> {
        check_names("providers", MAX_PROVIDERS, providers.iter().map(|provider| provider.name.as_str()))?;
        let link = |provider: Provider<L>| {
            let name: Arc<str> = provider.name.into();
            let target = Target::new(provider.client, &config.client, provider.breaker)?.named(name.clone());
            Ok(Link { target, name, larger_context: provider.larger_context })
        };
        let links = providers.into_iter().map(link).collect::<Result<_, _>>()?;
        Ok(Self { links, driver: Driver::new(timer, rng, hooks, &config.client), config })
    }

    /// The text of the answer, or of the fallback.
    ///
    /// # Errors
    /// What only the caller can mend, see [`CallError::reaches_caller`]. Also the last error, when the fallback itself
    /// failed. Its message names each service and what it failed with.
    pub async fn chat(&self, request: &L::Request) -> Result<TextOf<L>, CallError> {
        let mut outcome = self.execute(request, CallOptions::default()).await;
        if matches!(outcome.status, OutcomeStatus::Ok | OutcomeStatus::Fallback) {
            return Ok(outcome.take_text());
        }
        let summary = outcome.summary();
        let error = outcome.error.unwrap_or_else(|| CallError::new(ErrorClass::Unknown, ""));
        Err(CallError { message: summary, ..error })
    }

    /// Runs a call to its end. Never fails: the outcome says how it went and who answered.
    pub async fn execute(&self, request: &L::Request, options: CallOptions) -> Outcome<L::Response> {
        let mut call = Call::begin(options, &self.driver.timer, &self.config.client.retry);
        let end = self.run(&Whole, request, &mut call).await;
        self.driver.conclude(end, None, call).await
    }

    /// The same, with the answer piece by piece. Before the first text the next service is asked after a failure; after it
    /// the call ends as [`OutcomeStatus::Partial`].
    pub async fn chat_stream<S: TextSink<TextOf<L>>>(
        &self,
        request: &L::Request,
        options: CallOptions,
        sink: &S,
    ) -> Outcome<L::Response> {
        let mut call = Call::begin(options, &self.driver.timer, &self.config.client.retry);
        let streamed = Streamed::new(sink, &self.driver.timer, self.config.client.stream, call.deadline);
        let end = self.run(&streamed, request, &mut call).await;
        self.driver.conclude(end, streamed.received(), call).await
    }

    /// What the breakers and the retry budgets of its services have learned, as a text for [`restore`](Self::restore) after the
    /// app was ended; see [`CircuitBreaker::snapshot`](crate::breaker::CircuitBreaker::snapshot). `now_unix_ms` is the wall
    /// clock, in milliseconds since 1970.
    pub fn snapshot(&self, now_unix_ms: u64) -> String {
        saved::save(saved::RUNNER, self.targets(), self.driver.timer.now(), now_unix_ms)
    }

    /// Goes on where a [`snapshot`](Self::snapshot) was made; see
    /// [`CircuitBreaker::restore`](crate::breaker::CircuitBreaker::restore). Services are known by their names: one that the
    /// snapshot has not stays as it is.
    ///
    /// # Errors
    /// [`RestoreError`]: no snapshot of a runner, or a damaged one. All services are as they were.
    pub fn restore(&self, text: &str, now_unix_ms: u64) -> Result<(), RestoreError> {
        saved::restore(saved::RUNNER, self.targets(), text, self.driver.timer.now(), now_unix_ms)
    }

    fn targets(&self) -> impl Iterator<Item = &Target<L>> {
        self.links.iter().map(|link| &link.target)
    }

    /// The services in their order: name and client.
    pub fn providers(&self) -> impl Iterator<Item = (&str, &L)> {
        self.links.iter().map(|link| (&*link.name, &link.target.inner))
    }

    async fn run(&self, exchange: &impl Exchange<L>, request: &L::Request, call: &mut Call) -> End<L::Response> {
        let mut asked = Asked { attempts: vec![0; self.links.len()], larger_context: false };
        let mut last: Option<End<L::Response>> = None;
        let mut began = call.started;
        loop {
            for (index, link) in self.links.iter().enumerate() {
                if !asked.may_ask(index, link) {
                    continue;
                }
                let to_go = self.links.len() - index;
                let limits = Limits {
                    began,
                    deadline: began + call.deadline.since(began) / to_go as u32,
                    attempts: asked.attempts[index],
                    others: self.links.len() > 1,
                };
                let before = call.trace.len();
                let end = link.target.run(&self.driver, exchange, request, call, limits).await;
                // Free ones are none of its attempts.
                let made = call.trace[before..].iter().filter(|made| made.delay_source != Some(DelaySource::Reconnect));
                asked.attempts[index] += made.count() as u32;
                began = end.at;
                if end.response.is_some() {
                    call.provider = Some(link.name.clone());
                    return end;
                }
                call.pass_over(&link.name, &end, asked.attempts[index]);
                if !self.goes_on(&end, &mut asked) || call.is_used_up() {
                    return end;
                }
                // One that was asked says more than one that was passed over.
                if end.error.is_some() || last.as_ref().is_none_or(|last| last.error.is_none()) {
                    last = Some(end);
                }
            }
            let Some((link, wait)) = self.first_back(&asked, began, call.deadline) else {
                let last = last.unwrap_or_else(|| End::stopped(StopReason::Deadline, None, began));
                let retry_after = self.links.iter().map(|link| link.target.breaker.retry_after()).min();
                return End { at: began, retry_after, ..last };
            };
            let error = last.as_ref().and_then(|end| end.error.as_deref());
            self.driver.tell_wait(&mut call.trace, wait, DelaySource::Cooldown, error, Some(&link.name));
            self.driver.sleep_until(began + wait, &call.identity).await;
            began = self.driver.timer.now();
        }
    }

    /// Whether another service may do better.
    fn goes_on(&self, end: &End<L::Response>, asked: &mut Asked) -> bool {
        if matches!(end.reason, StopReason::Cancelled | StopReason::Partial) {
            return false;
        }
        let Some(error) = &end.error else { return true };
        match error.class.handling().next_provider {
            NextProvider::Yes => true,
            NextProvider::No => false,
            NextProvider::IfPolicyAllows => self.config.next_after_content_filter,
            NextProvider::LargerContext => {
                asked.larger_context = true;
                true
            }
        }
    }

    /// The first service to come back that may be asked again, and the wait for it, if that is inside the deadline.
    fn first_back(&self, asked: &Asked, now: Timestamp, deadline: Timestamp) -> Option<(&Link<L>, Duration)> {
        let retry = &self.config.client.retry;
        let may_ask = self.links.iter().enumerate().filter(|(index, link)| asked.may_ask(*index, link));
        let waits = may_ask.filter_map(|(_, link)| {
            let wait = link.target.breaker.retry_after();
            (!wait.is_zero() && wait <= retry.retry_after_max).then_some((link, wait))
        });
        let (link, wait) = waits.min_by_key(|&(_, wait)| wait).filter(|&(_, wait)| now + wait < deadline)?;
        Some((link, retry.spread_later(wait, deadline.since(now), &*self.driver.rng)))
    }
}

/// What one call has asked of the services so far.
struct Asked {
    /// Of each service.
    attempts: Vec<u32>,
    /// The prompt is too long for the others.
    larger_context: bool,
}

impl Asked {
    fn may_ask<L: LlmClient>(&self, index: usize, link: &Link<L>) -> bool {
        self.attempts[index] <= link.target.policy.config().max_retries && (!self.larger_context || link.larger_context)
    }
}
