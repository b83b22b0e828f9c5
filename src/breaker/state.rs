//! The state machine: pure functions of state, event, time and chance. No lock, no clock, no listener.

mod saved;

use std::time::Duration;

pub(crate) use saved::SavedState;

use super::config::BreakerConfig;
use super::event::{BreakerEvent, TransitionReason};
use super::permit::FailureReport;
use super::rejection::{Rejection, RejectionReason};
use super::window::{Window, WindowCounts};
use crate::classify::ErrorClass;
use crate::clock::Timestamp;

/// A probe that runs into its attempt timeout says so a moment later. If its place were given away at the very timeout,
/// that failure would come too late to count, and a hanging service would be probed on and on.
const REPORT_GRACE: Duration = Duration::from_secs(1);

/// State of a circuit breaker. The numbers are those of article 000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BreakerState {
    /// Calls pass, but for those that come before a Retry-After of the service is over.
    Closed = 0,
    /// Calls are rejected.
    Open = 1,
    /// Probes pass.
    HalfOpen = 2,
}

impl BreakerState {
    /// As logs and traces spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
        }
    }
}

/// Names one admission: the generation that gave it and, for a probe, which one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket {
    generation: u64,
    probe: Option<u64>,
}

impl Ticket {
    pub(super) const fn of_closed(generation: u64) -> Self {
        Self { generation, probe: None }
    }

    pub(super) const fn is_probe(self) -> bool {
        self.probe.is_some()
    }

    pub(super) const fn generation(self) -> u64 {
        self.generation
    }
}

#[derive(Debug, Clone, Copy)]
struct Probe {
    id: u64,
    lease_ends: Timestamp,
}

#[derive(Debug)]
enum Phase {
    Closed,
    Open {
        until: Timestamp,
        /// For one failure of a kind that says so, whose time is not the cooldown.
        at_once: bool,
    },
    HalfOpen {
        probes: Vec<Probe>,
        successes: u32,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Automatic,
    Isolated,
    ForcedClosed,
}

/// What happened to a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recorded {
    Counted(Option<BreakerEvent>),
    /// It belongs to an earlier generation, or to a probe whose place another one has by now.
    Stale,
}

#[derive(Debug)]
pub(super) struct State {
    config: BreakerConfig,
    phase: Phase,
    mode: Mode,
    generation: u64,
    /// The generation that the latest manual switch began: nothing of an earlier call counts, not even its Retry-After.
    oldest_generation: u64,
    /// In a row.
    failures: u32,
    window: Option<Window>,
    /// What kind of fault the latest failure was; `None` once a success shows that it is over.
    cause: Option<ErrorClass>,
    /// Set by Retry-After: no admission before, in any phase.
    retry_after_until: Timestamp,
    /// How many times it opened without a quiet time in between: the exponent of the cooldown.
    reopened: u32,
    /// Until when one that has closed goes on with that exponent.
    level_until: Timestamp,
    next_probe: u64,
}

impl State {
    pub fn new(config: BreakerConfig) -> Self {
        Self {
            config,
            phase: Phase::Closed,
            mode: Mode::Automatic,
            generation: 0,
            oldest_generation: 0,
            failures: 0,
            window: config.window.map(Window::new),
            cause: None,
            retry_after_until: Timestamp::ZERO,
            reopened: 0,
            level_until: Timestamp::ZERO,
            next_probe: 0,
        }
    }

    pub fn config(&self) -> &BreakerConfig {
        &self.config
    }

    pub fn generation(&self) -> u64 {
        self.generation
    }

    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Whether a success while closed that is not slow changes nothing and needs no time.
    pub fn ignores_success(&self) -> bool {
        self.failures == 0 && self.cause.is_none() && self.window.as_ref().is_none_or(Window::ignores_success)
    }

    pub fn window_counts(&self, now: Timestamp) -> Option<WindowCounts> {
        self.window.as_ref().map(|window| window.counts(now))
    }

    pub fn cause(&self) -> Option<ErrorClass> {
        self.cause
    }

    pub fn state(&self) -> BreakerState {
        match (self.mode, &self.phase) {
            (Mode::Isolated, _) => BreakerState::Open,
            (Mode::ForcedClosed, _) | (_, Phase::Closed) => BreakerState::Closed,
            (_, Phase::Open { .. }) => BreakerState::Open,
            (_, Phase::HalfOpen { .. }) => BreakerState::HalfOpen,
        }
    }

    /// Whether every call passes and no time needs to be read for it.
    pub fn admits_freely(&self) -> bool {
        self.state() == BreakerState::Closed
            && (self.mode == Mode::ForcedClosed || self.retry_after_until == Timestamp::ZERO)
    }

    /// Until when every call is rejected because it is open.
    pub fn open_until(&self) -> Option<Timestamp> {
        match (self.mode, &self.phase) {
            (Mode::Automatic, Phase::Open { until, .. }) => Some((*until).max(self.retry_after_until)),
            _ => None,
        }
    }

