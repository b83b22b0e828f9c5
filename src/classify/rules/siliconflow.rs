//! SiliconFlow.

use super::*;
use ErrorClass::*;

/// Numbers in the top `code`; most replies are told by status and text. <https://docs.siliconflow.cn/cn/faqs/error-code>
#[rustfmt::skip]
pub(super) const SILICONFLOW: &[Rule] = &[
    code(&["20012"], ModelNotFound),
    code(&["20015"], ContextLength).text(&["length*", "token*", "长度"]),
    code(&["30001"], Quota),
    code(&["50505"], Overloaded),
    any(Quota).text(&["rpd", "tpd", "ipd"]).status(&[429]),
    any(Timeout).status(&[504]),
];
