//! Locks that no panic closes.

use std::sync::PoisonError;

use crate::sync::{Mutex, MutexGuard};

/// Waits for the lock. What panics under one of this crate's locks leaves no half-made change behind, so a poisoned lock
/// is as good as any: one call that went wrong must not end all later ones.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