    /// Time until a call may be admitted; zero when one may be now. Changes nothing.
    pub fn retry_after(&self, now: Timestamp) -> Duration {
        match self.blocked(now) {
            Some(rejection) => rejection.retry_after,
            None => Duration::ZERO,
        }
    }

    /// Why a call at `now` would be rejected.
    fn blocked(&self, now: Timestamp) -> Option<Rejection> {
        let (reason, until) = match (self.mode, &self.phase) {
            (Mode::ForcedClosed, _) => return None,
            (Mode::Isolated, _) => {
                return Some(Rejection { reason: RejectionReason::Isolated, retry_after: Duration::MAX });
            }
            (_, Phase::Open { until, .. }) => (RejectionReason::Open, (*until).max(self.retry_after_until)),
            (_, _) if now < self.retry_after_until => (RejectionReason::RetryAfter, self.retry_after_until),
            (_, Phase::HalfOpen { probes, .. }) => {
                if probes.len() < self.config.half_open_probes as usize {
                    return None;
                }
                let first_lease = probes.iter().map(|probe| probe.lease_ends).min().unwrap_or(now);
                (RejectionReason::HalfOpenBusy, first_lease)
            }
            (_, Phase::Closed) => return None,
        };
        (now < until).then(|| Rejection { reason, retry_after: until.since(now) })
    }

    /// Asks for one call. `attempt_timeout` bounds the lease of a probe from below.
    pub fn admit(
        &mut self,
        now: Timestamp,
        attempt_timeout: Duration,
    ) -> (Result<Ticket, Rejection>, Option<BreakerEvent>) {
        if let Some(rejection) = self.blocked(now) {
            return (Err(rejection), None);
        }
        if now >= self.retry_after_until {
            self.retry_after_until = Timestamp::ZERO;
        }
        if self.state() == BreakerState::Closed {
            return (Ok(Ticket::of_closed(self.generation)), None);
        }
        let event = matches!(self.phase, Phase::Open { .. }).then(|| {
            let phase = Phase::HalfOpen { probes: Vec::new(), successes: 0 };
            self.enter(phase, TransitionReason::CooldownOver, now, Duration::ZERO)
        });
        let default_lease = || attempt_timeout.saturating_add(REPORT_GRACE).max(self.config.cooldown);
        let lease = self.config.probe_lease.unwrap_or_else(default_lease);
        let Phase::HalfOpen { probes, .. } = &mut self.phase else {
            unreachable!("not closed, and open has just become half-open")
        };
        probes.retain(|probe| probe.lease_ends > now);
        self.next_probe += 1;
        probes.push(Probe { id: self.next_probe, lease_ends: now + lease });
        (Ok(Ticket { generation: self.generation, probe: Some(self.next_probe) }), event)
    }

    /// `chance` in `[0, 1)` spreads the cooldown if this success opens: it was too slow, or the call that makes a rate count.
    pub fn success(&mut self, ticket: Ticket, took: Duration, now: Timestamp, chance: f64) -> Recorded {
        if !self.accept(ticket) {
            return Recorded::Stale;
        }
        let Phase::HalfOpen { successes, .. } = &mut self.phase else {
            (self.failures, self.cause) = (0, None);
            let opens = self.mode == Mode::Automatic && self.window_is_bad(false, took, now);
            return Recorded::Counted(opens.then(|| self.open(TransitionReason::Window, Duration::ZERO, now, chance)));
        };
        *successes += 1;
        if *successes < self.config.success_threshold {
            return Recorded::Counted(None);
        }
        let event = self.enter(Phase::Closed, TransitionReason::ProbeSucceeded, now, Duration::ZERO);
        (self.failures, self.cause) = (0, None);
        self.level_until = now + self.config.cooldown_reset;
        Recorded::Counted(Some(event))
    }

    /// `chance` in `[0, 1)` spreads the cooldown if this failure opens, and a Retry-After.
    pub fn failure(&mut self, ticket: Ticket, report: FailureReport, now: Timestamp, chance: f64) -> Recorded {
        if ticket.generation < self.oldest_generation {
            return Recorded::Stale;
        }
        // The wish of the service holds, also when it comes after the state has changed.
        let asked = report.retry_after.map(|wait| self.config.held_back(wait, chance));
        if let Some(wait) = asked.filter(|wait| !wait.is_zero()) {
            self.retry_after_until = self.retry_after_until.max(now + wait);
            self.cause = report.cause;
        }
        if !self.accept(ticket) {
            return Recorded::Stale;
        }
        if self.mode == Mode::ForcedClosed {
            return Recorded::Counted(None);
        }
        self.cause = report.cause;
        let probe_failed = matches!(self.phase, Phase::HalfOpen { .. });
        self.failures = self.failures.saturating_add(1);
        let reason = if report.open_for.is_some() {
            TransitionReason::OpenedAtOnce
        } else if probe_failed {
            TransitionReason::ProbeFailed
        } else if self.window.is_some() {
            if !self.window_is_bad(true, report.took, now) {
                return Recorded::Counted(None);
            }
            TransitionReason::Window
        } else if self.failures >= self.config.failure_threshold {
            TransitionReason::Failures
        } else {
            return Recorded::Counted(None);
        };
        Recorded::Counted(Some(self.open(reason, report.open_for.unwrap_or_default(), now, chance)))
    }

