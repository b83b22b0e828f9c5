//! Settings of any numbers: they are refused, and the error says which one and what is allowed; or what is made of them
//! works, and keeps within them.

use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use arbitrary::{Arbitrary, Result, Unstructured};
use resilience::backoff::{BackoffConfig, Jitter};
use resilience::breaker::{BreakerConfig, CircuitBreaker, FailureReport, WindowConfig, WindowSpan};
use resilience::bulkhead::{Bulkhead, BulkheadConfig, ReservoirConfig};
use resilience::cache::{AnswerCache, CacheConfig, CacheKey, FlightsConfig, Normalization, SimilarityConfig};
use resilience::cascade::{BelowThreshold, CascadeConfig, Model, ModelCascade, QualityCheck};
use resilience::chain::{ChainConfig, Provider, ResilientLlmRunner};
use resilience::classify::{CallError, ErrorClass, RetryAfter, RetryAfterSource};
use resilience::client::{Accounting, CallOptions, ClientConfig, NoHooks, ResilientLlmClient, StreamConfig};
use resilience::clock::{Clock, ManualClock};
use resilience::gateway::{AgentConfig, AgentModels, InvokeOptions, ResilientAgent};
use resilience::mock::{FlakyConfig, FlakyLlmClient};
use resilience::random::Rng;
use resilience::request::{RequestConfig, RequestOptions, TraceLog, request_with_retry};
use resilience::retry::{Decision, RetryBudgetConfig, RetryConfig, RetryState};
use resilience::router::{ModelRouter, PerTier, PresetAnswer, RouterConfig, WordMatch};
use resilience::{InvalidConfig, MAX_DURATION};

use super::draw::{count, maybe, number, rest, time};
use super::support::run as run_call;

pub fn run(data: &[u8]) {
    // Ends where the bytes do.
    let _ = any(&mut Unstructured::new(data));
}

fn any(input: &mut Unstructured<'_>) -> Result<()> {
    match input.int_in_range(0..=10)? {
        0 => breaker(input),
        1 => backoff(input),
        2 => retry(input),
        3 => client(input),
        4 => bulkhead(input),
        5 => cache(input),
        6 => router(input),
        7 => cascade(input),
        8 => request(input),
        9 => agent(input),
        _ => limits(input),
    }
}

/// `None`: refused, with an error that helps.
fn made<T>(made: std::result::Result<T, InvalidConfig>) -> Option<T> {
    let error = match made {
        Ok(made) => return Some(made),
        Err(error) => error,
    };
    let is_name = |letter: char| letter.is_ascii_alphabetic() || letter == '.';
    assert!(!error.field.is_empty() && error.field.chars().all(is_name), "{error}");
    assert!(!error.value.is_empty() && !error.allowed.is_empty() && error.to_string().len() < 300, "{error}");
    None
}

fn chance(input: &mut Unstructured<'_>) -> Result<Arc<dyn Rng>> {
    let drawn = number(input)?;
    Ok(Arc::new(move || drawn))
}

fn breaker_config(input: &mut Unstructured<'_>) -> Result<BreakerConfig> {
    let window = |input: &mut Unstructured<'_>| {
        let span = if input.arbitrary()? {
            WindowSpan::Calls(count(input)?)
        } else {
            WindowSpan::Time { length: time(input)?, buckets: count(input)? }
        };
        Ok(WindowConfig {
            span,
            minimum_calls: count(input)?,
            failure_rate: maybe(input, number)?,
            failures: maybe(input, count)?,
            slow_rate: maybe(input, number)?,
            slow_call: time(input)?,
        })
    };
    Ok(BreakerConfig {
        failure_threshold: count(input)?,
        window: maybe(input, window)?,
        cooldown: time(input)?,
        cooldown_factor: number(input)?,
        max_cooldown: maybe(input, time)?,
        cooldown_spread: number(input)?,
        cooldown_reset: time(input)?,
        max_retry_after: time(input)?,
        half_open_probes: count(input)?,
        success_threshold: count(input)?,
        probe_lease: maybe(input, time)?,
    })
}

