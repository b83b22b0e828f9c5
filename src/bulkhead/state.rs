//! The state of a bulkhead: pure functions of what happens and when. No lock, no clock, no waker.
//!
//! # Invariants
//!
//! * `running + overrunning ≤ max_concurrent`, and at most `max_queue` wait.
//! * Only the front of the queue starts; a newcomer starts at once only when nobody waits.
//! * Between two starts are at least `min_spacing`, and each start has taken a token of the reservoir.
//! * A place is given back once: by its permit or, overrun, by the last hold or the end of the grace, whichever is first.
//! * Each waiter has a start ahead of it: none waits for a token that never comes.
//! * What lets the front start, or moves the moment at which it may, names it: it has to be woken.

use std::collections::BTreeMap;
use std::time::Duration;

use super::config::BulkheadConfig;
use super::rejection::{Rejection, RejectionReason};
use super::reservoir::Reservoir;
use crate::clock::Timestamp;

/// What a bulkhead has seen since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BulkheadStats {
    /// Calls that run now.
    pub running: u32,
    /// Calls that wait now.
    pub queued: u32,
    /// Places taken now by work whose caller has left.
    pub overrunning: u32,
    /// Calls that ran and are over for their caller. `done + running` have started.
    pub done: u64,
    /// Calls refused without a wait of its full length: queue full or wait too long.
    pub rejected: u64,
    /// Calls that waited as long as they may.
    pub timed_out: u64,
    /// Calls that were cancelled or dropped before they started.
    pub cancelled: u64,
    /// Of `done`, those whose work went on without its caller.
    pub overrun: u64,
}

/// A call that waits. They are numbered as they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Waiter(u64);

/// Work that has lost its caller. Numbered as they begin, which is also the order in which their graces end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Overrun(u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    Started,
    Queued(Waiter),
}

/// What a waiter hears when it asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Started,
    /// Ask again when woken or at that moment, which is still to come.
    Waits {
        until: Option<Timestamp>,
    },
    Refused(Rejection),
}

#[derive(Debug)]
pub(super) struct State {
    config: BulkheadConfig,
    now: Timestamp,
    running: u32,
    /// In the order in which they came, with the end of their patience.
    queue: BTreeMap<Waiter, Option<Timestamp>>,
    /// With the end of their grace.
    overruns: BTreeMap<Overrun, Timestamp>,
    next_id: u64,
    last_start: Option<Timestamp>,
    reservoir: Option<Reservoir>,
    /// The totals; what there is now is counted when asked for.
    totals: BulkheadStats,
}

impl State {
    pub fn new(config: BulkheadConfig, now: Timestamp) -> Self {
        Self {
            config,
            now,
            running: 0,
            queue: BTreeMap::new(),
            overruns: BTreeMap::new(),
            next_id: 0,
            last_start: None,
            reservoir: config.reservoir.map(|reservoir| Reservoir::new(reservoir, now)),
            totals: BulkheadStats::default(),
        }
    }

    pub fn config(&self) -> &BulkheadConfig {
        &self.config
    }

    pub fn stats(&self, now: Timestamp) -> BulkheadStats {
        let overrunning = self.overruns.values().filter(|&&until| until > now).count() as u32;
        BulkheadStats { running: self.running, queued: self.queue.len() as u32, overrunning, ..self.totals }
    }

    /// Whether a new one would behave as this one does.
    pub fn is_as_new(&self, now: Timestamp) -> bool {
        let BulkheadStats { running, queued, overrunning, .. } = self.stats(now);
        let spaced = self.last_start.is_none_or(|last| last + self.config.min_spacing <= now);
        let full = self.reservoir.as_ref().is_none_or(|reservoir| reservoir.is_full(now));
        running + queued + overrunning == 0 && spaced && full
    }

    /// A call comes that waits at most for `limit`.
    pub fn request(&mut self, now: Timestamp, limit: Option<Duration>) -> Result<Admission, Rejection> {
        let now = self.advance(now);
        let wait = self.earliest_wait();
        if wait.is_zero() && self.queue.is_empty() && self.has_place() {
            self.start();
            return Ok(Admission::Started);
        }
        if wait == Duration::MAX {
            Err(self.reject(RejectionReason::WaitTooLong))
        } else if self.queue.len() >= self.config.max_queue as usize {
            Err(self.reject(RejectionReason::QueueFull))
        } else if limit.is_some_and(|limit| limit.is_zero() || wait > limit) {
            Err(self.reject(RejectionReason::WaitTooLong))
        } else {
            let waiter = Waiter(self.new_id());
            self.queue.insert(waiter, limit.map(|limit| now + limit));
            Ok(Admission::Queued(waiter))
        }
    }

