//! Tests of [`classify`]: order of reading, transports, names, messages.

use std::time::{Duration, SystemTime};

use serde_json::json;

use super::ErrorClass::*;
use super::*;

fn judge(facts: ErrorFacts) -> CallError {
    classify(&facts, SystemTime::UNIX_EPOCH)
}

fn coded(code: impl Into<Code>) -> ErrorFacts {
    ErrorFacts { code: Some(code.into()), ..Default::default() }
}

fn named(name: &str, message: &str) -> ErrorFacts {
    ErrorFacts { name: Some(name.into()), message: message.into(), ..Default::default() }
}

fn said(message: &str) -> ErrorFacts {
    ErrorFacts { message: message.into(), ..Default::default() }
}

fn with_status(status: u16) -> ErrorFacts {
    ErrorFacts { status: Some(status), ..Default::default() }
}

#[test]
fn what_the_client_says_wins() {
    let quota = json!({"error": {"code": "insufficient_quota"}});
    let facts = ErrorFacts { class: Some("overloaded".into()), body: Some(quota.clone()), ..with_status(400) };
    let error = judge(facts);
    assert_eq!((error.class, error.status), (Overloaded, Some(400)));
    let unknown_name = ErrorFacts { class: Some("Overloaded".into()), body: Some(quota), ..with_status(400) };
    assert_eq!(judge(unknown_name).class, Quota);
    for class in ErrorClass::ALL {
        assert_eq!(judge(ErrorFacts { class: Some(class.to_string()), ..Default::default() }).class, class);
    }
}

#[test]
fn a_class_that_the_client_gave_stays_where_nothing_was_sent() {
    let unsent = |class: Option<&str>| {
        let facts = ErrorFacts { class: class.map(str::to_owned), sent: Some(false), ..said("connection reset") };
        judge(facts).class
    };
    assert_eq!((unsent(None), unsent(Some("interrupted"))), (Connect, Interrupted));
}

#[test]
fn a_connection_lost_before_tls_never_was_one() {
    let reset = |message: &str| judge(ErrorFacts { message: message.to_owned(), ..coded("ECONNRESET") }).class;
    assert_eq!(reset("socket disconnected before secure TLS connection was established"), Connect);
    assert_eq!(reset("socket hang up"), Interrupted);
}

#[test]
fn a_request_that_is_above_the_limit_by_itself_is_too_large() {
    for (requested, expected) in [(99, RateLimit), (100, RateLimit), (101, ContextLength)] {
        let message = format!("Rate limit reached for tokens per minute: Limit 100, Requested {requested}.");
        let with_code = |code| judge(ErrorFacts { message: message.clone(), ..coded(code) }).class;
        assert_eq!(
            (with_code("rate_limit_exceeded"), with_code("insufficient_quota")),
            (expected, Quota),
            "{requested}"
        );
    }
}

#[test]
fn retryable_comes_from_the_error_or_from_x_should_retry() {
    let header = |value: &str| vec![("X-Should-Retry".to_owned(), value.to_owned())];
    let facts = |retryable, value| ErrorFacts { retryable, headers: header(value), ..with_status(429) };
    assert!(!judge(facts(None, "false")).is_retryable());
    assert!(judge(facts(Some(true), "false")).is_retryable(), "the error wins over the header");
    assert_eq!(judge(facts(None, "maybe")).retryable, None);
    let rescued = judge(ErrorFacts { headers: header(" TRUE "), ..with_status(400) });
    assert!(rescued.is_retryable() && rescued.class == BadRequest);
}

#[test]
fn each_class_of_the_error_table_has_a_way_in() {
    let body = |code: &str| Some(json!({"error": {"code": code, "message": ""}}));
    let reached = [
        judge(with_status(429)).class,
        judge(with_status(503)).class,
        judge(with_status(500)).class,
        judge(coded(2_300_028)).class,
        judge(coded("ECONNREFUSED")).class,
        judge(coded("ECONNRESET")).class,
        judge(with_status(402)).class,
        judge(with_status(401)).class,
        judge(with_status(404)).class,
        judge(ErrorFacts { body: body("context_length_exceeded"), ..with_status(400) }).class,
        judge(ErrorFacts { body: body("content_filter"), ..with_status(400) }).class,
        judge(with_status(400)).class,
        judge(coded(1_007_900_991)).class,
        judge(with_status(501)).class,
        judge(coded("ENETDOWN")).class,
        judge(coded(1_007_900_992)).class,
        judge(named("TypeError", "x is not a function")).class,
        // As the errors of this module's own bulkheads and breakers say.
        judge(ErrorFacts { class: Some("rejected".to_owned()), ..said("no place") }).class,
        judge(said("odd")).class,
    ];
    assert_eq!(reached, ErrorClass::ALL);
}