fn made_breaker(input: &mut Unstructured<'_>, clock: &ManualClock) -> Result<Option<CircuitBreaker>> {
    let config = if input.ratio(1, 8)? { BreakerConfig::default() } else { breaker_config(input)? };
    Ok(made(CircuitBreaker::with_clock(config, Arc::new(clock.clone()), chance(input)?)))
}

fn breaker(input: &mut Unstructured<'_>) -> Result<()> {
    let clock = ManualClock::new();
    let Some(breaker) = made_breaker(input, &clock)? else { return Ok(()) };
    let steps = rest(input, 30, |input| {
        let report = FailureReport {
            retry_after: maybe(input, time)?,
            open_for: maybe(input, time)?,
            took: time(input)?,
            cause: None,
        };
        Ok((input.int_in_range(0..=5)?, time(input)?, report))
    });
    let config = breaker.config();
    let grown = config.max_cooldown.unwrap_or(Duration::from_secs(600)).max(config.cooldown) * 2;
    let mut longest = grown.max(config.max_retry_after);
    for (step, wait, report) in steps {
        match step {
            0 | 1 => {
                if let Ok(permit) = breaker.try_acquire_for(wait) {
                    longest = longest.max(report.open_for.unwrap_or_default());
                    permit.failure(report);
                }
            }
            2 => _ = breaker.try_acquire_for(wait).map(|permit| permit.success_in(report.took)),
            3 => clock.advance(wait),
            4 => clock.advance(breaker.retry_after()),
            _ => breaker.restore(&breaker.snapshot(7), 7).expect("its own snapshot"),
        }
        assert!(breaker.retry_after() <= longest, "{:?}, at most {longest:?}", breaker.retry_after());
        let counts = breaker.window_counts().unwrap_or_default();
        assert!(counts.failed <= counts.total && counts.slow <= counts.total, "{counts:?}");
    }
    // At the end of time nothing is left to wait for.
    if clock.now().since_origin() < Duration::MAX / 2 {
        clock.advance(breaker.retry_after());
        assert!(breaker.retry_after().is_zero());
        assert!(breaker.try_acquire().is_ok(), "when it has been waited for, a call passes");
    }
    Ok(())
}

fn backoff_config(input: &mut Unstructured<'_>) -> Result<BackoffConfig> {
    let jitter = match input.int_in_range(0..=5)? {
        0 => Jitter::None,
        1 => Jitter::Multiplicative { spread: number(input)? },
        2 => Jitter::Full,
        3 => Jitter::Equal,
        4 => Jitter::Additive { max: time(input)? },
        _ => Jitter::Decorrelated,
    };
    Ok(BackoffConfig { base: time(input)?, factor: number(input)?, max_delay: time(input)?, jitter })
}

fn backoff(input: &mut Unstructured<'_>) -> Result<()> {
    let Some(backoff) = made(backoff_config(input)?.build()) else { return Ok(()) };
    let mut delays = backoff.delays();
    for _ in 0..40 {
        let drawn = number(input)?;
        let wait = delays.next(&backoff, &move || drawn);
        assert!(wait <= backoff.config().max_delay, "{wait:?}");
    }
    Ok(())
}

fn retry_config(input: &mut Unstructured<'_>) -> Result<RetryConfig> {
    let usual = RetryConfig::default();
    Ok(RetryConfig {
        max_retries: count(input)?,
        backoff: if input.arbitrary()? { backoff_config(input)? } else { usual.backoff },
        attempt_timeout: time(input)?,
        deadline: time(input)?,
        retry_after_max: time(input)?,
        retry_after_spread: number(input)?,
        max_total_attempts: maybe(input, count)?,
        retry_unsafe: input.arbitrary()?,
    })
}

fn error(input: &mut Unstructured<'_>) -> Result<CallError> {
    // The longest that is ever read out of a reply.
    let wait = maybe(input, time)?.map(|wait| wait.min(MAX_DURATION));
    let retry_after = wait.map(|wait| RetryAfter { wait, source: RetryAfterSource::Seconds });
    Ok(CallError { retry_after, ..CallError::new(*input.choose(&ErrorClass::ALL)?, "a fault") })
}

