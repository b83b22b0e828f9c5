//! Section 4: tiers, costs and the choice of a model; section 5: the order in which tiers follow each other.

use resilience::clock::ManualClock;
use resilience::router::ModelTier::{Cache, Economy, Premium, Standard};
use resilience::router::RouteReason::{CacheHit, Complexity, CostFirst, Fallback, SimpleQuery};
use resilience::router::{
    ModelRouter, ModelTier, RouteDecision, RouteReason, RouterConfig, STATIC_FALLBACK_RESPONSE, WordMatch,
};

const SIMPLE: [&str; 11] = ["你好", "您好", "hi", "hello", "谢谢", "再见", "拜拜", "帮助", "help", "怎么用", "你是谁"];
const COMPLEX: [&str; 13] =
    ["分析", "推理", "复杂", "架构", "设计", "为什么", "比较", "评估", "优化", "debug", "重构", "原理", "本质"];

fn router() -> ModelRouter {
    super::router(&ManualClock::new(), RouterConfig::default())
}

fn without_presets() -> ModelRouter {
    super::router(&ManualClock::new(), RouterConfig { preset_answers: Vec::new(), ..Default::default() })
}

fn as_the_article_matches() -> ModelRouter {
    super::router(&ManualClock::new(), RouterConfig { word_match: WordMatch::Anywhere, ..Default::default() })
}

#[track_caller]
fn routes_to(router: &ModelRouter, prompt: &str, tier: ModelTier, reason: RouteReason) {
    let RouteDecision { tier: chosen, reason: because, .. } = router.route(prompt);
    assert_eq!((chosen, because), (tier, reason), "{prompt}");
}

#[test]
fn the_tiers_are_named_after_their_models() {
    let names = ModelTier::ORDER.map(|tier| router().model(tier).to_owned());
    assert_eq!(names, ["gpt-4o", "gpt-4o-mini", "deepseek-chat", "semantic-cache"]);
    assert_eq!(ModelTier::ORDER.map(ModelTier::model), names.each_ref().map(String::as_str));
    let tiers = ModelTier::ORDER.map(|tier| tier.to_string());
    assert_eq!(tiers, ["premium", "standard", "economy", "cache"], "in logs");
}

#[test]
fn the_reasons_are_spelt_as_in_the_article() {
    let reasons = [CostFirst, Complexity, Fallback, CacheHit, SimpleQuery].map(RouteReason::as_str);
    assert_eq!(reasons, ["cost_first", "complexity", "fallback", "cache_hit", "simple_query"]);
}

#[test]
fn a_decision_tells_what_1000_tokens_cost() {
    let router = router();
    let cost = |prompt| router.route(prompt).estimated_cost_per_1k_tokens;
    assert_eq!([cost("分析"), cost("写一首诗"), cost("hi"), cost("你好")], [0.03, 0.0015, 0.0015, 0.0]);
    assert_eq!(*router.config().costs.get(Economy), 0.0007);
}

#[test]
fn premium_costs_twenty_times_as_much_as_standard() {
    let costs = router().config().costs;
    assert_eq!((costs.premium / costs.standard).round(), 20.0);
}

#[test]
fn names_and_costs_are_the_apps_own_if_it_wants() {
    let mut config = RouterConfig::default();
    config.models.premium = "qwen-max".to_owned();
    config.costs.premium = 0.02;
    let router = super::router(&ManualClock::new(), config);
    assert_eq!(router.model(Premium), "qwen-max");
    assert_eq!(router.route("分析").estimated_cost_per_1k_tokens, 0.02);
}

#[test]
fn each_complex_word_leads_to_premium() {
    for word in COMPLEX {
        for prompt in [word.to_owned(), format!("请{word}一下"), format!("{} {word}？", "字".repeat(500))] {
            routes_to(&router(), &prompt, Premium, Complexity);
        }
    }
    assert_eq!(router().config().complex_words, COMPLEX);
}

#[test]
fn each_simple_word_in_a_short_prompt_leads_to_standard() {
    for word in SIMPLE {
        for prompt in [word.to_owned(), format!("{word}，小明"), format!("{word}?!")] {
            routes_to(&without_presets(), &prompt, Standard, SimpleQuery);
        }
    }
    assert_eq!(router().config().simple_words, SIMPLE);
}

