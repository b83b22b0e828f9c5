use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Wake;

use super::state::Waiting;
use super::*;
use crate::random::{Rng, SeededRng};

fn key(name: &str) -> CacheKey {
    CacheKey::of_text(name)
}

fn state(max_flights: usize, max_followers: usize) -> State<&'static str, &'static str> {
    State::new(FlightsConfig { max_flights, max_followers })
}

#[test]
fn the_first_leads_and_the_others_get_its_result() {
    let mut state = state(10, 10);
    assert_eq!([(); 3].map(|()| state.join(key("a"))), [Place::Lead, Place::Follow(1), Place::Follow(2)]);
    assert_eq!(state.look(1, "first"), (None, None));
    assert_eq!(state.look(1, "first again"), (None, Some("first")), "one waker for each");
    assert_eq!(state.land(key("a"), &Arc::new("result")), ["first again"]);
    for number in [1, 2] {
        assert_eq!(state.look(number, "w").0, Some(News::Landed(Arc::new("result"))));
        assert_eq!(state.look(number, "w").0, None, "told once");
    }
    assert_eq!((state.flights(), state.followers()), (0, 0));
}

#[test]
fn who_comes_after_the_landing_begins_a_new_flight() {
    let mut state = state(10, 10);
    state.join(key("a"));
    let Place::Follow(number) = state.join(key("a")) else { panic!("follows") };
    state.land(key("a"), &Arc::new("old"));
    assert_eq!(state.join(key("a")), Place::Lead);
    assert_eq!(state.look(number, "w").0, Some(News::Landed(Arc::new("old"))), "the old result waits for the slow");
}

#[test]
fn keys_do_not_mix() {
    let mut state = state(10, 10);
    assert_eq!((state.join(key("a")), state.join(key("b"))), (Place::Lead, Place::Lead));
    let Place::Follow(number) = state.join(key("b")) else { panic!("follows") };
    state.land(key("a"), &Arc::new("a"));
    assert_eq!(state.look(number, "w").0, None);
}

#[test]
fn a_leader_that_is_gone_hands_over_in_the_order_of_arrival() {
    let mut state = state(10, 10);
    state.join(key("a"));
    for waker in ["one", "two", "three"] {
        let Place::Follow(number) = state.join(key("a")) else { panic!("follows") };
        state.look(number, waker);
    }
    assert_eq!(
        state.leave(key("a"), 1),
        (Some(Waiting::For(Some("one"))), None),
        "a follower that leaves wakes nobody"
    );
    assert_eq!(state.hand_over(key("a")), Some("two"));
    assert_eq!(state.look(3, "three").0, None);
    // It leaves between being told and looking.
    assert_eq!(state.leave(key("a"), 2), (Some(Waiting::Told(News::Leads)), Some("three")));
    assert_eq!(state.look(3, "three").0, Some(News::Leads));
    assert_eq!(state.join(key("a")), Place::Follow(4), "the flight goes on");
    assert_eq!(state.land(key("a"), &Arc::new("result")), [""; 0]);
    assert_eq!(state.leave(key("a"), 4), (Some(Waiting::Told(News::Landed(Arc::new("result")))), None));
    assert_eq!((state.flights(), state.followers()), (0, 0));
}

#[test]
fn a_flight_without_followers_ends_with_its_leader() {
    let mut state = state(10, 10);
    state.join(key("a"));
    assert_eq!((state.hand_over(key("a")), state.flights()), (None, 0));
    assert_eq!(state.join(key("a")), Place::Lead);
}

#[test]
fn followers_that_come_and_go_take_no_room() {
    let mut state = state(1, 1);
    state.join(key("a"));
    for round in 1..10_000 {
        assert_eq!(state.join(key("a")), Place::Follow(round));
        state.leave(key("a"), round);
    }
    assert_eq!((state.flights(), state.followers()), (1, 0));
    assert_eq!(state.hand_over(key("a")), None, "none of them is left to lead");
    assert_eq!(state.flights(), 0);
}

