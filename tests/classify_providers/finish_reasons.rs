//! Why a model stopped: cut by length is an answer, filtered or broken is none.

use super::*;
use ErrorClass::*;

/// Where each provider puts the reason.
#[rustfmt::skip]
fn with_reason(provider: &str, reason: &str) -> Value {
    match provider {
        "responses" => json!({"object": "response", "status": "incomplete", "error": null, "incomplete_details": {"reason": reason}}),
        "anthropic" => json!({"type": "message", "role": "assistant", "content": [], "stop_reason": reason}),
        "gemini" => json!({"candidates": [{"content": {"parts": []}, "finishReason": reason}]}),
        "dashscope" => json!({"output": {"choices": [{"finish_reason": reason, "message": {}}]}, "usage": {}, "request_id": "r"}),
        "dashscope text" => json!({"output": {"text": "Hi", "finish_reason": reason}, "request_id": "r"}),
        "qianfan v1" => json!({"id": "a", "result": "Hi", "is_truncated": true, "finish_reason": reason}),
        "hunyuan" => json!({"Response": {"Choices": [{"FinishReason": reason}]}}),
        "ollama" => json!({"model": "m", "message": {"role": "assistant", "content": "Hi"}, "done": true, "done_reason": reason}),
        "stream" => Value::from(format!("data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n")),
        _ => json!({"choices": [{"index": 0, "message": {"content": "Hi"}, "finish_reason": reason}], "usage": {}}),
    }
}

fn class(provider: &str, reason: &str) -> Option<ErrorClass> {
    let in_body = answer(None, &with_reason(provider, reason)).map(|error| error.class);
    // The client may have read it itself.
    let alone = AnswerFacts { finish_reason: Some(reason.to_owned()), ..Default::default() };
    assert_eq!(in_body, classify_answer(&alone, now()).map(|error| error.class), "{provider}: {reason}");
    in_body
}

#[test]
#[rustfmt::skip]
fn normal_ends_and_cuts_by_length() {
    let fine: [(&str, &[&str]); 14] = [
        ("openai", &["stop", "length", "tool_calls", "function_call"]),
        ("responses", &["max_output_tokens"]),
        ("anthropic", &["max_tokens", "model_context_window_exceeded", "pause_turn", "end_turn", "stop_sequence", "tool_use"]),
        ("gemini", &["STOP", "MAX_TOKENS", "FINISH_REASON_UNSPECIFIED"]),
        ("deepseek", &["stop", "length", "tool_calls"]),
        ("dashscope", &["stop", "length", "tool_calls", "null"]),
        ("dashscope text", &["stop", "length", "null"]),
        ("qianfan v1", &["normal", "stop", "length", "function_call"]),
        ("zhipu", &["stop", "length", "model_context_window_exceeded", "tool_calls"]),
        ("hunyuan", &["stop", "tool_calls", "length"]),
        ("minimax", &["stop", "length"]),
        ("spark", &["stop"]),
        ("ollama", &["stop", "length", "load"]),
        ("stream", &["stop", "length", "tool_calls"]),
    ];
    for (provider, reasons) in fine {
        for reason in reasons {
            assert_eq!(class(provider, reason), None, "{provider}: {reason}");
        }
    }
}

#[test]
#[rustfmt::skip]
fn filtered() {
    let filtered: [(&str, &[&str]); 12] = [
        ("openai", &["content_filter"]),
        ("responses", &["content_filter"]),
        ("anthropic", &["refusal"]),
        ("gemini", &["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"]),
        ("deepseek", &["content_filter"]),
        ("qianfan v1", &["content_filter"]),
        ("zhipu", &["sensitive"]),
        ("moonshot", &["content_filter"]),
        ("hunyuan", &["sensitive"]),
        ("ark", &["content_filter"]),
        ("openrouter", &["content_filter"]),
        ("stream", &["content_filter", "sensitive"]),
    ];
    for (provider, reasons) in filtered {
        for reason in reasons {
            assert_eq!(class(provider, reason), Some(ContentFilter), "{provider}: {reason}");
        }
    }
    let refusal = json!({"choices": [{"finish_reason": "stop", "message": {"content": null, "refusal": "I will not."}}]});
    assert_eq!(answer(None, &refusal).unwrap().class, ContentFilter);
    let null = json!({"choices": [{"finish_reason": "stop", "message": {"content": "Hi", "refusal": null}}]});
    assert_eq!(answer(None, &null), None);
}

#[test]
#[rustfmt::skip]
fn faults() {
    for (provider, reason, expected) in [
        ("gemini", "LANGUAGE", InvalidResponse),
        ("gemini", "OTHER", InvalidResponse),
        ("gemini", "IMAGE_OTHER", InvalidResponse),
        ("gemini", "NO_IMAGE", InvalidResponse),
        ("gemini", "MALFORMED_FUNCTION_CALL", InvalidResponse),
        ("gemini", "UNEXPECTED_TOOL_CALL", InvalidResponse),
        ("gemini", "TOO_MANY_TOOL_CALLS", InvalidResponse),
        ("deepseek", "insufficient_system_resource", Overloaded),
        ("deepseek", "aborted", Interrupted),
        ("zhipu", "network_error", Server),
        ("openrouter", "error", Server),
        ("vllm", "abort", Interrupted),
        ("portkey", "overloaded_error", Overloaded),
        ("portkey", "rate_limit_error", RateLimit),
    ] {
        assert_eq!(class(provider, reason), Some(expected), "{provider}: {reason}");
    }
    let cancelled = json!({"object": "response", "status": "cancelled", "error": null, "output": []});
    assert_eq!(answer(None, &cancelled).unwrap().class, Cancelled);
    let failed = json!({"object": "response", "status": "failed", "error": null, "output": []});
    assert_eq!(answer(None, &failed).unwrap().class, Server);
}

#[test]
fn an_answer_of_minimax_without_choices() {
    assert_eq!(answer(None, &json!({"id": "1", "choices": null})).unwrap().class, InvalidResponse);
    assert_eq!(answer(None, &json!({"choices": null, "usage": {"total_tokens": 3}})), None);
}
