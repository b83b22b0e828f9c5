//! Text of unknown origin: finding phrases in it.

use crate::text::cut;

/// `text` without `prefix`, whatever the case of its ASCII letters.
pub(super) fn strip_prefix_ignore_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// What opens a quotation, and what ends it.
const QUOTES: [(char, char); 7] =
    [('"', '"'), ('`', '`'), ('\'', '\''), ('‘', '’'), ('“', '”'), ('「', '」'), ('『', '』')];

/// `text` without its quotations: they repeat what somebody else said, such as a prompt. One that does not end reaches to the
/// end of the text.
pub(super) fn unquoted(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut until = None;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        let after = text[at + letter.len_utf8()..].chars().next().unwrap_or(' ');
        if let Some(close) = until {
            let is_apostrophe = "'’".contains(letter) && before.is_alphanumeric() && after.is_alphanumeric();
            until = until.filter(|_| letter != close || is_apostrophe);
        } else {
            let quote = QUOTES.iter().find(|(open, _)| *open == letter && !(*open == '\'' && before.is_alphanumeric()));
            until = quote.map(|(_, close)| *close);
            kept.push(if quote.is_some() { ' ' } else { letter });
        }
        before = letter;
    }
    kept
}

/// Only this much of a message is searched for phrases.
const MAX_SEARCHED_BYTES: usize = 2048;

/// How far apart the two parts of a phrase with a gap may stand.
const MAX_GAP_BYTES: usize = 80;

/// Messages made ready for a search by phrase.
///
/// A phrase matches whole words only: `tpd` is not in `httpd`, `5-hour` not in `15-hour`. Case of ASCII letters does
/// not matter. A phrase is written in lower case; a `*` at its end also takes longer words, and ` ~ ` between two
/// parts allows a few other words there (`model ~ not found`).
pub(super) struct Words {
    /// All messages in lower case, each ended by a line break.
    text: Vec<u8>,
    /// Where words begin, grouped by their first byte: most phrases meet no word at all.
    starts: Vec<u16>,
    /// Where each group begins in `starts`; the last entry ends the last group.
    groups: [u16; GROUPS + 1],
}

/// Letters differ in the low six bits of their first byte.
const GROUPS: usize = 64;

const fn group(byte: u8) -> usize {
    (byte & 63) as usize
}

impl Words {
    pub(super) fn new<'a>(messages: impl IntoIterator<Item = &'a str>) -> Self {
        let mut text = Vec::with_capacity(256);
        for message in messages {
            let room = MAX_SEARCHED_BYTES.saturating_sub(text.len());
            text.extend(cut(message, room).bytes().map(|byte| byte.to_ascii_lowercase()));
            text.push(b'\n');
        }
        let mut found = Vec::with_capacity(text.len() / 4);
        let mut groups = [0; GROUPS + 1];
        let mut in_word = false;
        for (index, &byte) in text.iter().enumerate() {
            let begins = if byte.is_ascii() { byte.is_ascii_alphanumeric() && !in_word } else { byte & 0xC0 == 0xC0 };
            // Phrases such as `/day` begin with a sign.
            if begins || byte == b'/' {
                found.push(index as u16);
                groups[group(byte) + 1] += 1;
            }
            in_word = byte.is_ascii_alphanumeric();
        }
        for index in 1..groups.len() {
            groups[index] += groups[index - 1];
        }
        let mut next = groups;
        let mut starts = vec![0; found.len()];
        for start in found {
            let place = &mut next[group(text[usize::from(start)])];
            starts[usize::from(*place)] = start;
            *place += 1;
        }
        Self { text, starts, groups }
    }

    /// The text, in lower case.
    pub(super) fn lower(&self) -> &str {
        std::str::from_utf8(&self.text).unwrap_or_default()
    }

    pub(super) fn has_any(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|phrase| self.has(phrase))
    }

    pub(super) fn has(&self, phrase: &str) -> bool {
        match phrase.split_once(" ~ ") {
            None => self.find(phrase, 0, usize::MAX).is_some(),
            Some((first, second)) => self.find_with_gap(first, second),
        }
    }

    /// Whether `second` follows on some match of `first` closely enough.
    fn find_with_gap(&self, first: &str, second: &str) -> bool {
        let mut from = 0;
        while let Some(end) = self.find(first, from, usize::MAX) {
            if self.find(second, end, end + MAX_GAP_BYTES).is_some() {
                return true;
            }
            from = end;
        }
        false
    }

    /// Where the first match of `part` that begins in `from..=to` ends.
    fn find(&self, part: &str, from: usize, to: usize) -> Option<usize> {
        let (part, open) = part.strip_suffix('*').map_or((part, false), |part| (part, true));
        let part = part.as_bytes();
        let (first, last) = (*part.first()?, *part.last()?);
        let whole_word = !open && last.is_ascii_alphanumeric();
        let group = usize::from(self.groups[group(first)])..usize::from(self.groups[group(first) + 1]);
        let starts = self.starts[group].iter().map(|&start| usize::from(start));
        starts.skip_while(|&start| start < from).take_while(|&start| start <= to).find_map(|start| {
            let end = start + part.len();
            let next = self.text.get(end).copied().unwrap_or(b' ');
            let matches = self.text[start..].starts_with(part) && !(whole_word && next.is_ascii_alphanumeric());
            matches.then_some(end)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_match_whole_words_in_any_case() {
        let words = Words::new(["Weekly usage Limit reached (TPD)"]);
        assert!(words.has("weekly usage limit"));
        assert!(words.has("tpd"));
        assert!(!words.has("week"));
        assert!(words.has("week*"));
        assert!(!words.has("usage limits"));
        assert!(!Words::new(["15-hour httpd"]).has_any(&["5-hour", "tpd"]));
    }

    #[test]
    fn a_phrase_may_begin_with_a_stroke() {
        assert!(Words::new(["100 requests/day"]).has("/day"));
        assert!(!Words::new(["100 requests/days"]).has("/day"));
    }

    #[test]
    fn a_gap_keeps_the_order_of_its_parts() {
        let words = Words::new(["The model 'x' was not found"]);
        assert!(words.has("model ~ not found"));
        assert!(!words.has("not found ~ model"));
        let far = format!("model {} not found, model m not found", "x ".repeat(50));
        assert!(Words::new([far.as_str()]).has("model ~ not found"));
        assert!(!Words::new([&far[..120]]).has("model ~ not found"));
    }

    #[test]
    fn chinese_needs_no_word_border() {
        assert!(Words::new(["您的账户余额不足，请充值"]).has("余额不足"));
        assert!(!Words::new(["余额充足"]).has("余额不足"));
    }

    #[test]
    fn quotations_are_left_out() {
        for (text, expected) in [
            ("no \"balance\" here", "no   here"),
            ("a 'b, isn't it' c", "a   c"),
            ("You've users' balance, isn't it", "You've users' balance, isn't it"),
            ("input_value='a balance', type=str", "input_value= , type=str"),
            ("余额“不足”，「充值」请", "余额 ， 请"),
            ("余额“不足”请", "余额 请"),
            ("a ‘b isn’t c’ d", "a   d"),
            ("cut `off", "cut  "),
            ("", ""),
        ] {
            assert_eq!(unquoted(text), expected, "{text}");
        }
    }

    #[test]
    fn phrases_do_not_reach_over_the_border_of_two_messages() {
        assert!(!Words::new(["rate", "limit"]).has("rate limit"));
    }

    #[test]
    fn only_the_start_of_a_huge_message_is_searched() {
        let message = format!("{} quota", "x ".repeat(1_000_000));
        assert!(!Words::new([message.as_str()]).has("quota"));
    }
}
