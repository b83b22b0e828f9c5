//! Baidu Qianfan, Tencent Hunyuan, ByteDance Ark, Huawei.

use super::*;
use ErrorClass::*;

#[test]
#[rustfmt::skip]
fn qianfan_v1_codes() {
    let groups: [(&[i64], ErrorClass); 10] = [
        (&[1, 336000, 500000], Server),
        (&[2, 4, 336100], Overloaded),
        (&[3, 336101, 336005, 336001, 336002, 336003, 336104, 336105], BadRequest),
        (&[6, 13, 14, 100, 110, 111, 336004], Auth),
        (&[15], Auth),
        (&[17], Quota),
        (&[18, 336501, 336502], RateLimit),
        (&[19], Quota),
        (&[336103], ContextLength),
        (&[], Unknown),
    ];
    for (codes, class) in groups {
        for &code in codes {
            check("aip.baidubce.com", &[(200, json!({"error_code": code, "error_msg": "not done", "id": "as-1"}), class)]);
        }
    }
    check("qianfan", &[
        (200, json!({"code": 336501, "msg": "rpm reached"}), RateLimit),
        (200, json!({"code": "rpm_rate_limit_exceeded", "msg": "rpm reached"}), RateLimit),
        (401, json!({"error": "invalid_client", "error_description": "unknown client id"}), Auth),
        (200, json!({"result": "…", "need_clear_history": true, "ban_round": -1}), ContentFilter),
        (200, json!({"result": "…", "ban_round": 1}), ContentFilter),
    ]);
    assert_eq!(answer(None, &json!({"id": "as-1", "result": "Hi", "is_truncated": true, "need_clear_history": false, "ban_round": 0})), None);
}

/// Qianfan's second version: OpenAI's shape with an id on top.
fn qianfan(kind: &str, code: &str) -> Value {
    json!({"error": {"code": code, "message": "not done", "type": kind}, "id": "as-2"})
}

#[test]
#[rustfmt::skip]
fn qianfan_v2_codes() {
    let groups: [(u16, &str, &[&str], ErrorClass); 17] = [
        (400, "invalid_request_error", &["malformed_json", "invalid_messages", "invalid_argument", "invalid_image_url", "invalid_plugin_argument", "invalid_model"], BadRequest),
        (400, "invalid_request_error", &["characters_too_long", "tokens_too_long"], ContextLength),
        (400, "unsafe_request", &["image_url_unsafe", "system_unsafe"], ContentFilter),
        (403, "unsafe_request", &["user_setting_unsafe", "functions_unsafe"], ContentFilter),
        (401, "invalid_request_error", &["invalid_model"], ModelNotFound),
        (401, "invalid_request_error", &["invalid_iam_token", "invalid_appid"], Auth),
        (401, "access_denied", &["no_parameter_permission"], Auth),
        (403, "access_denied", &["account_overdue"], Quota),
        (403, "access_denied", &["model_offline"], ModelNotFound),
        (405, "method_not_supported", &["method_not_supported"], BadRequest),
        (429, "rate_limit_exceeded", &["rpm_rate_limit_exceeded", "tpm_rate_limit_exceeded", "input_tpm_rate_limit_exceeded", "output_tpm_rate_limit_exceeded", "user_rate_limit_exceeded", "preemptible_rate_limit_exceeded", "Offline_batch_reasoning_refused"], RateLimit),
        (429, "rate_limit_exceeded", &["cluster_rate_limit_exceeded", "cluster_rpm_rate_limit_exceeded", "cluster_tpm_rate_limit_exceeded"], Overloaded),
        (429, "rate_limit_exceeded", &["coding_plan_hour_quota_exceeded", "coding_plan_week_quota_exceeded", "coding_plan_month_quota_exceeded"], Quota),
        (429, "rate_limit_exceeded", &["coding_plan_rate_limit_exceeded"], RateLimit),
        (429, "rate_limit_exceeded", &["coding_plan_cluster_rate_limited"], Overloaded),
        (403, "access_denied", &["coding_plan_not_subscribed", "coding_plan_subscription_expired", "token_plan_person_not_subscribed"], Quota),
        (500, "Internal_error", &["internal_error", "dispatch_internal_error"], Server),
    ];
    for (status, kind, codes, class) in groups {
        for code in codes {
            check("qianfan.baidubce.com", &[(status, qianfan(kind, code), class)]);
        }
    }
    check("qianfan", &[
        (403, qianfan("access_denied", "coding_plan_api_key_required"), Auth),
        (403, qianfan("access_denied", "coding_plan_model_not_supported"), ModelNotFound),
        (403, qianfan("access_denied", "token_plan_person_api_key_required"), Auth),
        (403, qianfan("access_denied", "token_plan_person_model_not_supported"), ModelNotFound),
        (429, qianfan("rate_limit_exceeded", "token_plan_person_quota_exceeded"), Quota),
        (400, qianfan("unsafe_request", "a_new_code"), ContentFilter),
        (200, json!({"choices": [{"index": 0, "flag": 1, "message": {"content": ""}, "finish_reason": "stop"}]}), ContentFilter),
        (200, json!({"choices": [{"index": 0, "ban_round": 2, "finish_reason": "stop"}]}), ContentFilter),
        (429, json!({"code": "RATE_LIMIT_TOTAL_QPS", "message": "…"}), RateLimit),
        (429, json!({"code": "RATE_LIMIT_SEARCH_QPS", "message": "…"}), RateLimit),
        (429, json!({"code": "QUOTA_USER_DAILY_REQUEST", "message": "…"}), Quota),
        (429, json!({"code": "QUOTA_USER_DAILY_FREE", "message": "…"}), Quota),
        (429, json!({"code": "BILLING_INSUFFICIENT_BALANCE", "message": "…"}), Quota),
    ]);
}