#[test]
fn codes_of_harmonyos() {
    assert_eq!(judge(coded(2_300_023)).class, Cancelled);
    assert_eq!(judge(coded("2300007")).class, Connect, "as text");
    assert_eq!(judge(ErrorFacts { message: "Timeout was reached".into(), ..coded(2_300_028) }).class, Timeout);
    let parameter = ErrorFacts { message: "Parameter error. The type must be string.".into(), ..coded(401) };
    assert_eq!(judge(parameter).class, ClientBug);
    assert_eq!(judge(coded(401)).class, Auth, "without the words it is a status");
    assert_eq!(judge(ErrorFacts { message: "Permission denied".into(), ..coded(201) }).class, ClientBug);
    assert_eq!(judge(coded(201)).class, Unknown);
    assert_eq!(judge(coded(2_300_999)).class, Unknown);
    assert_eq!(judge(ErrorFacts { message: "SSL routines failed".into(), ..coded(2_300_999) }).class, Protocol);
}

#[test]
fn a_status_may_stand_in_code() {
    for code in [Code::from(429), Code::from("429")] {
        let error = judge(ErrorFacts { code: Some(code), ..Default::default() });
        assert_eq!((error.class, error.status), (RateLimit, Some(429)));
    }
    assert_eq!(judge(coded(20)).class, Unknown);
    assert_eq!(judge(coded(-111)).class, Unknown);
    assert_eq!(judge(coded("insufficient_quota")).class, Quota, "SDKs put the provider's code there");
}

#[test]
fn a_name_of_the_transport_is_no_code_of_a_provider() {
    let error = judge(ErrorFacts { code: Some("ERR_BAD_RESPONSE".into()), ..with_status(500) });
    assert_eq!((error.class, error.provider_code), (Server, None));
}

#[test]
fn numbers_may_arrive_as_floats() {
    let zhipu =
        judge(ErrorFacts { body: Some(json!({"error": {"code": 1113.0, "message": "m"}})), ..with_status(429) });
    assert_eq!((zhipu.class, zhipu.provider_code.as_deref()), (Quota, Some("1113")));
    let openrouter = json!({"error": {"code": 503.0, "message": "m"}});
    assert_eq!(judge(ErrorFacts { body: Some(openrouter), ..Default::default() }).status, Some(503));
    let fine = json!({"base_resp": {"status_code": 0.0}, "error_code": 0.0, "header": {"code": -0.0}});
    assert_eq!(classify_answer(&AnswerFacts { body: Some(fine), ..Default::default() }, SystemTime::UNIX_EPOCH), None);
}

#[test]
fn a_status_of_zero_or_of_success_does_not_hide_what_the_transport_says() {
    for (status, alone) in [(0, Unknown), (200, InvalidResponse), (204, InvalidResponse)] {
        assert_eq!(judge(ErrorFacts { code: Some("ECONNRESET".into()), ..with_status(status) }).class, Interrupted);
        assert_eq!(judge(with_status(status)).class, alone);
    }
}

#[test]
fn names_of_javascript() {
    for (name, message, class) in [
        ("AbortError", "This operation was aborted", Cancelled),
        ("AbortError", "The operation was aborted due to timeout", Timeout),
        ("CanceledError", "canceled", Cancelled),
        ("TimeoutError", "signal timed out", Timeout),
        ("TypeError", "Cannot read properties of undefined (reading 'choices')", ClientBug),
        ("TypeError", "client.chat is not a function", ClientBug),
        ("TypeError", "Failed to parse URL from nowhere", ClientBug),
        ("TypeError", "fetch failed", Connect),
        ("TypeError", "Failed to fetch", Connect),
        ("TypeError", "TypeError: fetch failed", Connect),
        ("TypeError", "fetch failed: read ECONNRESET", Interrupted),
        ("TypeError", "terminated", Interrupted),
        ("TypeError", "network error", Interrupted),
        ("TypeError", "Network request failed", Connect),
        ("RangeError", "Invalid array length", ClientBug),
        ("ReferenceError", "url is not defined", ClientBug),
        ("SyntaxError", "Unexpected identifier", ClientBug),
        ("SyntaxError", "Unexpected token '<', \"<html>\" is not valid JSON", InvalidResponse),
        ("SyntaxError", "Unexpected end of JSON input", InvalidResponse),
        ("APIConnectionError", "Connection error.", Connect),
        ("RateLimitError", "", RateLimit),
        ("Error", "odd", Unknown),
        ("MyError", "503 Service Unavailable", Overloaded),
    ] {
        assert_eq!(judge(named(name, message)).class, class, "{name}: {message}");
    }
}

