//! Settings of breakers, read out of the app's option bags.

use super::arguments::Argument;
use super::js::Checked;
use crate::breaker::{BreakerConfig, WindowConfig, WindowSpan};

pub fn read_config(threshold: Argument, cooldown: Argument, options: Argument) -> Checked<BreakerConfig> {
    let mut config = BreakerConfig::default();
    threshold.set(&mut config.failure_threshold, |failures| failures.count(BreakerConfig::FAILURE_THRESHOLD))?;
    cooldown.set(&mut config.cooldown, |time| time.millis(0.0))?;
    let options = options.options()?;
    options
        .field(c"cooldownFactor")
        .set(&mut config.cooldown_factor, |factor| factor.number(BreakerConfig::COOLDOWN_FACTOR))?;
    config.max_cooldown = options.field(c"maxCooldownMs").optional(|max| max.millis(0.0))?;
    options
        .field(c"cooldownSpread")
        .set(&mut config.cooldown_spread, |spread| spread.number(BreakerConfig::COOLDOWN_SPREAD))?;
    options.field(c"cooldownResetMs").set(&mut config.cooldown_reset, |time| time.millis(0.0))?;
    options.field(c"maxRetryAfterMs").set(&mut config.max_retry_after, |time| time.millis(0.0))?;
    options.field(c"halfOpenProbes").set(&mut config.half_open_probes, |probes| probes.count(BreakerConfig::PROBES))?;
    options
        .field(c"successThreshold")
        .set(&mut config.success_threshold, |probes| probes.count(BreakerConfig::PROBES))?;
    config.probe_lease = options.field(c"probeLeaseMs").optional(|lease| lease.millis(1.0))?;
    config.window = options.field(c"window").optional(read_window)?;
    Ok(config)
}

fn read_window(options: Argument) -> Checked<WindowConfig> {
    let options = options.options()?;
    let field = |name, full_name| options.field(name).named(full_name);
    let mut window = WindowConfig::default();
    let calls = field(c"calls", "window.calls").optional(|calls| calls.count(WindowConfig::CALLS))?;
    let length = field(c"lengthMs", "window.lengthMs").optional(|length| length.millis(1.0))?;
    let buckets = field(c"buckets", "window.buckets").optional(|buckets| buckets.count(WindowConfig::BUCKETS))?;
    window.span = match (calls, window.span) {
        (Some(calls), _) if length.is_none() && buckets.is_none() => WindowSpan::Calls(calls),
        (Some(_), _) => return Err(field(c"calls", "window.calls").wrong("nothing beside lengthMs or buckets")),
        (None, WindowSpan::Time { length: usual, buckets: many }) => {
            WindowSpan::Time { length: length.unwrap_or(usual), buckets: buckets.unwrap_or(many) }
        }
        (None, span) => span,
    };
    let rate = |name, full_name| field(name, full_name).optional(Argument::share);
    let most = 1..=calls.unwrap_or(*WindowConfig::MINIMUM_CALLS.end());
    window.minimum_calls = window.minimum_calls.min(calls.unwrap_or(u32::MAX));
    field(c"minimumCalls", "window.minimumCalls").set(&mut window.minimum_calls, |calls| calls.count(most.clone()))?;
    window.failures = field(c"failures", "window.failures").optional(|failures| failures.count(most))?;
    window.slow_rate = rate(c"slowRate", "window.slowRate")?;
    field(c"slowCallMs", "window.slowCallMs").set(&mut window.slow_call, |time| time.millis(0.0))?;
    let only_others = window.failures.is_some() || window.slow_rate.is_some();
    window.failure_rate = rate(c"failureRate", "window.failureRate")?.or(window.failure_rate.filter(|_| !only_others));
    Ok(window)
}
