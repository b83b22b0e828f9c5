//! A bulkhead as plainly as it can be said, millisecond by millisecond: what the real one is compared with.

use resilience::bulkhead::{BulkheadStats, RejectionReason};

#[derive(Debug, Clone)]
pub struct Settings {
    pub places: usize,
    pub queue: usize,
    pub max_wait: Option<u64>,
    pub spacing: u64,
    /// Size, refresh amount, refresh interval.
    pub reservoir: Option<(u64, u64, Option<u64>)>,
    pub grace: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End {
    Started { at: u64 },
    Refused { reason: RejectionReason, retry_after: Option<u64> },
}

/// A call that was let in.
#[derive(Debug, Clone)]
struct Call {
    id: usize,
    permit: bool,
    holds: u32,
    /// When its place is free whatever it holds.
    grace_ends: Option<u64>,
}

#[derive(Debug, Clone)]
pub struct Model {
    settings: Settings,
    now: u64,
    /// Number of the call, end of its patience.
    queue: Vec<(usize, Option<u64>)>,
    calls: Vec<Call>,
    /// Number of the call, moment.
    starts: Vec<(usize, u64)>,
    /// When each token is there, and whether it comes back.
    tokens: Vec<(u64, bool)>,
    totals: BulkheadStats,
    pub ends: Vec<(usize, End)>,
}

const NEVER: u64 = u64::MAX;

impl Model {
    pub fn new(settings: Settings) -> Self {
        let tokens = match settings.reservoir {
            None => Vec::new(),
            Some((size, _, None)) => (0..size).map(|_| (0, false)).collect(),
            Some((size, amount, Some(interval))) => {
                let extra = (amount..size).map(|_| (0, false));
                extra.chain((0..amount).map(|token| (if token < size { 0 } else { interval }, true))).collect()
            }
        };
        Self {
            settings,
            now: 0,
            queue: Vec::new(),
            calls: Vec::new(),
            starts: Vec::new(),
            tokens,
            totals: BulkheadStats::default(),
            ends: Vec::new(),
        }
    }

    pub fn queued(&self) -> Vec<usize> {
        self.queue.iter().map(|&(call, _)| call).collect()
    }

    pub fn stats(&self) -> BulkheadStats {
        let with_permit = self.calls.iter().filter(|call| call.permit).count();
        let taken = self.taken();
        BulkheadStats {
            running: with_permit as u32,
            queued: self.queue.len() as u32,
            overrunning: (taken - with_permit) as u32,
            ..self.totals
        }
    }

    fn taken(&self) -> usize {
        let in_grace = |call: &&Call| call.holds > 0 && call.grace_ends.is_some_and(|end| end > self.now);
        self.calls.iter().filter(|call| call.permit || in_grace(call)).count()
    }

    /// Two waits that end in the same moment may end in either order.
    pub fn with_a_deadline_of_its_own(&self, limit: Option<u64>) -> Option<u64> {
        let mut limit = limit.into_iter().chain(self.settings.max_wait).min()?;
        while self.queue.iter().any(|&(_, deadline)| deadline == Some(self.now + limit)) {
            // With no time at all it does not wait.
            limit = limit.saturating_sub(2);
        }
        Some(limit)
    }

    pub fn wait(&mut self, until: u64) {
        while self.now < until {
            self.now += 1;
            self.settle();
        }
    }

    pub fn acquire(&mut self, call: usize, limit: Option<u64>) {
        let limit = limit.into_iter().chain(self.settings.max_wait).min();
        let wait = self.earliest_wait(self.queue.len());
        if self.queue.is_empty() && wait == 0 && self.taken() < self.settings.places {
            self.start(call);
        } else if wait == NEVER {
            self.refuse(call, RejectionReason::WaitTooLong);
        } else if self.queue.len() >= self.settings.queue {
            self.refuse(call, RejectionReason::QueueFull);
        } else if limit.is_some_and(|limit| limit == 0 || wait > limit) {
            self.refuse(call, RejectionReason::WaitTooLong);
        } else {
            self.queue.push((call, limit.map(|limit| self.now + limit)));
        }
    }

    /// By its token, or because its future is dropped.
    pub fn cancel(&mut self, call: usize, by_token: bool) {
        self.queue.retain(|&(waiting, _)| waiting != call);
        self.totals.cancelled += 1;
        if by_token {
            self.ends.push((call, End::Refused { reason: RejectionReason::Cancelled, retry_after: None }));
        }
    }

