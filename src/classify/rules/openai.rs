//! OpenAI, and providers whose errors have its shape and few codes of their own.

use super::*;
use ErrorClass::*;

/// OpenAI: <https://developers.openai.com/docs/guides/error-codes>, openai-python, Responses API `response_error`.
#[rustfmt::skip]
pub(super) const OPENAI: &[Rule] = &[
    code(&["invalid_api_key", "account_deactivated", "unsupported_country_region_territory", "invalid_organization"], Auth),
    code(&["model_not_found"], ModelNotFound),
    code(&["context_length_exceeded"], ContextLength),
    code(&["content_policy_violation", "content_filter", "invalid_prompt", "bio_policy", "image_content_policy_violation"], ContentFilter),
    // DashScope says this for tokens per minute, in words that name its own pages.
    code(&["insufficient_quota"], RateLimit).text(&["allocated quota exceeded", "aliyun", "model studio", "bailian"]),
    code(&["credit_balance_exhausted", "organization_spend_limit_exceeded", "project_spend_limit_exceeded"], Quota),
    code(&["organization_usage_limit_exceeded", "billing_hard_limit_reached", "billing_not_active"], Quota),
    code(&["insufficient_quota"], Quota),
    code(&["usage_limit_reached"], Quota), // ChatGPT accounts; sends resets_in_seconds
    code(&["rate_limit_exceeded"], RateLimit),
    kind(&["requests", "tokens"], RateLimit),
    code(&["vector_store_timeout"], Timeout),
    code(&["server_error"], Server),
    kind(&["invalid_request_error"], BadRequest).vague(),
];

/// Azure OpenAI: its statuses also stand in `code`; `innererror` holds the filter.
#[rustfmt::skip]
pub(super) const AZURE: &[Rule] = &[
    code(&["content_filter", "ResponsibleAIPolicyViolation"], ContentFilter),
    code(&["DeploymentNotFound"], ModelNotFound),
    code(&["Unauthorized"], Auth),
    code(&["RateLimitReached", "too_many_requests"], RateLimit),
    any(RateLimit).status(&[429]), // the words speak of quota and mean tokens per minute
];

/// DeepSeek: statuses say all (<https://api-docs.deepseek.com/quick_start/error_codes>).
#[rustfmt::skip]
pub(super) const DEEPSEEK: &[Rule] = &[
    kind(&["authentication_error"], Auth),
];

/// Baichuan: types read by dify's client.
#[rustfmt::skip]
pub(super) const BAICHUAN: &[Rule] = &[
    code(&["invalid_api_key", "api_key_empty", "invalid_authentication"], Auth),
    code(&["insufficient_quota"], Quota),
    code(&["invalid_request_error"], BadRequest).vague(),
    kind(&["*rate*"], RateLimit),
    kind(&["*internal*"], Server),
];

/// StepFun: its error page; no codes. A 404 is a wrong path there: a missing model is a 400.
#[rustfmt::skip]
pub(super) const STEPFUN: &[Rule] = &[
    code(&["invalid_api_key"], Auth),
    code(&["request_params_invalid"], BadRequest).vague(),
    any(ModelNotFound).text(&["model ~ not exist", "model ~ not found"]).status(&[400]),
    any(BadRequest).status(&[404]),
    any(ContentFilter).status(&[451]),
];
