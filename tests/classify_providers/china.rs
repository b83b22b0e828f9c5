//! DashScope, Zhipu, Moonshot, MiniMax, Spark, Baichuan, StepFun, SiliconFlow.

use super::*;
use ErrorClass::*;

/// DashScope's own shape.
fn native(code: &str, message: &str) -> Value {
    json!({"code": code, "message": message, "request_id": "7c5a-01"})
}

#[test]
#[rustfmt::skip]
fn dashscope_codes() {
    let throttle = "Throttling.AllocationQuota";
    check("dashscope.aliyuncs.com", &[
        (400, native("InvalidParameter", "temperature is wrong"), BadRequest),
        (400, openai("invalid_parameter_error", "invalid_request_error", "<400> wrong"), BadRequest),
        (400, native("InvalidParameter", "Range of input length should be [1, 30720]"), ContextLength),
        (400, openai("invalid_parameter_error", "invalid_request_error", "Range of input length should be [1, 98304]"), ContextLength),
        (400, native("DataInspectionFailed", "Input data may contain unsuitable parts."), ContentFilter),
        (400, openai("data_inspection_failed", "data_inspection_failed", "Output data may be unsuitable."), ContentFilter),
        (400, native("CustomRoleBlocked", "Role blocked."), ContentFilter),
        (400, native("FaqRuleBlocked", "Rule."), ContentFilter),
        (400, native("IPInfringementSuspect", "Rights of others."), ContentFilter),
        (400, native("Arrearage", "Access denied: see that your account is in good standing."), Quota),
        (400, openai("Arrearage", "Arrearage", "Access denied."), Quota),
        (400, native("ServiceUnavailableError", "Role must be user or assistant."), BadRequest),
        (400, native("ClientDisconnect", "The client went away."), Cancelled),
        (400, native(throttle, "At most 1000 voices."), Quota),
        (401, native("InvalidApiKey", "No such key."), Auth),
        (401, openai("invalid_api_key", "invalid_request_error", "Wrong key."), Auth),
        (401, native("NOT AUTHORIZED", "No."), Auth),
        (401, openai(Value::Null, "invalid_request_error", "invalid access token or token expired"), Auth),
        (403, native("AccessDenied", "No."), Auth),
        (403, openai("access_denied", "access_denied", "No."), Auth),
        (403, native("AccessDenied", "Denied because of an overdue payment."), Quota),
        (403, native("AccessDenied.Unpurchased", "Not bought."), Auth),
        (403, native("Model.AccessDenied", "No."), Auth),
        (403, native("App.AccessDenied", "No."), Auth),
        (403, native("Workspace.AccessDenied", "No."), Auth),
        (403, native("AllocationQuota.FreeTierOnly", "The free tier is used up."), Quota),
        (404, native("ModelNotFound", "None."), ModelNotFound),
        (404, openai("model_not_found", "invalid_request_error", "None."), ModelNotFound),
        (404, openai("model_not_supported", "invalid_request_error", "Not in this mode."), ModelNotFound),
        (404, native("WorkSpaceNotFound", "None."), BadRequest),
        (404, native("NotFound", "None."), BadRequest),
        (429, native("Throttling", "Slow down."), RateLimit),
        (429, native("Throttling.RateQuota", "Too many per minute."), RateLimit),
        (429, native("LimitRequests", "Too many."), RateLimit),
        (429, openai("limit_requests", "limit_requests", "Too many."), RateLimit),
        (429, native("Throttling.BurstRate", "Rose too fast."), RateLimit),
        (429, openai("limit_burst_rate", "limit_burst_rate", "Rose too fast."), RateLimit),
        (429, native("Throttling.User", "Slow down."), RateLimit),
        (429, native(throttle, "Allocated quota exceeded, ask for more."), RateLimit),
        (429, openai("insufficient_quota", "insufficient_quota", "Allocated quota exceeded, please increase it."), RateLimit),
        (429, native(throttle, "Free allocated quota exceeded."), Quota),
        (429, native("CommodityNotPurchased", "Not bought."), Quota),
        (429, native("PrepaidBillOverdue", "Overdue."), Quota),
        (429, native("PostpaidBillOverdue", "Overdue."), Quota),
        (500, native("InternalError", "Broke."), Server),
        (500, openai("internal_error", "internal_error", "Broke."), Server),
        (500, native("InternalError.Algo", "Broke."), Server),
        (500, native("InternalError.Algo", "inference failed: list index out of range"), BadRequest),
        (500, native("SystemError", "Broke."), Server),
        (500, native("ModelServiceFailed", "Broke."), Server),
        (500, native("RewriteFailed", "Broke."), Server),
        (500, native("RetrievalFailed", "Broke."), Server),
        (500, native("InvokePluginFailed", "Broke."), Server),
        (500, native("AppProcessFailed", "Broke."), Server),
        (500, native("RequestTimeOut", "Over 300 s."), Timeout),
        (500, native("ResponseTimeout", "Late."), Timeout),
        (500, native("InternalError.Timeout", "Late."), Timeout),
        (500, native("ModelServingError", "Throttled by the capacity of the system."), Overloaded),
        (503, native("ModelServingError", "Throttled by the capacity of the system."), Overloaded),
        (503, native("ModelUnavailable", "None."), Overloaded),
    ]);
    check_of("bailian", &[
        (429, openai("insufficient_quota", "insufficient_quota", "You exceeded your current quota, see your plan and billing details."), RateLimit),
        (429, openai("insufficient_quota", "insufficient_quota", "month allocated quota exceeded"), Quota),
        (429, openai("insufficient_quota", "insufficient_quota", "week allocated quota exceeded"), Quota),
        (429, openai("insufficient_quota", "insufficient_quota", "hour allocated quota exceeded"), Quota),
        (429, openai("insufficient_quota", "insufficient_quota", "concurrency allocated quota exceeded"), RateLimit),
    ]);
}

