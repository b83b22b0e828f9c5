//! Huawei Cloud: ModelArts MaaS, API gateway, CodeArts InferHub, Pangu.

use super::*;
use ErrorClass::*;

/// <https://support.huaweicloud.com/model-call-maas/model-call-035>, <https://support.huaweicloud.com/api-pangulm/pangulm_05_0020>
#[rustfmt::skip]
pub(super) const HUAWEI: &[Rule] = &[
    code(&["ModelArts.81001"], ContextLength).text(&["prompt length*"]),
    code(&["ModelArts.81001", "ModelArts.81118", "ModelArts.81108", "ModelArts.81109", "APIG.0101"], BadRequest),
    code(&["ModelArts.81002", "ModelArts.81003", "ModelArts.81004", "ModelArts.81015", "APIG.0301"], Auth),
    code(&["ModelArts.81005", "ModelArts.81006", "ModelArts.81014"], Quota),
    code(&["ModelArts.81009"], ModelNotFound),
    code(&["ModelArts.81010"], Overloaded),    // no instance runs
    code(&["ModelArts.81011", "ModelArts.81013"], ContentFilter),
    code(&["ModelArts.81101", "ModelArts.81103", "ModelArts.81114", "ModelArts.81111", "APIG.0308"], RateLimit),
    code(&["ModelArts.81116"], Overloaded),    // scaling
    code(&["APIG.0203"], Timeout),
    // InferHub: `InferHub.<code>.<status>`. 4291 is no 429: an allowance is used up.
    code(&["InferHub.4291.*", "InferHub.4004.*"], Quota),
    code(&["InferHub.ModelArts.81101.*", "InferHub.ModelArts.81103.*", "InferHub.ModelArts.81114.*"], RateLimit),
    code(&["InferHub.002002009.*"], ModelNotFound),
    code(&["InferHub.001001005.*"], BadRequest),
    code(&["TM.00001041"], RateLimit),         // sessions, queue; with status 400
    code(&["PANGU.0001", "PANGU.0031", "PANGU.3316"], Server),
    code(&["PANGU.0010", "PANGU.3278", "PANGU.3306", "PANGU.3308", "PANGU.3317", "PANGU.3320", "PANGU.3321"], BadRequest),
    code(&["PANGU.3318"], ContextLength),
    code(&["PANGU.0011", "PANGU.0012", "PANGU.3305", "PANGU.3307", "PANGU.3315"], Auth),
    code(&["PANGU.3254", "PANGU.3259"], ModelNotFound),
    code(&["PANGU.3267"], RateLimit),
];
