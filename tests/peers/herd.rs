//! Section R: devices that fail together must not come back together.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use resilience::breaker::{BreakerConfig, BreakerState, CircuitBreaker, FailureReport};
use resilience::chain::{ChainConfig, Provider, ResilientLlmRunner};
use resilience::client::{CallOptions, ClientConfig, NoHooks, ResilientLlmClient};
use resilience::clock::ManualClock;
use resilience::random::SeededRng;
use resilience::retry::RetryConfig;

use crate::support::{
    Reply, ScriptedClient, TestBreaker, breaker_config, client_config, middle, ms, retry_config, run, throttled,
};

const DEVICES: u64 = 1_000;

/// One wait of each device.
fn waits(of: impl Fn(Arc<SeededRng>) -> Duration) -> Vec<Duration> {
    (0..DEVICES).map(|seed| of(Arc::new(SeededRng::new(seed)))).collect()
}

/// All within `from..to`, and no more than a tenth of all in any twentieth of that.
fn assert_spread(waits: &[Duration], from: u64, to: u64) {
    let mut slots = [0; 20];
    for wait in waits {
        assert!(*wait >= ms(from) && *wait < ms(to), "{wait:?} not in {from}..{to}");
        slots[((*wait - ms(from)).as_micros() * 20 / u128::from((to - from) * 1_000)) as usize] += 1;
    }
    assert!(slots.iter().all(|&devices| devices <= waits.len() / 10 && devices > 0), "{slots:?}");
}

fn breaker(config: BreakerConfig, rng: Arc<SeededRng>) -> CircuitBreaker {
    CircuitBreaker::with_clock(config, Arc::new(ManualClock::new()), rng).unwrap()
}

#[test]
fn r1_failsafe_70_failsafe_go_142_stoplight_364_baseplate_go_697_a_thousand_breakers_probe_at_their_own_times() {
    let config =
        BreakerConfig { cooldown: ms(10_000), cooldown_spread: 0.2, failure_threshold: 1, ..Default::default() };
    let cooldowns = waits(|rng| {
        let breaker = breaker(config, rng);
        breaker.try_acquire().unwrap().failure(FailureReport::default());
        breaker.retry_after()
    });
    assert_spread(&cooldowns, 8_000, 12_000);
}

#[test]
fn r1_failsafe_70_a_probe_comes_later_than_a_retry_after_and_never_before_it() {
    let config =
        BreakerConfig { cooldown: ms(10_000), cooldown_spread: 0.2, failure_threshold: 1, ..Default::default() };
    let asked = |wait: u64| {
        waits(move |rng| {
            let breaker = breaker(config, rng);
            let retry_after = Some(ms(wait));
            breaker.try_acquire().unwrap().failure(FailureReport { retry_after, ..Default::default() });
            breaker.retry_after()
        })
    };
    assert_spread(&asked(60_000), 60_000, 72_000);
    // Shorter than most of the cooldowns: the longer of both.
    assert!(asked(9_000).iter().all(|wait| *wait >= ms(9_000) && *wait < ms(12_000)));
    // What is beyond the longest is not kept back for longer than that.
    assert!(asked(3_600_000).iter().all(|wait| *wait == ms(3_600_000)));
    let exactly = TestBreaker::new();
    exactly.fail_asking_for(60_000);
    assert_eq!(exactly.retry_after(), ms(60_000), "without a spread as it was asked");
}

#[test]
fn r1_failsafe_70_clients_that_were_sent_away_together_come_back_one_by_one() {
    let waits = waits(|rng| {
        let clock = ManualClock::new();
        let breaker = CircuitBreaker::with_clock(breaker_config(), Arc::new(clock.clone()), Arc::new(middle)).unwrap();
        let inner = ScriptedClient::new(&clock, [Reply::error(throttled(20_000)), Reply::ok()]);
        // The default.
        let spread = RetryConfig::default().retry_after_spread;
        let config = client_config(RetryConfig { retry_after_spread: spread, ..retry_config(1) });
        let client =
            ResilientLlmClient::with_hooks(inner, config, Arc::new(breaker), clock.clone(), rng, NoHooks).unwrap();
        run(&clock, client.execute("hi", CallOptions::default())).trace[0].delay.unwrap()
    });
    assert_spread(&waits, 20_000, 22_000);
}

