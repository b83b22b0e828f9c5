//! OpenRouter, and servers of one's own: Ollama, vLLM, llama.cpp.

use super::*;
use ErrorClass::*;

/// OpenRouter's shape.
fn openrouter(code: u16, message: &str, metadata: Value) -> Value {
    json!({"error": {"code": code, "message": message, "metadata": metadata}, "user_id": "user_1"})
}

/// The same with one `error_type`.
fn typed(code: u16, kind: &str) -> Value {
    openrouter(code, "not done", json!({"error_type": kind, "provider_name": "P"}))
}

#[test]
#[rustfmt::skip]
fn openrouter_codes() {
    let rows = [
        (400, typed(400, "invalid_request"), BadRequest),
        (400, typed(400, "invalid_prompt"), BadRequest),
        (412, typed(412, "precondition_failed"), BadRequest),
        (422, typed(422, "unprocessable"), BadRequest),
        (400, typed(400, "invalid_image"), BadRequest),
        (413, typed(413, "image_too_large"), BadRequest),
        (415, typed(415, "unsupported_image_format"), BadRequest),
        (402, openrouter(402, "Held.", json!({"reason": "in_flight_budget_exhausted"})), RateLimit),
        (400, typed(400, "context_length_exceeded"), ContextLength),
        (413, typed(413, "string_too_long"), ContextLength),
        (413, typed(413, "payload_too_large"), BadRequest),
        (401, typed(401, "authentication"), Auth),
        (402, typed(402, "payment_required"), Quota),
        (402, openrouter(402, "Add credits.", json!({"limit_source": "openrouter_credits"})), Quota),
        (402, openrouter(402, "Key limit.", json!({"limit_source": "openrouter_key_limit"})), Quota),
        (402, openrouter(402, "Calls in flight hold the rest.", json!({"error_type": "payment_required", "limit_source": "openrouter_in_flight_budget", "reason": "in_flight_budget_exhausted"})), RateLimit),
        (403, openrouter(403, "Flagged.", json!({"reasons": ["violence"], "flagged_input": "…", "provider_name": "P"})), ContentFilter),
        (403, typed(403, "content_policy_violation"), ContentFilter),
        (403, typed(403, "guardrail"), ContentFilter),
        (403, typed(403, "permission_denied"), Auth),
        (404, typed(404, "not_found"), ModelNotFound),
        (404, openrouter(404, "No endpoints found for x/y.", json!({})), ModelNotFound),
        (408, typed(408, "timeout"), Timeout),
        (524, openrouter(524, "No answer.", json!({"provider_name": "P"})), Timeout),
        (429, typed(429, "rate_limit_exceeded"), RateLimit),
        (429, openrouter(429, "Provider returned error", json!({"raw": "model is limited upstream, retry shortly", "provider_name": "P"})), RateLimit),
        (500, typed(500, "server"), Server),
        (502, typed(502, "unmapped"), Server),
        (502, typed(502, "provider_unavailable"), Overloaded),
        (503, openrouter(503, "No provider meets the rules.", json!({})), Overloaded),
        (529, typed(529, "provider_overloaded"), Overloaded),
        (403, typed(403, "refusal"), ContentFilter),
        (400, openrouter(400, "Provider returned error", json!({"raw": "{\"error\":{\"message\":\"prompt is too long: 9 tokens > 8 maximum\"}}", "provider_name": "P"})), ContextLength),
    ];
    check("openrouter.ai", &rows);
    // Once the upstream has begun, the same errors come under 200.
    let in_answer = rows.map(|(_, body, class)| (200, body, class));
    check("openrouter", &in_answer);
}

#[test]
fn an_upstream_answer_cut_by_length_is_no_context_error() {
    for kind in ["max_tokens_exceeded", "token_limit_exceeded"] {
        let class = reply(Some("openrouter"), 502, &typed(502, kind)).class;
        assert_ne!(class, ContextLength, "{kind}");
    }
}

