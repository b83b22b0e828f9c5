// Article 002 as ArkTS sees it: ResilientLlmRunner with its providers. tests/articles/article_002 has the same in Rust.
import lib from './support/module.mjs'
import { assert, test } from './support/runner.mjs'
import { httpError, never } from './support/help.mjs'

const { BreakerState, CircuitBreaker, ManualClock, ResilientLlmRunner } = lib

/** A provider in the article's shape: `chat` takes the prompt and gives the text. */
function provider(name, ...steps) {
  return {
    name,
    calls: 0,
    async chat(prompt) {
      const step = steps[Math.min(this.calls++, steps.length - 1)]
      if (step instanceof Error) throw step
      return typeof step === 'function' ? step(prompt) : step
    },
  }
}

function setUp(providers, config, ...more) {
  const clock = new ManualClock()
  const [primary, ...fallbacks] = providers
  const runner = new ResilientLlmRunner(primary, fallbacks, { clock, rng: () => 0.5, ...config }, ...more)
  const finish = async (promise) => (promise.catch(() => {}), await clock.advanceAsync(600000), promise)
  return { clock, runner, execute: (prompt, options) => finish(runner.execute(prompt, options)), call: (prompt, options) => finish(runner.call(prompt, options)) }
}

const down = httpError(503)

test('the primary answers, with a plain text or an object', async () => {
  for (const answer of ['hello', { text: 'hello' }]) {
    const { execute } = setUp([provider('claude', answer), provider('ollama', 'never')])
    assert.deepEqual({ ...(await execute('hi')) }, { text: 'hello', providerUsed: 'claude', degraded: false, passedOver: [] })
  }
})

test('the prompt goes through untouched', async () => {
  const { execute } = setUp([provider('a', (prompt) => 'got ' + prompt)])
  assert.equal((await execute('你好')).text, 'got 你好')
})

test('retries with 2^attempt · 500 ms + [0, 300) ms, then the next model', async () => {
  const times = []
  const primary = provider('claude', () => (times.push(clock.now()), Promise.reject(down)))
  const backup = provider('deepseek', 'from the backup')
  const { execute, clock } = setUp([primary, backup])
  const answer = await execute('hi')
  assert.deepEqual([answer.text, answer.providerUsed, answer.degraded], ['from the backup', 'deepseek', true])
  assert.deepEqual(times, [0, 1150, 3300])
  assert.deepEqual(answer.passedOver.map((one) => [one.provider, one.cause, one.attempts, one.stopReason]), [['claude', 'overloaded', 3, 'attempts']])
})

test('each attempt has its timeout', async () => {
  const { call } = setUp([provider('a', never), provider('b', 'x')], { timeoutMs: 1000, maxRetries: 0 })
  const outcome = await call('hi')
  assert.deepEqual([outcome.providerUsed, outcome.trace[0].code, outcome.trace[0].durationMs, outcome.trace[0].provider], ['b', 'timeout', 1000, 'a'])
})

test('when all fail the error names each and its last error', async () => {
  const { execute } = setUp([provider('a', down), provider('b', httpError(429, { retryAfterMs: 9e8 }))], { maxRetries: 0 })
  await assert.rejects(execute('hi'), (error) => {
    assert.equal(error.message, 'a: 503 from the test; b: 429 from the test')
    assert.deepEqual([error.code, error.retryable], ['rate_limit', true])
    return true
  })
})

test('call() gives the fallback then, and never rejects', async () => {
  const { call } = setUp([provider('a', down)], { maxRetries: 0, locale: 'en' })
  const outcome = await call('hi')
  assert.deepEqual([outcome.status, outcome.degraded, outcome.providerUsed], ['fallback', true, undefined])
  assert.match(outcome.text, /temporarily unavailable/)
  const own = setUp([provider('a', down)], { maxRetries: 0 }, 'sorry')
  assert.equal((await own.call('hi')).text, 'sorry')
})

test('an open breaker sends calls to the next model at once; after the window a probe closes it', async () => {
  let healthy = false
  const primary = provider('a', () => (healthy ? 'back' : Promise.reject(down)))
  const { execute, call } = setUp([primary, provider('b', 'x')], { maxRetries: 0, circuitFailureThreshold: 2, circuitResetWindowMs: 700000 })
  await execute('1')
  await execute('2')
  assert.equal(primary.calls, 2)
  const skipped = await call('3')
  assert.deepEqual([primary.calls, skipped.passedOver[0].stopReason, skipped.elapsedMs], [2, 'circuit_open', 0])
  healthy = true
  assert.equal((await execute('4')).providerUsed, 'a', 'each call of this suite takes 600 s')
})

