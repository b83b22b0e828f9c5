//! Model router: chooses a model for each prompt by rules that cost nothing, before any model is asked.
//!
//! In this order:
//!
//! | what is found | tier | reason |
//! |---|---|---|
//! | an answer that is stored or preset | cache | `CacheHit` |
//! | a simple word in a short prompt | standard | `SimpleQuery` |
//! | a complex word | premium | `Complexity` |
//! | none of them | standard | `CostFirst` |
//!
//! The second stage, whether the model's answer is good enough, is not the router's: it needs the answer.
//!
//! # Where it comes from
//!
//! The tiers, words, costs and limits are article 004's. Where the article's way gives wrong answers the default is
//! another one, and the article's an option:
//!
//! | | article | here | option |
//! |---|---|---|---|
//! | answers are shared by prompts that | have the same first 100 letters and digits | are equal letter by letter | [`RouterConfig::normalization`], [`RouterConfig::key_chars`] |
//! | "hi" is found in | "this" and "history" | words of its own; Chinese anywhere | [`RouterConfig::word_match`] |
//! | preset answers | end after 30 minutes and with `clearCache` | stay | – |
//! | stored answers | are never removed | are bounded, see [`CacheConfig`](crate::cache::CacheConfig) | its limits |
//! | words are looked for in | the whole prompt | its first 10 000 characters | – |
//!
//! The length of a prompt alone decides nothing: a short one is simple only with a simple word in it.

mod config;
mod decision;
mod model_router;
#[cfg(test)]
mod tests;
mod tier;
mod words;

pub use config::{PresetAnswer, RouterConfig};
pub use decision::{RouteDecision, RouteReason};
pub use model_router::ModelRouter;
pub use tier::{ModelTier, PerTier};
pub use words::WordMatch;

/// What the user reads when every model has failed, in Chinese.
pub const STATIC_FALLBACK_RESPONSE: &str =
    "智能助手现在忙不过来，没能回答这个问题。请过一会儿再问，也可以把问题写得短一些。";
