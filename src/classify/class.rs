//! The classes of errors, and the one table that says what to do with each.

use std::fmt;

/// What kind of fault ended an attempt. Everything that decides about an error asks [`ErrorClass::handling`].
///
/// ```
/// use resilience::classify::{BreakerVerdict, ErrorClass, NextProvider};
///
/// let handling = ErrorClass::Quota.handling();
/// assert!(!handling.retry, "money does not come back in a second");
/// assert_eq!(handling.next_provider, NextProvider::Yes);
/// assert_eq!(handling.breaker, BreakerVerdict::OpenNow);
/// assert_eq!(ErrorClass::from_name("quota"), Some(ErrorClass::Quota));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// Too many requests or tokens in a short window (429).
    RateLimit,
    /// The service has no capacity now (503, 529).
    Overloaded,
    /// The service failed (500, 502, 504).
    Server,
    /// No answer in time.
    Timeout,
    /// The connection was not made: name not resolved, refused, unreachable. Nothing was sent.
    Connect,
    /// The connection broke after sending: the answer may have been made, and billed.
    Interrupted,
    /// Money or a long allowance (day, week, month, plan window) is used up.
    Quota,
    /// The key or the account is not accepted (401, 403).
    Auth,
    /// The model, endpoint or deployment does not exist (404).
    ModelNotFound,
    /// The request is longer than the model reads.
    ContextLength,
    /// Moderation refused the question or the answer.
    ContentFilter,
    /// The request is wrong in another way (other 4xx).
    BadRequest,
    /// The answer does not have the agreed shape.
    InvalidResponse,
    /// Client and server cannot talk: TLS, certificate, proxy, cleartext refused, 501, 505.
    Protocol,
    /// The device has no network.
    Offline,
    /// The caller no longer wants the answer.
    Cancelled,
    /// The client itself is broken: it threw `TypeError`, `RangeError`, …
    ClientBug,
    /// Turned away on this device before it was sent: by a bulkhead without a place or an open breaker inside the client.
    Rejected,
    /// Nothing is known about this error.
    Unknown,
}

/// What follows from a class: one row of the error table.
///
/// ```
/// use resilience::classify::ErrorClass;
///
/// assert!(ErrorClass::BadRequest.handling().reaches_caller);
/// assert!(!ErrorClass::Server.handling().reaches_caller, "the fallback text serves");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handling {
    /// The same target may be asked again.
    pub retry: bool,
    /// Another provider may be asked.
    pub next_provider: NextProvider,
    /// What the breaker of this provider learns.
    pub breaker: BreakerVerdict,
    /// The error is shown to the caller: repeating cannot help and a fallback text would hide the cause.
    pub reaches_caller: bool,
}

/// May another provider be asked after this error?
///
/// ```
/// use resilience::classify::{ErrorClass, NextProvider};
///
/// assert_eq!(ErrorClass::ContextLength.handling().next_provider, NextProvider::LargerContext);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextProvider {
    /// Any other one.
    Yes,
    /// None: each would say the same.
    No,
    /// Only one with a larger context window.
    LargerContext,
    /// Only when the policy of the app says so.
    IfPolicyAllows,
}

/// What a circuit breaker learns from an error.
///
/// ```
/// use resilience::classify::{BreakerVerdict, ErrorClass};
///
/// assert_eq!(ErrorClass::Server.handling().breaker, BreakerVerdict::Failure);
/// assert_eq!(ErrorClass::Cancelled.handling().breaker, BreakerVerdict::Neutral);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerVerdict {
    /// One more failure of the provider.
    Failure,
    /// Says nothing about the provider: counts, state and cooldown stay.
    Neutral,
    /// The provider is of no use for long: open without counting.
    OpenNow,
}

use BreakerVerdict::{Failure, Neutral, OpenNow};
use NextProvider::{IfPolicyAllows, LargerContext, No, Yes};

const RETRY: bool = true;
const ONCE: bool = false;
const TO_CALLER: bool = true;
const TO_FALLBACK: bool = false;

