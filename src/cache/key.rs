//! What an answer is found by.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

use serde_json::{Number, Value};

/// The hash's secret: other keys in each process, so that no prompt can be made to fall on another one's key.
static SECRET: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Names a request: equal requests have equal keys, and two different ones never share a key in practice.
///
/// It is a hash of 128 bits, so that long conversations need no room and no prompt is kept: two runs of the standard
/// library's keyed hash (SipHash-1-3, with a secret drawn anew in each process) over an encoding that has no two readings.
/// Two given requests share a key with a probability of 2⁻¹²⁸: a cache of 10 000 answers that is asked a billion times
/// gives one wrong answer with a probability of 3·10⁻²⁶. Not to be stored: another process makes other keys.
///
/// ```
/// use resilience::cache::CacheKey;
/// use serde_json::json;
///
/// let key = CacheKey::of_request(&json!({"model": "gpt-4o", "prompt": "hi", "temperature": 0}));
/// assert_eq!(key, CacheKey::of_request(&json!({"temperature": 0.0, "prompt": "hi", "model": "gpt-4o"})));
/// assert_ne!(key, CacheKey::of_request(&json!({"model": "gpt-4o", "prompt": "hi"})), "left out is not 0");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheKey(u128);

impl CacheKey {
    /// The key of a request with **all** that its answer depends on: prompt and history, model, system prompt,
    /// temperature, longest answer, tools …
    ///
    /// Two requests are equal when their JSON is: the order of an object's fields does not matter, that of an array does;
    /// numbers count by value (`1`, `1.0` and `1e0` are one); a field that was left out is neither `null` nor 0.
    pub fn of_request(request: &Value) -> Self {
        Self::digest(|to| encode(request, to))
    }

    /// The key of a text, letter by letter. It is no request's key.
    pub fn of_text(text: &str) -> Self {
        Self::digest(|to| {
            to.write_u8(tag::TEXT);
            to.write(text.as_bytes());
        })
    }

    /// The key of the same thing for one user, provider, model …: equal only to keys of the same thing in an equal scope.
    #[must_use]
    pub fn within(self, scope: Self) -> Self {
        Self::digest(|to| {
            to.write_u8(tag::SCOPED);
            to.write_u128(scope.0);
            to.write_u128(self.0);
        })
    }

    /// The two halves differ in their first byte only, which makes them independent: a keyed hash's answers to two
    /// inputs tell nothing of each other.
    fn digest(write: impl Fn(&mut dyn Hasher)) -> Self {
        let half = |number: u8| {
            let mut hasher = SECRET.build_hasher();
            hasher.write_u8(number);
            write(&mut hasher);
            u128::from(hasher.finish())
        };
        Self(half(0) << 64 | half(1))
    }
}

impl fmt::Debug for CacheKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CacheKey({:032x})", self.0)
    }
}

/// The first byte of each part: says what follows and so how far it goes.
mod tag {
    pub const NULL: u8 = 0;
    pub const FALSE: u8 = 1;
    pub const TRUE: u8 = 2;
    pub const INTEGER: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const STRING: u8 = 5;
    pub const ARRAY: u8 = 6;
    pub const OBJECT: u8 = 7;
    pub const TEXT: u8 = 8;
    pub const SCOPED: u8 = 9;
}

/// Writes a value in the one way that it has: parts in front of what they hold, each with its tag and its length.
/// Without recursion: a deep value must not overflow the stack.
pub(super) fn encode(value: &Value, to: &mut dyn Hasher) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Null => to.write_u8(tag::NULL),
            Value::Bool(false) => to.write_u8(tag::FALSE),
            Value::Bool(true) => to.write_u8(tag::TRUE),
            Value::Number(number) => encode_number(number, to),
            Value::String(text) => {
                to.write_u8(tag::STRING);
                encode_text(text, to);
            }
            Value::Array(items) => {
                to.write_u8(tag::ARRAY);
                to.write_usize(items.len());
                pending.extend(items.iter().rev());
            }
            Value::Object(fields) => {
                to.write_u8(tag::OBJECT);
                to.write_usize(fields.len());
                // They are sorted already, unless another crate in the program turns on serde_json's `preserve_order`.
                let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
                fields.sort_unstable_by_key(|(name, _)| *name);
                fields.iter().for_each(|(name, _)| encode_text(name, to));
                pending.extend(fields.iter().rev().map(|(_, value)| *value));
            }
        }
    }
}

fn encode_text(text: &str, to: &mut dyn Hasher) {
    to.write_usize(text.len());
    to.write(text.as_bytes());
}

/// By value: a float without a fraction is the integer that it equals.
fn encode_number(number: &Number, to: &mut dyn Hasher) {
    // Exact in floating point: 2¹²⁶ needs one bit.
    const LARGEST: f64 = (1_u128 << 126) as f64;
    let float = number.as_f64().unwrap_or(f64::NAN);
    let whole = (float.fract() == 0.0 && float.abs() <= LARGEST).then_some(float as i128);
    match number.as_i128().or(whole) {
        Some(integer) => {
            to.write_u8(tag::INTEGER);
            to.write_i128(integer);
        }
        None => {
            to.write_u8(tag::FLOAT);
            to.write_u64(float.to_bits());
        }
    }
}
