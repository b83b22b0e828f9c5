use super::tier::{ModelTier, PerTier};
use super::words::WordMatch;
use crate::cache::{CacheConfig, Normalization};
use crate::error::{InvalidConfig, in_range};

/// An answer that is known in advance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresetAnswer {
    /// The question. Also answers one that differs in case, white space and sentence marks
    /// ([`Normalization::Wording`]). 1 to 1000 bytes, not only such marks.
    pub question: String,
    /// The answer; may be empty.
    pub answer: String,
}

impl PresetAnswer {
    /// An answer to a question.
    pub fn new(question: impl Into<String>, answer: impl Into<String>) -> Self {
        Self { question: question.into(), answer: answer.into() }
    }
}

/// Settings of a [`ModelRouter`](super::ModelRouter).
#[derive(Debug, Clone, PartialEq)]
pub struct RouterConfig {
    /// Words of greetings and common questions. At most 1000, of 1 to 100 bytes; default: article 004's.
    pub simple_words: Vec<String>,
    /// Words of questions that need a strong model. At most 1000, of 1 to 100 bytes; default: article 004's.
    pub complex_words: Vec<String>,
    /// Where in a prompt a word is found. Default: as a word of its own.
    pub word_match: WordMatch,
    /// Simple words count in prompts of fewer characters than this, white space and sentence marks aside. 0 (never) to
    /// 10 000; default 20.
    pub short_query_chars: usize,
    /// Names of the models. 1 to 200 bytes; default: [`ModelTier::model`].
    pub models: PerTier<String>,
    /// US dollars for 1000 tokens, mean of input and output. 0 to 1000; default 0.03, 0.0015, 0.0007 and 0.
    pub costs: PerTier<f64>,
    /// Answers known in advance. They never expire, and take no room in the cache. At most 1000; default: to two
    /// greetings, thanks, and "who are you".
    pub preset_answers: Vec<PresetAnswer>,
    /// Which prompts share a stored answer. Default: those that are equal letter by letter.
    pub normalization: Normalization,
    /// Compare only so many first characters of prompts (article 004: 100). Long prompts that begin alike then share an
    /// answer, which is wrong for one of them. 1 to 1 000 000; default: compare all.
    pub key_chars: Option<usize>,
    /// Limits of the stored answers.
    pub cache: CacheConfig,
}

impl Default for RouterConfig {
    fn default() -> Self {
        let words = |words: &[&str]| words.iter().copied().map(str::to_owned).collect();
        let presets = [
            ("你好", "你好，我是智能助手。想问什么，直接告诉我就行。"),
            ("您好", "您好，我是智能助手。请问需要什么帮助？"),
            ("你是谁", "我是一个智能助手，由大语言模型驱动，可以答疑、写作，也能帮忙看代码。"),
            ("谢谢", "不用谢，还有问题随时可以接着问。"),
        ];
        Self {
            simple_words: words(&[
                "你好",
                "您好",
                "hi",
                "hello",
                "谢谢",
                "再见",
                "拜拜",
                "帮助",
                "help",
                "怎么用",
                "你是谁",
            ]),
            complex_words: words(&[
                "分析",
                "推理",
                "复杂",
                "架构",
                "设计",
                "为什么",
                "比较",
                "评估",
                "优化",
                "debug",
                "重构",
                "原理",
                "本质",
            ]),
            word_match: WordMatch::default(),
            short_query_chars: 20,
            models: PerTier {
                premium: ModelTier::Premium.model().to_owned(),
                standard: ModelTier::Standard.model().to_owned(),
                economy: ModelTier::Economy.model().to_owned(),
                cache: ModelTier::Cache.model().to_owned(),
            },
            costs: PerTier { premium: 0.03, standard: 0.0015, economy: 0.0007, cache: 0.0 },
            preset_answers: presets.map(|(question, answer)| PresetAnswer::new(question, answer)).into(),
            normalization: Normalization::default(),
            key_chars: None,
            cache: CacheConfig::default(),
        }
    }
}

impl RouterConfig {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a value outside the range named at its field.
    pub fn validate(&self) -> Result<(), InvalidConfig> {
        texts("simpleWords", self.simple_words.iter(), 100)?;
        texts("complexWords", self.complex_words.iter(), 100)?;
        in_range("shortQueryChars", self.short_query_chars, 0..=10_000)?;
        let PerTier { premium, standard, economy, cache } = &self.models;
        for (field, name) in [
            ("models.premium", premium),
            ("models.standard", standard),
            ("models.economy", economy),
            ("models.cache", cache),
        ] {
            text(field, name, 200)?;
        }
        in_range("costs.premium", self.costs.premium, 0.0..=1_000.0)?;
        in_range("costs.standard", self.costs.standard, 0.0..=1_000.0)?;
        in_range("costs.economy", self.costs.economy, 0.0..=1_000.0)?;
        in_range("costs.cache", self.costs.cache, 0.0..=1_000.0)?;
        texts("presetAnswers", self.preset_answers.iter().map(|preset| &preset.question), 1_000)?;
        in_range("keyChars", self.key_chars.unwrap_or(1), 1..=1_000_000)?;
        self.cache.validate()
    }
}

fn texts<'a>(
    field: &'static str,
    mut texts: impl ExactSizeIterator<Item = &'a String>,
    max_bytes: usize,
) -> Result<(), InvalidConfig> {
    in_range(field, texts.len(), 0..=1_000)?;
    texts.try_for_each(|found| text(field, found, max_bytes))
}

/// An empty word would be found in every prompt.
fn text(field: &'static str, text: &str, max_bytes: usize) -> Result<(), InvalidConfig> {
    if text.len() <= max_bytes && !Normalization::Wording.apply(text).is_empty() {
        return Ok(());
    }
    let allowed = format!("text from 1 to {max_bytes} bytes, not only white space and sentence marks");
    Err(InvalidConfig::new(field, format_args!("{text:?}"), allowed))
}
