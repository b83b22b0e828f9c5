//! Anthropic, and gateways that answer in its shape.

use super::*;
use ErrorClass::*;

/// Types of the SDK (`resources/shared.ts`), <https://docs.anthropic.com/en/api/errors>.
#[rustfmt::skip]
pub(super) const ANTHROPIC: &[Rule] = &[
    code(&["enforced_spend_limit_reached"], Quota), // in error.details; no retry-after, comes back next month
    code(&["authentication_error"], Auth),
    code(&["billing_error"], Quota),
    code(&["permission_error"], Auth),
    code(&["not_found_error"], ModelNotFound).text(&["model*"]),
    code(&["not_found_error"], BadRequest),
    code(&["conflict_error"], BadRequest),
    code(&["request_too_large"], BadRequest), // bytes, not tokens
    code(&["rate_limit_error"], RateLimit),
    code(&["timeout_error"], Timeout),
    code(&["overloaded_error"], Overloaded),
    kind(&["api_error"], Server).vague(),
    kind(&["invalid_request_error"], BadRequest).vague(),
];