#[test]
fn the_cause_of_a_failed_fetch_wins_over_its_name() {
    for (code, class) in [
        ("ECONNREFUSED", Connect),
        ("ENOTFOUND", Connect),
        ("ECONNRESET", Interrupted),
        ("UND_ERR_HEADERS_TIMEOUT", Timeout),
        ("CERT_HAS_EXPIRED", Protocol),
        ("UND_ERR_SOMETHING_NEW", Connect),
    ] {
        let facts = ErrorFacts { code: Some(code.into()), ..named("TypeError", "fetch failed") };
        assert_eq!(judge(facts).class, class, "{code}");
    }
}

#[test]
fn a_message_counts_when_it_begins_with_a_status() {
    for (message, class) in [
        ("503 Service Unavailable", Overloaded),
        ("503", Overloaded),
        ("429 Too Many Requests", RateLimit),
        ("HTTP 503", Overloaded),
        ("HTTP/1.1 502 Bad Gateway", Server),
        ("HTTP 404: not here", ModelNotFound),
        ("Error: 503 upstream", Overloaded),
        ("Error code: 429 - slow down", RateLimit),
        ("status code 503", Overloaded),
        ("Request failed with status code 500", Server),
        ("HTTP error! status: 503", Overloaded),
        ("HTTP error! Status: 404", ModelNotFound),
        ("Server responded with status 503", Overloaded),
        ("The status 503 is odd", Unknown),
        ("http error 503", Overloaded),
        ("[503] busy", Overloaded),
        ("status_code:500, body lost", Server),
        ("429：请求过多", RateLimit),
        ("AxiosError: Request failed with status code 503", Overloaded),
        ("openai.RateLimitError: Error code: 429 - slow", RateLimit),
        ("API error 529", Overloaded),
        ("NoError here: 503", Unknown),
        ("503.5 is a number", Unknown),
        ("5030 items", Unknown),
        ("500 tokens used", Unknown),
        ("503ms passed", Unknown),
        ("line 503", Unknown),
        ("the code was 503", Unknown),
        ("12.503", Unknown),
        ("errors 503", Unknown),
        ("200 OK", Unknown),
        ("999 odd", Unknown),
        ("４２９ Too fast", Unknown),
    ] {
        assert_eq!(judge(said(message)).class, class, "{message}");
    }
}

#[test]
fn a_message_counts_when_it_names_an_errno_or_says_the_same_in_words() {
    for (message, class) in [
        ("read ECONNRESET", Interrupted),
        ("getaddrinfo ENOTFOUND api.example.com", Connect),
        ("getaddrinfo EAI_AGAIN api.example.com", Connect),
        ("connect ECONNREFUSED 127.0.0.1:5000", Connect),
        ("connect ETIMEDOUT 10.0.0.1:443", Connect),
        ("read ETIMEDOUT", Timeout),
        ("net::ERR_INTERNET_DISCONNECTED", Offline),
        ("net::ERR_NAME_NOT_RESOLVED", Connect),
        ("write EPIPE", Interrupted),
        ("connection refused on port 5000", Connect),
        ("socket hang up", Interrupted),
        ("Request timed out.", Timeout),
        ("timeout of 5000ms exceeded", Timeout),
        ("LLM timeout", Timeout),
        ("invalid timeout value", Unknown),
        ("连接被重置", Interrupted),
        ("连接被拒绝", Connect),
        ("配额耗尽", Quota),
        ("参数错误", BadRequest),
        ("unable to verify the first certificate", Protocol),
        ("Request was aborted.", Cancelled),
        ("no internet connection", Offline),
        ("Client network socket disconnected before secure TLS connection was established", Connect),
        ("Timeout was reached", Timeout),
        ("Failure when receiving data from the peer", Interrupted),
        ("网络不可用", Offline),
        ("服务器繁忙", Overloaded),
        ("The daily report could not be made", Unknown),
        ("econnresets are odd", Unknown),
        ("", Unknown),
    ] {
        assert_eq!(judge(said(message)).class, class, "{message}");
    }
}

