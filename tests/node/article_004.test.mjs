// Article 004 as ArkTS sees it: router, cascade and the whole chain. tests/articles/article_004 has the same in Rust.
import lib from './support/module.mjs'
import { assert, test } from './support/runner.mjs'
import { Script, drive, httpError, never, settle } from './support/help.mjs'

const { CancelToken, FlakyLlmClient, ManualClock, ModelRouter, ModelTier, ResilientAgent } = lib
const down = httpError(503)
const good = { text: 'a plain answer' }

/** An agent in virtual time whose premium, standard and economy models play these steps; one retry each. */
function setUp(steps, options) {
  const clock = new ManualClock()
  const [premium, standard, economy] = steps.map((one) => new Script(...one))
  const config = { clock, jitter: 'none', baseMs: 100, locale: 'en', ...(options && options.config) }
  const agent = new ResilientAgent({ models: { premium, standard, economy }, maxRetries: 1, ...options, config })
  return {
    clock, agent, models: { premium, standard, economy },
    invoke: (prompt, how) => drive(clock, agent.invoke(prompt, how)),
    stream: async (prompt, how) => {
      const pieces = []
      return { answer: await drive(clock, agent.chatStream(prompt, (text) => pieces.push(text), how)), pieces }
    },
  }
}

// Section 4: the router

test('the run of the article: each prompt goes to the model that the article prints', () => {
  const router = lib.createModelRouter()
  const models = ['你好', '帮我写一个 Hello World', '请深度分析分布式系统的 CAP 定理及其架构取舍', '谢谢'].map((query) => router.route(query).model)
  assert.deepEqual(models, ['semantic-cache', 'gpt-4o-mini', 'gpt-4o', 'semantic-cache'])
})

test('tiers go from dear to cheap, and the last one has no next', () => {
  assert.deepEqual(lib.MODEL_TIER_ORDER, ['gpt-4o', 'gpt-4o-mini', 'deepseek-chat', 'semantic-cache'])
  assert.deepEqual(lib.MODEL_TIER_ORDER.map(lib.getNextTier), ['gpt-4o-mini', 'deepseek-chat', 'semantic-cache', undefined])
})

test('a decision tells the reason and what 1000 tokens cost', () => {
  const router = new ModelRouter()
  assert.deepEqual({ ...router.route('请分析') }, { model: ModelTier.Premium, reason: 'complexity', estimatedCostPer1kTokens: 0.03 })
  assert.deepEqual({ ...router.route('写一首诗') }, { model: ModelTier.Standard, reason: 'cost_first', estimatedCostPer1kTokens: 0.0015 })
  assert.deepEqual({ ...router.route('help') }, { model: ModelTier.Standard, reason: 'simple_query', estimatedCostPer1kTokens: 0.0015 })
})

test('stored answers live 30 minutes, are found by the prompt, and can be cleared; preset ones stay', () => {
  const clock = new ManualClock()
  const router = new ModelRouter({ clock })
  assert.equal(router.getCached('q'), undefined)
  router.setCached('q', 'a')
  assert.deepEqual([router.getCached('q'), router.route('q').model, router.cacheSize()], ['a', ModelTier.Cache, 1])
  clock.advance(30 * 60 * 1000)
  assert.equal(router.getCached('q'), 'a')
  clock.advance(1)
  assert.deepEqual([router.getCached('q'), router.cacheSize()], [undefined, 0])
  router.setCached('q', 'a')
  router.clearCache()
  assert.deepEqual([router.getCached('q'), typeof router.getCached('你好')], [undefined, 'string'])
})

test('words, names, costs and preset answers are the app\'s own if it wants', () => {
  const router = new ModelRouter({ complexWords: ['prove'], simpleWords: [], presetAnswers: [{ question: 'ping', answer: 'pong' }], costs: { premium: 1 } })
  assert.deepEqual({ ...router.route('Prove it') }, { model: ModelTier.Premium, reason: 'complexity', estimatedCostPer1kTokens: 1 })
  assert.deepEqual([router.getCached('Ping!'), router.getCached('你好')], ['pong', undefined])
  const wide = new ModelRouter({ normalization: 'letters_and_digits', wordMatch: 'anywhere' })
  wide.setCached('5+3', '8')
  assert.deepEqual([wide.getCached('5-3'), wide.route('think').reason, router.route('think').reason], ['8', 'simple_query', 'cost_first'])
  assert.throws(() => new ModelRouter({ simpleWords: [' '] }), /simpleWords/)
})

