//! Settings of clients and calls, read out of the app's option bags.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::arguments::Argument;
use super::breaker::CircuitBreaker;
use super::cancel::CancelToken;
use super::clock::{JsRng, JsTimer};
use super::executor::Runtime;
use super::js::Checked;
use super::kept::{Keeper, Reference, UserFunction};
use crate::backoff::{BackoffConfig, Jitter};
use crate::breaker::{self, BreakerConfig};
use crate::cancel;
use crate::client::{Accounting, CallOptions, ClientConfig, Fallback, Locale};
use crate::random::{Rng, SeededRng};
use crate::retry::{RetryBudgetConfig, RetryConfig};

/// `ResilienceConfig`, over `defaults`.
pub fn read_client_config(options: Argument, defaults: ClientConfig) -> Checked<ClientConfig> {
    let mut config = ClientConfig {
        retry: read_retry(options, defaults.retry)?,
        budget: read_budget(options)?,
        fallback: Fallback::Localized(read_locale(options)?),
        ..defaults
    };
    options.field(c"quotaCooldownMs").set(&mut config.quota_cooldown, |time| time.millis(0.0))?;
    options.field(c"firstTextTimeoutMs").set(&mut config.stream.first_text_timeout, |time| time.millis(1.0))?;
    options.field(c"idleTimeoutMs").set(&mut config.stream.idle_timeout, |time| time.millis(1.0))?;
    let words = [("attempt", Accounting::Attempt), ("call", Accounting::Call)];
    options.field(c"accounting").set(&mut config.accounting, |word| word.one_of(&words))?;
    Ok(config)
}

/// `CallOptions`.
pub fn call_options(options: Argument) -> Checked<CallOptions> {
    let options = options.options()?;
    Ok(CallOptions {
        cancel: options.field(c"cancelToken").optional(given_token)?,
        deadline: options.field(c"deadlineMs").optional(|time| time.millis(1.0))?,
        request_id: options.field(c"requestId").optional(|id| id.string(200))?,
        place: None,
    })
}

/// A token that the app made.
pub fn given_token(token: Argument) -> Checked<cancel::CancelToken> {
    let core = token.instance::<CancelToken>()?.and_then(CancelToken::core);
    core.cloned().ok_or_else(|| token.wrong("an instance of CancelToken"))
}

/// A breaker that the app made.
pub fn given_breaker(breaker: Argument) -> Checked<Arc<breaker::CircuitBreaker>> {
    let instance = breaker.instance::<CircuitBreaker>()?;
    let core = instance.and_then(|instance| instance.core(breaker.scope()));
    core.unwrap_or_else(|| Err(breaker.wrong("an instance of CircuitBreaker")))
}

/// A breaker that the app did not make: on the clock of its client.
pub fn own_breaker(
    options: Argument,
    config: BreakerConfig,
    timer: &JsTimer,
    rng: &Arc<dyn Rng>,
) -> Checked<Arc<breaker::CircuitBreaker>> {
    let built = match timer {
        JsTimer::System(_) => breaker::CircuitBreaker::new(config),
        JsTimer::Manual(_) => breaker::CircuitBreaker::with_clock(config, timer.clock(), rng.clone()),
    };
    built.map(Arc::new).map_err(|error| options.refused(error))
}

pub fn read_rng(keeper: &Rc<Keeper>, options: Argument) -> Checked<Arc<dyn Rng>> {
    Ok(rng_of(options.field(c"rng").optional(|rng| rng.kept_reference(keeper))?))
}

/// Chance for as long as one call runs.
pub fn read_call_rng(runtime: &Rc<Runtime>, options: Argument) -> Checked<Arc<dyn Rng>> {
    Ok(rng_of(options.field(c"rng").optional(|rng| rng.reference(runtime))?))
}

fn rng_of(given: Option<Reference>) -> Arc<dyn Rng> {
    match given {
        Some(function) => Arc::new(JsRng(UserFunction::new(function))),
        None => Arc::new(SeededRng::from_system()),
    }
}

