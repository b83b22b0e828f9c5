//! Chance, passed in: jitter draws from an [`Rng`], so that a test can fix it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::lock::lock;
use crate::sync::Mutex;

/// A source of numbers spread evenly over `[0, 1)`.
///
/// Takes `&self` because one client draws for many calls at once. What an implementation returns
/// outside `[0, 1)`, NaN included, is clamped by the user of the number.
///
/// ```
/// use resilience::random::{Rng, SeededRng};
///
/// let (first, second) = (SeededRng::new(7), SeededRng::new(7));
/// assert_eq!(first.next_unit(), second.next_unit());
/// ```
pub trait Rng: Send + Sync {
    /// The next number.
    fn next_unit(&self) -> f64;
}

impl<F: Fn() -> f64 + Send + Sync> Rng for F {
    fn next_unit(&self) -> f64 {
        self()
    }
}

/// The default source: small, fast, seeded from the system or by hand. Not for secrets.
pub struct SeededRng(Mutex<SmallRng>);

impl SeededRng {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(SmallRng::seed_from_u64(seed)))
    }

    /// Seeded by the system: another sequence in each process and for each instance.
    pub fn from_system() -> Self {
        Self::new(system_seed())
    }
}

impl Rng for SeededRng {
    fn next_unit(&self) -> f64 {
        lock(&self.0).random()
    }
}

/// 64 bits from the system. Where it has none to give, the address of a fresh allocation and the time must do:
/// jitter is not a secret.
pub(crate) fn system_seed() -> u64 {
    use rand::TryRng;
    rand::rngs::SysRng.try_next_u64().unwrap_or_else(|_| {
        let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let address = Box::new(0_u8);
        (time.as_nanos() as u64) ^ (std::ptr::from_ref(&*address) as u64).rotate_left(32)
    })
}

/// The next number of any source, in `[0, 1)`. A source that panics counts as 0.
pub(crate) fn draw(rng: &(impl Rng + ?Sized)) -> f64 {
    unit(catch_unwind(AssertUnwindSafe(|| rng.next_unit())).unwrap_or_default())
}

/// Brings any number into `[0, 1)`: NaN counts as 0.
pub(crate) fn unit(drawn: f64) -> f64 {
    // Not the last number below 1, which becomes 1.5 when 0.5 is added: an upper end must stay excluded.
    const BELOW_ONE: f64 = 1.0 - f64::EPSILON;
    if drawn.is_nan() { 0.0 } else { drawn.clamp(0.0, BELOW_ONE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonsense_is_clamped_into_the_half_open_interval() {
        for (drawn, expected) in [(f64::NAN, 0.0), (-3.0, 0.0), (f64::NEG_INFINITY, 0.0), (0.25, 0.25)] {
            assert_eq!(unit(drawn), expected);
        }
        for drawn in [1.0, 7.0, f64::INFINITY] {
            assert!(unit(drawn) < 1.0 && unit(drawn) > 0.999);
        }
    }

    #[test]
    fn two_instances_from_the_system_differ() {
        let (first, second) = (SeededRng::from_system(), SeededRng::from_system());
        assert_ne!(first.next_unit(), second.next_unit());
    }
}
