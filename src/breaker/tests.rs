use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::config::BreakerConfig;
use super::*;
use crate::clock::{Clock, ManualClock};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// One row of the table in the module's documentation.
struct Row {
    state: &'static str,
    event: &'static str,
    next: &'static str,
    failures: &'static str,
    sent: &'static str,
}

fn transition_table() -> Vec<Row> {
    let lines = include_str!("mod.rs").lines().filter_map(|line| line.strip_prefix("//! | "));
    let cells = lines.map(|line| line.trim_end_matches(" |").split(" | ").collect::<Vec<_>>());
    let rows = cells.map(|cells| match cells[..] {
        [state, event, next, failures, sent] => Row { state, event, next, failures, sent },
        _ => panic!("five columns, not {cells:?}"),
    });
    rows.filter(|row| row.state != "state").collect()
}

/// A breaker in one of its states, with a call of an earlier generation in flight.
struct Scene<'a> {
    breaker: &'a CircuitBreaker,
    clock: &'a ManualClock,
    earlier: Option<Permit<'a>>,
    /// The probe in flight, while half-open.
    probe: Option<Permit<'a>>,
}

impl<'a> Scene<'a> {
    fn new(state: &str, breaker: &'a CircuitBreaker, clock: &'a ManualClock) -> Self {
        let earlier = breaker.try_acquire().ok();
        let mut scene = Self { breaker, clock, earlier, probe: None };
        // Two generations on, and so long after that the next cooldown is the first one again.
        (0..3).for_each(|_| scene.fail());
        clock.advance(ms(1_000));
        (0..2).for_each(|_| scene.admit().success());
        clock.advance(ms(60_000));
        (0..if state == "closed" { 1 } else { 3 }).for_each(|_| scene.fail());
        if state == "half-open" {
            clock.advance(ms(1_000));
            scene.probe = Some(scene.admit());
        }
        assert_eq!(breaker.state(), named(state));
        scene
    }

    fn admit(&self) -> Permit<'a> {
        self.breaker.try_acquire().expect("admitted")
    }

    fn fail(&self) {
        self.admit().failure(FailureReport::default());
    }

    fn earlier(&mut self) -> Permit<'a> {
        self.earlier.take().unwrap()
    }

    fn probe(&mut self) -> Permit<'a> {
        self.probe.take().unwrap()
    }

    /// What happens before the event of the row.
    fn prepare(&mut self, event: &str) {
        match event {
            "failure that reaches the threshold" => self.fail(),
            "call before Retry-After has passed" => {
                self.earlier().failure(FailureReport { retry_after: Some(ms(60_000)), ..Default::default() });
                self.clock.advance(ms(59_999));
            }
            "call before the cooldown has run out" => self.clock.advance(ms(999)),
            "call after both" => self.clock.advance(ms(1_000)),
            "call while all probe places are taken" => std::mem::forget(self.admit()),
            "call after the lease of a probe" => {
                std::mem::forget(self.admit());
                self.clock.advance(ms(90_000));
            }
            "probe succeeds, success threshold reached" => self.admit().success(),
            _ => {}
        }
    }

    /// The event of the row. Gives what came of it when it is a call.
    fn act(&mut self, event: &str) -> Option<Result<Permit<'a>, Rejection>> {
        match event {
            "success" => self.admit().success(),
            "failure below the threshold" | "failure that reaches the threshold" => self.fail(),
            "failure that says \"open at once\" (quota)" => {
                self.admit().failure(FailureReport { open_for: Some(ms(9_000)), ..Default::default() });
            }
            call if call.starts_with("call ") => return Some(self.breaker.try_acquire()),
            "probe succeeds below the success threshold" | "probe succeeds, success threshold reached" => {
                self.probe().success();
            }
            "probe fails" => self.probe().failure(FailureReport::default()),
            "neutral result" if self.probe.is_some() => self.probe().neutral(),
            "neutral result" => self.breaker.try_acquire().into_iter().for_each(Permit::neutral),
            "result of an earlier generation" => self.earlier().failure(FailureReport::default()),
            "isolate" => self.breaker.isolate(),
            "force closed" => self.breaker.force_closed(),
            "reset" => self.breaker.reset(),
            "restore of a closed one" => self.breaker.restore(&saved(1, false), 0).unwrap(),
            "restore of an open or a half-open one" => {
                self.breaker.restore(&saved(3, true), 0).unwrap();
                self.breaker.restore(&saved(3, false), 0).unwrap();
            }
            unknown => panic!("no test for the row {unknown:?}"),
        }
        None
    }
}

