use std::cell::OnceCell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::cancel::{CancelReason, CancelToken};
use crate::clock::Timestamp;

/// What an [`LlmClient`](super::LlmClient) may know of the attempt that it makes.
///
/// Request id and cancel token are made when first asked for: most clients ask for neither.
pub struct Attempt<'a> {
    number: u32,
    began: Timestamp,
    deadline: Timestamp,
    call: &'a CallIdentity,
    cancel: OnceCell<CancelToken>,
}

impl<'a> Attempt<'a> {
    pub(super) fn new(number: u32, began: Timestamp, deadline: Timestamp, call: &'a CallIdentity) -> Self {
        Self { number, began, deadline, call, cancel: OnceCell::new() }
    }

    /// Counted from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// When it is given up, on the client's clock.
    pub fn deadline(&self) -> Timestamp {
        self.deadline
    }

    /// How long it may take.
    pub fn timeout(&self) -> Duration {
        self.deadline.since(self.began)
    }

    /// The same for all attempts of a call, different for each call: send it as `Idempotency-Key` or `x-request-id`,
    /// so that a repeated request is not billed twice by a service that knows it.
    pub fn request_id(&self) -> &str {
        self.call.request_id()
    }

    /// Cancelled when the app cancels the call or the attempt runs out of time.
    pub fn cancel_token(&self) -> CancelToken {
        self.cancel.get_or_init(|| self.call.cancel.as_ref().map_or_else(CancelToken::new, CancelToken::child)).clone()
    }

    /// The token of the whole call, if the app gave one.
    pub(super) fn call_token(&self) -> Option<&'a CancelToken> {
        self.call.cancel.as_ref()
    }

    /// Tells a client that asked for the token.
    pub(super) fn abandon(&self, reason: CancelReason) {
        if let Some(token) = self.cancel.get() {
            token.cancel(reason);
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        // Listeners may hold on to the token that holds them.
        if let Some(token) = self.cancel.get() {
            token.close();
        }
    }
}

/// What all attempts of a call have in common.
pub(super) struct CallIdentity {
    pub cancel: Option<CancelToken>,
    request_id: OnceCell<String>,
}

impl CallIdentity {
    pub fn new(cancel: Option<CancelToken>, request_id: Option<String>) -> Self {
        Self { cancel, request_id: request_id.map_or_else(OnceCell::new, OnceCell::from) }
    }

    pub fn request_id(&self) -> &str {
        self.request_id.get_or_init(next_request_id)
    }

    pub fn into_request_id(self) -> String {
        self.request_id.into_inner().unwrap_or_else(next_request_id)
    }
}

/// Unique over devices by 64 random bits a process, within the process by a count.
fn next_request_id() -> String {
    static PROCESS: LazyLock<u64> = LazyLock::new(crate::random::system_seed);
    static COUNT: AtomicU64 = AtomicU64::new(1);
    format!("{:016x}-{:08x}", *PROCESS, COUNT.fetch_add(1, Ordering::Relaxed))
}