fn retry(input: &mut Unstructured<'_>) -> Result<()> {
    let Some(policy) = made(retry_config(input)?.build()) else { return Ok(()) };
    let rng = chance(input)?;
    let clock = ManualClock::new();
    clock.advance(time(input)?);
    let mut state = RetryState::begin(&policy, clock.now());
    for retries in 0.. {
        let now = clock.now();
        assert!(state.attempt_deadline(&policy, now) <= state.deadline());
        let Ok(error) = error(input) else { break };
        let Decision::Retry { delay, .. } = state.after_failure(&policy, &error, now, &*rng) else { break };
        assert!(retries < policy.config().max_retries && now + delay < state.deadline(), "{delay:?}");
        clock.advance(delay);
    }
    Ok(())
}

fn client_config(input: &mut Unstructured<'_>) -> Result<ClientConfig> {
    let budget = |input: &mut Unstructured<'_>| {
        Ok(RetryBudgetConfig { capacity: number(input)?, per_call: number(input)?, per_minute: number(input)? })
    };
    let stream = |input: &mut Unstructured<'_>| {
        Ok(StreamConfig { first_text_timeout: time(input)?, idle_timeout: time(input)? })
    };
    let usual = ClientConfig::default();
    Ok(ClientConfig {
        retry: maybe(input, retry_config)?.unwrap_or(usual.retry),
        budget: maybe(input, budget)?.unwrap_or(usual.budget),
        stream: maybe(input, stream)?.unwrap_or(usual.stream),
        accounting: if input.arbitrary()? { Accounting::Call } else { Accounting::Attempt },
        quota_cooldown: time(input)?,
        fallback: usual.fallback,
    })
}

fn flaky_config(input: &mut Unstructured<'_>) -> Result<FlakyConfig> {
    Ok(FlakyConfig {
        failure_rate: number(input)?,
        latency: time(input)?,
        latency_spread: time(input)?,
        seed: Some(input.arbitrary()?),
        reply: None,
        errors: rest_of(input, 3, error)?,
    })
}

/// Up to `most`, with bytes left for what follows.
fn rest_of<T>(
    input: &mut Unstructured<'_>,
    most: usize,
    draw: impl Fn(&mut Unstructured<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    (0..input.int_in_range(0..=most)?).map(|_| draw(input)).collect()
}

type Flaky = FlakyLlmClient<ManualClock>;

fn flaky(input: &mut Unstructured<'_>, clock: &ManualClock) -> Result<Option<Flaky>> {
    Ok(made(FlakyLlmClient::new(flaky_config(input)?, clock.clone())))
}

/// Clients with breakers of their own on one clock.
fn services(input: &mut Unstructured<'_>, clock: &ManualClock) -> Result<Vec<(Flaky, Arc<CircuitBreaker>)>> {
    let mut services = Vec::new();
    for _ in 0..input.int_in_range(1..=3)? {
        if let (Some(client), Some(breaker)) = (flaky(input, clock)?, made_breaker(input, clock)?) {
            services.push((client, Arc::new(breaker)));
        }
    }
    Ok(services)
}

fn call_options(input: &mut Unstructured<'_>) -> Result<CallOptions> {
    Ok(CallOptions { deadline: maybe(input, time)?, ..Default::default() })
}

fn client(input: &mut Unstructured<'_>) -> Result<()> {
    let clock = ManualClock::new();
    let Some((client, breaker)) = services(input, &clock)?.pop() else { return Ok(()) };
    let (config, rng) = (client_config(input)?, chance(input)?);
    let made = made(ResilientLlmClient::with_hooks(client, config.clone(), breaker, clock.clone(), rng, NoHooks));
    let Some(client) = made else { return Ok(()) };
    for _ in 0..3 {
        let outcome = run_call(&clock, client.execute("hi", call_options(input)?));
        assert!(outcome.attempts() <= config.retry.max_retries.saturating_add(1));
        assert!(outcome.elapsed <= config.retry.deadline, "{:?}", outcome.elapsed);
    }
    Ok(())
}

fn bulkhead_config(input: &mut Unstructured<'_>) -> Result<BulkheadConfig> {
    let reservoir = |input: &mut Unstructured<'_>| {
        let (size, refresh_amount) = (count(input)?, count(input)?);
        Ok(ReservoirConfig { size, refresh_amount, refresh_interval: maybe(input, time)? })
    };
    Ok(BulkheadConfig {
        max_concurrent: count(input)?,
        max_queue: count(input)?,
        max_wait: maybe(input, time)?,
        min_spacing: time(input)?,
        reservoir: maybe(input, reservoir)?,
        overrun_grace: time(input)?,
    })
}

