//! Moonshot Kimi.

use super::*;
use ErrorClass::*;

/// Types; there are no codes. <https://platform.kimi.com/docs/api/errors>; the last lines: Kimi Code membership.
#[rustfmt::skip]
pub(super) const MOONSHOT: &[Rule] = &[
    code(&["invalid_authentication_error", "incorrect_api_key_error", "permission_denied_error"], Auth),
    code(&["resource_not_found_error"], ModelNotFound),
    code(&["exceeded_current_quota_error"], Quota), // money, comes as 429
    code(&["rate_limit_reached_error"], RateLimit), // also per day: the text says so
    code(&["engine_overloaded_error", "server_unavailable"], Overloaded),
    code(&["client_closed_request"], Cancelled),
    code(&["server_error", "unexpected_output"], Server),
    code(&["content_filter"], ContentFilter),
    any(Quota).text(&["reached your usage limit*", "weekly ~ limit", "verify ~ membership"]).status(&[402, 429]), // 403: by the words of all
    any(RateLimit).text(&["receiving too many requests"]).status(&[429]),
    any(Overloaded).text(&["engine ~ overloaded"]).status(&[429]),
];