#[test]
fn r1_failsafe_70_a_longer_wait_that_another_call_was_told_of_is_spread_too() {
    let ends = waits(|rng| {
        let breaker = TestBreaker::new();
        let script = [Reply::error(throttled(5_000)), Reply::error(throttled(20_000)).after(1_000), Reply::ok()];
        let inner = ScriptedClient::new(&breaker.clock, script);
        let config = client_config(RetryConfig { retry_after_spread: 0.5, ..retry_config(2) });
        let (clock, shared) = (breaker.clock.clone(), breaker.breaker.clone());
        let client = ResilientLlmClient::with_hooks(inner, config, shared, clock.clone(), rng, NoHooks).unwrap();
        let first = run(&clock, async {
            tokio::join!(
                client.execute("first", CallOptions::default()),
                client.execute("second", CallOptions::default())
            )
            .0
        });
        first.trace.last().unwrap().started_at
    });
    assert!(ends.iter().all(|end| *end >= ms(21_000) && *end < ms(60_000)));
    assert!(ends.iter().collect::<BTreeSet<_>>().len() > 900);
}

#[test]
fn r1_failsafe_70_a_chain_whose_services_all_cool_down_is_spread_too() {
    let ends = waits(|rng| {
        let clock = ManualClock::new();
        let provider = |name| {
            let breaker = CircuitBreaker::with_clock(breaker_config(), Arc::new(clock.clone()), Arc::new(middle));
            let script = [Reply::error(throttled(20_000)), Reply::ok()];
            Provider::new(name, ScriptedClient::new(&clock, script), Arc::new(breaker.unwrap()))
        };
        let retry = RetryConfig { retry_after_spread: 0.1, ..retry_config(2) };
        let client = ClientConfig { retry, ..client_config(retry) };
        let config = ChainConfig { client, ..ChainConfig::default() };
        let providers = vec![provider("a"), provider("b")];
        let chain = ResilientLlmRunner::with_hooks(providers, config, clock.clone(), rng, NoHooks).unwrap();
        let outcome = run(&clock, chain.execute("hi", CallOptions::default()));
        assert_eq!(outcome.provider.as_deref(), Some("a"));
        outcome.elapsed
    });
    assert_spread(&ends, 20_000, 22_000);
}

#[test]
fn r2_stoplight_375_one_lucky_probe_does_not_close_it() {
    let breaker = TestBreaker::with(|config| config.success_threshold = 3);
    breaker.open();
    breaker.at(1_000);
    for successes in 1..3 {
        breaker.ok();
        assert_eq!(breaker.state(), BreakerState::HalfOpen, "after {successes}");
    }
    breaker.fail();
    assert_eq!(breaker.state(), BreakerState::Open);
    breaker.at(2_000);
    (0..3).for_each(|_| breaker.ok());
    assert_eq!(breaker.state(), BreakerState::Closed, "three in a row, counted anew");
}

#[test]
fn r2_stoplight_375_a_flapping_service_is_left_alone_for_longer_each_time_until_it_is_quiet() {
    let breaker = TestBreaker::with(|config| (config.cooldown_factor, config.cooldown_reset) = (2.0, ms(30_000)));
    let mut now = 0;
    for cooldown in [1_000, 2_000, 4_000, 8_000] {
        breaker.open();
        assert_eq!(breaker.retry_after(), ms(cooldown));
        now += cooldown;
        // Closed by a lucky probe, and open again soon.
        breaker.at(now).ok();
        now += 29_999;
        breaker.at(now);
    }
    breaker.at(now + 1).open();
    assert_eq!(breaker.retry_after(), ms(1_000), "after a quiet half minute the first one again");
}
