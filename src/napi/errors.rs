//! Errors, in both directions: what apps get from this module, and what this module reads off an app's error.

use std::time::Duration;

use serde_json::Value as Json;

use super::js::{Scope, Thrown, Type, Value};
use super::json::{MAX_TEXT, json};
use crate::classify::{CallError, Code, ErrorClass, ErrorFacts};
use crate::error::InvalidConfig;
use crate::millis::whole_millis;

/// A wrong argument: an `Error` with `code` and `field`.
pub fn bad_input(scope: Scope, code: &str, wrong: &InvalidConfig) -> Thrown {
    let error = coded_error(scope, &wrong.to_string(), code, false, None);
    scope.set(error, c"field", scope.string(wrong.field));
    scope.thrown(error)
}

/// A name that no option has, but that is meant for one.
pub fn bad_name(scope: Scope, code: &str, given: &str, meant: &str) -> Thrown {
    let message = format!("{given}: there is no such option, allowed: {meant}");
    let error = coded_error(scope, &message, code, false, None);
    scope.set(error, c"field", scope.string(given));
    scope.thrown(error)
}

fn coded_error(scope: Scope, message: &str, code: &str, retryable: bool, retry_after: Option<Duration>) -> Value {
    let error = scope.error(message);
    scope.set(error, c"code", scope.string(code));
    scope.set(error, c"retryable", scope.boolean(retryable));
    if let Some(wait) = retry_after {
        scope.set(error, c"retryAfterMs", scope.number(whole_millis(wait)));
    }
    error
}

/// An error for the app: `code` is the class. `cause` is what the app's own client threw.
pub fn call_error(scope: Scope, error: &CallError, cause: Option<Value>) -> Value {
    let retry_after = error.retry_after.map(|asked| asked.wait);
    let value = coded_error(scope, &error.message, error.class.as_str(), error.is_retryable(), retry_after);
    if let Some(status) = error.status {
        scope.set(value, c"status", scope.number(f64::from(status)));
    }
    if let Some(cause) = cause {
        scope.set(value, c"cause", cause);
    }
    value
}

/// What a function of the app threw, in one line.
pub fn describe(scope: Scope, thrown: Value) -> String {
    error_facts(scope, thrown, None).message
}

/// What a function of the app threw, for the log: its kind alone. Its words may hold a piece of an answer, as those of `JSON.parse`
/// do, or the service's own with a key.
pub fn kind(scope: Scope, thrown: Value) -> String {
    let type_of = scope.type_of(thrown);
    let is_name =
        |name: &String| name.len() <= 60 && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let name = (type_of == Type::Object).then(|| text(scope, scope.get(thrown, c"name"))).flatten();
    name.filter(|name| !name.is_empty() && is_name(name)).unwrap_or_else(|| type_of.name().to_owned())
}

/// An error for a call that was turned away on this device, by `code`: it says nothing about the service, and a breaker that
/// hears of it counts nothing.
pub fn rejected(scope: Scope, message: &str, code: &str, retry_after: Option<Duration>) -> Value {
    let retry_after = retry_after.filter(|&wait| wait != Duration::MAX);
    let error = coded_error(scope, message, code, false, retry_after);
    scope.set(error, c"class", scope.string(ErrorClass::Rejected.as_str()));
    error
}

/// What can be read off an error of the app's client. `provider` is a hint for codes that mean different things.
pub fn error_facts(scope: Scope, error: Value, provider: Option<&str>) -> ErrorFacts {
    let mut facts = ErrorFacts { provider: provider.map(str::to_owned), ..ErrorFacts::default() };
    match scope.type_of(error) {
        Type::Object | Type::Function => read_object(scope, error, &mut facts),
        Type::String => facts.message = text(scope, error).unwrap_or_default(),
        Type::Number => facts.message = scope.as_number(error).unwrap_or_default().to_string(),
        other => facts.message = format!("the client failed with {}", other.name()),
    }
    facts
}