fn bulkhead(input: &mut Unstructured<'_>) -> Result<()> {
    let (config, clock) = (bulkhead_config(input)?, ManualClock::new());
    let Some(bulkhead) = made(Bulkhead::with_clock(config, Arc::new(clock.clone()))) else { return Ok(()) };
    let bulkhead = Arc::new(bulkhead);
    let (mut waits, mut permits, mut holds) = (Vec::new(), Vec::new(), Vec::new());
    let mut context = Context::from_waker(Waker::noop());
    for (step, wait, limit) in
        rest(input, 30, |input| Ok((input.int_in_range(0..=5)?, time(input)?, maybe(input, time)?)))
    {
        match step {
            0 => permits.extend(bulkhead.try_acquire()),
            1 => {
                let (bulkhead, timer) = (bulkhead.clone(), clock.clone());
                waits.push(Box::pin(async move { bulkhead.acquire(&timer, limit, None).await }));
            }
            2 => clock.advance(wait),
            3 => _ = permits.pop(),
            4 => holds.extend(permits.last().map(|permit: &resilience::bulkhead::Permit| permit.hold())),
            _ => _ = holds.pop(),
        }
        waits.retain_mut(|wait| match wait.as_mut().poll(&mut context) {
            std::task::Poll::Ready(end) => {
                permits.extend(end);
                false
            }
            std::task::Poll::Pending => true,
        });
        let stats = bulkhead.stats();
        assert!(stats.running + stats.overrunning <= config.max_concurrent, "{stats:?}");
        assert!(stats.queued <= config.max_queue && stats.queued as usize <= waits.len(), "{stats:?}");
        assert_eq!(stats.running as usize, permits.len());
    }
    drop((waits, permits, holds));
    let stats = bulkhead.stats();
    assert_eq!((stats.running, stats.queued, stats.overrunning), (0, 0, 0));
    Ok(())
}

fn cache_config(input: &mut Unstructured<'_>) -> Result<CacheConfig> {
    let similarity =
        |input: &mut Unstructured<'_>| Ok(SimilarityConfig { dimensions: size(input)?, threshold: number(input)? });
    Ok(CacheConfig {
        max_entries: size(input)?,
        max_bytes: size(input)?,
        ttl: time(input)?,
        similarity: maybe(input, similarity)?,
    })
}

fn size(input: &mut Unstructured<'_>) -> Result<usize> {
    Ok(if input.ratio(1, 8)? { usize::MAX } else { count(input)? as usize })
}

fn cache(input: &mut Unstructured<'_>) -> Result<()> {
    let (config, clock) = (cache_config(input)?, ManualClock::new());
    let Some(cache) = made(AnswerCache::with_clock(config, Arc::new(clock.clone()))) else { return Ok(()) };
    for (step, name, length, wait, embedding) in rest(input, 30, |input| {
        let embedding = rest_of(input, 3, |input| Ok(number(input)? as f32))?;
        Ok((input.int_in_range(0..=4)?, input.int_in_range(0..=7_u8)?, count(input)?, time(input)?, embedding))
    }) {
        let (key, scope) = (CacheKey::of_text(&name.to_string()), CacheKey::of_text("scope"));
        let answer = "a".repeat(length.min(2_000) as usize);
        match step {
            0 => {
                let kept = cache.insert_accepted(key, answer.as_str());
                assert_eq!(cache.get(key).as_deref(), kept.then_some(answer.as_str()));
            }
            1 => {
                let kept = cache.insert_accepted_similar(key, scope, &embedding, answer.as_str());
                if kept == Ok(true) {
                    let found = cache.get_similar(scope, &embedding).expect("it was taken");
                    assert!(found.is_some_and(|(nearest, _)| nearest.similarity.is_finite()));
                }
            }
            2 => _ = cache.get_similar(scope, &embedding),
            3 => clock.advance(wait),
            _ => _ = cache.remove(key),
        }
        assert!(cache.len() <= config.max_entries && cache.bytes() <= config.max_bytes);
    }
    Ok(())
}