    /// A waiter asks whether it may start. Also names who has to be woken.
    pub fn turn(&mut self, waiter: Waiter, now: Timestamp) -> (Turn, Option<Waiter>) {
        let now = self.advance(now);
        let deadline = self.queue.get(&waiter).copied().flatten();
        if self.front() != Some(waiter) {
            return match deadline {
                Some(deadline) if now >= deadline => self.give_up(waiter, RejectionReason::TimedOut),
                until => (Turn::Waits { until }, None),
            };
        }
        let Some(earliest) = self.earliest_start(0) else { return self.give_up(waiter, RejectionReason::WaitTooLong) };
        if earliest <= now && self.has_place() {
            let next = self.remove(waiter);
            self.start();
            return (Turn::Started, next);
        }
        if deadline.is_some_and(|deadline| now >= deadline) {
            return self.give_up(waiter, RejectionReason::TimedOut);
        }
        // Now that it is its turn, the moment is known: no use to wait if that is too late.
        if deadline.is_some_and(|deadline| earliest > deadline) {
            return self.give_up(waiter, RejectionReason::WaitTooLong);
        }
        let next = if earliest > now { Some(earliest) } else { self.overruns.values().next().copied() };
        (Turn::Waits { until: next.into_iter().chain(deadline).min() }, None)
    }

    /// A waiter is cancelled; nothing if it does not wait any more. Names who has to be woken.
    pub fn leave(&mut self, waiter: Waiter) -> Option<Waiter> {
        if !self.queue.contains_key(&waiter) {
            return None;
        }
        self.cancelled();
        self.remove(waiter)
    }

    /// A call was cancelled before it could ask.
    pub fn cancelled(&mut self) {
        self.totals.cancelled += 1;
    }

    /// A call is over, and its work with it. Names who has to be woken.
    pub fn release(&mut self) -> Option<Waiter> {
        self.running -= 1;
        self.totals.done += 1;
        self.front()
    }

    /// A call is over, its work is not. Names who has to be woken.
    pub fn begin_overrun(&mut self, now: Timestamp) -> (Overrun, Option<Waiter>) {
        let now = self.advance(now);
        let overrun = Overrun(self.new_id());
        self.overruns.insert(overrun, now + self.config.overrun_grace);
        self.totals.overrun += 1;
        (overrun, self.release())
    }

    /// The work is over as well; nothing if its place was given away. Names who has to be woken.
    pub fn end_overrun(&mut self, overrun: Overrun) -> Option<Waiter> {
        self.overruns.remove(&overrun)?;
        self.front()
    }

    fn front(&self) -> Option<Waiter> {
        self.queue.first_key_value().map(|(&waiter, _)| waiter)
    }

    fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Moves on in time and takes the places back whose grace is over.
    ///
    /// Threads read the clock before they take the lock, so a reading may be older than the last one.
    fn advance(&mut self, now: Timestamp) -> Timestamp {
        self.now = self.now.max(now);
        while let Some(first) = self.overruns.first_entry().filter(|first| *first.get() <= self.now) {
            first.remove();
        }
        self.now
    }

    fn has_place(&self) -> bool {
        self.running as usize + self.overruns.len() < self.config.max_concurrent as usize
    }

    /// Not before then spacing and reservoir let the call start that comes after `ahead` others, places or not.
    fn earliest_start(&self, ahead: u32) -> Option<Timestamp> {
        let spacing = self.config.min_spacing;
        let next = self.last_start.map_or(self.now, |last| last + spacing).max(self.now);
        let spaced = next + spacing.saturating_mul(ahead);
        match &self.reservoir {
            Some(reservoir) => reservoir.available_at(ahead, self.now).map(|token| token.max(spaced)),
            None => Some(spaced),
        }
    }

    /// How long spacing and reservoir keep a newcomer away.
    fn earliest_wait(&self) -> Duration {
        self.earliest_start(self.queue.len() as u32).map_or(Duration::MAX, |start| start.since(self.now))
    }

    fn start(&mut self) {
        self.running += 1;
        self.last_start = Some(self.now);
        if let Some(reservoir) = &mut self.reservoir {
            reservoir.take(self.now);
        }
    }

    /// Takes a waiter out of the queue. Names the next one if it was at the front.
    fn remove(&mut self, waiter: Waiter) -> Option<Waiter> {
        let was_front = self.front() == Some(waiter);
        self.queue.remove(&waiter);
        self.front().filter(|_| was_front)
    }

    fn give_up(&mut self, waiter: Waiter, reason: RejectionReason) -> (Turn, Option<Waiter>) {
        let next = self.remove(waiter);
        (Turn::Refused(self.reject(reason)), next)
    }

    fn reject(&mut self, reason: RejectionReason) -> Rejection {
        match reason {
            RejectionReason::TimedOut => self.totals.timed_out += 1,
            _ => self.totals.rejected += 1,
        }
        Rejection { reason, retry_after: Some(self.earliest_wait()).filter(|wait| !wait.is_zero()) }
    }
}
