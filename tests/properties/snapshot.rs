//! A breaker that was saved and restored against one that has lived on; and whatever text is given to it.

use proptest::prelude::*;
use resilience::breaker::{BreakerConfig, BreakerState, FailureReport, WindowConfig};
use resilience::client::{CallOptions, NoHooks};
use resilience::clock::Timestamp;
use resilience::retry::{RetryBudget, RetryBudgetConfig};

use crate::cases;
use crate::support::{Reply, TestBreaker, client_config, client_with_hooks, ms, retry_config, run};

const SAVED: u64 = 1_792_567_680_000;

#[derive(Debug, Clone)]
enum Step {
    Wait(u64),
    Success,
    Failure { retry_after: u64, open_for: Option<u64> },
}

fn step() -> impl Strategy<Value = Step> {
    let wait = prop_oneof![Just(1), 0..100_u64, 500..4_000_u64];
    let retry_after = prop_oneof![4 => Just(0), 1 => 1..5_000_u64];
    let open_for = prop_oneof![9 => Just(None), 1 => (0..8_000_u64).prop_map(Some)];
    prop_oneof![
        3 => wait.prop_map(Step::Wait),
        2 => Just(Step::Success),
        4 => (retry_after, open_for).prop_map(|(retry_after, open_for)| Step::Failure { retry_after, open_for }),
    ]
}

fn config() -> impl Strategy<Value = BreakerConfig> {
    let cooldown = prop_oneof![Just(0), 1..3_000_u64];
    (1..5_u32, cooldown, 1..4_u32, 0..10_000_u64, 0..5_000_u64, 1..3_u32).prop_map(
        |(failure_threshold, cooldown, factor, above, cooldown_reset, success_threshold)| BreakerConfig {
            failure_threshold,
            cooldown: ms(cooldown),
            cooldown_factor: f64::from(factor),
            max_cooldown: Some(ms(cooldown + above)),
            cooldown_reset: ms(cooldown_reset),
            max_retry_after: ms(8_000),
            success_threshold,
            ..BreakerConfig::default()
        },
    )
}

/// Does as told; what is not admitted does not happen.
fn play(breaker: &TestBreaker, step: &Step) -> Option<bool> {
    if let Step::Wait(millis) = step {
        breaker.clock.advance(ms(*millis));
        return None;
    }
    let Ok(permit) = breaker.try_acquire() else { return Some(false) };
    match *step {
        Step::Failure { retry_after, open_for } => permit.failure(FailureReport {
            retry_after: Some(ms(retry_after)),
            open_for: open_for.map(ms),
            ..FailureReport::default()
        }),
        _ => permit.success(),
    }
    Some(true)
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn it_goes_on_as_if_the_app_had_not_been_ended(
        config in config(),
        before in prop::collection::vec(step(), 0..30),
        dead_for in prop_oneof![Just(0), 0..10_000_u64, Just(86_400_000)],
        after in prop::collection::vec(step(), 0..30),
    ) {
        let lived_on = TestBreaker::with(|breaker| *breaker = config);
        before.iter().for_each(|step| _ = play(&lived_on, step));
        let text = lived_on.snapshot(SAVED);
        lived_on.clock.advance(ms(dead_for));
        let restored = TestBreaker::with(|breaker| *breaker = config);
        // A new process: its clock has another origin.
        restored.at(77).restore(&text, SAVED + dead_for).unwrap();

        prop_assert_eq!(restored.retry_after(), lived_on.retry_after());
        prop_assert_eq!(restored.consecutive_failures(), lived_on.consecutive_failures());
        if lived_on.state() == BreakerState::HalfOpen {
            // One that has had some of its probes needs all of them again.
            prop_assert_eq!(restored.state(), BreakerState::Open);
            return Ok(());
        }
        for step in after {
            prop_assert_eq!(play(&restored, &step), play(&lived_on, &step), "{:?}", step);
            prop_assert_eq!(restored.state(), lived_on.state());
            prop_assert_eq!(restored.retry_after(), lived_on.retry_after());
        }
    }

    #[test]
    fn a_snapshot_of_other_settings_keeps_no_breaker_open_for_longer_than_its_own(
        (theirs, ours) in (config(), config()),
        steps in prop::collection::vec(step(), 0..30),
        (now, window) in (any::<u64>(), any::<bool>()),
    ) {
        let before = TestBreaker::with(|breaker| *breaker = theirs);
        steps.iter().for_each(|step| _ = play(&before, step));
        let window = window.then(WindowConfig::default);
        let breaker = TestBreaker::with(|breaker| *breaker = BreakerConfig { window, ..ours });
        breaker.restore(&before.snapshot(SAVED), now).unwrap();
        let longest = ours.max_cooldown.unwrap().max(ours.max_retry_after);
        prop_assert!(breaker.retry_after() <= longest);
        breaker.clock.advance(longest);
        prop_assert!(breaker.try_acquire().is_ok());
    }

    #[test]
    fn no_text_does_harm(
        steps in prop::collection::vec(step(), 0..20),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<char>()), 0..4),
        digits in prop::collection::vec((any::<prop::sample::Index>(), 0..10_u8), 0..4),
        noise in ".{0,200}",
        now in any::<u64>(),
    ) {
        let breaker = TestBreaker::new();
        let client = client_with_hooks(&breaker, client_config(retry_config(2)), [Reply::ok()], NoHooks);
        steps.iter().for_each(|step| _ = play(&breaker, step));
        let mut text: Vec<char> = client.snapshot(SAVED).chars().collect();
        for (index, character) in edits {
            let at = index.index(text.len());
            text[at] = character;
        }
        for (index, digit) in digits {
            // Another number, where there is one.
            let at = index.index(text.len());
            if let Some(place) = text[at..].iter().position(char::is_ascii_digit) {
                text[at + place] = char::from(b'0' + digit);
            }
        }
        let text: String = text.into_iter().collect();
        for text in [&text, &noise] {
            let before = (breaker.state(), breaker.retry_after(), breaker.consecutive_failures());
            if client.restore(text, now).is_err() {
                let after = (breaker.state(), breaker.retry_after(), breaker.consecutive_failures());
                prop_assert_eq!(after, before);
            }
            _ = breaker.restore(text, now);
        }
        prop_assert!(breaker.retry_after() <= ms(3_600_000));
        breaker.clock.advance(ms(3_600_000));
        let outcome = run(&breaker.clock, client.execute("hi", CallOptions::default()));
        prop_assert!(outcome.response.is_some());
    }

    #[test]
    fn a_budget_goes_on_where_it_was(
        (capacity, per_call, per_minute) in (0.0..50.0, 0.0..2.0, 0.0..60.0),
        (calls, retries) in (0..20_u32, 0..60_u32),
        dead_for in prop_oneof![Just(0), 0..100_000_u64],
    ) {
        let config = RetryBudgetConfig { capacity, per_call, per_minute };
        let lived_on = RetryBudget::new(config).unwrap();
        let now = Timestamp::from_millis(5_000);
        (0..retries).for_each(|_| _ = lived_on.withdraw(now));
        (0..calls).for_each(|_| lived_on.deposit_call());
        let text = lived_on.snapshot(now, SAVED);
        let restored = RetryBudget::new(config).unwrap();
        restored.restore(&text, Timestamp::ZERO, SAVED + dead_for).unwrap();
        let expected = lived_on.tokens(now + ms(dead_for));
        let tokens = restored.tokens(Timestamp::ZERO);
        prop_assert!((tokens - expected).abs() < 1e-5, "{tokens}, not {expected}");
        prop_assert!(tokens <= capacity);
    }
}