fn read_locale(options: Argument) -> Checked<Locale> {
    let locale = options.field(c"locale").given();
    locale.map_or(Ok(Locale::default()), |locale| locale.one_of(&[("zh", Locale::Chinese), ("en", Locale::English)]))
}

fn read_retry(options: Argument, defaults: RetryConfig) -> Checked<RetryConfig> {
    let mut retry = RetryConfig { backoff: read_backoff(options, defaults.backoff)?, ..defaults };
    options.field(c"maxRetries").set(&mut retry.max_retries, |retries| retries.count(RetryConfig::MAX_RETRIES))?;
    options.field(c"attemptTimeoutMs").set(&mut retry.attempt_timeout, |time| time.millis(1.0))?;
    options.field(c"deadlineMs").set(&mut retry.deadline, |time| time.millis(1.0))?;
    options.field(c"retryAfterMaxMs").set(&mut retry.retry_after_max, |time| time.millis(0.0))?;
    options
        .field(c"retryAfterSpread")
        .set(&mut retry.retry_after_spread, |share| share.number(RetryConfig::RETRY_AFTER_SPREAD))?;
    retry.max_total_attempts =
        options.field(c"maxTotalAttempts").optional(|attempts| attempts.count(RetryConfig::MAX_TOTAL_ATTEMPTS))?;
    options.field(c"retryUnsafe").set(&mut retry.retry_unsafe, Argument::boolean)?;
    Ok(retry)
}

fn read_backoff(options: Argument, defaults: BackoffConfig) -> Checked<BackoffConfig> {
    let mut backoff = defaults;
    let base = options.field(c"baseMs").given().unwrap_or(options.field(c"base"));
    base.set(&mut backoff.base, |time| time.millis(0.0))?;
    options.field(c"factor").set(&mut backoff.factor, |factor| factor.number(BackoffConfig::FACTOR))?;
    // A base that is longer than the default cap lifts it.
    backoff.max_delay = backoff.max_delay.max(backoff.base);
    options.field(c"maxMs").set(&mut backoff.max_delay, |time| time.millis(0.0))?;
    let spread = options.field(c"jitterSpread").optional(|spread| spread.number(BackoffConfig::SPREAD))?;
    let most = options.field(c"jitterMs").optional(|time| time.millis(0.0))?;
    let multiplicative = spread.map_or(Jitter::MULTIPLICATIVE, |spread| Jitter::Multiplicative { spread });
    let additive = |most: Option<Duration>| Jitter::Additive {
        max: most.unwrap_or(Duration::from_millis(500).min(backoff.max_delay)),
    };
    backoff.jitter = match (options.field(c"jitter").given(), defaults.jitter) {
        (None, Jitter::Additive { max }) => additive(most.or(Some(max.min(backoff.max_delay)))),
        (None, _) => multiplicative,
        (Some(jitter), _) => jitter.one_of(&[
            ("multiplicative", multiplicative),
            ("full", Jitter::Full),
            ("equal", Jitter::Equal),
            ("additive", additive(most)),
            ("decorrelated", Jitter::Decorrelated),
            ("none", Jitter::None),
        ])?,
    };
    Ok(backoff)
}

fn read_budget(options: Argument) -> Checked<RetryBudgetConfig> {
    let mut budget = RetryBudgetConfig::default();
    let Some(options) = options.field(c"budget").given() else { return Ok(budget) };
    let options = options.options()?;
    let field = |name, full_name| options.field(name).named(full_name);
    field(c"capacity", "budget.capacity")
        .set(&mut budget.capacity, |tokens| tokens.number(RetryBudgetConfig::CAPACITY))?;
    field(c"perCall", "budget.perCall")
        .set(&mut budget.per_call, |tokens| tokens.number(RetryBudgetConfig::PER_CALL))?;
    field(c"perMinute", "budget.perMinute")
        .set(&mut budget.per_minute, |tokens| tokens.number(RetryBudgetConfig::PER_MINUTE))?;
    Ok(budget)
}
