//! Section 7: the whole chain, and section 8: the same flaky service without and with it.

use std::sync::{Arc, Mutex};

use resilience::breaker::BreakerState;
use resilience::bulkhead::Hold;
use resilience::cancel::{CancelReason, CancelToken};
use resilience::cascade::DefaultQualityCheck;
use resilience::classify::CallError;
use resilience::client::{Attempt, CallOptions, LlmClient, NoHooks, OutcomeStatus};
use resilience::clock::{ManualClock, Timer};
use resilience::gateway::{AgentAnswer, AgentConfig, AgentModels, AnswerSource, InvokeOptions, ResilientAgent};
use resilience::mock::{FlakyConfig, FlakyLlmClient};
use resilience::retry::StopReason;
use resilience::router::ModelTier::{self, Cache, Economy, Premium, Standard};
use resilience::router::{ModelRouter, RouteReason, RouterConfig};

use crate::support::Step::{self, Fail, Text, Wait};
use crate::support::{Page, Reply, ScriptedClient, Streams, join_all, middle, ms, retry_config, run, unavailable};

type Agent = ResilientAgent<ScriptedClient, ManualClock>;

/// Premium, standard and economy models that play these scripts; one retry each, after 100 ms.
fn agent(scripts: [Vec<Reply>; 3], change: impl FnOnce(&mut AgentConfig)) -> (Agent, ManualClock) {
    agent_of(|clock| scripts.map(|script| ScriptedClient::new(clock, script)), change)
}

fn agent_of<L: LlmClient>(
    models: impl FnOnce(&ManualClock) -> [L; 3],
    change: impl FnOnce(&mut AgentConfig),
) -> (ResilientAgent<L, ManualClock>, ManualClock) {
    let clock = ManualClock::new();
    let mut config = AgentConfig::default();
    config.cascade.client.retry = retry_config(1);
    change(&mut config);
    let [premium, standard, economy] = models(&clock);
    let models = AgentModels { premium, standard, economy };
    let (timer, own, rng) = (clock.clone(), Arc::new(clock.clone()), Arc::new(middle));
    let agent = ResilientAgent::with_hooks(models, config, DefaultQualityCheck, timer, own, rng, NoHooks).unwrap();
    (agent, clock)
}

fn ok() -> Vec<Reply> {
    vec![Reply::ok()]
}

fn down() -> Vec<Reply> {
    vec![Reply::fail()]
}

fn from(tier: ModelTier) -> InvokeOptions {
    InvokeOptions { tier: Some(tier), ..InvokeOptions::default() }
}

#[test]
fn the_router_chooses_the_model_and_its_bulkhead() {
    let (agent, clock) = agent([ok(), ok(), ok()], |_| ());
    for (prompt, tier, bulkhead) in
        [("请分析这个架构", Premium, "premium-model"), ("写一首诗", Standard, "standard-model")]
    {
        let answer = run(&clock, agent.invoke(prompt, prompt, InvokeOptions::default()));
        assert_eq!((answer.model_used, answer.bulkhead, answer.degraded()), (tier, Some(bulkhead), false));
        assert!(answer.quality_check_passed && answer.source == AnswerSource::Model);
    }
}

#[test]
fn a_greeting_is_answered_without_a_model() {
    let (agent, clock) = agent([down(), down(), down()], |_| ());
    let answer = run(&clock, agent.invoke("谢谢", "谢谢", InvokeOptions::default()));
    assert_eq!((answer.model_used, answer.source, answer.attempts()), (Cache, AnswerSource::Cache, 0));
    assert_eq!(agent.stats().model_calls[Cache as usize].success, 1);
}

