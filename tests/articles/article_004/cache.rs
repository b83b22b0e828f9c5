//! Section 4: the answers that the router keeps.

use std::sync::Arc;
use std::time::Duration;

use resilience::cache::{CacheConfig, CacheKey, Normalization, SimilarityConfig};
use resilience::clock::ManualClock;
use resilience::router::{ModelRouter, ModelTier, PresetAnswer, RouteReason, RouterConfig};

use super::router;

const HALF_AN_HOUR: Duration = Duration::from_secs(30 * 60);

fn by_default() -> (ModelRouter, ManualClock) {
    let clock = ManualClock::new();
    (router(&clock, RouterConfig::default()), clock)
}

/// Keys of the article: letters and digits in lower case, the first 100 of them.
fn with_the_articles_keys() -> ModelRouter {
    let normalization = Normalization::LettersAndDigits;
    router(&ManualClock::new(), RouterConfig { normalization, key_chars: Some(100), ..Default::default() })
}

#[test]
fn what_is_set_is_got() {
    let (router, _) = by_default();
    assert_eq!(router.get_cached("什么是熔断"), None);
    assert!(router.set_cached("什么是熔断", "一种保护"));
    assert_eq!(router.get_cached("什么是熔断").as_deref(), Some("一种保护"));
    router.set_cached("什么是熔断", "停止调用");
    assert_eq!((router.get_cached("什么是熔断").as_deref(), router.cache_size()), (Some("停止调用"), 1));
}

#[test]
fn an_answer_is_kept_for_thirty_minutes() {
    let (router, clock) = by_default();
    router.set_cached("q", "a");
    clock.advance(HALF_AN_HOUR);
    assert_eq!(router.get_cached("q").as_deref(), Some("a"));
    assert_eq!(router.route("q").reason, RouteReason::CacheHit);
    clock.advance(Duration::from_millis(1));
    assert_eq!((router.get_cached("q"), router.route("q").reason), (None, RouteReason::CostFirst));
}

#[test]
fn the_size_is_that_of_what_has_not_expired() {
    let (router, clock) = by_default();
    router.set_cached("early", "a");
    clock.advance(HALF_AN_HOUR);
    router.set_cached("late", "b");
    assert_eq!(router.cache_size(), 2);
    clock.advance(Duration::from_millis(1));
    assert_eq!(router.cache_size(), 1);
}

#[test]
fn clearing_leaves_no_stored_answer() {
    let (router, _) = by_default();
    router.set_cached("q", "a");
    router.clear_cache();
    assert_eq!((router.cache_size(), router.get_cached("q")), (0, None));
}

#[test]
fn common_questions_are_answered_from_the_start() {
    let (router, _) = by_default();
    for question in ["你好", "您好", "你是谁", "谢谢"] {
        assert_eq!(router.route(question).tier, ModelTier::Cache);
        assert!(router.get_cached(question).is_some_and(|answer| !answer.is_empty()), "{question}");
    }
    assert_ne!(router.get_cached("你好"), router.get_cached("您好"), "a polite question has a polite answer");
}

#[test]
fn preset_answers_are_found_whatever_the_punctuation_and_case() {
    let preset_answers = vec![PresetAnswer::new("Who are you?", "An assistant.")];
    let router = router(&ManualClock::new(), RouterConfig { preset_answers, ..Default::default() });
    for prompt in ["who are you", "  WHO are\tyou?!", "Who, are you…"] {
        assert_eq!(router.get_cached(prompt).as_deref(), Some("An assistant."), "{prompt}");
    }
    assert_eq!((router.get_cached("Who are you now?"), router.get_cached("你好")), (None, None));
}

#[test]
fn a_stored_answer_comes_before_a_preset_one() {
    let (router, clock) = by_default();
    let preset = router.get_cached("你好");
    router.set_cached("你好", "又见面了");
    assert_eq!(router.get_cached("你好").as_deref(), Some("又见面了"));
    clock.advance(2 * HALF_AN_HOUR);
    assert_eq!(router.get_cached("你好"), preset);
}

#[test]
fn fault_of_the_article_preset_answers_do_not_end() {
    let cache = CacheConfig { max_entries: 2, ..CacheConfig::default() };
    let clock = ManualClock::new();
    let router = router(&clock, RouterConfig { cache, ..Default::default() });
    clock.advance(48 * HALF_AN_HOUR);
    for number in 0..100 {
        router.set_cached(&number.to_string(), "a");
    }
    assert_eq!(router.cache_size(), 2, "they take no room");
    router.clear_cache();
    assert_eq!(router.route("谢谢").reason, RouteReason::CacheHit);
}

