//! Settings of any numbers: they are refused, and the error says which one and what is allowed; or what is made of them
//! works, and keeps within them.

mod services;

use std::fmt::Debug;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use arbitrary::{Arbitrary, Result, Unstructured};
use resilience::backoff::{BackoffConfig, Jitter};
use resilience::breaker::{BreakerConfig, CircuitBreaker, FailureReport, WindowConfig, WindowSpan};
use resilience::bulkhead::{Bulkhead, BulkheadConfig, Permit, ReservoirConfig};
use resilience::cache::{AnswerCache, CacheConfig, CacheKey, Normalization, SimilarityConfig};
use resilience::classify::{CallError, ErrorClass, RetryAfter, RetryAfterSource};
use resilience::clock::{Clock, ManualClock};
use resilience::random::Rng;
use resilience::registry::Registry;
use resilience::request::TraceLog;
use resilience::retry::{Decision, RetryConfig, RetryState};
use resilience::router::{ModelRouter, PerTier, PresetAnswer, RouterConfig, WordMatch};
use resilience::{InvalidConfig, MAX_DURATION};

use super::draw::{count, maybe, number, rest, several, size, time};

pub fn run(data: &[u8]) {
    // Ends where the bytes do.
    let _ = any(&mut Unstructured::new(data));
}

fn any(input: &mut Unstructured<'_>) -> Result<()> {
    match input.int_in_range(0..=10)? {
        0 => breaker(input),
        1 => backoff(input),
        2 => retry(input),
        3 => services::client(input),
        4 => bulkhead(input),
        5 => cache(input),
        6 => router(input),
        7 => services::cascade(input),
        8 => services::request(input),
        9 => services::agent(input),
        _ => limits(input),
    }
}

/// What was made of `settings`. `None`: refused, with an error that helps.
fn made<T>(settings: &impl Debug, made: std::result::Result<T, InvalidConfig>) -> Option<T> {
    let error = match made {
        Ok(made) => {
            let settings = format!("{settings:?}");
            assert!(!["NaN", "inf"].iter().any(|number| settings.contains(number)), "taken: {settings}");
            return Some(made);
        }
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
    Ok(made(&config, CircuitBreaker::with_clock(config, Arc::new(clock.clone()), chance(input)?)))
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
    let config = backoff_config(input)?;
    let Some(backoff) = made(&config, config.build()) else { return Ok(()) };
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
    let config = retry_config(input)?;
    let Some(policy) = made(&config, config.build()) else { return Ok(()) };
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
    let Some(bulkhead) = made(&config, Bulkhead::with_clock(config, Arc::new(clock.clone()))) else { return Ok(()) };
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
            4 => holds.extend(permits.last().map(Permit::hold)),
            _ => _ = holds.pop(),
        }
        waits.retain_mut(|wait| match wait.as_mut().poll(&mut context) {
            Poll::Ready(end) => {
                permits.extend(end);
                false
            }
            Poll::Pending => true,
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

fn cache(input: &mut Unstructured<'_>) -> Result<()> {
    let (config, clock) = (cache_config(input)?, ManualClock::new());
    let Some(cache) = made(&config, AnswerCache::with_clock(config, Arc::new(clock.clone()))) else { return Ok(()) };
    for (step, name, length, wait, embedding) in rest(input, 30, |input| {
        let embedding = several(input, 3, |input| Ok(number(input)? as f32))?;
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
    several(input, 4, |input| Ok(<&str>::arbitrary(input)?.to_owned()))
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
    let (config, clock) = (router_config(input)?, Arc::new(ManualClock::new()));
    // Its words may be any.
    let numbers = (config.costs, config.cache);
    let Some(router) = made(&numbers, ModelRouter::with_clock(config, clock)) else { return Ok(()) };
    for prompt in rest(input, 6, |input| Ok(<&str>::arbitrary(input)?.to_owned())) {
        let decision = router.route(&prompt);
        assert!((0.0..=1_000.0).contains(&decision.estimated_cost_per_1k_tokens));
        if router.set_cached(&prompt, "an answer") {
            assert_eq!(router.get_cached(&prompt).as_deref(), Some("an answer"));
        }
    }
    Ok(())
}

fn limits(input: &mut Unstructured<'_>) -> Result<()> {
    let limit = size(input)?;
    if let Some(log) = made(&limit, TraceLog::with_limit(limit)) {
        (0..5).for_each(|trace| log.add(trace));
        assert_eq!(log.all().last().map(|trace| **trace), Some(4));
    }
    if let Some(names) = made(&limit, Registry::<Bulkhead>::with_limit(limit)) {
        for name in ["a", "b", "a"] {
            let _ = names.get_or_create(name, bulkhead_config(input)?);
            assert!(names.len() <= limit);
        }
    }
    Ok(())
}
