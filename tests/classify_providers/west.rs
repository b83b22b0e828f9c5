//! OpenAI, Azure OpenAI, Anthropic, Google, DeepSeek.

use super::*;
use ErrorClass::*;

#[test]
#[rustfmt::skip]
fn openai_codes() {
    let bad = "invalid_request_error";
    check("api.openai.com", &[
        (401, openai("invalid_api_key", bad, "The key sk-…x is not known."), Auth),
        (401, openai(Value::Null, bad, "You are not a member of an organization that may use this."), Auth),
        (401, openai("ip_not_authorized", bad, "This address is not on the list."), Auth),
        (403, openai("unsupported_country_region_territory", "request_forbidden", "Not served here."), Auth),
        (404, openai("model_not_found", bad, "The model `gpt-9` is not there or not yours."), ModelNotFound),
        (400, openai("context_length_exceeded", bad, "Too long."), ContextLength),
        (400, openai(Value::Null, bad, "This model's maximum context length is 8192 tokens; you sent 9001."), ContextLength),
        (400, openai("content_policy_violation", bad, "Not allowed."), ContentFilter),
        (400, openai("content_filter", bad, "Not allowed."), ContentFilter),
        (400, openai("invalid_prompt", bad, "Not allowed."), ContentFilter),
        (400, openai("bio_policy", bad, "Not allowed."), ContentFilter),
        (400, openai("image_content_policy_violation", "image_generation_user_error", "Not allowed."), ContentFilter),
        (400, openai("unknown_parameter", bad, "No parameter `temprature`."), BadRequest),
        (422, openai(Value::Null, bad, "Cannot be processed."), BadRequest),
        (429, openai("rate_limit_exceeded", "requests", "Limit 3 per minute, slow down."), RateLimit),
        (429, openai("rate_limit_exceeded", "tokens", "Limit 200000 TPM, used 199000, requested 4000."), RateLimit),
        (429, openai("rate_limit_exceeded", "requests", "Limit 200 requests per day (RPD)."), Quota),
        (429, openai("insufficient_quota", "insufficient_quota", "Look at your plan."), Quota),
        (429, openai(Value::Null, "insufficient_quota", "Look at your plan."), Quota),
        (429, openai("credit_balance_exhausted", "insufficient_quota", "No credit."), Quota),
        (429, openai("organization_spend_limit_exceeded", bad, "Spent."), Quota),
        (403, openai("project_spend_limit_exceeded", bad, "Spent."), Quota),
        (429, openai("organization_usage_limit_exceeded", bad, "Used."), Quota),
        (429, openai("billing_hard_limit_reached", bad, "Limit."), Quota),
        (403, openai("billing_not_active", bad, "Not active."), Quota),
        (401, openai("invalid_organization", bad, "Not yours."), Auth),
        (200, json!({"error": {"type": "tokens", "message": "Slow down."}}), RateLimit),
        (200, json!({"error": {"type": "requests", "message": "Slow down."}}), RateLimit),
        (403, openai("account_deactivated", bad, "Closed."), Auth),
        (429, json!({"error": {"type": "usage_limit_reached", "message": "Used up", "resets_in_seconds": 3600}}), Quota),
        (500, openai(Value::Null, "server_error", "Something broke."), Server),
        (503, openai(Value::Null, "server_error", "Busy."), Server),
        (503, openai(Value::Null, "service_unavailable_error", "Slow down."), Overloaded),
        (200, json!({"object": "response", "status": "failed", "error": {"code": "server_error", "message": "Broke."}}), Server),
        (200, json!({"object": "response", "status": "failed", "error": {"code": "rate_limit_exceeded", "message": "Fast."}}), RateLimit),
        (200, json!({"object": "response", "status": "failed", "error": {"code": "vector_store_timeout", "message": "Late."}}), Timeout),
    ]);
}

