//! A failed reply or an answer, however it looks: it is judged, what is kept of it is bounded, and what the client says wins.
//!
//! An input reads like a reply. Lines before the first empty one are headers (`retry-after: 20`) or, with a colon first,
//! facts of the client (`:status 429`, `:code ECONNRESET`); what follows is the body.

use std::time::{Duration, SystemTime};

use resilience::MAX_DURATION;
use resilience::classify::{
    AnswerFacts, CallError, Code, ErrorClass, ErrorFacts, MAX_CODE_BYTES, MAX_MESSAGE_BYTES, classify, classify_answer,
};
use serde_json::Value;

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (head, body) = text.split_once("\n\n").unwrap_or((&text, ""));
    let (facts, finish_reason) = read(head);
    // As the client has it: text, or JSON that it has read already.
    let bodies = [(!body.is_empty()).then(|| Value::from(body)), serde_json::from_str(body).ok()];
    for body in bodies {
        let facts = ErrorFacts { body, ..facts.clone() };
        judge(&facts);
        let ErrorFacts { body, headers, provider, .. } = facts;
        judge_answer(&AnswerFacts { finish_reason: finish_reason.clone(), body, headers, provider });
    }
}

fn read(head: &str) -> (ErrorFacts, Option<String>) {
    let (mut facts, mut finish_reason) = (ErrorFacts::default(), None);
    for line in head.lines() {
        let Some(fact) = line.strip_prefix(':') else {
            if let Some((name, value)) = line.split_once(": ") {
                facts.headers.push((name.to_owned(), value.to_owned()));
            }
            continue;
        };
        let (name, value) = fact.split_once(' ').unwrap_or((fact, ""));
        let text = || Some(value.to_owned());
        match name {
            "class" => facts.class = text(),
            "retryable" => facts.retryable = value.parse().ok(),
            "status" => facts.status = value.parse().ok(),
            "code" => facts.code = Some(value.parse().map_or_else(|_| Code::from(value), Code::Number)),
            "name" => facts.name = text(),
            "message" => facts.message = value.to_owned(),
            "wait" => facts.retry_after_ms = value.parse().ok(),
            "sent" => facts.sent = value.parse().ok(),
            "provider" => facts.provider = text(),
            "finish" => finish_reason = text(),
            _ => {}
        }
    }
    (facts, finish_reason)
}

/// 21 October 2026.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_792_567_680)
}

fn judge(facts: &ErrorFacts) {
    let error = classify(facts, now());
    is_sound(&error);
    if let Some(said) = facts.class.as_deref().and_then(ErrorClass::from_name) {
        assert_eq!(error.class, said, "the client says the class");
    }
    if let Some(said) = facts.retryable {
        assert_eq!(error.is_retryable(), said, "the client says whether it is retried");
    }
    if let Some(status) = facts.status.filter(|status| (400..=599).contains(status)) {
        assert_eq!(error.status, Some(status), "the status of the reply");
    }
    let said = facts.retry_after_ms.filter(|wait| wait.is_finite() && *wait >= 0.0);
    if let Some(wait) = said {
        let expected = wait.ceil().min(MAX_DURATION.as_millis() as f64);
        let found = error.retry_after.expect("the client says the wait");
        assert_eq!(found.wait.as_millis() as f64, expected);
    }
    assert!(!(facts.sent == Some(false) && error.maybe_billed), "what was not sent is not billed");
}

fn judge_answer(facts: &AnswerFacts) {
    classify_answer(facts, now()).iter().for_each(is_sound);
}

fn is_sound(error: &CallError) {
    let CallError { message, provider_code, retry_after, retry_after_malformed, .. } = error;
    assert!(!message.is_empty() && message.len() <= MAX_MESSAGE_BYTES, "{message}");
    for kept in [provider_code, retry_after_malformed].into_iter().flatten() {
        assert!(kept.len() <= MAX_CODE_BYTES, "{kept}");
    }
    if let Some(retry_after) = retry_after {
        let wait = retry_after.wait;
        assert!(wait <= MAX_DURATION && wait.subsec_nanos() % 1_000_000 == 0, "{wait:?}");
    }
    assert_eq!(ErrorClass::from_name(error.class.as_str()), Some(error.class));
    let _ = error.to_string();
}
