//! Equal requests that share one call, while who makes it or waits for it goes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use loom::future::block_on;
use loom::thread;
use resilience::cache::{CacheKey, Flights, FlightsConfig, Join, Joined, Lead};

use crate::model;

fn flights() -> Flights<u32> {
    Flights::new(FlightsConfig::default()).unwrap()
}

fn join(flights: &Flights<u32>) -> Join<u32> {
    flights.join(Some(CacheKey::of_text("hello")))
}

fn lead(flights: &Flights<u32>) -> Lead<u32> {
    match block_on(join(flights)) {
        Joined::Lead(lead) => lead,
        Joined::Landed(_) => unreachable!("nobody else is there"),
    }
}

/// Waits, has looked once.
fn follower(flights: &Flights<u32>) -> Join<u32> {
    let mut join = join(flights);
    assert!(Pin::new(&mut join).poll(&mut Context::from_waker(Waker::noop())).is_pending());
    join
}

/// The result, from another one or as its own.
fn end(joined: Joined<u32>) -> Arc<u32> {
    match joined {
        Joined::Lead(lead) => lead.finish(2),
        Joined::Landed(result) => result,
    }
}

fn assert_over(flights: &Flights<u32>) {
    assert_eq!((flights.in_flight(), flights.followers()), (0, 0));
}

#[test]
fn who_joins_while_it_lands_gets_the_result_or_leads_the_next() {
    model(|| {
        let flights = flights();
        let (lead, others) = (lead(&flights), flights.clone());
        let joining = thread::spawn(move || end(block_on(join(&others))));
        lead.finish(1);
        assert!(matches!(*joining.join().unwrap(), 1 | 2));
        assert_over(&flights);
    });
}

#[test]
fn a_leader_that_goes_hands_over_and_one_who_leaves_passes_it_on() {
    model(|| {
        let flights = flights();
        let lead = lead(&flights);
        let (first, second) = (follower(&flights), follower(&flights));
        let leaving = thread::spawn(move || drop(first));
        let handing_over = thread::spawn(move || drop(lead));
        assert_eq!(*end(block_on(second)), 2, "it leads in the end");
        leaving.join().unwrap();
        handing_over.join().unwrap();
        assert_over(&flights);
    });
}
