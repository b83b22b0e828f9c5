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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breaker::{BreakerConfig, FailureReport};

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    /// Opens with the first failure, for 1 s, 2 s, 4 s, …; for 10 s where a failure says "at once".
    fn new() -> State {
        let config = BreakerConfig {
            failure_threshold: 1,
            cooldown: ms(1_000),
            cooldown_factor: 2.0,
            cooldown_reset: ms(30_000),
            ..BreakerConfig::default()
        };
        State::new(config)
    }

    fn fail(state: &mut State, open_for: Option<Duration>, now: Timestamp) {
        let (ticket, _) = state.admit(now, Duration::ZERO);
        let report = FailureReport { open_for, cause: Some(ErrorClass::Quota), ..FailureReport::default() };
        state.failure(ticket.unwrap(), report, now, 0.5);
    }

    /// Saved at `now`, taken up by a new one 400 ms later, whose clock says 5 s.
    fn restored(state: &State, now: Timestamp) -> (State, Option<BreakerEvent>) {
        let mut restored = new();
        let event = restored.restore(&state.saved(now), ms(400), at(5_000));
        (restored, event)
    }

    #[test]
    fn an_open_one_goes_on_where_it_was() {
        let mut state = new();
        fail(&mut state, None, at(0));
        let (mut restored, event) = restored(&state, at(100));
        assert_eq!(restored.retry_after(at(5_000)), ms(500));
        let event = event.unwrap();
        assert_eq!(
            (event.from, event.to, event.reason),
            (BreakerState::Closed, BreakerState::Open, TransitionReason::Restored)
        );
        assert_eq!((event.at, event.failures, event.cooldown), (at(5_000), 1, ms(500)));
        assert_eq!((restored.failures(), restored.cause()), (1, Some(ErrorClass::Quota)));
        fail(&mut restored, None, at(5_500));
        assert_eq!(restored.retry_after(at(5_500)), ms(2_000), "the second cooldown follows");
    }

    #[test]
    fn the_number_of_cooldowns_and_the_quiet_time_that_ends_it_are_kept() {
        for (now, expected) in [(34_599 - 1_000, 4_000), (34_600 - 1_000, 1_000)] {
            let mut state = new();
            fail(&mut state, None, at(0));
            fail(&mut state, None, at(1_000));
            let (probe, _) = state.admit(at(3_000), Duration::ZERO);
            state.success(probe.unwrap(), Duration::ZERO, at(3_000), 0.5);
            let (mut restored, event) = restored(&state, at(4_000));
            assert_eq!(event, None, "both are closed");
            fail(&mut restored, None, at(now));
            assert_eq!(restored.retry_after(at(now)), ms(expected), "at {now}");
        }
    }

    #[test]
    fn only_one_that_was_opened_at_once_stays_open_for_longer_than_its_cooldown() {
        let mut state = new();
        fail(&mut state, Some(ms(10_000)), at(0));
        assert_eq!(restored(&state, at(0)).0.retry_after(at(5_000)), ms(9_600));
        let mut longer = State::new(BreakerConfig { cooldown: ms(10_000), ..*new().config() });
        fail(&mut longer, None, at(0));
        assert_eq!(restored(&longer, at(0)).0.retry_after(at(5_000)), ms(1_000), "its own settings hold");
    }

    #[test]
    fn what_the_service_asked_for_holds_on_and_is_told() {
        let mut state = new();
        let (ticket, _) = state.admit(at(0), Duration::ZERO);
        let report = FailureReport { retry_after: Some(ms(3_000)), ..FailureReport::default() };
        state.failure(ticket.unwrap(), report, at(0), 0.5);
        let (restored, event) = restored(&state, at(0));
        assert_eq!((restored.retry_after(at(5_000)), event.unwrap().cooldown), (ms(2_600), ms(2_600)));
    }

    #[test]
    fn no_failure_that_was_saved_opens_and_no_call_in_flight_counts() {
        let mut many = State::new(BreakerConfig { failure_threshold: 9, ..*new().config() });
        (0..5).for_each(|_| fail(&mut many, None, at(0)));
        let mut state = State::new(BreakerConfig { failure_threshold: 3, ..*new().config() });
        let (in_flight, _) = state.admit(at(0), Duration::ZERO);
        state.restore(&many.saved(at(0)), ms(0), at(0));
        assert_eq!((state.state(), state.failures()), (BreakerState::Closed, 2));
        let asks = FailureReport { retry_after: Some(ms(500)), ..FailureReport::default() };
        state.failure(in_flight.unwrap(), asks, at(0), 0.5);
        assert_eq!((state.state(), state.failures(), state.retry_after(at(0))), (BreakerState::Closed, 2, ms(0)));
        fail(&mut state, None, at(0));
        assert_eq!(state.state(), BreakerState::Open, "the next one does");
    }
}