/// A snapshot of a breaker that has seen so many failures, half-open after a probe where that is in flight.
fn saved(failures: u32, half_open: bool) -> String {
    let clock = ManualClock::new();
    let breaker = CircuitBreaker::with_clock(Default::default(), Arc::new(clock.clone()), Arc::new(|| 0.5)).unwrap();
    (0..failures).for_each(|_| breaker.try_acquire().unwrap().failure(Default::default()));
    if half_open {
        clock.advance(ms(5_000));
        let _probe = breaker.try_acquire().unwrap();
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        return breaker.snapshot(0);
    }
    breaker.snapshot(0)
}

fn named(state: &str) -> BreakerState {
    match state {
        "closed" => BreakerState::Closed,
        "open" | "opened" => BreakerState::Open,
        "half-open" | "half-opened" => BreakerState::HalfOpen,
        _ => panic!("no state {state:?}"),
    }
}

#[test]
fn the_table_of_transitions_is_what_happens() {
    let table = transition_table();
    assert!(table.len() >= 20, "the table was found");
    for row in table {
        let states = if row.state == "any" { vec!["closed", "open", "half-open"] } else { vec![row.state] };
        for state in states {
            run_row(&row, state);
        }
    }
}

fn run_row(row: &Row, state: &str) {
    let clock = ManualClock::new();
    let config = BreakerConfig {
        cooldown: ms(1_000),
        cooldown_factor: 2.0,
        half_open_probes: 2,
        success_threshold: 2,
        probe_lease: Some(ms(90_000)),
        ..BreakerConfig::default()
    };
    let breaker = CircuitBreaker::with_clock(config, Arc::new(clock.clone()), Arc::new(|| 0.5)).unwrap();
    let mut scene = Scene::new(state, &breaker, &clock);
    scene.prepare(row.event);
    let before = (breaker.state(), breaker.consecutive_failures());
    let events: Arc<Mutex<Vec<BreakerEvent>>> = Arc::default();
    let record = events.clone();
    breaker.subscribe(move |event| record.lock().unwrap().push(*event));

    let call = scene.act(row.event);

    let name = format!("{state}: {}", row.event);
    let (next, what) = row.next.split_once([',', ' ']).unwrap_or((row.next, ""));
    let expected = if next == "unchanged" { before.0 } else { named(next) };
    assert_eq!(breaker.state(), expected, "{name}");
    let failures = match row.failures {
        "0" => 0,
        "+ 1" => before.1 + 1,
        "kept" => before.1,
        "as saved" => {
            if named(next) == BreakerState::Closed {
                1
            } else {
                3
            }
        }
        other => panic!("no count {other:?}"),
    };
    assert_eq!(breaker.consecutive_failures(), failures, "{name}");
    let sent: Vec<_> = events.lock().unwrap().iter().map(|event| (event.from, event.to)).collect();
    let same = before.0 == expected;
    let to_be_sent = if row.sent == "–" || same { vec![] } else { vec![(before.0, named(row.sent))] };
    assert_eq!(sent, to_be_sent, "{name}");
    assert!(same || !sent.is_empty(), "{name}: no change without its event");
    match call {
        Some(Ok(permit)) => assert!(what.contains("probe") || what.contains("its place"), "{name}: {permit:?}"),
        Some(Err(rejection)) => assert!(what.contains("call rejected"), "{name}: {rejection}"),
        None => assert!(!what.contains("call"), "{name}"),
    }
    if what.contains("next cooldown") {
        assert_eq!(breaker.retry_after(), ms(2_000), "{name}");
    }
    if what.contains("its place is free again") && state == "half-open" {
        assert!([breaker.try_acquire(), breaker.try_acquire()].iter().all(Result::is_ok), "{name}");
    }
    if what.contains("until reset") {
        clock.advance(ms(3_600_000));
        assert_eq!(breaker.try_acquire().is_ok(), expected == BreakerState::Closed, "{name}");
        (0..10).for_each(|_| breaker.try_acquire().into_iter().for_each(|permit| permit.failure(Default::default())));
        assert_eq!(breaker.state(), expected, "{name}");
    }
}

