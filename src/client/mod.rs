//! One LLM service behind breaker, retry, timeout and fallback.
//!
//! A call runs `breaker → attempt (timeout) → classify → wait and try again, or stop → fallback`. The breaker is asked
//! before **each** attempt and counts each: a breaker that opens in the middle ends the call at once, and the probe of
//! a half-open breaker is one attempt that is not tried again.
//!
//! [`execute`](ResilientLlmClient::execute) never fails: its [`Outcome`] says what the app may show, where it came from
//! and what happened on the way. [`chat`](ResilientLlmClient::chat) is a view of it that gives the text, or the error
//! that only the caller can mend (a wrong key, a refused prompt, a cancelled call).

mod attempt;
mod call;
mod config;
mod disruption;
mod driver;
mod exchange;
mod fallback;
mod hooks;
mod llm_client;
mod names;
mod outcome;
mod race;
pub(crate) mod saved;
mod service;
mod stream;
mod target;

/// What a pipeline over several services is made of.
pub(crate) mod internal {
    pub(crate) use super::call::{Call, End, Limits, cancelled};
    pub(crate) use super::driver::Driver;
    pub(crate) use super::exchange::{Exchange, Whole};
    pub(crate) use super::names::check_names;
    pub(crate) use super::race::{Raced, race};
    pub(crate) use super::stream::Streamed;
    pub(crate) use super::target::Target;
}

pub use attempt::{Attempt, RequestId};
pub use config::{Accounting, CallOptions, ClientConfig};
pub use fallback::{Fallback, Locale};
pub use hooks::{Failure, Hooks, NoHooks, RetryEvent};
pub use llm_client::{AnswerText, LlmClient, LlmResponse, TextOf};
pub use outcome::{AttemptRecord, Outcome, OutcomeStatus, PassedOver};
pub use service::ResilientLlmClient;
pub use stream::{StreamConfig, TextSink};
