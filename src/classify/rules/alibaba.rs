//! Alibaba DashScope (Model Studio, Bailian): Qwen.

use super::*;
use ErrorClass::*;

/// Native codes, and the snake_case ones of the compatible mode. <https://help.aliyun.com/zh/model-studio/error-code>
#[rustfmt::skip]
pub(super) const DASHSCOPE: &[Rule] = &[
    code(&["InvalidParameter", "invalid_parameter_error"], ContextLength).text(&["range of input length should be"]),
    code(&["DataInspectionFailed", "data_inspection_failed", "CustomRoleBlocked", "FaqRuleBlocked", "IPInfringementSuspect"], ContentFilter),
    code(&["Arrearage", "CommodityNotPurchased", "PrepaidBillOverdue", "PostpaidBillOverdue"], Quota),
    code(&["ServiceUnavailableError"], BadRequest), // in spite of its name: a wrong role or empty content
    code(&["ClientDisconnect"], Cancelled),
    // Allowances: tokens per minute, unless the words say otherwise.
    code(&["Throttling.AllocationQuota"], Quota).status(&[400]),
    code(&["Throttling.AllocationQuota", "insufficient_quota", "Throttling"], RateLimit).text(&["concurrency allocated quota exceeded"]),
    code(&["Throttling.AllocationQuota", "insufficient_quota", "Throttling"], Quota).text(&["free allocated quota exceeded",
        "hour allocated quota exceeded", "day allocated quota exceeded", "week allocated quota exceeded", "month allocated quota exceeded"]),
    code(&["Throttling.AllocationQuota", "insufficient_quota"], RateLimit),
    code(&["Throttling", "Throttling.*", "LimitRequests", "limit_requests", "limit_burst_rate"], RateLimit),
    code(&["AllocationQuota.FreeTierOnly"], Quota),
    code(&["InvalidApiKey", "invalid_api_key", "NOT AUTHORIZED"], Auth),
    code(&["AccessDenied", "access_denied", "*.AccessDenied"], Quota).text(&["overdue", "arrears", "good standing", "欠费"]),
    code(&["AccessDenied", "access_denied", "AccessDenied.Unpurchased", "*.AccessDenied"], Auth),
    code(&["ModelNotFound", "model_not_found", "model_not_supported"], ModelNotFound),
    code(&["WorkSpaceNotFound", "NotFound"], BadRequest),
    code(&["InternalError.Algo"], BadRequest).text(&["list index out of range", "role ~ must be in"]),
    code(&["RequestTimeOut", "ResponseTimeout", "InternalError.Timeout"], Timeout),
    code(&["InternalError", "internal_error", "InternalError.*", "SystemError", "ModelServiceFailed", "RewriteFailed"], Server),
    code(&["RetrievalFailed", "InvokePluginFailed", "AppProcessFailed"], Server),
    code(&["ModelServingError", "ModelUnavailable"], Overloaded),
    code(&["InvalidParameter", "invalid_parameter_error"], BadRequest),
    any(Auth).text(&["invalid access token or token expired"]),
];
