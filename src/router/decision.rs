use super::ModelTier;

/// Why a tier was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteReason {
    /// There is an answer already.
    CacheHit,
    /// A short prompt with a simple word.
    SimpleQuery,
    /// A complex word.
    Complexity,
    /// Nothing speaks for another one: the standard model answers most prompts at the first try.
    CostFirst,
    /// The tiers before it failed. Not the router's: for who goes on after a decision.
    Fallback,
}

impl RouteReason {
    /// As article 004 spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CacheHit => "cache_hit",
            Self::SimpleQuery => "simple_query",
            Self::Complexity => "complexity",
            Self::CostFirst => "cost_first",
            Self::Fallback => "fallback",
        }
    }
}

/// Which model is to answer, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RouteDecision {
    /// Whose turn it is.
    pub tier: ModelTier,
    /// Why.
    pub reason: RouteReason,
    /// US dollars for 1000 tokens, mean of input and output.
    pub estimated_cost_per_1k_tokens: f64,
}
