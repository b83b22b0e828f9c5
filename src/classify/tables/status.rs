//! HTTP statuses.

use crate::classify::ErrorClass::{self, *};

/// Meaning of a status when nothing in the body says more: RFC 9110 section 15, RFC 6585, RFC 8470 (425), and what LLM
/// providers and the networks before them use besides (499, 524, 529). Ranges are searched from the top.
#[rustfmt::skip]
const STATUSES: [(u16, u16, ErrorClass); 21] = [
    (401, 401, Auth),
    (402, 402, Quota),
    (403, 403, Auth),
    (404, 404, ModelNotFound),
    (407, 407, Protocol),      // proxy
    (408, 408, Timeout),
    (425, 425, Server),        // a replay was feared; the same request may be sent again
    (426, 426, Protocol),
    (429, 429, RateLimit),
    (451, 451, ContentFilter), // StepFun; elsewhere: refused for legal reasons
    (499, 499, Cancelled),     // the client went away
    (400, 499, BadRequest),
    (501, 501, Protocol),
    (503, 503, Overloaded),
    (505, 505, Protocol),
    (524, 524, Timeout),       // a network before the provider reached it and got no answer
    (529, 529, Overloaded),    // Anthropic, OpenRouter
    (500, 599, Server),
    (300, 399, Protocol),      // a redirect that was not followed
    (100, 199, Protocol),
    (600, 999, Unknown),
];

/// Statuses after which the provider may have done the work: a gateway gave up waiting for it.
const MAYBE_BILLED: [u16; 2] = [504, 524];

/// A status after which the provider may have done the work all the same.
pub(in crate::classify) fn is_maybe_billed(status: u16) -> bool {
    MAYBE_BILLED.contains(&status)
}

/// The class of a status; none for success and for what is no status.
pub(in crate::classify) fn class(status: u16) -> Option<ErrorClass> {
    STATUSES.iter().find(|(first, last, _)| (*first..=*last).contains(&status)).map(|row| row.2)
}

/// A status that reports success.
pub(in crate::classify) fn is_success(status: u16) -> bool {
    (200..=299).contains(&status)
}

/// A status that reports an error.
pub(in crate::classify) fn is_error(status: u16) -> bool {
    (400..=599).contains(&status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_of_the_error_table() {
        for (statuses, class) in [
            (&[429][..], RateLimit),
            (&[503, 529], Overloaded),
            (&[500, 502, 504, 506, 507, 508, 510, 511, 520, 521, 522, 523, 525, 526, 530, 599], Server),
            (&[408, 524], Timeout),
            (&[402], Quota),
            (&[401, 403], Auth),
            (&[404], ModelNotFound),
            (
                &[400, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424, 428, 431],
                BadRequest,
            ),
            (&[501, 505, 407, 426, 301, 302, 304], Protocol),
            (&[499], Cancelled),
        ] {
            for &status in statuses {
                assert_eq!(super::class(status), Some(class), "{status}");
            }
        }
    }

    #[test]
    fn success_and_nonsense_have_no_class() {
        for status in [0, 1, 99, 200, 204, 299, 1000, u16::MAX] {
            assert_eq!(class(status), None, "{status}");
        }
    }
}
