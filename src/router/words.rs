//! Finds words in a prompt.

/// Where a word counts as found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WordMatch {
    /// Not within a longer word, so that "hi" is not in "this"; in writing without spaces (Chinese) anywhere.
    #[default]
    Whole,
    /// Anywhere, as in article 004.
    Anywhere,
}

impl WordMatch {
    /// Whether one of `words` stands in `text`; both in lower case.
    pub(super) fn finds_any(self, words: &[String], text: &str) -> bool {
        words.iter().any(|word| match self {
            Self::Anywhere => text.contains(word.as_str()),
            Self::Whole => stands_alone(word, text),
        })
    }
}

fn stands_alone(word: &str, text: &str) -> bool {
    let (first, last) = (word.chars().next(), word.chars().next_back());
    text.match_indices(word).any(|(start, _)| {
        let (before, after) = (text[..start].chars().next_back(), text[start + word.len()..].chars().next());
        !(goes_on(before, first) || goes_on(last, after))
    })
}

/// Whether two neighbours are within one word.
fn goes_on(left: Option<char>, right: Option<char>) -> bool {
    [left, right].into_iter().all(|side| side.is_some_and(is_written_with_spaces))
}

/// Latin, Greek, Cyrillic, Arabic, Devanagari …: the blocks before Thai, and more of Latin and Greek behind.
fn is_written_with_spaces(character: char) -> bool {
    character.is_alphanumeric() && matches!(character, ..'\u{0E00}' | '\u{1E00}'..='\u{1FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(word: &str, text: &str) -> bool {
        WordMatch::Whole.finds_any(&[word.to_owned()], text)
    }

    #[test]
    fn a_word_is_found_where_it_stands_alone() {
        for text in
            ["hi", "hi there", "oh hi", "say \"hi\"", "hi-fi", "hi你好", "你好hi", "this hi", "hi，在吗", "hi 😀"]
        {
            assert!(whole("hi", text), "{text}");
        }
        for text in ["", "this", "history", "hi5", "5hi", "hié", "hiệu", "привhi", "ahihi"] {
            assert!(!whole("hi", text), "{text}");
        }
    }

    #[test]
    fn writing_without_spaces_is_searched_anywhere() {
        for (word, text) in [("分析", "请深度分析一下"), ("分析", "分析"), ("ช่วย", "ขอความช่วยเหลือ"), ("설계", "설계를")]
        {
            assert!(whole(word, text), "{word} in {text}");
        }
    }

    #[test]
    fn mixed_words_are_bounded_where_they_end_in_letters() {
        assert!(whole("debug一下", "请debug一下子"));
        assert!(!whole("debug一下", "请xdebug一下"));
    }

    #[test]
    fn anywhere_is_anywhere() {
        assert!(WordMatch::Anywhere.finds_any(&["hi".to_owned()], "this"));
        assert!(!WordMatch::Anywhere.finds_any(&["hi".to_owned()], "that"));
    }
}
