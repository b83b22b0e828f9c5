//! Text of unknown size.

/// The start of `text`, at most `max_bytes`, ending on a character boundary.
pub(crate) fn cut(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let end = (0..=max_bytes).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}

/// The same, with a mark where it was cut.
pub(crate) fn shortened(text: &str, max_bytes: usize) -> String {
    let start = cut(text, max_bytes);
    if start.len() < text.len() { format!("{start}…") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_never_splits_a_character() {
        for max in 0..8 {
            assert!("a重b试".starts_with(cut("a重b试", max)));
        }
        assert_eq!(cut("a重b", 3), "a");
        assert_eq!(cut("a重b", 4), "a重");
    }

    #[test]
    fn a_cut_is_marked_where_it_is_shown() {
        assert_eq!(shortened("重试重试", 7), "重试…");
        assert_eq!(shortened("重试", 6), "重试");
    }
}