#[test]
fn what_was_sent_decides_what_may_be_billed() {
    let sent = |facts: ErrorFacts, sent| judge(ErrorFacts { sent, ..facts });
    let reset = || coded("ECONNRESET");
    for (facts, known, class, billed) in [
        (reset(), None, Interrupted, true),
        (reset(), Some(true), Interrupted, true),
        (reset(), Some(false), Connect, false),
        (coded("ECONNREFUSED"), Some(true), Connect, false),
        (named("TypeError", "fetch failed"), None, Connect, false),
        (named("TypeError", "fetch failed"), Some(true), Interrupted, true),
        (coded(2_300_028), None, Timeout, true),
        (coded(2_300_028), Some(true), Timeout, true),
        (coded(2_300_028), Some(false), Timeout, false),
        (with_status(408), None, Timeout, false),
        (with_status(504), None, Server, true),
        (with_status(524), None, Timeout, true),
        (with_status(500), Some(true), Server, false),
        (with_status(429), Some(true), RateLimit, false),
        (with_status(524), Some(false), Timeout, false),
        (said("stream ended"), None, Unknown, false),
        (said("stream ended"), Some(true), Unknown, true),
        (said("stream ended"), Some(false), Unknown, false),
        (ErrorFacts { message: "666 odd".into(), ..with_status(666) }, Some(true), Unknown, true),
        (named("TypeError", "x is undefined"), None, ClientBug, false),
        (named("TypeError", "x is undefined"), Some(true), ClientBug, true),
        (ErrorFacts { status: Some(200), ..named("TypeError", "x is undefined") }, None, ClientBug, true),
        (named("AbortError", "aborted"), Some(true), Cancelled, true),
        (named("SyntaxError", "Unexpected end of JSON input"), None, InvalidResponse, true),
        (named("SyntaxError", "Unexpected end of JSON input"), Some(false), InvalidResponse, false),
        (with_status(200), None, InvalidResponse, true),
        (with_status(401), Some(true), Auth, false),
        (ErrorFacts { message: "content_filter".into(), ..with_status(400) }, Some(true), ContentFilter, false),
    ] {
        let error = sent(facts.clone(), known);
        assert_eq!((error.class, error.maybe_billed), (class, billed), "{facts:?} sent {known:?}");
    }
}

