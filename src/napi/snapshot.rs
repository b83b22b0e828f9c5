//! What `snapshot` and `restore` of several classes take.

use napi_ohos::Env;
use napi_ohos::bindgen_prelude::Unknown;

use super::arguments::{Argument, MAX_SAFE_INTEGER, argument};
use super::clock::unix_ms;
use super::js::{Checked, Scope};
use crate::error::InvalidConfig;
use crate::snapshot::{MAX_BYTES, RestoreError, VERSION};

/// Milliseconds since 1970: the app's, or the device's.
pub fn wall_clock(env: Env, now_unix_ms: Unknown) -> Checked<u64> {
    let given = argument(Scope::of(env), now_unix_ms, "nowUnixMs");
    Ok(given.optional(|now| now.integer(0, MAX_SAFE_INTEGER))?.unwrap_or_else(unix_ms))
}

/// A text to restore.
pub struct Saved {
    snapshot: Argument,
    text: String,
    now_unix_ms: u64,
}

impl Saved {
    pub fn read(env: Env, snapshot: Unknown, now_unix_ms: Unknown) -> Checked<Self> {
        let snapshot = argument(Scope::of(env), snapshot, "snapshot");
        Ok(Self { text: snapshot.string(MAX_BYTES)?, snapshot, now_unix_ms: wall_clock(env, now_unix_ms)? })
    }

    /// What can't be restored is a wrong argument.
    pub fn restore(&self, restore: impl FnOnce(&str, u64) -> Result<(), RestoreError>) -> Checked<()> {
        restore(&self.text, self.now_unix_ms).map_err(|error| self.snapshot.refused(wrong(error)))
    }
}

fn wrong(error: RestoreError) -> InvalidConfig {
    let wrong = |value, allowed| InvalidConfig::new("snapshot", value, allowed);
    match error {
        RestoreError::NoSnapshot(why) => wrong(why, "a text that snapshot() gave".to_owned()),
        RestoreError::Kind { found, needed } => wrong(format!("kind {found}"), format!("kind \"{needed}\"")),
        RestoreError::Version(found) => wrong(format!("version {found}"), format!("version {VERSION}")),
        RestoreError::Field(error) => error,
    }
}
