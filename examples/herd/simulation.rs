//! The event loop: one event for each device that waits for something, in steps of a millisecond.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use resilience::clock::{Clock, Timestamp};
use resilience::random::SeededRng;

use crate::service::{Result, Service, World};

/// Load is counted in bins of so many milliseconds.
pub const BIN: u64 = 100;

/// Tokens of a call whose answer nobody received: a prompt of 800 and an answer of 400.
const TOKENS_OF_A_CALL: u64 = 1_200;

/// What one device does to get its answer.
pub trait Client {
    /// The app asks.
    fn begin(&mut self, now: Timestamp);

    /// May an attempt be made? `Err`: no, and this follows.
    fn admit(&mut self, now: Timestamp) -> std::result::Result<(), After>;

    /// An answer came.
    fn answered(&mut self);

    /// The attempt came to something else.
    fn failed(&mut self, result: Result, now: Timestamp, rng: &SeededRng) -> After;
}

/// What follows an attempt that failed or was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    /// Another one, so much later.
    Retry(Duration),
    /// The call is over; the device knows that it need not ask for so long.
    GiveUp(Duration),
}

/// The time of a simulation, for whatever asks a clock.
#[derive(Clone, Default)]
pub struct Time(Arc<AtomicU64>);

impl Time {
    fn set(&self, milliseconds: u64) {
        self.0.store(milliseconds, Ordering::Relaxed);
    }
}

impl Clock for Time {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Relaxed))
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Attempts that reached the service or found it gone, by bin.
    pub arrivals: Vec<u32>,
    /// Devices that had their answer, up to the end of each bin.
    pub served: Vec<u32>,
    /// Most attempts in a bin since the service is back, as a multiple of what it can answer in that time.
    pub peak: f64,
    /// From when the service is back until 99 % of the devices are served, in milliseconds; `None`: not in this simulation.
    pub served_99: Option<u64>,
    /// Attempts without an answer.
    pub wasted: u64,
    /// Tokens of the attempts that were worked on although their clients had given them up.
    pub wasted_tokens: u64,
}

#[derive(Clone, Copy)]
enum Pending {
    Call,
    Attempt,
    Result(Result),
}

/// Lets all `clients` lose the service at time 0 and counts until everybody is served or the horizon is reached.
pub fn simulate<C: Client>(world: &World, mut clients: Vec<C>, time: &Time, seed: u64) -> Run {
    let rng = SeededRng::new(seed);
    let mut service = Service::new(*world);
    let bins = (world.horizon / BIN) as usize;
    let (mut arrivals, mut served) = (vec![0; bins], vec![0; bins]);
    let (mut wasted, mut timed_out, mut waiting) = (0_u64, 0, clients.len());
    // The clients themselves, not their numbers: they are read in the order in which they lie there, and a million of them
    // looked up in any order would be a million cache misses.
    let mut agenda: Vec<Vec<(Pending, C)>> = (0..world.horizon).map(|_| Vec::new()).collect();

    let devices = clients.len() as u64;
    clients.iter_mut().for_each(|client| {
        client.begin(Timestamp::ZERO);
        // New as it is, it lets the call through that is lost at this moment.
        let _ = client.admit(Timestamp::ZERO);
    });
    agenda[0] = clients.into_iter().map(|client| (Pending::Result(Result::Refused), client)).collect();

    for now in 0..world.horizon {
        if waiting == 0 {
            break;
        }
        time.set(now);
        let at = Timestamp::from_millis(now);
        let bin = (now / BIN) as usize;
        // What comes up for this very millisecond is looked at again.
        while !agenda[now as usize].is_empty() {
            for (pending, mut client) in std::mem::take(&mut agenda[now as usize]) {
                let next = match pending {
                    Pending::Call => {
                        client.begin(at);
                        client.admit(at)
                    }
                    Pending::Attempt => client.admit(at),
                    Pending::Result(Result::Answered) => {
                        client.answered();
                        served[bin] += 1;
                        waiting -= 1;
                        continue;
                    }
                    Pending::Result(result) => {
                        wasted += 1;
                        timed_out += u64::from(result == Result::TimedOut);
                        Err(client.failed(result, at, &rng))
                    }
                };
                let (pending, when) = match next {
                    Ok(()) => {
                        arrivals[bin] += 1;
                        let (result, when) = service.ask(now, &rng);
                        (Pending::Result(result), when)
                    }
                    Err(After::Retry(wait)) => (Pending::Attempt, now + whole(wait)),
                    Err(After::GiveUp(wait)) => (Pending::Call, now + world.ask_again.max(whole(wait))),
                };
                if let Some(slot) = agenda.get_mut(when as usize) {
                    slot.push((pending, client));
                }
            }
        }
    }

    let mut sum = 0;
    served.iter_mut().for_each(|count| (sum, *count) = (sum + *count, sum + *count));
    let back = (world.back_at / BIN) as usize;
    let most = arrivals[back..].iter().max().copied().unwrap_or_default();
    let enough = (u64::from(world.devices) * 99).div_ceil(100);
    let reached = served.iter().position(|&count| u64::from(count) >= enough);
    Run {
        peak: f64::from(most) / (world.capacity() * BIN as f64),
        served_99: reached.map(|bin| (bin as u64 + 1) * BIN - world.back_at),
        arrivals,
        served,
        // The calls that were lost with the service are nobody's fault.
        wasted: wasted - devices,
        wasted_tokens: timed_out * TOKENS_OF_A_CALL,
    }
}

/// In milliseconds, rounded up: nobody comes too early.
fn whole(wait: Duration) -> u64 {
    u64::try_from(wait.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX / 2)
}
