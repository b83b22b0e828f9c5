//! What words mean: the last resort, and the way to tell apart what one code or status is used for.
//!
//! Sources: the vendor pages named in [`rules`](super::super::rules), and public bug reports. Phrases are matched as
//! [`Words`] says.

use crate::classify::ErrorClass::{self, *};
use crate::classify::text::Words;

/// One line of the table: a fault that so far counts as one of `from` is `to` when one of `phrases` stands in its text.
pub(in crate::classify) struct Refinement {
    from: &'static [ErrorClass],
    /// Statuses that it holds for; empty: all, also none.
    statuses: &'static [u16],
    phrases: &'static [&'static str],
    /// Does not hold when one of these stands in the text.
    except: &'static [&'static str],
    to: ErrorClass,
}

const fn refine(from: &'static [ErrorClass], to: ErrorClass, phrases: &'static [&'static str]) -> Refinement {
    Refinement { from, statuses: &[], phrases, except: &[], to }
}

impl Refinement {
    const fn status(self, statuses: &'static [u16]) -> Self {
        Self { statuses, ..self }
    }

    const fn except(self, except: &'static [&'static str]) -> Self {
        Self { except, ..self }
    }
}

/// Windows of a day or longer, or of a subscription plan: waiting seconds is of no use.
#[rustfmt::skip]
const LONG_WINDOW: &[&str] = &[
    "per day", "/day", "daily", "day allocated quota", "rpd", "tpd", "ipd",
    "per week", "/week", "weekly", "week quota", "week allocated quota", "7-day", "7 day", "this week",
    "per month", "/month", "monthly", "month quota", "month allocated quota", "this month", "billing cycle",
    "5-hour", "5 hour", "five-hour", "five hour", "5h", "hour quota", "hour allocated quota", "usage limit for this period",
    "每日", "每天", "当日", "今日", "每周", "本周", "每月", "本月", "周额度", "月额度", "5小时", "5 小时", "五小时",
];

/// A moment at which an allowance comes back: such a limit is not one of seconds.
const RESET_MOMENT: &[&str] = &["reset at 20*", "resets at 20*", "reset on 20*", "resets on 20*", "重置"];

/// Limits of seconds or a minute, and limits of parallel work.
#[rustfmt::skip]
const SHORT_WINDOW: &[&str] = &[
    "per minute", "per min", "/min", "per second", "tpm", "rpm", "qps", "concurrency", "concurrent", "concurrently",
    "token rate limit", "request rate limit", "并发", "每分钟", "每秒",
];

const CONCURRENCY: &[&str] = &["concurrency", "concurrent", "concurrently", "并发"];

/// Money: no balance, no credit, a bill not paid, a cap on spending.
#[rustfmt::skip]
const MONEY: &[&str] = &[
    "insufficient balance", "insufficient account balance", "insufficient_balance", "insufficient credit", "insufficient credits",
    "insufficient funds", "insufficient_quota", "insufficient quota", "balance is not enough", "balance is insufficient",
    "balance not enough", "not enough balance", "not enough credits", "out of credits", "no credits", "credit balance",
    "credits remaining ~ 0", "account balance", "in arrears", "arrears", "overdue", "good standing", "payment required",
    "exceeded your current quota", "check your plan and billing", "billing hard limit", "billing details",
    "spend limit", "spending limit", "no resource package", "no available resource package", "free allocated quota exceeded",
    "free quota", "free trial ~ exhausted", "please recharge",
    "余额不足", "余额不够", "账户余额", "欠费", "充值", "已停服", "额度已用完", "额度已用尽", "额度不足", "无可用资源包",
    "配额耗尽", "配额已耗尽", "配额不足", "配额已用完", "配额已用尽",
];

/// An allowance, of no named window.
const ALLOWANCE: &[&str] = &[
    "usage limit",
    "usage limits",
    "usage quota",
    "quota exceeded",
    "quota has been exceeded",
    "exceeded your quota",
    "quota exhausted",
    "quota is exhausted",
];

