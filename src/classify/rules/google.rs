//! Google Gemini and Vertex AI.

use super::*;
use ErrorClass::*;

/// `google.rpc.Code` in `error.status`, and what `error.details` adds. <https://ai.google.dev/gemini-api/docs/troubleshooting>
#[rustfmt::skip]
pub(super) const GOOGLE: &[Rule] = &[
    code(&["*PerDay*"], Quota),      // QuotaFailure.violations[].quotaId, ErrorInfo.metadata.quota_limit
    code(&["*PerMinute*"], RateLimit),
    code(&["API_KEY_INVALID"], Auth), // ErrorInfo.reason
    code(&["RetryInfo"], RateLimit).status(&[429]),
    code(&["INVALID_ARGUMENT"], Auth).text(&["api key not valid", "api key expired"]),
    code(&["FAILED_PRECONDITION"], Quota).text(&["billing"]),
    code(&["FAILED_PRECONDITION"], Auth),
    code(&["PERMISSION_DENIED", "UNAUTHENTICATED"], Auth),
    code(&["NOT_FOUND"], ModelNotFound),
    code(&["RESOURCE_EXHAUSTED"], Quota).text(&["check your plan and billing", "plan and billing"]),
    code(&["RESOURCE_EXHAUSTED"], RateLimit),
    code(&["CANCELLED"], Cancelled),
    code(&["INTERNAL"], Server),
    code(&["UNAVAILABLE"], Overloaded),
    code(&["DEADLINE_EXCEEDED"], Timeout),
    code(&["INVALID_ARGUMENT", "OUT_OF_RANGE"], BadRequest).vague(),
];