// Section 5: the cascade

const cascade = (steps, options) => {
  const clock = new ManualClock()
  const [premium, standard, economy] = steps.map((one) => new Script(...one))
  const call = lib.cascadedModelCall({ prompt: '写一首诗', models: { premium, standard, economy }, config: { clock, locale: 'en' }, ...options })
  return drive(clock, call)
}
const asked = (answer) => answer.trace.map((attempt) => attempt.provider)

test('an error leads to a cheaper model', async () => {
  const answer = await cascade([[good], [down], [good]])
  assert.deepEqual([answer.result, answer.modelUsed, answer.degradedFrom, answer.degraded], ['a plain answer', ModelTier.Economy, ModelTier.Standard, true])
  assert.deepEqual(asked(answer), ['gpt-4o-mini', 'deepseek-chat'])
})

test('a bad answer leads to a stronger model', async () => {
  const answer = await cascade([[good], [{ text: '不知道' }], [good]])
  assert.deepEqual([answer.modelUsed, answer.qualityCheckPassed, answer.attempts], [ModelTier.Premium, true, 2])
})

test('each tier is asked once, and in the end a text says so', async () => {
  const answer = await cascade([[down], [down], [down]])
  assert.deepEqual([answer.source, answer.modelUsed, answer.qualityCheckPassed, answer.attempts], ['fallback', ModelTier.Cache, false, 3])
  assert.match(answer.result, /temporarily unavailable/)
  assert.equal((await cascade([[down], [down], [down]], { fallback: lib.STATIC_FALLBACK_RESPONSE })).result, lib.STATIC_FALLBACK_RESPONSE)
})

test('startingTier says where to begin, and router keeps what was accepted', async () => {
  const router = new ModelRouter()
  const first = await cascade([[good], [down], [down]], { router, startingTier: ModelTier.Premium })
  assert.deepEqual([first.modelUsed, first.route, router.cacheSize()], [ModelTier.Premium, undefined, 0], 'asked by tier: not for everybody')
  await cascade([[down], [good], [down]], { router })
  const again = await cascade([[down], [down], [down]], { router })
  assert.deepEqual([again.source, again.result, again.route.reason], ['cache', 'a plain answer', 'cache_hit'])
})

test('the app\'s own check: a verdict, a score, now or later', async () => {
  const steps = () => [[{ text: 'from premium' }], [{ text: 'from standard' }], [good]]
  for (const qualityCheck of [(text) => text.includes('premium'), async (text) => (text.includes('premium') ? 0.5 : 0.4)]) {
    const answer = await cascade(steps(), { qualityCheck })
    assert.deepEqual([answer.result, answer.qualityCheckPassed], ['from premium', true])
  }
  const seen = []
  await cascade(steps(), { qualityCheck: (text, model) => (seen.push([text, model]), true) })
  assert.deepEqual(seen, [['from standard', 'gpt-4o-mini']])
})

test('a check that is broken costs no further model', async () => {
  for (const qualityCheck of [() => { throw new Error('x') }, () => 'good', () => NaN, () => 2, async () => { throw null }, never]) {
    const answer = await cascade([[good], [{ text: 'as it is' }], [good]], { qualityCheck })
    assert.deepEqual([answer.result, answer.qualityCheckPassed, answer.attempts], ['as it is', false, 1], String(qualityCheck))
  }
})

test('when no answer is good enough: the best one, or the static text if told so', async () => {
  const bad = [[{ text: '不知道 1' }], [{ text: '不知道 2' }], [{ text: '不知道 3' }]]
  const best = await cascade(bad)
  assert.deepEqual([best.result, best.source, best.qualityCheckPassed], ['不知道 1', 'model', false])
  const text = await cascade(bad, { belowThreshold: 'fallback', fallback: 'sorry' })
  assert.deepEqual([text.result, text.source, text.stopReason], ['sorry', 'fallback', 'low_quality'])
})

test('the models are asked with prompt and model, and with data if there is any', async () => {
  const client = new Script(good)
  await drive(new ManualClock(), lib.cascadedModelCall({ prompt: 'q', client, data: { history: [1] } }))
  assert.deepEqual(client.requests, [{ prompt: 'q', model: 'gpt-4o-mini', data: { history: [1] } }])
})

