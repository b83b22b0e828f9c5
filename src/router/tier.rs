use std::fmt;

/// How strong and how dear a model is.
///
/// ```
/// use resilience::router::ModelTier;
///
/// assert_eq!(ModelTier::Premium.next(), Some(ModelTier::Standard));
/// assert_eq!(ModelTier::Standard.stronger(), Some(ModelTier::Premium));
/// assert_eq!(ModelTier::Economy.model(), "deepseek-chat");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelTier {
    /// For what needs thought.
    Premium,
    /// For most prompts.
    Standard,
    /// When the others are down.
    Economy,
    /// No model: an answer that is there already.
    Cache,
}

impl ModelTier {
    /// From dear to cheap: the way down when calls fail.
    pub const ORDER: [Self; 4] = [Self::Premium, Self::Standard, Self::Economy, Self::Cache];

    /// The next cheaper tier.
    pub fn next(self) -> Option<Self> {
        Self::ORDER.get(self as usize + 1).copied()
    }

    /// The next stronger tier.
    pub fn stronger(self) -> Option<Self> {
        (self as usize).checked_sub(1).map(|above| Self::ORDER[above])
    }

    /// The model's usual name; an app's own are in [`RouterConfig::models`](super::RouterConfig::models).
    pub const fn model(self) -> &'static str {
        match self {
            Self::Premium => "gpt-4o",
            Self::Standard => "gpt-4o-mini",
            Self::Economy => "deepseek-chat",
            Self::Cache => "semantic-cache",
        }
    }

    /// As logs and traces spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Premium => "premium",
            Self::Standard => "standard",
            Self::Economy => "economy",
            Self::Cache => "cache",
        }
    }
}

impl fmt::Display for ModelTier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One value for each tier.
///
/// ```
/// use resilience::router::{ModelTier, PerTier};
///
/// let costs = PerTier { premium: 0.03, standard: 0.0015, economy: 0.0007, cache: 0.0 };
/// assert_eq!(costs.get(ModelTier::Standard), &0.0015);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PerTier<T> {
    /// Of [`ModelTier::Premium`].
    pub premium: T,
    /// Of [`ModelTier::Standard`].
    pub standard: T,
    /// Of [`ModelTier::Economy`].
    pub economy: T,
    /// Of [`ModelTier::Cache`].
    pub cache: T,
}

impl<T> PerTier<T> {
    /// The value for `tier`.
    pub const fn get(&self, tier: ModelTier) -> &T {
        match tier {
            ModelTier::Premium => &self.premium,
            ModelTier::Standard => &self.standard,
            ModelTier::Economy => &self.economy,
            ModelTier::Cache => &self.cache,
        }
    }
}
