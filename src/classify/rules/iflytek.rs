//! iFlytek Spark.

use super::*;
use ErrorClass::*;

/// `header.code` of a WebSocket frame; the OpenAI mode has the number as text. Code page of the Spark API.
#[rustfmt::skip]
pub(super) const SPARK: &[Rule] = &[
    code(&["10000"], Connect),                 // upgrade
    code(&["10001", "10002"], Interrupted),    // read, write
    code(&["10003", "10004", "10005", "10163"], BadRequest),
    code(&["10006", "10007"], RateLimit),      // the user has another connection or answer running
    code(&["10008", "10110"], Overloaded),
    code(&["10009", "10010", "10011", "10012", "10222", "10223"], Server),
    code(&["10013", "10014", "10019", "10021", "10022"], ContentFilter),
    code(&["10016"], Quota).text(&["token", "tokens", "volume", "not enough", "insufficient", "用量", "余额"]),
    code(&["10015", "10016", "10017"], Auth),
    code(&["10018"], Timeout),                 // five minutes of pings without a request
    code(&["10907"], ContextLength),
    code(&["11200"], Auth).text(&["licence*", "license*", "licc*", "授权"]),
    code(&["11200", "11201"], Quota),          // volume used up; daily limit
    code(&["11202", "11203", "11210"], RateLimit),
    any(RateLimit).text(&["appidqpsoverflowerror*"]),
];
