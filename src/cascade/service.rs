use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use super::config::{BelowThreshold, CascadeConfig, MAX_MODELS, Model};
use super::quality::{DefaultQualityCheck, QualityCheck};
use crate::classify::NextProvider;
use crate::client::internal::{Call, Driver, End, Exchange, Limits, Streamed, Target, Whole, cancelled, check_names};
use crate::client::saved;
use crate::client::{AnswerText, CallOptions, Hooks, LlmClient, LlmResponse, NoHooks, Outcome, TextOf, TextSink};
use crate::clock::{Timer, Timestamp};
use crate::error::{InvalidConfig, in_range};
use crate::log;
use crate::random::{Rng, SeededRng};
use crate::retry::StopReason;
use crate::snapshot::RestoreError;

/// Asks models of different strength until an answer is good enough.
///
/// ```
/// use resilience::breaker::CircuitBreaker;
/// use resilience::cascade::{CascadeConfig, Model, ModelCascade};
/// use resilience::client::CallOptions;
/// use resilience::clock::TokioClock;
/// use resilience::mock::MockLlmClient;
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let breaker = || CircuitBreaker::new(Default::default()).map(Arc::new);
/// let models = vec![
///     Model::new("gpt-4o", MockLlmClient::failing_first(0).with_reply("42, because …"), breaker()?),
///     Model::new("gpt-4o-mini", MockLlmClient::failing_first(0).with_reply("不知道"), breaker()?),
/// ];
/// let cascade = ModelCascade::new(models, CascadeConfig::default(), TokioClock::new())?;
/// let outcome = cascade.execute("hello", 1, CallOptions::default()).await?;
/// assert_eq!((outcome.text(), outcome.provider.as_deref()), ("42, because …", Some("gpt-4o")));
/// assert!(outcome.accepted && outcome.degraded(), "the second choice, but a good one");
/// # Ok::<(), resilience::InvalidConfig>(()) }).unwrap();
/// ```
pub struct ModelCascade<L, T, Q = DefaultQualityCheck, H = NoHooks> {
    /// From the strongest to the cheapest.
    links: Vec<(Target<L>, Arc<str>)>,
    check: Q,
    driver: Driver<T, H>,
    config: CascadeConfig,
}

impl<L: LlmClient, T: Timer> ModelCascade<L, T> {
    /// A cascade with the default check, without hooks. `models` stand from the strongest to the cheapest.
    ///
    /// # Errors
    /// [`InvalidConfig`]: no model, more than 20, a name twice, or a setting out of its range.
    pub fn new(models: Vec<Model<L>>, config: CascadeConfig, timer: T) -> Result<Self, InvalidConfig> {
        let rng = Arc::new(SeededRng::from_system());
        Self::with_hooks(models, config, DefaultQualityCheck, timer, rng, NoHooks)
    }
}

impl<L: LlmClient, T: Timer, Q: QualityCheck, H: Hooks> ModelCascade<L, T, Q, H> {
    /// A cascade with its own check, chance and hooks.
    ///
    /// # Errors
    /// As [`new`](ModelCascade::new).
    pub fn with_hooks(
        models: Vec<Model<L>>,
        config: CascadeConfig,
        check: Q,
        timer: T,
        rng: Arc<dyn Rng>,
        hooks: H,
    ) -> Result<Self, InvalidConfig> {
        config.validate()?;
        check_names("models", MAX_MODELS, models.iter().map(|model| model.name.as_str()))?;
        let link = |model: Model<L>| {
            let name: Arc<str> = model.name.into();
            Ok((Target::new(model.client, &config.client, model.breaker)?.named(name.clone()), name))
        };
        let links = models.into_iter().map(link).collect::<Result<_, _>>()?;
        Ok(Self { links, check, driver: Driver::new(timer, rng, hooks, &config.client), config })
    }

    /// Runs a call to its end, beginning with the model of index `start`. The outcome says who answered, whether the answer
    /// was accepted, and why others were passed over.
    ///
    /// # Errors
    /// [`InvalidConfig`]: there is no model `start`.
    pub async fn execute(
        &self,
        request: &L::Request,
        start: usize,
        options: CallOptions,
    ) -> Result<Outcome<L::Response>, InvalidConfig> {
        in_range("start", start, 0..=self.links.len() - 1)?;
        Ok(self.ask(request, start, options).await)
    }

    /// The same, with the answer piece by piece. Before the first text another model is asked after a failure. Whoever reads
    /// along has seen the answer before it can be checked: the check only says whether the outcome is `accepted`.
    ///
    /// # Errors
    /// As [`execute`](Self::execute).
    pub async fn chat_stream<S: TextSink<TextOf<L>>>(
        &self,
        request: &L::Request,
        start: usize,
        options: CallOptions,
        sink: &S,
    ) -> Result<Outcome<L::Response>, InvalidConfig> {
        in_range("start", start, 0..=self.links.len() - 1)?;
        Ok(self.ask_streamed(request, start, options, sink).await)
    }

