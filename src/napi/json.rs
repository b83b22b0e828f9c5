//! A copy of a JS value as JSON.

use serde_json::{Map, Value as Json};

use super::js::{Scope, Type, Value};

/// The most that is read of a text of the app: an error says what it is in its first words.
pub const MAX_TEXT: usize = 64 * 1024;

/// Bounds of what is copied out of an app's object: an error body is small, a hostile one is cut. What is not copied is
/// not read.
struct Limits {
    depth: u32,
    values: u32,
    bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 8, values: 500, bytes: MAX_TEXT }
    }
}

/// What is beyond the limits (8 levels, 500 values, 64 KiB of text and names) is null or cut off.
pub fn json(scope: Scope, value: Value) -> Json {
    copy(scope, value, &mut Limits::default())
}

/// All of an object as `JSON.stringify` sees it, lone surrogates as U+FFFD. Or what is wrong with it.
pub fn exact_json(scope: Scope, value: Value, max_bytes: usize) -> Result<Json, &'static str> {
    const UNTOLD: &str = "an object that contains itself or a bigint, or whose getters fail";
    let json = scope.get(scope.global(), c"JSON");
    let text = scope.call(json, scope.get(json, c"stringify"), &[value]).map_err(|_| UNTOLD)?;
    if scope.string_length(text).ok_or(UNTOLD)? > max_bytes {
        return Err("a larger object");
    }
    serde_json::from_slice(&without_surrogates(scope.as_string(text).ok_or(UNTOLD)?)).map_err(|_| UNTOLD)
}

/// JSON in which `JSON.stringify` has escaped lone surrogates, which serde_json refuses: a user's text may be cut within an
/// emoji. Pairs are not escaped.
fn without_surrogates(json: String) -> Vec<u8> {
    let mut json = json.into_bytes();
    let mut at = 0;
    while at < json.len() {
        if json[at] != b'\\' {
            at += 1;
            continue;
        }
        if let Some(escape) = json.get_mut(at..at + 6).filter(|escape| escape.starts_with(b"\\ud")) {
            escape.copy_from_slice(b"\\ufffd");
        }
        // Past the escaped character, a backslash perhaps.
        at += 2;
    }
    json
}

/// The same of an object, without its property `skipped`.
pub fn json_without(scope: Scope, object: Value, skipped: &str) -> Json {
    copy_object(scope, object, &mut Limits::default(), |name| name != skipped)
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
        Type::String => Json::from(copy_text(scope, value, limits)),
        Type::Object => {
            limits.depth -= 1;
            let copied = match scope.array_length(value) {
                Some(length) => Json::Array(
                    (0..length.min(limits.values))
                        .map(|index| copy(scope, scope.get_index(value, index), limits))
                        .collect(),
                ),
                None => copy_object(scope, value, limits, |_| true),
            };
            limits.depth += 1;
            copied
        }
        _ => Json::Null,
    }
}

fn copy_object(scope: Scope, object: Value, limits: &mut Limits, wanted: impl Fn(&str) -> bool) -> Json {
    let mut map = Map::new();
    for key in scope.keys(object, limits.values) {
        let name = copy_text(scope, key, limits);
        if wanted(&name) {
            map.insert(name, copy(scope, scope.get_by(object, key), limits));
        }
    }
    Json::Object(map)
}

fn copy_text(scope: Scope, text: Value, limits: &mut Limits) -> String {
    let start = scope.start_of_string(text, limits.bytes).unwrap_or_default();
    limits.bytes -= start.len();
    start
}
