use std::time::SystemTime;

use serde_json::{Value, json};

use super::ErrorClass::*;
use super::body::{Place, ProviderError};
use super::*;

fn judge(facts: ErrorFacts) -> CallError {
    classify(&facts, SystemTime::UNIX_EPOCH)
}

fn answer(body: Value) -> Option<CallError> {
    classify_answer(&AnswerFacts { body: Some(body), ..Default::default() }, SystemTime::UNIX_EPOCH)
}

#[test]
fn each_code_is_kept_once_and_sixteen_at_most_and_those_of_success_are_not() {
    let mut error = ProviderError::default();
    ["ok", " 0 ", "Success", "c0", " c0"].into_iter().for_each(|text| error.push(Place::Code, text));
    assert_eq!(error.codes.len(), 1);
    (0..20).for_each(|number| error.push(Place::Detail, &format!("c{number}")));
    assert_eq!(error.codes.len(), 16);
}

#[test]
fn the_first_code_that_is_a_status_is_the_status() {
    let mut error = ProviderError::default();
    error.push(Place::Detail, "429");
    assert_eq!(error.status, None, "a detail is none");
    error.push(Place::Code, "odd");
    error.push(Place::Code, "503");
    error.push(Place::Code, "400");
    assert_eq!(error.status, Some(503));
}

#[test]
fn a_short_number_says_nothing_without_its_provider() {
    let numbered = |code: u32| {
        let error = json!({"error": {"code": code, "message": "odd"}});
        judge(ErrorFacts { body: Some(error), ..Default::default() }).class
    };
    assert_eq!((numbered(18), numbered(336_501)), (Unknown, RateLimit), "both of Qianfan");
}

#[test]
fn the_first_of_a_list_of_errors_counts() {
    let list = json!({"error": [{"code": "insufficient_quota"}, {"code": "invalid_api_key"}]});
    assert_eq!(judge(ErrorFacts { body: Some(list), ..Default::default() }).class, Quota);
}

#[test]
fn a_message_of_an_error_beside_an_answer_is_no_error_without_its_type() {
    let class = |body| answer(body).map(|error| error.class);
    let choices = json!([{"message": {"content": "Hi"}, "finish_reason": "stop"}]);
    assert_eq!(class(json!({"choices": choices, "error_message": "none"})), None);
    assert_eq!(class(json!({"detail": ""})), None);
    assert_eq!(
        class(json!({"choices": choices, "error_message": "Busy", "error_type": "overloaded_error"})),
        Some(Overloaded)
    );
}

#[test]
fn a_status_beside_the_error_is_one_too() {
    for (name, value, expected) in [
        ("status", json!(429), RateLimit),
        ("statusCode", json!(" 429 "), RateLimit),
        ("status_code", json!(429.0), RateLimit),
        ("status", json!(200), Unknown),
        ("statusCode", json!("429.5"), Unknown),
    ] {
        let mut body = json!({"error": {"message": "odd"}});
        body[name] = value;
        assert_eq!(judge(ErrorFacts { body: Some(body.clone()), ..Default::default() }).class, expected, "{body}");
    }
}

#[test]
fn four_digits_in_brackets_at_the_end_of_a_message_are_a_code() {
    let code = |message: &str| {
        let body = Some(json!({"error": {"message": message}}));
        judge(ErrorFacts { body, ..Default::default() }).provider_code
    };
    assert_eq!(code("sensitive (1026)").as_deref(), Some("1026"));
    for none in ["sensitive (soon)", "sensitive (10261)", "sensitive (1026) word"] {
        assert_eq!(code(none), None, "{none}");
    }
}

#[test]
fn a_part_of_an_answer_beside_an_error_was_billed() {
    let billed = |part: Value| {
        let body = json!({"error": {"code": "rate_limit_exceeded"}, "output": part});
        answer(body).expect("an error").maybe_billed
    };
    assert!([json!(null), json!(""), json!([]), json!({})].into_iter().all(|none| !billed(none)));
    assert!([json!("Hi"), json!([1]), json!({"text": ""}), json!(1)].into_iter().all(billed));
}

#[test]
fn a_code_is_an_error_beside_its_type_and_a_type_beside_its_message() {
    let class = |body| answer(body).map(|error| error.class);
    assert_eq!(class(json!({"code": "insufficient_quota"})), None);
    assert_eq!(class(json!({"code": "insufficient_quota", "type": "odd"})), Some(Quota));
    assert_eq!(class(json!({"code": "insufficient_quota", "innererror": {}})), Some(Quota));
    assert_eq!(class(json!({"message": "odd", "type": "overloaded_error"})), Some(Overloaded), "nor without a code");
    assert_eq!(class(json!({"message": "odd", "type": "message"})), None, "answers have types too");
}

/// What only the rules of that provider say.
#[test]
fn the_shape_of_an_error_tells_whose_it_is() {
    let class = |body| answer(body).map(|error| error.class);
    let expired = "invalid access token or token expired";
    assert_eq!(class(json!({"code": "Odd", "message": expired, "request_id": "r"})), Some(Auth), "DashScope");
    assert_eq!(class(json!({"code": 99, "message": "AppIdQpsOverFlowError", "sid": "s"})), Some(RateLimit), "Spark");
    assert_eq!(class(json!({"error_code": "18", "error_msg": "odd"})), Some(RateLimit), "Qianfan");
    let user = json!({"code": "Odd", "message": expired, "request_id": "r", "user_id": "u"});
    assert_eq!(class(user), Some(Auth), "a user's id makes it no other one's");
    let not_dash_scope = json!({"code": "Odd", "message": expired, "request_id": "r", "type": "t"});
    assert_eq!(class(not_dash_scope), Some(Unknown));
    assert_eq!(class(json!({"code": "18", "message": "odd"})), Some(Unknown), "as `error_code` it is Qianfan's");
}
