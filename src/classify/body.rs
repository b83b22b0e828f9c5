//! Finds the error in a JSON body, whatever the provider's shape. It reads fixed paths only, so depth costs nothing.

use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};

use super::call_error::MAX_CODE_BYTES;
use super::duration;
use super::payload;
use super::rules::Provider;
use super::tables::status;
use crate::error::MAX_DURATION;
use crate::text::cut;

/// How often JSON inside JSON is unwrapped.
pub(super) const MAX_UNWRAPS: u8 = 3;

/// How many entries of a list are read.
const MAX_ENTRIES: usize = 8;

/// How much of a provider's message is kept for the search by phrase.
const MAX_TEXT_BYTES: usize = 2048;

/// An error as the provider wrote it.
#[derive(Debug, Default)]
pub(super) struct ProviderError {
    /// The provider, when only one uses this shape.
    pub(super) provider: Option<Provider>,
    /// What may have a rule, the most telling first.
    pub(super) codes: Vec<FoundCode>,
    /// A status that stands in the body.
    pub(super) status: Option<u16>,
    pub(super) message: String,
    pub(super) wait: Option<BodyWait>,
    /// Something of an answer came before it or stands beside it.
    pub(super) begun: bool,
}

/// A code and where it stood.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FoundCode {
    pub(super) place: Place,
    pub(super) text: String,
}

/// Where a code stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Below the error: `details`, `innererror`, `metadata`.
    Detail,
    /// `code`, `error_code`, `status_code`, …
    Code,
    /// `type`.
    Type,
    /// In brackets at the end of the message: only MiniMax means anything by it.
    Message,
}

/// A wait that stands in the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyWait {
    In(Duration),
    At(SystemTime),
    /// Google's `RetryInfo`: only right for limits of a minute.
    RetryInfo(Duration),
}

impl FoundCode {
    /// Fewer than four digits: a status, or a number that says nothing without its provider.
    pub(super) fn is_short_number(&self) -> bool {
        self.text.len() < 4 && self.text.bytes().all(|digit| digit.is_ascii_digit())
    }
}

/// The error in `body`, if there is one.
pub(super) fn find(body: &Value, unwraps: u8) -> Option<ProviderError> {
    match body {
        Value::Object(fields) => in_object(fields, unwraps),
        // Gemini sends a list of one.
        Value::Array(entries) => {
            entries.iter().take(MAX_ENTRIES).filter_map(Value::as_object).find_map(|fields| in_object(fields, unwraps))
        }
        Value::String(text) => payload::find(text, unwraps),
        _ => None,
    }
}

/// A failed reply of no known shape: its message and its wait are read all the same.
pub(super) fn bare(body: &Value) -> Option<ProviderError> {
    let fields = body.as_object()?;
    let text = ["message", "msg", "error_msg"].iter().find_map(|name| fields.get(*name)?.as_str());
    let mut error = ProviderError::from_text(text.unwrap_or_default());
    error.read_wait(fields);
    (text.is_some() || error.wait.is_some()).then_some(error)
}

/// Keys that an answer has and an error has not.
const ANSWER_KEYS: [&str; 7] = ["choices", "Choices", "output", "result", "candidates", "content", "delta"];

/// Values of `code` that report success.
const SUCCESS_CODES: [&str; 6] = ["", "0", "200", "ok", "success", "null"];

type Fields = Map<String, Value>;

