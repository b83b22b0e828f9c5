//! One line of log: hilog on the phone, stderr on a host. Never a prompt, an answer or a key.

use std::fmt::Arguments;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Debug,
    Info,
    Warn,
}

pub(crate) fn debug(message: Arguments<'_>) {
    write(Level::Debug, message);
}

pub(crate) fn info(message: Arguments<'_>) {
    write(Level::Info, message);
}

pub(crate) fn warn(message: Arguments<'_>) {
    write(Level::Warn, message);
}

#[cfg(target_env = "ohos")]
fn write(level: Level, message: Arguments<'_>) {
    use ohos_hilog_binding::{Hilog, LogOptions};
    static HILOG: std::sync::LazyLock<Hilog> = std::sync::LazyLock::new(|| {
        let hilog = Hilog::new();
        hilog.with_options(LogOptions { domain: 0, tag: "resilience" });
        hilog
    });
    let line = escape(&message.to_string());
    match level {
        Level::Debug => HILOG.debug(&line),
        Level::Info => HILOG.info(&line),
        Level::Warn => HILOG.warn(&line),
    }
}

/// hilog takes its message as a printf format and ends it at a NUL.
#[cfg(any(test, target_env = "ohos"))]
fn escape(message: &str) -> String {
    // hilog drops what is longer than 4096 bytes.
    crate::text::shortened(&message.replace('%', "%%").replace('\0', "\u{fffd}"), 4_000)
}

#[cfg(not(target_env = "ohos"))]
fn write(level: Level, message: Arguments<'_>) {
    use std::io::Write;
    if level >= stderr_level() {
        // Not eprintln!, which panics when nobody reads stderr any more: a log line may be lost, a call may not.
        let _ = writeln!(std::io::stderr(), "[resilience] {} {message}", format!("{level:?}").to_lowercase());
    }
}

/// `RESILIENCE_LOG=debug|info|warn`; warn unless said.
#[cfg(not(target_env = "ohos"))]
fn stderr_level() -> Level {
    static LEVEL: std::sync::LazyLock<Level> =
        std::sync::LazyLock::new(|| match std::env::var("RESILIENCE_LOG").as_deref() {
            Ok("debug") => Level::Debug,
            Ok("info") => Level::Info,
            _ => Level::Warn,
        });
    *LEVEL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_no_format_and_has_no_nul() {
        assert_eq!(escape("100 %s\0 done"), "100 %%s\u{fffd} done");
    }

    #[test]
    fn a_long_message_is_cut() {
        assert!(escape(&"重".repeat(5_000)).len() < 4_096);
    }
}