#[test]
fn an_accepted_answer_is_stored_and_given_again() {
    let (agent, clock) = agent([ok(), ok(), ok()], |_| ());
    let first = run(&clock, agent.invoke("写一首诗", "写一首诗", InvokeOptions::default()));
    let second = run(&clock, agent.invoke("写一首诗", "写一首诗", InvokeOptions::default()));
    assert_eq!((second.source, &second.text), (AnswerSource::Cache, &first.text));
    run(&clock, agent.invoke("写一首诗", "写一首诗", from(Standard)));
    assert_eq!(agent.stats().model_calls[Standard as usize].success, 2, "asked for by tier: not from the store");
}

#[test]
fn an_error_leads_to_a_cheaper_model_and_the_answer_says_so() {
    let (agent, clock) = agent([down(), ok(), ok()], |_| ());
    let answer = run(&clock, agent.invoke("x", "x", from(Premium)));
    assert_eq!((answer.model_used, answer.degraded_from, answer.attempts()), (Standard, Some(Premium), 3));
    let stats = agent.stats();
    assert_eq!((stats.total_calls, stats.total_degraded), (1, 1));
    assert_eq!((stats.model_calls[0].failed, stats.model_calls[1].success), (2, 1));
}

#[test]
fn when_all_fail_the_text_says_so_and_nothing_is_thrown() {
    let (agent, clock) = agent([down(), down(), down()], |_| ());
    let answer = run(&clock, agent.invoke("x", "x", from(Premium)));
    assert_eq!(
        (answer.source, answer.model_used, answer.status),
        (AnswerSource::Fallback, Cache, OutcomeStatus::Fallback)
    );
    assert!(!answer.quality_check_passed && answer.text.starts_with("智能助手暂时不可用"), "{}", answer.text);
    assert_eq!(answer.passed_over.len(), 3);
}

#[test]
fn a_breaker_that_is_open_costs_no_call() {
    let (agent, clock) = agent([down(), ok(), ok()], |_| ());
    for _ in 0..3 {
        run(&clock, agent.invoke("x", "x", from(Premium)));
    }
    assert_eq!(agent.breaker(Premium).unwrap().state(), BreakerState::Open);
    let answer = run(&clock, agent.invoke("x", "x", from(Premium)));
    assert_eq!((answer.attempts(), answer.model_used), (1, Standard));
    assert_eq!(
        (answer.circuit_state, answer.passed_over[0].stop_reason),
        (BreakerState::Open, StopReason::CircuitOpen)
    );
}

#[test]
fn a_full_bulkhead_gives_the_text_and_no_breaker_hears_of_it() {
    let (agent, clock) = agent([ok(), vec![Reply::ok().after(5_000)], ok()], |config| {
        (config.bulkheads[1].max_concurrent, config.bulkheads[1].max_queue) = (1, 0);
    });
    let answers =
        run(&clock, join_all([agent.invoke("a", "a", from(Standard)), agent.invoke("b", "b", from(Standard))]));
    assert_eq!(answers[0].source, AnswerSource::Model);
    assert_eq!((answers[1].source, answers[1].stop_reason), (AnswerSource::Fallback, StopReason::Bulkhead));
    let stats = agent.stats();
    assert_eq!((stats.circuits[1].1.failures, stats.bulkheads["standard-model"].rejected), (0, 1));
}

/// Its work goes on when its attempt is given up.
struct Stubborn(Mutex<Vec<Hold>>, ManualClock);

impl LlmClient for Stubborn {
    type Request = str;
    type Response = String;

    async fn chat(&self, _: &str, attempt: &Attempt<'_>) -> Result<String, CallError> {
        self.0.lock().unwrap().extend(attempt.place().cloned());
        self.1.sleep_until(attempt.deadline() + ms(1)).await;
        Ok("too late".to_owned())
    }
}

#[test]
fn work_that_outlives_its_attempt_keeps_the_place_of_the_call() {
    let models = |clock: &ManualClock| [(); 3].map(|()| Stubborn(Mutex::default(), clock.clone()));
    let (agent, clock) = agent_of(models, |config| config.bulkheads[1].overrun_grace = ms(500));
    let answer = run(&clock, agent.invoke("a", "a", from(Standard)));
    assert_eq!((answer.source, answer.attempts()), (AnswerSource::Fallback, 6));
    let overrunning = || agent.stats().bulkheads["standard-model"].overrunning;
    assert_eq!(overrunning(), 1, "one place, however often it was tried");
    clock.advance(ms(500));
    assert_eq!(overrunning(), 0, "for the grace and no longer");
}