fn in_object(fields: &Fields, unwraps: u8) -> Option<ProviderError> {
    let object = |name: &str| fields.get(name).and_then(Value::as_object);
    let mut error = ProviderError::default();
    let mut found = match fields.get("error") {
        Some(Value::String(text)) if !text.is_empty() => error.read_text_error(fields, text, unwraps),
        Some(Value::Object(inner)) => error.read(inner, unwraps),
        Some(Value::Array(entries)) => {
            entries.first().and_then(Value::as_object).is_some_and(|inner| error.read(inner, unwraps))
        }
        _ => false,
    };
    let mut read_if = |fields: Option<&Fields>, provider: Option<Provider>| {
        if let (false, Some(fields)) = (found, fields) {
            found = error.read(fields, unwraps);
            error.provider = provider;
        }
    };
    let faulty = |name: &str, code: &str| object(name).filter(|inner| has_code(inner, code));
    let this_if = |is_error: bool| is_error.then_some(fields);
    let response = object("Response").or_else(|| object("response"));
    let response_error =
        response.and_then(|response| response.get("Error").or_else(|| response.get("error"))?.as_object());
    let tencent = fields.contains_key("Response").then_some(Provider::Hunyuan);
    read_if(response_error, tencent);
    read_if(faulty("base_resp", "status_code"), Some(Provider::MiniMax));
    read_if(faulty("header", "code"), Some(Provider::Spark));
    read_if(faulty("ErrorMsg", "Code"), Some(Provider::Hunyuan));
    read_if(this_if(has_code(fields, "error_code")), qianfan_or_huawei(fields));
    read_if(this_if(fields.contains_key("error_type") && fields.contains_key("error_message")), None);
    read_if(this_if(is_plain_error(fields)), provider_of_plain(fields));
    read_if(fields.get("errors").and_then(|errors| errors.get(0)?.as_object()), None);
    if !found && !has_answer(fields) {
        found = error.read_detail(fields.get("detail"), unwraps);
    }
    if !found {
        return None;
    }
    // Huawei MaaS sends two shapes in one object.
    error.add_code(Place::Code, fields.get("error_code"));
    if error.status.is_none() {
        error.status = ["status", "statusCode", "status_code"].iter().find_map(|name| status_in(fields.get(*name)?));
    }
    error.read_wait(fields);
    error.begun |= ANSWER_KEYS.iter().any(|name| fields.get(*name).is_some_and(is_filled));
    if error.provider.is_none() && (fields.contains_key("openrouter_metadata") || fields.contains_key("user_id")) {
        error.provider = Some(Provider::OpenRouter);
    }
    Some(error)
}

impl ProviderError {
    /// A text that is no JSON and no stream.
    pub(super) fn from_text(text: &str) -> Self {
        Self { message: cut(text.trim(), MAX_TEXT_BYTES).to_owned(), ..Self::default() }
    }

    /// `{"error": "…"}`: Ollama, OAuth, frameworks.
    fn read_text_error(&mut self, fields: &Fields, text: &str, unwraps: u8) -> bool {
        if let Some(inner) = payload::find_wrapped(text, unwraps) {
            *self = inner;
            return true;
        }
        let more = ["error_description", "message", "msg"].iter().find_map(|name| fields.get(*name)?.as_str());
        self.message = cut(&more.map_or(text.to_owned(), |more| format!("{text}: {more}")), MAX_TEXT_BYTES).to_owned();
        self.add_code(Place::Code, fields.get("code"));
        if !text.contains(' ') {
            self.push(Place::Code, text);
        }
        true
    }

    /// Reads the object that holds the error. `false`: nothing in it says so.
    fn read(&mut self, fields: &Fields, unwraps: u8) -> bool {
        let text = ["message", "msg", "Message", "Msg", "error_msg", "error_message", "status_msg", "detail"]
            .iter()
            .find_map(|name| fields.get(*name)?.as_str());
        if let Some(inner) = text.and_then(|text| payload::find_wrapped(text, unwraps)) {
            *self = inner;
        } else if let Some(text) = text {
            self.message.push_str(cut(text, MAX_TEXT_BYTES));
        }
        self.read_details(fields.get("details"));
        if let Some(inner) = fields.get("innererror").and_then(Value::as_object) {
            self.add_code(Place::Detail, inner.get("code"));
        }
        self.read_metadata(fields.get("metadata"));
        for name in ["code", "Code", "error_code"] {
            self.add_code(Place::Code, fields.get(name));
        }
        for name in ["status", "status_code"] {
            self.add_code(Place::Code, fields.get(name));
        }
        for name in ["type", "error_type"] {
            // `"type": "error"` is the envelope.
            self.add_code(Place::Type, fields.get(name).filter(|kind| kind.as_str() != Some("error")));
        }
        if let Some(number) = text.and_then(number_in_brackets) {
            self.push(Place::Message, number);
        }
        self.read_wait(fields);
        !(self.message.is_empty() && self.codes.is_empty() && self.status.is_none())
    }

