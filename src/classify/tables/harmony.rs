//! Error codes of HarmonyOS.

use crate::classify::ErrorClass::{self, *};

/// First code of `@kit.NetworkKit` http: 2300000 plus the number of libcurl.
const HTTP: i64 = 2_300_000;

/// First code of `@kit.RemoteCommunicationKit` (rcp): 1007900000 plus the number of libcurl.
const RCP: i64 = 1_007_900_000;

/// Numbers of libcurl (<https://curl.se/libcurl/c/libcurl-errors.html>) that mean the same in both kits.
#[rustfmt::skip]
const CURL: [(i64, ErrorClass); 37] = [
    (1,  Protocol),        // unsupported protocol
    (2,  ClientBug),       // initialisation
    (3,  Protocol),        // invalid URL: the configuration of this provider
    (5,  Connect),         // proxy name not resolved
    (6,  Connect),         // host name not resolved
    (7,  Connect),         // connection failed
    (8,  Interrupted),     // reply that cannot be read
    (9,  Auth),            // access denied
    (16, Interrupted),     // HTTP/2 framing
    (18, Interrupted),     // shorter than announced
    (25, Interrupted),     // upload
    (26, ClientBug),       // local file cannot be read
    (27, ClientBug),       // out of memory
    (28, Timeout),
    (35, Connect),         // TLS handshake cut off: nothing was sent
    (37, ClientBug),       // file: URL
    (42, Cancelled),       // stopped by a callback of the app
    (45, Protocol),        // local address
    (47, Protocol),        // too many redirects
    (49, ClientBug),       // option
    (52, Interrupted),     // empty reply
    (55, Interrupted),     // send
    (56, Interrupted),     // receive
    (58, Protocol),        // own certificate
    (59, Protocol),        // cipher
    (60, Protocol),        // certificate of the peer
    (61, InvalidResponse), // content encoding
    (63, InvalidResponse), // too large
    (65, Interrupted),     // body could not be sent again
    (70, BadRequest),      // disk of the server full
    (73, BadRequest),      // file exists on the server
    (77, Protocol),        // certificate store
    (78, BadRequest),      // file not found on the server
    (89, Connect),         // no connection free
    (90, Protocol),        // pinned key
    (94, Auth),            // authentication function
    (92, Interrupted),     // HTTP/2 stream
];

/// Codes with a meaning of their own. They win over the table above.
#[rustfmt::skip]
const OWN: [(i64, ErrorClass); 37] = [
    (HTTP + 23,     Cancelled),       // write failed: what a request gets after destroy()
    (HTTP + 996,    Protocol),        // intercepted
    (HTTP + 997,    Protocol),        // cleartext not permitted
    (HTTP + 998,    Protocol),        // domain not allowed (atomic service)
    (RCP + 23,      ClientBug),       // write failed: cancelling has a code of its own here
    (RCP + 95,      Interrupted),     // HTTP/3
    (RCP + 97,      Connect),         // handshake with the proxy
    (RCP + 100,     InvalidResponse), // too large
    (RCP + 201,     Protocol),        // plaintext not permitted
    (RCP + 401,     ClientBug),       // parameter
    (RCP + 985,     ClientBug),       // file system
    (RCP + 986,     Connect),         // cellular link
    (RCP + 987,     ClientBug),       // file system
    (RCP + 988,     ClientBug),       // file system
    (RCP + 990,     ClientBug),       // out of memory
    (RCP + 991,     InvalidResponse),
    (RCP + 992,     Cancelled),
    (RCP + 993,     ClientBug),       // session closed: make a new one
    (RCP + 994,     ClientBug),       // more than 16 sessions
    (RCP + 995,     Protocol),        // proxy
    (RCP + 996,     Protocol),        // proxy
    (RCP + 997,     ClientBug),       // content type
    (RCP + 998,     ClientBug),       // method
    (1_007_910_001, Unknown),         // remote procedure calls (URPC) from here on
    (1_007_910_002, Timeout),
    (1_007_910_003, Cancelled),
    (1_007_910_004, Interrupted),     // disconnected
    (1_007_910_005, RateLimit),       // too many requests
    (1_007_910_006, ClientBug),       // size
    (1_007_910_008, Interrupted),     // resume
    (1_007_910_099, ClientBug),       // stub
    (1_007_910_997, ClientBug),
    (1_007_910_998, ClientBug),
    (1_007_910_999, ClientBug),
    (10_079_100_997, ClientBug),      // as some editions of the reference spell the three above
    (10_079_100_998, ClientBug),
    (10_079_100_999, ClientBug),
];

