//! What providers send, and the class of each: bodies in the shapes of the vendors, with texts written for this test.
//!
//! The rows are independent of the rule tables in `src/classify`: they were written from the vendors' descriptions.

mod china;
mod china_cloud;
mod finish_reasons;
mod gateways;
mod reports;
mod shapes;
mod streams;
mod west;

use std::time::{Duration, SystemTime};

use resilience::classify::{AnswerFacts, CallError, ErrorClass, ErrorFacts, classify, classify_answer};
use serde_json::{Value, json};

/// 2026-07-11 20:00:00 UTC, which is 04:00 on the next day in China.
pub fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_783_800_000)
}

/// The body as JSON, or as raw text when it is none.
pub fn body(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

/// OpenAI's shape.
pub fn openai(code: impl Into<Value>, kind: impl Into<Value>, message: &str) -> Value {
    json!({"error": {"message": message, "type": kind.into(), "param": null, "code": code.into()}})
}

/// Anthropic's shape.
pub fn anthropic(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011C"})
}

/// Judges a reply with this status and body.
pub fn reply(provider: Option<&str>, status: u16, body: &Value) -> CallError {
    let facts = ErrorFacts {
        status: Some(status),
        body: Some(body.clone()),
        provider: provider.map(str::to_owned),
        ..Default::default()
    };
    classify(&facts, now())
}

/// Judges this body under HTTP 200.
pub fn answer(provider: Option<&str>, body: &Value) -> Option<CallError> {
    let facts = AnswerFacts { body: Some(body.clone()), provider: provider.map(str::to_owned), ..Default::default() };
    classify_answer(&facts, now())
}

/// Judges an error that is only words.
pub fn message(text: &str) -> CallError {
    classify(&ErrorFacts { message: text.to_owned(), ..Default::default() }, now())
}

/// One line of a table: status (200: the error is inside an answer), body, class.
pub type Row = (u16, Value, ErrorClass);

/// Rows whose codes say it all: the class is the same with and without the provider.
pub fn check(provider: &str, rows: &[Row]) {
    check_with(&[Some(provider), None], rows);
}

/// Rows that need the provider.
pub fn check_of(provider: &str, rows: &[Row]) {
    check_with(&[Some(provider)], rows);
}

fn check_with(providers: &[Option<&str>], rows: &[Row]) {
    let mut wrong = Vec::new();
    for (status, body, class) in rows {
        // The same body as JSON and as raw text.
        for body in [body.clone(), Value::from(body.to_string())] {
            for &provider in providers {
                let found = match status {
                    200 => answer(provider, &body).map(|error| error.class),
                    _ => Some(reply(provider, *status, &body).class),
                };
                if found != Some(*class) {
                    let found = found.map_or("none".to_owned(), |class| class.to_string());
                    wrong.push(format!("{status} {body} of {provider:?}: {found} instead of {class}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