#[test]
fn fault_of_the_article_the_cache_is_bounded() {
    let (router, _) = by_default();
    for number in 0..3_000 {
        router.set_cached(&format!("question {number}"), "x".repeat(2_000));
    }
    assert_eq!((router.cache_size(), router.cache().bytes()), (1_000, 2_000_000));
    assert_eq!(router.get_cached("question 1999"), None);
    assert!(router.get_cached("question 2000").is_some());
}

#[test]
fn the_articles_keys_ignore_case_punctuation_and_white_space() {
    let router = with_the_articles_keys();
    router.set_cached("What is  RETRY?", "again");
    for prompt in ["what is retry", " What, is\n\tretry!! ", "WHAT-IS-RETRY"] {
        assert_eq!(router.get_cached(prompt).as_deref(), Some("again"), "{prompt}");
    }
    assert_eq!(router.get_cached("whatis retry"), None);
}

#[test]
fn the_articles_keys_are_a_hundred_characters() {
    let router = with_the_articles_keys();
    let prompt = |start: usize, end: &str| format!("{}{end}", "字".repeat(start));
    router.set_cached(&prompt(100, "甲"), "of both");
    assert_eq!(router.get_cached(&prompt(100, "乙")).as_deref(), Some("of both"));
    router.set_cached(&prompt(99, "甲"), "of one");
    assert_eq!(router.get_cached(&prompt(99, "乙")), None);
}

#[test]
fn with_the_articles_keys_a_prompt_without_letters_shares_nothing() {
    let router = with_the_articles_keys();
    assert!(!router.set_cached("？？？", "what?"));
    assert_eq!((router.get_cached("！！！"), router.cache_size()), (None, 0));
}

#[test]
fn fault_of_the_article_prompts_that_begin_alike_do_not_share_an_answer() {
    let (router, _) = by_default();
    let prompt = |end: &str| format!("{}{end}", "请把下面这段话翻译成英文：".repeat(50));
    router.set_cached(&prompt("今天下雨"), "It is raining today.");
    assert_eq!(router.get_cached(&prompt("今天下雪")), None);
    assert!(router.get_cached(&prompt("今天下雨")).is_some());
}

#[test]
fn fault_of_the_article_prompts_that_differ_in_symbols_do_not_share_an_answer() {
    let different = [
        ("5+3等于几", "5-3等于几"),
        ("什么是C++", "什么是C#"),
        ("1.5 的平方", "1 5 的平方"),
        ("😀?", "😡?"),
        ("CO是什么", "Co是什么"),
        ("if a:\n  b", "if a:\nb"),
    ];
    for (one, other) in different {
        let (router, _) = by_default();
        router.set_cached(one, "of one");
        assert_eq!(router.get_cached(other), None, "{one} {other}");
    }
    // A line break at the end is nobody's intention.
    let (router, _) = by_default();
    router.set_cached("什么是C++", "一种语言");
    assert!(router.get_cached(" 什么是C++\n").is_some());
}

#[test]
fn in_production_similar_questions_share_an_answer_by_their_vectors() {
    let cache = CacheConfig { similarity: Some(SimilarityConfig::new(3)), ..CacheConfig::default() };
    let router = router(&ManualClock::new(), RouterConfig { cache, ..Default::default() });
    let (asked, scope) = (CacheKey::of_text("怎么退款"), CacheKey::of_text("gpt-4o-mini"));
    router.cache().insert_accepted_similar(asked, scope, &[0.9, 0.1, 0.2], "在订单页申请").unwrap();
    let (nearest, answer) = router.cache().get_similar(scope, &[0.88, 0.12, 0.2]).unwrap().unwrap();
    assert_eq!((nearest.key, &*answer), (asked, "在订单页申请"));
    assert!(router.cache().get_similar(scope, &[0.1, 0.9, 0.2]).unwrap().is_none());
}

#[test]
fn an_answer_is_shared_and_not_copied() {
    let (router, _) = by_default();
    router.set_cached("q", "a");
    let (first, second) = (router.get_cached("q").unwrap(), router.get_cached("q").unwrap());
    assert!(Arc::ptr_eq(&first, &second));
}
