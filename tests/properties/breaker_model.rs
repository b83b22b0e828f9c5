//! A circuit breaker as plainly as it can be said, in milliseconds: what the real one is compared with.

use resilience::breaker::{BreakerState, BreakerStats, RejectionReason, TransitionReason};

#[derive(Debug, Clone)]
pub struct Settings {
    pub threshold: u32,
    pub cooldown: u64,
    pub factor: u32,
    pub max_cooldown: u64,
    pub cooldown_reset: u64,
    pub max_retry_after: u64,
    pub probes: usize,
    pub success_threshold: u32,
    pub probe_lease: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Report {
    Success,
    Failure { retry_after: u64, open_for: Option<u64> },
    Neutral,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Switch {
    Isolate,
    ForceClosed,
    Reset,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub from: BreakerState,
    pub to: BreakerState,
    pub reason: TransitionReason,
    pub at: u64,
    pub failures: u32,
    pub cooldown: u64,
}

#[derive(Debug, Clone)]
struct Call {
    era: u32,
    probe: bool,
}

#[derive(Debug, Clone)]
pub struct Model {
    settings: Settings,
    state: BreakerState,
    manual: Option<Switch>,
    pub failures: u32,
    /// Counts the changes: a call of an earlier era no longer matters.
    era: u32,
    /// The era that the latest manual switch began.
    first_era: u32,
    open_until: u64,
    asked_until: u64,
    cooldowns: u32,
    last_closed: Option<u64>,
    /// Number of the call, end of its lease.
    probes: Vec<(usize, u64)>,
    probe_successes: u32,
    calls: Vec<Call>,
    pub stats: BreakerStats,
    pub events: Vec<Event>,
}

impl Model {
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            state: BreakerState::Closed,
            manual: None,
            failures: 0,
            era: 0,
            first_era: 0,
            open_until: 0,
            asked_until: 0,
            cooldowns: 0,
            last_closed: None,
            probes: Vec::new(),
            probe_successes: 0,
            calls: Vec::new(),
            stats: BreakerStats::default(),
            events: Vec::new(),
        }
    }

    pub fn state(&self) -> BreakerState {
        match self.manual {
            Some(Switch::Isolate) => BreakerState::Open,
            Some(Switch::ForceClosed) => BreakerState::Closed,
            _ => self.state,
        }
    }

    /// How long until a call would be admitted; `None`: for ever.
    pub fn retry_after(&self, now: u64) -> Option<u64> {
        match self.clone().admit(now, 0) {
            Ok(_) => Some(0),
            Err((_, wait)) => wait,
        }
    }

    /// The number of the call and whether it is a probe, or why not and for how long.
    pub fn admit(&mut self, now: u64, timeout: u64) -> Result<(usize, bool), (RejectionReason, Option<u64>)> {
        let admission = self.judge(now, timeout);
        self.stats.rejected += u64::from(admission.is_err());
        admission
    }

    fn judge(&mut self, now: u64, timeout: u64) -> Result<(usize, bool), (RejectionReason, Option<u64>)> {
        if self.manual == Some(Switch::Isolate) {
            return Err((RejectionReason::Isolated, None));
        }
        if self.manual == Some(Switch::ForceClosed) {
            return Ok(self.start(false));
        }
        if self.state == BreakerState::Open {
            let until = self.open_until.max(self.asked_until);
            if now < until {
                return Err((RejectionReason::Open, Some(until - now)));
            }
        }
        if now < self.asked_until {
            return Err((RejectionReason::RetryAfter, Some(self.asked_until - now)));
        }
        if self.state == BreakerState::Closed {
            return Ok(self.start(false));
        }
        if self.state == BreakerState::Open {
            self.probes.clear();
            self.probe_successes = 0;
            self.change(BreakerState::HalfOpen, TransitionReason::CooldownOver, now, 0);
        }
        let alive: Vec<(usize, u64)> = self.probes.iter().copied().filter(|(_, lease)| *lease > now).collect();
        if alive.len() >= self.settings.probes {
            let first = alive.iter().map(|(_, lease)| lease - now).min();
            return Err((RejectionReason::HalfOpenBusy, first));
        }
        self.probes = alive;
        let lease = self.settings.probe_lease.unwrap_or(self.settings.cooldown.max(timeout + 1_000));
        self.probes.push((self.calls.len(), now + lease));
        Ok(self.start(true))
    }