/// The request does not fit the window of the model.
#[rustfmt::skip]
const TOO_LONG: &[&str] = &[
    "context_length_exceeded", "context length", "context window", "context size", "context_window*", "maximum context",
    "prompt is too long", "prompt too long", "prompt length exceeds", "prompt length ~ must less than", "input is too long",
    "input length too long", "input token length too long", "input too long", "input token count", "input tokens exceed*",
    "exceeded model token limit", "maximum input length", "range of input length should be",
    "too large to process", "reduce the length of the messages", "tokens_too_long", "characters_too_long",
    "上下文长度", "超出最大长度", "输入过长", "输入长度超", "长度超过",
];

/// Moderation.
#[rustfmt::skip]
const FILTERED: &[&str] = &[
    "content_filter", "content filter", "content management policy", "content policy", "content_policy_violation",
    "responsibleaipolicyviolation", "data_inspection_failed", "datainspectionfailed", "inappropriate content",
    "sensitive content", "sensitive information", "new_sensitive", "safety system", "considered high risk",
    "flagged by moderation", "requires moderation", "敏感", "违规", "不安全", "不适当内容",
];

/// No such model. Only where the request is known to be refused as such.
#[rustfmt::skip]
const NO_MODEL: &[&str] = &[
    "model_not_found", "model ~ not found", "model ~ does not exist", "model ~ not exist", "model ~ doesn't exist",
    "no such model", "unknown model", "model not supported", "model is not supported", "unsupported model",
    "model is retired", "model has been retired", "model is deprecated", "模型不存在", "模型已下线",
];

const KEY: &[&str] = &[
    "invalid api key",
    "invalid_api_key",
    "incorrect api key",
    "api key not valid",
    "api key expired",
    "api key is invalid",
    "invalid authentication",
    "unauthorized",
    "invalid token",
    "无效的 api key",
    "鉴权失败",
    "身份验证失败",
];

#[rustfmt::skip]
const NO_CAPACITY: &[&str] = &[
    "overloaded", "server busy", "server is busy", "model is busy", "too busy", "high load", "at capacity",
    "no capacity", "system capacity", "engine is currently overloaded", "temporarily unavailable", "loading model",
    "service unavailable", "服务繁忙", "服务器繁忙", "系统繁忙", "模型繁忙", "过载", "负载过高", "负载已饱和",
];

#[rustfmt::skip]
const TOO_FAST: &[&str] = &[
    "rate limit", "rate limited", "rate-limited", "rate limits", "rate_limit_exceeded", "rate_limit_error", "too many requests",
    "requests too fast", "receiving too many requests", "rate limit reached", "throttled", "throttling",
    "appidqpsoverflowerror*", "请求过于频繁", "请求频繁", "访问频率", "限流", "频率限制", "并发",
];

/// Money and long windows behind a code or status that providers also use for less.
#[rustfmt::skip]
const ALLOWANCES: &[Refinement] = &[
    refine(&[RateLimit], Quota, LONG_WINDOW).except(CONCURRENCY),
    refine(&[RateLimit], Quota, RESET_MOMENT).except(CONCURRENCY),
    refine(&[Auth], Quota, LONG_WINDOW).status(&[403]),
    refine(&[Auth], Quota, MONEY).status(&[403]),
    refine(&[Auth], Quota, ALLOWANCE).status(&[403]),
];

/// For a class that came from a code of the provider. The code is mostly right; few words may correct it.
#[rustfmt::skip]
pub(in crate::classify) const AFTER_CODE: &[&[Refinement]] = &[ALLOWANCES, &[
    refine(&[BadRequest, Server], ContextLength, TOO_LONG),
]];

