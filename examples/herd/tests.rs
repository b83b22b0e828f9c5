use super::*;
use crate::plan::{GUARDS, JITTERS, Policy, matrix, named};
use resilience::retry::{RetryBudgetConfig, RetryConfig};

fn runs() -> Vec<(String, Run)> {
    let world = World::of(1_000);
    matrix().into_iter().chain(named()).map(|entry| (entry.name.clone(), entry.run(&world, 7).unwrap())).collect()
}

fn of<'a>(runs: &'a [(String, Run)], name: &str) -> &'a Run {
    &runs.iter().find(|run| run.0 == name).unwrap().1
}

#[test]
fn the_same_seed_gives_the_same_figures_on_any_number_of_threads() {
    let world = World::of(1_000);
    let entries: Vec<Entry> = matrix().into_iter().chain(named()).collect();
    let together = run_all(&entries, &world, 7).unwrap();
    let alone: Vec<Run> = runs().into_iter().map(|run| run.1).collect();
    assert!(together == alone);
    let full = entries.iter().find(|entry| entry.name == "full, waits alone").unwrap();
    assert_ne!(full.run(&world, 8).unwrap(), full.run(&world, 7).unwrap());
}

#[test]
fn who_is_served_stays_served_and_everybody_is_served_once() {
    for (name, run) in runs() {
        assert!(run.served.is_sorted(), "{name}");
        assert_eq!(run.served.last(), Some(&1_000), "{name}");
        let made: u64 = run.arrivals.iter().map(|&count| u64::from(count)).sum();
        assert_eq!(made, run.wasted + 1_000, "{name}: a call is answered or wasted");
    }
}

#[test]
fn the_service_is_not_faster_than_it_can_be() {
    for (name, run) in runs() {
        assert!(run.served_99.is_some_and(|time| time >= 19_800), "{name}: {:?}", run.served_99);
    }
}

#[test]
fn nobody_is_served_while_the_service_is_gone() {
    for (name, run) in runs() {
        assert_eq!(run.served[(20_000 / simulation::BIN) as usize - 1], 0, "{name}");
    }
}

#[test]
fn without_jitter_all_come_at_once_and_full_jitter_spreads_most() {
    let runs = runs();
    let peaks: Vec<f64> = JITTERS.iter().map(|(name, _)| of(&runs, &format!("{name}, waits alone")).peak).collect();
    assert_eq!(peaks[0], 200.0, "1000 devices in 100 ms of a service that serves 50 a second");
    assert!(peaks[1..].iter().all(|&peak| peak < peaks[0] / 5.0), "{peaks:?}");
    assert!(peaks[3] < peaks[1], "full jitter spreads more than ±25 %: {peaks:?}");
}

#[test]
fn a_jittered_cooldown_spreads_what_a_fixed_one_gathers() {
    let runs = runs();
    let [fixed, jittered] = [GUARDS[4], GUARDS[5]].map(|guard| of(&runs, &format!("none, {guard}")).peak);
    assert!(jittered < fixed / 4.0, "{jittered} {fixed}");
}

#[test]
fn a_budget_that_is_used_up_ends_calls_early() {
    let world = World::of(1_000);
    let wasted = |budget| {
        let policy = Policy::Ours { retry: RetryConfig::default(), breaker: None, budget };
        let entry = Entry { name: String::new(), policy, retry_after: None };
        entry.run(&world, 7).unwrap().wasted
    };
    let small = RetryBudgetConfig { capacity: 2.0, per_call: 0.0, per_minute: 0.0 };
    assert!(wasted(Some(small)) < wasted(None));
    assert_eq!(wasted(Some(RetryBudgetConfig::default())), wasted(None), "one call's retries never use up the default");
}