test('stand-ins play the article\'s scenarios without any service', async () => {
  const run = async (mockScenario) => {
    const clock = new ManualClock()
    return drive(clock, lib.cascadedModelCall({ prompt: 'q', mockMode: true, mockScenario, config: { clock } }))
  }
  assert.deepEqual([(await run('success')).source, (await run(undefined)).qualityCheckPassed], ['model', true])
  assert.deepEqual([(await run('timeout')).cause, (await run('rate_limited')).cause], ['timeout', 'rate_limit'])
  assert.deepEqual([(await run('low_quality')).source, (await run('low_quality')).qualityCheckPassed], ['model', false])
})

// Section 7: the whole chain

test('the router chooses the model and its bulkhead', async () => {
  const { invoke } = setUp([[good], [good], [good]])
  const [premium, standard] = [await invoke('请分析这个架构'), await invoke('写一首诗')]
  assert.deepEqual([premium.modelUsed, premium.fromBulkhead, premium.degraded], ['gpt-4o', 'premium-model', false])
  assert.deepEqual([standard.modelUsed, standard.fromBulkhead, standard.circuitState], ['gpt-4o-mini', 'standard-model', 'closed'])
})

test('invoke never rejects: what went wrong is in the answer', async () => {
  const { invoke } = setUp([[down], [down], [down]])
  const answer = await invoke('写一首诗')
  assert.deepEqual([answer.source, answer.qualityCheckPassed, answer.degraded, answer.attempts, answer.cause], ['fallback', false, true, 6, 'overloaded'])
  assert.deepEqual(answer.passedOver.map((one) => [one.provider, one.attempts]), [['gpt-4o-mini', 2], ['deepseek-chat', 2], ['gpt-4o', 2]])
  const broken = await setUp([[httpError(401)], [httpError(401)], [httpError(401)]]).invoke('写一首诗')
  assert.deepEqual([broken.source, broken.status, broken.error.code, broken.result], ['none', 'error', 'auth', ''])
})

test('an accepted answer is stored; equal prompts at once share a call', async () => {
  const { clock, agent, models } = setUp([[good], [good], [good]])
  const both = Promise.all([agent.invoke('写一首诗'), agent.invoke('写一首诗')])
  const [first, second] = await drive(clock, both)
  assert.deepEqual([first.shared, second.shared, models.standard.calls], [false, true, 1])
  assert.equal((await drive(clock, agent.invoke('写一首诗'))).source, 'cache')
  await drive(clock, agent.invoke('写一首诗', { noStore: true }))
  await drive(clock, agent.invoke('写一首诗', { data: { user: 7 } }))
  await drive(clock, agent.invoke('写一首诗', { tier: ModelTier.Standard }))
  assert.equal(models.standard.calls, 4)
})

test('who waits for an equal prompt\'s call waits no longer than it wants: token, deadline, shutdown', async () => {
  const { clock, agent, models } = setUp([[never], [never], [never]])
  const [ask, cancelToken] = [(options) => agent.invoke('写一首诗', options), new CancelToken()]
  const leader = ask()
  const [cancelled, hurried, patient] = [ask({ cancelToken }), ask({ deadlineMs: 900 }), ask()]
  cancelToken.cancel()
  assert.equal((await cancelled).status, 'cancelled')
  const answer = await drive(clock, hurried)
  assert.deepEqual([answer.source, answer.stopReason, answer.latencyMs, answer.shared], ['fallback', 'deadline', 900, false])
  agent.shutdown()
  assert.deepEqual([(await leader).status, (await patient).status, models.standard.calls], ['cancelled', 'cancelled', 1])
  await clock.advanceAsync(30000) // the grace of what was left behind
  assert.equal(clock.pendingSleeps, 0)
})

test('what one caller\'s short deadline brings about is no answer for the others: the next one leads', async () => {
  const { clock, agent, models } = setUp([[never], [never, good], [never]])
  const ask = (options) => agent.invoke('写一首诗', options)
  const [hurried, alike, patient] = [ask({ deadlineMs: 300 }), ask({ deadlineMs: 300 }), ask()]
  const [first, second, third] = await drive(clock, Promise.all([hurried, alike, patient]))
  assert.deepEqual([first, second].map((answer) => [answer.source, answer.stopReason, answer.latencyMs]), [['fallback', 'deadline', 300], ['fallback', 'deadline', 300]])
  assert.deepEqual([third.source, third.shared, models.standard.calls], ['model', false, 2], 'no call for whom there is no time')
})

