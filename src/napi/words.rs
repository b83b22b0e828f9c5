//! Words that ArkTS compares with, as string enums.

use napi_derive_ohos::napi;

use crate::{classify, client, retry};

/// Declares a string enum for ArkTS beside its core enum. A variant that one of them lacks does not compile.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident from $core:path { $($(#[$variant_doc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[napi(string_enum = "snake_case")]
        #[derive(Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl From<$core> for $name {
            fn from(word: $core) -> Self {
                use $core as Core;
                match word { $(Core::$variant => Self::$variant),+ }
            }
        }
    };
}

pub(super) use words;

words! {
    /// What kind of fault ended an attempt. The README's table says what follows from each.
    ErrorClass from classify::ErrorClass {
        /// 429: too many requests.
        RateLimit,
        /// 503, 529: the service is overloaded.
        Overloaded,
        /// Another fault of the service.
        Server,
        /// No answer in time.
        Timeout,
        /// The service could not be reached; nothing was sent.
        Connect,
        /// The connection broke after the request was sent.
        Interrupted,
        /// The account has no money or no quota left.
        Quota,
        /// The key is wrong or not allowed to do this.
        Auth,
        /// The model does not exist.
        ModelNotFound,
        /// The prompt is too long for the model.
        ContextLength,
        /// The prompt or the answer was blocked by moderation.
        ContentFilter,
        /// The request is wrong in another way.
        BadRequest,
        /// The answer has not the agreed shape.
        InvalidResponse,
        /// TLS, proxy, cleartext or an unsupported protocol.
        Protocol,
        /// The device has no network.
        Offline,
        /// The app cancelled the call.
        Cancelled,
        /// The app's own client is broken: it threw a TypeError or the like.
        ClientBug,
        /// Turned away on this device before it was sent: a `Bulkhead` had no place, or a breaker inside the client is open.
        Rejected,
        /// Anything else.
        Unknown,
    }
}

words! {
    /// How a call ended, in one word.
    OutcomeStatus from client::OutcomeStatus {
        /// The model answered.
        Ok,
        /// The fallback text stands in for an answer.
        Fallback,
        /// An error that only the caller can mend, or a fallback that failed itself.
        Error,
        /// The app cancelled the call.
        Cancelled,
        /// A streamed answer broke off: the text that came is all there is.
        Partial,
    }
}

words! {
    /// Why a call made no further attempt.
    StopReason from retry::StopReason {
        /// An answer came.
        Success,
        /// Trying again cannot help.
        NotRetryable,
        /// All attempts are used up.
        Attempts,
        /// The time for the whole call is used up, or the next wait would end after it.
        Deadline,
        /// The retry budget is used up.
        Budget,
        /// The breaker rejects the call, or opened during it.
        CircuitOpen,
        /// The service asked to be left alone (Retry-After), and that time is not over.
        RetryAfter,
        /// The service asked for a longer wait than is allowed or than is left.
        RetryAfterTooLong,
        /// The app cancelled the call.
        Cancelled,
        /// The bulkhead had no place in time.
        Bulkhead,
        /// No answer was good enough.
        LowQuality,
        /// A streamed answer broke off: the app has text of it, and asking again would show it twice.
        Partial,
    }
}

words! {
    /// Where a wait between two attempts comes from.
    DelaySource from retry::DelaySource {
        /// The backoff of the client's policy.
        Backoff,
        /// The service's Retry-After, which was longer.
        RetryAfter,
        /// None at all: the connection had died while there was no network, or the app was suspended. It counts for nothing.
        Reconnect,
        /// All services of a chain cool down, after failures or because they asked for it: until the first of them comes back.
        Cooldown,
    }
}
