//! What makes calls: clients, chains, cascades, agents, requests.

use std::cell::Cell;
use std::sync::Arc;

use arbitrary::{Arbitrary, Result, Unstructured};
use resilience::breaker::CircuitBreaker;
use resilience::cache::FlightsConfig;
use resilience::cascade::{BelowThreshold, CascadeConfig, Model, ModelCascade, QualityCheck};
use resilience::chain::{ChainConfig, Provider, ResilientLlmRunner};
use resilience::client::{Accounting, Attempt, CallOptions, ClientConfig, NoHooks, ResilientLlmClient, StreamConfig};
use resilience::clock::ManualClock;
use resilience::gateway::{AgentConfig, AgentModels, InvokeOptions, ResilientAgent};
use resilience::mock::{FlakyConfig, FlakyLlmClient};
use resilience::request::{RequestConfig, RequestOptions, request_with_retry};
use resilience::retry::RetryBudgetConfig;

use super::super::draw::{count, maybe, number, several, size, time};
use super::super::support::run;
use super::{breaker_config, bulkhead_config, chance, error, made, made_breaker, retry_config, router_config};

fn client_config(input: &mut Unstructured<'_>) -> Result<ClientConfig> {
    let budget = |input: &mut Unstructured<'_>| {
        Ok(RetryBudgetConfig { capacity: number(input)?, per_call: number(input)?, per_minute: number(input)? })
    };
    let stream = |input: &mut Unstructured<'_>| {
        Ok(StreamConfig { first_text_timeout: time(input)?, idle_timeout: time(input)? })
    };
    let usual = ClientConfig::default();
    Ok(ClientConfig {
        retry: maybe(input, retry_config)?.unwrap_or(usual.retry),
        budget: maybe(input, budget)?.unwrap_or(usual.budget),
        stream: maybe(input, stream)?.unwrap_or(usual.stream),
        accounting: if input.arbitrary()? { Accounting::Call } else { Accounting::Attempt },
        quota_cooldown: time(input)?,
        fallback: usual.fallback,
    })
}

fn flaky_config(input: &mut Unstructured<'_>) -> Result<FlakyConfig> {
    Ok(FlakyConfig {
        failure_rate: number(input)?,
        latency: time(input)?,
        latency_spread: time(input)?,
        seed: Some(input.arbitrary()?),
        reply: None,
        errors: several(input, 3, error)?,
    })
}

type Flaky = FlakyLlmClient<ManualClock>;

fn flaky(input: &mut Unstructured<'_>, clock: &ManualClock) -> Result<Option<Flaky>> {
    let config = flaky_config(input)?;
    Ok(made(&config, FlakyLlmClient::new(config.clone(), clock.clone())))
}

/// Clients with breakers of their own on one clock.
fn services(input: &mut Unstructured<'_>, clock: &ManualClock) -> Result<Vec<(Flaky, Arc<CircuitBreaker>)>> {
    let mut services = Vec::new();
    for _ in 0..input.int_in_range(1..=3)? {
        if let (Some(client), Some(breaker)) = (flaky(input, clock)?, made_breaker(input, clock)?) {
            services.push((client, Arc::new(breaker)));
        }
    }
    Ok(services)
}

fn call_options(input: &mut Unstructured<'_>) -> Result<CallOptions> {
    Ok(CallOptions { deadline: maybe(input, time)?, ..Default::default() })
}

pub fn client(input: &mut Unstructured<'_>) -> Result<()> {
    let clock = ManualClock::new();
    let Some((client, breaker)) = services(input, &clock)?.pop() else { return Ok(()) };
    let (config, rng) = (client_config(input)?, chance(input)?);
    let made =
        made(&config, ResilientLlmClient::with_hooks(client, config.clone(), breaker, clock.clone(), rng, NoHooks));
    let Some(client) = made else { return Ok(()) };
    for _ in 0..3 {
        let outcome = run(&clock, client.execute("hi", call_options(input)?));
        assert!(outcome.attempts() <= config.retry.max_retries.saturating_add(1));
        assert!(outcome.elapsed <= config.retry.deadline, "{:?}", outcome.elapsed);
    }
    Ok(())
}

/// A check whose score is any number.
struct Score(f64);

impl QualityCheck for Score {
    async fn score(&self, _: &str, _: &str) -> std::result::Result<f64, String> {
        Ok(self.0)
    }
}

fn cascade_config(input: &mut Unstructured<'_>) -> Result<CascadeConfig> {
    Ok(CascadeConfig {
        client: client_config(input)?,
        threshold: number(input)?,
        below_threshold: if input.arbitrary()? { BelowThreshold::Best } else { BelowThreshold::Fallback },
        max_models: count(input)?,
        stronger_after_error: input.arbitrary()?,
    })
}

