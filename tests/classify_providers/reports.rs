//! Public bug reports of applications, one test each: what came in, and the class that would have been right.

use super::*;
use ErrorClass::*;

fn wait(error: &CallError) -> Option<u64> {
    error.retry_after.map(|after| after.wait.as_secs())
}

#[test]
fn report_01_ggcoder_5_zhipu_without_balance() {
    assert_eq!(reply(None, 429, &json!({"error": {"code": "1113", "message": "no balance"}})).class, Quota);
}

#[test]
fn report_02_claude_code_9201_number_as_type() {
    let error = reply(None, 429, &anthropic("1113", "Insufficient balance or no resource package."));
    assert!(error.class == Quota && !error.is_retryable());
}

#[test]
fn report_03_cow_agent_2910_wrapper_status_500() {
    let text = "status_code:500, upstream: {\"error\":{\"code\":\"1113\",\"message\":\"no balance\"}}, status 429";
    let error = message(text);
    assert_eq!((error.class, error.status), (Quota, Some(500)));
    assert_eq!(
        reply(None, 500, &json!({"detail": "{\"error\":{\"code\":\"1113\",\"message\":\"no balance\"}}"})).class,
        Quota
    );
}

#[test]
fn report_04_code_cli_481_balance_in_words() {
    assert_eq!(message("Insufficient balance. Recharge, please.").class, Quota);
    assert_eq!(message("429 Insufficient balance").class, Quota);
}

#[test]
fn report_05_nuxt_crouton_1493_window_with_reset_time() {
    let error = reply(
        None,
        429,
        &json!({"error": {"code": "1308", "message": "Usage limit reached for 5 hour. Your limit will reset at 2026-07-12 04:30:37"}}),
    );
    assert_eq!((error.class, wait(&error)), (Quota, Some(1837)));
}

#[test]
fn report_06_openclaw_148275_bailian_throttle() {
    let body =
        openai("insufficient_quota", "insufficient_quota", "You exceeded your current quota, check plan and billing.");
    assert_eq!(reply(Some("bailian"), 429, &body).class, RateLimit);
    assert_eq!(reply(Some("openai"), 429, &body).class, Quota);
    let body = openai(
        "insufficient_quota",
        "insufficient_quota",
        "You exceeded your current quota; see https://help.aliyun.com/",
    );
    assert_eq!(reply(None, 429, &body).class, RateLimit, "the page it names says whose it is");
}

#[test]
fn report_07_nanobot_4048_arrears() {
    assert_eq!(
        reply(None, 400, &json!({"code": "Arrearage", "message": "Access denied.", "request_id": "r"})).class,
        Quota
    );
    assert_eq!(message("Access denied, please make sure your account is in good standing.").class, Quota);
}

#[test]
fn report_08_openclaw_58458_five_hour_window() {
    let error =
        message("429 You have exceeded the 5-hour usage quota. It will reset at 2026-07-12 04:10:00 +0800 CST.");
    assert_eq!((error.class, error.status, wait(&error)), (Quota, Some(429), Some(600)));
}

#[test]
fn report_09_omniroute_2119_hour_quota_of_a_plan() {
    assert_eq!(message("[429]: Coding Plan hour quota has been exceeded").class, Quota);
}

#[test]
fn report_10_ggcode_528_window_of_a_subscription() {
    let error = reply(
        None,
        429,
        &anthropic("rate_limit_error", "Your 5-hour usage limit is reached; resets at 2026-07-12 04:10:00"),
    );
    assert_eq!((error.class, wait(&error)), (Quota, Some(600)));
    let timeout = ErrorFacts {
        name: Some("TimeoutError".into()),
        message: "The operation timed out.".into(),
        ..Default::default()
    };
    assert_eq!(classify(&timeout, now()).class, Timeout);
}

#[test]
fn report_11_openclaw_130096_one_request_above_the_limit() {
    let too_large = "Request too large for gpt on tokens per min (TPM): Limit 30000, Requested 40120. Make it smaller.";
    assert_eq!(reply(None, 429, &openai("rate_limit_exceeded", "tokens", too_large)).class, ContextLength);
    let too_fast = "Rate limit reached for gpt on tokens per min (TPM): Limit 30000, Used 25000, Requested 8000.";
    assert_eq!(reply(None, 429, &openai("rate_limit_exceeded", "tokens", too_fast)).class, RateLimit);
}

#[test]
fn report_12_hermes_65631_error_fields_beside_null_choices() {
    let chunk = |text: &str| {
        Value::from(format!(
            "data: {{\"choices\":null,\"error_type\":\"BadRequestError\",\"error_code\":400,\"error_message\":\"{text}\"}}\n\n"
        ))
    };
    assert_eq!(answer(None, &chunk("The prompt is too long for the context window.")).unwrap().class, ContextLength);
    assert_eq!(answer(None, &chunk("The role is wrong.")).unwrap().class, BadRequest);
    assert_eq!(answer(None, &body("data: [DONE]\n\n")).unwrap().class, InvalidResponse);
}

#[test]
fn report_13_tidebreak_1122_overload_after_text() {
    let text = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"Hi\"}}\n\nevent: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    assert_eq!(answer(None, &body(text)).unwrap().class, Overloaded);
}

