//! Judges answers: HTTP 200 is not success.

use std::time::SystemTime;

use serde_json::Value;

use super::body::{self, MAX_UNWRAPS};
use super::call_error::CallError;
use super::class::ErrorClass;
use super::facts::AnswerFacts;
use super::judge::{Evidence, maybe_billed};
use super::payload::Stream;
use super::tables::finish_reason;
use super::text::strip_prefix_ignore_case;
use crate::text::cut;

/// Only this much of an answer as text is read.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// Judges an answer that came with a success status: an error in its body, moderation, a fault of the model, a stream
/// that broke off. `None`: it is fine; an answer cut short by its length is.
///
/// A body as text is taken as the whole answer. A stream without an end mark (`[DONE]`, a finish reason,
/// `message_stop`, `response.completed`, …) counts as interrupted; one without any data as invalid.
///
/// ```
/// use resilience::classify::{AnswerFacts, ErrorClass, classify_answer};
/// use serde_json::json;
/// use std::time::SystemTime;
///
/// let body = json!({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}, "choices": null});
/// let error = classify_answer(&AnswerFacts { body: Some(body), ..Default::default() }, SystemTime::now()).unwrap();
/// assert_eq!(error.class, ErrorClass::Quota);
/// ```
pub fn classify_answer(facts: &AnswerFacts, wall_clock: SystemTime) -> Option<CallError> {
    let finding = facts.body.as_ref().and_then(in_body);
    let finding = finding.or_else(|| facts.finish_reason.as_deref().and_then(by_reason))?;
    let provider = facts.provider.as_deref();
    Some(match finding {
        Finding::Error(found) => {
            let begun = found.begun;
            let evidence = Evidence::new(provider, Some(*found), None, "");
            let class = evidence
                .class_of_provider()
                .or_else(|| evidence.class_of_status())
                .or_else(|| evidence.class_of_words())
                .unwrap_or(ErrorClass::Unknown);
            let mut error = evidence.into_error(class, &facts.headers, None, wall_clock);
            error.maybe_billed = begun || maybe_billed(class, error.status, true);
            error
        }
        // Whatever is wrong with it, an answer was made.
        Finding::Fault(class, text) => CallError {
            maybe_billed: true,
            ..Evidence::new(provider, None, None, &text).into_error(class, &facts.headers, None, wall_clock)
        },
    })
}

enum Finding {
    Error(Box<body::ProviderError>),
    /// A class, and what showed it.
    Fault(ErrorClass, String),
}

fn fault(class: ErrorClass, text: impl Into<String>) -> Finding {
    Finding::Fault(class, text.into())
}

/// What kind of fault an answer shows that is no error: moderation, a stream that broke off.
pub(super) fn fault_class(body: &Value) -> Option<ErrorClass> {
    match in_body(body)? {
        Finding::Fault(class, _) => Some(class),
        Finding::Error(_) => None,
    }
}

fn by_reason(reason: &str) -> Option<Finding> {
    finish_reason::class(reason).map(|class| fault(class, format!("finish reason {}", reason.trim())))
}

fn in_body(body: &Value) -> Option<Finding> {
    match body {
        Value::String(text) => in_text(text),
        _ => body::find(body, MAX_UNWRAPS).map(|error| Finding::Error(Box::new(error))).or_else(|| in_document(body)),
    }
}

fn in_text(text: &str) -> Option<Finding> {
    let start = text.trim_start_matches('\u{feff}').trim();
    if start.is_empty() {
        return Some(fault(ErrorClass::InvalidResponse, "empty answer"));
    }
    if ["<!doctype", "<html"].iter().any(|tag| strip_prefix_ignore_case(start, tag).is_some()) {
        return Some(fault(ErrorClass::InvalidResponse, "a web page instead of an answer"));
    }
    let is_stream = ["data:", "event:", "id:", ": ", ":HTTP_STATUS"].iter().any(|field| start.starts_with(field));
    if !(is_stream || start.starts_with(['{', '['])) {
        // Text that a client already took out of its envelope.
        return None;
    }
    let (mut found, mut begun, mut ended, mut expects_end) = (None, false, false, is_stream);
    let stream = Stream::read(cut(start, MAX_ANSWER_BYTES), MAX_UNWRAPS, &mut |document| {
        begun = true;
        found = found.take().or_else(|| in_document(document));
        ended |= is_end(document);
        // Ollama streams lines of JSON; each says whether it is the last.
        expects_end |= document.get("done").is_some();
    });
    if let Some(mut error) = stream.error {
        error.begun |= begun;
        return Some(Finding::Error(Box::new(error)));
    }
    if found.is_some() || !expects_end || start.len() > MAX_ANSWER_BYTES {
        return found;
    }
    if !stream.has_data {
        Some(fault(ErrorClass::InvalidResponse, "a stream without data"))
    } else if !(stream.done || ended) {
        Some(fault(ErrorClass::Interrupted, "the stream ended without an end mark"))
    } else {
        None
    }
}