    /// Anthropic: an object. Google: a list of objects that `@type` tells apart.
    fn read_details(&mut self, details: Option<&Value>) {
        self.add_code(Place::Detail, details.and_then(|details| details.get("error_code")));
        for detail in details.and_then(Value::as_array).into_iter().flatten().take(MAX_ENTRIES) {
            self.add_code(Place::Detail, detail.get("reason"));
            if let Some(limit) = detail.get("metadata").and_then(|metadata| metadata.get("quota_limit")?.as_str()) {
                self.push_window(limit);
            }
            for violation in detail.get("violations").and_then(Value::as_array).into_iter().flatten().take(MAX_ENTRIES)
            {
                if let Some(quota) = violation.get("quotaId").and_then(Value::as_str) {
                    self.push_window(quota);
                }
            }
            if let Some(delay) = detail.get("retryDelay").and_then(Value::as_str).and_then(duration::with_units) {
                self.push(Place::Detail, "RetryInfo");
                self.wait = self.wait.or(Some(BodyWait::RetryInfo(delay)));
            }
        }
    }

    /// Puts the longest window first: it is the one that holds.
    fn push_window(&mut self, quota: &str) {
        self.push(Place::Detail, quota);
        if quota.contains("PerDay") {
            self.codes.rotate_right(1);
        }
    }

    /// OpenRouter.
    fn read_metadata(&mut self, metadata: Option<&Value>) {
        let Some(metadata) = metadata.and_then(Value::as_object) else { return };
        for name in ["limit_source", "reason", "error_type", "provider_code"] {
            self.add_code(Place::Detail, metadata.get(name));
        }
        if ["reasons", "flagged_input"].iter().any(|name| metadata.get(*name).is_some_and(|value| !value.is_null())) {
            self.push(Place::Detail, "moderation");
        }
        if let Some(raw) = metadata.get("raw").and_then(Value::as_str) {
            self.message.push('\n');
            self.message.push_str(cut(raw, MAX_TEXT_BYTES));
        }
        if ["provider_name", "raw", "error_type", "limit_source"].iter().any(|name| metadata.contains_key(*name)) {
            self.provider = Some(Provider::OpenRouter);
        }
        self.read_wait(metadata);
    }

    /// FastAPI: a text, JSON in a text, or a list of faults in the request.
    fn read_detail(&mut self, detail: Option<&Value>, unwraps: u8) -> bool {
        match detail {
            Some(Value::String(text)) if !text.is_empty() => {
                *self = payload::find_wrapped(text, unwraps).unwrap_or_else(|| Self::from_text(text));
                true
            }
            Some(Value::Object(inner)) => {
                // `{"detail": {"error": {…}}}` is one level more.
                match unwraps.checked_sub(1).and_then(|unwraps| in_object(inner, unwraps)) {
                    Some(error) => *self = error,
                    None => return self.read(inner, unwraps),
                }
                true
            }
            Some(Value::Array(entries)) => {
                entries.first().and_then(Value::as_object).is_some_and(|first| self.read(first, unwraps))
            }
            _ => false,
        }
    }

    fn read_wait(&mut self, fields: &Fields) {
        let amount = |name: &str, parse: fn(&str) -> Option<Duration>| match fields.get(name)? {
            // Only a number from 1e16 on prints with an exponent: any such wait is cut to the longest.
            Value::Number(number) => {
                parse(&number.to_string()).or_else(|| (number.as_f64()? >= 1e16).then_some(MAX_DURATION))
            }
            Value::String(text) => parse(text),
            _ => None,
        };
        let wait = amount("retry_after_ms", duration::millis)
            .or_else(|| amount("retry_after_seconds", duration::seconds))
            .or_else(|| amount("retry_after", duration::seconds))
            .or_else(|| amount("resets_in_seconds", duration::seconds))
            .map(BodyWait::In)
            .or_else(|| {
                fields
                    .get("resets_at")
                    .and_then(integer)
                    .and_then(|at| duration::epoch_seconds(at.try_into().ok()?))
                    .map(BodyWait::At)
            });
        self.wait = self.wait.or(wait);
    }

