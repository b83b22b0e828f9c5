//! Errors below HTTP: errno names, names of JavaScript errors, and what networking layers say in words.

use crate::classify::ErrorClass::{self, *};

/// Names that stand in `code`, or as a word in the message. Sources: POSIX errno, the error code pages of Node.js
/// (`errors`, `dns`, `tls`), undici `docs/api/Errors`, axios `AxiosError`, Chromium `net_error_list`.
#[rustfmt::skip]
const ERRNO: [(&str, ErrorClass); 76] = [
    ("ECONNREFUSED",                        Connect),
    ("ENOTFOUND",                           Connect),
    ("EAI_AGAIN",                           Connect),
    ("EAI_FAIL",                            Connect),
    ("EAI_NODATA",                          Connect),
    ("EAI_NONAME",                          Connect),
    ("ENODATA",                             Connect),
    ("ESERVFAIL",                           Connect),
    ("EHOSTUNREACH",                        Connect),
    ("EHOSTDOWN",                           Connect),
    ("ENETUNREACH",                         Connect),
    ("EADDRNOTAVAIL",                       Connect),
    ("ENOTCONN",                            Connect),
    ("UND_ERR_CONNECT_TIMEOUT",             Connect),
    ("ERR_CONNECTION_REFUSED",              Connect),
    ("ERR_CONNECTION_TIMED_OUT",            Connect),
    ("ERR_NAME_NOT_RESOLVED",               Connect),
    ("ERR_ADDRESS_UNREACHABLE",             Connect),
    ("ENETDOWN",                            Offline),
    ("ERR_INTERNET_DISCONNECTED",           Offline),
    ("ECONNRESET",                          Interrupted),
    ("ECONNABORTED",                        Interrupted),
    ("EPIPE",                               Interrupted),
    ("ENETRESET",                           Interrupted),
    ("ESHUTDOWN",                           Interrupted),
    ("UND_ERR_SOCKET",                      Interrupted),
    ("UND_ERR_CLOSED",                      Interrupted),
    ("UND_ERR_RESPONSE_EXCEEDED_SIZE",      InvalidResponse),
    ("ERR_STREAM_PREMATURE_CLOSE",          Interrupted),
    ("ERR_HTTP2_STREAM_ERROR",              Interrupted),
    ("ERR_HTTP2_SESSION_ERROR",             Interrupted),
    ("ERR_HTTP2_STREAM_CANCEL",             Interrupted),
    ("ERR_HTTP2_GOAWAY_SESSION",            Interrupted),
    ("ERR_CONNECTION_RESET",                Interrupted),
    ("ERR_CONNECTION_CLOSED",               Interrupted),
    ("ERR_CONNECTION_ABORTED",              Interrupted),
    ("ERR_EMPTY_RESPONSE",                  Interrupted),
    ("ERR_NETWORK_CHANGED",                 Interrupted),
    ("ERR_NETWORK",                         Interrupted),
    ("ERR_INCOMPLETE_CHUNKED_ENCODING",     Interrupted),
    ("ERR_CONTENT_LENGTH_MISMATCH",         Interrupted),
    ("HPE_INVALID_CONSTANT",                Interrupted),
    ("HPE_UNEXPECTED_CONTENT_LENGTH",       Interrupted),
    ("HPE_CLOSED_CONNECTION",               Interrupted),
    ("HPE_INVALID_EOF_STATE",               Interrupted),
    ("ETIMEDOUT",                           Timeout),
    ("ESOCKETTIMEDOUT",                     Timeout),
    ("ETIME",                               Timeout),
    ("ETIMEOUT",                            Timeout),
    ("ERR_TIMED_OUT",                       Timeout),
    ("ERR_SOCKET_CONNECTION_TIMEOUT",       Connect),
    ("UND_ERR_HEADERS_TIMEOUT",             Timeout),
    ("UND_ERR_BODY_TIMEOUT",                Timeout),
    ("ABORT_ERR",                           Cancelled),
    ("ECANCELED",                           Cancelled),
    ("ECANCELLED",                          Cancelled),
    ("ERR_CANCELED",                        Cancelled),
    ("UND_ERR_ABORTED",                     Cancelled),
    ("EPROTO",                              Protocol),
    ("EPROTONOSUPPORT",                     Protocol),
    ("CERT_HAS_EXPIRED",                    Protocol),
    ("CERT_NOT_YET_VALID",                  Protocol),
    ("CERT_REVOKED",                        Protocol),
    ("CERT_UNTRUSTED",                      Protocol),
    ("CERT_SIGNATURE_FAILURE",              Protocol),
    ("DEPTH_ZERO_SELF_SIGNED_CERT",         Protocol),
    ("SELF_SIGNED_CERT_IN_CHAIN",           Protocol),
    ("UNABLE_TO_GET_ISSUER_CERT",           Protocol),
    ("UNABLE_TO_GET_ISSUER_CERT_LOCALLY",   Protocol),
    ("UNABLE_TO_VERIFY_LEAF_SIGNATURE",     Protocol),
    ("ERR_TLS_CERT_ALTNAME_INVALID",        Protocol),
    ("ERR_TLS_HANDSHAKE_TIMEOUT",           Connect),
    ("ERR_CERT_AUTHORITY_INVALID",          Protocol),
    ("ERR_CERT_DATE_INVALID",               Protocol),
    ("ERR_CERT_COMMON_NAME_INVALID",        Protocol),
    ("ERR_CLEARTEXT_NOT_PERMITTED",         Protocol),
];