/// The class of a code of HarmonyOS; none for a number that is none. Unknown is what has no row: 999 (internal) of both kits,
/// and some of libcurl.
///
/// 201 (permission) and 401 (parameter) are not here: 401 is also an HTTP status, so they need the text.
pub(in crate::classify) fn class(code: i64) -> Option<ErrorClass> {
    let find = |table: &[(i64, ErrorClass)], code| table.iter().find(|row| row.0 == code).map(|row| row.1);
    let kit = [HTTP, RCP].into_iter().find(|first| (*first..first + 1000).contains(&code));
    find(&OWN, code).or_else(|| find(&CURL, code - kit?)).or(kit.map(|_| Unknown))
}

/// Words of the two codes that HarmonyOS shares with HTTP, and what they mean together.
#[rustfmt::skip]
pub(in crate::classify) const SHARED: [(i64, &[&str], ErrorClass); 2] = [
    (201, &["permission denied", "permission verification failed"], ClientBug),
    (401, &["parameter error", "parameter invalid", "invalid parameter", "parameter check failed"], ClientBug),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_may_be_tried_again() {
        let transient = [Connect, Interrupted, Timeout, Unknown, RateLimit];
        for number in [5, 6, 7, 8, 16, 18, 25, 28, 52, 55, 56, 999] {
            assert!(transient.contains(&class(HTTP + number).unwrap()), "http {number}");
        }
        for number in [5, 6, 7, 8, 16, 18, 25, 28, 35, 52, 55, 56, 65, 89, 92, 95, 97, 986, 999] {
            assert!(transient.contains(&class(RCP + number).unwrap()), "rcp {number}");
        }
    }

    #[test]
    fn codes_that_may_not() {
        for number in [1, 3, 9, 23, 26, 27, 47, 58, 59, 60, 61, 63, 70, 73, 77, 78, 90, 94, 996, 997, 998] {
            assert!(!class(HTTP + number).unwrap().handling().retry, "http {number}");
        }
        let rcp = [
            1, 2, 3, 9, 23, 26, 27, 37, 42, 45, 47, 49, 58, 59, 60, 61, 63, 70, 73, 77, 78, 90, 94, 100, 985, 987, 988,
            990, 991, 992, 993, 994, 995, 996, 997, 998, 201, 401,
        ];
        for number in rcp {
            assert!(!class(RCP + number).unwrap().handling().retry, "rcp {number}");
        }
    }

    #[test]
    fn cancelling_has_one_code_in_each_kit() {
        assert_eq!(class(2_300_023), Some(Cancelled));
        assert_eq!(class(1_007_900_992), Some(Cancelled));
        assert_eq!(class(2_300_028), Some(Timeout));
        assert_eq!(class(1_007_900_028), Some(Timeout));
    }

    #[test]
    fn a_kit_that_has_more_than_libcurl_says_what_the_device_could_not_do() {
        for (number, expected) in [(95, Interrupted), (97, Connect), (986, Connect), (999, Unknown)] {
            assert_eq!(class(1_007_900_000 + number), Some(expected), "{number}");
        }
        assert_eq!([2_300_095, 2_300_986].map(class), [Some(Unknown); 2], "the other kit has no such rows");
    }

    #[test]
    fn a_code_without_a_row_is_unknown_and_other_numbers_are_none() {
        assert_eq!(class(2_300_800), Some(Unknown));
        assert_eq!(class(1_007_900_800), Some(Unknown));
        for number in [0, 28, 429, 2_299_999, 2_301_000, 1_007_899_999, i64::MAX, i64::MIN] {
            assert_eq!(class(number), None, "{number}");
        }
    }
}
