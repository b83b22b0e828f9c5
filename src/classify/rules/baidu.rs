//! Baidu Qianfan.

use super::*;
use ErrorClass::*;

/// Version 1: numbers in `error_code`, with HTTP 200. <https://ai.baidu.com/ai-doc/WENXINWORKSHOP/tlmyncueh>
#[rustfmt::skip]
pub(super) const QIANFAN_V1: &[Rule] = &[
    code(&["1", "336000", "500000"], Server),
    code(&["2", "4", "336100"], Overloaded),
    code(&["3", "336101", "336005", "336001", "336002", "336003", "336104", "336105"], BadRequest),
    code(&["6", "13", "14", "15", "100", "110", "111", "336004"], Auth),
    code(&["17", "19"], Quota), // daily limit, also arrears; total of a free service
    code(&["18", "336501", "336502"], RateLimit),
    code(&["336103"], ContextLength),
    code(&["invalid_client"], Auth), // of the token step
];

/// Version 2: type and code in words. <https://cloud.baidu.com/doc/qianfan-api/s/Om9b4yj3w>, `/rmwbl43x7`; the last
/// lines: AI Search, <https://ai.baidu.com/ai-doc/AppBuilder/4m8sgh88y>
#[rustfmt::skip]
pub(super) const QIANFAN_V2: &[Rule] = &[
    code(&["invalid_model"], ModelNotFound).status(&[401]),
    code(&["invalid_model"], BadRequest),
    code(&["characters_too_long", "tokens_too_long"], ContextLength),
    code(&["image_url_unsafe", "system_unsafe", "user_setting_unsafe", "functions_unsafe", "unsafe_request"], ContentFilter),
    code(&["malformed_json", "invalid_messages", "invalid_argument", "invalid_image_*", "invalid_plugin_argument"], BadRequest),
    code(&["invalid_iam_token", "invalid_appid", "no_parameter_permission"], Auth),
    code(&["account_overdue"], Quota),
    code(&["model_offline"], ModelNotFound),
    code(&["method_not_supported"], BadRequest),
    code(&["cluster_rate_limit_exceeded", "cluster_rpm_*", "cluster_tpm_*"], Overloaded),
    code(&["rpm_rate_limit_exceeded", "tpm_rate_limit_exceeded", "input_tpm_rate_limit_exceeded", "output_tpm_rate_limit_exceeded"], RateLimit),
    code(&["user_rate_limit_exceeded", "preemptible_rate_limit_exceeded", "Offline_batch_reasoning_refused"], RateLimit),
    code(&["coding_plan_hour_quota_exceeded", "coding_plan_week_quota_exceeded", "coding_plan_month_quota_exceeded"], Quota),
    code(&["coding_plan_rate_limit_exceeded"], RateLimit),
    code(&["coding_plan_cluster_rate_limited"], Overloaded),
    code(&["coding_plan_not_subscribed", "coding_plan_subscription_expired"], Quota),
    code(&["coding_plan_api_key_required", "token_plan_person_api_key_required"], Auth),
    code(&["coding_plan_model_not_supported", "token_plan_person_model_not_supported"], ModelNotFound),
    code(&["token_plan_person_*"], Quota),
    code(&["Internal_error", "dispatch_internal_error"], Server),
    code(&["RATE_LIMIT_TOTAL_QPS", "RATE_LIMIT_SEARCH_QPS"], RateLimit),
    code(&["QUOTA_USER_DAILY_REQUEST", "QUOTA_USER_DAILY_FREE", "BILLING_INSUFFICIENT_BALANCE"], Quota),
    kind(&["access_denied"], Auth),
    kind(&["rate_limit_exceeded"], RateLimit),
];
