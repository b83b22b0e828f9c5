//! Tests with hostile and random input: nothing panics, nothing costs much, limits hold.

use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::MAX_DURATION;

#[test]
fn hostile_bodies_cost_little() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let bodies = [
        deep.clone(),
        format!("{{\"error\":{deep}}}"),
        "{\"a\":[\n".repeat(50_000),
        "data: {\n".repeat(50_000),
        "data: {\"a\":1}\n".repeat(50_000),
        "data: [1,\n".repeat(50_000),
        ":HTTP_STATUS/429\n".repeat(50_000),
        "\\\"{".repeat(100_000),
        "{".repeat(300_000),
        "limit 1 requested ".repeat(30_000),
        "model ".repeat(100_000),
        "retry after 1".repeat(50_000),
        "(".repeat(300_000),
        "限".repeat(100_000),
    ];
    for text in bodies {
        let began = std::time::Instant::now();
        let body = Value::from(text.as_str());
        let facts =
            ErrorFacts { status: Some(429), message: text.clone(), body: Some(body.clone()), ..Default::default() };
        classify(&facts, SystemTime::UNIX_EPOCH);
        classify_answer(&AnswerFacts { body: Some(body), ..Default::default() }, SystemTime::UNIX_EPOCH);
        // A debug build on a busy machine: quadratic work would take minutes.
        assert!(began.elapsed() < Duration::from_secs(5), "{}…", crate::text::cut(&text, 20));
    }
}

/// A stream of so many bytes with this as its last line.
fn stream(bytes: usize, last_line: &str) -> Value {
    let begin = "event: message\n:";
    Value::from(format!("{begin}{}\n{last_line}", "x".repeat(bytes - begin.len() - 1 - last_line.len())))
}

#[test]
fn a_stream_is_read_up_to_the_last_byte_of_the_limit() {
    const ERROR: &str = r#"data: {"error":{"code":"rate_limit_exceeded","message":"slow down"}}"#;
    let answer = |bytes, last_line| {
        let facts = AnswerFacts { body: Some(stream(bytes, last_line)), ..Default::default() };
        classify_answer(&facts, SystemTime::UNIX_EPOCH).map(|error| error.class)
    };
    let limit = 16 << 20;
    assert_eq!([limit, limit + 1].map(|bytes| answer(bytes, ERROR)), [Some(ErrorClass::RateLimit), None]);
    let without_end = [limit, limit + 1].map(|bytes| answer(bytes, "data: {}"));
    assert_eq!(without_end, [Some(ErrorClass::Interrupted), None], "the end of a longer one was not looked for");
    let error = |bytes| {
        let facts = ErrorFacts { body: Some(stream(bytes, ERROR)), ..Default::default() };
        classify(&facts, SystemTime::UNIX_EPOCH).class
    };
    let limit = 256 << 10;
    assert_eq!([limit, limit + 1].map(error), [ErrorClass::RateLimit, ErrorClass::Unknown]);
}

/// JSON of a few levels with the keys that are read and the words that have rules.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "",
        "0",
        "429",
        "1113",
        "error",
        "insufficient_quota",
        "rate_limit_error",
        "overloaded_error",
        "InferHub.4291.200",
        "reset at 2026-07-12 04:30:37",
        "try again in 20s",
        "(1026)",
        "{\"error\":{\"code\":1}}",
        "data: {\"error\":\"x\"}",
        "模型不存在",
        "limit 5 requested 9",
        "PerDay",
        "34.5s",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "error",
        "code",
        "type",
        "message",
        "msg",
        "status",
        "details",
        "detail",
        "metadata",
        "error_code",
        "error_msg",
        "base_resp",
        "status_code",
        "header",
        "Response",
        "Error",
        "Code",
        "ErrorMsg",
        "errors",
        "innererror",
        "violations",
        "quotaId",
        "retryDelay",
        "retry_after",
        "resets_at",
        "resets_in_seconds",
        "choices",
        "finish_reason",
        "raw",
        "reasons",
        "object",
        "data",
        "usage",
    ]);
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|fields| fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()),
        ]
    })
}

