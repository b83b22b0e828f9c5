use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use super::answer::{AgentAnswer, AnswerSource};
use super::config::{AgentConfig, AgentModels};
use super::stats::{AgentStats, Figures};
use crate::breaker::{self, CircuitBreaker};
use crate::bulkhead::{self, Bulkhead, Preset, Rejection, RejectionReason};
use crate::cache::{CacheKey, Flights, Joined};
use crate::cancel::{CancelReason, CancelToken};
use crate::cascade::{DefaultQualityCheck, Model, ModelCascade, QualityCheck};
use crate::client::internal::{Raced, race};
use crate::client::{
    AnswerText, CallOptions, Hooks, LlmClient, LlmResponse, NoHooks, Outcome, OutcomeStatus, TextOf, TextSink,
};
use crate::clock::{Clock, SystemClock, Timer, Timestamp};
use crate::error::InvalidConfig;
use crate::lock::lock;
use crate::random::{Rng, SeededRng};
use crate::registry::{Registered, Registry};
use crate::retry::StopReason;
use crate::router::{ModelRouter, ModelTier, RouteDecision};
use crate::snapshot::RestoreError;
use crate::sync::Mutex;

const BULKHEADS: [&str; 3] = [Preset::PremiumModel.name(), Preset::StandardModel.name(), Preset::EconomyModel.name()];

/// Settings of one call of an agent.
#[derive(Debug, Clone, Default)]
pub struct InvokeOptions {
    /// The tier to begin with; `None` or the cache: the router chooses. With a tier no stored answer is given and none is
    /// stored.
    pub tier: Option<ModelTier>,
    /// Gives no stored answer, stores none, and shares no call with an equal prompt: for a prompt whose answer depends on
    /// more than its words.
    pub no_store: bool,
    /// Cancelling, deadline and identity of the call.
    pub call: CallOptions,
}

impl InvokeOptions {
    /// The tier that the caller chose.
    fn chosen(&self) -> Option<ModelTier> {
        self.tier.filter(|&tier| tier != ModelTier::Cache)
    }

    /// Whether the answer is the same for everybody who asks the prompt.
    fn may_share(&self) -> bool {
        self.chosen().is_none() && !self.no_store
    }
}

/// Answers prompts with whatever works: a stored answer, a model, another model, a text that says what happened.
///
/// ```
/// use resilience::clock::TokioClock;
/// use resilience::gateway::{AgentConfig, AgentModels, AnswerSource, InvokeOptions, ResilientAgent};
/// use resilience::mock::MockLlmClient;
/// use resilience::router::ModelTier;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let models = AgentModels {
///     premium: MockLlmClient::always_failing(),
///     standard: MockLlmClient::failing_first(0).with_reply("a plain answer"),
///     economy: MockLlmClient::always_failing(),
/// };
/// let agent = ResilientAgent::new(models, AgentConfig::default(), TokioClock::new())?;
/// let answer = agent.invoke("请分析这个架构", "请分析这个架构", InvokeOptions::default()).await;
/// assert_eq!((answer.text.as_str(), answer.model_used), ("a plain answer", ModelTier::Standard));
/// assert_eq!(answer.degraded_from, Some(ModelTier::Premium));
/// let greeting = agent.invoke("你好", "你好", InvokeOptions::default()).await;
/// assert_eq!(greeting.source, AnswerSource::Cache);
/// # Ok::<(), resilience::InvalidConfig>(()) }).unwrap();
/// ```
pub struct ResilientAgent<L, T, Q = DefaultQualityCheck, H = NoHooks> {
    router: Arc<ModelRouter>,
    bulkheads: [Arc<Bulkhead>; 3],
    breakers: [Arc<CircuitBreaker>; 3],
    cascade: ModelCascade<L, T, Q, H>,
    flights: Flights<AgentAnswer>,
    store_answers: bool,
    figures: Mutex<Figures>,
    shut_down: CancelToken,
}

impl<L: LlmClient, T: Timer> ResilientAgent<L, T> {
    /// An agent with the default quality check, without hooks, on the system's clock.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a setting out of its range.
    pub fn new(models: AgentModels<L>, config: AgentConfig, timer: T) -> Result<Self, InvalidConfig> {
        let rng = Arc::new(SeededRng::from_system());
        Self::with_hooks(models, config, DefaultQualityCheck, timer, Arc::new(SystemClock), rng, NoHooks)
    }
}

