//! Section P: what suspension and network do to calls, and what the service is not to blame for.

use std::sync::Arc;
use std::time::Duration;

use resilience::breaker::{BreakerState, FailureReport};
use resilience::chain::{ChainConfig, Provider, ResilientLlmRunner};
use resilience::classify::{CallError, ErrorClass};
use resilience::client::{Accounting, CallOptions, ClientConfig, NoHooks, Outcome, ResilientLlmClient};
use resilience::clock::{ManualClock, Timer};
use resilience::device::{Device, DeviceTimer, GRACE, MAX_FREE, MAX_PAUSE};
use resilience::request::{RequestConfig, RequestOptions, RetryOutcome, request_with_retry};
use resilience::retry::{DelaySource, RetryBudgetConfig, RetryConfig, StopReason};

use crate::support::{
    Reply, ScriptedClient, TestBreaker, at, client_config, join_all, middle, ms, retry_config, run, throttled,
    unavailable,
};

type Client = ResilientLlmClient<ScriptedClient, DeviceTimer<ManualClock>, NoHooks>;

/// A client on a device; its budget has three tokens.
struct Phone {
    breaker: TestBreaker,
    device: Arc<Device>,
    client: Client,
}

impl Phone {
    fn new(retry: RetryConfig, script: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(retry, script, |_| ())
    }

    fn with(
        retry: RetryConfig,
        script: impl IntoIterator<Item = Reply>,
        change: impl FnOnce(&mut ClientConfig),
    ) -> Self {
        let breaker = TestBreaker::new();
        let device = Arc::new(Device::new(breaker.clock.clone()));
        let timer = DeviceTimer::new(breaker.clock.clone(), device.clone());
        let inner = ScriptedClient::new(&breaker.clock, script);
        let budget = RetryBudgetConfig { capacity: 3.0, per_call: 0.0, per_minute: 0.0 };
        let mut config = ClientConfig { budget, ..client_config(retry) };
        change(&mut config);
        let rng = Arc::new(middle);
        let client =
            ResilientLlmClient::with_hooks(inner, config, breaker.breaker.clone(), timer, rng, NoHooks).unwrap();
        Self { breaker, device, client }
    }

    /// One call, while things happen to the device at their moments.
    fn call(&self, events: impl IntoIterator<Item = (u64, Event)>) -> Outcome<String> {
        let clock = &self.breaker.clock;
        let events = events.into_iter().map(|(millis, event)| at(clock, millis, move || self.tell(event)));
        run(clock, async { tokio::join!(self.client.execute("hi", CallOptions::default()), join_all(events)).0 })
    }

    fn tell(&self, event: Event) {
        match event {
            Event::Lost => self.device.network_changed(false),
            Event::Back => self.device.network_changed(true),
            Event::Suspended => self.device.suspended(),
            Event::Resumed => self.device.resumed(),
        }
    }

    fn called_at(&self) -> Vec<u64> {
        self.client.inner().called_at()
    }

    fn tokens(&self) -> f64 {
        let json: serde_json::Value = serde_json::from_str(&self.client.snapshot(0)).unwrap();
        json["services"][0]["budget"]["tokens"].as_f64().unwrap()
    }
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Lost,
    Back,
    Suspended,
    Resumed,
}
use Event::{Back, Lost, Resumed, Suspended};

/// 10 min after it was suspended.
const AWAY: [(u64, Event); 2] = [(1_000, Suspended), (601_000, Resumed)];

fn reset() -> Reply {
    Reply::class(ErrorClass::Interrupted)
}

#[test]
fn p3_opendray_484_calls_that_were_cut_by_the_suspension_are_tried_again_at_once_for_nothing() {
    for class in [ErrorClass::Interrupted, ErrorClass::Connect] {
        let cut = Reply::class(class).after(601_500);
        let phone = Phone::new(retry_config(0), [cut.clone(), cut, Reply::ok()]);
        let clock = &phone.breaker.clock;
        let away = join_all(AWAY.map(|(millis, event)| {
            let phone = &phone;
            at(clock, millis, move || phone.tell(event))
        }));
        let calls = join_all((0..2).map(|_| phone.client.execute("hi", CallOptions::default())));
        let outcomes = run(clock, async { tokio::join!(calls, away).0 });
        for outcome in outcomes {
            assert_eq!(
                (outcome.stop_reason, outcome.attempts()),
                (StopReason::Success, 2),
                "although no retry is allowed"
            );
            assert_eq!(outcome.trace[0].class, Some(class), "the trace tells it");
            assert_eq!(outcome.trace[0].delay_source, Some(DelaySource::Reconnect));
            assert_eq!(outcome.elapsed, ms(1_500), "and not the ten minutes");
        }
        assert_eq!(phone.called_at(), [0, 0, 601_500, 601_500]);
        assert_eq!((phone.breaker.consecutive_failures(), phone.breaker.stats().neutral, phone.tokens()), (0, 2, 3.0));
    }
}

