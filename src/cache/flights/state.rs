//! Who leads, who waits, who is told. No lock; a waker is only something to give back.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::super::CacheKey;
use super::FlightsConfig;

/// Where a caller stands who joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Lead,
    /// The number of its place in the line.
    Follow(u64),
    /// There is no room: it shares nothing.
    Alone,
}

/// What a follower has waited for. It is told once.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum News<T> {
    /// It leads from now on.
    Leads,
    Landed(Arc<T>),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Waiting<T, W> {
    /// Not told yet. The waker is missing before the first look.
    For(Option<W>),
    Told(News<T>),
}

/// Invariant: a key is in `flights` exactly as long as there is a leader: a lead, or a follower that was told to lead.
#[derive(Debug)]
pub(super) struct State<T, W> {
    config: FlightsConfig,
    /// Those in the line of each flight who have not been told, by their numbers: first come, first to lead.
    flights: HashMap<CacheKey, BTreeSet<u64>>,
    /// All who wait or have not looked at their news yet.
    followers: HashMap<u64, Waiting<T, W>>,
    next_number: u64,
}

impl<T, W> State<T, W> {
    pub fn new(config: FlightsConfig) -> Self {
        Self { config, flights: HashMap::new(), followers: HashMap::new(), next_number: 0 }
    }

    pub fn flights(&self) -> usize {
        self.flights.len()
    }

    pub fn followers(&self) -> usize {
        self.followers.len()
    }

    pub fn join(&mut self, key: CacheKey) -> Place {
        let FlightsConfig { max_flights, max_followers } = self.config;
        let in_flight = self.flights.len();
        match self.flights.get_mut(&key) {
            Some(line) if self.followers.len() < max_followers => {
                self.next_number += 1;
                line.insert(self.next_number);
                self.followers.insert(self.next_number, Waiting::For(None));
                Place::Follow(self.next_number)
            }
            None if in_flight < max_flights => {
                self.flights.insert(key, BTreeSet::new());
                Place::Lead
            }
            _ => Place::Alone,
        }
    }

    /// A follower asks for news and leaves a waker. Gives back the one it had left before.
    pub fn look(&mut self, number: u64, waker: W) -> (Option<News<T>>, Option<W>) {
        match self.followers.remove(&number) {
            Some(Waiting::Told(news)) => (Some(news), Some(waker)),
            Some(Waiting::For(old_waker)) => {
                self.followers.insert(number, Waiting::For(Some(waker)));
                (None, old_waker)
            }
            None => (None, Some(waker)),
        }
    }

    /// The leader is done: all in the line get the result. Gives back whom to wake.
    pub fn land(&mut self, key: CacheKey, result: &Arc<T>) -> Vec<W> {
        let line = self.flights.remove(&key).unwrap_or_default();
        line.into_iter().filter_map(|number| self.tell(number, News::Landed(result.clone()))).collect()
    }

    /// The leader is gone: the first in the line leads. Without one the flight is over.
    pub fn hand_over(&mut self, key: CacheKey) -> Option<W> {
        let next = self.flights.get_mut(&key)?.pop_first();
        if next.is_none() {
            self.flights.remove(&key);
        }
        self.tell(next?, News::Leads)
    }

    fn tell(&mut self, number: u64, news: News<T>) -> Option<W> {
        match self.followers.insert(number, Waiting::Told(news)) {
            Some(Waiting::For(waker)) => waker,
            _ => None,
        }
    }

    /// A follower is gone, before or after its news. Gives back what it leaves, and whom to wake if it was to lead.
    pub fn leave(&mut self, key: CacheKey, number: u64) -> (Option<Waiting<T, W>>, Option<W>) {
        let left = self.followers.remove(&number);
        let next = match left {
            Some(Waiting::Told(News::Leads)) => self.hand_over(key),
            Some(Waiting::For(_)) => {
                self.flights.get_mut(&key).map(|line| line.remove(&number));
                None
            }
            Some(Waiting::Told(News::Landed(_))) | None => None,
        };
        (left, next)
    }
}
