//! What ArkTS sees. Converts, drives and reports; decides nothing. The only place with N-API types and `unsafe`.
//!
//! `js`, `json` and `kept` wrap Node-API, `executor` runs futures on the JS thread, `arguments` and `errors` read and
//! make what crosses the border; the files of options, words and records name what stands in `index.d.ts` beside
//! the classes. Every other file is one exported class or function group of the same name, or what several of them share.
//!
//! # Adding a class
//!
//! 1. **A file named for it.** The exported struct is nothing but an [`Instance`](instance::Instance) of a private
//!    struct with the core object and the `Rc<Runtime>`: `#[napi] #[repr(transparent)]`; `cancel.rs` is a short one.
//!    What comes from the app is an `Unknown`, with its ArkTS type in `ts_args_type`: napi-ohos would convert it with
//!    errors of its own.
//! 2. **The constructor** begins with [`constructing`](instance::constructing), which refuses a call without `new`. A
//!    class that only this module makes refuses every call ([`made_elsewhere`](instance::made_elsewhere));
//!    [`instance::make`] makes it.
//! 3. **A method** begins with `self.instance.of(env)?`: only then is `self` what it seems. Arguments and the fields of
//!    an options object are read with [`arguments`]; the options object itself stands in a file of options,
//!    for `index.d.ts`. Then everything happens inside [`Runtime::enter`](executor::Runtime::enter), but for reading a
//!    number of the core.
//! 4. **Errors** are [`Thrown`](js::Thrown) up to the end of the method, where `?` makes the exception pending: no
//!    sooner, since hardly anything of Node-API works while one is. So a closure for `enter` gives
//!    [`Checked`](js::Checked), not napi-ohos's `Result`. What returns a promise rejects it:
//!    [`Scope::promise_of`](js::Scope::promise_of).
//! 5. **A promise** comes from [`Runtime::spawn`](executor::Runtime::spawn); one of the app is awaited as a
//!    [`JsPromise`](executor::JsPromise), which converts the value the moment it settles. No [`Value`](js::Value) is
//!    kept over an await.
//! 6. **Plain records** stand in `call_records.rs`, `breaker_records.rs`, `agent_records.rs` and `retry_trace.rs`, enums
//!    of words in `words.rs`; what only one class gives stands beside it.
//! 7. **Tests:** `tests/node/support/make-api.mjs` lists the new API, and `bad_input.test.mjs` then asks for a rule for
//!    each parameter. A class that keeps something of the app needs a page in `memory.test.mjs` that is collected.
//!
//! # Keeping a value of the app
//!
//! | what | how | freed by |
//! |---|---|---|
//! | function or object, as long as an instance | [`Keeper::keep`](kept::Keeper::keep) | the collector, which sees rings there |
//! | the same, called by core objects | that, in a [`UserFunction`](kept::UserFunction) | the same |
//! | all that an instance keeps, for a call | [`Keeper::hold`](kept::Keeper::hold) | the end of the call |
//! | object for one call: answer, listener | [`Reference::new`](kept::Reference::new), strong | the end of the call |
//! | any value for one call: request, error | [`Kept::new`](kept::Kept::new) | the end of the call |
//! | an instance that another one needs | [`Scope::set_hidden`](js::Scope::set_hidden) | the collector |
//! | the text of an answer | [`Text`](inner_client::Text), the JS string itself where possible | nobody |
//!
//! A strong reference in something that lives as long as an instance is a leak: the page of the app holds the instance,
//! the reference holds the page.
//!
//! # Environments
//!
//! There is one [`Runtime`](executor::Runtime) for each: main thread, Worker, TaskPool thread. When the module is loaded
//! twice on one thread, as HarmonyOS does for a second `import()` after it has forgotten the first, only the classes of
//! the later load make instances: napi-ohos keeps one list of them.

mod agent;
mod agent_options;
mod agent_records;
mod arguments;
mod backoff;
mod breaker;
mod breaker_config;
mod breaker_listeners;
mod breaker_permit;
mod breaker_records;
mod bulkhead;
mod bulkhead_manager;
mod cache;
mod call_records;
mod cancel;
mod chain;
mod classify;
mod client;
mod client_config;
mod client_handle;
mod clock;
mod constants;
mod create_breaker;
mod device;
mod enums;
mod errors;
mod event_breaker;
mod executor;
mod flaky;
mod hooks;
mod inner_client;
mod instance;
mod js;
mod json;
mod kept;
mod layer_options;
mod load;
mod metrics;
mod misspelt;
mod mock;
mod models;
mod named;
mod options;
mod outlive;
mod records;
mod request;
mod retry_trace;
mod router;
mod scenario;
mod simple_retry;
mod snapshot;
mod stream;
mod trace_log;
mod version;
mod words;
mod work;