    /// As [`execute`](Self::execute), for a start that is known to be there.
    pub(crate) async fn ask(&self, request: &L::Request, start: usize, options: CallOptions) -> Outcome<L::Response> {
        let mut call = self.begin(options);
        let end = self.run(&Whole, request, start, &mut call).await;
        self.driver.conclude(end, None, call).await
    }

    /// As [`chat_stream`](Self::chat_stream), for a start that is known to be there.
    pub(crate) async fn ask_streamed<S: TextSink<TextOf<L>>>(
        &self,
        request: &L::Request,
        start: usize,
        options: CallOptions,
        sink: &S,
    ) -> Outcome<L::Response> {
        let mut call = self.begin(options);
        let streamed = Streamed::new(sink, &self.driver.timer, self.config.client.stream, call.deadline);
        let end = self.run(&streamed, request, start, &mut call).await;
        self.driver.conclude(end, streamed.received(), call).await
    }

    /// Hands over a text that is there already, in one piece.
    pub(crate) async fn deliver<S: TextSink<TextOf<L>>>(&self, text: String, options: CallOptions, sink: &S) {
        let call = self.begin(options);
        let taken = self.driver.bounded(|| sink.push(text.into()), call.deadline, &call.identity);
        if let Err(problem) = pin!(taken).await {
            log::warn(format_args!("the sink of a streamed call did not take the text: {problem}"));
        }
    }

    /// What a call comes to that is not let in.
    pub(crate) async fn refused(
        &self,
        reason: StopReason,
        retry_after: Option<Duration>,
        options: CallOptions,
    ) -> Outcome<L::Response> {
        let call = self.begin(options);
        let end = match reason {
            StopReason::Cancelled => End::cancelled(cancelled(), call.started),
            reason => End { retry_after, ..End::stopped(reason, None, call.started) },
        };
        self.driver.conclude(end, None, call).await
    }

    pub(crate) fn timer(&self) -> &T {
        &self.driver.timer
    }

    pub(crate) fn deadline(&self) -> Duration {
        self.config.client.retry.deadline
    }

    /// What the breakers and the retry budgets of its models have learned, as a text for [`restore`](Self::restore) after the app
    /// was ended; see [`CircuitBreaker::snapshot`](crate::breaker::CircuitBreaker::snapshot). `now_unix_ms` is the wall clock,
    /// in milliseconds since 1970.
    pub fn snapshot(&self, now_unix_ms: u64) -> String {
        saved::save(saved::CASCADE, self.targets(), self.driver.timer.now(), now_unix_ms)
    }

    /// Goes on where a [`snapshot`](Self::snapshot) was made; see
    /// [`CircuitBreaker::restore`](crate::breaker::CircuitBreaker::restore). Models are known by their names: one that the
    /// snapshot has not stays as it is.
    ///
    /// # Errors
    /// [`RestoreError`]: no snapshot of a cascade, or a damaged one. All models are as they were.
    pub fn restore(&self, text: &str, now_unix_ms: u64) -> Result<(), RestoreError> {
        saved::restore(saved::CASCADE, self.targets(), text, self.driver.timer.now(), now_unix_ms)
    }

    fn targets(&self) -> impl Iterator<Item = &Target<L>> {
        self.links.iter().map(|(target, _)| target)
    }

    /// The models' names, from the strongest to the cheapest.
    pub fn models(&self) -> impl Iterator<Item = &str> {
        self.links.iter().map(|(_, name)| &**name)
    }

    fn begin(&self, options: CallOptions) -> Call {
        Call::begin(options, &self.driver.timer, &self.config.client.retry)
    }