/// Families of names: OpenSSL's codes in Node.js, and pages of the browser about TLS.
#[rustfmt::skip]
const ERRNO_PREFIXES: [(&str, ErrorClass); 2] = [
    ("ERR_SSL_",   Protocol),
    ("ERR_PROXY_", Protocol),
];

/// The class of an errno-like name.
pub(in crate::classify) fn errno(name: &str) -> Option<ErrorClass> {
    let exact = ERRNO.iter().find(|row| row.0 == name).map(|row| row.1);
    exact.or_else(|| ERRNO_PREFIXES.iter().find(|row| name.starts_with(row.0)).map(|row| row.1))
}

/// A name of the transport, known or not: never a code of a provider.
pub(in crate::classify) fn is_errno(name: &str) -> bool {
    errno(name).is_some() || ["ERR_", "UND_ERR_", "HPE_"].iter().any(|prefix| name.starts_with(prefix))
}

/// Names of errors that the transport or a client library makes.
#[rustfmt::skip]
const NAMES: [(&str, ErrorClass); 32] = [
    ("AbortError",                   Cancelled),
    ("CanceledError",                Cancelled), // axios
    ("CancelledError",               Cancelled),
    ("APIUserAbortError",            Cancelled), // OpenAI, Anthropic
    ("RequestAbortedError",          Cancelled), // undici
    ("TimeoutError",                 Timeout),
    ("RequestTimeoutError",          Timeout),
    ("APIConnectionTimeoutError",    Timeout),
    ("APITimeoutError",              Timeout),
    ("HeadersTimeoutError",          Timeout),
    ("BodyTimeoutError",             Timeout),
    ("ConnectTimeoutError",          Connect),
    ("APIConnectionError",           Connect),
    ("NetworkError",                 Connect),   // DOMException
    ("SocketError",                  Interrupted),
    ("RateLimitError",               RateLimit), // from here on OpenAI and Anthropic, when the status was lost
    ("OverloadedError",              Overloaded),
    ("InternalServerError",          Server),
    ("AuthenticationError",          Auth),
    ("PermissionDeniedError",        Auth),
    ("NotFoundError",                ModelNotFound),
    ("BadRequestError",              BadRequest),
    ("ConflictError",                BadRequest),
    ("UnprocessableEntityError",     BadRequest),
    ("ContentFilterFinishReasonError", ContentFilter),
    ("TypeError",                    ClientBug),
    ("RangeError",                   ClientBug),
    ("SyntaxError",                  ClientBug),
    ("ReferenceError",               ClientBug),
    ("EvalError",                    ClientBug),
    ("URIError",                     ClientBug),
    ("AssertionError",               ClientBug),
];

/// The class of the name of a JavaScript error.
pub(in crate::classify) fn name(name: &str) -> Option<ErrorClass> {
    NAMES.iter().find(|row| row.0 == name).map(|row| row.1)
}

/// What `fetch` says in a `TypeError`, or in an error without a name: how the message begins.
///
/// The Fetch standard makes every network error a `TypeError`; only the text tells it from a bug.
#[rustfmt::skip]
const FETCH: [(&str, ErrorClass); 13] = [
    ("fetch failed",                                      Connect),     // undici
    ("failed to fetch",                                   Connect),     // Chromium, also for a missing cross-origin permission
    ("networkerror when attempting to fetch resource",    Connect),     // Firefox
    ("load failed",                                       Connect),     // Safari
    ("network request failed",                            Connect),     // whatwg-fetch
    ("could not connect to the server",                   Connect),     // Safari
    ("connection error",                                  Connect),     // OpenAI, Anthropic
    ("a server with the specified hostname could not be found", Connect), // Safari
    ("the internet connection appears to be offline",     Offline),     // Safari
    ("the network connection was lost",                   Interrupted), // Safari
    ("network error",                                     Interrupted), // Chromium, axios: the body broke off
    ("terminated",                                        Interrupted), // undici: the body broke off
    ("other side closed",                                 Interrupted), // undici
];

/// The class of a message of `fetch`.
pub(in crate::classify) fn fetch(message: &str) -> Option<ErrorClass> {
    let row = FETCH.iter().find(|row| {
        let rest = super::super::text::strip_prefix_ignore_case(message, row.0);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric()))
    });
    row.map(|row| row.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errno_names_are_whole_and_upper_case() {
        assert_eq!(errno("ECONNRESET"), Some(Interrupted));
        assert_eq!(errno("ERR_SSL_WRONG_VERSION_NUMBER"), Some(Protocol));
        assert_eq!(errno("econnreset"), None);
        assert_eq!(errno("ECONNRESETS"), None);
    }

    #[test]
    fn no_name_stands_twice() {
        for (index, row) in ERRNO.iter().enumerate() {
            assert!(ERRNO[..index].iter().all(|other| other.0 != row.0), "{}", row.0);
        }
        for (index, row) in NAMES.iter().enumerate() {
            assert!(NAMES[..index].iter().all(|other| other.0 != row.0), "{}", row.0);
        }
    }

    #[test]
    fn fetch_speaks_at_the_start_of_the_message() {
        assert_eq!(fetch("fetch failed"), Some(Connect));
        assert_eq!(fetch("Failed to fetch"), Some(Connect));
        assert_eq!(fetch("NetworkError when attempting to fetch resource."), Some(Connect));
        assert_eq!(fetch("terminated"), Some(Interrupted));
        assert_eq!(fetch("fetch failedOver is not a function"), None);
        assert_eq!(fetch("Cannot read properties of undefined (reading 'fetch failed')"), None);
    }
}