#[test]
fn beyond_the_limits_each_calls_alone() {
    let mut state = state(2, 2);
    assert_eq!(["a", "b", "c"].map(|name| state.join(key(name))), [Place::Lead, Place::Lead, Place::Alone]);
    let places = ["a", "b", "a"].map(|name| state.join(key(name)));
    assert_eq!(places, [Place::Follow(1), Place::Follow(2), Place::Alone]);
    state.leave(key("a"), 1);
    assert_eq!(state.join(key("b")), Place::Follow(3));
    for (flights, followers, second) in [(0, 5, Place::Alone), (5, 0, Place::Alone), (5, 1, Place::Follow(1))] {
        let mut state = self::state(flights, followers);
        state.join(key("a"));
        assert_eq!(state.join(key("a")), second);
    }
}

#[test]
fn bad_settings_are_refused_by_name() {
    for (max_flights, max_followers, field) in [
        (100_001, 0, Some("coalescing.maxFlights")),
        (0, 100_001, Some("coalescing.maxFollowers")),
        (100_000, 100_000, None),
    ] {
        let built = Flights::<()>::new(FlightsConfig { max_flights, max_followers });
        assert_eq!(built.err().map(|error| error.field), field);
    }
}

#[test]
fn a_join_that_is_polled_after_its_end_is_not_ready_again() {
    let flights = Flights::<u32>::new(FlightsConfig::default()).unwrap();
    let mut join = pin!(flights.join(Some(key("a"))));
    let mut context = Context::from_waker(Waker::noop());
    let Poll::Ready(Joined::Lead(lead)) = join.as_mut().poll(&mut context) else { panic!("leads") };
    assert_eq!(*lead.finish(7), 7);
    assert!(join.as_mut().poll(&mut context).is_pending());
}

struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        panic!("waker gone wrong");
    }
}

#[test]
fn a_waker_that_panics_keeps_nobody_from_being_told() {
    let flights = Flights::<u32>::new(FlightsConfig::default()).unwrap();
    let mut joins: Vec<_> = (0..4).map(|_| flights.join(Some(key("a")))).collect();
    let panics = Waker::from(Arc::new(Panics));
    let told = Arc::new(Told::default());
    let mut look = |which: usize, waker: &Waker| Pin::new(&mut joins[which]).poll(&mut Context::from_waker(waker));
    let Poll::Ready(Joined::Lead(first)) = look(0, Waker::noop()) else { panic!("leads") };
    assert!(look(1, &panics).is_pending() && look(2, &panics).is_pending());
    assert!(look(3, &Waker::from(told.clone())).is_pending());
    drop(first);
    let Poll::Ready(Joined::Lead(second)) = look(1, Waker::noop()) else { panic!("leads") };
    second.finish(1);
    assert!(
        told.0.load(Ordering::SeqCst) == 1 && look(2, Waker::noop()).is_ready() && look(3, Waker::noop()).is_ready()
    );
}

#[derive(Default)]
struct Told(AtomicU64);

impl Wake for Told {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn among_threads_no_call_is_lost_and_nothing_is_left() {
    let flights = Flights::<u64>::new(FlightsConfig { max_flights: 2, max_followers: 3 }).unwrap();
    let (calls, shared) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for seed in 0..4 {
            let (flights, calls, shared) = (&flights, &calls, &shared);
            scope.spawn(move || {
                let rng = SeededRng::new(seed);
                for round in 0..5_000 {
                    let mut join = flights.join(Some(key(["a", "b", "c"][(rng.next_unit() * 3.0) as usize])));
                    let joined = loop {
                        if let Poll::Ready(joined) = Pin::new(&mut join).poll(&mut Context::from_waker(Waker::noop())) {
                            break Some(joined);
                        }
                        if rng.next_unit() < 0.01 {
                            break None;
                        }
                        std::thread::yield_now();
                    };
                    match joined {
                        Some(Joined::Lead(lead)) if rng.next_unit() < 0.5 => {
                            std::thread::yield_now();
                            lead.finish(round);
                            calls.fetch_add(1, Ordering::SeqCst);
                        }
                        Some(Joined::Landed(_)) => drop(shared.fetch_add(1, Ordering::SeqCst)),
                        Some(Joined::Lead(_)) | None => {}
                    }
                }
            });
        }
    });
    assert_eq!((flights.in_flight(), flights.followers()), (0, 0));
    assert!(calls.into_inner() > 100 && shared.into_inner() > 0, "some were shared");
}
