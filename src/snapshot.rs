//! State that is saved when the app ends and read when it starts again.
//!
//! A snapshot is a JSON text with its `kind`, its `version` and the wall clock at which it was made. It holds what has been
//! learned, not the settings: what restores it checks everything against its own. Times are saved as what is left of them, and
//! shortened by the time that has passed since by the wall clock:
//!
//! * a clock that was set back has not gone on: nothing is taken off, and no time is longer than the settings allow;
//! * one that was set ahead has: a breaker lets a probe through early, which is one call.
//!
//! What can't be restored gives a [`RestoreError`] and changes nothing; fields that are not known are passed over.

use std::time::Duration;

use serde_json::{Map, Value as Json};

use crate::error::InvalidConfig;
use crate::millis::whole_millis;
use crate::text::shortened;

/// The version that this library writes and reads.
pub const VERSION: u64 = 1;

/// The longest text that is read, in bytes: several times what 20 services need.
pub const MAX_BYTES: usize = 64 * 1024;

/// A text that can't be restored. What was to be restored is as it was.
///
/// ```
/// use resilience::breaker::CircuitBreaker;
/// use resilience::snapshot::RestoreError;
///
/// let breaker = CircuitBreaker::new(Default::default())?;
/// let error = breaker.restore(r#"{"kind":"circuit_breaker","version":9}"#, 0).unwrap_err();
/// assert_eq!(error, RestoreError::Version("9".to_owned()));
/// # Ok::<(), resilience::InvalidConfig>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// It is no JSON object, or longer than [`MAX_BYTES`].
    #[error("no snapshot: {0}")]
    NoSnapshot(String),
    /// It is that of something else.
    #[error("a snapshot of kind {found}, needed {needed}")]
    Kind {
        /// What it says it is.
        found: String,
        /// What can be restored here.
        needed: &'static str,
    },
    /// It is of another version than [`VERSION`]: a newer one of this library wrote it.
    #[error("a snapshot of version {0}, this library reads {VERSION}")]
    Version(String),
    /// A field is missing or has a value that no snapshot has.
    #[error("snapshot: {0}")]
    Field(InvalidConfig),
}

/// A snapshot's text around its content.
pub(crate) fn write(kind: &'static str, now_unix_ms: u64, content: Json) -> String {
    let mut fields = Map::from_iter([
        ("kind".to_owned(), Json::from(kind)),
        ("version".to_owned(), Json::from(VERSION)),
        ("savedAtUnixMs".to_owned(), Json::from(now_unix_ms)),
    ]);
    if let Json::Object(content) = content {
        fields.extend(content);
    }
    Json::Object(fields).to_string()
}

/// Time that is left, as it is saved: in whole milliseconds, rounded up.
pub(crate) fn left(time: Duration) -> Json {
    Json::from(whole_millis(time) as u64)
}

/// The content of a snapshot, and how much time has passed since it was made.
pub(crate) fn read(text: &str, kind: &'static str, now_unix_ms: u64) -> Result<(Content, Duration), RestoreError> {
    if text.len() > MAX_BYTES {
        return Err(RestoreError::NoSnapshot(format!("{} bytes, at most {MAX_BYTES}", text.len())));
    }
    if text.is_empty() {
        // What an app has kept before the first time that it was ended.
        return Err(RestoreError::NoSnapshot("an empty text".to_owned()));
    }
    let json = serde_json::from_str(text);
    let json = json.map_err(|error| RestoreError::NoSnapshot(format!("a text that is no JSON ({error})")))?;
    let Json::Object(fields) = json else {
        return Err(RestoreError::NoSnapshot("JSON that is no object".to_owned()));
    };
    let content = Content(fields);
    match content.0.get("kind") {
        Some(Json::String(found)) if found == kind => {}
        found => return Err(RestoreError::Kind { found: shown(found), needed: kind }),
    }
    match content.0.get("version") {
        Some(version) if version.as_u64() == Some(VERSION) => {}
        found => return Err(RestoreError::Version(shown(found))),
    }
    let saved_at = content.whole("savedAtUnixMs")?;
    let elapsed = Duration::from_millis(now_unix_ms.saturating_sub(saved_at));
    Ok((content, elapsed))
}

fn shown(value: Option<&Json>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| shortened(&value.to_string(), 40))
}

/// Fields that may say anything.
pub(crate) struct Content(Map<String, Json>);

impl Content {
    fn read<'a, T>(
        &'a self,
        field: &'static str,
        allowed: &str,
        read: impl FnOnce(&'a Json) -> Option<T>,
    ) -> Result<T, RestoreError> {
        let value = self.0.get(field);
        let wrong = || RestoreError::Field(InvalidConfig::new(field, shown(value), allowed));
        value.and_then(read).ok_or_else(wrong)
    }

    fn whole(&self, field: &'static str) -> Result<u64, RestoreError> {
        self.read(field, "a whole number from 0 to 2^64 - 1", Json::as_u64)
    }

    /// A time that was left.
    pub fn time(&self, field: &'static str) -> Result<Duration, RestoreError> {
        self.whole(field).map(Duration::from_millis)
    }

    /// A count; what is beyond its range is the most of it.
    pub fn count(&self, field: &'static str) -> Result<u32, RestoreError> {
        self.whole(field).map(|count| u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// A number that is not negative. JSON has none that is not finite.
    pub fn number(&self, field: &'static str) -> Result<f64, RestoreError> {
        self.read(field, "a number from 0 on", |value| value.as_f64().filter(|number| *number >= 0.0))
    }

    pub fn flag(&self, field: &'static str) -> Result<bool, RestoreError> {
        self.read(field, "true or false", Json::as_bool)
    }

    /// What `read` makes of a word.
    pub fn word<T>(
        &self,
        field: &'static str,
        allowed: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, RestoreError> {
        self.read(field, allowed, |value| value.as_str().and_then(read))
    }

    /// A text; `None` where it is missing or something else.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.0.get(field)?.as_str()
    }

    /// A content within this one, taken out.
    pub fn part(&mut self, field: &'static str) -> Result<Self, RestoreError> {
        match self.0.remove(field) {
            Some(Json::Object(fields)) => Ok(Self(fields)),
            found => Err(RestoreError::Field(InvalidConfig::new(field, shown(found.as_ref()), "an object"))),
        }
    }

    /// A list of contents within this one, taken out.
    pub fn parts(&mut self, field: &'static str) -> Result<Vec<Self>, RestoreError> {
        let found = self.0.remove(field);
        let wrong =
            |found: Option<&Json>| RestoreError::Field(InvalidConfig::new(field, shown(found), "a list of objects"));
        let Some(Json::Array(items)) = found else { return Err(wrong(found.as_ref())) };
        let part = |item| match item {
            Json::Object(fields) => Ok(Self(fields)),
            other => Err(wrong(Some(&other))),
        };
        items.into_iter().map(part).collect()
    }
}
