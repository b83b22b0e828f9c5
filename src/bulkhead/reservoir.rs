//! The tokens of a bulkhead, as a window that slides. Pure.

use std::collections::VecDeque;
use std::time::Duration;

use super::config::ReservoirConfig;
use crate::clock::Timestamp;

/// Tokens are of two kinds: extra ones, used once and first, and `amount` that circulate, each of them away for
/// `interval` after its use.
#[derive(Debug)]
pub(super) struct Reservoir {
    initial_extra: u32,
    extra: u32,
    amount: u32,
    interval: Duration,
    /// When the circulating tokens that are away were taken, in order; never more than `amount`.
    spent: VecDeque<Timestamp>,
}

impl Reservoir {
    pub fn new(config: ReservoirConfig, now: Timestamp) -> Self {
        // Without an interval no token comes back: all are extra.
        let amount = config.refresh_interval.map_or(0, |_| config.refresh_amount);
        let extra = config.size.saturating_sub(amount);
        let missing = amount.saturating_sub(config.size);
        Self {
            initial_extra: extra,
            extra,
            amount,
            interval: config.refresh_interval.unwrap_or_default(),
            spent: (0..missing).map(|_| now).collect(),
        }
    }

    /// The earliest moment at which a token is there for the call behind `ahead` others. `None`: never.
    pub fn available_at(&self, ahead: u32, now: Timestamp) -> Option<Timestamp> {
        let Some(ahead) = ahead.checked_sub(self.extra) else { return Some(now) };
        let rounds = ahead.checked_div(self.amount)?;
        let free = self.amount as usize - self.spent.len();
        // In the order in which they can be taken: the free ones first, then those away as they come back.
        let token = (ahead % self.amount) as usize;
        let back = token.checked_sub(free).map_or(now, |away| self.spent[away] + self.interval);
        Some(back.max(now) + self.interval.saturating_mul(rounds))
    }

    /// A call starts. Only when a token is there.
    pub fn take(&mut self, now: Timestamp) {
        if self.extra > 0 {
            self.extra -= 1;
            return;
        }
        while self.spent.front().is_some_and(|&spent| spent + self.interval <= now) {
            self.spent.pop_front();
        }
        debug_assert!(self.spent.len() < self.amount as usize, "a token was there");
        self.spent.push_back(now);
    }

    /// Whether no use of it can be seen any more.
    pub fn is_full(&self, now: Timestamp) -> bool {
        self.extra == self.initial_extra && self.spent.back().is_none_or(|&spent| spent + self.interval <= now)
    }
}