#[test]
fn the_wait_for_calls_in_flight() {
    let facts = ErrorFacts {
        status: Some(402),
        headers: vec![("Retry-After".into(), "3".into())],
        body: Some(openrouter(402, "Held.", json!({"limit_source": "openrouter_in_flight_budget"}))),
        ..Default::default()
    };
    let error = classify(&facts, now());
    assert_eq!((error.class, error.retry_after.unwrap().wait), (RateLimit, Duration::from_secs(3)));
}

#[test]
#[rustfmt::skip]
fn ollama_texts() {
    let failed = |text: &str| json!({"error": text});
    check("ollama", &[
        (400, failed("missing request body"), BadRequest),
        (404, failed("model 'qwen9' not found"), ModelNotFound),
        (401, json!({"error": "unauthorized", "signin_url": "https://ollama.com/connect"}), Auth),
        (402, failed("this model needs a subscription"), Quota),
        (413, failed("request too big"), BadRequest),
        (429, failed("you have reached your weekly usage limit"), Quota),
        (429, failed("you have reached your session usage limit"), Quota),
        (429, failed("too many requests"), RateLimit),
        (500, failed("the runner has stopped"), Server),
        (502, failed("cloud model cannot be reached"), Server),
        (503, failed("server busy, please try again. maximum pending requests exceeded"), Overloaded),
        (499, failed("request canceled"), Cancelled),
        (404, openai(Value::Null, "invalid_request_error", "model \"x\" not found, try pulling it first"), ModelNotFound),
        (400, openai(Value::Null, "invalid_request_error", "no messages"), BadRequest),
        (500, openai(Value::Null, "api_error", "stopped"), Server),
    ]);
}

#[test]
#[rustfmt::skip]
fn vllm_and_llama_cpp() {
    let old = |code: u16, kind: &str, message: &str| json!({"object": "error", "message": message, "type": kind, "param": null, "code": code});
    let new = |code: u16, kind: &str, message: &str| json!({"error": {"message": message, "type": kind, "param": null, "code": code}});
    for shape in [&old as &dyn Fn(u16, &str, &str) -> Value, &new] {
        check("vllm", &[
            (400, shape(400, "BadRequestError", "This model's maximum context length is 4096 tokens."), ContextLength),
            (400, shape(400, "BadRequestError", "no messages"), BadRequest),
            (404, shape(404, "NotFoundError", "The model `x` does not exist."), ModelNotFound),
            (500, shape(500, "InternalServerError", "engine"), Server),
        ]);
    }
    check("llama.cpp", &[
        (400, new(400, "invalid_request_error", "messages is required"), BadRequest),
        (401, new(401, "authentication_error", "Invalid API Key"), Auth),
        (404, new(404, "not_found_error", "model not loaded"), ModelNotFound),
        (500, new(500, "server_error", "broke"), Server),
        (501, new(501, "not_supported_error", "no embeddings"), Protocol),
        (503, new(503, "unavailable_error", "Loading model"), Overloaded),
        (400, json!({"error": {"code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 4096}}), ContextLength),
        (500, new(500, "server_error", "input is too large to process. increase the physical batch size"), ContextLength),
    ]);
}

#[test]
fn a_server_that_is_not_up_yet() {
    for text in ["connect ECONNREFUSED 127.0.0.1:11434", "Connection refused (os error 111)"] {
        assert_eq!(message(text).class, Connect, "{text}");
    }
}

#[test]
fn the_words_of_the_provider_come_before_codes_of_others_and_those_before_its_status() {
    let class = |provider, status, body: Value| reply(Some(provider), status, &body).class;
    let fast = |message: &str| anthropic("rate_limit_error", message);
    assert_eq!(class("kimi", 429, fast("You've reached your usage limit.")), Quota, "its membership");
    assert_eq!(class("kimi", 429, fast("Slow down.")), RateLimit);
    assert_eq!(class("stepfun", 404, openai("model_not_found", "invalid_request_error", "No m.")), ModelNotFound);
    assert_eq!(class("stepfun", 404, openai("odd", "invalid_request_error", "No m.")), BadRequest, "a wrong path");
}
