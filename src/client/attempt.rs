use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

use crate::bulkhead::Hold;
use crate::cancel::{CancelReason, CancelToken};
use crate::clock::Timestamp;
use crate::sync::atomic::Ordering;

/// What an [`LlmClient`](super::LlmClient) may know of the attempt that it makes.
///
/// Request id and cancel token are made when first asked for: most clients ask for neither.
pub struct Attempt<'a> {
    number: u32,
    began: Timestamp,
    deadline: Timestamp,
    call: &'a CallIdentity,
    cancel: OnceLock<CancelToken>,
}

impl<'a> Attempt<'a> {
    pub(super) fn new(number: u32, began: Timestamp, deadline: Timestamp, call: &'a CallIdentity) -> Self {
        Self { number, began, deadline, call, cancel: OnceLock::new() }
    }

    /// Counted from 1.
    pub fn number(&self) -> u32 {
        self.number
    }

    pub(super) fn began(&self) -> Timestamp {
        self.began
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
        self.call.request_id.as_str()
    }

    /// Cancelled when the app cancels the call or the attempt runs out of time.
    pub fn cancel_token(&self) -> CancelToken {
        self.cancel.get_or_init(|| self.call.cancel.as_ref().map_or_else(CancelToken::new, CancelToken::child)).clone()
    }

    /// The call's share in the place of a bulkhead, if it holds one. An attempt that is given up ends for its caller; a client
    /// whose work goes on all the same keeps a clone of this until it is over, so that no more of them run than may.
    pub fn place(&self) -> Option<&Hold> {
        self.call.place.as_ref()
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
pub(crate) struct CallIdentity {
    pub cancel: Option<CancelToken>,
    pub request_id: RequestId,
    pub place: Option<Hold>,
}

impl CallIdentity {
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(CancelToken::is_cancelled)
    }
}

/// Identity of a request, the same over all its attempts.
///
/// Unless the app gives one it is made up: unique over devices by 64 random bits of the process, within the process by a
/// count. It is put into words only when asked for.
///
/// ```
/// use resilience::client::RequestId;
///
/// assert_eq!(RequestId::from("order-17".to_owned()).as_str(), "order-17");
/// assert_ne!(RequestId::next().as_str(), RequestId::next().as_str());
/// ```
#[derive(Debug, Clone)]
pub struct RequestId {
    count: u64,
    text: OnceLock<String>,
}

impl RequestId {
    /// A new one.
    pub fn next() -> Self {
        static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        Self { count: COUNT.fetch_add(1, Ordering::Relaxed), text: OnceLock::new() }
    }

    /// As it is sent.
    pub fn as_str(&self) -> &str {
        static PROCESS: LazyLock<u64> = LazyLock::new(crate::random::system_seed);
        self.text.get_or_init(|| format!("{:016x}-{:08x}", *PROCESS, self.count))
    }
}

impl From<String> for RequestId {
    fn from(text: String) -> Self {
        Self { count: 0, text: OnceLock::from(text) }
    }
}
