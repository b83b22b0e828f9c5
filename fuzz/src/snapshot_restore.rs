//! Whatever text is to be restored: it is refused, and all is as it was; or it is taken up, and what is saved then can be
//! restored anywhere to the same. However it is damaged, calls come through in the end.
//!
//! The first line of an input is the wall clock at which it is restored, and the number of the settings; then the text.

use std::sync::Arc;
use std::time::Duration;

use resilience::breaker::{BreakerConfig, CircuitBreaker, FailureReport, WindowConfig};
use resilience::cascade::{CascadeConfig, DefaultQualityCheck, Model, ModelCascade};
use resilience::chain::{ChainConfig, Provider, ResilientLlmRunner};
use resilience::client::{ClientConfig, NoHooks, ResilientLlmClient};
use resilience::clock::{Clock, ManualClock};
use resilience::mock::MockLlmClient;
use resilience::retry::{RetryBudget, RetryBudgetConfig};
use resilience::snapshot::RestoreError;

use super::support::{middle, ms};

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (head, text) = text.split_once('\n').unwrap_or(("", &text));
    let mut head = head.split_whitespace();
    let now = head.next().and_then(|now| now.parse().ok()).unwrap_or(1_792_567_680_000);
    let number: usize = head.next().and_then(|number| number.parse().ok()).unwrap_or(0);
    let settings = settings()[number % 3];
    check(text, now, || Saved::breaker(settings));
    check(text, now, Saved::budget);
    check(text, now, || Saved::client(settings));
    check(text, now, || Saved::runner(settings));
    check(text, now, || Saved::cascade(settings));
}

/// The usual one; one without a cooldown, that grows all the same; one that looks back and waits long.
fn settings() -> [BreakerConfig; 3] {
    let usual = BreakerConfig::default();
    [
        usual,
        BreakerConfig { cooldown: Duration::ZERO, cooldown_factor: 100.0, max_retry_after: Duration::ZERO, ..usual },
        BreakerConfig {
            failure_threshold: 1,
            window: Some(WindowConfig::default()),
            cooldown: Duration::from_nanos(1_500_000),
            cooldown_factor: 1.5,
            cooldown_spread: 1.0,
            success_threshold: 2,
            ..usual
        },
    ]
}

/// Something that can be saved, with the breakers in it.
struct Saved {
    clock: ManualClock,
    breakers: Vec<Arc<CircuitBreaker>>,
    snapshot: Box<dyn Fn(u64) -> String>,
    restore: Box<Restore>,
}

type Restore = dyn Fn(&str, u64) -> Result<(), RestoreError>;

impl Saved {
    fn new<T: 'static>(
        clock: &ManualClock,
        breakers: &[Arc<CircuitBreaker>],
        service: T,
        snapshot: impl Fn(&T, u64) -> String + 'static,
        restore: impl Fn(&T, &str, u64) -> Result<(), RestoreError> + 'static,
    ) -> Self {
        let service = Arc::new(service);
        let saved = service.clone();
        Self {
            clock: clock.clone(),
            breakers: breakers.to_vec(),
            snapshot: Box::new(move |now| snapshot(&saved, now)),
            restore: Box::new(move |text, now| restore(&service, text, now)),
        }
    }

    fn breaker(settings: BreakerConfig) -> Self {
        let (clock, breaker) = clock_and_breaker(settings);
        let breakers = [breaker.clone()];
        Self::new(&clock, &breakers, breaker, |it, now| it.snapshot(now), |it, text, now| it.restore(text, now))
    }

    fn budget() -> Self {
        let clock = ManualClock::new();
        let budget = RetryBudget::new(RetryBudgetConfig::default()).expect("allowed");
        assert!(budget.withdraw(clock.now()));
        let (saved, restored) = (clock.clone(), clock.clone());
        let snapshot = move |it: &RetryBudget, now| it.snapshot(saved.now(), now);
        Self::new(&clock, &[], budget, snapshot, move |it, text, now| it.restore(text, restored.now(), now))
    }

    fn client(settings: BreakerConfig) -> Self {
        let (clock, breaker) = clock_and_breaker(settings);
        let breakers = [breaker.clone()];
        let (mock, rng) = (MockLlmClient::failing_first(0), Arc::new(middle));
        let client =
            ResilientLlmClient::with_hooks(mock, ClientConfig::default(), breaker, clock.clone(), rng, NoHooks);
        let client = client.expect("allowed");
        Self::new(&clock, &breakers, client, |it, now| it.snapshot(now), |it, text, now| it.restore(text, now))
    }

    fn runner(settings: BreakerConfig) -> Self {
        let (clock, breaker) = clock_and_breaker(settings);
        let breakers = [breaker, clock_and_breaker(settings).1];
        let provider = |(name, breaker): (&str, &Arc<CircuitBreaker>)| {
            Provider::new(name, MockLlmClient::failing_first(0), breaker.clone())
        };
        let providers = ["a", "b"].into_iter().zip(&breakers).map(provider).collect();
        let rng = Arc::new(middle);
        let runner = ResilientLlmRunner::with_hooks(providers, ChainConfig::default(), clock.clone(), rng, NoHooks);
        let runner = runner.expect("allowed");
        Self::new(&clock, &breakers, runner, |it, now| it.snapshot(now), |it, text, now| it.restore(text, now))
    }

    fn cascade(settings: BreakerConfig) -> Self {
        let (clock, breaker) = clock_and_breaker(settings);
        let breakers = [breaker];
        let models = vec![Model::new("a", MockLlmClient::failing_first(0), breakers[0].clone())];
        let (config, check, rng) = (CascadeConfig::default(), DefaultQualityCheck, Arc::new(middle));
        let cascade = ModelCascade::with_hooks(models, config, check, clock.clone(), rng, NoHooks).expect("allowed");
        Self::new(&clock, &breakers, cascade, |it, now| it.snapshot(now), |it, text, now| it.restore(text, now))
    }
}

fn clock_and_breaker(settings: BreakerConfig) -> (ManualClock, Arc<CircuitBreaker>) {
    let clock = ManualClock::new();
    clock.advance(ms(77));
    let breaker = CircuitBreaker::with_clock(settings, Arc::new(clock.clone()), Arc::new(middle)).expect("allowed");
    // It has learned something, which a text that is refused must leave.
    let failed = FailureReport { retry_after: Some(ms(30_000)), ..Default::default() };
    breaker.try_acquire().expect("it is new").failure(failed);
    (clock, Arc::new(breaker))
}

fn check(text: &str, now: u64, make: impl Fn() -> Saved) {
    let saved = make();
    let before = (saved.snapshot)(now);
    if let Err(error) = (saved.restore)(text, now) {
        assert_eq!((saved.snapshot)(now), before, "refused, but it has changed");
        let said = error.to_string();
        assert!(!said.is_empty() && said.len() < 400, "{said}");
        return;
    }
    let after = (saved.snapshot)(now);
    let other = make();
    (other.restore)(&after, now).unwrap_or_else(|error| panic!("{error}: {after}"));
    assert_eq!((other.snapshot)(now), after, "restored from its own snapshot");
    for breaker in &saved.breakers {
        let config = breaker.config();
        let longest = config.max_cooldown.unwrap_or(ms(600_000)).max(config.cooldown).max(config.max_retry_after);
        assert!(breaker.retry_after() <= longest, "{:?}", breaker.retry_after());
    }
    saved.clock.advance(Duration::from_secs(3_600));
    for breaker in saved.breakers.iter().filter(|_| saved.breakers.len() == 1) {
        assert!(breaker.try_acquire().is_ok(), "no text closes the way for good");
    }
}
