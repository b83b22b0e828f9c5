//! Several LLM services, one behind the other: when the first does not answer, the next one is asked.
//!
//! Each service has a breaker and retries of its own ([`Provider`]). A call goes through them in their order:
//!
//! * a service whose breaker is open, or that asked to be left alone (Retry-After), is passed over at once;
//! * an error that another service would give as well (a wrong request, no network) ends the call, see
//!   [`NextProvider`](crate::classify::NextProvider);
//! * a Retry-After is not waited for while another service stands ready;
//! * the time left is shared: with n services to go, one gets at most 1/n of it, and leaves to the next what it does not use;
//! * when all of them failed or cool down and one comes back inside the deadline, the call waits for it;
//! * each service is asked at most `max_retries + 1` times in a call.
//!
//! An answer that is not the first service's is degraded, and says so with the reason:
//! [`Outcome::degraded`](crate::client::Outcome::degraded).

mod config;
mod service;

pub use config::{ChainConfig, Provider};
pub use service::ResilientLlmRunner;
