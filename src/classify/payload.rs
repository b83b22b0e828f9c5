//! Text that carries JSON: a body as text, server-sent events, lines of JSON, JSON inside a message.

use serde_json::Value;

use super::body::{self, MAX_UNWRAPS, ProviderError};
use super::tables::status;
use super::text::strip_prefix_ignore_case;
use crate::text::cut;

/// Only this much of a failed reply is read.
const MAX_PAYLOAD_BYTES: usize = 256 * 1024;

/// How many JSON documents in a row are read.
const MAX_DOCUMENTS: usize = 64;

/// How many places of a message are tried as the start of JSON.
const MAX_STARTS: usize = 3;

/// How many broken JSON documents without `data:` are tried.
const MAX_BLOCKS: usize = 4;

/// The error in a text that is a body.
pub(super) fn find(text: &str, unwraps: u8) -> Option<ProviderError> {
    let unwraps = unwraps.checked_sub(1)?;
    let text = trimmed(text);
    match text.as_bytes().first()? {
        b'{' | b'[' | b'"' if first_document(text).is_some() => {
            documents(text).find_map(|value| body::find(&value, unwraps))
        }
        b'{' | b'[' if begins_as_json(text) => Stream::read(text, unwraps, &mut |_| {}).error,
        b'<' => None,
        _ if is_stream(text) => Stream::read(text, unwraps, &mut |_| {}).error,
        _ => Some(ProviderError::from_text(text)),
    }
}

/// The error in a text field that may itself be a body. Plain text is none.
pub(super) fn find_wrapped(text: &str, unwraps: u8) -> Option<ProviderError> {
    let text = trimmed(text);
    let wrapped = text.starts_with(['{', '[', '"']) || is_stream(text);
    if wrapped { find(text, unwraps) } else { None }
}

/// The error in a message that has words around the JSON: `429 {"error":{…}}`.
pub(super) fn find_embedded(message: &str) -> Option<ProviderError> {
    let text = cut(message, MAX_PAYLOAD_BYTES);
    let starts = text.match_indices('{').map(|(start, _)| start).take(MAX_STARTS);
    starts.filter_map(|start| first_document(&text[start..])).find_map(|value| body::find(&value, MAX_UNWRAPS))
}

/// Whether what follows the first bracket may stand there in JSON: not so in `[ERROR] rate limit reached`.
fn begins_as_json(text: &str) -> bool {
    let mut tokens = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    match (tokens.next(), tokens.next()) {
        (Some(b'{'), Some(next)) => matches!(next, b'"' | b'}'),
        (Some(b'['), Some(next)) => matches!(next, b'{' | b'[' | b'"' | b']' | b'-' | b'0'..=b'9'),
        (_, next) => next.is_none(),
    }
}

fn trimmed(text: &str) -> &str {
    cut(text, MAX_PAYLOAD_BYTES).trim_start_matches('\u{feff}').trim()
}

fn documents(text: &str) -> impl Iterator<Item = Value> {
    // Stops for good at the first mistake.
    serde_json::Deserializer::from_str(text).into_iter::<Value>().map_while(Result::ok).take(MAX_DOCUMENTS)
}

fn first_document(text: &str) -> Option<Value> {
    documents(text).next()
}

/// Names of fields that a line of a stream begins with.
const STREAM_FIELDS: [&str; 6] = ["data:", "event:", ":", "id:", "error:", "status:"];

/// One of the first lines is a line of server-sent events.
fn is_stream(text: &str) -> bool {
    text.lines()
        .take(4)
        .any(|line| STREAM_FIELDS.iter().any(|field| line.starts_with(field)) && !line.starts_with("::"))
}

/// What a stream of server-sent events, or lines of JSON, holds.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// The first error.
    pub(super) error: Option<ProviderError>,
    /// JSON was seen, with or without an error.
    pub(super) has_data: bool,
    /// `[DONE]` was seen.
    pub(super) done: bool,
    /// From a comment line `:HTTP_STATUS/429` (DashScope) or a line `status:429`.
    status: Option<u16>,
    /// The event is named `error`.
    error_event: bool,
    /// Lines of data that are no JSON each; they may be together.
    pending: String,
}

impl Stream {
    /// Reads until the first error or the end, and shows every JSON document before the error.
    pub(super) fn read(text: &str, unwraps: u8, show: &mut dyn FnMut(&Value)) -> Self {
        let mut stream = Self::default();
        let mut blocks = 0;
        let mut rest = text;
        while !rest.is_empty() && stream.error.is_none() {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            rest = if line.starts_with(['{', '[']) && blocks < MAX_BLOCKS {
                // JSON without `data:`, perhaps over several lines (Gemini).
                let mut documents = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
                match documents.next() {
                    Some(Ok(value)) => {
                        stream.take(value, unwraps, show);
                        &rest[documents.byte_offset()..]
                    }
                    _ => {
                        blocks += 1;
                        after
                    }
                }
            } else {
                stream.line(line.trim_end_matches('\r'), unwraps, show);
                after
            };
        }
        stream.end_event(unwraps, show);
        stream
    }

    fn line(&mut self, line: &str, unwraps: u8, show: &mut dyn FnMut(&Value)) {
        let field = |name: &str| line.strip_prefix(name).map(|value| value.strip_prefix(' ').unwrap_or(value));
        if line.is_empty() {
            self.end_event(unwraps, show);
        } else if let Some(comment) = line.strip_prefix(':') {
            self.see_status(strip_prefix_ignore_case(comment.trim(), "HTTP_STATUS/").unwrap_or_default());
        } else if let Some(number) = field("status:") {
            self.see_status(number);
        } else if let Some(name) = field("event:") {
            self.error_event = name.trim() == "error";
        } else if let Some(data) = field("data:").or_else(|| field("error:")) {
            self.data(data, unwraps, show);
        }
    }

    fn data(&mut self, data: &str, unwraps: u8, show: &mut dyn FnMut(&Value)) {
        if data.trim() == "[DONE]" {
            self.done = true;
            return;
        }
        let mut any = false;
        for value in documents(data) {
            any = true;
            self.take(value, unwraps, show);
        }
        if !any && !data.trim().is_empty() {
            self.pending.push_str(data);
            self.pending.push('\n');
        }
    }

    fn take(&mut self, value: Value, unwraps: u8, show: &mut dyn FnMut(&Value)) {
        if self.error.is_some() {
            return;
        }
        self.has_data = true;
        let error = match &value {
            Value::String(text) => find_wrapped(text, unwraps),
            _ => body::find(&value, unwraps),
        };
        match error {
            Some(error) => self.fail(error),
            None => show(&value),
        }
    }

    fn fail(&mut self, mut error: ProviderError) {
        error.status = error.status.or(self.status);
        self.error = Some(error);
    }

    fn see_status(&mut self, number: &str) {
        let number = number.trim().parse().ok().filter(|&number| status::is_error(number));
        self.status = number.or(self.status);
    }

    /// An empty line: what was collected is whole.
    fn end_event(&mut self, unwraps: u8, show: &mut dyn FnMut(&Value)) {
        let text = std::mem::take(&mut self.pending);
        let is_error = std::mem::take(&mut self.error_event);
        if let Some(value) = first_document(&text) {
            self.take(value, unwraps, show);
        } else if is_error && !text.is_empty() && self.error.is_none() {
            self.fail(ProviderError::from_text(&text));
        }
    }
}
