//! Section Q: state that is saved over the end of the app.

use resilience::breaker::{BreakerConfig, BreakerState, CircuitBreaker, TransitionReason, WindowConfig};
use resilience::classify::ErrorClass;
use resilience::client::{CallOptions, ClientConfig, NoHooks};
use resilience::retry::{RetryBudgetConfig, StopReason};
use resilience::snapshot::{MAX_BYTES, RestoreError};
use serde_json::{Value as Json, json};

use crate::support::{
    Client, Reply, TestBreaker, TestChain, client, client_config, client_with_hooks, ms, retry_config, run, throttled,
};

/// The wall clock when the app was ended.
const SAVED: u64 = 1_792_567_680_000;

/// Open for a minute after three failures.
fn minute(config: &mut BreakerConfig) {
    config.cooldown = ms(60_000);
}

/// Opened at 0, saved at 10 s.
fn saved_after_ten_seconds(change: impl FnOnce(&mut BreakerConfig)) -> String {
    let breaker = TestBreaker::with(change);
    breaker.open();
    breaker.at(10_000).snapshot(SAVED)
}

#[test]
fn q1_opossum_735_an_open_breaker_stays_open_for_what_is_left_of_its_cooldown() {
    let text = saved_after_ten_seconds(minute);
    let breaker = TestBreaker::with(minute);
    breaker.at(500).restore(&text, SAVED + 20_000).unwrap();
    assert_eq!((breaker.state(), breaker.retry_after()), (BreakerState::Open, ms(30_000)));
    let event = breaker.events()[0];
    assert_eq!((event.reason, event.to, event.cooldown), (TransitionReason::Restored, BreakerState::Open, ms(30_000)));
    assert!(breaker.at(30_499).rejects());
    assert!(breaker.at(30_500).admit().is_probe());
}

#[test]
fn q1_opossum_735_one_whose_cooldown_is_over_lets_one_probe_through() {
    let text = saved_after_ten_seconds(minute);
    let breaker = TestBreaker::with(minute);
    breaker.restore(&text, SAVED + 70_000).unwrap();
    assert_eq!((breaker.state(), breaker.retry_after()), (BreakerState::Open, ms(0)));
    let probe = breaker.admit();
    assert!(probe.is_probe() && breaker.rejects(), "one, not all at once");
}

#[test]
fn q1_opossum_735_the_level_of_the_cooldown_is_kept() {
    let growing = |config: &mut BreakerConfig| config.cooldown_factor = 2.0;
    let before = TestBreaker::with(growing);
    before.open();
    before.at(1_000).admit().failure(Default::default());
    assert_eq!(before.retry_after(), ms(2_000));

    let breaker = TestBreaker::with(growing);
    breaker.restore(&before.snapshot(SAVED), SAVED + 500).unwrap();
    assert_eq!(breaker.retry_after(), ms(1_500));
    breaker.at(1_500).admit().failure(Default::default());
    assert_eq!(breaker.retry_after(), ms(4_000), "the third cooldown");

    // Closed for less than the quiet time that makes it the first one again, the app's end included.
    for (dead_for, next) in [(58_999, 4_000), (59_000, 1_000)] {
        let before = TestBreaker::with(growing);
        before.open();
        before.at(1_000).admit().failure(Default::default());
        before.at(3_000).ok();
        let text = before.at(4_000).snapshot(SAVED);
        let breaker = TestBreaker::with(growing);
        breaker.restore(&text, SAVED + dead_for).unwrap();
        assert_eq!(breaker.state(), BreakerState::Closed);
        breaker.open();
        assert_eq!(breaker.retry_after(), ms(next), "dead for {dead_for} ms");
    }
}

