//! A copy of a JS value as JSON.

use serde_json::{Map, Value as Json};

use super::js::{Scope, Type, Value};
use crate::text::cut;

/// Bounds of what is copied out of an app's object: an error body is small, a hostile one is cut.
struct Limits {
    depth: u32,
    values: u32,
    bytes: usize,
}

/// What is beyond the limits (8 levels, 500 values, 64 KiB of text) is null or cut off.
pub fn json(scope: Scope, value: Value) -> Json {
    copy(scope, value, &mut Limits { depth: 8, values: 500, bytes: 64 * 1024 })
}

fn copy(scope: Scope, value: Value, limits: &mut Limits) -> Json {
    if limits.values == 0 || limits.depth == 0 {
        return Json::Null;
    }
    limits.values -= 1;
    match scope.type_of(value) {
        Type::Boolean => Json::from(scope.as_boolean(value).unwrap_or_default()),
        Type::Number => {
            let number = scope.as_number(value).unwrap_or_default();
            let whole = number.fract() == 0.0 && number.abs() < 9.0e15;
            if whole { Json::from(number as i64) } else { Json::from(number) }
        }
        Type::String => {
            let text = scope.as_string(value).unwrap_or_default();
            let kept = cut(&text, limits.bytes);
            limits.bytes -= kept.len();
            Json::from(kept)
        }
        Type::Object => {
            limits.depth -= 1;
            let copied = match scope.array_length(value) {
                Some(length) => Json::Array(
                    (0..length.min(limits.values))
                        .map(|index| copy(scope, scope.get_index(value, index), limits))
                        .collect(),
                ),
                None => {
                    let mut map = Map::new();
                    for name in scope.keys(value, limits.values) {
                        let Ok(key) = std::ffi::CString::new(name.as_str()) else { continue };
                        map.insert(name, copy(scope, scope.get(value, &key), limits));
                    }
                    Json::Object(map)
                }
            };
            limits.depth += 1;
            copied
        }
        _ => Json::Null,
    }
}
