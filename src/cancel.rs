//! Cancelling a call: it ends at once, also in the middle of a wait, and the client in flight is told.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

/// Why a token was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelReason {
    /// The app asked for it.
    Cancelled,
    /// The attempt ran out of its time.
    Timeout,
}

impl CancelReason {
    /// As ArkTS sees it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Timeout => "timeout",
        }
    }
}

/// A switch that goes from "running" to "cancelled" once. Clones are the same switch.
///
/// A [child](Self::child) is cancelled with its parent, but not the other way round. Nothing is left registered at a
/// token after a call has ended, so one token can serve any number of calls.
///
/// ```
/// use resilience::cancel::{CancelReason, CancelToken};
///
/// let call = CancelToken::new();
/// let attempt = call.child();
/// attempt.cancel(CancelReason::Timeout);
/// assert!(!call.is_cancelled());
/// call.cancel(CancelReason::Cancelled);
/// assert_eq!(attempt.reason(), Some(CancelReason::Timeout), "the first reason stays");
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelToken {
    token: CancellationToken,
    own_reason: Arc<OnceLock<CancelReason>>,
}

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that is cancelled with this one.
    pub fn child(&self) -> Self {
        Self { token: self.token.child_token(), own_reason: Arc::default() }
    }

    /// Cancels this token and its children. Only the first call counts.
    pub fn cancel(&self, reason: CancelReason) {
        if !self.is_cancelled() {
            // A lost race means that another thread's reason came first.
            let _ = self.own_reason.set(reason);
        }
        self.token.cancel();
    }

    /// Whether it is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Why, once it is cancelled. A child that was cancelled by its parent says [`CancelReason::Cancelled`].
    pub fn reason(&self) -> Option<CancelReason> {
        self.is_cancelled().then(|| self.own_reason.get().copied().unwrap_or(CancelReason::Cancelled))
    }

    /// Ready once it is cancelled.
    pub fn cancelled(&self) -> WaitForCancellationFuture<'_> {
        self.token.cancelled()
    }
}