    /// Counts a call in the window, if there is one, and says whether that is reason to open.
    fn window_is_bad(&mut self, failed: bool, took: Duration, now: Timestamp) -> bool {
        self.window.as_mut().is_some_and(|window| {
            window.record(failed, took, now);
            window.is_bad()
        })
    }

    /// Opens for the cooldown whose turn it is, and `at_least` so long.
    fn open(&mut self, reason: TransitionReason, at_least: Duration, now: Timestamp, chance: f64) -> BreakerEvent {
        let again = matches!(self.phase, Phase::HalfOpen { .. }) || now < self.level_until;
        self.reopened = if again { self.reopened.saturating_add(1) } else { 0 };
        let until = now + self.config.cooldown_after(self.reopened, chance).max(at_least);
        let cooldown = until.max(self.retry_after_until).since(now);
        let at_once = reason == TransitionReason::OpenedAtOnce;
        self.enter(Phase::Open { until, at_once }, reason, now, cooldown)
    }

    /// Whether a new one would behave as this one does.
    pub fn is_as_new(&self, now: Timestamp) -> bool {
        let reopens_as_first = self.config.cooldown_factor == 1.0 || self.level_until <= now;
        self.mode == Mode::Automatic
            && matches!(self.phase, Phase::Closed)
            && self.failures == 0
            && self.window_counts(now).unwrap_or_default().total == 0
            && self.retry_after_until <= now
            && reopens_as_first
    }

    /// Gives the place back and changes nothing else.
    pub fn neutral(&mut self, ticket: Ticket) -> Recorded {
        if self.accept(ticket) { Recorded::Counted(None) } else { Recorded::Stale }
    }

    /// The ticket of the oldest probe in flight, or of the closed state: what a result without a ticket belongs to.
    #[cfg(any(test, feature = "napi", target_env = "ohos"))]
    pub fn current_ticket(&self) -> Option<Ticket> {
        match &self.phase {
            _ if self.mode == Mode::Isolated => None,
            Phase::Closed => Some(Ticket::of_closed(self.generation)),
            Phase::Open { .. } => None,
            Phase::HalfOpen { probes, .. } => {
                probes.first().map(|probe| Ticket { generation: self.generation, probe: Some(probe.id) })
            }
        }
    }

    /// Rejects everything until [`reset`](Self::reset).
    pub fn isolate(&mut self, now: Timestamp) -> Option<BreakerEvent> {
        self.set_mode(Mode::Isolated, now)
    }

    /// Admits everything and counts nothing until [`reset`](Self::reset).
    pub fn force_closed(&mut self, now: Timestamp) -> Option<BreakerEvent> {
        self.set_mode(Mode::ForcedClosed, now)
    }

    /// As new: closed, nothing counted, no cooldown.
    pub fn reset(&mut self, now: Timestamp) -> Option<BreakerEvent> {
        self.set_mode(Mode::Automatic, now)
    }

    fn set_mode(&mut self, mode: Mode, now: Timestamp) -> Option<BreakerEvent> {
        let (from, failures) = (self.state(), self.failures);
        let generation = self.generation + 1;
        *self = Self { generation, oldest_generation: generation, mode, ..Self::new(self.config) };
        let (to, cooldown) = (self.state(), Duration::ZERO);
        (from != to).then_some(BreakerEvent { from, to, reason: TransitionReason::Manual, at: now, failures, cooldown })
    }

    fn enter(&mut self, phase: Phase, reason: TransitionReason, now: Timestamp, cooldown: Duration) -> BreakerEvent {
        let from = self.state();
        let failures = match (reason, &self.window) {
            (TransitionReason::Window, Some(window)) => window.counts(now).failed,
            _ => self.failures,
        };
        self.phase = phase;
        self.generation += 1;
        // What the window holds has led to this, and is no reason to open again.
        self.window.iter_mut().for_each(Window::clear);
        BreakerEvent { from, to: self.state(), reason, at: now, failures, cooldown }
    }

    /// Takes the ticket back, once. False: it is none of this generation, or the probe's place is no longer its own.
    fn accept(&mut self, ticket: Ticket) -> bool {
        if ticket.generation != self.generation {
            return false;
        }
        match (&mut self.phase, ticket.probe) {
            (Phase::HalfOpen { probes, .. }, Some(id)) => {
                let before = probes.len();
                probes.retain(|probe| probe.id != id);
                probes.len() < before
            }
            (Phase::Closed, None) => true,
            _ => false,
        }
    }
}