test('getStats counts by tier; resetStats begins anew', async () => {
  const { agent, invoke } = setUp([[good], [down], [good]])
  await invoke('请分析')
  await invoke('写一首诗')
  await invoke('你好')
  const stats = agent.getStats()
  assert.deepEqual([stats.totalCalls, stats.totalDegraded, stats.circuitState], [3, 1, 'closed'])
  assert.deepEqual(Object.fromEntries(Object.entries(stats.modelCalls).map(([tier, calls]) => [tier, { ...calls }])), {
    'gpt-4o': { success: 1, failed: 0 }, 'gpt-4o-mini': { success: 0, failed: 2 }, 'deepseek-chat': { success: 1, failed: 0 }, 'semantic-cache': { success: 1, failed: 0 },
  })
  assert.equal(stats.circuits['gpt-4o-mini'].stats.failures, 2)
  assert.deepEqual({ ...stats.circuitStats }, { successes: 2, failures: 2, fallbacks: 0 })
  agent.resetStats()
  assert.deepEqual([agent.getStats().totalCalls, agent.getStats().modelCalls['gpt-4o'].success], [0, 0])
})

test('shutdown ends what runs, and every later call at once', async () => {
  const { agent, models } = setUp([[never], [never], [never]])
  const running = agent.invoke('写一首诗')
  await settle()
  agent.shutdown()
  assert.deepEqual([(await running).status, (await agent.invoke('你好')).status], ['cancelled', 'cancelled'])
  assert.equal(models.standard.calls, 1)
})

test('a token ends one call; its deadline shortens it', async () => {
  const { clock, agent, invoke } = setUp([[never], [never], [never]])
  const cancelToken = new CancelToken()
  const call = agent.invoke('写一首诗', { cancelToken })
  await settle()
  cancelToken.cancel()
  assert.equal((await call).status, 'cancelled')
  const answer = await invoke('写一首诗', { deadlineMs: 900 })
  assert.deepEqual([answer.latencyMs, answer.source], [900, 'fallback'])
  await clock.advanceAsync(30000) // the grace of what was left behind
  assert.equal(clock.pendingSleeps, 0)
})

test('an answer comes piece by piece, and a stored one in one piece', async () => {
  const clock = new ManualClock()
  const client = {
    async chatStream(request, sink) {
      for (const text of ['床前', '明月光，', '…']) await sink.push(text)
    },
  }
  const agent = new ResilientAgent({ client, config: { clock } })
  const stream = async (how) => {
    const pieces = []
    return [pieces, await drive(clock, agent.chatStream('写一首诗', (text) => pieces.push(text), how))]
  }
  const [pieces, answer] = await stream()
  assert.deepEqual([pieces, answer.result, answer.qualityCheckPassed], [['床前', '明月光，', '…'], '床前明月光，…', true])
  const [again, stored] = await stream()
  assert.deepEqual([again, stored.source], [['床前明月光，…'], 'cache'])
})

test('shutdown ends a stored answer that nobody takes', async () => {
  const agent = new ResilientAgent({ client: { chat: async () => '床前明月光' } })
  await agent.invoke('写一首诗')
  const reading = agent.chatStream('写一首诗', never)
  await settle()
  agent.shutdown()
  assert.equal((await reading).source, 'cache')
})

test('a stream that breaks off leaves what came, marked', async () => {
  const clock = new ManualClock()
  const client = { async chatStream(request, sink) { await sink.push('half'); throw down } }
  const agent = new ResilientAgent({ client, config: { clock } })
  const pieces = []
  const answer = await drive(clock, agent.chatStream('写一首诗', (text) => pieces.push(text)))
  assert.deepEqual([pieces, answer.status, answer.result, answer.qualityCheckPassed, answer.modelUsed], [['half'], 'partial', 'half', false, 'gpt-4o-mini'])
})

test('createResilientAgent and new ResilientAgent are the same', async () => {
  const agent = lib.createResilientAgent({ mockMode: true })
  assert.ok(agent instanceof ResilientAgent)
  assert.equal((await agent.invoke('你好')).source, 'cache')
  assert.throws(() => lib.createResilientAgent({}), /^Error: client: got undefined/)
  assert.throws(() => new ResilientAgent(), /^Error: options: got undefined/)
})

test('the article\'s bulkheadName is refused, not ignored', () => {
  assert.throws(() => new ResilientAgent({ mockMode: true, bulkheadName: 'free-tier' }), /^Error: bulkheadName: got 'free-tier'/)
})