/// Zhipu's shape: a number as text, no type.
fn zhipu(code: &str, message: &str) -> Value {
    json!({"error": {"code": code, "message": message}})
}

#[test]
#[rustfmt::skip]
fn zhipu_codes() {
    let groups: [(u16, &[&str], ErrorClass); 17] = [
        (401, &["1000", "1001", "1002", "1003", "1004"], Auth),
        (401, &["1110", "1111", "1112", "1121"], Auth),
        (429, &["1110", "1112", "1121"], Auth),
        (429, &["1120"], Server),
        (429, &["1113"], Quota),
        (400, &["1200", "1210", "1212", "1213", "1214", "1215", "1231"], BadRequest),
        (400, &["1211", "1221", "1222"], ModelNotFound),
        (404, &["1211", "1221", "1222"], ModelNotFound),
        (403, &["1220"], Auth),
        (403, &["1311"], ModelNotFound),
        (400, &["1261"], ContextLength),
        (400, &["1300", "1301"], ContentFilter),
        (429, &["1302", "1303", "1305"], RateLimit),
        (429, &["1304", "1308", "1309", "1310", "1316", "1317", "1318", "1319", "1320", "1321"], Quota),
        (429, &["1312"], Overloaded),
        (500, &["500", "1230", "1234"], Server),
        (429, &["1313"], Auth),
    ];
    for (status, codes, class) in groups {
        for code in codes {
            check("open.bigmodel.cn", &[
                (status, zhipu(code, "请求未完成"), class),
                // On the Anthropic endpoint the number is the type.
                (status, anthropic(code, "not done"), class),
            ]);
        }
    }
    check_of("z.ai", &[(434, zhipu("434", "beta"), Auth), (435, zhipu("435", "file"), BadRequest)]);
}

#[test]
fn zhipu_says_when_a_window_opens_again() {
    let error = reply(None, 429, &zhipu("1308", "已达到 5 小时的使用上限。您的限额将在 2026-07-12 04:30:37 重置。"));
    assert_eq!(error.class, Quota);
    assert_eq!(error.retry_after.unwrap().wait, Duration::from_secs(30 * 60 + 37));
}

/// Moonshot's shape: no code.
fn moonshot(kind: &str, message: &str) -> Value {
    json!({"error": {"type": kind, "message": message}})
}