fn texts(input: &mut Unstructured<'_>) -> Result<Vec<String>> {
    rest_of(input, 4, |input| Ok(<&str>::arbitrary(input)?.to_owned()))
}

fn router_config(input: &mut Unstructured<'_>) -> Result<RouterConfig> {
    let usual = RouterConfig::default();
    let presets = |input: &mut Unstructured<'_>| {
        Ok(texts(input)?.into_iter().map(|question| PresetAnswer::new(question, "an answer")).collect())
    };
    let costs = |input: &mut Unstructured<'_>| {
        let (premium, standard) = (number(input)?, number(input)?);
        Ok(PerTier { premium, standard, economy: number(input)?, cache: number(input)? })
    };
    Ok(RouterConfig {
        simple_words: maybe(input, texts)?.unwrap_or(usual.simple_words),
        complex_words: maybe(input, texts)?.unwrap_or(usual.complex_words),
        word_match: if input.arbitrary()? { WordMatch::Anywhere } else { WordMatch::Whole },
        short_query_chars: size(input)?,
        models: usual.models,
        costs: maybe(input, costs)?.unwrap_or(usual.costs),
        preset_answers: maybe(input, presets)?.unwrap_or(usual.preset_answers),
        normalization: *input.choose(&[
            Normalization::Exact,
            Normalization::Wording,
            Normalization::LettersAndDigits,
        ])?,
        key_chars: maybe(input, size)?,
        cache: cache_config(input)?,
    })
}

fn router(input: &mut Unstructured<'_>) -> Result<()> {
    let Some(router) = made(ModelRouter::with_clock(router_config(input)?, Arc::new(ManualClock::new()))) else {
        return Ok(());
    };
    for prompt in rest(input, 6, |input| Ok(<&str>::arbitrary(input)?.to_owned())) {
        let decision = router.route(&prompt);
        assert!((0.0..=1_000.0).contains(&decision.estimated_cost_per_1k_tokens));
        if router.set_cached(&prompt, "an answer") {
            assert_eq!(router.get_cached(&prompt).as_deref(), Some("an answer"));
        }
    }
    Ok(())
}

/// A check whose score is any number.
struct Score(f64);

impl QualityCheck for Score {
    async fn score(&self, _: &str, _: &str) -> std::result::Result<f64, String> {
        Ok(self.0)
    }
}

fn cascade_config(input: &mut Unstructured<'_>) -> Result<CascadeConfig> {
    Ok(CascadeConfig {
        client: client_config(input)?,
        threshold: number(input)?,
        below_threshold: if input.arbitrary()? { BelowThreshold::Best } else { BelowThreshold::Fallback },
        max_models: count(input)?,
        stronger_after_error: input.arbitrary()?,
    })
}

/// Both ways over several services: a cascade and a chain.
fn cascade(input: &mut Unstructured<'_>) -> Result<()> {
    let clock = ManualClock::new();
    let (services, names) = (services(input, &clock)?, ["a", "b", "c"]);
    let services = services.into_iter().zip(names);
    let (config, rng) = (cascade_config(input)?, chance(input)?);
    let deadline = config.client.retry.deadline;
    if input.arbitrary()? {
        let provider = |((client, breaker), name): (_, &str)| Provider::new(name, client, breaker);
        let config = ChainConfig { client: config.client, next_after_content_filter: input.arbitrary()? };
        let providers = services.map(provider).collect();
        let made = made(ResilientLlmRunner::with_hooks(providers, config, clock.clone(), rng, NoHooks));
        let Some(runner) = made else { return Ok(()) };
        for _ in 0..2 {
            let outcome = run_call(&clock, runner.execute("hi", call_options(input)?));
            assert!(outcome.elapsed <= deadline, "{:?}", outcome.elapsed);
        }
        return Ok(());
    }
    let models = services.map(|((client, breaker), name)| Model::new(name, client, breaker)).collect();
    let check = Score(number(input)?);
    let made = made(ModelCascade::with_hooks(models, config, check, clock.clone(), rng, NoHooks));
    let Some(cascade) = made else { return Ok(()) };
    for _ in 0..2 {
        let outcome = run_call(&clock, cascade.execute("hi", 0, call_options(input)?)).expect("there is a first model");
        assert!(outcome.elapsed <= deadline, "{:?}", outcome.elapsed);
    }
    Ok(())
}