fn breaker(clock: &ManualClock, config: BreakerConfig, chance: f64) -> CircuitBreaker {
    CircuitBreaker::with_clock(config, Arc::new(clock.clone()), Arc::new(move || chance)).unwrap()
}

/// Opens it, and makes each probe fail as soon as it may go out. Gives the cooldowns.
fn cooldowns(config: BreakerConfig, chance: f64, count: usize) -> Vec<Duration> {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, BreakerConfig { failure_threshold: 1, ..config }, chance);
    let fail = |_| {
        breaker.try_acquire().unwrap().failure(Default::default());
        let cooldown = breaker.retry_after();
        clock.advance(cooldown);
        cooldown
    };
    (0..count).map(fail).collect()
}

#[test]
fn the_cooldown_grows_with_each_failed_probe_up_to_its_cap() {
    let config = BreakerConfig {
        cooldown: ms(1_000),
        cooldown_factor: 2.0,
        max_cooldown: Some(ms(5_000)),
        ..BreakerConfig::default()
    };
    assert_eq!(cooldowns(config, 0.5, 5), [1_000, 2_000, 4_000, 5_000, 5_000].map(ms));
    let ten_minutes = BreakerConfig { max_cooldown: None, ..config };
    assert_eq!(cooldowns(ten_minutes, 0.5, 2_000)[1_999], ms(600_000), "also when the factor has become infinite");
    let long = BreakerConfig { cooldown: ms(3_600_000), ..ten_minutes };
    assert_eq!(cooldowns(long, 0.5, 2), [ms(3_600_000); 2], "the default cap never cuts the cooldown itself");
}

#[test]
fn the_cooldown_is_spread_around_its_middle_at_the_cap_too() {
    let config = BreakerConfig {
        cooldown: ms(10_000),
        cooldown_factor: 2.0,
        max_cooldown: Some(ms(20_000)),
        cooldown_spread: 0.2,
        ..BreakerConfig::default()
    };
    assert_eq!(cooldowns(config, 0.0, 3), [8_000, 16_000, 16_000].map(ms));
    assert_eq!(cooldowns(config, 0.5, 3), [10_000, 20_000, 20_000].map(ms));
    assert_eq!(cooldowns(config, 1.0, 3), [12_000, 24_000, 24_000].map(ms));
}

#[test]
fn nonsense_from_the_rng_keeps_the_cooldown_in_its_bounds() {
    let config = BreakerConfig { cooldown: ms(10_000), cooldown_spread: 1.0, ..BreakerConfig::default() };
    for chance in [f64::NAN, f64::NEG_INFINITY, -1.0, 0.0, 1.0, 2.0, f64::INFINITY] {
        assert!(cooldowns(config, chance, 1)[0] <= ms(20_000), "{chance}");
    }
    let clock = ManualClock::new();
    let config = BreakerConfig { failure_threshold: 1, ..config };
    let panics = CircuitBreaker::with_clock(config, Arc::new(clock), Arc::new(|| panic!("rng gone wrong"))).unwrap();
    panics.try_acquire().unwrap().failure(Default::default());
    assert_eq!((panics.state(), panics.retry_after()), (BreakerState::Open, ms(0)), "as if it had drawn 0");
}

#[test]
fn after_a_quiet_time_the_next_cooldown_is_the_first_again() {
    for (quiet, expected) in [(59_999, 2_000), (60_000, 1_000)] {
        let clock = ManualClock::new();
        let config = BreakerConfig { cooldown: ms(1_000), cooldown_factor: 2.0, ..BreakerConfig::default() };
        let breaker = breaker(&clock, BreakerConfig { failure_threshold: 1, ..config }, 0.5);
        breaker.try_acquire().unwrap().failure(Default::default());
        clock.advance(ms(1_000));
        breaker.try_acquire().unwrap().success();
        clock.advance(ms(quiet));
        breaker.try_acquire().unwrap().failure(Default::default());
        assert_eq!(breaker.retry_after(), ms(expected), "after {quiet} ms");
    }
}