test('each provider has a breaker, or only the first one as in the article', async () => {
  for (const [breakerOfPrimaryOnly, calls] of [[false, [2, 2]], [true, [2, 5]]]) {
    const providers = [provider('a', down), provider('b', down)]
    const { call } = setUp(providers, { maxRetries: 0, circuitFailureThreshold: 2, circuitResetWindowMs: 9e8, breakerOfPrimaryOnly })
    for (let i = 0; i < 5; i++) await call('x')
    assert.deepEqual(providers.map((one) => one.calls), calls)
  }
})

test('a breaker of the app\'s own, shared by two runners', async () => {
  const breaker = new CircuitBreaker(1, 9e8)
  const first = setUp([{ ...provider('a', down), breaker }], { maxRetries: 0 })
  await first.call('x')
  assert.equal(breaker.state, BreakerState.OPEN)
  const again = provider('a', 'x')
  const second = setUp([Object.assign(again, { breaker }), provider('b', 'y')])
  assert.deepEqual([(await second.execute('x')).providerUsed, again.calls], ['b', 0])
})

test('a Retry-After moves the call; a prompt too long goes where longer ones are read', async () => {
  const limited = setUp([provider('a', httpError(429, { headers: { 'retry-after': '47' } })), provider('b', 'x')])
  assert.deepEqual([(await limited.call('hi')).elapsedMs], [0])
  const long = provider('c', 'read it all')
  const { execute } = setUp([provider('a', Object.assign(new Error('prompt is too long'), { status: 400 })), provider('b', 'never'), Object.assign(long, { largerContext: true })])
  assert.equal((await execute('hi')).providerUsed, 'c')
})

test('when all cool down the wait for the first that comes back is seen: in the trace, by onRetry', async () => {
  const told = []
  const onRetry = ({ attempt, delayMs, delaySource, error }) => told.push([attempt, delayMs, delaySource, error.code])
  const limited = (seconds) => httpError(429, { headers: { 'retry-after': String(seconds) } })
  const providers = () => [provider('a', limited(50), 'later'), provider('b', limited(20), 'back')]
  const { call } = setUp(providers(), { retryAfterSpread: 0 }, undefined, onRetry)
  const outcome = await call('hi')
  assert.deepEqual([outcome.providerUsed, outcome.elapsedMs, told], ['b', 20000, [[2, 20000, 'cooldown', 'rate_limit']]])
  assert.deepEqual(outcome.trace.map((attempt) => [attempt.delayMs, attempt.delaySource]), [[undefined, undefined], [20000, 'cooldown'], [undefined, undefined]])
  const impatient = await setUp(providers(), { retryAfterMaxMs: 0 }).call('hi')
  assert.deepEqual([impatient.status, impatient.elapsedMs, impatient.retryAfterMs], ['fallback', 0, 20000])
})

test('a call that finds all breakers open waits before its first attempt, which says so', async () => {
  const { call } = setUp([provider('a', down, 'back')], { maxRetries: 0, circuitFailureThreshold: 1, circuitResetWindowMs: 630000, retryAfterMaxMs: 60000 })
  await call('1')
  const outcome = await call('2')
  assert.deepEqual([outcome.trace.length, outcome.trace[0].startedAtMs, outcome.trace[0].probe], [1, 31500, true])
})

test('a streamed call goes on with the next provider before the first text, never after it', async () => {
  const clock = new ManualClock()
  const streams = (name, ...texts) => ({ name, async chatStream(_, sink) { for (const text of texts) { if (text instanceof Error) throw text; await sink.push(text) } } })
  const runner = (...all) => new ResilientLlmRunner(all[0], all.slice(1), { clock, maxRetries: 0 })
  const shown = []
  const outcome = await runner(streams('a', down), streams('b', 'from ', 'b')).chatStream('hi', (text) => void shown.push(text))
  assert.deepEqual([shown, outcome.providerUsed, outcome.degraded], [['from ', 'b'], 'b', true])
  const broken = await runner(streams('a', 'half', down), streams('b', 'never')).chatStream('hi', () => {})
  assert.deepEqual([broken.status, broken.text], ['partial', 'half'])
})

test('a wrong list of providers is refused by name', () => {
  const refused = (...list) => assert.throws(() => new ResilientLlmRunner(list[0], list.slice(1)), { code: 'INVALID_CONFIG' }).message
  assert.equal(refused(provider('a', 'x'), provider('a', 'x')), "name: got 'a' (number 2 of the providers), allowed: a name that none before it has")
  assert.equal(refused({ chat() {} }), 'primary.name: got undefined, allowed: a string of at most 100 bytes')
  assert.equal(refused(provider('a', 'x'), { chat() {} }), 'fallbacks.name: got undefined, allowed: a string of at most 100 bytes')
  assert.match(refused({ name: 'a' }), /^primary: got an object, allowed: an object with chat/)
  assert.match(refused(provider('a', 'x'), 5), /^fallbacks: got 5, allowed: an object with chat/)
  assert.match(refused(...Array.from({ length: 21 }, (_, i) => provider('p' + i, 'x'))), /^providers: got 21, allowed: 1 to 20 of them/)
})