#[test]
#[rustfmt::skip]
fn hunyuan_codes() {
    let groups: [(&[&str], ErrorClass); 9] = [
        (&["AuthFailure", "AuthFailure.SignatureFailure", "AuthFailure.SecretIdNotFound", "UnauthorizedOperation", "FailedOperation.ServiceNotActivated", "FailedOperation.UserUnAuthError", "UnsupportedOperation.NonWhitelistAccount"], Auth),
        (&["FailedOperation.ServiceStopArrears", "FailedOperation.ResourcePackExhausted", "FailedOperation.FreeResourcePackExhausted", "FailedOperation.ServiceStop", "FailedOperation.SetPayModeExceed"], Quota),
        (&["LimitExceeded", "RequestLimitExceeded", "RequestLimitExceeded.UinLimitExceeded", "RequestLimitExceeded.JobNumExceed"], RateLimit),
        (&["FailedOperation.EngineServerLimitExceeded"], Overloaded),
        (&["FailedOperation.EngineRequestTimeout"], Timeout),
        (&["FailedOperation.EngineServerError", "InternalError"], Server),
        (&["InvalidParameter", "InvalidParameterValue", "InvalidParameterValue.Messages", "MissingParameter"], BadRequest),
        (&["InvalidParameterValue.Model"], ModelNotFound),
        (&["OperationDenied.TextIllegalDetected", "OperationDenied.ImageIllegalDetected"], ContentFilter),
    ];
    for (codes, class) in groups {
        for code in codes {
            check("hunyuan.tencentcloudapi.com", &[
                (200, json!({"Response": {"Error": {"Code": code, "Message": "not done"}, "RequestId": "e4c4"}}), class),
                (200, json!({"Choices": [], "ErrorMsg": {"Code": code, "Msg": "not done"}}), class),
            ]);
        }
    }
    check("hunyuan", &[
        (400, json!({"error": {"message": "request limit reached", "type": "runtime_error", "param": null, "code": "2003"}}), RateLimit),
        (401, json!({"error": {"message": "wrong key", "type": "invalid_request_error", "code": "invalid_api_key"}}), Auth),
        (200, json!({"Response": {"Choices": [{"FinishReason": "sensitive", "Delta": {"Content": ""}}]}}), ContentFilter),
        (200, json!({"Choices": [{"FinishReason": ""}], "ModerationLevel": "1"}), ContentFilter),
    ]);
    assert_eq!(answer(None, &json!({"Response": {"Choices": [{"FinishReason": "stop"}], "ModerationLevel": "0", "RequestId": "e"}})), None);
}

/// Ark's shape: the type is a phrase of HTTP.
fn ark(code: &str, kind: &str, message: &str) -> Value {
    json!({"error": {"code": code, "message": format!("{message} Request id: 0217"), "param": "", "type": kind}})
}