#[test]
fn p3_opendray_484_a_pool_of_dead_connections_costs_the_calls_after_it_nothing_either() {
    let grace = GRACE.as_millis() as u64;
    for (begins, free) in [(0, true), (grace - 1, true), (grace, false)] {
        let phone = Phone::new(retry_config(0), [reset(), Reply::ok()]);
        phone.device.resumed();
        phone.breaker.at(begins);
        let outcome = phone.call([]);
        assert_eq!(outcome.attempts(), if free { 2 } else { 1 }, "{begins} ms after it");
        assert_eq!(phone.breaker.consecutive_failures(), u32::from(!free));
    }
}

#[test]
fn p3_opendray_484_only_the_first_is_free_and_only_what_says_that_a_connection_died() {
    let phone = Phone::new(retry_config(2), [reset()]);
    phone.device.resumed();
    let outcome = phone.call([]);
    let sources: Vec<_> = outcome.trace.iter().map(|attempt| attempt.delay_source).collect();
    let backoff = Some(DelaySource::Backoff);
    assert_eq!(sources, [Some(DelaySource::Reconnect), backoff, backoff, None], "what follows counts");
    assert_eq!((phone.breaker.state(), phone.tokens()), (BreakerState::Open, 1.0));

    for reply in [Reply::fail(), Reply::class(ErrorClass::Unknown), Reply::class(ErrorClass::Timeout), Reply::panic()] {
        let phone = Phone::new(retry_config(0), [reply.clone()]);
        phone.device.resumed();
        assert_eq!(phone.call([]).attempts(), 1, "{reply:?}");
    }
    let answered = CallError { status: Some(502), ..CallError::new(ErrorClass::Interrupted, "by a gateway") };
    let phone = Phone::new(retry_config(0), [Reply::error(answered)]);
    phone.device.resumed();
    assert_eq!((phone.call([]).attempts(), phone.breaker.consecutive_failures()), (1, 1));
}

#[test]
fn p3_opendray_484_one_that_hung_on_a_dead_connection_is_free_one_that_hangs_anew_is_not() {
    let config = RetryConfig { attempt_timeout: ms(5_000), ..retry_config(0) };
    let phone = Phone::new(config, [Reply::hang()]);
    let outcome = phone.call(AWAY);
    let classes: Vec<_> = outcome.trace.iter().map(|attempt| (attempt.class, attempt.duration)).collect();
    assert_eq!(classes, [(Some(ErrorClass::Timeout), ms(5_000)); 2]);
    assert_eq!(phone.breaker.consecutive_failures(), 1);
}

#[test]
fn p3_opendray_484_a_probe_that_was_cut_is_probed_again_and_a_breaker_that_opened_meanwhile_is_obeyed() {
    let phone = Phone::new(retry_config(0), [reset(), Reply::ok()]);
    phone.breaker.open();
    phone.breaker.at(1_000);
    phone.device.resumed();
    let outcome = phone.call([]);
    assert!(outcome.trace.iter().all(|attempt| attempt.probe));
    assert_eq!((outcome.stop_reason, phone.breaker.state()), (StopReason::Success, BreakerState::Closed));

    let phone = Phone::new(retry_config(0), [reset().after(500), Reply::ok()]);
    phone.device.resumed();
    let clock = &phone.breaker.clock;
    let opens = at(clock, 400, || phone.breaker.open());
    let outcome = run(clock, async { tokio::join!(phone.client.execute("hi", CallOptions::default()), opens).0 });
    assert_eq!((outcome.stop_reason, outcome.attempts()), (StopReason::CircuitOpen, 1));
}

#[test]
fn p3_opendray_484_what_may_have_been_billed_is_not_sent_again_unless_allowed() {
    let phone = Phone::new(RetryConfig { retry_unsafe: false, ..retry_config(2) }, [reset()]);
    phone.device.resumed();
    assert_eq!(phone.call([]).stop_reason, StopReason::NotRetryable);
    assert_eq!(phone.breaker.consecutive_failures(), 0, "but the service is not to blame");
}