#[test]
fn report_14_jp_978_error_beside_empty_choices() {
    let chunk = json!({"id": "g", "choices": [], "error": {"code": 400, "message": "prompt is too long: 1284668 tokens > 1000000 maximum"}});
    let error = answer(None, &chunk).unwrap();
    assert!(error.class == ContextLength && !error.is_retryable());
}

#[test]
fn report_15_octo_agent_910_error_after_content() {
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: {\"error\":{\"message\":\"no\",\"code\":\"rate_limit_exceeded\"}}\n\n";
    assert_eq!(answer(None, &body(text)).unwrap().class, RateLimit);
}

#[test]
fn report_16_hermes_70271_billing_cycle() {
    let body = json!({"error": {"type": "permission_error", "message": "You've reached your usage limit for this billing cycle."}});
    assert_eq!(reply(None, 403, &body).class, Quota);
}

#[test]
fn report_17_openclaw_142656_seven_days() {
    let body = json!({"error": {"message": "Weekly (7-day) limit reached for your plan."}});
    assert_eq!(reply(None, 403, &body).class, Quota);
}

#[test]
fn report_18_gemini_cli_10925_daily_limit() {
    let details = json!([{"@type": "…ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED", "metadata": {"quota_limit": "RequestsPerDayPerUser"}}]);
    let body = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota exceeded", "details": details}});
    assert_eq!(reply(None, 429, &body).class, Quota);
}

#[test]
fn report_19_gemini_for_kubernetes_1215_plan_and_billing() {
    let details = json!([{"@type": "type.googleapis.com/google.rpc.Help", "links": []}]);
    let text = "You exceeded your current quota, please check your plan and billing details.";
    let body = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": text, "details": details}});
    assert_eq!(reply(None, 429, &body).class, Quota);
}

#[test]
fn report_20_rocketmq_dashboard_2178_quota_in_a_stream() {
    let text = "data: {\"error\":{\"message\":\"quota exceeded\"}}\n\ndata: [DONE]\n\n";
    assert_eq!(answer(None, &body(text)).unwrap().class, Quota);
}

#[test]
fn report_21_openclaw_108989_no_terminal_event() {
    let begun =
        "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\"}\n\n";
    assert_eq!(answer(None, &body(begun)).unwrap().class, Interrupted);
    let cut = format!(
        "{begun}event: response.incomplete\ndata: {{\"type\":\"response.incomplete\",\"response\":{{\"object\":\"response\",\"status\":\"incomplete\",\"error\":null,\"incomplete_details\":{{\"reason\":\"max_output_tokens\"}}}}}}\n\n"
    );
    assert_eq!(answer(None, &body(&cut)), None, "short, but an answer");
}

#[test]
fn report_22_deepseek_harness_6959_keep_alives_for_ever() {
    // The idle limit of the client ends it.
    let facts = ErrorFacts {
        name: Some("TimeoutError".into()),
        message: "no text for 60000 ms".into(),
        sent: Some(true),
        ..Default::default()
    };
    let error = classify(&facts, now());
    assert!(error.class == Timeout && error.maybe_billed);
}

#[test]
fn report_23_openclaw_49606_minimax_520() {
    assert_eq!(reply(None, 520, &anthropic("api_error", "unknown error, 794")).class, Server);
}

#[test]
fn report_24_sub2api_5563_headers_say_allowed() {
    let facts = AnswerFacts {
        headers: vec![("anthropic-ratelimit-unified-status".into(), "allowed".into())],
        body: Some(body(
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
        )),
        ..Default::default()
    };
    assert_eq!(classify_answer(&facts, now()).unwrap().class, Overloaded);
}

#[test]
fn report_25_subwave_438_ollama_cloud_week() {
    assert_eq!(reply(None, 429, &json!({"error": "you have reached your weekly usage limit"})).class, Quota);
}

#[test]
fn report_26_multica_5271_digits_in_text() {
    for text in [
        "consumed 402913 tokens",
        "failed after 15290ms",
        "processed 4030 items",
        "port 5290 of 4290",
        "id 429",
        "500 tokens consumed",
    ] {
        assert_eq!(message(text).class, Unknown, "{text}");
    }
}

#[test]
fn report_27_riftor_117_refused_on_port_5000() {
    assert_eq!(message("connection refused on port 5000").class, Connect);
}

#[test]
fn report_28_ocp_484_line_429_of_a_stack() {
    let error = message("socket hang up\n    at connect (server.mjs:429:15)");
    assert_eq!((error.class, error.status), (Interrupted, None));
    assert_eq!(message("boom\n    at server.mjs:429:15").class, Unknown);
}

#[test]
fn report_29_hermes_93455_reset_in_words() {
    let error = message("Weekly usage limit reached. Resets in 6hr 29min.");
    assert_eq!((error.class, wait(&error)), (Quota, Some(6 * 3600 + 29 * 60)));
}

#[test]
fn report_30_inferhub_4291_is_not_429() {
    let body = json!({"text": "[DONE]", "error_code": "InferHub.4291.200", "error_msg": "used up"});
    assert_eq!(answer(None, &body).unwrap().class, Quota);
}