#[test]
fn q1_opossum_735_a_probe_in_flight_ends_with_the_app() {
    let before = TestBreaker::new();
    before.open();
    let _probe = before.at(1_000).admit();
    assert_eq!(before.state(), BreakerState::HalfOpen);
    let breaker = TestBreaker::new();
    breaker.restore(&before.snapshot(SAVED), SAVED).unwrap();
    assert_eq!((breaker.state(), breaker.retry_after()), (BreakerState::Open, ms(0)), "its cooldown is over");
    breaker.ok();
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn q1_opossum_735_no_call_from_before_the_restoring_counts() {
    let breaker = TestBreaker::with(minute);
    let (earlier, another) = (breaker.admit(), breaker.admit());
    breaker.restore(&saved_after_ten_seconds(minute), SAVED + 60_000).unwrap();
    let retry_after = Some(ms(5_000));
    another.failure(resilience::breaker::FailureReport { retry_after, ..Default::default() });
    let probe = breaker.admit();
    earlier.success();
    assert_eq!(breaker.state(), BreakerState::HalfOpen, "not its probe");
    probe.success();
    assert_eq!(breaker.state(), BreakerState::Closed);
    assert_eq!(breaker.stats().stale, 2);
}

#[test]
fn q1_opossum_735_failures_in_a_row_cause_and_retry_after_are_kept() {
    let before = TestBreaker::new();
    before.fail();
    let retry_after = Some(ms(20_000));
    let cause = Some(ErrorClass::RateLimit);
    before.admit().failure(resilience::breaker::FailureReport { retry_after, cause, ..Default::default() });
    let text = before.at(5_000).snapshot(SAVED);
    let breaker = TestBreaker::new();
    breaker.restore(&text, SAVED + 5_000).unwrap();
    assert_eq!((breaker.state(), breaker.retry_after()), (BreakerState::Closed, ms(10_000)));
    assert_eq!((breaker.consecutive_failures(), breaker.cause()), (2, cause));
    assert!(breaker.at(9_999).rejects());
    breaker.at(10_000).fail();
    assert_eq!(breaker.state(), BreakerState::Open, "the third");
}

#[test]
fn q1_opossum_735_an_empty_account_keeps_it_open_for_longer_than_a_cooldown() {
    let before = TestBreaker::new();
    let open_for = Some(ms(600_000));
    before.admit().failure(resilience::breaker::FailureReport { open_for, ..Default::default() });
    let breaker = TestBreaker::new();
    breaker.restore(&before.snapshot(SAVED), SAVED + 60_000).unwrap();
    assert_eq!(breaker.retry_after(), ms(540_000));
    let short = TestBreaker::with(|config| config.max_retry_after = ms(5_000));
    short.restore(&before.snapshot(SAVED), SAVED).unwrap();
    assert_eq!(short.retry_after(), ms(5_000), "no longer than this one keeps calls back");
}

#[test]
fn q2_cockatiel_113_a_snapshot_is_a_copy() {
    let breaker = TestBreaker::new();
    breaker.fail();
    let text = breaker.snapshot(SAVED);
    breaker.open();
    let restored = TestBreaker::new();
    restored.restore(&text, SAVED).unwrap();
    restored.fail();
    assert_eq!((restored.consecutive_failures(), breaker.state()), (2, BreakerState::Open));
    breaker.restore(&text, SAVED).unwrap();
    assert_eq!((breaker.state(), breaker.consecutive_failures()), (BreakerState::Closed, 1), "as often as one likes");
}

/// The snapshot of an open breaker, with a field changed; `null` takes it out.
fn changed(field: &str, value: Json) -> String {
    let mut json: Json = serde_json::from_str(&saved_after_ten_seconds(minute)).unwrap();
    if value.is_null() {
        json.as_object_mut().unwrap().remove(field).expect(field);
    } else {
        json[field] = value;
    }
    json.to_string()
}

#[test]
fn q3_bad_snapshots_are_refused_by_name_and_change_nothing() {
    let breaker = TestBreaker::with(minute);
    breaker.fail();
    let text = saved_after_ten_seconds(minute);
    let refused = |text: &str| {
        let error = breaker.restore(text, SAVED).unwrap_err();
        assert_eq!((breaker.state(), breaker.consecutive_failures()), (BreakerState::Closed, 1), "{text}: as it was");
        assert!(breaker.events().is_empty());
        error
    };
    for text in ["", " ", "null", "[]", "7", "\"open\"", "{", "NaN", "\u{0}", "{\"kind\":", &text[..text.len() - 1]] {
        assert!(matches!(refused(text), RestoreError::NoSnapshot(_)), "{text}");
    }
    let padded = |bytes| format!("{text}{}", " ".repeat(bytes - text.len()));
    assert!(matches!(refused(&padded(MAX_BYTES + 1)), RestoreError::NoSnapshot(_)));
    TestBreaker::new().restore(&padded(MAX_BYTES), SAVED).unwrap();
    assert!(matches!(refused(&"[".repeat(MAX_BYTES)), RestoreError::NoSnapshot(_)), "no end of the stack");
    for kind in [json!("retry_budget"), json!(1), Json::Null] {
        assert!(matches!(refused(&changed("kind", kind)), RestoreError::Kind { needed: "circuit_breaker", .. }));
    }
    assert!(matches!(refused("{}"), RestoreError::Kind { .. }));
    for version in [json!(2), json!(0), json!(1.5), json!("1"), json!(-1), Json::Null] {
        assert!(matches!(refused(&changed("version", version)), RestoreError::Version(_)));
    }
    let fields =
        ["savedAtUnixMs", "state", "openMs", "openedAtOnce", "retryAfterMs", "failures", "reopened", "reopenedMs"];
    let nonsense = [Json::Null, json!(-1), json!(0.5), json!(1e300), json!("soon"), json!([]), json!({})];
    for (field, value) in fields.iter().flat_map(|field| nonsense.iter().map(move |value| (field, value))) {
        match refused(&changed(field, value.clone())) {
            RestoreError::Field(error) => assert_eq!(error.field, *field),
            other => panic!("{field}: {other}"),
        }
    }
}

#[test]
fn q3_what_is_not_known_is_passed_over() {
    for text in
        [changed("cause", json!("a kind of tomorrow")), changed("cause", json!(7)), changed("failures", json!(3))]
    {
        let breaker = TestBreaker::with(minute);
        breaker.restore(&text.replacen('{', "{\"more\":[{}],", 1), SAVED).unwrap();
        assert_eq!(breaker.state(), BreakerState::Open);
    }
}

#[test]
fn q3_no_snapshot_keeps_a_breaker_open_for_longer_than_its_settings_allow() {
    // (settings, field, longest) – whatever the snapshot says.
    let forever = json!(u64::MAX);
    let breaker = TestBreaker::with(minute);
    breaker.restore(&changed("openMs", forever.clone()), SAVED).unwrap();
    assert_eq!(breaker.retry_after(), ms(60_000));
    breaker.restore(&changed("retryAfterMs", forever.clone()), SAVED).unwrap();
    assert_eq!(breaker.retry_after(), ms(3_600_000), "the longest Retry-After");
    let shorter = TestBreaker::new();
    shorter.restore(&saved_after_ten_seconds(minute), SAVED).unwrap();
    assert_eq!(shorter.retry_after(), ms(1_000), "a shorter cooldown after an update of the app");
    shorter.restore(&changed("reopened", forever.clone()), SAVED).unwrap();
    assert_eq!(shorter.retry_after(), ms(1_000));
    let spread = TestBreaker::with(|config| (config.cooldown_factor, config.cooldown_spread) = (10.0, 0.5));
    spread.restore(&changed("reopened", forever), SAVED).unwrap();
    assert_eq!(spread.retry_after(), ms(50_000), "what the snapshot says, below the longest");
}

#[test]
fn q3_with_a_lower_threshold_it_is_the_next_failure_that_opens() {
    let before = TestBreaker::with(|config| config.failure_threshold = 10);
    (0..9).for_each(|_| before.fail());
    let breaker = TestBreaker::new();
    breaker.restore(&before.snapshot(SAVED), SAVED).unwrap();
    assert_eq!((breaker.state(), breaker.consecutive_failures()), (BreakerState::Closed, 2));
    breaker.fail();
    assert_eq!(breaker.state(), BreakerState::Open);
}

#[test]
fn q3_a_window_begins_empty_whatever_it_held() {
    let window = |config: &mut BreakerConfig| config.window = Some(WindowConfig::default());
    let before = TestBreaker::with(window);
    before.fail();
    before.fail();
    let breaker = TestBreaker::with(window);
    breaker.restore(&before.snapshot(SAVED), SAVED).unwrap();
    assert_eq!(breaker.window_counts(), Some(Default::default()));
    breaker.fail();
    assert_eq!(breaker.state(), BreakerState::Closed, "one failure is not judged");
}

#[test]
fn q3_with_a_window_the_failures_in_a_row_are_kept_whatever_the_threshold_that_does_not_hold() {
    let window = |config: &mut BreakerConfig| {
        config.window = Some(WindowConfig { minimum_calls: 100, ..WindowConfig::default() });
        config.failure_threshold = 1;
    };
    let before = TestBreaker::with(window);
    (0..3).for_each(|_| before.fail());
    let breaker = TestBreaker::with(window);
    breaker.restore(&before.snapshot(SAVED), SAVED).unwrap();
    assert_eq!((breaker.state(), breaker.consecutive_failures()), (BreakerState::Closed, 3));
    breaker.fail();
    assert_eq!((breaker.state(), breaker.consecutive_failures()), (BreakerState::Closed, 4));
}

#[test]
fn q3_a_clock_that_was_set_takes_nothing_off_or_lets_a_probe_through() {
    let text = saved_after_ten_seconds(minute);
    for (now, left) in [
        (SAVED - 1, 50_000),
        (0, 50_000),
        (SAVED, 50_000),
        (SAVED + 49_999, 1),
        (SAVED + 50_000, 0),
        (SAVED + 86_400_000 * 365, 0),
        (u64::MAX, 0),
    ] {
        let breaker = TestBreaker::with(minute);
        breaker.restore(&text, now).unwrap();
        assert_eq!((breaker.state(), breaker.retry_after()), (BreakerState::Open, ms(left)), "at {now}");
        assert!(breaker.at(left).admit().is_probe());
    }
    let from_the_future = changed("savedAtUnixMs", json!(u64::MAX));
    let breaker = TestBreaker::with(minute);
    breaker.restore(&from_the_future, SAVED).unwrap();
    assert_eq!(breaker.retry_after(), ms(50_000));
}

#[test]
fn q3_a_switch_by_hand_is_neither_saved_nor_undone() {
    let before = TestBreaker::new();
    before.isolate();
    let breaker = TestBreaker::new();
    breaker.restore(&before.snapshot(SAVED), SAVED).unwrap();
    assert_eq!(breaker.state(), BreakerState::Closed, "nothing keeps it open until a reset that nobody knows of");
    breaker.isolate();
    breaker.restore(&saved_after_ten_seconds(minute), SAVED + 60_000).unwrap();
    assert!(breaker.rejects());
    breaker.force_closed();
    breaker.restore(&saved_after_ten_seconds(minute), SAVED).unwrap();
    breaker.ok();
}

fn poor_client(breaker: &TestBreaker, reply: Reply) -> Client {
    let budget = RetryBudgetConfig { capacity: 4.0, per_call: 0.0, per_minute: 1.0 };
    client_with_hooks(breaker, ClientConfig { budget, ..client_config(retry_config(2)) }, [reply], NoHooks)
}

#[test]
fn q1_opossum_735_a_client_keeps_its_breaker_and_its_budget() {
    let breaker = TestBreaker::new();
    let before = poor_client(&breaker, Reply::fail());
    run(&breaker.clock, before.execute("hi", CallOptions::default()));
    assert_eq!(breaker.state(), BreakerState::Open);
    let text = before.snapshot(SAVED);

    let breaker = TestBreaker::new();
    let after = poor_client(&breaker, Reply::fail());
    after.restore(&text, SAVED).unwrap();
    assert_eq!(breaker.retry_after(), ms(1_000));
    breaker.reset();
    let ends = |client: &Client| run(&breaker.clock, client.execute("hi", CallOptions::default())).attempts();
    assert_eq!(ends(&after), 3, "two of the four tokens were left");
    breaker.reset();
    assert_eq!(ends(&after), 1);
    breaker.reset();
    after.restore(&text, SAVED + 60_000).unwrap();
    breaker.reset();
    assert_eq!(ends(&after), 3);
    breaker.reset();
    assert_eq!(ends(&after), 2, "a third came back with the minute");
    let mut rich: Json = serde_json::from_str(&text).unwrap();
    rich["services"][0]["budget"]["tokens"] = json!(1e300);
    after.restore(&rich.to_string(), SAVED).unwrap();
    breaker.reset();
    assert_eq!((ends(&after), breaker.state()), (3, BreakerState::Open), "never more than its capacity");
}

#[test]
fn q3_a_client_takes_all_of_a_snapshot_or_nothing() {
    let breaker = TestBreaker::with(minute);
    let client = client(&breaker, retry_config(2), [Reply::error(throttled(5_000))]);
    breaker.open();
    let text = client.snapshot(SAVED);
    breaker.reset();
    let wrong = [
        text.replace("\"tokens\"", "\"token\""),
        text.replace("\"client\"", "\"runner\""),
        text.replace("\"breaker\":{", "\"breaker\":1,\"more\":{"),
        text.replace("\"services\":[", "\"services\":[7,"),
        breaker.snapshot(SAVED),
    ];
    for wrong in wrong {
        assert!(client.restore(&wrong, SAVED).is_err(), "{wrong}");
        assert_eq!(breaker.state(), BreakerState::Closed);
    }
    client.restore(&text, SAVED).unwrap();
    assert_eq!(breaker.state(), BreakerState::Open);
}

#[test]
fn q1_opossum_735_a_runner_knows_its_services_by_their_names() {
    let before = TestChain::new(0, [vec![Reply::fail()], vec![Reply::fail()], vec![Reply::ok()]]);
    for _ in 0..3 {
        let outcome = run(&before.clock, before.chain.execute("hi", CallOptions::default()));
        assert_eq!(outcome.stop_reason, StopReason::Success);
    }
    let states = |chain: &TestChain| chain.breakers.iter().map(|breaker| breaker.state()).collect::<Vec<_>>();
    let (open, closed) = (BreakerState::Open, BreakerState::Closed);
    assert_eq!(states(&before), [open, open, closed]);
    // After an update of the app: "a" is gone, "d" is new, the order is another.
    let script = || vec![Reply::ok()];
    let after = TestChain::with(0, [script(), script(), script()], |_, _, providers| {
        for (provider, name) in providers.iter_mut().zip(["d", "c", "b"]) {
            name.clone_into(&mut provider.name);
        }
    });
    after.chain.restore(&before.chain.snapshot(SAVED), SAVED).unwrap();
    assert_eq!(states(&after), [closed, closed, open]);
    assert!(after.chain.restore(&CircuitBreaker::new(Default::default()).unwrap().snapshot(0), 0).is_err());
}