#[test]
#[rustfmt::skip]
fn moonshot_types() {
    check("api.moonshot.cn", &[
        (400, moonshot("content_filter", "Refused: high risk."), ContentFilter),
        (400, moonshot("invalid_request_error", "Input token length too long"), ContextLength),
        (400, moonshot("invalid_request_error", "Your request exceeded model token limit: 8192"), ContextLength),
        (400, moonshot("invalid_request_error", "No."), BadRequest),
        (401, moonshot("invalid_authentication_error", "No."), Auth),
        (401, moonshot("incorrect_api_key_error", "A key of the other site."), Auth),
        (403, moonshot("permission_denied_error", "No."), Auth),
        (404, moonshot("resource_not_found_error", "No such model."), ModelNotFound),
        (429, moonshot("exceeded_current_quota_error", "Recharge."), Quota),
        (429, moonshot("rate_limit_reached_error", "max RPM: 3, try again after 1 seconds"), RateLimit),
        (429, moonshot("rate_limit_reached_error", "max organization concurrency: 1"), RateLimit),
        (429, moonshot("rate_limit_reached_error", "max organization TPD: 1500000"), Quota),
        (429, moonshot("engine_overloaded_error", "Overloaded."), Overloaded),
        (499, moonshot("client_closed_request", "Gone."), Cancelled),
        (500, moonshot("server_error", "Broke."), Server),
        (500, moonshot("unexpected_output", "Broke."), Server),
        (503, moonshot("server_unavailable", "Later."), Overloaded),
    ]);
    check("api.kimi.com/coding", &[
        (402, moonshot("billing_error", "Your membership could not be verified."), Quota),
        (403, moonshot("permission_error", "You've reached your usage limit for this billing cycle."), Quota),
        (403, moonshot("permission_error", "The weekly limit is reached."), Quota),
        (403, moonshot("permission_error", "Only for coding agents."), Auth),
        (403, moonshot("permission_error", "Your access was terminated."), Auth),
        (429, moonshot("rate_limit_error", "You've reached your usage limit for this period."), Quota),
        (429, moonshot("rate_limit_error", "We are receiving too many requests from you."), RateLimit),
    ]);
    check_of("kimi", &[(429, moonshot("rate_limit_reached", "The engine is currently overloaded."), Overloaded)]);
}

/// MiniMax's shape.
fn minimax(code: i64, message: &str) -> Value {
    json!({"id": "04a", "choices": null, "base_resp": {"status_code": code, "status_msg": message}})
}

#[test]
#[rustfmt::skip]
fn minimax_codes() {
    let groups: [(&[i64], ErrorClass); 8] = [
        (&[1000, 1013, 1024, 1033], Server),
        (&[1001], Timeout),
        (&[1002, 1039, 1041, 2045], RateLimit),
        (&[1004, 2049, 2042], Auth),
        (&[1008], Quota),
        (&[2056], Quota),
        (&[1026, 1027], ContentFilter),
        (&[1042, 2013, 20132, 2037, 2039, 2048], BadRequest),
    ];
    for (codes, class) in groups {
        for &code in codes {
            check("api.minimaxi.com", &[(200, minimax(code, "not done"), class), (500, minimax(code, "not done"), class)]);
        }
    }
    let gateway = |message: &str| json!({"error": {"type": "bad_request_error", "message": message, "http_code": "422"}});
    check_of("minimax", &[
        (422, gateway("input new_sensitive (1026)"), ContentFilter),
        (400, gateway("output refused (1027)"), ContentFilter),
        (500, gateway("refused (1026)"), ContentFilter),
        (429, anthropic("rate_limit_error", "too fast (1002)"), RateLimit),
        (500, anthropic("api_error", "no balance (1008)"), Quota),
        (520, anthropic("api_error", "unknown, 999 (1000)"), Server),
    ]);
    check("minimax", &[(520, anthropic("api_error", "something odd"), Server), (200, json!({"choices": [], "input_sensitive": true}), ContentFilter)]);
    assert_eq!(answer(Some("minimax"), &json!({"choices": [{"finish_reason": "stop"}], "base_resp": {"status_code": 0, "status_msg": ""}})), None);
}

