//! What the error codes of each provider mean: one file per vendor, one line per rule.
//!
//! A code wins over the HTTP status, because providers use statuses freely: 429 also for money, 403 also for
//! moderation, 400 also for rate limits, 401 for a model that does not exist.

mod alibaba;
mod anthropic;
mod baidu;
mod bytedance;
mod google;
mod huawei;
mod iflytek;
mod local;
mod minimax;
mod moonshot;
mod openai;
mod openrouter;
mod provider;
mod siliconflow;
mod tencent;
mod zhipu;

use super::body::{FoundCode, Place, ProviderError};
use super::class::ErrorClass;
use super::tables::status;
use super::text::Words;
pub(super) use provider::Provider;

/// One line: these codes, under these conditions, are that class.
pub(super) struct Rule {
    /// Compared without regard to the case of ASCII letters. `*` at an end stands for any text; empty: any error.
    codes: &'static [&'static str],
    /// The place that the code must stand in; none: any.
    place: Option<Place>,
    /// Empty: any status, also none.
    statuses: &'static [u16],
    /// One of these phrases stands in the text. Empty: any text.
    text: &'static [&'static str],
    /// Says less than a status does, so it only counts without one.
    vague: bool,
    class: ErrorClass,
}

/// These codes, wherever they stand.
const fn code(codes: &'static [&'static str], class: ErrorClass) -> Rule {
    Rule { codes, place: None, statuses: &[], text: &[], vague: false, class }
}

/// These words as `type`.
const fn kind(codes: &'static [&'static str], class: ErrorClass) -> Rule {
    Rule { place: Some(Place::Type), ..code(codes, class) }
}

/// Any error of this provider, to be narrowed by text or status.
const fn any(class: ErrorClass) -> Rule {
    code(&[], class)
}

impl Rule {
    const fn text(self, text: &'static [&'static str]) -> Self {
        Self { text, ..self }
    }

    const fn status(self, statuses: &'static [u16]) -> Self {
        Self { statuses, ..self }
    }

    const fn vague(self) -> Self {
        Self { vague: true, ..self }
    }

    fn names(&self, found: &FoundCode) -> bool {
        self.place.is_none_or(|place| place == found.place) && self.codes.iter().any(|code| matches(code, &found.text))
    }

    fn allows(&self, case: &Case<'_>) -> bool {
        let error_status = case.status.filter(|&status| status::is_error(status));
        let status_fits = self.statuses.is_empty() || case.status.is_some_and(|status| self.statuses.contains(&status));
        status_fits
            && !(self.vague && error_status.is_some())
            && (self.text.is_empty() || case.words.has_any(self.text))
    }
}

/// Whether `code` is what `pattern` says.
fn matches(pattern: &str, code: &str) -> bool {
    let starts = |code: &str, part: &str| code.get(..part.len()).is_some_and(|head| head.eq_ignore_ascii_case(part));
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (None, None) => pattern.eq_ignore_ascii_case(code),
        (None, Some(head)) => starts(code, head),
        (Some(tail), None) => {
            code.len().checked_sub(tail.len()).is_some_and(|at| code.get(at..).is_some_and(|end| starts(end, tail)))
        }
        (Some(tail), Some(_)) => {
            let part = &tail[..tail.len() - 1];
            (0..code.len()).any(|at| code.get(at..).is_some_and(|rest| starts(rest, part)))
        }
    }
}

/// What is known besides the codes.
pub(super) struct Case<'a> {
    /// The provider, when its id or host was given.
    pub(super) provider: Option<Provider>,
    /// Status of the transport or in the body.
    pub(super) status: Option<u16>,
    pub(super) words: &'a Words,
}

/// What the rules say.
pub(super) struct Verdict {
    pub(super) class: ErrorClass,
    /// How far the words of the error may correct it.
    pub(super) certainty: Certainty,
}

/// How sure a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// The words were already asked.
    Final,
    /// The code says it; few words may correct it.
    Code,
    /// A word that says no more than a status.
    Vague,
}

/// Asks the rules of the named provider and of the one whose shape it is, then those of all others: gateways pass codes on.
pub(super) fn look_up(error: &ProviderError, case: &Case<'_>) -> Option<Verdict> {
    let own = || [case.provider, error.provider].into_iter().flatten().flat_map(Provider::rules);
    let any = |with_text: bool| {
        own().find(|rule| rule.codes.is_empty() && rule.text.is_empty() != with_text && rule.allows(case))
    };
    // Codes come with the most telling first.
    let codes = || error.codes.iter();
    let rule = codes()
        .find_map(|found| by_code(own(), found, case))
        .or_else(|| any(true))
        .or_else(|| codes().find_map(|found| by_code_of_any(found, case)))
        .or_else(|| any(false))?;
    let certainty = match rule {
        Rule { vague: true, .. } => Certainty::Vague,
        Rule { text: [], .. } => Certainty::Code,
        _ => Certainty::Final,
    };
    Some(Verdict { class: rule.class, certainty })
}

fn by_code(
    rules: impl IntoIterator<Item = &'static Rule>,
    found: &FoundCode,
    case: &Case<'_>,
) -> Option<&'static Rule> {
    rules.into_iter().find(|rule| rule.names(found) && rule.allows(case))
}

/// A code without a provider must speak for itself: a short number does not.
fn by_code_of_any(found: &FoundCode, case: &Case<'_>) -> Option<&'static Rule> {
    if found.is_short_number() || found.place == Place::Message {
        return None;
    }
    Provider::SPEAKS_PLAINLY.iter().find_map(|provider| by_code(provider.rules(), found, case))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, code, expected) in [
            ("1113", "1113", true),
            ("1113", "11130", false),
            ("Internal_error", "internal_error", true),
            ("InvalidParameter.*", "InvalidParameter.UnsupportedParameter", true),
            ("InvalidParameter.*", "InvalidParameter", false),
            ("*rate*", "requests_rate_exceeded", true),
            ("*rate*", "rat", false),
            ("*_exceeded", "rpm_exceeded", true),
            ("*_exceeded", "exceeded", false),
            ("a*", "é", false),
        ] {
            assert_eq!(matches(pattern, code), expected, "{pattern} {code}");
        }
    }
}
