//! What of a breaker outlives the app.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::{BreakerEvent, BreakerState, Mode, Phase, State, TransitionReason};
use crate::classify::ErrorClass;
use crate::clock::Timestamp;
use crate::snapshot::{Content, RestoreError, left};

/// What a breaker has learned. Times are what was left of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SavedState {
    state: BreakerState,
    open: Duration,
    at_once: bool,
    retry_after: Duration,
    failures: u32,
    reopened: u32,
    level: Duration,
    cause: Option<ErrorClass>,
}

impl SavedState {
    pub fn to_json(&self) -> Json {
        json!({
            "state": self.state.as_str(),
            "openMs": left(self.open),
            "openedAtOnce": self.at_once,
            "retryAfterMs": left(self.retry_after),
            "failures": self.failures,
            "reopened": self.reopened,
            "reopenedMs": left(self.level),
            "cause": self.cause.map(ErrorClass::as_str),
        })
    }

    pub fn read(content: &Content) -> Result<Self, RestoreError> {
        const STATES: [BreakerState; 3] = [BreakerState::Closed, BreakerState::Open, BreakerState::HalfOpen];
        let state = |word: &str| STATES.into_iter().find(|state| state.as_str() == word);
        Ok(Self {
            state: content.word("state", "one of closed, open, half_open", state)?,
            open: content.time("openMs")?,
            at_once: content.flag("openedAtOnce")?,
            retry_after: content.time("retryAfterMs")?,
            failures: content.count("failures")?,
            reopened: content.count("reopened")?,
            level: content.time("reopenedMs")?,
            cause: content.text("cause").and_then(ErrorClass::from_name),
        })
    }
}

impl State {
    /// What has been learned so far.
    pub fn saved(&self, now: Timestamp) -> SavedState {
        let (state, open, at_once) = match self.phase {
            Phase::Closed => (BreakerState::Closed, Duration::ZERO, false),
            Phase::Open { until, at_once } => (BreakerState::Open, until.since(now), at_once),
            // The probe in flight ends with the app.
            Phase::HalfOpen { .. } => (BreakerState::HalfOpen, Duration::ZERO, false),
        };
        SavedState {
            state,
            open,
            at_once,
            retry_after: self.retry_after_until.since(now),
            failures: self.failures,
            reopened: self.reopened,
            level: self.level_until.since(now),
            cause: self.cause,
        }
    }

    /// As if it had lived on for `elapsed` without any call, with an empty window. No time is longer than the settings allow.
    /// A manual switch holds on.
    pub fn restore(&mut self, saved: &SavedState, elapsed: Duration, now: Timestamp) -> Option<BreakerEvent> {
        if self.mode != Mode::Automatic {
            return None;
        }
        let config = self.config;
        let left = |time: Duration, longest: Duration| time.saturating_sub(elapsed).min(longest);
        let until = |left: Duration| if left.is_zero() { Timestamp::ZERO } else { now + left };
        let retry_after = left(saved.retry_after, config.max_retry_after);
        let cooldown = config.cooldown_after(saved.reopened, 1.0);
        let longest = if saved.at_once { cooldown.max(config.max_retry_after) } else { cooldown };
        let open = left(saved.open, longest);
        let (from, generation) = (self.state(), self.generation + 1);
        *self = Self {
            phase: match saved.state {
                BreakerState::Closed => Phase::Closed,
                BreakerState::Open | BreakerState::HalfOpen => {
                    Phase::Open { until: now + open, at_once: saved.at_once }
                }
            },
            generation,
            oldest_generation: generation,
            failures: saved.failures,
            cause: saved.cause,
            retry_after_until: until(retry_after),
            reopened: saved.reopened,
            level_until: until(left(saved.level, config.cooldown_reset)),
            ..Self::new(config)
        };
        if saved.state == BreakerState::Closed && config.window.is_none() {
            // With a lower threshold than that of the snapshot the next failure opens, not the restoring.
            self.failures = self.failures.min(config.failure_threshold - 1);
        }
        let (to, reason) = (self.state(), TransitionReason::Restored);
        let cooldown = if to == BreakerState::Open { open.max(retry_after) } else { Duration::ZERO };
        (from != to).then_some(BreakerEvent { from, to, reason, at: now, failures: self.failures, cooldown })
    }
}
