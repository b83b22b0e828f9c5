//! The service that goes away and comes back: a queue with one fixed rate of work.

use std::time::Duration;

use resilience::random::{Rng, SeededRng};

use crate::milliseconds;

/// How the simulated world is built. Times in milliseconds from the loss of the service.
#[derive(Debug, Clone, Copy)]
pub struct World {
    /// Each of them waits for one answer.
    pub devices: u32,
    /// From then on the service works again.
    pub back_at: u64,
    /// Serving every device once takes the service so long.
    pub serve_all: u64,
    /// Calls that would wait longer for their turn are turned away at once.
    pub longest_queue: u64,
    /// Writing an answer takes so long, or up to [`longest_answer`](Self::longest_answer), by chance.
    pub shortest_answer: u64,
    pub longest_answer: u64,
    /// A client gives an attempt up after so long. What is given up is worked on, and billed, all the same.
    pub attempt_timeout: u64,
    /// Until a client hears that it was refused or turned away.
    pub round_trip: u64,
    /// The app asks again so long after a call that ended without an answer, or later if it was told so.
    pub ask_again: u64,
    /// What a turned-away call is asked to wait; `None`: it is told nothing.
    pub retry_after: Option<u64>,
    /// When the simulation ends, whoever still waits.
    pub horizon: u64,
}

impl World {
    /// The world of all figures: down for 20 s, 20 s of work for everybody's call.
    pub fn of(devices: u32) -> Self {
        Self {
            devices,
            back_at: 20_000,
            serve_all: 20_000,
            longest_queue: 3_000,
            shortest_answer: 500,
            longest_answer: 4_000,
            attempt_timeout: 5_000,
            round_trip: 20,
            ask_again: 5_000,
            retry_after: None,
            horizon: 600_000,
        }
    }

    /// Calls that the service can answer in a millisecond.
    pub fn capacity(&self) -> f64 {
        f64::from(self.devices) / self.serve_all as f64
    }
}

/// What comes of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Result {
    /// An answer in time.
    Answered,
    /// The service is down: nothing was sent.
    Refused,
    /// The queue is full: turned away, with the wait that was asked for.
    TurnedAway(Option<Duration>),
    /// Given up by the client while the service still worked on it.
    TimedOut,
}

/// The service at work.
pub struct Service {
    world: World,
    /// When it has worked off what it took on.
    busy_until: f64,
}

impl Service {
    pub fn new(world: World) -> Self {
        Self { world, busy_until: 0.0 }
    }

    /// An attempt arrives at `now`: how it ends, and when.
    pub fn ask(&mut self, now: u64, rng: &SeededRng) -> (Result, u64) {
        let World { back_at, longest_queue, shortest_answer, longest_answer, attempt_timeout, round_trip, .. } =
            self.world;
        if now < back_at {
            return (Result::Refused, now + round_trip);
        }
        let begins = self.busy_until.max(now as f64);
        if begins - now as f64 > longest_queue as f64 {
            return (Result::TurnedAway(self.world.retry_after.map(milliseconds)), now + round_trip);
        }
        self.busy_until = begins + 1.0 / self.world.capacity();
        let writing = (longest_answer - shortest_answer) as f64 * rng.next_unit();
        let ends = self.busy_until.ceil() as u64 + shortest_answer + writing as u64;
        let given_up = now + attempt_timeout;
        if ends > given_up { (Result::TimedOut, given_up) } else { (Result::Answered, ends) }
    }
}