fn read_object(scope: Scope, error: Value, facts: &mut ErrorFacts) {
    let get = |name| scope.get(error, name);
    let text = |name| text(scope, get(name));
    facts.message = text(c"message").unwrap_or_default();
    facts.name = text(c"name");
    facts.class = text(c"class");
    facts.retryable = scope.as_boolean(get(c"retryable"));
    facts.sent = scope.as_boolean(get(c"sent"));
    facts.retry_after_ms = scope.as_number(get(c"retryAfterMs"));
    facts.provider = text(c"provider").or(facts.provider.take());
    // Fetch-like clients hang the response into the error.
    let response = get(c"response");
    let holders = [error, response];
    let first = |names: &[&std::ffi::CStr]| {
        holders
            .iter()
            .flat_map(|&holder| names.iter().map(move |name| scope.get(holder, name)))
            .find(|&value| !matches!(scope.type_of(value), Type::Undefined | Type::Null))
    };
    facts.status =
        first(&[c"status", c"statusCode", c"responseCode", c"status_code"]).and_then(|value| status(scope, value));
    facts.headers =
        holders.iter().map(|&holder| headers_of(scope, holder)).find(|all| !all.is_empty()).unwrap_or_default();
    facts.body = first(&[c"body", c"data", c"error", c"result"]).map(|value| json(scope, value));
    facts.code = code(scope, get(c"code")).or_else(|| code(scope, scope.get(get(c"cause"), c"code")));
    // An error of this module, say from a client inside a client: its code is the class.
    if let (None, Some(Code::Text(name))) = (&facts.class, &facts.code)
        && ErrorClass::from_name(name).is_some()
    {
        (facts.class, facts.code) = (Some(name.clone()), None);
    }
    // "fetch failed" keeps its reason in the cause.
    if let Some(cause) = self::text(scope, scope.get(get(c"cause"), c"message"))
        && !facts.message.is_empty()
        && !facts.message.contains(&cause)
    {
        facts.message = format!("{}: {cause}", facts.message);
    }
    if facts.message.is_empty() {
        facts.message = text(c"errMsg").or_else(|| text(c"statusText")).unwrap_or_default();
    }
}

fn text(scope: Scope, value: Value) -> Option<String> {
    scope.start_of_string(value, MAX_TEXT)
}

fn status(scope: Scope, value: Value) -> Option<u16> {
    let number = scope.as_number(value).or_else(|| text(scope, value)?.trim().parse().ok())?;
    (number.fract() == 0.0 && (100.0..=999.0).contains(&number)).then_some(number as u16)
}

fn code(scope: Scope, value: Value) -> Option<Code> {
    match scope.type_of(value) {
        Type::Number => {
            let number = scope.as_number(value)?;
            (number.fract() == 0.0 && number.abs() < 9.0e15).then_some(Code::Number(number as i64))
        }
        Type::String => text(scope, value).filter(|code| !code.is_empty()).map(Code::Text),
        _ => None,
    }
}

/// The most headers that are read.
const MAX_HEADERS: usize = 100;

/// The headers that hang on an error, a response or an answer.
pub fn headers_of(scope: Scope, holder: Value) -> Vec<(String, String)> {
    let candidates = [c"headers", c"header"].map(|name| scope.get(holder, name));
    let given = candidates.into_iter().find(|&value| scope.type_of(value) == Type::Object);
    given.map(|value| headers(scope, value)).unwrap_or_default()
}

/// Headers as an object, or as what can be iterated: a `Map`, the `Headers` of fetch.
fn headers(scope: Scope, value: Value) -> Vec<(String, String)> {
    let entries = scope.get(value, c"entries");
    if scope.type_of(entries) == Type::Function && scope.array_length(value).is_none() {
        return scope.call(value, entries, &[]).map_or_else(|_| Vec::new(), |entries| iterated(scope, entries));
    }
    let Json::Object(map) = json(scope, value) else { return Vec::new() };
    let text = |value: Json| match value {
        Json::String(text) => Some(text),
        Json::Number(number) => Some(number.to_string()),
        Json::Array(all) => all.into_iter().next().and_then(|first| first.as_str().map(str::to_owned)),
        _ => None,
    };
    map.into_iter().take(MAX_HEADERS).filter_map(|(name, value)| Some((name, text(value)?))).collect()
}

fn iterated(scope: Scope, iterator: Value) -> Vec<(String, String)> {
    let next = scope.get(iterator, c"next");
    let step = || {
        let step = scope.call(iterator, next, &[]).ok()?;
        (scope.as_boolean(scope.get(step, c"done")) != Some(true)).then(|| scope.get(step, c"value"))
    };
    let pair = |entry| Some((text(scope, scope.get_index(entry, 0))?, text(scope, scope.get_index(entry, 1))?));
    std::iter::from_fn(step).take(MAX_HEADERS).filter_map(pair).collect()
}
