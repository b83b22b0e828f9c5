//! ByteDance Volcengine Ark: Doubao.

use super::*;
use ErrorClass::*;

/// <https://www.volcengine.com/docs/82379/1299023>; the last lines: the older MaaS, as dify's client reads it.
#[rustfmt::skip]
pub(super) const ARK: &[Rule] = &[
    code(&["OutofContextError"], ContextLength),
    code(&["SensitiveContentDetected", "SensitiveContentDetected.*"], ContentFilter),
    code(&["InputTextSensitiveContentDetected*", "InputImageSensitiveContentDetected*"], ContentFilter),
    code(&["InputVideoSensitiveContentDetected*", "InputAudioSensitiveContentDetected*", "OutputTextSensitiveContentDetected*"], ContentFilter),
    code(&["OutputImageSensitiveContentDetected*", "OutputVideoSensitiveContentDetected*", "OutputAudioSensitiveContentDetected*"], ContentFilter),
    code(&["InputTextRiskDetection", "InputImageRiskDetection", "OutputTextRiskDetection", "OutputImageRiskDetection"], ContentFilter),
    code(&["ContentSecurityDetectionError"], Server), // the checker failed, not the content
    code(&["InvalidEndpoint.ClosedEndpoint", "InvalidEndpoint.NotFound", "ModelNotOpen", "UnsupportedModel"], ModelNotFound),
    code(&["InvalidEndpointOrModel.NotFound", "InvalidEndpointOrModel.ModelIDAccessDisabled"], ModelNotFound),
    code(&["InvalidSubscription"], Quota),
    code(&["AuthenticationError", "InvalidAccountStatus", "AccessDenied"], Auth),
    code(&["OperationDenied.PermissionDenied", "OperationDenied.ServiceNotOpen", "ServiceNotOpen"], Auth),
    code(&["AccountOverdueError", "OperationDenied.ServiceOverdue", "ServiceOverdue", "OperationDenied.FileQuotaExceeded"], Quota),
    code(&["OperationDenied.InvalidState"], BadRequest),
    code(&["MissingParameter", "MissingParameter.*", "InvalidParameter", "InvalidParameter.*", "Duplicate.Tags.Key"], BadRequest),
    code(&["InvalidArgumentError", "InvalidArgumentError.*", "InvalidImageURL.*", "NotFound.*"], BadRequest),
    code(&["RateLimitExceeded.*", "ModelAccount*", "APIAccountRpmRateLimitExceeded", "AccountRateLimitExceeded"], RateLimit),
    code(&["InflightBatchsizeExceeded"], RateLimit),
    code(&["ServerOverloaded", "RequestBurstTooFast", "ModelLoadingError"], Overloaded),
    // One code, three meanings.
    code(&["QuotaExceeded", "AccountQuotaExceeded"], Quota).text(&["free trial*", "5-hour", "weekly", "monthly", "will reset at*"]),
    code(&["QuotaExceeded"], RateLimit),
    code(&["AccountQuotaExceeded", "SetLimitExceeded"], Quota),
    code(&["RequestCanceled"], Cancelled),
    code(&["InternalServiceError"], Server),
    kind(&["model_overloaded_error"], Overloaded), // agent streams
    kind(&["model_rate_limited_error"], RateLimit),
    kind(&["billing_error"], Quota),
    code(&["ReqTextExistRisk", "RespTextExistRisk"], ContentFilter),
    code(&["EndpointRateLimitExceeded", "EndpointAccountRpmRateLimitExceeded", "EndpointAccountTpmRateLimitExceeded"], RateLimit),
    code(&["ServiceResourceWaitQueueFull"], Overloaded),
    code(&["RequestTimeout", "ServiceConnectionTimeout"], Timeout),
    code(&["ServiceConnectionRefused", "ServiceConnectionClosed"], Connect),
    code(&["SignatureDoesNotMatch", "AuthenticationExpire"], Auth),
];
