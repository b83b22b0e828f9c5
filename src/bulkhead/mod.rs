//! Bulkhead: bounds how many calls run at once and how fast they start, so that one slow or rationed service can't take
//! what the others need. It protects the caller; the [breaker](crate::breaker) protects the service.
//!
//! A call gets a place, waits in a queue for one, or is refused with the time after which to ask again. What bounds a
//! start, all of it at once:
//!
//! * [`max_concurrent`](BulkheadConfig::max_concurrent): places. One is free again when the [`Permit`] of a call and all
//!   [`Hold`]s of its work are dropped.
//! * [`min_spacing`](BulkheadConfig::min_spacing): time since the last start.
//! * [`reservoir`](BulkheadConfig::reservoir): starts in any interval.
//!
//! # What holds
//!
//! * First come, first served: a newcomer never overtakes one who waits, [`Bulkhead::try_acquire`] included.
//! * A wait that spacing and reservoir make longer than its limit is not begun, nor carried on once that is seen: it is
//!   refused with [`retry_after`](Rejection::retry_after). That counts all who wait as going first.
//! * A start at the very end of its limit is in time.
//! * A place is given back once. Work that outlives its caller keeps it for
//!   [`overrun_grace`](BulkheadConfig::overrun_grace) at the most.
//! * Whoever leaves the queue, by timeout, cancel or drop, leaves nothing behind.
//! * Observers change nothing.
//!
//! A rejection is the caller's own affair: it says nothing about the service, so it is reported to no breaker, counts as
//! no attempt and takes nothing of a retry budget. The bulkhead is outermost, and a call that it refuses gets no further:
//!
//! ```
//! use resilience::breaker::{BreakerConfig, BreakerStats, CircuitBreaker};
//! use resilience::bulkhead::{Bulkhead, BulkheadConfig};
//! use std::sync::Arc;
//!
//! let breaker = CircuitBreaker::new(BreakerConfig { failure_threshold: 1, ..Default::default() })?;
//! let bulkhead = Arc::new(Bulkhead::new(BulkheadConfig { max_concurrent: 1, ..Default::default() })?);
//! let call = || -> Result<(), Box<dyn std::error::Error>> {
//!     let _place = bulkhead.try_acquire()?;
//!     breaker.try_acquire()?.success();
//!     Ok(())
//! };
//! let running = bulkhead.try_acquire()?;
//! assert!((0..10).all(|_| call().is_err()));
//! assert_eq!(breaker.stats(), BreakerStats::default());
//! drop(running);
//! call()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[allow(clippy::module_inception)] // a file is named for what it holds
mod bulkhead;
mod config;
mod manager;
mod permit;
mod rejection;
mod reservoir;
mod state;
#[cfg(test)]
mod tests;

pub use bulkhead::Bulkhead;
pub use config::{BulkheadConfig, Preset, ReservoirConfig};
pub use manager::{BulkheadManager, registry};
pub use permit::{Hold, Permit};
pub use rejection::{Rejection, RejectionReason};
pub use state::BulkheadStats;