/// The error table. The rows are in the order of [`ErrorClass`]; a test holds them there.
#[rustfmt::skip]
const TABLE: [(ErrorClass, &str, bool, NextProvider, BreakerVerdict, bool); 19] = [
    (ErrorClass::RateLimit,       "rate_limit",       RETRY, Yes,            Failure, TO_FALLBACK),
    (ErrorClass::Overloaded,      "overloaded",       RETRY, Yes,            Failure, TO_FALLBACK),
    (ErrorClass::Server,          "server",           RETRY, Yes,            Failure, TO_FALLBACK),
    (ErrorClass::Timeout,         "timeout",          RETRY, Yes,            Failure, TO_FALLBACK),
    (ErrorClass::Connect,         "connect",          RETRY, Yes,            Failure, TO_FALLBACK),
    (ErrorClass::Interrupted,     "interrupted",      RETRY, Yes,            Failure, TO_FALLBACK),
    (ErrorClass::Quota,           "quota",            ONCE,  Yes,            OpenNow, TO_FALLBACK),
    (ErrorClass::Auth,            "auth",             ONCE,  Yes,            Neutral, TO_CALLER),
    (ErrorClass::ModelNotFound,   "model_not_found",  ONCE,  Yes,            Neutral, TO_CALLER),
    (ErrorClass::ContextLength,   "context_length",   ONCE,  LargerContext,  Neutral, TO_CALLER),
    (ErrorClass::ContentFilter,   "content_filter",   ONCE,  IfPolicyAllows, Neutral, TO_CALLER),
    (ErrorClass::BadRequest,      "bad_request",      ONCE,  No,             Neutral, TO_CALLER),
    (ErrorClass::InvalidResponse, "invalid_response", ONCE,  Yes,            Neutral, TO_FALLBACK),
    (ErrorClass::Protocol,        "protocol",         ONCE,  Yes,            Neutral, TO_CALLER),
    (ErrorClass::Offline,         "offline",          ONCE,  No,             Neutral, TO_FALLBACK),
    (ErrorClass::Cancelled,       "cancelled",        ONCE,  No,             Neutral, TO_CALLER),
    (ErrorClass::ClientBug,       "client_bug",       ONCE,  No,             Neutral, TO_CALLER),
    (ErrorClass::Rejected,        "rejected",         ONCE,  Yes,            Neutral, TO_FALLBACK),
    (ErrorClass::Unknown,         "unknown",          RETRY, Yes,            Failure, TO_FALLBACK),
];

impl ErrorClass {
    /// All classes, in the order of the error table.
    pub const ALL: [Self; 19] = {
        let mut all = [Self::Unknown; 19];
        let mut row = 0;
        while row < all.len() {
            all[row] = TABLE[row].0;
            row += 1;
        }
        all
    };

    /// The name that traces, logs and ArkTS use.
    pub const fn as_str(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// The class of that name; only the exact names of [`as_str`](Self::as_str).
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// The request was sent and no answer came, or one of no use: the work may be done, and billed, all the same.
    pub(super) const fn maybe_billed(self) -> bool {
        matches!(self, Self::Interrupted | Self::Timeout | Self::InvalidResponse)
    }

    /// By itself it tells neither that the service did the work nor that it did not.
    pub(super) const fn leaves_open_whether_billed(self) -> bool {
        matches!(self, Self::ContentFilter | Self::Protocol | Self::Cancelled | Self::ClientBug | Self::Unknown)
    }

    /// This class opens the breaker, which `plain` leaves alone.
    pub(super) fn opens_unlike(self, plain: Self) -> bool {
        (plain.handling().breaker, self.handling().breaker) == (Neutral, OpenNow)
    }

    /// The row of the error table.
    pub const fn handling(self) -> Handling {
        let (_, _, retry, next_provider, breaker, reaches_caller) = TABLE[self as usize];
        Handling { retry, next_provider, breaker, reaches_caller }
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_stands_at_the_index_of_its_class() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, index, "{}", row.1);
        }
        assert_eq!(ErrorClass::Unknown as usize + 1, ErrorClass::ALL.len());
    }

    #[test]
    fn names_lead_back_to_their_class() {
        for class in ErrorClass::ALL {
            assert_eq!(ErrorClass::from_name(class.as_str()), Some(class));
            assert_eq!(class.to_string(), class.as_str());
        }
        assert_eq!(ErrorClass::from_name("Quota"), None);
        assert_eq!(ErrorClass::from_name(""), None);
    }

    #[test]
    fn the_readme_says_the_same() {
        let (_, section) = include_str!("../../README.md").split_once("### The error table").unwrap();
        let (table, _) = section.split_once("\n###").unwrap();
        let mut seen = Vec::new();
        for row in table.lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").collect();
            let [names, _, retried, breaker, chat] = cells[..] else { panic!("five columns, not {cells:?}") };
            for name in names.split(", ") {
                let class = ErrorClass::from_name(name.trim_matches('`')).expect(name);
                let verdict = match breaker.split(',').next() {
                    Some("failure") => Failure,
                    Some("neutral") => Neutral,
                    _ => OpenNow,
                };
                let Handling { retry, breaker, reaches_caller, .. } = class.handling();
                let said = (retried.starts_with("yes"), verdict, chat == "rejects");
                assert_eq!(said, (retry, breaker, reaches_caller), "{name}");
                seen.push(class);
            }
        }
        assert_eq!(seen.len(), ErrorClass::ALL.len(), "{seen:?}");
    }

    #[test]
    fn only_classes_that_are_the_providers_fault_count_against_it() {
        for class in ErrorClass::ALL {
            let handling = class.handling();
            assert_eq!(handling.retry, handling.breaker == Failure, "{class}");
        }
    }

    #[test]
    fn an_error_that_is_retried_never_reaches_the_caller() {
        for class in ErrorClass::ALL {
            let handling = class.handling();
            assert!(!(handling.retry && handling.reaches_caller), "{class}");
        }
    }
}
