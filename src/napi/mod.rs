//! What ArkTS sees. Converts, drives and reports; decides nothing. The only place with N-API types and `unsafe`.
//!
//! `js`, `json` and `kept` wrap Node-API, `executor` runs futures on the JS thread, `arguments` and `errors` read and make what
//! crosses the border; every other file is one exported class or function group of the same name.

mod arguments;
mod backoff;
mod breaker;
mod cancel;
mod chain;
mod classify;
mod client;
mod client_config;
mod clock;
mod enums;
mod errors;
mod executor;
mod hooks;
mod inner_client;
mod instance;
mod js;
mod json;
mod kept;
mod mock;
mod options;
mod records;
mod stream;
mod version;
