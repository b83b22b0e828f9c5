//! Equal requests in flight share one call (single flight, coalescing).

mod state;
#[cfg(test)]
mod tests;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::CacheKey;
use crate::error::{InvalidConfig, in_range};
use crate::guarded::wake;
use crate::lock::lock;
use crate::sync::{Mutex, MutexGuard};
use state::{News, Place, State};

/// Settings of [`Flights`]. Beyond either limit a caller is neither rejected nor kept waiting: it makes its own call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlightsConfig {
    /// Most calls that others may wait for. 0 (nothing is shared) to 100 000; default 256.
    pub max_flights: usize,
    /// Most callers that wait, over all calls. 0 (nothing is shared) to 100 000; default 1024.
    pub max_followers: usize,
}

impl Default for FlightsConfig {
    fn default() -> Self {
        Self { max_flights: 256, max_followers: 1_024 }
    }
}

impl FlightsConfig {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn validate(&self) -> Result<(), InvalidConfig> {
        in_range("coalescing.maxFlights", self.max_flights, 0..=100_000)?;
        in_range("coalescing.maxFollowers", self.max_followers, 0..=100_000)
    }
}

/// Lets callers of equal requests wait for one call. Clones are the same.
///
/// The first caller of a key leads: it makes the call and [`finish`](Lead::finish)es with the result, which all who have
/// joined meanwhile get, a failure too: an outage must not be multiplied by the number of callers. Who comes later begins
/// a new flight, so put an answer into the cache before finishing. A leader that is dropped hands over to the caller that
/// has waited longest; a follower that is dropped leaves the others alone. A caller without a key shares nothing.
///
/// It has no timeouts: bound the leader's call, and give up a [`Join`] by dropping it.
///
/// ```
/// use resilience::cache::{CacheKey, Flights, FlightsConfig, Joined};
/// use std::sync::Arc;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let flights = Flights::new(FlightsConfig::default())?;
/// let ask = async |prompt: &str| match flights.join(Some(CacheKey::of_text(prompt))).await {
///     Joined::Lead(lead) => lead.finish(format!("answer to {prompt}")), // after the call to the service
///     Joined::Landed(shared) => shared,
/// };
/// let (first, second) = tokio::join!(ask("hello"), ask("hello"));
/// assert_eq!((first.as_str(), second.as_str()), ("answer to hello", "answer to hello"));
/// # Ok::<(), resilience::InvalidConfig>(()) }).unwrap();
/// ```
pub struct Flights<T>(Arc<Mutex<State<T, Waker>>>);

impl<T> Flights<T> {
    /// Nothing in flight.
    ///
    /// # Errors
    /// [`InvalidConfig`], see [`FlightsConfig`].
    pub fn new(config: FlightsConfig) -> Result<Self, InvalidConfig> {
        config.validate()?;
        Ok(Self(Arc::new(Mutex::new(State::new(config)))))
    }

    /// Takes a place in the flight of `key` at once, as its leader if there is none. Without a key, or without room, the
    /// caller leads a flight that nobody else sees.
    pub fn join(&self, key: Option<CacheKey>) -> Join<T> {
        let flights = self.clone();
        let place = key.map(|key| (key, self.state().join(key)));
        Join(match place {
            Some((key, Place::Lead)) => Stage::Leads(Lead { flights, key: Some(key) }),
            Some((key, Place::Follow(number))) => Stage::Follows(Follower { flights, key, number }),
            Some((_, Place::Alone)) | None => Stage::Leads(Lead { flights, key: None }),
        })
    }

    /// Calls that others may wait for.
    pub fn in_flight(&self) -> usize {
        self.state().flights()
    }

    /// Callers that wait, over all calls.
    pub fn followers(&self) -> usize {
        self.state().followers()
    }

    fn state(&self) -> MutexGuard<'_, State<T, Waker>> {
        lock(&self.0)
    }
}

impl<T> Clone for Flights<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> fmt::Debug for Flights<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Flights").field("in_flight", &self.in_flight()).finish_non_exhaustive()
    }
}

/// How a caller takes part in a flight.
#[derive(Debug)]
pub enum Joined<T> {
    /// It makes the call.
    Lead(Lead<T>),
    /// Another one has made it: the result.
    Landed(Arc<T>),
}

/// The duty to make the call, for oneself and all who wait.
///
/// Dropping it hands over to the caller that has waited longest. Do so when your own caller cancels: that is not a result
/// for anybody else.
#[must_use = "a dropped lead hands over to the next caller"]
pub struct Lead<T> {
    flights: Flights<T>,
    /// `None`: nobody waits.
    key: Option<CacheKey>,
}

impl<T> Lead<T> {
    /// The call is over: all who wait get this result.
    pub fn finish(mut self, result: T) -> Arc<T> {
        let result = Arc::new(result);
        if let Some(key) = self.key.take() {
            let wakers = self.flights.state().land(key, &result);
            wake(wakers);
        }
        result
    }
}

impl<T> Drop for Lead<T> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let waker = self.flights.state().hand_over(key);
            wake(waker);
        }
    }
}

impl<T> fmt::Debug for Lead<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Lead").field("key", &self.key).finish_non_exhaustive()
    }
}

/// The wait of [`Flights::join`]: for the result, or for the lead.
#[must_use = "a dropped place goes to the next caller"]
pub struct Join<T>(Stage<T>);

enum Stage<T> {
    Leads(Lead<T>),
    Follows(Follower<T>),
    Done,
}

/// A place in the line.
struct Follower<T> {
    flights: Flights<T>,
    key: CacheKey,
    number: u64,
}

impl<T> Future for Join<T> {
    type Output = Joined<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Joined<T>> {
        match std::mem::replace(&mut self.0, Stage::Done) {
            Stage::Leads(lead) => Poll::Ready(Joined::Lead(lead)),
            Stage::Follows(follower) => {
                let waker = context.waker().clone();
                let (news, old_waker) = follower.flights.state().look(follower.number, waker);
                drop(old_waker);
                match news {
                    Some(News::Landed(result)) => Poll::Ready(Joined::Landed(result)),
                    Some(News::Leads) => {
                        let (flights, key) = (follower.flights.clone(), Some(follower.key));
                        Poll::Ready(Joined::Lead(Lead { flights, key }))
                    }
                    None => {
                        self.0 = Stage::Follows(follower);
                        Poll::Pending
                    }
                }
            }
            // Polled after its end: there is nothing more to wait for.
            Stage::Done => Poll::Pending,
        }
    }
}

impl<T> Drop for Follower<T> {
    fn drop(&mut self) {
        let (left, next) = self.flights.state().leave(self.key, self.number);
        // Outside the lock: a result may have a drop of its own.
        drop(left);
        wake(next);
    }
}
