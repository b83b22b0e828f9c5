//! What outlives the app of one service or several: of each its breaker and its budget.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::target::Target;
use crate::breaker::SavedState;
use crate::clock::Timestamp;
use crate::retry::SavedTokens;
use crate::snapshot::{self, Content, RestoreError};

/// Kinds of snapshots: one of a runner is not one of a client.
pub(crate) const CLIENT: &str = "client";
pub(crate) const RUNNER: &str = "runner";
pub(crate) const CASCADE: &str = "cascade";

/// The snapshot of services.
pub(crate) fn save<'a, L: 'a>(
    kind: &'static str,
    targets: impl Iterator<Item = &'a Target<L>>,
    now: Timestamp,
    now_unix_ms: u64,
) -> String {
    let services: Vec<Json> = targets.map(|target| Service::of(target, now)).collect();
    snapshot::write(kind, now_unix_ms, json!({ "services": services }))
}

/// Gives each service what is saved under its name. All of it can be read, or nothing changes.
pub(crate) fn restore<'a, L: 'a>(
    kind: &'static str,
    targets: impl Iterator<Item = &'a Target<L>>,
    text: &str,
    now: Timestamp,
    now_unix_ms: u64,
) -> Result<(), RestoreError> {
    let (mut content, elapsed) = snapshot::read(text, kind, now_unix_ms)?;
    let parts = content.parts("services")?;
    let services = parts.into_iter().map(Service::read).collect::<Result<Vec<_>, _>>()?;
    for target in targets {
        if let Some(service) = services.iter().find(|service| service.name.as_deref() == target.name.as_deref()) {
            service.give(target, elapsed, now);
        }
    }
    Ok(())
}

struct Service {
    name: Option<String>,
    breaker: SavedState,
    budget: SavedTokens,
}

impl Service {
    fn of<L>(target: &Target<L>, now: Timestamp) -> Json {
        json!({
            "name": target.name.as_deref(),
            "breaker": target.breaker.saved().to_json(),
            "budget": target.budget.saved(now).to_json(),
        })
    }

    fn read(mut content: Content) -> Result<Self, RestoreError> {
        Ok(Self {
            name: content.text("name").map(str::to_owned),
            breaker: SavedState::read(&content.part("breaker")?)?,
            budget: SavedTokens::read(&content.part("budget")?)?,
        })
    }

    fn give<L>(&self, target: &Target<L>, elapsed: Duration, now: Timestamp) {
        target.breaker.take_up(&self.breaker, elapsed);
        target.budget.take_up(self.budget, elapsed, now);
    }
}
