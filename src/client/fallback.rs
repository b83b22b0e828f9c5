use std::time::Duration;

use super::hooks::Failure;
use crate::classify::ErrorClass;
use crate::error::MAX_DURATION;

/// What the user reads when no answer can be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fallback {
    /// The app's own text; may be empty.
    Text(String),
    /// A text of this crate that says what happened and what to do next.
    Localized(Locale),
}

impl Default for Fallback {
    fn default() -> Self {
        Self::Localized(Locale::default())
    }
}

/// Language of the built-in fallback texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Locale {
    /// Simplified Chinese.
    #[default]
    Chinese,
    /// English.
    English,
}

impl Fallback {
    pub(super) fn text(&self, failure: &Failure<'_>) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Localized(locale) => locale.text(failure),
        }
    }
}

impl Locale {
    /// What happened, and what to do next.
    ///
    /// ```
    /// use resilience::classify::ErrorClass;
    /// use resilience::client::{Failure, Locale};
    /// use resilience::retry::StopReason;
    /// use std::time::Duration;
    ///
    /// let failure = Failure {
    ///     stop_reason: StopReason::CircuitOpen,
    ///     error: None,
    ///     cause: Some(ErrorClass::Timeout),
    ///     retry_after: Some(Duration::from_millis(4_200)),
    /// };
    /// assert_eq!(
    ///     Locale::English.text(&failure),
    ///     "The assistant is temporarily unavailable: the service takes too long. \
    ///      Please try again in 5 seconds, or contact support."
    /// );
    /// ```
    pub fn text(self, failure: &Failure<'_>) -> String {
        let (cause, step) = (self.cause(failure.cause), self.step(failure));
        match self {
            Self::Chinese => format!("智能助手暂时不可用：{cause}。{step}。"),
            Self::English => format!("The assistant is temporarily unavailable: {cause}. {step}."),
        }
    }

    fn cause(self, class: Option<ErrorClass>) -> &'static str {
        let (chinese, english) = match class {
            Some(ErrorClass::Offline) => ("设备没有连接网络", "this device is offline"),
            Some(ErrorClass::Connect) => ("连接不上服务", "the service can't be reached"),
            Some(ErrorClass::Interrupted) => ("与服务的连接中断", "the connection to the service breaks off"),
            Some(ErrorClass::RateLimit) => ("当前请求较多", "too many requests right now"),
            Some(ErrorClass::Overloaded) => ("服务繁忙或正在维护", "the service is overloaded or under maintenance"),
            Some(ErrorClass::Quota) => ("服务额度已用完", "the service's quota is used up"),
            Some(ErrorClass::Timeout) => ("服务响应超时", "the service takes too long"),
            Some(ErrorClass::Server) => ("服务出现故障", "the service has a fault"),
            Some(ErrorClass::InvalidResponse) => ("服务返回的内容无法识别", "the service sent something unreadable"),
            _ => ("暂时得不到服务的回答", "no answer can be had from the service"),
        };
        match self {
            Self::Chinese => chinese,
            Self::English => english,
        }
    }

    fn step(self, failure: &Failure<'_>) -> String {
        let [offline, quota, later] = match self {
            Self::Chinese => ["请检查网络后重试", "请联系人工客服", "请稍后重试，或联系人工客服"],
            Self::English => [
                "Please check the network and try again",
                "Please contact support",
                "Please try again later, or contact support",
            ],
        };
        let wait = failure.retry_after.and_then(readable);
        match (failure.cause, wait, self) {
            (Some(ErrorClass::Offline), ..) => offline.to_owned(),
            (Some(ErrorClass::Quota), ..) => quota.to_owned(),
            (_, None, _) => later.to_owned(),
            (_, Some((count, unit)), Self::Chinese) => {
                let unit = ["秒", "分钟", "小时", "天"][unit];
                format!("请在 {count} {unit}后重试，或联系人工客服")
            }
            (_, Some((count, unit)), Self::English) => {
                let unit = ["second", "minute", "hour", "day"][unit];
                let plural = if count == 1 { "" } else { "s" };
                format!("Please try again in {count} {unit}{plural}, or contact support")
            }
        }
    }
}