fn any_body() -> impl Strategy<Value = Option<Value>> {
    let text = any_json().prop_map(|value| Value::from(value.to_string()));
    let lines = prop::collection::vec(("(data:|event:|:|)", any_json()), 0..5).prop_map(|lines| {
        Value::from(lines.iter().map(|(field, value)| format!("{field} {value}\n")).collect::<String>())
    });
    prop::option::of(prop_oneof![
        any_json(),
        text,
        lines,
        "\\PC{0,80}".prop_map(Value::from),
        ".{0,80}".prop_map(Value::from)
    ])
}

fn any_headers() -> impl Strategy<Value = Vec<(String, String)>> {
    let name = prop::sample::select(vec![
        "retry-after",
        "Retry-After-Ms",
        "date",
        "x-should-retry",
        "x-ratelimit-reset-tokens",
        "x-ratelimit-remaining-tokens",
        "anthropic-ratelimit-tokens-reset",
        "anthropic-ratelimit-unified-reset",
    ]);
    let value = prop_oneof![
        "\\PC{0,30}",
        any::<f64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        Just("Wed, 21 Oct 2026 07:28:00 GMT".to_owned()),
        Just("2026-10-21T07:28:00Z".to_owned()),
        Just("6m0s".to_owned()),
    ];
    prop::collection::vec((name.prop_map(str::to_owned), value), 0..5)
}

fn any_facts() -> impl Strategy<Value = ErrorFacts> {
    let code = prop_oneof![
        any::<i64>().prop_map(Code::Number),
        "\\PC{0,20}".prop_map(Code::Text),
        Just(Code::from("ECONNRESET"))
    ];
    let message = prop_oneof![
        "\\PC{0,1200}",
        ".{0,100}",
        any_json().prop_map(|value| format!("429 {value}")),
        "(503|HTTP 429|try again in|reset at|limit|requested|retry after)[ 0-9a-z:.]{0,30}",
    ];
    (
        (prop::option::of("\\PC{0,12}"), any::<Option<bool>>(), any::<Option<u16>>(), prop::option::of(code)),
        (prop::option::of("\\PC{0,12}"), message, any_headers(), any_body()),
        (any::<Option<f64>>(), any::<Option<bool>>(), prop::option::of("(kimi|dashscope|minimax|\\PC{0,12})")),
    )
        .prop_map(
            |((class, retryable, status, code), (name, message, headers, body), (retry_after_ms, sent, provider))| {
                ErrorFacts {
                    class,
                    retryable,
                    status,
                    code,
                    name,
                    message,
                    headers,
                    body,
                    retry_after_ms,
                    sent,
                    provider,
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_comes_in_breaks_it(facts in any_facts(), seconds in any::<u32>()) {
        let wall_clock = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.into());
        let error = classify(&facts, wall_clock);
        prop_assert_eq!(&error, &classify(&facts, wall_clock));
        prop_assert!(error.message.len() <= MAX_MESSAGE_BYTES && !error.message.is_empty());
        prop_assert!(error.provider_code.as_ref().is_none_or(|code| code.len() <= MAX_CODE_BYTES));
        prop_assert!(error.retry_after_malformed.as_ref().is_none_or(|raw| raw.len() <= MAX_CODE_BYTES));
        prop_assert!(error.retry_after.is_none_or(|after| after.wait <= MAX_DURATION && after.wait.subsec_nanos() % 1_000_000 == 0));
    }

    #[test]
    fn no_answer_breaks_it(body in any_body(), finish_reason in prop::option::of("\\PC{0,12}"), headers in any_headers()) {
        let facts = AnswerFacts { body, finish_reason, headers, ..Default::default() };
        let error = classify_answer(&facts, SystemTime::UNIX_EPOCH);
        prop_assert_eq!(&error, &classify_answer(&facts, SystemTime::UNIX_EPOCH));
        prop_assert!(error.is_none_or(|error| error.message.len() <= MAX_MESSAGE_BYTES && !error.message.is_empty()));
    }

    #[test]
    fn digits_inside_a_text_are_no_status(before in "[a-z]{1,12}", status in 400u16..600, after in "[a-z]{1,12}") {
        let facts = ErrorFacts { message: format!("{before} {status} {after}"), ..Default::default() };
        let error = classify(&facts, SystemTime::UNIX_EPOCH);
        let prefix = ["error", "http", "status"].contains(&before.as_str());
        prop_assert!(prefix || error.status.is_none());
    }
}
