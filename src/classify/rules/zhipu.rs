//! Zhipu GLM and Z.ai.

use super::*;
use ErrorClass::*;

/// Numbers as text: in `code`, on the Anthropic endpoint in `type`. <https://docs.bigmodel.cn/cn/api/api-code>,
/// <https://docs.z.ai/api-reference/api-code>
#[rustfmt::skip]
pub(super) const ZHIPU: &[Rule] = &[
    code(&["1000", "1001", "1002", "1003", "1004"], Auth),
    code(&["1110", "1111", "1112", "1121"], Auth), // account inactive, missing, locked
    code(&["1120"], Server),                       // account cannot be reached
    code(&["1113"], Quota),                        // in arrears, no resource package; comes as 429
    code(&["1200", "1210", "1212", "1213", "1214", "1215", "1231"], BadRequest),
    code(&["1211", "1221", "1222", "1311"], ModelNotFound),
    code(&["1220"], Auth),
    code(&["1230", "1234", "500"], Server),
    code(&["1261"], ContextLength),
    code(&["1300", "1301"], ContentFilter),
    code(&["1302", "1303", "1305"], RateLimit),
    code(&["1304"], Quota),                        // daily count
    code(&["1308", "1310"], Quota),                // 5 hours; week or month: reset time in the text
    code(&["1309", "1316", "1317", "1318", "1319", "1320", "1321"], Quota),
    code(&["1312"], Overloaded),
    code(&["1313"], Auth),                         // restricted for unfair use: no wait helps
    code(&["434"], Auth),                          // beta not open
    code(&["435"], BadRequest),                    // file too large
];
