use std::time::Duration;

use crate::millis::millis;

/// How a wait is spread. `d` is the exponential wait, at most the cap. Kinds that reach above `d` keep it so far below the cap that
/// the spread fits under it.
///
/// Comparison of the kinds: <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Jitter {
    /// Exactly `d`. Only for tests: devices that failed together come back together.
    None,
    /// `d · [1 − spread, 1 + spread)`, spread in `[0, 1]`; `d` is at most cap / (1 + spread).
    Multiplicative {
        /// Half the width, as a share of `d`.
        spread: f64,
    },
    /// `[0, d)`.
    Full,
    /// `[d/2, d)`.
    Equal,
    /// `d + [0, max)`; `d` is at most cap − max.
    Additive {
        /// The most that is added; not above the cap of the delay.
        max: Duration,
    },
    /// `[base, 3 · previous wait)`, under the cap.
    Decorrelated,
}

impl Jitter {
    /// The jitter of article 000: `d · [0.5, 1.5)`.
    pub const MULTIPLICATIVE: Self = Self::Multiplicative { spread: 0.5 };

    /// The jittered wait in milliseconds, in `[0, max]`. `drawn` is in `[0, 1)`; `raw` may be infinite.
    ///
    /// Kinds that reach above `d` lower the cap of `d` first, so that the clamp at the end cuts nothing off: clamping
    /// alone would make every device wait exactly `max` once the cap is reached.
    pub(super) fn apply(self, raw: f64, base: f64, max: f64, previous: f64, drawn: f64) -> f64 {
        let delay = match self {
            Self::None => raw.min(max),
            Self::Multiplicative { spread } => raw.min(max / (1.0 + spread)) * (1.0 - spread + 2.0 * spread * drawn),
            Self::Full => raw.min(max) * drawn,
            Self::Equal => raw.min(max) * (0.5 + 0.5 * drawn),
            Self::Additive { max: most } => raw.min(max - millis(most)) + millis(most) * drawn,
            Self::Decorrelated => {
                let top = (3.0 * previous).clamp(base, max);
                base + (top - base) * drawn
            }
        };
        delay.clamp(0.0, max)
    }
}