#[test]
fn p3_opendray_484_the_same_where_whole_calls_are_counted() {
    let phone = Phone::with(retry_config(0), [reset(), reset()], |config| config.accounting = Accounting::Call);
    phone.device.resumed();
    assert_eq!((phone.call([]).attempts(), phone.breaker.consecutive_failures()), (2, 1));
    let careful = RetryConfig { retry_unsafe: false, ..retry_config(0) };
    let phone = Phone::with(careful, [reset()], |config| config.accounting = Accounting::Call);
    phone.device.resumed();
    assert_eq!((phone.call([]).attempts(), phone.breaker.consecutive_failures()), (1, 0));
}

#[test]
fn p4_boardsesh_4400_no_time_passes_for_a_call_while_the_app_is_suspended() {
    let config = RetryConfig { deadline: ms(30_000), attempt_timeout: ms(10_000), ..retry_config(0) };
    for (latency, answered) in [(610_999, true), (611_001, false)] {
        // Resumed after 10 min with 9 s of the attempt left.
        let phone = Phone::new(config, [Reply::ok().after(latency), Reply::fail()]);
        let outcome = phone.call([(1_000, Suspended), (602_000, Resumed)]);
        assert_eq!(outcome.response.is_some(), answered, "{latency}");
        assert_eq!(outcome.trace[0].duration, ms(if answered { 9_999 } else { 10_000 }));
    }
}

#[test]
fn p4_boardsesh_4400_a_wait_goes_on_where_it_was() {
    // Asked to come back in 20 s, suspended after 1 s for 10 min: never earlier than asked, by no clock.
    let phone = Phone::new(retry_config(1), [Reply::error(throttled(20_000)), Reply::ok()]);
    let outcome = phone.call(AWAY);
    assert_eq!((phone.called_at(), outcome.elapsed), (vec![0, 620_000], ms(20_000)));
    assert_eq!(outcome.trace[0].delay, Some(ms(20_000)));
}

#[test]
fn p4_boardsesh_4400_a_call_that_begins_while_suspended_has_all_its_time_afterwards() {
    let config = RetryConfig { deadline: ms(5_000), attempt_timeout: ms(5_000), ..retry_config(0) };
    let phone = Phone::new(config, [Reply::hang()]);
    phone.device.suspended();
    phone.device.suspended();
    let outcome = phone.call([(3_600_000, Resumed)]);
    assert_eq!((outcome.stop_reason, outcome.elapsed), (StopReason::Deadline, ms(5_000)));
    assert_eq!(phone.breaker.clock.pending_sleeps(), 0);
    assert!(!phone.device.is_suspended());
}

#[test]
fn p4_boardsesh_4400_a_suspension_whose_end_is_never_told_ends_after_a_day() {
    let config = RetryConfig { deadline: ms(5_000), attempt_timeout: ms(5_000), ..retry_config(0) };
    let phone = Phone::new(config, [Reply::hang()]);
    let outcome = phone.call([(1_000, Suspended)]);
    assert_eq!((outcome.trace[0].class, outcome.elapsed), (Some(ErrorClass::Timeout), ms(5_000)));
    let now = resilience::clock::Clock::now(&phone.breaker.clock).since_origin();
    assert_eq!(now, MAX_PAUSE + ms(5_000));
}

#[test]
fn p4_boardsesh_4400_the_fourth_pause_of_a_call_is_charged() {
    // Each attempt is cut by another suspension.
    let phone = Phone::new(RetryConfig { deadline: ms(600_000), ..retry_config(0) }, [reset().after(2_000)]);
    let pauses = (0..20).flat_map(|pause| [(pause * 2_000 + 500, Suspended), (pause * 2_000 + 1_500, Resumed)]);
    let outcome = phone.call(pauses);
    assert_eq!((outcome.attempts(), outcome.stop_reason), (MAX_FREE + 1, StopReason::Attempts));
    assert_eq!(phone.breaker.consecutive_failures(), 1);
}

#[test]
fn p4_boardsesh_4400_free_attempts_count_in_what_a_call_may_send_at_all() {
    let config = RetryConfig { max_total_attempts: Some(1), ..retry_config(5) };
    let phone = Phone::new(config, [reset()]);
    phone.device.resumed();
    let outcome = phone.call([]);
    assert_eq!((outcome.attempts(), outcome.stop_reason), (1, StopReason::Attempts));
}

/// Waits of 1, 10, 100 s; an attempt fails at once.
fn long_waits() -> RetryConfig {
    let mut config = RetryConfig { deadline: ms(600_000), ..retry_config(3) };
    (config.backoff.base, config.backoff.factor, config.backoff.max_delay) = (ms(1_000), 10.0, ms(100_000));
    config
}

