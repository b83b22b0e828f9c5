//! What could be read off an error or an answer, before anyone judges it.

use serde_json::Value;

/// A `code` field as it was found.
///
/// ```
/// use resilience::classify::Code;
///
/// assert_eq!(Code::from(2300028), Code::Number(2300028));
/// assert_eq!(Code::from("ECONNRESET"), Code::Text("ECONNRESET".to_owned()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    /// A number: HarmonyOS codes, codes of some providers.
    Number(i64),
    /// Text: errno names, codes of most providers.
    Text(String),
}

impl From<i64> for Code {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Code {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Facts about an attempt that failed. Everything is optional: say what is known.
///
/// ```
/// use resilience::classify::{ErrorClass, ErrorFacts, classify};
/// use std::time::SystemTime;
///
/// let facts = ErrorFacts { status: Some(429), headers: vec![("Retry-After".into(), "1.5".into())], ..Default::default() };
/// let error = classify(&facts, SystemTime::now());
/// assert_eq!(error.class, ErrorClass::RateLimit);
/// assert_eq!(error.retry_after.unwrap().wait.as_millis(), 1500);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ErrorFacts {
    /// The class that the client says, by its name; wins over everything. An unknown name counts as none.
    pub class: Option<String>,
    /// Whether the client says that a retry helps; wins over the class.
    pub retryable: Option<bool>,
    /// HTTP status of the response.
    pub status: Option<u16>,
    /// `code` of the error or of its cause: errno name, HarmonyOS code, or code of the provider.
    pub code: Option<Code>,
    /// Name of the JavaScript error: `TypeError`, `AbortError`, …
    pub name: Option<String>,
    /// Text of the error.
    pub message: String,
    /// Response headers; names in any case.
    pub headers: Vec<(String, String)>,
    /// Response body: JSON, or raw text (JSON, server-sent events, JSON in JSON) as [`Value::String`].
    pub body: Option<Value>,
    /// How long the client says to wait, in milliseconds; wins over all headers.
    pub retry_after_ms: Option<f64>,
    /// Whether the request left the device.
    pub sent: Option<bool>,
    /// Id or host of the provider (`dashscope`, `api.deepseek.com`). Some codes mean different things per provider.
    pub provider: Option<String>,
}

/// Facts about an answer that came with a success status.
///
/// ```
/// use resilience::classify::{AnswerFacts, ErrorClass, classify_answer};
/// use std::time::SystemTime;
///
/// let facts = AnswerFacts { finish_reason: Some("content_filter".into()), ..Default::default() };
/// assert_eq!(classify_answer(&facts, SystemTime::now()).unwrap().class, ErrorClass::ContentFilter);
///
/// let cut = AnswerFacts { finish_reason: Some("length".into()), ..Default::default() };
/// assert!(classify_answer(&cut, SystemTime::now()).is_none(), "short, but an answer");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerFacts {
    /// Why the model stopped, when the client already read it.
    pub finish_reason: Option<String>,
    /// The whole answer: JSON, or raw text as [`Value::String`].
    pub body: Option<Value>,
    /// Response headers; names in any case.
    pub headers: Vec<(String, String)>,
    /// Id or host of the provider.
    pub provider: Option<String>,
}