#[test]
fn a_retry_after_keeps_calls_back_no_longer_than_is_allowed() {
    let year = ms(365 * 24 * 3_600_000);
    for (max, asked, expected) in [
        (None, year, 3_600_000),
        (None, ms(3_599_999), 3_599_999),
        (Some(ms(0)), year, 0),
        (Some(ms(50)), ms(51), 50),
        (Some(year), year, 365 * 24 * 3_600_000),
    ] {
        let mut config = BreakerConfig::default();
        config.max_retry_after = max.unwrap_or(config.max_retry_after);
        let breaker = breaker(&ManualClock::new(), config, 0.5);
        breaker.try_acquire().unwrap().failure(FailureReport { retry_after: Some(asked), ..Default::default() });
        assert_eq!((breaker.state(), breaker.retry_after()), (BreakerState::Closed, ms(expected)), "{max:?}");
        let opens = FailureReport { retry_after: Some(asked), open_for: Some(ms(0)), ..Default::default() };
        breaker.reset();
        breaker.try_acquire().unwrap().failure(opens);
        assert_eq!((breaker.state(), breaker.retry_after()), (BreakerState::Open, ms(expected.max(5_000))), "{max:?}");
    }
}

#[test]
fn a_result_without_a_ticket_belongs_to_the_oldest_probe_or_to_the_closed_state() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, BreakerConfig { half_open_probes: 2, ..BreakerConfig::default() }, 0.5);
    for _ in 0..3 {
        breaker.record_failure(breaker.current_ticket().unwrap(), FailureReport::default());
    }
    assert_eq!((breaker.state(), breaker.current_ticket()), (BreakerState::Open, None));
    assert_eq!(breaker.config().half_open_probes, 2);
    clock.advance(ms(5_000));
    let (first, second) = (breaker.try_acquire().unwrap(), breaker.try_acquire().unwrap());
    breaker.record_neutral(breaker.current_ticket().unwrap());
    first.success();
    assert_eq!(breaker.stats().stale, 1, "the first one's place was given back");
    second.success();
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn a_result_without_a_ticket_does_not_move_an_isolated_breaker() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, BreakerConfig::default(), 0.5);
    breaker.isolate();
    assert_eq!(breaker.current_ticket(), None);
    assert_eq!(breaker.retry_after(), Duration::MAX);
    breaker.force_closed();
    (0..10).for_each(|_| breaker.record_failure(breaker.current_ticket().unwrap(), FailureReport::default()));
    assert_eq!((breaker.state(), breaker.consecutive_failures()), (BreakerState::Closed, 0));
}

#[test]
fn times_without_end_saturate() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, BreakerConfig::default(), 0.5);
    clock.advance(Duration::MAX);
    let endless =
        FailureReport { retry_after: Some(Duration::MAX), open_for: Some(Duration::MAX), ..Default::default() };
    breaker.try_acquire_for(Duration::MAX).unwrap().failure(endless);
    assert_eq!(breaker.state(), BreakerState::Open);
    assert!(breaker.try_acquire_for(Duration::MAX).unwrap().is_probe(), "time has come to its end as well");
    assert_eq!(clock.now().since_origin(), Duration::MAX);
}

#[test]
fn a_wait_is_named_in_milliseconds_rounded_up() {
    let rejection = Rejection { reason: RejectionReason::Open, retry_after: Duration::from_nanos(1_000_001) };
    assert_eq!(rejection.to_string(), "circuit breaker rejects the call (open), retry after 2 ms");
}

