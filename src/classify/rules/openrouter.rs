//! OpenRouter.

use super::*;
use ErrorClass::*;

/// `error.metadata`: `limit_source`, `reason`, `error_type`. The status stands in `error.code`, also when HTTP says 200.
/// <https://openrouter.ai/docs/api_reference/errors-and-debugging>
#[rustfmt::skip]
pub(super) const OPENROUTER: &[Rule] = &[
    code(&["openrouter_in_flight_budget", "in_flight_budget_exhausted"], RateLimit), // with 402: calls in flight hold the money
    code(&["openrouter_credits", "openrouter_key_limit", "payment_required"], Quota),
    code(&["moderation", "refusal", "guardrail*", "content_policy_violation"], ContentFilter), // also when only `reasons` is there
    code(&["context_length_exceeded", "string_too_long"], ContextLength),
    code(&["payload_too_large", "invalid_request", "invalid_prompt", "precondition_failed", "unprocessable"], BadRequest),
    code(&["invalid_image*", "image_too_large", "unsupported_image*"], BadRequest),
    code(&["authentication", "permission_denied"], Auth),
    code(&["not_found"], ModelNotFound),
    code(&["timeout"], Timeout),
    code(&["rate_limit_exceeded"], RateLimit),
    code(&["provider_unavailable", "provider_overloaded"], Overloaded),
    code(&["server", "unmapped"], Server).vague(),
];