#[test]
fn a_full_compartment_does_not_hold_up_another() {
    let (agent, clock) = agent([vec![Reply::hang()], ok(), ok()], |config| {
        (config.bulkheads[0].max_concurrent, config.bulkheads[0].max_queue) = (1, 0);
    });
    let answers =
        run(&clock, join_all([agent.invoke("a", "a", from(Premium)), agent.invoke("b", "b", from(Standard))]));
    assert_eq!((answers[1].model_used, answers[1].latency), (Standard, ms(0)));
}

#[test]
fn equal_prompts_at_once_share_a_call_and_a_cancelled_leader_hands_over() {
    let (agent, clock) = agent([ok(), vec![Reply::ok().after(1_000)], ok()], |_| ());
    let ask = |call| agent.invoke("写一首诗", "写一首诗", InvokeOptions { call, ..InvokeOptions::default() });
    let answers = run(&clock, join_all((0..10).map(|_| ask(CallOptions::default()))));
    assert_eq!(answers.iter().filter(|answer| answer.shared).count(), 9);
    assert_eq!(agent.stats().circuits[1].1.successes, 1);

    let (agent, clock) = self::agent([ok(), vec![Reply::ok().after(1_000)], ok()], |_| ());
    let token = CancelToken::new();
    let cancel = async {
        clock.sleep_until(resilience::clock::Timestamp::from_millis(500)).await;
        token.cancel(CancelReason::Cancelled);
        None
    };
    let leader = async {
        let call = CallOptions { cancel: Some(token.clone()), ..CallOptions::default() };
        Some(agent.invoke("诗", "诗", InvokeOptions { call, ..InvokeOptions::default() }).await)
    };
    let follower = async { Some(agent.invoke("诗", "诗", InvokeOptions::default()).await) };
    type Step<'a> = std::pin::Pin<Box<dyn Future<Output = Option<resilience::gateway::AgentAnswer>> + 'a>>;
    let steps: [Step<'_>; 3] = [Box::pin(leader), Box::pin(follower), Box::pin(cancel)];
    let answers: Vec<_> = run(&clock, join_all(steps)).into_iter().flatten().collect();
    assert_eq!((answers[0].status, answers[1].status), (OutcomeStatus::Cancelled, OutcomeStatus::Ok));
}

#[test]
fn the_figures_can_be_reset_and_a_shut_down_agent_ends_all_calls() {
    let (agent, clock) = agent([ok(), vec![Reply::hang()], ok()], |_| ());
    let running = async { Some(agent.invoke("x", "x", from(Standard)).await) };
    let end = async {
        clock.sleep_until(resilience::clock::Timestamp::from_millis(100)).await;
        agent.shutdown();
        None
    };
    type Step<'a> = std::pin::Pin<Box<dyn Future<Output = Option<resilience::gateway::AgentAnswer>> + 'a>>;
    let steps: [Step<'_>; 2] = [Box::pin(running), Box::pin(end)];
    let answers: Vec<_> = run(&clock, join_all(steps)).into_iter().flatten().collect();
    assert_eq!((answers[0].status, answers[0].latency), (OutcomeStatus::Cancelled, ms(100)));
    let late = run(&clock, agent.invoke("谢谢", "谢谢", InvokeOptions::default()));
    assert_eq!(late.status, OutcomeStatus::Cancelled);
    assert_eq!(agent.stats().total_calls, 2);
    agent.reset_stats();
    assert_eq!(agent.stats().total_calls, 0);
}

#[test]
fn the_economy_model_is_the_last_resort() {
    let (agent, clock) = agent([down(), down(), ok()], |_| ());
    let answer = run(&clock, agent.invoke("x", "x", from(Standard)));
    assert_eq!((answer.model_used, answer.degraded_from), (Economy, Some(Standard)));
}

/// 20 calls at once, bare and through the chain, over services with the same share of failures: real answers of both, and
/// the calls that the chain made.
fn twenty_at_once(failure_rate: f64) -> (usize, usize, u64) {
    let clock = ManualClock::new();
    let flaky = |seed| {
        let config = FlakyConfig { failure_rate, seed: Some(seed), ..FlakyConfig::default() };
        FlakyLlmClient::new(config, clock.clone()).unwrap()
    };
    let bare = flaky(1);
    let answered = run(&clock, join_all((0..20).map(|_| bare.reply()))).iter().filter(|reply| reply.is_ok()).count();
    let models = AgentModels { premium: flaky(1), standard: flaky(2), economy: flaky(3) };
    let (timer, own, rng) = (clock.clone(), Arc::new(clock.clone()), Arc::new(middle));
    let config = AgentConfig::default();
    let agent = ResilientAgent::with_hooks(models, config, DefaultQualityCheck, timer, own, rng, NoHooks).unwrap();
    let prompts: Vec<String> = (0..20).map(|number| format!("问题 {number}")).collect();
    let calls = prompts.iter().map(|prompt| agent.invoke(prompt, prompt, InvokeOptions::default()));
    let answers = run(&clock, join_all(calls));
    assert_eq!(answers.len(), 20);
    assert!(answers.iter().all(|answer| !answer.text.is_empty()));
    assert!(answers.iter().all(|answer| (answer.source == AnswerSource::Model) == answer.quality_check_passed));
    let real = answers.iter().filter(|answer| answer.source == AnswerSource::Model).count();
    let made = answers.iter().map(|answer| u64::from(answer.attempts())).sum();
    (answered, real, made)
}

#[test]
fn what_fails_now_and_then_is_mended() {
    let (bare, real, made) = twenty_at_once(0.3);
    assert!(real == 20 && bare < 20, "{real} of 20, bare {bare}");
    assert!(made <= 40, "{made} calls for 20 answers");
}

/// The article's own figures (20 of 20) come from a mock that never fails. Each call ends with a text that says what it is,
/// and a service that is down is not asked on and on.
#[test]
fn what_is_down_is_left_alone() {
    let (_, real, made) = twenty_at_once(0.8);
    assert!(real < 20, "{real}");
    assert!(made < 60, "{made} calls; three attempts each would be 60");
}

/// What an agent streams whose premium and standard models play these scripts.
fn stream(scripts: [Vec<Step>; 2], prompt: &str) -> (AgentAnswer, String, Vec<AgentAnswer>) {
    let [premium, standard] = scripts;
    let model = |clock: &ManualClock, script| Streams::new(clock, vec![script]);
    let (agent, clock) =
        agent_of(|clock| [model(clock, premium), model(clock, standard), model(clock, vec![Step::Hang])], |_| ());
    let page = Page::new(&clock, ms(0));
    let again = Page::new(&clock, ms(0));
    let answer = run(&clock, agent.chat_stream(prompt, prompt, InvokeOptions::default(), &page));
    let stored = agent.router().get_cached(prompt).is_some();
    let second = stored.then(|| run(&clock, agent.chat_stream(prompt, prompt, InvokeOptions::default(), &again)));
    if let Some(second) = &second {
        assert_eq!(again.shown(), second.text, "a stored answer comes in one piece");
    }
    (answer, page.shown(), second.into_iter().collect())
}

#[test]
fn a_streamed_answer_comes_piece_by_piece_and_is_stored_once_it_is_whole() {
    let (answer, shown, again) = stream([vec![], vec![Text("床前"), Wait(100), Text("明月光，…")]], "写一首诗");
    assert_eq!((answer.model_used, answer.source), (Standard, AnswerSource::Model));
    assert_eq!((shown.as_str(), answer.text.as_str()), ("床前明月光，…", "床前明月光，…"));
    assert!(answer.quality_check_passed);
    assert_eq!((again[0].source, again[0].text.as_str()), (AnswerSource::Cache, "床前明月光，…"));
}

#[test]
fn before_the_first_text_a_streamed_call_moves_to_a_cheaper_model() {
    let (answer, shown, _) = stream([vec![Fail(unavailable())], vec![Text("a plain answer")]], "请分析这个架构");
    assert_eq!((answer.model_used, answer.degraded_from), (Standard, Some(Premium)));
    assert_eq!(shown, "a plain answer");
}

#[test]
fn after_the_first_text_a_streamed_call_ends_with_what_came() {
    let (answer, shown, again) =
        stream([vec![Text("It is"), Fail(unavailable())], vec![Text("never")]], "请分析这个架构");
    assert_eq!((answer.status, answer.stop_reason), (OutcomeStatus::Partial, StopReason::Partial));
    assert_eq!((shown.as_str(), answer.text.as_str(), answer.quality_check_passed), ("It is", "It is", false));
    assert_eq!((answer.model_used, answer.degraded_from), (Premium, None));
    assert!(again.is_empty(), "half an answer is not stored");
}

#[test]
fn a_streamed_answer_that_fails_the_check_was_shown_and_is_not_stored() {
    let (answer, shown, again) = stream([vec![Text("never")], vec![Text("不知道")]], "写一首诗");
    assert_eq!((shown.as_str(), answer.model_used, answer.quality_check_passed), ("不知道", Standard, false));
    assert!(again.is_empty() && answer.attempts() == 1);
}

#[test]
fn no_store_neither_takes_nor_leaves_nor_shares_an_answer() {
    let (agent, clock) = agent([ok(), ok(), ok()], |_| ());
    let no_store = || InvokeOptions { no_store: true, ..InvokeOptions::default() };
    let (first, second) = (agent.invoke("写一首诗", "a", no_store()), agent.invoke("写一首诗", "b", no_store()));
    let answers = run(&clock, join_all(vec![first, second]));
    assert_eq!(answers.iter().map(|answer| answer.text.as_str()).collect::<Vec<_>>(), ["answer to a", "answer to b"]);
    assert_eq!(agent.router().cache_size(), 0);
}

#[test]
fn a_shared_router_is_the_agents_own() {
    let router = Arc::new(ModelRouter::new(RouterConfig::default()).unwrap());
    router.set_cached("写一首诗", "stored elsewhere");
    let (agent, clock) = agent([ok(), ok(), ok()], |config| config.shared_router = Some(router.clone()));
    let answer = run(&clock, agent.invoke("写一首诗", "x", InvokeOptions::default()));
    assert_eq!((answer.text.as_str(), answer.source), ("stored elsewhere", AnswerSource::Cache));
    assert_eq!(answer.route.map(|route| route.reason), Some(RouteReason::CacheHit));
    let answer = run(&clock, agent.invoke("请分析这个架构", "x", InvokeOptions::default()));
    assert_eq!(answer.route.map(|route| route.reason), Some(RouteReason::Complexity));
    assert_eq!(run(&clock, agent.invoke("写一首诗", "x", from(Standard))).route, None);
}

#[test]
fn agents_of_one_name_share_breakers_and_bulkheads() {
    let named = |config: &mut AgentConfig| {
        config.name = Some("shared".to_owned());
        config.breaker.window = None;
    };
    let (first, clock) = agent([down(), down(), down()], named);
    run(&clock, first.invoke("x", "x", InvokeOptions::default()));
    let (second, _) = agent([ok(), ok(), ok()], named);
    assert!(Arc::ptr_eq(first.breaker(Standard).unwrap(), second.breaker(Standard).unwrap()));
    assert_eq!(second.stats().circuits[Standard as usize].1.failures, 2);
    assert_eq!(second.stats().bulkheads["standard-model"].done, 1);
}