fn agent(input: &mut Unstructured<'_>) -> Result<()> {
    let clock = ManualClock::new();
    let [Some(premium), Some(standard), Some(economy)] =
        [flaky(input, &clock)?, flaky(input, &clock)?, flaky(input, &clock)?]
    else {
        return Ok(());
    };
    let usual = AgentConfig::default();
    let config = AgentConfig {
        name: None,
        router: maybe(input, router_config)?.unwrap_or(usual.router),
        shared_router: None,
        cascade: maybe(input, cascade_config)?.unwrap_or(usual.cascade),
        breaker: maybe(input, breaker_config)?.unwrap_or(usual.breaker),
        bulkheads: [bulkhead_config(input)?, usual.bulkheads[1], usual.bulkheads[2]],
        store_answers: input.arbitrary()?,
        coalescing: maybe(input, flights_config)?.unwrap_or(usual.coalescing),
    };
    let deadline = config.cascade.client.retry.deadline;
    let (models, check, rng) = (AgentModels { premium, standard, economy }, Score(number(input)?), chance(input)?);
    let shared = Arc::new(clock.clone());
    let made = made(ResilientAgent::with_hooks(models, config, check, clock.clone(), shared, rng, NoHooks));
    let Some(agent) = made else { return Ok(()) };
    for _ in 0..3 {
        let (prompt, call) = (<&str>::arbitrary(input)?, call_options(input)?);
        let options = InvokeOptions { call, no_store: input.arbitrary()?, ..Default::default() };
        let answer = run_call(&clock, agent.invoke(prompt, prompt, options));
        assert!(answer.latency <= deadline, "{:?}", answer.latency);
    }
    Ok(())
}

fn request(input: &mut Unstructured<'_>) -> Result<()> {
    let (base, max) = (time(input)?, time(input)?);
    let usual = RequestConfig::new(base, number(input)?, max, count(input)?);
    let statuses = |input: &mut Unstructured<'_>| rest_of(input, 3, |input| input.arbitrary::<u16>());
    let config = RequestConfig {
        retry: maybe(input, retry_config)?.unwrap_or(usual.retry),
        retry_statuses: statuses(input)?,
        final_statuses: statuses(input)?,
    };
    let clock = ManualClock::new();
    let options = RequestOptions { call: call_options(input)?, rng: Some(chance(input)?), ..Default::default() };
    let answers = [input.arbitrary::<u16>()?, input.arbitrary()?, 200];
    let sent = std::cell::Cell::new(0);
    let request = async |_: &resilience::client::Attempt<'_>| {
        sent.set(sent.get() + 1);
        Ok(answers[(sent.get() - 1).min(2)])
    };
    let most = config.retry.max_retries.saturating_add(1) as usize;
    let Some((_, call)) = made(request_with_retry(request, config, clock.clone(), options)) else { return Ok(()) };
    let result = run_call(&clock, call);
    assert!(sent.get() <= most && result.trace.requests.len() <= most);
    Ok(())
}

fn flights_config(input: &mut Unstructured<'_>) -> Result<FlightsConfig> {
    Ok(FlightsConfig { max_flights: size(input)?, max_followers: size(input)? })
}

fn limits(input: &mut Unstructured<'_>) -> Result<()> {
    if let Some(log) = made(TraceLog::with_limit(size(input)?)) {
        (0..5).for_each(|trace| log.add(trace));
        assert_eq!(log.all().last().map(|trace| **trace), Some(4));
    }
    let limit = size(input)?;
    if let Some(names) = made(resilience::registry::Registry::<Bulkhead>::with_limit(limit)) {
        for name in ["a", "b", "a"] {
            let _ = names.get_or_create(name, bulkhead_config(input)?);
            assert!(names.len() <= limit);
        }
    }
    Ok(())
}