#[test]
fn an_answer_of_no_use_may_be_billed_and_a_refusal_is_not() {
    let text = |text: &str| json!(text);
    for (body, class, billed) in [
        (
            json!({"choices": [{"message": {"content": "Half an answ"}, "finish_reason": "content_filter"}]}),
            ContentFilter,
            true,
        ),
        (json!({"choices": null}), InvalidResponse, true),
        (text("<html>login</html>"), InvalidResponse, true),
        (text("data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n"), Interrupted, true),
        (json!({"base_resp": {"status_code": 1027, "status_msg": "output"}}), ContentFilter, true),
        (json!({"error": {"code": "odd", "message": "odd"}}), Unknown, true),
        (json!({"error": {"code": 504, "message": "odd"}}), Server, true),
        (json!({"error": {"code": 408, "message": "odd"}}), Timeout, true),
        (json!({"error": {"code": 500, "message": "odd"}}), Server, false),
        (json!({"error": {"code": "insufficient_quota", "message": "no money"}, "choices": []}), Quota, false),
        (json!({"base_resp": {"status_code": 1002, "status_msg": "slow down"}, "choices": null}), RateLimit, false),
        (text("event: error\ndata: {\"error\":{\"type\":\"overloaded_error\"}}\n\n"), Overloaded, false),
        // The same after a piece of the answer.
        (json!({"error": {"code": 500, "message": "odd"}, "choices": [{"finish_reason": "error"}]}), Server, true),
        (text("data: {\"delta\":{}}\n\ndata: {\"error\":{\"type\":\"overloaded_error\"}}\n\n"), Overloaded, true),
    ] {
        let facts = AnswerFacts { body: Some(body.clone()), ..Default::default() };
        let error = classify_answer(&facts, SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!((error.class, error.maybe_billed), (class, billed), "{body}");
    }
    let cut = AnswerFacts { finish_reason: Some("content_filter".into()), ..Default::default() };
    assert!(classify_answer(&cut, SystemTime::UNIX_EPOCH).unwrap().maybe_billed);
    assert!(CallError::new(InvalidResponse, "no text").maybe_billed);
}

#[test]
fn an_answer_that_a_client_threw_is_judged_as_an_answer() {
    let stream = "data: {\"choices\":[{\"delta\":{\"refusal\":\"I\"}}]}\n\ndata: [DONE]\n\n";
    for (body, class) in [
        // Azure leaves the content out.
        (json!({"choices": [{"message": {"role": "assistant"}, "finish_reason": "content_filter"}]}), ContentFilter),
        (
            json!({"choices": [{"message": {"content": null, "refusal": "I can't"}, "finish_reason": "stop"}]}),
            ContentFilter,
        ),
        (json!(stream), ContentFilter),
        (json!("data: {\"choices\":[{\"delta\":{}}]}\n\n"), Interrupted),
        (
            json!({"choices": [{"message": {"content": null, "tool_calls": []}, "finish_reason": "tool_calls"}]}),
            InvalidResponse,
        ),
    ] {
        for body in [json!(body.as_str().map_or_else(|| body.to_string(), str::to_owned)), body] {
            let error = judge(ErrorFacts { body: Some(body.clone()), message: "HTTP 200".into(), ..with_status(200) });
            assert_eq!((error.class, error.maybe_billed), (class, true), "{body}");
            let failed = judge(ErrorFacts { body: Some(body), ..with_status(503) });
            assert_eq!(failed.class, Overloaded, "a status that failed says more");
        }
    }
}

#[test]
fn the_record_of_an_error_is_filled_in() {
    let facts = ErrorFacts {
        status: Some(429),
        headers: vec![("RETRY-AFTER".into(), "2".into())],
        body: Some(json!({"error": {"code": "rate_limit_exceeded", "type": "requests", "message": "slow down"}})),
        ..Default::default()
    };
    let error = judge(facts);
    assert_eq!(error.message, "slow down");
    assert_eq!(error.provider_code.as_deref(), Some("rate_limit_exceeded"));
    assert_eq!(error.status, Some(429));
    assert_eq!(error.retry_after.unwrap().wait, Duration::from_secs(2));
    assert_eq!(judge(with_status(500)).message, "server", "never empty");
}

#[test]
fn the_text_of_the_service_is_kept_beside_that_of_the_client() {
    let facts = |message: &str| ErrorFacts {
        status: Some(429),
        message: message.into(),
        body: Some(json!({"error": {"message": "slow down"}})),
        ..Default::default()
    };
    assert_eq!(judge(facts("HTTP 429")).message, "HTTP 429: slow down");
    assert_eq!(judge(facts("429 slow down")).message, "429 slow down", "not twice");
}

#[test]
fn an_answer_that_the_client_could_not_use_is_an_invalid_response() {
    for body in [json!("<html>login</html>"), json!({"foo": 1}), json!("")] {
        let facts = ErrorFacts { message: "HTTP 200".into(), body: Some(body.clone()), ..with_status(200) };
        assert_eq!(judge(facts).class, InvalidResponse, "{body}");
    }
    let cut = ErrorFacts { code: Some(Code::from("ECONNRESET")), ..with_status(200) };
    assert_eq!(judge(cut).class, Interrupted, "it broke off after the status");
}

#[test]
fn the_old_number_of_a_dom_exception_is_no_code_of_the_provider() {
    for (name, number, class) in [("TimeoutError", 23, Timeout), ("AbortError", 20, Cancelled)] {
        let error = judge(ErrorFacts { code: Some(Code::Number(number)), ..named(name, "t") });
        assert_eq!((error.class, error.provider_code), (class, None));
    }
}

#[test]
fn the_timeout_of_axios_is_a_timeout() {
    let facts = ErrorFacts { message: "timeout of 1000ms exceeded".into(), ..coded("ECONNABORTED") };
    assert_eq!(judge(facts).class, Timeout);
    assert_eq!(judge(coded("ECONNABORTED")).class, Interrupted);
}
