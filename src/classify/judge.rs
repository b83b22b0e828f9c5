//! Walks the tables: from facts to a [`CallError`].

use std::time::SystemTime;

use super::answer;
use super::body::{self, MAX_UNWRAPS, Place, ProviderError};
use super::call_error::{CallError, MAX_CODE_BYTES, MAX_MESSAGE_BYTES};
use super::class::ErrorClass;
use super::facts::{Code, ErrorFacts};
use super::payload;
use super::retry_after::{self, Hints};
use super::rules::{self, Case, Certainty, Provider};
use super::tables::phrases::{self, Refinement};
use super::tables::{harmony, status, transport};
use super::text::{Words, strip_prefix_ignore_case, unquoted};
use crate::text::cut;

/// Judges a failed attempt. `wall_clock` only serves to read a date when the response has no `Date` header.
///
/// It asks, in this order: `class` and `retryable` of the error, `x-should-retry`, the codes of the provider in the
/// body, codes of HarmonyOS, the HTTP status, errno names, the name of the error, and last the message: when it begins
/// with a status, names an errno, or uses words that providers and networking layers use. A provider's code wins over
/// the status, because providers use statuses freely. Bare digits inside a text are never a status.
///
/// Errors repeat prompts: under a status that says nothing about the service (400, 403, …) words about money only count
/// where the provider itself says them, in its body and outside quotation marks.
///
/// At most 256 KiB of a body and 2 KiB of a message are read.
///
/// ```
/// use resilience::classify::{ErrorClass, ErrorFacts, classify};
/// use serde_json::json;
/// use std::time::SystemTime;
///
/// let body = json!({"error": {"code": "1113", "message": "insufficient balance"}});
/// let error = classify(&ErrorFacts { status: Some(429), body: Some(body), ..Default::default() }, SystemTime::now());
/// assert_eq!(error.class, ErrorClass::Quota, "429, but about money");
/// assert_eq!(error.provider_code.as_deref(), Some("1113"));
/// ```
pub fn classify(facts: &ErrorFacts, wall_clock: SystemTime) -> CallError {
    let evidence = Evidence::read(facts);
    let explicit = facts.class.as_deref().and_then(ErrorClass::from_name);
    let class = match (explicit.unwrap_or_else(|| evidence.class(facts)), facts.sent) {
        (ErrorClass::Interrupted, Some(false)) if explicit.is_none() => ErrorClass::Connect,
        (class, _) => class,
    };
    let mut error = evidence.into_error(class, &facts.headers, facts.retry_after_ms, wall_clock);
    error.retryable = facts.retryable.or_else(|| should_retry(&facts.headers));
    let is = |test: fn(u16) -> bool| error.status.is_some_and(test);
    // A 408 says that the request did not arrive.
    let unread = facts.sent == Some(false) || is(|status| status == 408);
    let arrived = is(status::is_success) || (facts.sent == Some(true) && !is(status::is_error));
    error.maybe_billed = !unread && maybe_billed(class, error.status, arrived);
    error
}

/// Whether the service may have done the work, and billed it. `arrived`: the request did, and no status speaks of failure.
pub(super) fn maybe_billed(class: ErrorClass, status: Option<u16>, arrived: bool) -> bool {
    class.maybe_billed()
        || status.is_some_and(status::is_maybe_billed)
        || (arrived && class.leaves_open_whether_billed())
}