#[test]
#[rustfmt::skip]
fn azure_codes() {
    let filter = json!({"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"hate": {"filtered": true, "severity": "high"}}});
    check("contoso.openai.azure.com", &[
        (400, json!({"error": {"message": "Filtered.", "type": null, "param": "prompt", "code": "content_filter", "status": 400, "innererror": filter}}), ContentFilter),
        (400, json!({"message": "Filtered.", "type": null, "param": "prompt", "code": "content_filter", "innererror": filter}), ContentFilter),
        (200, json!({"choices": [{"index": 0, "finish_reason": "content_filter", "message": {"content": "I"}}]}), ContentFilter),
        (404, json!({"error": {"code": "DeploymentNotFound", "message": "No such deployment."}}), ModelNotFound),
        (401, json!({"error": {"code": "401", "message": "Wrong key, or key of another region."}}), Auth),
        (401, json!({"error": {"code": "Unauthorized", "message": "Wrong key."}}), Auth),
        (429, json!({"error": {"code": "429", "message": "Your S0 pricing tier has a call rate limit. Retry after 7 seconds."}}), RateLimit),
        (429, json!({"error": {"code": "too_many_requests", "message": "Too many."}}), RateLimit),
        (408, json!({"error": {"code": "Timeout", "message": "The operation took too long."}}), Timeout),
        (500, json!({"error": {"code": "InternalServerError", "message": "Broke."}}), Server),
        (503, json!({"error": {"code": "ServiceUnavailable", "message": "Busy."}}), Overloaded),
    ]);
    check_of("azure", &[
        // Its "quota" is tokens per minute.
        (429, json!({"error": {"code": "RateLimitReached", "message": "Over the token quota of this tier; ask for a larger quota. Quota exceeded."}}), RateLimit),
        (429, json!({"error": {"code": "429", "message": "Quota exceeded for this deployment."}}), RateLimit),
    ]);
}

#[test]
fn the_first_chunk_of_azure_is_no_error() {
    let chunk = json!({"choices": [], "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {"hate": {"filtered": false}}}]});
    assert_eq!(answer(Some("azure"), &chunk), None);
}

#[test]
#[rustfmt::skip]
fn anthropic_types() {
    check("api.anthropic.com", &[
        (400, anthropic("invalid_request_error", "messages: at least one is needed"), BadRequest),
        (400, anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), ContextLength),
        (400, anthropic("invalid_request_error", "Your credit balance is too low for this."), Quota),
        (400, anthropic("invalid_request_error", "This workspace has reached its API usage limits until 2026-08-01."), Quota),
        (401, anthropic("authentication_error", "invalid x-api-key"), Auth),
        (402, anthropic("billing_error", "See your billing page."), Quota),
        (403, anthropic("permission_error", "This key may not use that."), Auth),
        (404, anthropic("not_found_error", "model: claude-0"), ModelNotFound),
        (404, anthropic("not_found_error", "no such file"), BadRequest),
        (409, anthropic("conflict_error", "Changed meanwhile."), BadRequest),
        (413, anthropic("request_too_large", "More than 32 MB."), BadRequest),
        (413, body("<html><head><title>413</title></head></html>"), BadRequest),
        (429, anthropic("rate_limit_error", "Above 40,000 input tokens per minute."), RateLimit),
        (429, json!({"type": "error", "error": {"type": "rate_limit_error", "message": "Limit.", "details": {"error_code": "enforced_spend_limit_reached"}}}), Quota),
        (429, anthropic("rate_limit_error", "You have used all of your 5-hour window; it resets 3am."), Quota),
        (429, anthropic("rate_limit_error", "The weekly limit is reached."), Quota),
        (500, anthropic("api_error", "Internal."), Server),
        (504, anthropic("timeout_error", "Too slow."), Timeout),
        (529, anthropic("overloaded_error", "Overloaded"), Overloaded),
        (200, anthropic("overloaded_error", "Overloaded"), Overloaded),
    ]);
}

/// Google's shape.
fn google(code: u16, status: &str, message: &str, details: Value) -> Value {
    json!({"error": {"code": code, "message": message, "status": status, "details": details}})
}

#[test]
#[rustfmt::skip]
fn gemini_statuses() {
    let reason = |reason: &str, metadata: Value| json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com", "metadata": metadata}]);
    let quota = |id: &str| json!([
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaMetric": "m", "quotaId": id}]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"},
    ]);
    let both = json!([{"@type": "…QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerMinutePerProject"}, {"quotaId": "GenerateRequestsPerDayPerProject"}]}]);
    let help = json!([{"@type": "type.googleapis.com/google.rpc.Help", "links": [{"description": "Learn more", "url": "https://ai.google.dev"}]}]);
    let exhausted = "RESOURCE_EXHAUSTED";
    check("generativelanguage.googleapis.com", &[
        (400, google(400, "INVALID_ARGUMENT", "Unknown field.", json!([])), BadRequest),
        (400, google(400, "INVALID_ARGUMENT", "API key not valid.", reason("API_KEY_INVALID", json!({}))), Auth),
        (400, google(400, "INVALID_ARGUMENT", "API key expired. Renew it.", json!([])), Auth),
        (400, google(400, "INVALID_ARGUMENT", "The input token count (1100000) exceeds the maximum.", json!([])), ContextLength),
        (400, google(400, "FAILED_PRECONDITION", "The free tier is not offered here; turn on billing.", json!([])), Quota),
        (400, google(400, "FAILED_PRECONDITION", "Not offered at your location.", json!([])), Auth),
        (401, google(401, "UNAUTHENTICATED", "No.", json!([])), Auth),
        (400, google(400, "OUT_OF_RANGE", "No.", json!([])), BadRequest),
        (200, json!({"error": {"status": "OUT_OF_RANGE", "message": "No."}}), BadRequest),
        (403, google(403, "PERMISSION_DENIED", "No.", json!([])), Auth),
        (404, google(404, "NOT_FOUND", "models/gemini-0 is not found.", json!([])), ModelNotFound),
        (429, google(429, exhausted, "Out.", quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier")), Quota),
        (429, google(429, exhausted, "Out.", both), Quota),
        (429, google(429, exhausted, "You exceeded your current quota, check your plan and billing.", quota("GenerateRequestsPerMinutePerProject")), RateLimit),
        (429, google(429, exhausted, "Out.", json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}])), RateLimit),
        (429, google(429, exhausted, "Resource has been exhausted (e.g. check quota).", json!([])), RateLimit),
        (429, google(429, exhausted, "Resource exhausted. Try again later.", json!([])), RateLimit),
        (429, google(429, exhausted, "Out.", reason("RATE_LIMIT_EXCEEDED", json!({"quota_limit": "RequestsPerDayPerUser"}))), Quota),
        (429, google(429, exhausted, "Please check your plan and billing details.", help), Quota),
        (499, google(499, "CANCELLED", "The caller went away.", json!([])), Cancelled),
        (500, google(500, "INTERNAL", "Broke.", json!([])), Server),
        (503, google(503, "UNAVAILABLE", "High demand.", json!([])), Overloaded),
        (504, google(504, "DEADLINE_EXCEEDED", "Late.", json!([])), Timeout),
        (429, json!([google(429, exhausted, "Out.", quota("TokensPerMinutePerProject"))]), RateLimit),
    ]);
    for reason in ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "MODEL_ARMOR", "JAILBREAK"] {
        check("gemini", &[(200, json!({"promptFeedback": {"blockReason": reason}, "usageMetadata": {}}), ContentFilter)]);
    }
}