#[test]
fn each_value_out_of_its_range_is_refused_by_name() {
    let refused = |change: fn(&mut BreakerConfig)| {
        let mut config = BreakerConfig::default();
        change(&mut config);
        CircuitBreaker::new(config).unwrap_err().field
    };
    assert_eq!(refused(|config| config.failure_threshold = 0), "failureThreshold");
    assert_eq!(refused(|config| config.cooldown = Duration::MAX), "cooldownMs");
    assert_eq!(refused(|config| config.cooldown_factor = 0.99), "cooldownFactor");
    assert_eq!(refused(|config| config.cooldown_factor = f64::NAN), "cooldownFactor");
    assert_eq!(refused(|config| config.cooldown_factor = 101.0), "cooldownFactor");
    assert_eq!(refused(|config| config.max_cooldown = Some(ms(4_999))), "maxCooldownMs");
    assert_eq!(refused(|config| config.max_cooldown = Some(Duration::MAX)), "maxCooldownMs");
    assert_eq!(refused(|config| config.cooldown_spread = -0.1), "cooldownSpread");
    assert_eq!(refused(|config| config.cooldown_spread = 1.1), "cooldownSpread");
    assert_eq!(refused(|config| config.cooldown_spread = f64::NAN), "cooldownSpread");
    assert_eq!(refused(|config| config.cooldown_reset = Duration::MAX), "cooldownResetMs");
    assert_eq!(refused(|config| config.max_retry_after = Duration::MAX), "maxRetryAfterMs");
    assert_eq!(refused(|config| config.half_open_probes = 0), "halfOpenProbes");
    assert_eq!(refused(|config| config.half_open_probes = 1_001), "halfOpenProbes");
    assert_eq!(refused(|config| config.success_threshold = 0), "successThreshold");
    assert_eq!(refused(|config| config.success_threshold = 1_001), "successThreshold");
    assert_eq!(refused(|config| config.probe_lease = Some(Duration::ZERO)), "probeLeaseMs");
}

/// What `work` on another thread comes to while this one holds the lock; `None` if it waits for that.
fn without_the_lock<T: Send>(breaker: &CircuitBreaker, work: impl FnOnce(&CircuitBreaker) -> T + Send) -> Option<T> {
    let (done, finished) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let lock = breaker.lock_for_test();
        scope.spawn(move || done.send(work(breaker)));
        let result = finished.recv_timeout(ms(10_000)).ok();
        drop(lock);
        result
    })
}

/// Whether a call that succeeds gets by without the lock.
fn needs_no_lock(breaker: &CircuitBreaker) -> bool {
    let succeed = |breaker: &CircuitBreaker| {
        breaker.try_acquire().unwrap().success();
        breaker.state()
    };
    without_the_lock(breaker, succeed) == Some(BreakerState::Closed)
}

#[test]
fn a_success_on_a_closed_breaker_needs_no_lock() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, BreakerConfig::default(), 0.5);
    assert!(needs_no_lock(&breaker));
    breaker.reset();
    assert!(needs_no_lock(&breaker), "in a later generation too");
    breaker.try_acquire().unwrap().failure(FailureReport { retry_after: Some(ms(100)), ..Default::default() });
    clock.advance(ms(100));
    breaker.try_acquire().unwrap().success();
    assert!(needs_no_lock(&breaker), "when the service's wait is over");
    assert_eq!(breaker.stats().successes, 4);
}

#[test]
fn a_success_needs_no_lock_where_the_window_holds_nothing_but_others_like_it() {
    let clock = ManualClock::new();
    let last_two = WindowConfig { span: WindowSpan::Calls(2), minimum_calls: 2, ..WindowConfig::default() };
    let breaker = breaker(&clock, BreakerConfig { window: Some(last_two), ..BreakerConfig::default() }, 0.5);
    let succeed = || breaker.try_acquire().unwrap().success();
    let counts = || breaker.window_counts().unwrap();
    succeed();
    succeed();
    assert!(needs_no_lock(&breaker));
    breaker.try_acquire().unwrap().success_in(last_two.slow_call);
    assert_eq!(counts(), WindowCounts { total: 2, failed: 0, slow: 1 }, "a slow one counts");
    succeed();
    assert_eq!(counts().slow, 1, "and is pushed out by the second one after it");
    succeed();
    assert_eq!(counts(), WindowCounts { total: 2, failed: 0, slow: 0 });
    assert!(needs_no_lock(&breaker));
    assert_eq!(breaker.stats().successes, 7);
}

