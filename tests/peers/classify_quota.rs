//! Errors that were retried, or parked a provider, because their cause was not read.

use std::time::SystemTime;

use resilience::classify::{BreakerVerdict, CallError, ErrorClass, ErrorFacts, NextProvider, classify};
use serde_json::{Value, json};

fn reply(status: u16, body: Value) -> CallError {
    classify(&ErrorFacts { status: Some(status), body: Some(body), ..Default::default() }, SystemTime::UNIX_EPOCH)
}

/// D7: promptfoo #10855, langchainjs #1929, tracker #547, pi #6911.
#[test]
fn d7_promptfoo_10855_out_of_money_is_not_retried() {
    for (status, body) in [
        (429, json!({"error": {"type": "insufficient_quota", "code": "credit_balance_exhausted"}})),
        (429, json!({"error": {"type": "insufficient_quota", "code": null, "message": "plan and billing"}})),
        (429, json!({"error": {"type": "GoUsageLimitError", "message": "Usage limit reached. Resets in 3 days."}})),
        (402, json!({})),
        (403, json!({"error": {"code": "AccountOverdueError"}})),
    ] {
        let error = reply(status, body.clone());
        assert_eq!(error.class, ErrorClass::Quota, "{body}");
        assert!(!error.is_retryable());
        assert_eq!(error.class.handling().next_provider, NextProvider::Yes);
        assert_eq!(error.breaker_verdict(), BreakerVerdict::OpenNow);
        assert!(!error.reaches_caller());
    }
}

/// D8: litellm #5225.
#[test]
fn d8_litellm_5225_content_policy_does_not_cool_the_deployment() {
    let error = reply(400, json!({"error": {"code": "content_policy_violation", "message": "refused"}}));
    assert_eq!(error.class, ErrorClass::ContentFilter);
    assert!(!error.is_retryable());
    assert_eq!(error.breaker_verdict(), BreakerVerdict::Neutral);
    assert_eq!(error.class.handling().next_provider, NextProvider::IfPolicyAllows);
}

/// D9: otari #173, langwatch #5358, freellmapi #66.
#[test]
fn d9_otari_173_a_missing_model_moves_on_and_a_bad_request_does_not() {
    for (status, class, next) in [
        (404, ErrorClass::ModelNotFound, NextProvider::Yes),
        (401, ErrorClass::Auth, NextProvider::Yes),
        (403, ErrorClass::Auth, NextProvider::Yes),
        (400, ErrorClass::BadRequest, NextProvider::No),
        (422, ErrorClass::BadRequest, NextProvider::No),
    ] {
        let error = reply(status, json!({"error": {"message": "no"}}));
        assert_eq!((error.class, error.class.handling().next_provider), (class, next), "{status}");
        assert!(!error.is_retryable());
        assert_eq!(error.breaker_verdict(), BreakerVerdict::Neutral);
    }
}

/// D10: litellm #10793.
#[test]
fn d10_litellm_10793_too_long_goes_only_to_a_larger_window() {
    let text = "This model's maximum context length is 8192 tokens, and 9001 were sent.";
    for body in [
        json!({"error": {"code": "context_length_exceeded", "message": text}}),
        json!({"error": {"type": "invalid_request_error", "message": text}}),
        json!({"object": "error", "message": text, "type": "BadRequestError", "code": 400}),
    ] {
        let error = reply(400, body);
        assert_eq!(error.class, ErrorClass::ContextLength);
        assert!(!error.is_retryable());
        assert_eq!(error.breaker_verdict(), BreakerVerdict::Neutral);
        assert_eq!(error.class.handling().next_provider, NextProvider::LargerContext);
    }
}
