//! The shapes of errors, and how they are found: order, kinds of codes, JSON in JSON, odd bodies.

use super::*;
use ErrorClass::*;

#[test]
#[rustfmt::skip]
fn every_shape_is_found_in_an_answer() {
    for (shape, body, code) in [
        ("S1", json!({"error": {"message": "m", "type": "t", "code": "c1", "param": null}}), "c1"),
        ("S2", json!({"type": "error", "error": {"type": "c2", "message": "m"}, "request_id": "r"}), "c2"),
        ("S3", json!([{"error": {"code": 418, "message": "m", "status": "C3"}}]), "418"),
        ("S4", json!({"code": "C4", "message": "m", "request_id": "r"}), "C4"),
        ("S4", json!({"code": "C4", "msg": "m", "request_id": "r"}), "C4"),
        ("S5", json!({"error_code": 555, "error_msg": "m", "id": "i"}), "555"),
        ("S6", json!({"base_resp": {"status_code": 6666, "status_msg": "m"}, "choices": null}), "6666"),
        ("S7", json!({"Response": {"Error": {"Code": "C7", "Message": "m"}, "RequestId": "r"}}), "C7"),
        ("S7", json!({"Choices": [], "ErrorMsg": {"Code": "C7", "Msg": "m"}}), "C7"),
        ("S8", json!({"header": {"code": 18888, "message": "m", "sid": "s"}}), "18888"),
        ("S9", json!({"code": 29999, "message": "m", "data": null}), "29999"),
        ("S10", json!({"error_code": "Model.10", "error_msg": "m", "span_id": "s"}), "Model.10"),
        ("S11", json!({"object": "error", "message": "m", "type": "T11", "param": null, "code": 418}), "418"),
        ("S12", json!({"error": "alone"}), "alone"),
        ("S13", json!({"detail": [{"type": "missing", "loc": ["body"], "msg": "m"}]}), "missing"),
        ("S14", json!({"error": {"code": 418, "message": "m", "metadata": {"error_type": "c14"}}, "user_id": "u"}), "c14"),
        ("list of errors", json!({"success": false, "errors": [{"code": 7003, "message": "m"}]}), "7003"),
    ] {
        let error = answer(None, &body).unwrap_or_else(|| panic!("{shape} not found: {body}"));
        assert_eq!(error.provider_code.as_deref(), Some(code), "{shape}");
    }
}

