//! Errors that repeat the prompt: the words of a user must not say what the service is like.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::ErrorClass::*;
use super::*;

const PROMPT: &str = "Why is my account balance insufficient? Has it to do with the monthly usage limit?";

fn class(status: u16, message: &str, body: Option<Value>) -> ErrorClass {
    let facts = ErrorFacts { status: Some(status), message: message.to_owned(), body, ..Default::default() };
    classify(&facts, SystemTime::UNIX_EPOCH).class
}

#[test]
fn the_message_of_the_client_opens_no_breaker_that_the_status_leaves_alone() {
    for (status, plain) in [(400, BadRequest), (403, Auth), (409, BadRequest), (422, BadRequest)] {
        assert_eq!(class(status, &format!("{status} invalid character in \"{PROMPT}\""), None), plain);
        assert_eq!(class(status, &format!("cannot read: {PROMPT}"), None), plain);
        assert_eq!(class(status, PROMPT, Some(json!({"error": {"message": "no", "code": "odd"}}))), plain);
        assert_eq!(class(status, PROMPT, Some(json!({"error": {"type": "invalid_request_error"}}))), plain);
    }
    let facts = ErrorFacts {
        status: Some(403),
        body: Some(json!({"error": {"message": "no"}})),
        message: "403 in: \"I have reached your usage limit\"".to_owned(),
        provider: Some("moonshot".to_owned()),
        ..Default::default()
    };
    assert_eq!(classify(&facts, SystemTime::UNIX_EPOCH).class, Auth);
    assert_eq!(class(429, "429 Insufficient balance", None), Quota, "a 429 does not leave it alone");
}

#[test]
fn a_quotation_in_the_body_of_the_provider_does_not_either() {
    for quotation in [
        format!("invalid character in \"{PROMPT}\""),
        format!("1 validation error: [input_value='{PROMPT}', input_type=str]"),
        format!("参数错误：“{PROMPT}”"),
        format!("cut off: `{PROMPT}"),
    ] {
        for body in [
            json!({"error": {"message": quotation, "type": "invalid_request_error"}}),
            json!({"error": {"message": quotation, "code": "invalid_argument"}}),
            json!({"detail": quotation}),
            json!(quotation),
        ] {
            for status in [400, 403, 422] {
                let class = class(status, "", Some(body.clone()));
                assert_eq!(class.handling().breaker, BreakerVerdict::Neutral, "{status} {body}: {class}");
            }
        }
    }
}

#[test]
fn an_error_of_a_provider_in_the_prompt_does_not_either() {
    let error = json!({"error": {"code": "insufficient_quota", "message": "no money"}});
    let quoted = format!("400 cannot read {error} in the prompt");
    assert_eq!(class(400, &quoted, None), BadRequest);
    assert_eq!(class(403, &quoted, None), Auth);
    assert_eq!(class(429, &quoted, None), Quota);
    let in_words = json!({"error": {"message": "insufficient balance", "type": "invalid_request_error"}});
    assert_eq!(class(400, &format!("400 cannot read {in_words} in the prompt"), None), BadRequest);
    let coded = ErrorFacts { code: Some("Arrearage".into()), status: Some(400), message: quoted, ..Default::default() };
    assert_eq!(classify(&coded, SystemTime::UNIX_EPOCH).class, Quota, "the code is the error's own");
    let too_long = json!({"error": {"code": "context_length_exceeded", "message": "too long"}});
    assert_eq!(class(400, &format!("400 {too_long} (request id: 1)"), None), ContextLength, "that opens nothing");
}

#[test]
fn what_the_provider_itself_says_counts() {
    let told = "You've no money: your account balance is insufficient for model \"m\".";
    for body in [json!({"error": {"message": told}}), json!({"message": told, "code": 30011}), json!(told)] {
        assert_eq!(class(400, "", Some(body.clone())), Quota, "{body}");
        assert_eq!(class(403, "HTTP 403", Some(body.clone())), Quota, "{body}");
    }
    let error = json!({"error": {"message": told, "type": "invalid_request_error"}});
    assert_eq!(class(400, &format!("400 {error}"), None), Quota, "as the SDK of Anthropic puts it");
    let coded =
        ErrorFacts { code: Some("Arrearage".into()), status: Some(400), message: PROMPT.into(), ..Default::default() };
    assert_eq!(classify(&coded, SystemTime::UNIX_EPOCH).class, Quota, "a code is no prompt");
    let answer = AnswerFacts { body: Some(json!({"error": {"code": 400, "message": told}})), ..Default::default() };
    assert_eq!(classify_answer(&answer, SystemTime::UNIX_EPOCH).unwrap().class, Quota);
}

#[test]
fn a_wait_in_a_prompt_is_no_wait_of_the_service() {
    let facts = |status| ErrorFacts {
        status: Some(status),
        message: format!("{status} worker crashed on prompt: \"please wait 9000h\", she said"),
        ..Default::default()
    };
    let error = classify(&facts(500), SystemTime::UNIX_EPOCH);
    assert_eq!((error.class, error.retry_after, error.retry_after_malformed), (Server, None, None));
    let error = classify(&facts(429), SystemTime::UNIX_EPOCH);
    assert_eq!((error.retry_after, error.retry_after_malformed.as_deref()), (None, Some("wait 9000h")));
}