    fn start(&mut self, probe: bool) -> (usize, bool) {
        self.calls.push(Call { era: self.era, probe });
        (self.calls.len() - 1, probe)
    }

    pub fn report(&mut self, call: usize, report: Report, now: u64) {
        let Call { era, probe } = self.calls[call];
        if let Report::Failure { retry_after, .. } = report
            && era >= self.first_era
        {
            let wait = retry_after.min(self.settings.max_retry_after);
            self.asked_until = if wait > 0 { self.asked_until.max(now + wait) } else { self.asked_until };
        }
        let has_its_place = !probe || self.probes.iter().any(|(number, _)| *number == call);
        if era != self.era || !has_its_place {
            self.stats.stale += 1;
            return;
        }
        self.probes.retain(|(number, _)| *number != call);
        match report {
            Report::Neutral => self.stats.neutral += 1,
            Report::Success => {
                self.stats.successes += 1;
                self.success(now);
            }
            Report::Failure { open_for, .. } => {
                self.stats.failures += 1;
                self.failure(open_for, now);
            }
        }
    }

    fn success(&mut self, now: u64) {
        if self.state == BreakerState::Closed {
            self.failures = 0;
            return;
        }
        self.probe_successes += 1;
        if self.probe_successes >= self.settings.success_threshold {
            self.change(BreakerState::Closed, TransitionReason::ProbeSucceeded, now, 0);
            self.failures = 0;
            self.last_closed = Some(now);
        }
    }

    fn failure(&mut self, open_for: Option<u64>, now: u64) {
        if self.manual == Some(Switch::ForceClosed) {
            return;
        }
        self.failures += 1;
        let was_probe = self.state == BreakerState::HalfOpen;
        if !was_probe && open_for.is_none() && self.failures < self.settings.threshold {
            return;
        }
        let noisy = self.last_closed.is_some_and(|closed| now - closed < self.settings.cooldown_reset);
        self.cooldowns = if was_probe || noisy { self.cooldowns + 1 } else { 0 };
        let mut cooldown = self.settings.cooldown;
        for _ in 0..self.cooldowns {
            cooldown = (cooldown * u64::from(self.settings.factor)).min(self.settings.max_cooldown);
        }
        self.open_until = (now + cooldown.max(open_for.unwrap_or(0))).max(self.asked_until);
        let reason = match (open_for, was_probe) {
            (Some(_), _) => TransitionReason::OpenedAtOnce,
            (None, true) => TransitionReason::ProbeFailed,
            (None, false) => TransitionReason::Failures,
        };
        self.change(BreakerState::Open, reason, now, self.open_until - now);
    }

    pub fn switch(&mut self, switch: Switch, now: u64) {
        let (from, failures) = (self.state(), self.failures);
        let fresh = Self::new(self.settings.clone());
        let era = self.era + 1;
        let kept = Self { era, first_era: era, manual: Some(switch), ..fresh };
        *self = Self { calls: self.calls.clone(), stats: self.stats, events: self.events.clone(), ..kept };
        let (to, reason) = (self.state(), TransitionReason::Manual);
        if from != to {
            self.note(Event { from, to, reason, at: now, failures, cooldown: 0 });
        }
    }

    fn change(&mut self, to: BreakerState, reason: TransitionReason, at: u64, cooldown: u64) {
        self.note(Event { from: self.state, to, reason, at, failures: self.failures, cooldown });
        self.state = to;
        self.era += 1;
    }

    fn note(&mut self, event: Event) {
        match event.to {
            BreakerState::Open => self.stats.opened += 1,
            BreakerState::HalfOpen => self.stats.half_opened += 1,
            BreakerState::Closed => self.stats.closed += 1,
        }
        self.events.push(event);
    }
}