#[test]
fn a_listener_may_use_the_breaker_and_leave_it() {
    let clock = ManualClock::new();
    let breaker = Arc::new(breaker(&clock, BreakerConfig { failure_threshold: 1, ..BreakerConfig::default() }, 0.5));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (record, of_listener) = (seen.clone(), Arc::downgrade(&breaker));
    let id = breaker.subscribe(move |event| {
        let breaker = of_listener.upgrade().unwrap();
        record.lock().unwrap().push((event.to, breaker.state()));
        if event.to == BreakerState::Open {
            breaker.reset();
        }
    });
    let told = Arc::new(Mutex::new(Vec::new()));
    let record = told.clone();
    breaker.subscribe(move |event| record.lock().unwrap().push(event.to));
    breaker.try_acquire().unwrap().failure(Default::default());
    let expected = [(BreakerState::Open, BreakerState::Open), (BreakerState::Closed, BreakerState::Closed)];
    assert_eq!(*seen.lock().unwrap(), expected);
    assert_eq!(*told.lock().unwrap(), expected.map(|(to, _)| to), "the last change is the state, for the others too");
    let other = breaker.subscribe(|_| ());
    assert_eq!((breaker.unsubscribe(id), breaker.unsubscribe(id)), (true, false));
    breaker.isolate();
    assert_eq!(seen.lock().unwrap().len(), 2);
    assert!(breaker.unsubscribe(other), "each has a number of its own");
}

#[test]
fn a_rejection_by_an_open_breaker_needs_no_lock_and_says_the_same() {
    let clock = ManualClock::new();
    let breaker = breaker(&clock, BreakerConfig { failure_threshold: 1, ..BreakerConfig::default() }, 0.5);
    let late = breaker.try_acquire().unwrap();
    breaker.try_acquire().unwrap().failure(FailureReport::default());
    let rejected = || without_the_lock(&breaker, |breaker| breaker.try_acquire().unwrap_err());
    let open_for = |retry_after| Some(Rejection { reason: RejectionReason::Open, retry_after });
    assert_eq!(rejected(), open_for(ms(5_000)));
    clock.advance(Duration::from_nanos(1));
    assert_eq!(rejected(), open_for(ms(5_000) - Duration::from_nanos(1)));
    late.failure(FailureReport { retry_after: Some(ms(7_000)), ..Default::default() });
    assert_eq!(rejected(), open_for(ms(7_000)), "the service's wish moves the end");
    assert_eq!(breaker.stats().rejected, 3);
    clock.advance(ms(6_999));
    assert_eq!(rejected(), open_for(ms(1)));
    clock.advance(ms(1));
    breaker.try_acquire().unwrap().neutral();
    assert_eq!(breaker.stats().rejected, 4);
}

#[test]
fn nothing_is_lost_that_many_threads_count_at_once() {
    let breaker = CircuitBreaker::new(BreakerConfig::default()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| (0..1_000).for_each(|_| breaker.try_acquire().unwrap().success()));
        }
    });
    assert_eq!(breaker.stats().successes, 16_000);
}

/// What a named breaker must remember before it may be forgotten.
#[test]
fn a_breaker_is_as_new_only_where_a_new_one_would_do_the_same() {
    let clock = ManualClock::new();
    let made = |config| CircuitBreaker::with_clock(config, Arc::new(clock.clone()), Arc::new(|| 0.5)).unwrap();
    let config = BreakerConfig { failure_threshold: 2, cooldown: Duration::ZERO, ..BreakerConfig::default() };
    let fail = |breaker: &CircuitBreaker| breaker.try_acquire().unwrap().failure(FailureReport::default());

    let breaker = made(config);
    assert!(breaker.is_as_new());
    breaker.try_acquire().unwrap().success();
    assert!(breaker.is_as_new(), "a count is no memory");
    fail(&breaker);
    assert!(!breaker.is_as_new(), "one failure on the way");
    fail(&breaker);
    assert!(!breaker.is_as_new(), "open");
    let probe = breaker.try_acquire().unwrap();
    assert!(!breaker.is_as_new(), "half-open");
    probe.success();
    assert!(breaker.is_as_new());
    breaker.force_closed();
    assert!(!breaker.is_as_new(), "switched");
    breaker.reset();
    assert!(breaker.is_as_new());
    let asked = FailureReport { retry_after: Some(Duration::from_secs(5)), ..FailureReport::default() };
    breaker.try_acquire().unwrap().failure(asked);
    clock.advance(Duration::from_secs(5));
    breaker.try_acquire().unwrap().success();
    assert!(breaker.is_as_new(), "what the service asked for is over");

    let growing = made(BreakerConfig { failure_threshold: 1, cooldown_factor: 2.0, ..config });
    fail(&growing);
    growing.try_acquire().unwrap().success();
    assert!(!growing.is_as_new(), "its next cooldown would be the second one");
    clock.advance(Duration::from_secs(60));
    assert!(growing.is_as_new());
}
