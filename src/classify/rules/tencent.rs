//! Tencent Hunyuan.

use super::*;
use ErrorClass::*;

/// Codes of the native API (error constants of the Tencent Cloud SDK, version 2023-09-01), then the OpenAI mode.
#[rustfmt::skip]
pub(super) const HUNYUAN: &[Rule] = &[
    code(&["FailedOperation.ServiceNotActivated", "FailedOperation.UserUnAuthError", "UnsupportedOperation.NonWhitelistAccount"], Auth),
    code(&["AuthFailure", "AuthFailure.*", "UnauthorizedOperation"], Auth),
    code(&["FailedOperation.ServiceStopArrears", "FailedOperation.ResourcePackExhausted", "FailedOperation.FreeResourcePackExhausted"], Quota),
    code(&["FailedOperation.ServiceStop", "FailedOperation.SetPayModeExceed"], Quota),
    code(&["LimitExceeded", "RequestLimitExceeded", "RequestLimitExceeded.*"], RateLimit),
    code(&["FailedOperation.EngineServerLimitExceeded"], Overloaded),
    code(&["FailedOperation.EngineRequestTimeout"], Timeout),
    code(&["FailedOperation.EngineServerError", "InternalError"], Server),
    code(&["InvalidParameterValue.Model"], ModelNotFound),
    code(&["InvalidParameter", "InvalidParameterValue", "InvalidParameterValue.*", "MissingParameter"], BadRequest),
    code(&["OperationDenied.TextIllegalDetected", "OperationDenied.ImageIllegalDetected"], ContentFilter),
    code(&["2003"], RateLimit), // with status 400
];