/// Header `x-should-retry` of OpenAI, Anthropic and Ark.
fn should_retry(headers: &[(String, String)]) -> Option<bool> {
    match retry_after::header(headers, "x-should-retry")?.trim() {
        value if value.eq_ignore_ascii_case("true") => Some(true),
        value if value.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// All that speaks for a class.
pub(super) struct Evidence<'a> {
    provider: Option<Provider>,
    error: Option<ProviderError>,
    /// The error was found inside the message, with words on both sides: it may be part of a prompt that the message repeats.
    error_is_amid_words: bool,
    /// Of the transport, or as the message begins.
    status: Option<u16>,
    message: &'a str,
    words: Words,
}

impl<'a> Evidence<'a> {
    fn read(facts: &'a ErrorFacts) -> Self {
        let message = facts.message.trim();
        let of_body = facts.body.as_ref().and_then(|body| body::find(body, MAX_UNWRAPS).or_else(|| body::bare(body)));
        let embedded = if of_body.is_none() { payload::find_embedded(message) } else { None };
        let mut error_is_amid_words = embedded.is_some() && !message.ends_with('}');
        let mut error = of_body.or(embedded);
        let of_transport = |code: &String| {
            transport::is_errno(code) || harmony_class(facts, code).is_some() || is_dom_exception(facts)
        };
        if let Some(code) = facts.code.as_ref().map(code_text).filter(|code| !of_transport(code)) {
            error.get_or_insert_default().push(Place::Code, &code);
            error_is_amid_words = false;
        }
        let status = facts.status.filter(|&status| status != 0).or_else(|| leading_status(message));
        Self { error_is_amid_words, ..Self::new(facts.provider.as_deref(), error, status, message) }
    }

    pub(super) fn new(
        provider: Option<&str>,
        error: Option<ProviderError>,
        status: Option<u16>,
        message: &'a str,
    ) -> Self {
        let said = error.as_ref().map_or("", |error| error.message.as_str());
        let repeated = message.len() >= said.len() && message.contains(said);
        let words = Words::new(if repeated { [message, ""] } else { [said, message] });
        let provider = provider.and_then(Provider::from_hint);
        Self { provider, error, error_is_amid_words: false, status, message, words }
    }

    /// The status that counts: one in the body was written by the provider itself.
    fn effective_status(&self) -> Option<u16> {
        self.error.as_ref().and_then(|error| error.status).or(self.status)
    }

    fn class(&self, facts: &ErrorFacts) -> ErrorClass {
        // A code of HarmonyOS that says "internal error" leaves the rest to tell more.
        let harmony =
            || harmony_class(facts, &code_text(facts.code.as_ref()?)).filter(|class| *class != ErrorClass::Unknown);
        self.class_of_provider().or_else(harmony).or_else(|| self.class_of_status()).unwrap_or_else(|| {
            match self.class_of_transport(facts) {
                // The service answered well, and the client could not use it: what stands there may say why.
                ErrorClass::Unknown if self.effective_status().is_some_and(status::is_success) => {
                    facts.body.as_ref().and_then(answer::fault_class).unwrap_or(ErrorClass::InvalidResponse)
                }
                class => class,
            }
        })
    }

    /// What a code of the provider says.
    pub(super) fn class_of_provider(&self) -> Option<ErrorClass> {
        let case = Case { provider: self.provider, status: self.effective_status(), words: &self.words };
        let verdict = rules::look_up(self.error.as_ref()?, &case)?;
        let class = match verdict.certainty {
            Certainty::Final => verdict.class,
            Certainty::Code => self.refined(phrases::AFTER_CODE, verdict.class),
            Certainty::Vague => self.refined(phrases::AFTER_STATUS, verdict.class),
        };
        let plain = self.class_of_plain_status();
        let is_quoted = self.error_is_amid_words && plain.is_some_and(|plain| class.opens_unlike(plain));
        (!is_quoted).then(|| self.whole_request_too_large(class))
    }

    fn class_of_plain_status(&self) -> Option<ErrorClass> {
        self.effective_status().and_then(status::class)
    }

    /// What the status says, corrected by words.
    pub(super) fn class_of_status(&self) -> Option<ErrorClass> {
        let class = self.refined(phrases::AFTER_STATUS, self.class_of_plain_status()?);
        Some(self.whole_request_too_large(class))
    }

    /// What the words of a provider say when it gave neither code nor status.
    pub(super) fn class_of_words(&self) -> Option<ErrorClass> {
        let class = self.refined(phrases::AFTER_STATUS, ErrorClass::Unknown);
        (class != ErrorClass::Unknown).then_some(class)
    }

    fn refined(&self, tables: &[&[Refinement]], class: ErrorClass) -> ErrorClass {
        let own = || {
            let said = self.error.as_ref().filter(|_| !self.error_is_amid_words).map_or("", |error| &error.message);
            Words::new([unquoted(said).as_str()])
        };
        phrases::apply(tables, class, self.effective_status(), &self.words, own)
    }

    /// What errno, name and words say.
    fn class_of_transport(&self, facts: &ErrorFacts) -> ErrorClass {
        if let Some(Code::Text(code)) = &facts.code
            && let Some(class) = transport::errno(code.trim())
        {
            return self.connecting(class);
        }
        let name = facts.name.as_deref().unwrap_or("Error");
        let message = strip_prefix_ignore_case(self.message, name)
            .and_then(|rest| rest.strip_prefix(": "))
            .unwrap_or(self.message);
        // "fetch failed" does not say when: what is known to be sent was cut off.
        let vague = |class| match (class, facts.sent) {
            (ErrorClass::Connect, Some(true)) => ErrorClass::Interrupted,
            _ => class,
        };
        let errno = || errno_in(message).map(|class| self.connecting(class));
        let fetch = || transport::fetch(message).map(vague);
        match (transport::name(name), name) {
            // Every network error of `fetch` is a `TypeError`; only its text tells it from a bug.
            (Some(ErrorClass::ClientBug), "TypeError") => {
                fetch().map_or(ErrorClass::ClientBug, |class| errno().unwrap_or(class))
            }
            // What the client could not read as JSON came from the provider (or from a portal in between).
            (Some(ErrorClass::ClientBug), "SyntaxError") if self.words.has("json") => ErrorClass::InvalidResponse,
            (Some(ErrorClass::Cancelled), _) if self.words.has_any(&["timed out", "timeout"]) => ErrorClass::Timeout,
            (Some(class), _) => vague(class),
            (None, _) => errno()
                .or_else(fetch)
                .or_else(|| self.class_of_words())
                .unwrap_or_else(|| self.refined(phrases::TRANSPORT, ErrorClass::Unknown)),
        }
    }

    /// What an errno means together with the words beside it: some strike before anything was sent.
    fn connecting(&self, class: ErrorClass) -> ErrorClass {
        match class {
            ErrorClass::Timeout if self.words.has("connect etimedout") => ErrorClass::Connect,
            // axios calls its own timeout ECONNABORTED.
            ErrorClass::Interrupted if self.words.has("timeout of ~ exceeded") => ErrorClass::Timeout,
            ErrorClass::Interrupted if self.words.has("before secure tls connection") => ErrorClass::Connect,
            class => class,
        }
    }

    /// A limit per minute that this one request is above: waiting does not make it smaller.
    fn whole_request_too_large(&self, class: ErrorClass) -> ErrorClass {
        let number_after = |word: &str| {
            self.words.lower().match_indices(word).take(MAX_NUMBERS).find_map(|(at, _)| {
                let digits = self.words.lower()[at + word.len()..].trim_start_matches([' ', ':', '=']);
                let end = digits.bytes().take_while(u8::is_ascii_digit).count();
                digits[..end].parse::<u64>().ok()
            })
        };
        if class != ErrorClass::RateLimit || !self.words.has("limit ~ requested") {
            return class;
        }
        match (number_after(" limit"), number_after(" requested")) {
            (Some(limit), Some(requested)) if requested > limit => ErrorClass::ContextLength,
            _ => class,
        }
    }

    pub(super) fn into_error(
        self,
        class: ErrorClass,
        headers: &[(String, String)],
        explicit_ms: Option<f64>,
        wall_clock: SystemTime,
    ) -> CallError {
        let status = self.effective_status();
        let hints = Hints {
            explicit_ms,
            headers,
            body: self.error.as_ref().and_then(|error| error.wait),
            text: self.words.lower(),
            class,
            status,
        };
        let (retry_after, retry_after_malformed) = retry_after::read(&hints, wall_clock);
        let said = self.error.as_ref().map_or("", |error| error.message.trim());
        // What the client says often is no more than the status; what the service says is the reason.
        let message = match (self.message, said) {
            ("", "") => class.as_str().to_owned(),
            (message, said) if said.is_empty() || message.contains(said) => message.to_owned(),
            ("", said) => said.to_owned(),
            (message, said) => format!("{message}: {said}"),
        };
        CallError {
            class,
            message: cut(&message, MAX_MESSAGE_BYTES).to_owned(),
            status: self.status.filter(|&status| status::is_error(status)).or(status).or(self.status),
            provider_code: self
                .error
                .and_then(|error| error.codes.into_iter().find(|found| found.text != "RetryInfo"))
                .map(|found| found.text),
            retry_after,
            retry_after_malformed,
            retryable: None,
            maybe_billed: class.maybe_billed(),
        }
    }
}

fn code_text(code: &Code) -> String {
    match code {
        Code::Number(number) => number.to_string(),
        Code::Text(text) => cut(text, MAX_CODE_BYTES).to_owned(),
    }
}

/// Whether the code is the old number of a `DOMException` (20 of `AbortError`, 23 of `TimeoutError`, …), which repeats its
/// name (<https://webidl.spec.whatwg.org/#idl-DOMException-error-names>).
fn is_dom_exception(facts: &ErrorFacts) -> bool {
    let known = facts.name.as_deref().is_some_and(|name| transport::name(name).is_some());
    known && matches!(facts.code, Some(Code::Number(1..=25)))
}

/// The class of a code of HarmonyOS, as number or as text.
fn harmony_class(facts: &ErrorFacts, code: &str) -> Option<ErrorClass> {
    let number = code.trim().parse().ok()?;
    let shared = || {
        let row = harmony::SHARED.iter().find(|row| row.0 == number)?;
        Words::new([facts.message.as_str()]).has_any(row.1).then_some(row.2)
    };
    harmony::class(number).or_else(shared)
}

/// What may stand before the status at the start of a message.
#[rustfmt::skip]
const STATUS_PREFIXES: [&str; 26] = [
    "error:", "error code:", "error", "api error:", "api error", "server error:", "server error", "http error!", "http error:",
    "http error", "http/1.1", "http/2", "http:", "http", "request failed with status code", "request failed with status",
    "request failed:", "server responded with", "response status:", "unexpected status code:", "unexpected status", "status code:",
    "status code", "status_code:", "status:", "status",
];

/// Units that make a number at the start of a message a plain number.
const UNITS: [&str; 12] =
    ["ms", "s", "seconds", "minutes", "tokens", "token", "items", "bytes", "kb", "mb", "requests", "characters"];

/// Signs that may follow a status, besides white space.
const AFTER_STATUS_SIGNS: [char; 12] = [':', ',', ';', ')', ']', '-', '{', '.', '：', '，', '；', '。'];

/// The status that `message` begins with: `503 Service Unavailable`, `HTTP 503`, `AxiosError: … status code 503`, `[429]: …`.
fn leading_status(message: &str) -> Option<u16> {
    let mut rest = message.trim_start();
    for _ in 0..4 {
        let prefixes = STATUS_PREFIXES.iter().filter_map(|prefix| strip_prefix_ignore_case(rest, prefix));
        // A prefix is a word: "errors 503" does not begin with one.
        let whole = |after: &&str| !after.starts_with(|next: char| next.is_ascii_alphabetic());
        let Some(after) = prefixes.into_iter().find(whole).or_else(|| without_name(rest)) else { break };
        rest = after.trim_start();
    }
    let rest = rest.trim_start_matches(['[', '(']);
    let number = rest.get(..3).filter(|number| number.bytes().all(|digit| digit.is_ascii_digit()))?;
    let after = &rest[3..];
    let ends = after.is_empty() || after.starts_with(AFTER_STATUS_SIGNS) || after.starts_with(char::is_whitespace);
    let is_fraction = after.strip_prefix('.').is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()));
    let next = after.trim_start().split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    let is_amount = is_fraction || UNITS.iter().any(|unit| unit.eq_ignore_ascii_case(next));
    number.parse().ok().filter(|&status| ends && !is_amount && status::is_error(status))
}

/// What follows the name of an error: `AxiosError: …`, `openai.RateLimitError: …`.
fn without_name(text: &str) -> Option<&str> {
    const MAX_NAME_BYTES: usize = 64;
    let end =
        cut(text, MAX_NAME_BYTES).find(|letter: char| !(letter.is_ascii_alphanumeric() || "._$".contains(letter)))?;
    let (name, rest) = text.split_at(end);
    let is_name = ["Error", "Exception"].iter().any(|ending| name.ends_with(ending));
    rest.strip_prefix(": ").filter(|_| is_name).map(str::trim_start)
}

/// How many places are tried for the number of a limit.
const MAX_NUMBERS: usize = 8;

/// Only this much of a message is searched for errno names.
const MAX_ERRNO_BYTES: usize = 2048;

/// The first errno name that stands in `message` as a word.
fn errno_in(message: &str) -> Option<ErrorClass> {
    cut(message, MAX_ERRNO_BYTES)
        .split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
        .find_map(transport::errno)
}
