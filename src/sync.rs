//! What the core's threads meet at: locks, atomics, and who runs.
//!
//! Taken from here, never from std, so that a build with `--cfg loom` gets loom's, which runs through the orders in which
//! threads may come (tests/loom). `Arc` stays std's, for loom's has no `Weak`, and so does what is set once or lives in a static.
//! scripts/threads.sh refuses anything else of std's.

#[cfg(loom)]
pub(crate) use loom::{
    sync::{Mutex, MutexGuard, atomic},
    thread,
};
#[cfg(not(loom))]
pub(crate) use std::{
    sync::{Mutex, MutexGuard, atomic},
    thread,
};
