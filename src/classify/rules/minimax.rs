//! MiniMax.

use super::*;
use ErrorClass::*;

/// `base_resp.status_code`, or a number in brackets at the end of the message.
/// <https://platform.minimax.io/docs/api-reference/errorcode>
#[rustfmt::skip]
pub(super) const MINIMAX: &[Rule] = &[
    code(&["1000", "1013", "1024", "1033"], Server),
    code(&["1001"], Timeout),
    code(&["1002", "1039", "1041", "2045"], RateLimit), // requests, tokens, connections, growth
    code(&["1004", "2049", "2042"], Auth),
    code(&["1008", "2056"], Quota),                     // balance; plan window
    code(&["1026", "1027"], ContentFilter),             // input, output; with status 200, 400, 422 or 500
    code(&["1042", "2013", "20132", "2037", "2039", "2048"], BadRequest),
];
