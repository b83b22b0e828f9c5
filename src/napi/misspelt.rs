//! Options whose names are misspelt.
//!
//! A name that this module does not know is let through: an app may hand over an object that serves for more. But one
//! that is nearly the name of an option can only be meant for it, and would be an option that does nothing.

use super::errors::bad_name;
use super::js::{Checked, Scope, Value};

/// The names of all settings of what is made to last. Not checked are the options of single calls: it would cost each
/// of them.
#[rustfmt::skip]
const NAMES: [&str; 118] = [
    "accounting", "answer", "attemptTimeoutMs", "base", "baseMs", "belowThreshold", "breakerOfPrimaryOnly",
    "breakerOptions", "buckets", "budget", "bulkheadName", "bulkheads", "cache", "calls", "cancelToken", "capacity",
    "circuitFailureThreshold", "circuitResetWindowMs", "client", "clock", "complexWords", "config", "cooldownFactor",
    "cooldownMs", "cooldownResetMs", "cooldownSpread", "costs", "data", "deadlineMs", "dimensions", "economy",
    "embed", "embedTimeoutMs", "enableDegradation", "errorThresholdPercentage", "errors", "factor", "failureRate",
    "failureThreshold", "failures", "fallback", "firstTextTimeoutMs", "halfOpenProbes", "idleTimeoutMs", "jitter",
    "jitterMs", "jitterSpread", "keyChars", "latencyMs", "latencySpreadMs", "lengthMs", "locale", "maxBytes",
    "maxConcurrent", "maxCooldownMs", "maxEntries", "maxModels", "maxMs", "maxQueue", "maxRetries", "maxRetryAfterMs",
    "maxTotalAttempts", "maxWaitMs", "message", "minTime", "minimumCalls", "mockMode", "mockScenario", "models",
    "name", "nextAfterContentFilter", "normalization", "onRetry", "overrunGraceMs", "passContext", "perCall",
    "perMinute", "premium", "presetAnswers", "probeLeaseMs", "prompt", "provider", "qualityCheck", "question",
    "quotaCooldownMs", "reply", "requestId", "reservoir", "reservoirRefreshAmount", "reservoirRefreshInterval",
    "resetTimeout", "retryAfterMaxMs", "retryAfterMs", "retryAfterSpread", "retryUnsafe", "rng",
    "rollingCountBuckets", "rollingCountTimeout", "router", "seed", "shortQueryChars", "similarity", "simpleWords",
    "slowCallMs", "slowRate", "standard", "startingTier", "status", "storeAnswers", "strongerAfterError",
    "successThreshold", "threshold", "timeout", "timeoutMs", "ttlMs", "volumeThreshold", "window", "wordMatch",
];

/// From so many letters on one or two of them may be wrong.
const LONG: usize = 8;

/// Refuses an object with a misspelt option.
pub fn refuse(scope: Scope, options: Value, code: &str) -> Checked<()> {
    for name in scope.keys(options, 100) {
        let given = scope.start_of_string(name, 50).unwrap_or_default();
        if let Some(meant) = meant(&given) {
            return Err(bad_name(scope, code, &given, meant));
        }
    }
    Ok(())
}

/// The option that a name which is none can only be meant for.
fn meant(given: &str) -> Option<&'static str> {
    if NAMES.contains(&given) {
        return None;
    }
    let given = letters(given);
    let near = |name: &'static str| {
        let letters = letters(name);
        let wrong = distance(&letters, &given);
        let may_be_wrong = if letters.len().min(given.len()) >= LONG { 2 } else { 0 };
        (wrong <= may_be_wrong).then_some((wrong, name))
    };
    NAMES.into_iter().filter_map(near).min().map(|(_, name)| name)
}

/// Without capitals and what stands between words elsewhere: `max_retries`.
fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// How many letters are changed, left out or put in (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, from) in from.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in to.bytes().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}
