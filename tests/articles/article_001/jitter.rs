use std::sync::Arc;

use resilience::clock::ManualClock;
use resilience::random::{Rng, SeededRng};
use resilience::request::{RequestConfig, RequestOptions};

use super::Service;
use crate::support::{join_all, ms, run};

/// 18 requests of one page that all fail at the moment 0: when each is made for the second time.
fn second_requests(rng: &Arc<dyn Rng>) -> Vec<u64> {
    let clock = ManualClock::new();
    let services: Vec<_> = (0..18).map(|_| Service::new(&clock, &[0, 200])).collect();
    let options = || RequestOptions { rng: Some(rng.clone()), ..RequestOptions::default() };
    let requests: Vec<_> =
        services.iter().map(|service| service.start(RequestConfig::default(), options()).1).collect();
    run(&clock, join_all(requests));
    services.iter().map(|service| service.asked_at()[1]).collect()
}

#[test]
fn the_default_policy_is_the_articles() {
    let retry = RequestConfig::default().retry;
    let backoff = retry.backoff;
    assert_eq!((backoff.base, backoff.factor, backoff.max_delay, retry.max_retries), (ms(200), 2.0, ms(5_000), 4));
}

#[test]
fn without_chance_all_come_back_in_the_same_millisecond() {
    let locked: Arc<dyn Rng> = Arc::new(|| 0.999);
    assert_eq!(second_requests(&locked), [199; 18]);
}

#[test]
fn eighteen_that_fail_at_the_same_moment_spread_over_the_whole_of_0_to_200_ms() {
    for seed in 0..50 {
        let rng: Arc<dyn Rng> = Arc::new(SeededRng::new(seed));
        let mut times = second_requests(&rng);
        times.sort_unstable();
        assert!(times[17] < 200, "{times:?}");
        // Of 18 even draws: the chance that one quarter stays empty is below 3 %, that two do below 0.1 %.
        let quarters =
            [0, 50, 100, 150].map(|from| times.iter().filter(|&&at| (from..from + 50).contains(&at)).count());
        assert!(quarters.iter().filter(|&&count| count == 0).count() <= 1, "seed {seed}: {times:?}");
        assert!(quarters.iter().all(|&count| count < 14), "seed {seed}: {times:?}");
    }
}

#[test]
fn a_wait_is_even_over_0_to_base_times_factor_to_the_attempt_and_never_reaches_it() {
    const DRAWS: usize = 20_000;
    let (config, rng) = (RequestConfig::default(), SeededRng::new(1));
    for (attempt, top) in [(1, 200), (2, 400), (3, 800), (4, 1_600), (5, 3_200)] {
        let waits: Vec<_> = (0..DRAWS).map(|_| config.next_delay(attempt, &rng).as_millis()).collect();
        assert!(waits.iter().all(|&wait| wait < top), "attempt {attempt}");
        for tenth in 0..10 {
            let share = waits.iter().filter(|&&wait| wait * 10 / top == tenth).count();
            assert!((1_800..2_200).contains(&share), "attempt {attempt}: {share} of {DRAWS} in tenth {tenth}");
        }
    }
}

#[test]
fn the_cap_comes_first_so_that_jitter_spreads_below_it() {
    let (config, rng) = (RequestConfig::default(), SeededRng::new(2));
    for attempt in [6, 10, 1_000, u32::MAX] {
        let waits: Vec<_> = (0..2_000).map(|_| config.next_delay(attempt, &rng).as_millis()).collect();
        assert!(waits.iter().all(|&wait| wait < 5_000));
        let mean = waits.iter().sum::<u128>() as f64 / waits.len() as f64;
        assert!((2_350.0..2_650.0).contains(&mean), "attempt {attempt}: mean {mean}");
    }
}

#[test]
fn a_wait_is_whole_milliseconds_rounded_down() {
    let config = RequestConfig::new(ms(100), 1.5, ms(5_000), 4);
    assert_eq!(config.next_delay(2, &|| 0.999).as_micros(), 149_000);
}

#[test]
fn the_loop_waits_what_the_formula_says() {
    let (service, rng) = (Service::new(&ManualClock::new(), &[503]), SeededRng::new(3));
    let draws: Vec<f64> = (0..4).map(|_| rng.next_unit()).collect();
    let options = RequestOptions { rng: Some(Arc::new(SeededRng::new(3))), ..RequestOptions::default() };
    let result = run(&service.clock, service.start(RequestConfig::default(), options).1);
    let formula = |(attempt, drawn): (usize, &f64)| {
        let drawn = *drawn;
        RequestConfig::default().next_delay(attempt as u32 + 1, &move || drawn)
    };
    assert_eq!(result.trace.delays, draws.iter().enumerate().map(formula).collect::<Vec<_>>());
}