test('enableDegradation: false asks one model only', async () => {
  const { invoke, models } = setUp([[good], [down], [good]], { enableDegradation: false })
  assert.equal((await invoke('写一首诗')).source, 'fallback')
  assert.deepEqual([models.premium.calls, models.standard.calls, models.economy.calls], [0, 2, 0])
})

test('a router that the app keeps is shared by its agents', async () => {
  const router = new ModelRouter()
  const first = setUp([[good], [good], [good]], { router })
  await first.invoke('写一首诗')
  const second = setUp([[down], [down], [down]], { router })
  assert.equal((await second.invoke('写一首诗')).result, 'a plain answer')
})

test('each tier has its bulkhead, the preset\'s unless told otherwise', async () => {
  const { agent, clock } = setUp([[good], [good], [good]], { bulkheads: { premium: { maxConcurrent: 1, minTime: 0 } } })
  const calls = ['写一首诗', '写一首词'].map((prompt) => agent.invoke(prompt))
  const [first, second] = await drive(clock, Promise.all(calls))
  assert.deepEqual([first.latencyMs, second.latencyMs], [0, 50], 'the starts of standard calls are 50 ms apart')
  const stats = agent.getStats().bulkheadStats
  assert.deepEqual(Object.keys(stats), ['economy-model', 'premium-model', 'standard-model'])
  assert.deepEqual([stats['standard-model'].done, stats['premium-model'].done], [2, 0])
})

test('breakerOptions are the article\'s; an open breaker sends nothing', async () => {
  const { invoke, models } = setUp([[down], [down], [down]], { breakerOptions: { volumeThreshold: 1, resetTimeout: 60000 }, maxRetries: 0 })
  await invoke('写一首诗')
  const answer = await invoke('写一首词')
  assert.deepEqual([answer.attempts, answer.circuitState, answer.stopReason, answer.cause], [0, 'open', 'circuit_open', 'overloaded'])
  assert.ok(answer.retryAfterMs > 0)
  assert.deepEqual([models.premium.calls, models.standard.calls, models.economy.calls], [1, 1, 1])
})

test('agents of one name share breakers and bulkheads, which the metrics tell of', async () => {
  const options = { client: new Script(down), name: 'shared agent', maxRetries: 0, breakerOptions: { volumeThreshold: 1, resetTimeout: 60000 } }
  await new ResilientAgent(options).invoke('写一首诗')
  const other = new ResilientAgent({ ...options, client: new Script(good) })
  assert.deepEqual([(await other.invoke('写一首诗')).attempts, other.getStats().circuitState], [0, 'open'])
  const text = lib.prometheusText()
  for (const tier of ['premium', 'standard', 'economy']) assert.match(text, new RegExp(`^resilience_breaker_state\\{name="shared agent:${tier}",state="open"\\} 1$`, 'm'))
  assert.match(text, /^resilience_bulkhead_calls_total\{name="shared agent:standard",result="done"\} 2$/m)
  assert.throws(() => new ResilientAgent({ ...options, config: { clock: new ManualClock() } }), /^Error: name: got 'shared agent'/)
})

// Section 1: the flaky service

test('a flaky client with a seed does the same each time', async () => {
  const run = async () => {
    const clock = new ManualClock()
    const flaky = new FlakyLlmClient({ failureRate: 0.5, seed: 42, clock })
    const ends = []
    for (let i = 0; i < 20; i++) ends.push(await drive(clock, flaky.chat({}).then(() => 'ok', (error) => error.code + (error.status || ''))))
    return { ends, at: clock.now(), calls: flaky.calls }
  }
  const [one, other] = [await run(), await run()]
  assert.deepEqual(one, other)
  assert.equal(one.calls, 20)
  const failed = one.ends.filter((end) => end !== 'ok')
  assert.ok(failed.length > 3 && failed.length < 17)
  for (const end of failed) assert.ok(['rate_limit429', 'timeout', 'overloaded503', 'interrupted'].includes(end), end)
})

test('createFlakyLLMMock gives a function that gives texts', async () => {
  const clock = new ManualClock()
  const call = lib.createFlakyLLMMock({ failureRate: 0, reply: 'hi', clock })
  assert.equal(await drive(clock, call()), 'hi')
  const failing = lib.createFlakyLLMMock({ failureRate: 1, errors: [500], clock })
  await assert.rejects(drive(clock, failing()), (error) => error.code === 'server' && error.status === 500)
})