#[test]
fn p5_t3code_4878_noop_1413_a_backoff_ends_early_when_the_network_is_back() {
    for event in [Back, Resumed] {
        let phone = Phone::new(long_waits(), [Reply::fail(), Reply::fail(), Reply::ok()]);
        let outcome = phone.call([(2_000, event)]);
        // 10 s from 1000 on; woken at 2000, and half of the first wait later, by chance.
        assert_eq!(phone.called_at(), [0, 1_000, 2_500], "{event:?}");
        assert_eq!(outcome.trace[1].delay, Some(ms(1_500)), "what was waited");
    }
}

#[test]
fn p5_t3code_4878_it_does_so_once_and_the_ladder_begins_anew() {
    let phone = Phone::new(long_waits(), [Reply::fail()]);
    phone.breaker.force_closed();
    phone.call([(2_000, Back), (2_600, Back), (2_700, Resumed)]);
    assert_eq!(phone.called_at(), [0, 1_000, 2_500, 3_500], "the first wait again, in full");
}

#[test]
fn p5_noop_1413_devices_that_come_back_together_do_not_ask_together() {
    let calls = |chance: f64| {
        let phone = Phone::new(long_waits(), [Reply::fail(), Reply::fail(), Reply::ok()]);
        let clock = phone.breaker.clock.clone();
        let timer = DeviceTimer::new(clock.clone(), phone.device.clone());
        let inner = ScriptedClient::new(&clock, [Reply::fail(), Reply::fail(), Reply::ok()]);
        let (config, rng) = (client_config(long_waits()), Arc::new(move || chance));
        let breaker = phone.breaker.breaker.clone();
        let client = ResilientLlmClient::with_hooks(inner, config, breaker, timer, rng, NoHooks).unwrap();
        let back = at(&clock, 2_000, || phone.device.network_changed(true));
        run(&clock, async { tokio::join!(client.execute("hi", CallOptions::default()), back) });
        client.inner().called_at()[2]
    };
    assert_eq!([0.0, 0.25, 0.75].map(calls), [2_000, 2_250, 2_750]);
}

#[test]
fn p5_t3code_4878_never_before_a_retry_after_nor_after_the_wait_that_was_planned() {
    // Asked for 5 s, backs off for 10.
    let asks = Reply::error(throttled(5_000));
    let phone = Phone::new(long_waits(), [Reply::fail(), asks.clone(), Reply::ok()]);
    // No breaker holds it either.
    phone.breaker.force_closed();
    phone.call([(2_000, Back)]);
    assert_eq!(phone.called_at(), [0, 1_000, 6_000]);
    // The longer wait is the Retry-After's.
    let phone = Phone::new(long_waits(), [asks, Reply::ok()]);
    phone.call([(2_000, Back)]);
    assert_eq!(phone.called_at(), [0, 5_000]);
    // 200 ms before its end.
    let phone = Phone::new(long_waits(), [Reply::fail(), Reply::ok()]);
    phone.call([(800, Back)]);
    assert_eq!(phone.called_at(), [0, 1_000]);
}

#[test]
fn p5_noop_1413_a_cancel_ends_what_was_woken_as_well() {
    let phone = Phone::new(long_waits(), [Reply::fail()]);
    let token = resilience::cancel::CancelToken::new();
    let options = CallOptions { cancel: Some(token.clone()), ..CallOptions::default() };
    let clock = &phone.breaker.clock;
    let events = async {
        at(clock, 2_000, || phone.device.network_changed(true)).await;
        at(clock, 2_100, || token.cancel(resilience::cancel::CancelReason::Cancelled)).await;
    };
    let outcome = run(clock, async { tokio::join!(phone.client.execute("hi", options), events).0 });
    assert_eq!((outcome.stop_reason, outcome.elapsed), (StopReason::Cancelled, ms(2_100)));
    assert_eq!((token.listeners(), clock.pending_sleeps()), (0, 0));
}

#[test]
fn j5_envoy_mobile_811_without_network_no_failure_is_anybodys() {
    for class in [ErrorClass::Connect, ErrorClass::Interrupted, ErrorClass::Timeout, ErrorClass::Unknown] {
        let phone = Phone::new(retry_config(2), [Reply::class(class)]);
        phone.device.network_changed(false);
        let before = phone.client.snapshot(0);
        for _ in 0..20 {
            let outcome = phone.call([]);
            assert_eq!((outcome.attempts(), outcome.cause), (1, Some(ErrorClass::Offline)), "{class}");
            assert!(outcome.used_fallback() && outcome.stop_reason == StopReason::NotRetryable);
        }
        assert_eq!(phone.client.snapshot(0), before, "{class}");
    }
}

