use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::bulkhead::Bulkhead;
use super::state::Overrun;
use crate::registry::Registered;

/// A place in a [`Bulkhead`], given back once when it is dropped.
///
/// Work that can't be stopped must not free its place while it goes on, or more runs at once than may. Give it a
/// [`hold`](Self::hold):
///
/// ```
/// use resilience::bulkhead::{Bulkhead, BulkheadConfig};
/// use std::sync::Arc;
///
/// let bulkhead = Arc::new(Bulkhead::new(BulkheadConfig { max_concurrent: 1, ..Default::default() })?);
/// let permit = bulkhead.try_acquire()?;
/// let work = permit.hold();
/// drop(permit); // The caller has its timeout, the work goes on.
/// assert_eq!(bulkhead.stats().overrunning, 1);
/// assert!(bulkhead.try_acquire().is_err());
/// drop(work);
/// assert!(bulkhead.try_acquire().is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a dropped permit gives its place back"]
#[derive(Debug)]
pub struct Permit {
    bulkhead: Arc<Bulkhead>,
    /// Made for the first hold: most permits have none.
    place: OnceLock<Arc<Place>>,
}

/// The share that a piece of work has in the place of a [`Permit`]. Clones are the same share.
///
/// The place is free when the permit and all holds are dropped. A permit that is dropped earlier leaves an overrun: the
/// place stays taken until the last hold is dropped or [`overrun_grace`](super::BulkheadConfig::overrun_grace) has
/// passed, whichever is first.
#[must_use = "a dropped hold keeps no place"]
#[derive(Debug, Clone)]
pub struct Hold {
    place: Arc<Place>,
}

impl Hold {
    /// How long it keeps the place once the permit is dropped.
    pub fn overrun_grace(&self) -> Duration {
        self.place.bulkhead.config().overrun_grace
    }
}

/// What permit and holds have in common: the last of them gives it back.
#[derive(Debug)]
struct Place {
    bulkhead: Arc<Bulkhead>,
    /// Set by a permit that goes before its holds.
    overrun: OnceLock<Overrun>,
}

impl Permit {
    pub(super) fn new(bulkhead: Arc<Bulkhead>) -> Self {
        Self { bulkhead, place: OnceLock::new() }
    }

    /// A share in the place, for the work.
    pub fn hold(&self) -> Hold {
        let place = || Arc::new(Place { bulkhead: self.bulkhead.clone(), overrun: OnceLock::new() });
        Hold { place: self.place.get_or_init(place).clone() }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        match self.place.get() {
            None => self.bulkhead.release(),
            Some(place) if Arc::strong_count(place) == 1 => {}
            // If the last hold is dropped meanwhile, the place itself ends the overrun, a moment from now.
            Some(place) => drop(place.overrun.set(self.bulkhead.begin_overrun())),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        match self.overrun.get() {
            None => self.bulkhead.release(),
            Some(&overrun) => self.bulkhead.end_overrun(overrun),
        }
    }
}