/// Inside an answer no status tells more.
#[test]
#[rustfmt::skip]
fn a_type_for_any_bad_request_leaves_the_reason_to_the_words() {
    let kind = "invalid_request_error";
    check("anthropic", &[
        (200, anthropic(kind, "temperature: out of range"), BadRequest),
        (200, anthropic(kind, "The credit balance is too low."), Quota),
        (200, anthropic(kind, "Refused by the content policy."), ContentFilter),
    ]);
    check("openai", &[
        (200, openai(Value::Null, kind, "No such model: m"), ModelNotFound),
        (200, openai(Value::Null, kind, "This API key is not one: invalid api key"), Auth),
    ]);
}

#[test]
fn the_delay_of_a_daily_limit_is_ignored() {
    let details = |id: &str| json!([{"@type": "…QuotaFailure", "violations": [{"quotaId": id}]}, {"@type": "…RetryInfo", "retryDelay": "34.2s"}]);
    let wait = |id: &str| reply(None, 429, &google(429, "RESOURCE_EXHAUSTED", "Out.", details(id))).retry_after;
    assert_eq!(wait("RequestsPerDay"), None);
    assert_eq!(wait("RequestsPerMinute").unwrap().wait, Duration::from_millis(34_200));
}

#[test]
#[rustfmt::skip]
fn deepseek_statuses() {
    check("api.deepseek.com", &[
        (400, openai("invalid_request_error", "invalid_request_error", "Cannot parse the body."), BadRequest),
        (400, openai("invalid_request_error", "invalid_request_error", "This model's maximum context length is 131072 tokens."), ContextLength),
        (400, openai("invalid_request_error", "invalid_request_error", "Model Not Exist"), ModelNotFound),
        (401, openai("invalid_request_error", "authentication_error", "The api key ****1234 is wrong"), Auth),
        (402, openai("invalid_request_error", "unknown_error", "Insufficient Balance"), Quota),
        (422, openai(Value::Null, "invalid_request_error", "temperature is out of range"), BadRequest),
        (429, openai(Value::Null, "rate_limit_reached", "Too fast."), RateLimit),
        (500, openai(Value::Null, "internal_error", "Broke."), Server),
        (503, openai(Value::Null, "unknown_error", "Too much traffic."), Overloaded),
    ]);
}

#[test]
fn deepseek_closes_a_request_that_never_began() {
    let keep_alives = body(": keep-alive\n\n: keep-alive\n\n");
    assert_eq!(answer(Some("deepseek"), &keep_alives).unwrap().class, InvalidResponse, "closed without data");
    let begun =
        body(": keep-alive\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":null}]}\n\n");
    let error = answer(Some("deepseek"), &begun).unwrap();
    assert!(error.class == Interrupted && error.maybe_billed);
}