#[test]
fn short_is_below_twenty_characters_after_normalization() {
    let with_chars = |count: usize| format!("再见{}", "字".repeat(count - 2));
    routes_to(&router(), &with_chars(19), Standard, SimpleQuery);
    routes_to(&router(), &with_chars(20), Standard, CostFirst);
    routes_to(&router(), &format!("  {}！！！", with_chars(19)), Standard, SimpleQuery);
}

#[test]
fn words_count_in_upper_and_lower_case() {
    routes_to(&router(), "HELLO", Standard, SimpleQuery);
    routes_to(&router(), "Debug this for me, please", Premium, Complexity);
}

#[test]
fn in_a_short_prompt_a_simple_word_comes_before_a_complex_one() {
    routes_to(&router(), "你好，分析一下", Standard, SimpleQuery);
    routes_to(&router(), "你好，请你深度分析一下这个分布式系统的表现", Premium, Complexity);
}

#[test]
fn an_answer_that_is_there_comes_before_all_words() {
    let router = router();
    for prompt in ["hi", "请分析", "写一首诗"] {
        router.set_cached(prompt, "answer");
        routes_to(&router, prompt, Cache, CacheHit);
    }
    assert_eq!(router.route_by_words("请分析").tier, Premium, "unless it is not asked about");
}

#[test]
fn anything_else_is_standard_for_the_cost() {
    for prompt in ["帮我写一首关于春天的诗", "", " ", "？！", "42", "translate this"] {
        routes_to(&router(), prompt, Standard, CostFirst);
    }
}

#[test]
fn the_usual_way_is_the_model_that_mostly_succeeds_and_not_the_cheapest() {
    // A failed call costs too: Economy is only for those who come down to it.
    for prompt in SIMPLE.iter().chain(&COMPLEX).chain(&["x", "翻译这句话"]) {
        assert_ne!(without_presets().route(prompt).tier, Economy, "{prompt}");
    }
}

#[test]
fn the_run_of_the_article_by_default_and_with_its_own_matching() {
    for router in [router(), as_the_article_matches()] {
        routes_to(&router, "你好", Cache, CacheHit);
        routes_to(&router, "帮我写一个 Hello World", Standard, SimpleQuery);
        routes_to(&router, "请深度分析分布式系统的 CAP 定理及其架构取舍", Premium, Complexity);
        routes_to(&router, "谢谢", Cache, CacheHit);
    }
}

#[test]
fn fault_of_the_article_hi_is_not_in_this_and_history() {
    for prompt in ["what is this", "history", "think", "whisper it", "helpless"] {
        routes_to(&router(), prompt, Standard, CostFirst);
        routes_to(&as_the_article_matches(), prompt, Standard, SimpleQuery);
    }
    // Beside Chinese there is no space around a word.
    routes_to(&router(), "说hi吧", Standard, SimpleQuery);
    routes_to(&router(), "请帮我debug一下这段程序里的问题", Premium, Complexity);
}

#[test]
fn the_order_is_from_dear_to_cheap() {
    assert_eq!(ModelTier::ORDER, [Premium, Standard, Economy, Cache]);
    let costs = ModelTier::ORDER.map(|tier| *router().config().costs.get(tier));
    assert!(costs.is_sorted_by(|dear, cheap| dear > cheap), "{costs:?}");
}

#[test]
fn when_a_call_fails_the_next_tier_is_the_cheaper_one() {
    assert_eq!(ModelTier::ORDER.map(ModelTier::next), [Some(Standard), Some(Economy), Some(Cache), None]);
}

#[test]
fn when_an_answer_is_poor_the_next_tier_is_the_stronger_one() {
    assert_eq!(ModelTier::ORDER.map(ModelTier::stronger), [None, Some(Premium), Some(Standard), Some(Economy)]);
}

#[test]
fn the_static_fallback_says_what_to_do() {
    assert!(STATIC_FALLBACK_RESPONSE.contains("过一会儿再问") && STATIC_FALLBACK_RESPONSE.contains("短一些"));
}