    fn call(&mut self, id: usize) -> &mut Call {
        self.calls.iter_mut().find(|call| call.id == id).unwrap()
    }

    pub fn release(&mut self, id: usize) {
        let grace_ends = self.now + self.settings.grace;
        let call = self.call(id);
        call.permit = false;
        call.grace_ends = Some(grace_ends);
        let overruns = call.holds > 0;
        self.totals.done += 1;
        self.totals.overrun += u64::from(overruns);
    }

    pub fn hold(&mut self, id: usize) {
        self.call(id).holds += 1;
    }

    pub fn drop_hold(&mut self, id: usize) {
        self.call(id).holds -= 1;
    }

    /// Does all that can be done in this moment.
    pub fn settle(&mut self) {
        while let Some(&(front, deadline)) = self.queue.first() {
            let wait = self.earliest_wait(0);
            if wait == 0 && self.taken() < self.settings.places {
                self.queue.remove(0);
                self.start(front);
            } else if deadline.is_some_and(|deadline| self.now >= deadline) {
                self.queue.remove(0);
                self.refuse(front, RejectionReason::TimedOut);
            } else if deadline.is_some_and(|deadline| self.now + wait > deadline) {
                self.queue.remove(0);
                self.refuse(front, RejectionReason::WaitTooLong);
            } else if let Some(late) = self.queue.iter().position(|(_, end)| end.is_some_and(|end| self.now >= end)) {
                let (call, _) = self.queue.remove(late);
                self.refuse(call, RejectionReason::TimedOut);
            } else {
                break;
            }
        }
    }

    /// How long the call behind `ahead` others has to wait if places are no matter: as spacing has it, or as the tokens
    /// have it if all take theirs as early as they can.
    fn earliest_wait(&self, ahead: usize) -> u64 {
        let next = self.starts.last().map_or(self.now, |&(_, last)| self.now.max(last + self.settings.spacing));
        let spaced = next + self.settings.spacing * ahead as u64;
        let mut tokens = self.tokens.clone();
        let token = match self.settings.reservoir {
            None => self.now,
            Some(_) => (0..=ahead).map(|_| self.take_token(&mut tokens)).last().unwrap(),
        };
        if token == NEVER { NEVER } else { spaced.max(token) - self.now }
    }

    /// Takes the next token, and says when it is there.
    fn take_token(&self, tokens: &mut [(u64, bool)]) -> u64 {
        let interval = self.settings.reservoir.and_then(|(_, _, interval)| interval).unwrap_or(NEVER);
        // Those that do not come back go first.
        let Some(next) = tokens.iter_mut().min_by_key(|(there, comes_back)| (*there, *comes_back)) else {
            return NEVER;
        };
        if next.0 == NEVER {
            return NEVER;
        }
        let taken = next.0.max(self.now);
        next.0 = if next.1 { taken + interval } else { NEVER };
        taken
    }

    fn start(&mut self, id: usize) {
        if self.settings.reservoir.is_some() {
            let mut tokens = std::mem::take(&mut self.tokens);
            assert!(self.take_token(&mut tokens) <= self.now);
            self.tokens = tokens;
        }
        self.starts.push((id, self.now));
        self.calls.push(Call { id, permit: true, holds: 0, grace_ends: None });
        self.ends.push((id, End::Started { at: self.now }));
    }

    fn refuse(&mut self, call: usize, reason: RejectionReason) {
        match reason {
            RejectionReason::TimedOut => self.totals.timed_out += 1,
            _ => self.totals.rejected += 1,
        }
        let wait = self.earliest_wait(self.queue.len());
        self.ends.push((call, End::Refused { reason, retry_after: Some(wait).filter(|&wait| wait > 0) }));
    }

    /// What the starts of the real one, which are these, have to keep to.
    pub fn starts_keep_their_bounds(&self) {
        assert!(self.starts.is_sorted_by(|(earlier, _), (later, _)| earlier < later), "first come, first served");
        let times: Vec<u64> = self.starts.iter().map(|&(_, at)| at).collect();
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= self.settings.spacing));
        let Some((size, amount, interval)) = self.settings.reservoir else { return };
        let Some(interval) = interval else { return assert!(times.len() <= size as usize) };
        let burst = size.saturating_sub(amount) as usize;
        let circulating = times.iter().skip(burst);
        assert!(circulating.clone().zip(circulating.skip(amount as usize)).all(|(one, other)| other - one >= interval));
    }
}
