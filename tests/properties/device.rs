//! Whatever network and app do, calls come to an end within their bounds.

use std::sync::Arc;

use proptest::prelude::*;
use resilience::client::{CallOptions, NoHooks, ResilientLlmClient};
use resilience::clock::{Clock, ManualClock, Timer};
use resilience::device::{Device, DeviceTimer, MAX_FREE};
use resilience::retry::{DelaySource, RetryConfig};

use crate::cases;
use crate::client::reply;
use crate::support::{ScriptedClient, TestBreaker, at, client_config, join_all, middle, ms, retry_config, run};

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn calls_end_within_their_bounds(
        script in prop::collection::vec(reply(), 1..12),
        (retries, timeout, deadline) in (0..5_u32, 1..800_u64, 1..5_000_u64),
        most in prop::option::of(1..8_u32),
        starts in prop::collection::vec(0..3_000_u64, 1..6),
        events in prop::collection::vec((0..6_000_u64, 0..4_u8), 0..12),
    ) {
        let breaker = TestBreaker::new();
        let clock = &breaker.clock;
        let device = Arc::new(Device::new(clock.clone()));
        let timer = DeviceTimer::new(clock.clone(), device.clone());
        let retry = RetryConfig {
            attempt_timeout: ms(timeout),
            deadline: ms(deadline),
            max_total_attempts: most,
            ..retry_config(retries)
        };
        let (inner, config) = (ScriptedClient::new(clock, script), client_config(retry));
        let shared = breaker.breaker.clone();
        let client = ResilientLlmClient::with_hooks(inner, config, shared, timer, Arc::new(middle), NoHooks).unwrap();
        let calls = join_all(starts.into_iter().map(|start| {
            let client = &client;
            async move {
                clock.sleep_until(clock.now() + ms(start)).await;
                client.execute("hi", CallOptions::default()).await
            }
        }));
        let events = join_all(events.into_iter().map(|(moment, event)| {
            let device = &device;
            at(clock, moment, move || match event {
                0 => device.network_changed(false),
                1 => device.network_changed(true),
                2 => device.suspended(),
                _ => device.resumed(),
            })
        }));
        let (outcomes, _) = run(clock, async { tokio::join!(calls, events) });
        for outcome in outcomes {
            let free = outcome.trace.iter().filter(|attempt| attempt.delay_source == Some(DelaySource::Reconnect)).count();
            prop_assert!(free <= MAX_FREE as usize);
            prop_assert!(outcome.trace.len() <= retries as usize + 1 + free);
            prop_assert!(most.is_none_or(|most| outcome.trace.len() <= most as usize));
            prop_assert!(outcome.elapsed <= ms(deadline));
            for attempt in &outcome.trace {
                prop_assert!(attempt.duration <= ms(timeout));
                let asked = attempt.retry_after.map_or(ms(0), |asked| asked.wait);
                prop_assert!(attempt.delay.is_none_or(|delay| delay >= asked), "never earlier than asked");
            }
        }
        prop_assert_eq!(clock.pending_sleeps(), 0);
        // In the end all of it is over: the next call is made.
        device.network_changed(true);
        clock.advance(ms(3_600_000));
        prop_assert!(breaker.try_acquire().is_ok());
    }

    #[test]
    fn a_sleep_ends_when_its_time_has_come_and_the_pauses_are_over(
        sleep in 0..5_000_u64,
        pauses in prop::collection::vec((0..1_000_u64, 0..100_000_u64), 0..8),
    ) {
        let clock = ManualClock::new();
        let device = Arc::new(Device::new(clock.clone()));
        let timer = DeviceTimer::new(clock.clone(), device.clone());
        let (mut awake, mut expected, mut now) = (0, None, 0);
        for (between, pause) in &pauses {
            expected = expected.or((sleep <= awake + between).then(|| now + sleep - awake));
            (awake, now) = (awake + between, now + between + pause);
        }
        let expected = expected.unwrap_or(now + sleep - awake.min(sleep));
        let telling = async {
            for (between, pause) in pauses {
                clock.sleep_until(clock.now() + ms(between)).await;
                device.suspended();
                clock.sleep_until(clock.now() + ms(pause)).await;
                device.resumed();
            }
        };
        let sleeping = async {
            timer.sleep_until(timer.now() + ms(sleep)).await;
            clock.now()
        };
        let ended = run(&clock, async { tokio::join!(sleeping, telling).0 });
        prop_assert_eq!(ended.since_origin(), ms(expected));
    }
}