/// For a class that came from a status, or for none at all.
#[rustfmt::skip]
pub(in crate::classify) const AFTER_STATUS: &[&[Refinement]] = &[ALLOWANCES, &[
    refine(&[RateLimit, BadRequest, Unknown], Quota, MONEY),
    refine(&[RateLimit, BadRequest, Unknown], Quota, ALLOWANCE).except(SHORT_WINDOW),
    // The request.
    refine(&[BadRequest, Server, Unknown], ContextLength, TOO_LONG),
    refine(&[BadRequest], ContextLength, &["token", "tokens", "context"]).status(&[413]),
    refine(&[BadRequest, Unknown], ContentFilter, FILTERED),
    refine(&[Auth], ContentFilter, FILTERED).status(&[403]),
    refine(&[Server], ContentFilter, &["new_sensitive"]),
    refine(&[BadRequest, Unknown], ModelNotFound, NO_MODEL),
    refine(&[BadRequest, Unknown], Auth, KEY),
    // Load.
    refine(&[RateLimit, Server, Unknown], Overloaded, NO_CAPACITY),
    refine(&[Unknown], RateLimit, TOO_FAST),
    refine(&[Unknown], BadRequest, &["参数错误", "参数无效", "参数不合法", "参数有误"]),
]];

/// For an error without code and status: what networking layers say.
#[rustfmt::skip]
pub(in crate::classify) const TRANSPORT: &[&[Refinement]] = &[&[
    refine(&[Unknown], Connect, &["connection refused", "connect refused", "getaddrinfo*", "name or service not known",
        "couldn't resolve host", "could not resolve host", "couldn't connect", "failed to connect", "unable to connect",
        "dns lookup failed", "no route to host", "host is unreachable", "network is unreachable", "connect timeout",
        "connection timed out while connecting", "before secure tls connection was established",
        "连接被拒绝", "连接失败", "无法连接", "域名解析失败"]),
    refine(&[Unknown], Offline, &["no internet", "no network", "network is offline", "device is offline", "network unavailable", "网络不可用", "无网络"]),
    refine(&[Unknown], Interrupted, &["socket hang up", "connection reset", "connection was reset", "connection closed",
        "connection aborted", "broken pipe", "premature close", "unexpected end of file", "unexpected eof",
        "failure when receiving data", "failed sending data", "server returned nothing", "connection lost", "socket closed", "stream closed", "other side closed", "server disconnected",
        "连接被重置", "连接重置", "连接中断", "连接断开", "连接已断开", "连接已关闭"]),
    refine(&[Unknown], Timeout, &["timed out", "request timeout", "read timeout", "response timeout", "gateway timeout",
        "deadline exceeded", "timeout exceeded", "timeout of", "operation timeout", "timeout was reached", "请求超时", "连接超时", "超时"]),
    refine(&[Unknown], Timeout, &["timeout"]).except(&["invalid timeout", "timeout must", "timeout value", "timeout option"]),
    refine(&[Unknown], Server, &["internal server error", "bad gateway"]),
    refine(&[Unknown], Cancelled, &["request was aborted", "operation was aborted", "request aborted", "request canceled",
        "request cancelled", "request was cancelled", "user aborted"]),
    refine(&[Unknown], Protocol, &["certificate", "self-signed", "self signed", "ssl routines", "ssl error", "tls handshake",
        "handshake failure", "wrong version number", "unsupported protocol", "proxy authentication", "cleartext*"]),
]];

/// The class after the first line of `tables` that fits.
///
/// A line that would have the breaker opened where `class` leaves it alone needs more: its phrase must stand in what the
/// provider itself says (`own`). Any other text may repeat the prompt.
pub(in crate::classify) fn apply(
    tables: &[&[Refinement]],
    class: ErrorClass,
    status: Option<u16>,
    words: &Words,
    own: impl Fn() -> Words,
) -> ErrorClass {
    let fits = |line: &&Refinement| {
        line.from.contains(&class)
            && (line.statuses.is_empty() || status.is_some_and(|status| line.statuses.contains(&status)))
            && words.has_any(line.phrases)
            && !words.has_any(line.except)
            && (!line.to.opens_unlike(class) || own().has_any(line.phrases))
    };
    tables.iter().copied().flatten().find(fits).map_or(class, |line| line.to)
}
