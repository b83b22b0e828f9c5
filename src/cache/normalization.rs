use std::borrow::Cow;

/// Which differences between two prompts are ignored, so that they share an answer.
///
/// | | space around it | space within, case, sentence marks | other marks, symbols, emoji |
/// |---|---|---|---|
/// | `Exact` | ignored | | |
/// | `Wording` | ignored | ignored | |
/// | `LettersAndDigits` | ignored | ignored | ignored |
///
/// The more is ignored, the more questions share an answer that is wrong for one of them: `Wording` takes "CO是什么" for
/// "Co是什么" and Python code for the same code without its indents; `LettersAndDigits` (article 004) also takes "C++" for
/// "C#" and "5+3" for "5-3".
///
/// ```
/// use resilience::cache::Normalization;
///
/// let prompt = " Is 5+3 = 8?\n";
/// assert_eq!(Normalization::Exact.apply(prompt), "Is 5+3 = 8?");
/// assert_eq!(Normalization::Wording.apply(prompt), "is 5+3 = 8");
/// assert_eq!(Normalization::LettersAndDigits.apply(prompt), "is 5 3 8");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Normalization {
    /// Letter by letter, but for white space at both ends.
    #[default]
    Exact,
    /// The words, however they are punctuated and capitalised: lower case, sentence marks to spaces, runs of white space
    /// to one. A mark within a word or number stays ("1.5", "what's", "node.js").
    Wording,
    /// Article 004's: lower case, all but letters and digits to spaces, runs of white space to one.
    LettersAndDigits,
}

impl Normalization {
    /// The prompt without what is ignored.
    pub fn apply(self, prompt: &str) -> Cow<'_, str> {
        if self == Self::Exact {
            return Cow::Borrowed(prompt.trim());
        }
        let mut normalized = String::with_capacity(prompt.len());
        let (mut gap, mut before) = (false, None);
        let mut rest = prompt.chars();
        while let Some(character) = rest.next() {
            let kept = match self {
                Self::LettersAndDigits => character.is_alphanumeric(),
                _ => !character.is_whitespace() && !is_sentence_mark(before, character, rest.clone().next()),
            };
            if kept {
                if gap && !normalized.is_empty() {
                    normalized.push(' ');
                }
                normalized.extend(character.to_lowercase());
            }
            (gap, before) = (!kept, Some(character));
        }
        Cow::Owned(normalized)
    }
}

/// Marks of Western writing stand within words and numbers too, those of Chinese don't.
fn is_sentence_mark(before: Option<char>, mark: char, after: Option<char>) -> bool {
    let within_word = || [before, after].iter().all(|side| side.is_some_and(char::is_alphanumeric));
    match mark {
        '.' | ',' | '!' | '?' | ';' | ':' | '\'' | '"' | '’' => !within_word(),
        '(' | ')' | '“' | '”' | '‘' | '…' => true,
        '。' | '，' | '！' | '？' | '；' | '：' | '、' | '～' | '（' | '）' | '「' | '」' | '《' | '》' => {
            true
        }
        _ => false,
    }
}