/// Where providers put a finish reason: below the document, or below each of its choices.
const REASON_KEYS: [&str; 6] =
    ["finish_reason", "finishReason", "FinishReason", "stop_reason", "done_reason", "native_finish_reason"];

/// Lists of choices.
const CHOICE_KEYS: [&str; 3] = ["choices", "Choices", "candidates"];

/// What may hold the answer one level down: DashScope, Tencent Cloud, OpenAI Responses, Anthropic, Spark.
const INNER_KEYS: [&str; 6] = ["output", "Response", "response", "delta", "message", "payload"];

/// Everything in `document` that can hold a finish reason.
fn levels(document: &Value) -> impl Iterator<Item = &Value> {
    let inner = INNER_KEYS.iter().filter_map(move |name| document.get(*name));
    std::iter::once(document).chain(inner).flat_map(|level| {
        let choices = CHOICE_KEYS.iter().filter_map(move |name| level.get(*name)?.as_array());
        std::iter::once(level).chain(choices.flatten().take(8))
    })
}

fn reasons(document: &Value) -> impl Iterator<Item = &str> {
    levels(document).flat_map(|level| REASON_KEYS.iter().filter_map(move |name| level.get(*name)?.as_str()))
}

/// A fault that a document without an error shows.
fn in_document(document: &Value) -> Option<Finding> {
    let filtered = |text: &str| Some(fault(ErrorClass::ContentFilter, text));
    let blocked = document.get("promptFeedback").and_then(|feedback| feedback.get("blockReason")?.as_str());
    if let Some(reason) = blocked.filter(|reason| *reason != "BLOCK_REASON_UNSPECIFIED") {
        return filtered(&format!("prompt blocked: {reason}"));
    }
    if let Some(found) = reasons(document).find_map(by_reason) {
        return Some(found);
    }
    for level in levels(document) {
        let is_true = |name: &str| level.get(name).and_then(Value::as_bool) == Some(true);
        // OpenAI Responses: the whole answer, or the answer inside the last event.
        let reason = level.get("incomplete_details").and_then(|details| details.get("reason")?.as_str());
        let is_response = level.get("object").and_then(Value::as_str) == Some("response");
        let status = level.get("status").and_then(Value::as_str).filter(|_| is_response);
        if let Some(found) = reason.or(status).and_then(by_reason) {
            return Some(found);
        }
        // Baidu (also `flag`), MiniMax, Hunyuan.
        if let Some(mark) =
            ["need_clear_history", "input_sensitive", "output_sensitive"].into_iter().find(|name| is_true(name))
        {
            return filtered(mark);
        }
        let is_set = |name: &str| level.get(name).and_then(body::integer).is_some_and(|number| number != 0);
        if let Some(mark) = ["flag", "ban_round"].into_iter().find(|name| is_set(name)) {
            return filtered(mark);
        }
        if level.get("ModerationLevel").is_some_and(|level| level == "1" || level == 1) {
            return filtered("ModerationLevel");
        }
        let places = [Some(level), level.get("message"), level.get("delta")];
        let refusal = places.into_iter().flatten().find_map(|place| place.get("refusal")?.as_str());
        if refusal.is_some_and(|text| !text.is_empty()) {
            return filtered("refusal");
        }
    }
    let no_choices = document.get("choices").is_some_and(Value::is_null) && document.get("usage").is_none();
    no_choices.then(|| fault(ErrorClass::InvalidResponse, "an answer without choices"))
}

/// A document that ends a stream.
fn is_end(document: &Value) -> bool {
    let kind = document.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_true = |name: &str| document.get(name).and_then(Value::as_bool) == Some(true);
    let last_frame = document.get("header").and_then(|header| body::integer(header.get("status")?)) == Some(2);
    finish_reason::TERMINAL_EVENTS.contains(&kind)
        || is_true("done")
        || is_true("is_end")
        || last_frame
        || reasons(document).any(|reason| !reason.is_empty() && reason != "null")
}
