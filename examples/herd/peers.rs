//! What others do, from the rules that they document. Their code runs elsewhere (benches/node); here it is the waits that
//! count.

use std::time::Duration;

use resilience::clock::Timestamp;
use resilience::random::{Rng, SeededRng};

use crate::milliseconds;
use crate::service::Result;
use crate::simulation::{After, Client};

/// A breaker that opens after failures in a row for a fixed time, then lets one call through.
struct Breaker {
    threshold: u32,
    cooldown: Duration,
    failures: u32,
    open_until: Timestamp,
}

impl Breaker {
    fn new(threshold: u32, cooldown: u64) -> Self {
        Self { threshold, cooldown: milliseconds(cooldown), failures: 0, open_until: Timestamp::ZERO }
    }

    fn fail(&mut self, now: Timestamp) {
        self.failures += 1;
        if self.failures >= self.threshold {
            self.open_until = now + self.cooldown;
        }
    }
}

/// Whoever gives up is not told when to come back.
const GIVE_UP: After = After::GiveUp(Duration::ZERO);

/// opossum at its defaults: no retry. The first failure is all of the calls in the last 10 s, so it opens, for 30 s.
pub struct Opossum(Breaker);

impl Opossum {
    pub fn new() -> Self {
        Self(Breaker::new(1, 30_000))
    }
}

impl Client for Opossum {
    fn begin(&mut self, _now: Timestamp) {}

    fn admit(&mut self, now: Timestamp) -> std::result::Result<(), After> {
        if now < self.0.open_until { Err(GIVE_UP) } else { Ok(()) }
    }

    fn answered(&mut self) {}

    fn failed(&mut self, _result: Result, now: Timestamp, _rng: &SeededRng) -> After {
        self.0.fail(now);
        GIVE_UP
    }
}

/// p-retry around opossum, as article 004 puts them together: three retries, waits that double from 500 ms up to 5 s without
/// jitter; the breaker opens at the third failure for 5 s, and what it rejects is tried again like a failure.
pub struct PRetry {
    breaker: Breaker,
    attempts: u32,
}

impl PRetry {
    pub fn new() -> Self {
        Self { breaker: Breaker::new(3, 5_000), attempts: 0 }
    }

    fn next(&mut self) -> After {
        let wait = milliseconds((500 << self.attempts).min(5_000));
        self.attempts += 1;
        if self.attempts <= 3 { After::Retry(wait) } else { GIVE_UP }
    }
}

impl Client for PRetry {
    fn begin(&mut self, _now: Timestamp) {
        self.attempts = 0;
    }

    fn admit(&mut self, now: Timestamp) -> std::result::Result<(), After> {
        if now < self.breaker.open_until { Err(self.next()) } else { Ok(()) }
    }

    fn answered(&mut self) {}

    fn failed(&mut self, _result: Result, now: Timestamp, _rng: &SeededRng) -> After {
        self.breaker.fail(now);
        self.next()
    }
}

/// cockatiel: three retries with its `ExponentialBackoff` (from 128 ms up to 30 s), whose jitter takes the differences of a
/// smooth curve at random points, around a breaker of five failures in a row and 10 s, whose rejections are not tried again.
pub struct Cockatiel {
    breaker: Breaker,
    attempts: u32,
    previous: f64,
}

impl Cockatiel {
    pub fn new() -> Self {
        Self { breaker: Breaker::new(5, 10_000), attempts: 0, previous: 0.0 }
    }

    fn next(&mut self, chance: f64) -> After {
        let at = f64::from(self.attempts) + chance;
        let curve = at.exp2() * (4.0 * at).sqrt().tanh();
        let wait = (curve - self.previous).max(0.0) * 128.0 / 1.4;
        (self.attempts, self.previous) = (self.attempts + 1, curve);
        if self.attempts <= 3 { After::Retry(Duration::from_secs_f64(wait.min(30_000.0) / 1e3)) } else { GIVE_UP }
    }
}

impl Client for Cockatiel {
    fn begin(&mut self, _now: Timestamp) {
        (self.attempts, self.previous) = (0, 0.0);
    }

    fn admit(&mut self, now: Timestamp) -> std::result::Result<(), After> {
        if now < self.breaker.open_until { Err(GIVE_UP) } else { Ok(()) }
    }

    fn answered(&mut self) {}

    fn failed(&mut self, _result: Result, now: Timestamp, rng: &SeededRng) -> After {
        self.breaker.fail(now);
        self.next(rng.next_unit())
    }
}

/// AWS SDKs in `standard` mode: two retries, full jitter over min(2^i, 20) seconds, and a bucket of 500 tokens of which a
/// retry takes 5, or 10 after a timeout.
pub struct Aws {
    attempts: u32,
    tokens: u32,
}

impl Aws {
    pub fn new() -> Self {
        Self { attempts: 0, tokens: 500 }
    }
}

impl Client for Aws {
    fn begin(&mut self, _now: Timestamp) {
        self.attempts = 0;
    }

    fn admit(&mut self, _now: Timestamp) -> std::result::Result<(), After> {
        Ok(())
    }

    fn answered(&mut self) {}

    fn failed(&mut self, result: Result, _now: Timestamp, rng: &SeededRng) -> After {
        let cost = if result == Result::TimedOut { 10 } else { 5 };
        self.attempts += 1;
        if self.attempts > 2 || self.tokens < cost {
            return GIVE_UP;
        }
        self.tokens -= cost;
        let most = f64::from(1 << (self.attempts - 1)).min(20.0);
        After::Retry(Duration::from_secs_f64(most * rng.next_unit()))
    }
}
