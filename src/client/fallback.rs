use super::hooks::Failure;
use crate::classify::ErrorClass;

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
    /// use resilience::client::{Failure, Locale};
    /// use resilience::retry::StopReason;
    /// use std::time::Duration;
    ///
    /// let retry_after = Some(Duration::from_millis(4_200));
    /// let failure = Failure { stop_reason: StopReason::CircuitOpen, error: None, retry_after };
    /// let text = Locale::English.text(&failure);
    /// assert_eq!(
    ///     text,
    ///     "The assistant is temporarily unavailable: the service is not answering. \
    ///      Please try again in 5 seconds, or contact support."
    /// );
    /// ```
    pub fn text(self, failure: &Failure<'_>) -> String {
        let class = failure.error.map(|error| error.class);
        let seconds = failure.retry_after.map(|wait| wait.as_millis().div_ceil(1_000)).filter(|&seconds| seconds > 0);
        match self {
            Self::Chinese => {
                let cause = match class {
                    Some(ErrorClass::Offline) => "设备没有连接网络",
                    Some(ErrorClass::Connect) => "连接不上服务",
                    Some(ErrorClass::RateLimit | ErrorClass::Overloaded) => "当前请求较多",
                    Some(ErrorClass::Quota) => "服务额度已用完",
                    Some(ErrorClass::Timeout) => "服务响应超时",
                    Some(ErrorClass::InvalidResponse) => "服务返回的内容无法识别",
                    _ => "服务没有响应",
                };
                let step = match (class, seconds) {
                    (Some(ErrorClass::Offline), _) => "请检查网络后重试".to_owned(),
                    (Some(ErrorClass::Quota), _) => "请联系人工客服".to_owned(),
                    (_, Some(seconds)) if seconds <= 120 => format!("请在 {seconds} 秒后重试，或联系人工客服"),
                    _ => "请稍后重试，或联系人工客服".to_owned(),
                };
                format!("智能助手暂时不可用：{cause}。{step}。")
            }
            Self::English => {
                let cause = match class {
                    Some(ErrorClass::Offline) => "this device is offline",
                    Some(ErrorClass::Connect) => "the service can't be reached",
                    Some(ErrorClass::RateLimit | ErrorClass::Overloaded) => "too many requests right now",
                    Some(ErrorClass::Quota) => "the service's quota is used up",
                    Some(ErrorClass::Timeout) => "the service took too long",
                    Some(ErrorClass::InvalidResponse) => "the service sent something unreadable",
                    _ => "the service is not answering",
                };
                let step = match (class, seconds) {
                    (Some(ErrorClass::Offline), _) => "Please check the network and try again".to_owned(),
                    (Some(ErrorClass::Quota), _) => "Please contact support".to_owned(),
                    (_, Some(1)) => "Please try again in 1 second, or contact support".to_owned(),
                    (_, Some(seconds)) if seconds <= 120 => {
                        format!("Please try again in {seconds} seconds, or contact support")
                    }
                    _ => "Please try again later, or contact support".to_owned(),
                };
                format!("The assistant is temporarily unavailable: {cause}. {step}.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::classify::CallError;
    use crate::retry::StopReason;

    fn texts(class: Option<ErrorClass>, retry_after_ms: Option<u64>) -> (String, String) {
        let error = class.map(|class| CallError::new(class, ""));
        let retry_after = retry_after_ms.map(Duration::from_millis);
        let failure = Failure { stop_reason: StopReason::Attempts, error: error.as_ref(), retry_after };
        (Locale::Chinese.text(&failure), Locale::English.text(&failure))
    }

    #[test]
    fn each_cause_has_its_words() {
        let cases = [
            (Some(ErrorClass::Offline), "设备没有连接网络", "this device is offline"),
            (Some(ErrorClass::Connect), "连接不上服务", "the service can't be reached"),
            (Some(ErrorClass::RateLimit), "当前请求较多", "too many requests right now"),
            (Some(ErrorClass::Overloaded), "当前请求较多", "too many requests right now"),
            (Some(ErrorClass::Quota), "服务额度已用完", "the service's quota is used up"),
            (Some(ErrorClass::Timeout), "服务响应超时", "the service took too long"),
            (Some(ErrorClass::InvalidResponse), "服务返回的内容无法识别", "the service sent something unreadable"),
            (Some(ErrorClass::Server), "服务没有响应", "the service is not answering"),
            (None, "服务没有响应", "the service is not answering"),
        ];
        for (class, chinese, english) in cases {
            let texts = texts(class, None);
            assert!(texts.0.starts_with(&format!("智能助手暂时不可用：{chinese}。")), "{}", texts.0);
            let expected = format!("The assistant is temporarily unavailable: {english}. ");
            assert!(texts.1.starts_with(&expected), "{}", texts.1);
        }
    }

    #[test]
    fn each_next_step_has_its_words() {
        let cases = [
            (ErrorClass::Offline, Some(5_000), "请检查网络后重试", "Please check the network and try again"),
            (ErrorClass::Quota, Some(5_000), "请联系人工客服", "Please contact support"),
            (ErrorClass::Server, None, "请稍后重试，或联系人工客服", "Please try again later, or contact support"),
            (ErrorClass::Server, Some(0), "请稍后重试，或联系人工客服", "Please try again later, or contact support"),
            (
                ErrorClass::Server,
                Some(1),
                "请在 1 秒后重试，或联系人工客服",
                "Please try again in 1 second, or contact support",
            ),
            (
                ErrorClass::Server,
                Some(1_001),
                "请在 2 秒后重试，或联系人工客服",
                "Please try again in 2 seconds, or contact support",
            ),
            (
                ErrorClass::Server,
                Some(120_000),
                "请在 120 秒后重试，或联系人工客服",
                "Please try again in 120 seconds, or contact support",
            ),
            (
                ErrorClass::Server,
                Some(120_001),
                "请稍后重试，或联系人工客服",
                "Please try again later, or contact support",
            ),
        ];
        for (class, wait, chinese, english) in cases {
            let texts = texts(Some(class), wait);
            assert!(texts.0.ends_with(&format!("。{chinese}。")), "{}", texts.0);
            assert!(texts.1.ends_with(&format!(". {english}.")), "{}", texts.1);
        }
    }
}