impl<L: LlmClient, T: Timer, Q: QualityCheck, H: Hooks> ResilientAgent<L, T, Q, H> {
    /// An agent with its own check, clock, chance and hooks. `clock` is that of `timer`, for breakers, bulkheads and
    /// stored answers.
    ///
    /// # Errors
    /// As [`new`](ResilientAgent::new).
    pub fn with_hooks(
        models: AgentModels<L>,
        config: AgentConfig,
        check: Q,
        timer: T,
        clock: Arc<dyn Clock + Send + Sync>,
        rng: Arc<dyn Rng>,
        hooks: H,
    ) -> Result<Self, InvalidConfig> {
        let breaker = |tier: ModelTier| match &config.name {
            None => CircuitBreaker::with_clock(config.breaker, clock.clone(), rng.clone()).map(Arc::new),
            Some(name) => shared(breaker::registry(), &format!("{name}:{tier}"), config.breaker),
        };
        let bulkhead = |tier: ModelTier| match (&config.name, config.bulkheads[tier as usize]) {
            (None, limits) => Bulkhead::with_clock(limits, clock.clone()).map(Arc::new),
            (Some(name), limits) => shared(bulkhead::registry(), &format!("{name}:{tier}"), limits),
        };
        let [premium, standard, economy, _] = ModelTier::ORDER;
        let breakers = [breaker(premium)?, breaker(standard)?, breaker(economy)?];
        let bulkheads = [bulkhead(premium)?, bulkhead(standard)?, bulkhead(economy)?];
        let router = match config.shared_router {
            Some(router) => router,
            None => Arc::new(ModelRouter::with_clock(config.router, clock.clone())?),
        };
        let tiers = models.into_tiers().into_iter().zip(&breakers);
        let models = tiers.map(|((tier, client), breaker)| Model::new(router.model(tier), client, breaker.clone()));
        let cascade = ModelCascade::with_hooks(models.collect(), config.cascade, check, timer, rng, hooks)?;
        Ok(Self {
            router,
            bulkheads,
            breakers,
            cascade,
            flights: Flights::new(config.coalescing)?,
            store_answers: config.store_answers,
            figures: Mutex::default(),
            shut_down: CancelToken::new(),
        })
    }

    /// Answers a prompt. `request` is what the models' clients get for it.
    pub async fn invoke(&self, prompt: &str, request: &L::Request, options: InvokeOptions) -> AgentAnswer {
        let started = self.cascade.timer().now();
        let answer = match self.known(prompt, &options) {
            Some(answer) => answer,
            None => self.shared(Invocation::new(self, prompt, options, started), request).await,
        };
        self.finish(answer, started)
    }

    /// The same, with the answer piece by piece. Before the first text a failure leads to a cheaper model; after it the
    /// answer ends as [`OutcomeStatus::Partial`]. What is read along can't be checked first: a bad answer leads to no
    /// stronger model, but is neither stored nor `quality_check_passed`. Equal prompts share no call.
    pub async fn chat_stream<S: TextSink<TextOf<L>>>(
        &self,
        prompt: &str,
        request: &L::Request,
        options: InvokeOptions,
        sink: &S,
    ) -> AgentAnswer {
        let started = self.cascade.timer().now();
        let answer = match self.known(prompt, &options) {
            Some(answer) => {
                self.cascade.deliver(answer.text.clone(), self.ending_with_it(options.call), sink).await;
                answer
            }
            None => {
                let call = Invocation::new(self, prompt, options, started);
                let ask = async |index, options| self.cascade.ask_streamed(request, index, options, sink).await;
                self.ask(call, ask).await
            }
        };
        self.finish(answer, started)
    }

    /// What it has done.
    pub fn stats(&self) -> AgentStats {
        let bulkheads = BULKHEADS.iter().zip(&self.bulkheads);
        let figures = lock(&self.figures);
        AgentStats {
            total_calls: figures.total_calls,
            total_degraded: figures.total_degraded,
            model_calls: figures.model_calls,
            circuits: [0, 1, 2].map(|tier: usize| (self.breakers[tier].state(), self.breakers[tier].stats())),
            bulkheads: bulkheads.map(|(name, bulkhead)| (*name, bulkhead.stats())).collect(),
        }
    }

    /// Sets the counts of calls to 0. What breakers and bulkheads have seen stays.
    pub fn reset_stats(&self) {
        *lock(&self.figures) = Figures::default();
    }

    /// Ends all calls, as if their callers had cancelled them, and every later one at once.
    pub fn shutdown(&self) {
        self.shut_down.cancel(CancelReason::Cancelled);
    }

    /// What the breakers and the retry budgets of its models have learned, as a text for [`restore`](Self::restore) after the app
    /// was ended; see [`CircuitBreaker::snapshot`]. Stored answers are not in it. `now_unix_ms` is the wall clock, in
    /// milliseconds since 1970.
    pub fn snapshot(&self, now_unix_ms: u64) -> String {
        self.cascade.snapshot(now_unix_ms)
    }

