//! The breaker's clock is not the client's: each may run apart from the other. And which clock it is makes no difference.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use resilience::backoff::Jitter;
use resilience::breaker::{BreakerState, CircuitBreaker};
use resilience::classify::ErrorClass;
use resilience::client::{AttemptRecord, CallOptions, NoHooks, OutcomeStatus, ResilientLlmClient};
use resilience::clock::{Clock, ManualClock, Monotonic, Timer, Timestamp, TokioClock};
use resilience::device::{Device, DeviceTimer};
use resilience::random::{Rng, SeededRng};
use resilience::retry::{RetryConfig, StopReason};

use crate::support::{
    Reply, ScriptedClient, breaker_config, client_config, join_all, middle, ms, retry_config, run, throttled,
};

/// Reads 3 ms late every other time, as a clock does that is asked a little after the other.
struct Late(ManualClock, AtomicBool);

impl Clock for Late {
    fn now(&self) -> Timestamp {
        self.0.now() + if self.1.fetch_xor(true, Ordering::SeqCst) { ms(0) } else { ms(3) }
    }
}

#[test]
fn a_call_is_not_rejected_by_the_wait_that_it_has_just_waited() {
    let clock = ManualClock::new();
    let late = Late(clock.clone(), AtomicBool::new(false));
    let breaker = CircuitBreaker::with_clock(breaker_config(), Arc::new(late), Arc::new(middle)).unwrap();
    let inner = ScriptedClient::new(&clock, [Reply::error(throttled(500)), Reply::ok()]);
    let config = client_config(retry_config(2));
    let client = ResilientLlmClient::new(inner, config, Arc::new(breaker), clock.clone()).unwrap();
    let outcome = run(&clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.status, client.inner().called_at()), (OutcomeStatus::Ok, vec![0, 503]));
    assert_eq!(outcome.trace[0].delay, Some(ms(503)));
}

#[test]
fn a_breaker_whose_clock_stands_still_ends_the_call_at_its_deadline() {
    let clock = ManualClock::new();
    let standing = Arc::new(ManualClock::new());
    let breaker = CircuitBreaker::with_clock(breaker_config(), standing, Arc::new(middle)).unwrap();
    let inner = ScriptedClient::new(&clock, [Reply::error(throttled(500)), Reply::ok()]);
    let config = client_config(retry_config(2));
    let client = ResilientLlmClient::new(inner, config, Arc::new(breaker), clock.clone()).unwrap();
    let outcome = run(&clock, client.execute("hi", CallOptions::default()));
    assert_eq!((outcome.stop_reason, client.inner().calls()), (StopReason::RetryAfter, 1));
    assert!(outcome.elapsed < ms(60_000));
    assert_eq!(outcome.trace[0].delay, Some(outcome.elapsed), "the trace tells the wait");
}

#[test]
fn a_device_clock_that_is_set_back_delays_no_probe_by_more_than_a_cooldown() {
    let device = ManualClock::new();
    device.advance(ms(3_600_000));
    let (reading, set_back) = (device.clone(), Arc::new(AtomicBool::new(false)));
    let jump = set_back.clone();
    let now = move || {
        let millis = reading.now().since_origin().as_secs_f64() * 1_000.0;
        if jump.load(Ordering::SeqCst) { millis - 3_000_000.0 } else { millis }
    };
    let breaker =
        CircuitBreaker::with_clock(breaker_config(), Arc::new(Monotonic::new(now)), Arc::new(middle)).unwrap();
    (0..3).for_each(|_| breaker.try_acquire().unwrap().failure(Default::default()));
    device.advance(ms(400));
    set_back.store(true, Ordering::SeqCst);
    assert_eq!((breaker.state(), breaker.retry_after()), (BreakerState::Open, ms(1_000)));
    device.advance(ms(1_000));
    assert!(breaker.try_acquire().unwrap().is_probe());
}

/// What one call came to.
type Came = (OutcomeStatus, StopReason, Duration, Option<Duration>, Vec<AttemptRecord>);

/// Twenty calls at random moments, among them some at once, to a service of many moods; the device goes offline and is
/// suspended meanwhile. Everything of it hangs on `seed`.
async fn a_day_of_a_phone<T: Timer + Clone + Send + Sync + 'static>(clock: T, seed: u64) -> Vec<Came> {
    let chance = SeededRng::new(seed);
    let below = |most: u64| (chance.next_unit() * most as f64) as u64;
    let script: Vec<Reply> = (0..60)
        .map(|_| match below(8) {
            0 | 1 => Reply::ok(),
            2 => Reply::error(throttled(below(3_000))),
            3 => Reply::class(ErrorClass::Connect),
            4 => Reply::class(ErrorClass::Interrupted),
            5 => Reply::hang(),
            _ => Reply::fail(),
        })
        .map(|reply| reply.after(below(400)))
        .collect();
    let rng = Arc::new(SeededRng::new(seed + 1));
    // Its cooldown is not spread: tokio's timers know whole milliseconds only.
    let breaker = CircuitBreaker::with_clock(breaker_config(), Arc::new(clock.clone()), rng.clone()).unwrap();
    let mut retry =
        RetryConfig { attempt_timeout: ms(700), deadline: ms(4_000), retry_after_spread: 0.2, ..retry_config(3) };
    retry.backoff.jitter = Jitter::Full;
    let device = Arc::new(Device::new(clock.clone()));
    let timer = DeviceTimer::new(clock.clone(), device.clone());
    let inner = ScriptedClient::new(&clock, script);
    let client =
        ResilientLlmClient::with_hooks(inner, client_config(retry), Arc::new(breaker), timer, rng, NoHooks).unwrap();
    let begin = clock.now();
    let calls = join_all((0..20).map(|_| {
        let starts = begin + ms(below(20) * 1_000);
        let (clock, client) = (&clock, &client);
        async move {
            clock.sleep_until(starts).await;
            let outcome = client.execute("hi", CallOptions::default()).await;
            (outcome.status, outcome.stop_reason, outcome.elapsed, outcome.retry_after, outcome.trace)
        }
    }));
    let events = join_all((0..12).map(|_| {
        let (moment, which) = (begin + ms(below(22_000)), below(4));
        let (clock, device) = (&clock, &device);
        async move {
            clock.sleep_until(moment).await;
            match which {
                0 => device.network_changed(false),
                1 => device.suspended(),
                2 => device.resumed(),
                _ => device.network_changed(true),
            }
        }
    }));
    let over = async {
        clock.sleep_until(begin + ms(60_000)).await;
        device.resumed();
    };
    tokio::join!(calls, events, over).0
}

#[test]
fn tokios_clock_and_one_moved_by_hand_give_the_same_trace() {
    let mut sources = std::collections::BTreeSet::new();
    for seed in 0..60 {
        let clock = ManualClock::new();
        let by_hand = run(&clock, a_day_of_a_phone(clock.clone(), seed));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let by_tokio = runtime.block_on(async { a_day_of_a_phone(TokioClock::new(), seed).await });
        assert_eq!(by_hand, by_tokio, "seed {seed}");
        sources.extend(by_hand.iter().map(|came| format!("{:?}", came.1)));
        let traces = by_hand.iter().flat_map(|came| &came.4);
        sources.extend(traces.filter_map(|attempt| Some(format!("{:?}", attempt.delay_source?))));
    }
    assert!(sources.len() >= 8, "all kinds of ends and waits occur: {sources:?}");
}
