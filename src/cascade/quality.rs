/// Judges an answer.
///
/// ```
/// use resilience::cascade::QualityCheck;
///
/// struct HasSource;
/// impl QualityCheck for HasSource {
///     async fn score(&self, text: &str, _model: &str) -> Result<f64, String> {
///         Ok(if text.contains("http") { 1.0 } else { 0.0 })
///     }
/// }
/// ```
pub trait QualityCheck {
    /// From 0 (useless) to 1. An error, or a number outside that range, means that the check itself is broken: the answer is
    /// given as it is, marked as not accepted, and no further model is asked (and paid) for it.
    fn score(&self, text: &str, model: &str) -> impl Future<Output = Result<f64, String>>;
}

/// Article 004's rules: an answer of fewer than 5 characters, that refuses, or that got stuck scores 0, any other 1.
/// Beyond the article: words of refusal in English, text that was cut short of its first sentence, and one that only
/// repeats itself. That an answer is long proves nothing.
///
/// ```
/// use resilience::cascade::DefaultQualityCheck;
///
/// assert!(DefaultQualityCheck::passes("这是一个简洁的回答，涵盖了主要要点。"));
/// assert!(!DefaultQualityCheck::passes("抱歉，我无法回答这个问题。"));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct DefaultQualityCheck;

/// Words that refuse, wherever they stand.
const REFUSALS: [&str; 2] = ["不知道", "无法回答"];

/// Words that refuse in a short answer: in a long one they may be a part of it.
#[rustfmt::skip]
const SHORT_REFUSALS: [(&str, usize); 7] = [
    ("抱歉", 20), ("让我想想", 30),
    ("i'm sorry", 60), ("i am sorry", 60), ("i don't know", 60), ("i can't answer", 60), ("i cannot answer", 60),
];

impl DefaultQualityCheck {
    /// Whether `text` is an answer at all.
    pub fn passes(text: &str) -> bool {
        let text = text.trim();
        let length = text.chars().take(1_000).count();
        let start: String = text.chars().take(1_000).collect::<String>().to_lowercase();
        let refuses = REFUSALS.iter().any(|word| start.contains(word))
            || SHORT_REFUSALS.iter().any(|&(word, shorter)| length < shorter && start.contains(word));
        length >= 5 && !refuses && !repeats(&start)
    }
}

impl QualityCheck for DefaultQualityCheck {
    async fn score(&self, text: &str, _model: &str) -> Result<f64, String> {
        Ok(if Self::passes(text) { 1.0 } else { 0.0 })
    }
}

/// Whether one piece of at most 20 characters, again and again, is all there is: a model that is stuck in a loop.
fn repeats(text: &str) -> bool {
    let characters: Vec<char> = text.chars().collect();
    (1..=20).any(|period| {
        characters.len() >= period * 4
            && characters.len() >= 20
            && characters.iter().zip(&characters[period..]).all(|(character, later)| character == later)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_article_s_rules() {
        let passes = DefaultQualityCheck::passes;
        for bad in [
            "",
            "   ",
            "好的",
            "1234",
            "抱歉，我不会",
            "这个我不知道答案是什么呢",
            "很遗憾，这个问题我无法回答，请换一个问题试试看",
        ] {
            assert!(!passes(bad), "{bad}");
        }
        assert!(!passes("嗯……这个……让我想想……"), "stuck");
        let apology_and_answer = "抱歉让您久等了。首先打开设置，然后选择网络，最后点击重新连接即可。";
        let thought_and_answer = "让我想想这个问题：第一步要分析需求，第二步做系统设计，第三步再考虑上线与监控的方案。";
        for good in ["[DeepSeek] 简要回答：答案是这样的。", apology_and_answer, thought_and_answer, "12345"]
        {
            assert!(passes(good), "{good}");
        }
    }

    #[test]
    fn what_repeats_itself_is_no_answer() {
        assert!(!DefaultQualityCheck::passes(&"哈".repeat(50)));
        assert!(!DefaultQualityCheck::passes(&"the answer is ".repeat(10)));
        assert!(DefaultQualityCheck::passes("哈哈哈哈，这个笑话真好笑，再讲一个吧"));
        assert!(DefaultQualityCheck::passes("1010101"), "too short to tell");
    }

    #[test]
    fn english_refusals_and_length_alone() {
        assert!(!DefaultQualityCheck::passes("I'm sorry, I can't help with that."));
        let long = format!("I'm sorry to hear that. {}", "Here is what you can do about it. ".repeat(5));
        assert!(DefaultQualityCheck::passes(&long));
        let long_refusal = "这是一个很难的问题，我想了很久也没有想出什么好的办法来，所以我无法回答";
        assert!(!DefaultQualityCheck::passes(long_refusal));
    }
}