    async fn run(
        &self,
        exchange: &impl Exchange<L>,
        request: &L::Request,
        start: usize,
        call: &mut Call,
    ) -> End<L::Response> {
        let mut way = Way::new(self.links.len(), start);
        let mut best: Option<Best<L::Response>> = None;
        let mut failed: Option<End<L::Response>> = None;
        let mut began = call.started;
        let most = self.config.max_models as usize;
        while let Some(index) = way.next() {
            let (target, name) = &self.links[index];
            let to_go = way.to_go(self.config.stronger_after_error).min(most - way.steps()) as u32 + 1;
            let deadline = began + call.deadline.since(began) / to_go;
            let others = to_go > 1;
            let limits = Limits { began, deadline, attempts: 0, others };
            let before = call.trace.len();
            let mut end = target.run(&self.driver, exchange, request, call, limits).await;
            let attempts = (call.trace.len() - before) as u32;
            began = end.at;
            let goes_on = match &end.response {
                Some(response) => {
                    let score = self.score(response, name, call, began).await;
                    began = self.driver.timer.now();
                    let accepted = score.is_some_and(|score| score >= self.config.threshold);
                    if accepted || score.is_none() || exchange.has_text() {
                        (call.provider, call.accepted) = (Some(name.clone()), accepted);
                        return End { at: began, ..end };
                    }
                    way.turn(Direction::Stronger);
                    end.reason = StopReason::LowQuality;
                    true
                }
                None => {
                    way.turn(Direction::Cheaper { else_stronger: self.config.stronger_after_error });
                    goes_on(&end)
                }
            };
            call.pass_over(name, &end, attempts);
            match end.response.take() {
                Some(response) if best.as_ref().is_none_or(|best| best.index > index) => {
                    // Of two answers below the threshold the stronger model's is the better guess.
                    best = Some(Best { index, response });
                }
                Some(_) => {}
                None => failed = Some(end),
            }
            if !goes_on
                || way.steps() >= most
                || call.is_used_up()
                || call.identity.is_cancelled()
                || began >= call.deadline
            {
                break;
            }
        }
        self.finish(best, failed, call, began)
    }

    fn finish(
        &self,
        best: Option<Best<L::Response>>,
        failed: Option<End<L::Response>>,
        call: &mut Call,
        now: Timestamp,
    ) -> End<L::Response> {
        match (best, failed) {
            (_, Some(end)) if matches!(end.reason, StopReason::Cancelled | StopReason::Partial) => end,
            (Some(best), _) if self.config.below_threshold == BelowThreshold::Best => {
                let name = &self.links[best.index].1;
                call.passed_over.retain(|passed_over| passed_over.provider != *name);
                (call.provider, call.accepted) = (Some(name.clone()), false);
                End::answered(best.response, now)
            }
            (Some(_), _) => End::stopped(StopReason::LowQuality, None, now),
            (None, Some(end)) => End { at: now, ..end },
            (None, None) => End::stopped(StopReason::Deadline, None, now),
        }
    }

    /// `None`: the check is broken.
    async fn score(&self, response: &L::Response, model: &str, call: &Call, now: Timestamp) -> Option<f64> {
        let mut text = String::new();
        response.text().append_to(&mut text);
        let end = (now + self.config.client.retry.attempt_timeout).min(call.deadline);
        let checked = self.driver.bounded(|| self.check.score(&text, model), end, &call.identity);
        let problem = match pin!(checked).await {
            Ok(Ok(score)) if (0.0..=1.0).contains(&score) => return Some(score),
            Ok(Ok(score)) => format!("gave {score}"),
            Ok(Err(error)) | Err(error) => error,
        };
        log::warn(format_args!("the quality check is broken: {problem}"));
        None
    }
}

/// The best answer below the threshold.
struct Best<R> {
    index: usize,
    response: R,
}

/// Whether another model may do better than one that failed.
fn goes_on<R>(end: &End<R>) -> bool {
    let next = end.error.as_ref().map(|error| error.class.handling().next_provider);
    // A prompt that is too long for one may fit another: strength and length are not known to go together.
    !matches!(end.reason, StopReason::Cancelled | StopReason::Partial)
        && !matches!(next, Some(NextProvider::No | NextProvider::IfPolicyAllows))
}

#[derive(Clone, Copy)]
enum Direction {
    Cheaper { else_stronger: bool },
    Stronger,
}

/// The way of one call through the models, each at most once.
struct Way {
    visited: Vec<bool>,
    next: Option<usize>,
    at: usize,
}

impl Way {
    fn new(models: usize, start: usize) -> Self {
        Self { visited: vec![false; models], next: Some(start), at: start }
    }

    fn next(&mut self) -> Option<usize> {
        self.at = self.next.take()?;
        self.visited[self.at] = true;
        Some(self.at)
    }

    fn steps(&self) -> usize {
        self.visited.iter().filter(|&&visited| visited).count()
    }

    /// How many may still be asked after the one that is asked now.
    fn to_go(&self, stronger_after_error: bool) -> usize {
        let cheaper = self.free(self.at + 1..self.visited.len()).count();
        let stronger = self.free(0..self.at).count();
        if stronger_after_error { cheaper + stronger } else { cheaper.max(stronger) }
    }

    fn turn(&mut self, direction: Direction) {
        let cheaper = self.free(self.at + 1..self.visited.len()).next();
        let stronger = self.free(0..self.at).next_back();
        self.next = match direction {
            Direction::Stronger => stronger.or(cheaper),
            Direction::Cheaper { else_stronger: true } => cheaper.or(stronger),
            Direction::Cheaper { else_stronger: false } => cheaper,
        };
    }

    fn free(&self, range: std::ops::Range<usize>) -> impl DoubleEndedIterator<Item = usize> {
        range.filter(|&index| !self.visited[index])
    }
}