    fn add_code(&mut self, place: Place, value: Option<&Value>) {
        match value {
            Some(Value::String(text)) => self.push(place, text),
            Some(Value::Number(number)) => {
                let whole = value.and_then(integer);
                self.push(place, &whole.map_or_else(|| number.to_string(), |whole| whole.to_string()));
            }
            _ => {}
        }
    }

    pub(super) fn push(&mut self, place: Place, text: &str) {
        let text = text.trim();
        let is_success = SUCCESS_CODES.iter().any(|word| word.eq_ignore_ascii_case(text));
        if is_success || self.codes.iter().any(|found| found.text == text) || self.codes.len() >= 2 * MAX_ENTRIES {
            return;
        }
        if self.status.is_none() && place == Place::Code {
            self.status = status_in_text(text).or_else(|| status_at_end(text));
        }
        self.codes.push(FoundCode { place, text: cut(text, MAX_CODE_BYTES).to_owned() });
    }
}

fn status_in_text(text: &str) -> Option<u16> {
    text.parse().ok().filter(|&status| status::is_error(status))
}

fn status_in(value: &Value) -> Option<u16> {
    match value {
        Value::String(text) => status_in_text(text.trim()),
        _ => u16::try_from(integer(value)?).ok().filter(|&status| status::is_error(status)),
    }
}

/// A whole number, also when it was written or converted as `429.0`.
pub(super) fn integer(value: &Value) -> Option<i64> {
    let whole = |number: f64| (number.fract() == 0.0 && number.abs() <= 9e15).then_some(number as i64);
    value.as_i64().or_else(|| value.as_f64().and_then(whole))
}

/// `InferHub.….429`: the last part is a status.
fn status_at_end(code: &str) -> Option<u16> {
    code.strip_prefix("InferHub.").and_then(|rest| status_in_text(rest.rsplit('.').next()?))
}

/// `… (1026)`: a gateway in front of MiniMax.
fn number_in_brackets(text: &str) -> Option<&str> {
    let (_, number) = text.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    (number.len() == 4 && number.bytes().all(|digit| digit.is_ascii_digit())).then_some(number)
}

/// `name` is there and reports a fault.
fn has_code(fields: &Fields, name: &str) -> bool {
    match fields.get(name) {
        Some(Value::String(text)) => !SUCCESS_CODES.iter().any(|word| word.eq_ignore_ascii_case(text.trim())),
        Some(value @ Value::Number(_)) => !matches!(integer(value), Some(0 | 200)),
        _ => false,
    }
}

/// Not null, `""`, `[]` or `{}`.
fn is_filled(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(entries) => !entries.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    }
}

fn has_answer(fields: &Fields) -> bool {
    ANSWER_KEYS.iter().any(|name| fields.get(*name).is_some_and(|value| !value.is_null()))
}

/// Code or type beside a message, with no answer: DashScope, SiliconFlow, vLLM, the inner object of an SDK.
fn is_plain_error(fields: &Fields) -> bool {
    let text = |name: &str| fields.get(name).is_some_and(Value::is_string);
    let has_text = text("message") || text("msg");
    let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
    // Answers have types too; the one of an error says so, or stands beside the other fields of OpenAI's shape.
    let typed =
        kind.ends_with("rror") || (!kind.is_empty() && ["code", "param"].iter().any(|name| fields.contains_key(*name)));
    let coded = has_code(fields, "code") || (fields.get("code").is_none_or(Value::is_null) && typed);
    let bare = has_code(fields, "code") && (text("type") || fields.contains_key("innererror"));
    ((has_text && coded) || bare) && !has_answer(fields)
}

fn provider_of_plain(fields: &Fields) -> Option<Provider> {
    if fields.contains_key("sid") {
        Some(Provider::Spark)
    } else if fields.contains_key("request_id") && !fields.contains_key("type") {
        Some(Provider::DashScope)
    } else if fields.contains_key("data") {
        Some(Provider::SiliconFlow)
    } else {
        None
    }
}

/// Both use `error_code`: Baidu numbers, Huawei words.
fn qianfan_or_huawei(fields: &Fields) -> Option<Provider> {
    match fields.get("error_code") {
        Some(Value::String(text)) if !text.bytes().all(|digit| digit.is_ascii_digit()) => Some(Provider::Huawei),
        Some(_) => Some(Provider::QianfanV1),
        None => None,
    }
}