#[test]
#[rustfmt::skip]
fn spark_codes() {
    let groups: [(&[i64], ErrorClass); 15] = [
        (&[10000], Connect),
        (&[10001, 10002], Interrupted),
        (&[10003, 10004, 10005, 10163], BadRequest),
        (&[10006, 10007], RateLimit),
        (&[10008, 10110], Overloaded),
        (&[10009, 10010, 10011, 10012, 10222, 10223], Server),
        (&[10013, 10014, 10019, 10021, 10022], ContentFilter),
        (&[10015, 10016, 10017], Auth),
        (&[10018], Timeout),
        (&[10907], ContextLength),
        (&[11200], Quota),
        (&[11201], Quota),
        (&[11202], RateLimit),
        (&[11203], RateLimit),
        (&[11210], RateLimit),
    ];
    for (codes, class) in groups {
        for &code in codes {
            check("spark-api.xf-yun.com", &[
                (200, json!({"header": {"code": code, "message": "failed", "sid": "cht0001", "status": 2}}), class),
                (500, json!({"code": code, "message": "failed", "sid": "cht0001"}), class),
            ]);
            let numbered = json!({"error": {"code": code.to_string(), "type": "api_error", "message": "failed"}});
            check_of("spark", &[(400, numbered, class)]);
        }
    }
    check("spark", &[
        (200, json!({"header": {"code": 11200, "message": "the licence is missing", "sid": "c"}}), Auth),
        (200, json!({"header": {"code": 10016, "message": "tokens are not enough", "sid": "c"}}), Quota),
        (401, json!({"message": "HMAC signature cannot be verified"}), Auth),
        (403, json!({"message": "HMAC signature does not match"}), Auth),
        (429, openai("11202", "api_error", "AppIdQpsOverFlowError:(11202)"), RateLimit),
    ]);
    check_of("spark", &[(500, openai(Value::Null, "api_error", "AppIdQpsOverFlowError"), RateLimit)]);
    assert_eq!(answer(None, &json!({"header": {"code": 0, "message": "Success", "status": 2}, "payload": {"choices": {"status": 2}}})), None);
}

#[test]
#[rustfmt::skip]
fn baichuan_types() {
    check_of("api.baichuan-ai.com", &[
        (401, openai(Value::Null, "invalid_api_key", "No."), Auth),
        (401, openai(Value::Null, "api_key_empty", "No."), Auth),
        (401, openai(Value::Null, "invalid_authentication", "No."), Auth),
        (429, openai(Value::Null, "insufficient_quota", "No."), Quota),
        (400, openai(Value::Null, "invalid_request_error", "No."), BadRequest),
        (400, openai(Value::Null, "requests_rate_exceeded", "Slow down."), RateLimit),
        (500, openai(Value::Null, "internal_server_failure", "Broke."), Server),
    ]);
}

#[test]
#[rustfmt::skip]
fn stepfun_statuses() {
    let failed = |kind: &str, message: &str| json!({"error": {"type": kind, "message": message}});
    check_of("api.stepfun.com", &[
        (400, failed("request_params_invalid", "No."), BadRequest),
        (400, failed("request_params_invalid", "The model step-0 does not exist or you have no permission."), ModelNotFound),
        (401, failed("invalid_api_key", "No."), Auth),
        (402, failed("insufficient", "No."), Quota),
        (404, failed("path_unknown", "No such path."), BadRequest),
        (429, failed("rate_limited", "The plan allows 2 at once."), RateLimit),
        (451, failed("censorship_blocked", "Blocked."), ContentFilter),
        (500, failed("internal", "Broke."), Server),
        (503, failed("busy", "Busy."), Overloaded),
    ]);
}

#[test]
#[rustfmt::skip]
fn siliconflow_codes() {
    let failed = |code: i64, message: &str| json!({"code": code, "message": message, "data": null});
    check("api.siliconflow.cn", &[
        (400, failed(20012, "Model does not exist."), ModelNotFound),
        (400, failed(20013, "No."), BadRequest),
        (400, failed(20015, "The length is above the limit."), ContextLength),
        (401, body("Invalid token"), Auth),
        (401, json!("Api key is invalid"), Auth),
        (403, failed(30001, "Your account cannot pay for this."), Quota),
        (403, failed(30011, "Sorry, your account balance is insufficient"), Quota),
        (403, failed(30003, "Real-name check needed."), Auth),
        (429, failed(50601, "RPM limit reached."), RateLimit),
        (429, failed(50602, "TPM limit reached."), RateLimit),
        (429, failed(50603, "RPD limit reached."), Quota),
        (429, failed(50604, "TPD limit reached."), Quota),
        (429, failed(50605, "IPD limit reached."), Quota),
        (500, failed(60000, "Unknown."), Server),
        (503, failed(50505, "Model service overloaded."), Overloaded),
    ]);
    check_of("siliconflow", &[(504, body("gateway"), Timeout)]);
}