    /// Goes on where a [`snapshot`](Self::snapshot) was made; see [`ModelCascade::restore`].
    ///
    /// # Errors
    /// [`RestoreError`]: no snapshot of an agent or a cascade, or a damaged one. All models are as they were.
    pub fn restore(&self, text: &str, now_unix_ms: u64) -> Result<(), RestoreError> {
        self.cascade.restore(text, now_unix_ms)
    }

    /// Its router, with the stored answers.
    pub fn router(&self) -> &Arc<ModelRouter> {
        &self.router
    }

    /// The breaker of a tier's model; none for the cache.
    pub fn breaker(&self, tier: ModelTier) -> Option<&Arc<CircuitBreaker>> {
        self.breakers.get(tier as usize)
    }

    /// An answer that is there already.
    fn known(&self, prompt: &str, options: &InvokeOptions) -> Option<AgentAnswer> {
        let text = options.may_share().then(|| self.router.get_cached(prompt))??;
        (!self.shut_down.is_cancelled()).then(|| self.stored_answer(text.as_ref().to_owned()))
    }

    /// Makes the call, or waits for an equal one that is under way: no longer than its own caller does.
    async fn shared(&self, call: Invocation<'_>, request: &L::Request) -> AgentAnswer {
        let key = (call.may_share && self.store_answers).then(|| CacheKey::of_text(call.prompt));
        let timer = self.cascade.timer();
        let (joined, end) = (pin!(self.flights.join(key)), pin!(timer.sleep_until(call.end)));
        match race(joined, call.options.cancel.as_ref(), end).await {
            Raced::Done(Joined::Landed(answer)) => AgentAnswer { shared: true, ..(*answer).clone() },
            Raced::Done(Joined::Lead(lead)) if timer.now() < call.end => {
                let own_deadline = call.own_deadline;
                let ask = async |index, options| self.cascade.ask(request, index, options).await;
                let answer = self.ask(call, ask).await;
                let cut_short = match answer.stop_reason {
                    StopReason::Cancelled => true,
                    StopReason::Deadline | StopReason::Bulkhead => own_deadline,
                    _ => false,
                };
                if cut_short {
                    // One caller's limits are not the others': the next one leads.
                    drop(lead);
                    return answer;
                }
                Arc::unwrap_or_clone(lead.finish(answer))
            }
            Raced::Cancelled => self.refused(call, StopReason::Cancelled, None).await,
            Raced::Done(Joined::Lead(_)) | Raced::TimedOut(()) => self.refused(call, StopReason::Deadline, None).await,
        }
    }

    /// Makes the call, on its way through the bulkhead of its tier.
    async fn ask(
        &self,
        mut call: Invocation<'_>,
        ask: impl AsyncFnOnce(usize, CallOptions) -> Outcome<L::Response>,
    ) -> AgentAnswer {
        let (index, timer) = (call.tier as usize, self.cascade.timer());
        let longest = call.end.since(timer.now());
        let place = match self.bulkheads[index].acquire(timer, Some(longest), call.options.cancel.as_ref()).await {
            Ok(place) => place,
            Err(rejection) => return self.refused(call, reason(&rejection), rejection.retry_after).await,
        };
        call.options.deadline = Some(call.left(timer.now()));
        call.options.place = Some(place.hold());
        let outcome = ask(index, call.options).await;
        drop(place);
        let answer = AgentAnswer { route: call.route, ..self.read(outcome, call.tier) };
        let good = answer.quality_check_passed && answer.source == AnswerSource::Model;
        if call.may_share && self.store_answers && good {
            self.router.set_cached(call.prompt, answer.text.as_str());
        }
        answer
    }

    /// What a call comes to that no model is asked for.
    async fn refused(
        &self,
        mut call: Invocation<'_>,
        reason: StopReason,
        retry_after: Option<Duration>,
    ) -> AgentAnswer {
        call.options.deadline = Some(call.left(self.cascade.timer().now()));
        let outcome = self.cascade.refused(reason, retry_after, call.options).await;
        AgentAnswer { route: call.route, ..self.read(outcome, call.tier) }
    }

    /// The call ends with the agent as well as with its own token.
    fn ending_with_it(&self, options: CallOptions) -> CallOptions {
        let cancel = match &options.cancel {
            Some(own) => CancelToken::child_of([own, &self.shut_down]),
            None => self.shut_down.child(),
        };
        CallOptions { cancel: Some(cancel), ..options }
    }