/// Both ways over several services: a cascade and a chain.
pub fn cascade(input: &mut Unstructured<'_>) -> Result<()> {
    let clock = ManualClock::new();
    let (services, names) = (services(input, &clock)?, ["a", "b", "c"]);
    let services = services.into_iter().zip(names);
    let (config, rng) = (cascade_config(input)?, chance(input)?);
    let deadline = config.client.retry.deadline;
    if input.arbitrary()? {
        let provider = |((client, breaker), name): (_, &str)| Provider::new(name, client, breaker);
        let config = ChainConfig { client: config.client, next_after_content_filter: input.arbitrary()? };
        let providers = services.map(provider).collect();
        let made =
            made(&config, ResilientLlmRunner::with_hooks(providers, config.clone(), clock.clone(), rng, NoHooks));
        let Some(runner) = made else { return Ok(()) };
        for _ in 0..2 {
            let outcome = run(&clock, runner.execute("hi", call_options(input)?));
            assert!(outcome.elapsed <= deadline, "{:?}", outcome.elapsed);
        }
        return Ok(());
    }
    let models = services.map(|((client, breaker), name)| Model::new(name, client, breaker)).collect();
    let check = Score(number(input)?);
    let made = made(&config, ModelCascade::with_hooks(models, config.clone(), check, clock.clone(), rng, NoHooks));
    let Some(cascade) = made else { return Ok(()) };
    for _ in 0..2 {
        let outcome = run(&clock, cascade.execute("hi", 0, call_options(input)?)).expect("there is a first model");
        assert!(outcome.elapsed <= deadline, "{:?}", outcome.elapsed);
    }
    Ok(())
}

pub fn agent(input: &mut Unstructured<'_>) -> Result<()> {
    let clock = ManualClock::new();
    let [Some(premium), Some(standard), Some(economy)] =
        [flaky(input, &clock)?, flaky(input, &clock)?, flaky(input, &clock)?]
    else {
        return Ok(());
    };
    let usual = AgentConfig::default();
    let config = AgentConfig {
        name: None,
        router: maybe(input, router_config)?.unwrap_or(usual.router),
        shared_router: None,
        cascade: maybe(input, cascade_config)?.unwrap_or(usual.cascade),
        breaker: maybe(input, breaker_config)?.unwrap_or(usual.breaker),
        bulkheads: [bulkhead_config(input)?, usual.bulkheads[1], usual.bulkheads[2]],
        store_answers: input.arbitrary()?,
        coalescing: maybe(input, flights_config)?.unwrap_or(usual.coalescing),
    };
    let deadline = config.cascade.client.retry.deadline;
    // The words of its router may be any.
    let numbers = (config.cascade.clone(), config.breaker, config.bulkheads, config.router.costs);
    let (models, check, rng) = (AgentModels { premium, standard, economy }, Score(number(input)?), chance(input)?);
    let shared = Arc::new(clock.clone());
    let made = made(&numbers, ResilientAgent::with_hooks(models, config, check, clock.clone(), shared, rng, NoHooks));
    let Some(agent) = made else { return Ok(()) };
    for _ in 0..3 {
        let (prompt, call) = (<&str>::arbitrary(input)?, call_options(input)?);
        let options = InvokeOptions { call, no_store: input.arbitrary()?, ..Default::default() };
        let answer = run(&clock, agent.invoke(prompt, prompt, options));
        assert!(answer.latency <= deadline, "{:?}", answer.latency);
    }
    Ok(())
}

pub fn request(input: &mut Unstructured<'_>) -> Result<()> {
    let (base, max) = (time(input)?, time(input)?);
    let usual = RequestConfig::new(base, number(input)?, max, count(input)?);
    let statuses = |input: &mut Unstructured<'_>| several(input, 3, |input| input.arbitrary::<u16>());
    let config = RequestConfig {
        retry: maybe(input, retry_config)?.unwrap_or(usual.retry),
        retry_statuses: statuses(input)?,
        final_statuses: statuses(input)?,
    };
    let clock = ManualClock::new();
    let options = RequestOptions { call: call_options(input)?, rng: Some(chance(input)?), ..Default::default() };
    let answers = [input.arbitrary::<u16>()?, input.arbitrary()?, 200];
    let sent = Cell::new(0);
    let request = async |_: &Attempt<'_>| {
        sent.set(sent.get() + 1);
        Ok(answers[(sent.get() - 1).min(2)])
    };
    let most = config.retry.max_retries.saturating_add(1) as usize;
    let Some((_, call)) = made(&config, request_with_retry(request, config.clone(), clock.clone(), options)) else {
        return Ok(());
    };
    let result = run(&clock, call);
    assert!(sent.get() <= most && result.trace.requests.len() <= most);
    Ok(())
}

fn flights_config(input: &mut Unstructured<'_>) -> Result<FlightsConfig> {
    Ok(FlightsConfig { max_flights: size(input)?, max_followers: size(input)? })
}