/// A wait as people say it, rounded up: up to two minutes in seconds (unit 0), then in minutes, hours and days. `None`:
/// no wait, or one without an end that is known.
fn readable(wait: Duration) -> Option<(u128, usize)> {
    const SECONDS: [u128; 4] = [1, 60, 3_600, 86_400];
    let seconds = wait.as_millis().div_ceil(1_000);
    if seconds == 0 || wait > MAX_DURATION {
        return None;
    }
    let unit = (0..3).find(|&unit| seconds <= 2 * SECONDS[unit + 1]).unwrap_or(3);
    Some((seconds.div_ceil(SECONDS[unit]), unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retry::StopReason;

    fn texts(cause: Option<ErrorClass>, retry_after: Option<Duration>) -> (String, String) {
        let failure = Failure { stop_reason: StopReason::Attempts, error: None, cause, retry_after };
        (Locale::Chinese.text(&failure), Locale::English.text(&failure))
    }

    #[test]
    fn each_cause_has_its_words() {
        let cases = [
            (Some(ErrorClass::Offline), "设备没有连接网络", "this device is offline"),
            (Some(ErrorClass::Connect), "连接不上服务", "the service can't be reached"),
            (Some(ErrorClass::Interrupted), "与服务的连接中断", "the connection to the service breaks off"),
            (Some(ErrorClass::RateLimit), "当前请求较多", "too many requests right now"),
            (Some(ErrorClass::Overloaded), "服务繁忙或正在维护", "the service is overloaded or under maintenance"),
            (Some(ErrorClass::Quota), "服务额度已用完", "the service's quota is used up"),
            (Some(ErrorClass::Timeout), "服务响应超时", "the service takes too long"),
            (Some(ErrorClass::Server), "服务出现故障", "the service has a fault"),
            (Some(ErrorClass::InvalidResponse), "服务返回的内容无法识别", "the service sent something unreadable"),
            (Some(ErrorClass::Unknown), "暂时得不到服务的回答", "no answer can be had from the service"),
            (None, "暂时得不到服务的回答", "no answer can be had from the service"),
        ];
        for (class, chinese, english) in cases {
            let texts = texts(class, None);
            assert!(texts.0.starts_with(&format!("智能助手暂时不可用：{chinese}。")), "{}", texts.0);
            let expected = format!("The assistant is temporarily unavailable: {english}. ");
            assert!(texts.1.starts_with(&expected), "{}", texts.1);
        }
    }

    #[test]
    fn the_next_step_follows_from_the_cause() {
        let soon = Some(Duration::from_secs(5));
        let cases = [
            (ErrorClass::Offline, soon, "请检查网络后重试", "Please check the network and try again"),
            (ErrorClass::Quota, soon, "请联系人工客服", "Please contact support"),
            (ErrorClass::Server, None, "请稍后重试，或联系人工客服", "Please try again later, or contact support"),
        ];
        for (class, wait, chinese, english) in cases {
            let texts = texts(Some(class), wait);
            assert!(texts.0.ends_with(&format!("。{chinese}。")), "{}", texts.0);
            assert!(texts.1.ends_with(&format!(". {english}.")), "{}", texts.1);
        }
    }

    #[test]
    fn a_known_wait_is_told_as_people_say_it() {
        let (seconds, days) = (1_000, 86_400_000);
        let cases = [
            (1, "1 秒", "1 second"),
            (1_001, "2 秒", "2 seconds"),
            (120 * seconds, "120 秒", "120 seconds"),
            (120 * seconds + 1, "3 分钟", "3 minutes"),
            (600 * seconds, "10 分钟", "10 minutes"),
            (7_200 * seconds, "120 分钟", "120 minutes"),
            (7_201 * seconds, "3 小时", "3 hours"),
            (2 * days + 1, "3 天", "3 days"),
        ];
        for (millis, chinese, english) in cases {
            let texts = texts(Some(ErrorClass::Server), Some(Duration::from_millis(millis)));
            assert!(texts.0.ends_with(&format!("请在 {chinese}后重试，或联系人工客服。")), "{}", texts.0);
            assert!(texts.1.ends_with(&format!("Please try again in {english}, or contact support.")), "{}", texts.1);
        }
        for without_end in [Duration::ZERO, Duration::MAX] {
            let texts = texts(None, Some(without_end));
            assert!(texts.1.ends_with("Please try again later, or contact support."), "{}", texts.1);
        }
    }
}