    fn finish(&self, answer: AgentAnswer, started: Timestamp) -> AgentAnswer {
        let answer = AgentAnswer { latency: self.cascade.timer().now().since(started), ..answer };
        let tier_of = |name: &str| self.cascade.models().position(|model| model == name);
        lock(&self.figures).count(&answer, tier_of);
        answer
    }

    fn read(&self, mut outcome: Outcome<L::Response>, tier: ModelTier) -> AgentAnswer {
        let source = match outcome.status {
            OutcomeStatus::Ok | OutcomeStatus::Partial => AnswerSource::Model,
            OutcomeStatus::Fallback => AnswerSource::Fallback,
            OutcomeStatus::Error | OutcomeStatus::Cancelled => AnswerSource::None,
        };
        // A model that broke off has answered, too.
        let partial = outcome.trace.last().filter(|_| outcome.status == OutcomeStatus::Partial);
        let provider = outcome.provider.as_deref().or(partial.and_then(|attempt| attempt.provider.as_deref()));
        let place = provider.and_then(|name| self.cascade.models().position(|model| model == name));
        let model_used = place.map_or(ModelTier::Cache, |place| ModelTier::ORDER[place]);
        let mut text = String::new();
        let taken: <L::Response as LlmResponse>::Text = outcome.take_text();
        taken.append_to(&mut text);
        AgentAnswer {
            text,
            source,
            route: None,
            status: outcome.status,
            model_used,
            degraded_from: (model_used != tier && source != AnswerSource::None).then_some(tier),
            quality_check_passed: outcome.accepted,
            bulkhead: Some(BULKHEADS[tier as usize]),
            circuit_state: self.breakers[tier as usize].state(),
            shared: false,
            latency: outcome.elapsed,
            stop_reason: outcome.stop_reason,
            error: outcome.error,
            cause: outcome.cause,
            retry_after: outcome.retry_after,
            passed_over: outcome.passed_over,
            trace: outcome.trace,
        }
    }

    fn stored_answer(&self, text: String) -> AgentAnswer {
        AgentAnswer {
            text,
            source: AnswerSource::Cache,
            route: Some(self.router.stored_decision()),
            status: OutcomeStatus::Ok,
            model_used: ModelTier::Cache,
            degraded_from: None,
            quality_check_passed: true,
            bulkhead: None,
            circuit_state: self.breakers[ModelTier::Standard as usize].state(),
            shared: false,
            latency: Duration::ZERO,
            stop_reason: StopReason::Success,
            error: None,
            cause: None,
            retry_after: None,
            passed_over: Vec::new(),
            trace: Vec::new(),
        }
    }
}

/// One call, and where it is to go.
struct Invocation<'a> {
    prompt: &'a str,
    tier: ModelTier,
    route: Option<RouteDecision>,
    may_share: bool,
    options: CallOptions,
    /// Nobody waits for its answer any longer.
    end: Timestamp,
    /// Whether its caller waits for a shorter time than others do.
    own_deadline: bool,
}

impl<'a> Invocation<'a> {
    fn new<L: LlmClient, T: Timer, Q: QualityCheck, H: Hooks>(
        agent: &ResilientAgent<L, T, Q, H>,
        prompt: &'a str,
        options: InvokeOptions,
        started: Timestamp,
    ) -> Self {
        let (chosen, may_share) = (options.chosen(), options.may_share());
        let route = chosen.is_none().then(|| agent.router.route_by_words(prompt));
        let tier = chosen.or(route.map(|route| route.tier)).unwrap_or(ModelTier::Standard);
        let options = agent.ending_with_it(options.call);
        let longest = agent.cascade.deadline();
        let own = options.deadline.filter(|&deadline| deadline < longest);
        let (end, own_deadline) = (started + own.unwrap_or(longest), own.is_some());
        Self { prompt, tier, route, may_share, options, end, own_deadline }
    }

    /// The time that it has left.
    fn left(&self, now: Timestamp) -> Duration {
        self.end.since(now).max(Duration::from_millis(1))
    }
}

/// What is shared by its name, whoever has set it.
fn shared<T: Registered>(registry: &Registry<T>, name: &str, config: T::Config) -> Result<Arc<T>, InvalidConfig> {
    let found = registry.get_or_create(name, config);
    found.map(|(found, _)| found).map_err(|error| error.into_invalid_config(name))
}

fn reason(rejection: &Rejection) -> StopReason {
    match rejection.reason {
        RejectionReason::Cancelled => StopReason::Cancelled,
        RejectionReason::QueueFull | RejectionReason::WaitTooLong | RejectionReason::TimedOut => StopReason::Bulkhead,
    }
}