#[test]
#[rustfmt::skip]
fn ark_codes() {
    let groups: [(u16, &str, &[&str], ErrorClass); 16] = [
        (400, "BadRequest", &["MissingParameter", "MissingParameter.messages", "InvalidParameter", "InvalidParameter.temperature", "InvalidParameter.UnsupportedParameter", "InvalidArgumentError", "InvalidArgumentError.UnknownRole", "InvalidImageURL.EmptyURL", "Duplicate.Tags.Key"], BadRequest),
        (400, "BadRequest", &["OutofContextError"], ContextLength),
        (400, "BadRequest", &["SensitiveContentDetected", "SensitiveContentDetected.SevereViolation", "SensitiveContentDetected.Violence", "InputTextSensitiveContentDetected", "InputImageSensitiveContentDetected.PolicyViolation", "OutputTextSensitiveContentDetected", "OutputVideoSensitiveContentDetected.PrivacyInformation", "InputAudioSensitiveContentDetected", "InputVideoSensitiveContentDetected.DeepFake", "OutputImageSensitiveContentDetected", "OutputAudioSensitiveContentDetected", "InputTextRiskDetection", "InputImageRiskDetection", "OutputTextRiskDetection", "OutputImageRiskDetection"], ContentFilter),
        (400, "BadRequest", &["ContentSecurityDetectionError"], Server),
        (400, "BadRequest", &["InvalidEndpoint.ClosedEndpoint"], ModelNotFound),
        (400, "Forbidden", &["InvalidSubscription"], Quota),
        (401, "Unauthorized", &["AuthenticationError", "InvalidAccountStatus"], Auth),
        (403, "Forbidden", &["AccountOverdueError", "OperationDenied.ServiceOverdue", "ServiceOverdue"], Quota),
        (403, "Forbidden", &["AccessDenied", "OperationDenied.PermissionDenied", "OperationDenied.ServiceNotOpen", "ServiceNotOpen"], Auth),
        (403, "Forbidden", &["OperationDenied.InvalidState"], BadRequest),
        (403, "Forbidden", &["OperationDenied.FileQuotaExceeded"], Quota),
        (404, "NotFound", &["InvalidEndpointOrModel.NotFound", "InvalidEndpointOrModel.ModelIDAccessDisabled", "InvalidEndpoint.NotFound", "ModelNotOpen", "UnsupportedModel"], ModelNotFound),
        (404, "NotFound", &["NotFound.File"], BadRequest),
        (429, "TooManyRequests", &["RateLimitExceeded.EndpointRPMExceeded", "RateLimitExceeded.EndpointTPMExceeded", "ModelAccountRpmRateLimitExceeded", "ModelAccountTpmRateLimitExceeded", "ModelAccountIpmRateLimitExceeded", "APIAccountRpmRateLimitExceeded", "AccountRateLimitExceeded", "InflightBatchsizeExceeded"], RateLimit),
        (429, "TooManyRequests", &["ServerOverloaded", "RequestBurstTooFast", "ModelLoadingError"], Overloaded),
        (429, "TooManyRequests", &["SetLimitExceeded"], Quota),
    ];
    for (status, kind, codes, class) in groups {
        for code in codes {
            check("ark.cn-beijing.volces.com", &[(status, ark(code, kind, "not done."), class)]);
        }
    }
    check("doubao", &[
        (429, ark("QuotaExceeded", "TooManyRequests", "The free trial quota is used up."), Quota),
        (429, ark("QuotaExceeded", "TooManyRequests", "Exceeded the quota of queued tasks."), RateLimit),
        (429, ark("QuotaExceeded", "TooManyRequests", "Exceeded the 5-hour usage quota. It will reset at 2026-07-12 04:10:00 +0800 CST."), Quota),
        (429, ark("AccountQuotaExceeded", "TooManyRequests", "Exceeded the weekly usage quota."), Quota),
        (499, ark("RequestCanceled", "RequestCanceled", "Gone."), Cancelled),
        (500, ark("InternalServiceError", "InternalServerError", "Broke."), Server),
        (401, ark("AuthenticationError", "Unauthorized", "The key of another plan."), Auth),
    ]);
    let legacy: [(&[&str], ErrorClass); 6] = [
        (&["ReqTextExistRisk", "RespTextExistRisk"], ContentFilter),
        (&["EndpointRateLimitExceeded", "EndpointAccountRpmRateLimitExceeded", "EndpointAccountTpmRateLimitExceeded"], RateLimit),
        (&["ServiceResourceWaitQueueFull"], Overloaded),
        (&["RequestTimeout", "ServiceConnectionTimeout"], Timeout),
        (&["ServiceConnectionRefused", "ServiceConnectionClosed"], Connect),
        (&["SignatureDoesNotMatch", "AuthenticationExpire"], Auth),
    ];
    for (codes, class) in legacy {
        for code in codes {
            check("volcengine", &[(500, json!({"error": {"code": code, "code_n": 1709701, "message": "not done"}}), class)]);
        }
    }
}

#[test]
fn ark_says_when_a_window_opens_again() {
    let text = "Exceeded the 5-hour usage quota. It will reset at 2026-07-12 04:10:00 +0800 CST.";
    let error = reply(None, 429, &ark("QuotaExceeded", "TooManyRequests", text));
    assert_eq!(error.retry_after.unwrap().wait, Duration::from_secs(600));
}

#[test]
fn an_unknown_path_of_ark_has_no_body() {
    assert_eq!(reply(Some("ark"), 404, &json!("")).class, ModelNotFound, "wrong here; another provider may be right");
}