#[test]
#[rustfmt::skip]
fn a_good_answer_is_no_error() {
    for body in [
        json!({"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}], "error": null}),
        json!({"choices": [{"finish_reason": "stop"}], "error": {}}),
        json!({"choices": [{"finish_reason": "stop"}], "error": ""}),
        json!({"choices": [{"finish_reason": "stop"}], "error": false, "code": 7, "message": "seven"}),
        json!({"choices": [], "usage": {"total_tokens": 9}}),
        json!({"code": "", "message": "", "output": {"text": "Hi", "finish_reason": "stop"}, "request_id": "r"}),
        json!({"code": 200, "message": "ok", "data": {"text": "Hi"}}),
        json!({"code": "0", "msg": "success"}),
        json!({"code": "Success", "message": "done"}),
        json!({"error_code": 0, "error_msg": "", "result": "Hi"}),
        json!({"error_code": "", "result": "Hi"}),
        json!({"base_resp": {"status_code": 0, "status_msg": "success"}, "choices": [{"finish_reason": "stop"}]}),
        json!({"header": {"code": 0, "message": "Success", "sid": "s", "status": 2}}),
        json!({"Response": {"Choices": [{"FinishReason": "stop"}], "RequestId": "r"}}),
        json!({"type": "message", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}),
        json!({"candidates": [{"finishReason": "STOP"}], "promptFeedback": {"safetyRatings": []}}),
        json!({"object": "response", "status": "completed", "error": null, "output": [{"type": "message"}]}),
        json!({"model": "m", "message": {"role": "assistant", "content": "Hi"}, "done": true}),
        json!({"content": "Hi", "detail": "high"}),
        json!({"text": "Hi"}),
        json!({"type": "text", "message": "Hi"}),
        json!({}),
        json!([]),
        json!(42),
        Value::Null,
    ] {
        assert_eq!(answer(None, &body), None, "{body}");
    }
}

#[test]
#[rustfmt::skip]
fn codes_are_compared_as_text() {
    for code in [json!("1113"), json!(1113), json!(" 1113 ")] {
        assert_eq!(reply(None, 429, &json!({"error": {"code": code, "message": "m"}})).class, Quota);
    }
    for code in [Value::Null, json!(""), json!({}), json!([1113])] {
        let body = json!({"error": {"code": code, "message": "m", "type": "", "param": ""}});
        assert_eq!(reply(None, 429, &body).class, RateLimit);
    }
}

#[test]
fn a_code_wins_over_the_status_and_the_status_over_words() {
    assert_eq!(reply(None, 500, &openai("insufficient_quota", Value::Null, "overloaded")).class, Quota);
    assert_eq!(reply(None, 500, &openai("odd", Value::Null, "rate limit")).class, Server);
    assert_eq!(reply(None, 401, &openai(Value::Null, "invalid_request_error", "model not found")).class, Auth);
}

#[test]
fn an_error_wrapped_in_text() {
    let inner = openai("insufficient_quota", "insufficient_quota", "no money");
    for (name, body) in [
        ("in detail", json!({"detail": inner.to_string()})),
        ("in an object of detail", json!({"detail": inner})),
        ("in error", json!({"error": inner.to_string()})),
        ("in a message", json!({"error": {"message": inner.to_string(), "code": 500}})),
        ("as text", Value::from(inner.to_string())),
        ("as text in text", Value::from(Value::from(inner.to_string()).to_string())),
        ("in a line of data", Value::from(format!("data: {inner}\n\n"))),
        ("in a line of data, in detail", json!({"detail": format!("data:{inner}")})),
    ] {
        assert_eq!(reply(None, 500, &body).class, Quota, "{name}");
    }
    let texts =
        [format!("429 {inner}"), format!("Error: upstream said {inner} and closed"), format!("code {{odd}} {inner}")];
    for text in texts {
        assert_eq!(message(&text).class, Quota, "{text}");
    }
}

#[test]
fn json_in_json_without_end_is_given_up() {
    let mut body = openai("insufficient_quota", Value::Null, "no money");
    for _ in 0..30 {
        body = json!({"detail": body.to_string().chars().take(100_000).collect::<String>()});
        if body.to_string().len() > 100_000 {
            break;
        }
    }
    assert_eq!(reply(None, 500, &body).class, Server);
}

#[test]
fn bodies_that_say_nothing() {
    for body in
        [json!(""), Value::Null, json!({}), json!([]), body("<html>502 Bad Gateway: insufficient balance</html>")]
    {
        assert_eq!(reply(None, 502, &body).class, Server, "{body}");
        assert_eq!(reply(None, 429, &body).class, RateLimit, "{body}");
    }
}

#[test]
fn the_object_inside_error_alone_is_enough() {
    // What the SDKs of OpenAI hand on.
    let inner =
        json!({"message": "no money", "type": "insufficient_quota", "param": null, "code": "insufficient_quota"});
    assert_eq!(reply(None, 429, &inner).class, Quota);
    let inner = json!({"message": "no money", "type": "insufficient_quota", "param": null, "code": null});
    assert_eq!(reply(None, 429, &inner).class, Quota);
}

#[test]
#[rustfmt::skip]
fn words_tell_what_a_status_is_about() {
    for (status, text, class) in [
        (400, "The request was rejected by the content management policy.", ContentFilter),
        (400, "输入内容包含敏感信息", ContentFilter),
        (403, "The content was flagged by moderation.", ContentFilter),
        (500, "input new_sensitive", ContentFilter),
        (400, "Incorrect API key provided.", Auth),
        (400, "模型不存在，请检查模型名", ModelNotFound),
        (400, "Unsupported model: x", ModelNotFound),
        (400, "账户已欠费", Quota),
        (403, "账户余额不足，请充值", Quota),
        (403, "Your account balance is insufficient.", Quota),
        (401, "Your account balance is insufficient.", Auth),
        (429, "本月额度已达上限", Quota),
        (429, "Limit of 100 requests/day", Quota),
        (429, "Quota exceeded: 60 requests per minute", RateLimit),
        (429, "concurrency quota exceeded", RateLimit),
        (429, "请求过于频繁，请稍后再试", RateLimit),
        (429, "The model is overloaded.", Overloaded),
        (429, "当前分组上游负载已饱和", Overloaded),
        (500, "服务繁忙，请稍后重试", Overloaded),
        (400, "输入超出最大长度限制", ContextLength),
        (413, "Too many tokens in this request.", ContextLength),
        (400, "The parameter 'usage' is odd.", BadRequest),
        (500, "insufficient memory", Server),
    ] {
        for body in [json!({"error": {"message": text}}), json!({"message": text}), json!({"detail": text}), json!(text)] {
            assert_eq!(reply(None, status, &body).class, class, "{status} {body}");
        }
        // Words of the client alone may repeat a prompt: they open no breaker that the status leaves alone.
        let alone = match (status, class) {
            (400, Quota) => BadRequest,
            (403, Quota) => Auth,
            _ => class,
        };
        assert_eq!(message(&format!("{status} {text}")).class, alone, "{status} {text}");
    }
}

#[test]
#[rustfmt::skip]
fn a_status_without_a_known_code() {
    for (status, text, class) in [
        (400, "no", BadRequest), (404, "the model m does not exist", ModelNotFound), (405, "no", BadRequest),
        (409, "no", BadRequest), (415, "no", BadRequest), (422, "no", BadRequest), (401, "no", Auth), (403, "no", Auth),
        (402, "no", Quota), (408, "no", Timeout), (524, "no", Timeout), (504, "no", Server), (413, "too many bytes", BadRequest),
        (413, "10 tokens too many", ContextLength), (429, "no", RateLimit), (499, "no", Cancelled), (500, "no", Server),
        (502, "no", Server), (520, "no", Server), (503, "no", Overloaded), (529, "no", Overloaded),
    ] {
        assert_eq!(reply(None, status, &openai("odd_code", Value::Null, text)).class, class, "{status} {text}");
    }
}
