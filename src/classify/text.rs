//! Text of unknown size and origin.

/// The start of `text`, at most `max_bytes`, ending on a character boundary.
pub(super) fn cut(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let end = (0..=max_bytes).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}