#[test]
fn j5_envoy_mobile_811_what_the_app_tells_is_a_hint_an_answer_is_an_answer() {
    let phone = Phone::new(retry_config(2), [Reply::ok(), Reply::error(unavailable()), Reply::ok()]);
    phone.device.network_changed(false);
    assert_eq!(phone.call([]).stop_reason, StopReason::Success, "a service on the device itself");
    let outcome = phone.call([]);
    assert_eq!((outcome.trace[0].class, outcome.attempts()), (Some(ErrorClass::Overloaded), 2), "it has answered");
}

#[test]
fn j5_envoy_mobile_811_the_network_that_went_during_the_attempt_is_to_blame_and_one_that_came_back_is_used() {
    let phone = Phone::new(retry_config(2), [reset().after(500)]);
    assert_eq!(phone.call([(100, Lost)]).cause, Some(ErrorClass::Offline));
    let phone = Phone::new(retry_config(0), [reset().after(500), Reply::ok()]);
    let outcome = phone.call([(100, Lost), (400, Back)]);
    assert_eq!(
        (outcome.stop_reason, outcome.attempts(), phone.breaker.consecutive_failures()),
        (StopReason::Success, 2, 0)
    );
}

#[test]
fn j5_envoy_mobile_811_no_other_service_is_asked_without_network() {
    let clock = ManualClock::new();
    let device = Arc::new(Device::new(clock.clone()));
    device.network_changed(false);
    let provider = |name| {
        let breaker = Arc::new(resilience::breaker::CircuitBreaker::new(Default::default()).unwrap());
        Provider::new(name, ScriptedClient::new(&clock, [Reply::class(ErrorClass::Connect)]), breaker)
    };
    let timer = DeviceTimer::new(clock.clone(), device);
    let chain = ResilientLlmRunner::new(vec![provider("a"), provider("b")], ChainConfig::default(), timer).unwrap();
    let outcome = run(&clock, chain.execute("hi", CallOptions::default()));
    assert_eq!((outcome.attempts(), outcome.cause), (1, Some(ErrorClass::Offline)));
}

#[test]
fn j5_envoy_mobile_811_requests_of_a_page_are_tried_again_all_the_same() {
    let clock = ManualClock::new();
    let device = Arc::new(Device::new(clock.clone()));
    device.network_changed(false);
    let sent = std::cell::Cell::new(0);
    let get = async |_: &resilience::client::Attempt<'_>| {
        sent.set(sent.get() + 1);
        if sent.get() < 3 { Err(CallError::new(ErrorClass::Connect, "unreachable")) } else { Ok(200_u16) }
    };
    let timer = DeviceTimer::new(clock.clone(), device);
    let (_, result) = request_with_retry(get, RequestConfig::read(), timer, RequestOptions::default()).unwrap();
    let result = run(&clock, result);
    assert_eq!((result.outcome, result.trace.attempts), (RetryOutcome::Success, 2));
    assert_eq!(result.trace.requests[0].class, Some(ErrorClass::Offline));
}

#[test]
fn p3_a_breaker_counts_on_while_the_app_is_suspended() {
    let phone = Phone::new(retry_config(0), [Reply::ok()]);
    phone.breaker.admit().failure(FailureReport { open_for: Some(ms(60_000)), ..Default::default() });
    phone.device.suspended();
    phone.breaker.at(60_000);
    phone.device.resumed();
    assert_eq!(phone.call([]).stop_reason, StopReason::Success, "the service has recovered meanwhile");
}

#[test]
fn p4_the_time_of_calls_never_runs_backwards_and_adds_up() {
    let clock = ManualClock::new();
    let device = Arc::new(Device::new(clock.clone()));
    let timer = DeviceTimer::new(clock.clone(), device.clone());
    let now = || resilience::clock::Clock::now(&timer).since_origin();
    let (mut expected, mut suspended) = (Duration::ZERO, false);
    for step in 0..1_000_u64 {
        match step * 7 % 5 {
            0 => (suspended, _) = (true, device.suspended()),
            1 => (suspended, _) = (false, device.resumed()),
            2 => device.network_changed(step % 2 == 0),
            _ => clock.advance(ms(step)),
        }
        if step * 7 % 5 > 2 && !suspended {
            expected += ms(step);
        }
        assert_eq!(now(), expected, "step {step}");
    }
    let mut sleep = Box::pin(timer.sleep_until(resilience::clock::Timestamp::new(expected + ms(1))));
    device.resumed();
    run(&clock, sleep.as_mut());
}
