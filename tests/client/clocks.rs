//! The breaker's clock is not the client's: each may run apart from the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use resilience::breaker::{BreakerState, CircuitBreaker};
use resilience::client::{CallOptions, OutcomeStatus, ResilientLlmClient};
use resilience::clock::{Clock, ManualClock, Monotonic, Timestamp};
use resilience::retry::StopReason;

use crate::support::{Reply, ScriptedClient, breaker_config, client_config, middle, ms, retry_config, run, throttled};

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