/// Huawei MaaS: two shapes in one object.
fn maas(code: &str, message: &str) -> Value {
    json!({"error": {"code": code, "message": message, "type": "error"}, "error_code": code, "error_msg": message, "request_id": "r"})
}

#[test]
#[rustfmt::skip]
fn modelarts_codes() {
    let groups: [(u16, &[&str], ErrorClass); 12] = [
        (400, &["ModelArts.81001", "ModelArts.81118"], BadRequest),
        (400, &["ModelArts.81002"], Auth),
        (400, &["ModelArts.81013"], ContentFilter),
        (401, &["ModelArts.81003", "ModelArts.81015", "ModelArts.81004"], Auth),
        (401, &["ModelArts.81005", "ModelArts.81014", "ModelArts.81006"], Quota),
        (403, &["ModelArts.81005", "ModelArts.81014", "ModelArts.81006"], Quota),
        (403, &["ModelArts.81011"], ContentFilter),
        (404, &["ModelArts.81009"], ModelNotFound),
        (404, &["ModelArts.81010"], Overloaded),
        (404, &["APIG.0101", "ModelArts.81108", "ModelArts.81109"], BadRequest),
        (429, &["ModelArts.81101", "ModelArts.81103", "ModelArts.81114", "ModelArts.81111", "APIG.0308"], RateLimit),
        (429, &["ModelArts.81116"], Overloaded),
    ];
    for (status, codes, class) in groups {
        for code in codes {
            check("api.modelarts-maas.com", &[
                (status, maas(code, "not done"), class),
                (status, json!({"error_code": code, "error_msg": "not done", "request_id": "r"}), class),
            ]);
        }
    }
    check("modelarts", &[
        (400, maas("ModelArts.81001", "Prompt length exceeds the limit."), ContextLength),
        (400, maas("ModelArts.81001", "prompt length 40000 must less than the maximum input length 32768"), ContextLength),
        (400, body("data:{\"error_code\":\"ModelArts.81001\",\"error_msg\":\"prompt length 9 must less than the maximum input length 8\"}"), ContextLength),
        (400, json!({"object": "error", "message": "This model's maximum context length is 32768 tokens.", "type": "BadRequestError", "param": null, "code": 400}), ContextLength),
        (404, json!({"object": "error", "message": "The model `x` does not exist.", "type": "NotFoundError", "param": null, "code": 404}), ModelNotFound),
        (504, json!({"error_code": "APIG.0203", "error_msg": "Backend timeout.", "request_id": "r"}), Timeout),
        (401, json!({"error_code": "APIG.0301", "error_msg": "Wrong token.", "request_id": "r"}), Auth),
        (405, json!({"detail": "Method Not Allowed"}), BadRequest),
    ]);
}

#[test]
#[rustfmt::skip]
fn inferhub_frames() {
    let frame = |code: &str| Value::from(format!("data:{{\"text\":\"[DONE]\",\"error_code\":\"{code}\",\"error_msg\":\"not done\"}}\n\n"));
    for (code, class) in [
        ("InferHub.ModelArts.81101.429", RateLimit),
        ("InferHub.ModelArts.81103.429", RateLimit),
        ("InferHub.ModelArts.81114.429", RateLimit),
        ("InferHub.4291.200", Quota),
        ("InferHub.4004.200", Quota),
        ("InferHub.002002009.404", ModelNotFound),
        ("InferHub.001001005.400", BadRequest),
        ("InferHub.009.503", Overloaded),
    ] {
        assert_eq!(answer(None, &frame(code)).unwrap().class, class, "{code}");
        assert_eq!(answer(Some("huawei"), &frame(code)).unwrap().class, class, "{code}");
    }
    check("huawei", &[(400, json!({"error_code": "TM.00001041", "error_msg": "Too many sessions, queued."}), RateLimit)]);
}

#[test]
#[rustfmt::skip]
fn pangu_codes() {
    let groups: [(u16, &[&str], ErrorClass); 6] = [
        (500, &["PANGU.0001", "PANGU.0031", "PANGU.3316"], Server),
        (400, &["PANGU.0010", "PANGU.3278", "PANGU.3306", "PANGU.3308", "PANGU.3317", "PANGU.3320", "PANGU.3321"], BadRequest),
        (400, &["PANGU.3318"], ContextLength),
        (401, &["PANGU.0011", "PANGU.0012", "PANGU.3305", "PANGU.3307", "PANGU.3315"], Auth),
        (404, &["PANGU.3254", "PANGU.3259"], ModelNotFound),
        (429, &["PANGU.3267"], RateLimit),
    ];
    for (status, codes, class) in groups {
        for code in codes {
            check("pangu", &[(status, json!({"error_code": code, "error_msg": "not done"}), class)]);
        }
    }
}
