use super::*;
use crate::cache::CacheConfig;

fn built(change: impl FnOnce(&mut RouterConfig)) -> Result<ModelRouter, String> {
    let mut config = RouterConfig::default();
    change(&mut config);
    ModelRouter::new(config).map_err(|error| error.to_string())
}

#[test]
fn bad_settings_are_refused_by_name() {
    fn words() -> Vec<String> {
        vec!["word".to_owned(); 1_001]
    }
    type Change = fn(&mut RouterConfig);
    let cases: [(&str, Change); 23] = [
        ("simpleWords: got \"\", allowed: text", |config| config.simple_words[1].clear()),
        ("simpleWords: got \" ? \", allowed: text", |config| config.simple_words[1] = " ? ".to_owned()),
        ("simpleWords: got \"xxx", |config| config.simple_words[1] = "x".repeat(101)),
        ("simpleWords: got 1001, allowed: a finite number from 0", |config| config.simple_words = words()),
        ("complexWords: got \"\"", |config| config.complex_words[0].clear()),
        ("complexWords: got 1001", |config| config.complex_words = words()),
        ("shortQueryChars: got 10001, allowed: a finite", |config| config.short_query_chars = 10_001),
        ("models.premium: got \"\"", |config| config.models.premium.clear()),
        ("models.standard: got \" \"", |config| config.models.standard = " ".to_owned()),
        ("models.economy: got \"xxx", |config| config.models.economy = "x".repeat(201)),
        ("models.cache: got \"\"", |config| config.models.cache.clear()),
        ("costs.premium: got NaN", |config| config.costs.premium = f64::NAN),
        ("costs.standard: got -0.1", |config| config.costs.standard = -0.1),
        ("costs.economy: got inf", |config| config.costs.economy = f64::INFINITY),
        ("costs.cache: got 1000.5", |config| config.costs.cache = 1_000.5),
        ("presetAnswers: got \"\"", |config| config.preset_answers[0].question.clear()),
        ("presetAnswers: got \"。\"", |config| config.preset_answers[0].question = "。".to_owned()),
        ("presetAnswers: got \"xxx", |config| config.preset_answers[0].question = "x".repeat(1_001)),
        ("presetAnswers: got \"谢谢\" twice", |config| config.preset_answers[0].question = "谢谢！".to_owned()),
        ("presetAnswers: got 1001", |config| config.preset_answers = vec![PresetAnswer::new("q", "a"); 1_001]),
        ("keyChars: got 0", |config| config.key_chars = Some(0)),
        ("keyChars: got 1000001", |config| config.key_chars = Some(1_000_001)),
        ("cache.maxBytes: got", |config| config.cache.max_bytes = usize::MAX),
    ];
    for (message, change) in cases {
        let error = built(change).err();
        assert!(error.as_deref().is_some_and(|error| error.starts_with(message)), "{error:?}, not {message}");
    }
}

#[test]
fn limits_are_inclusive_and_zero_is_zero() {
    let largest = |config: &mut RouterConfig| {
        config.simple_words = vec!["x".repeat(100); 1_000];
        config.complex_words.clear();
        config.short_query_chars = 10_000;
        config.models.premium = "x".repeat(200);
        config.costs = PerTier { premium: 1_000.0, standard: 0.0, economy: -0.0, cache: 0.0 };
        config.preset_answers = (0..1_000).map(|number| PresetAnswer::new(format!("{number:01000}"), "")).collect();
        config.key_chars = Some(1_000_000);
    };
    assert_eq!(built(largest).unwrap().model(ModelTier::Premium).len(), 200);
    let router = built(|config| config.short_query_chars = 0).unwrap();
    assert_eq!(router.route("hi").reason, RouteReason::CostFirst, "no prompt is shorter than 0");
    let router = built(|config| config.cache = CacheConfig { max_entries: 0, ..Default::default() }).unwrap();
    assert!(!router.set_cached("a", "b"));
}

#[test]
fn words_are_found_however_they_are_written() {
    let router = built(|config| {
        config.simple_words = vec!["  Hi! ".to_owned()];
        config.complex_words = vec!["C++".to_owned(), "WHY?".to_owned(), "Straße".to_owned()];
    })
    .unwrap();
    let reason = |prompt| router.route(prompt).reason;
    assert_eq!(reason("HI"), RouteReason::SimpleQuery);
    for prompt in ["learn c++ today", "Why not?", "why", "WHERE IS THE STRASSE, the straße?"] {
        assert_eq!(reason(prompt), RouteReason::Complexity, "{prompt}");
    }
    assert_eq!(reason("learn C today"), RouteReason::CostFirst);
    assert_eq!(router.config().simple_words, ["hi"]);
}

#[test]
fn a_long_prompt_is_searched_in_its_opening_only() {
    let router = built(|_| ()).unwrap();
    let filler = |count: usize| "字".repeat(count);
    assert_eq!(router.route(&format!("{}分析", filler(9_998))).reason, RouteReason::Complexity);
    assert_eq!(router.route(&format!("{}分析", filler(9_999))).reason, RouteReason::CostFirst);
}

#[test]
fn a_long_prompt_is_not_taken_for_the_short_one_that_it_opens_with() {
    let router = built(|config| config.short_query_chars = 10_000).unwrap();
    let long = format!("你好{}写一首长诗", "！".repeat(10_000));
    assert_eq!((router.route(&long).reason, router.get_cached(&long)), (RouteReason::CostFirst, None));
    let all = format!("你好{}", "！".repeat(9_998));
    assert_eq!(router.route(&all).reason, RouteReason::CacheHit);
}
