// Article 003 as ArkTS sees it: the breaker as infrastructure. tests/articles/article_003 has the same in Rust.
import lib from './support/module.mjs'
import { assert, test } from './support/runner.mjs'
import { Script, drive, httpError, never, setUp } from './support/help.mjs'

const { BreakerState, CircuitBreaker, ManualClock, ResilientLlmClient, ResilientLlmRunner, classifyError, createBreaker, withSimpleRetry } = lib
const { CLOSED, OPEN, HALF_OPEN } = BreakerState

const down = httpError(503)

/** The article's figures: five failures in a row open it for 30 s. */
function article() {
  const clock = new ManualClock()
  const breaker = new CircuitBreaker(5, 30000, () => clock.now())
  return { clock, breaker, fail: (times) => { for (let i = 0; i < times; i++) breaker.recordFailure() } }
}

test('five failures in a row open it for 30 s, in which no call goes out', () => {
  const { clock, breaker, fail } = article()
  fail(4)
  assert.equal(breaker.state, CLOSED)
  fail(1)
  assert.equal(breaker.state, OPEN)
  clock.advance(29999)
  assert.deepEqual([breaker.allowRequest(), breaker.retryAfterMs], [false, 1])
})

test('then one call probes: a success closes it, a failure leaves it open', () => {
  for (const [end, after] of [['recordSuccess', CLOSED], ['recordFailure', OPEN]]) {
    const { clock, breaker, fail } = article()
    fail(5)
    clock.advance(30000)
    assert.deepEqual([breaker.allowRequest(), breaker.state, breaker.allowRequest()], [true, HALF_OPEN, false])
    breaker[end]()
    assert.equal(breaker.state, after)
  }
})

test('a single failure is forgotten with the next success', () => {
  const { breaker, fail } = article()
  for (let i = 0; i < 20; i++) {
    fail(4)
    breaker.recordSuccess()
  }
  assert.equal(breaker.state, CLOSED)
})

test('of few calls a failure rate makes too much: one of three would open it', () => {
  const byRate = new CircuitBreaker(5, 30000, undefined, { window: { calls: 10, minimumCalls: 3, failureRate: 0.3 } })
  const { breaker: inARow } = article()
  for (const breaker of [byRate, inARow]) {
    breaker.recordSuccess()
    breaker.recordFailure()
    breaker.recordSuccess()
  }
  assert.deepEqual([byRate.state, inARow.state], [OPEN, CLOSED])
})

test('dozens of calls do not each wait for the timeout of a service that is down', async () => {
  const { clock, breaker } = article()
  const client = new ResilientLlmClient({ chat: never }, { clock, attemptTimeoutMs: 10000, maxRetries: 0 }, breaker, 'local')
  for (let i = 0; i < 5; i++) assert.equal((await drive(clock, client.execute({}))).elapsedMs, 10000)
  for (let i = 0; i < 12; i++) {
    const outcome = await drive(clock, client.execute({}))
    assert.deepEqual([outcome.text, outcome.elapsedMs, outcome.attempts], ['local', 0, 0])
  }
})

test('retried: timeout, refused, reset, 5xx', () => {
  for (const error of [{ code: 'ETIMEDOUT' }, { code: 'ECONNREFUSED' }, { code: 'ECONNRESET' }, { code: 2300007 }, { code: 2300028 }, { code: 2300056 }, { status: 500 }, { status: 502 }, { status: 503 }, { status: 504 }]) {
    assert.equal(classifyError(error).retryable, true, JSON.stringify(error))
  }
})

test('not retried: 4xx, a wrong format, and of the transport what only other settings mend', () => {
  for (const error of [{ status: 400 }, { status: 401 }, { status: 404 }, new SyntaxError('Unexpected token < in JSON'), { code: 'CERT_HAS_EXPIRED' }, { code: 2300001 }, { code: 2300003 }, { code: 2300060 }, { status: 407 }]) {
    assert.equal(classifyError(error).retryable, false, JSON.stringify(error))
  }
})

test('retries have jitter: who failed together does not come back together', async () => {
  const clock = new ManualClock()
  const times = []
  const calls = Array.from({ length: 20 }, () => {
    let tried = 0
    return withSimpleRetry(async () => { if (tried++ === 0) throw down; times.push(clock.now()) }, { clock, minTimeout: 1000 })
  })
  await drive(clock, Promise.all(calls))
  assert.between(new Set(times).size, 10, 20)
  assert.between(Math.max(...times) - Math.min(...times), 300, 1000)
})

test('breaker outside, retry inside: what a retry mends is not on its account', async () => {
  const inner = new Script(...Array.from({ length: 20 }, () => [down, down, { text: 'x' }]).flat())
  const { client, breaker, clock } = setUp(inner, { threshold: 2, config: { accounting: 'call', maxRetries: 2, budget: { capacity: 10000 } } })
  for (let i = 0; i < 20; i++) assert.equal(await drive(clock, client.chat({})), 'x')
  assert.deepEqual([breaker.stats.successes, breaker.stats.failures, breaker.state, inner.calls], [20, 0, CLOSED, 60])
})

test('the same around any function: createBreaker outside, withSimpleRetry inside', async () => {
  const clock = new ManualClock()
  let calls = 0
  const rerank = () => withSimpleRetry(async () => { if (calls++ % 3 < 2) throw down; return 'ranked' }, { clock, retries: 2 })
  const breaker = createBreaker(rerank, { clock, timeout: 60000, volumeThreshold: 1 })
  for (let i = 0; i < 5; i++) assert.equal(await drive(clock, breaker.fire()), 'ranked')
  assert.deepEqual([{ ...breaker.status }, breaker.stats.failures], [{ open: false, halfOpen: false, closed: true }, 0])
})

test('only what no retry mends opens it', async () => {
  const { client, breaker, clock } = setUp(new Script(down), { threshold: 5, config: { accounting: 'call', maxRetries: 2 } })
  for (let i = 0; i < 5; i++) await drive(clock, client.execute({}))
  assert.deepEqual([breaker.state, breaker.stats.failures], [OPEN, 5])
})

test('the rejection is caught where the failure was: the same fallback, only sooner', async () => {
  const clock = new ManualClock()
  const breaker = createBreaker(never, { clock, timeout: 10000, volumeThreshold: 2, errorThresholdPercentage: 100, rollingCountTimeout: 60000 })
  const rank = async () => {
    try {
      return await breaker.fire('query')
    } catch (error) {
      return { ranking: 'local', degraded: true, because: error.code }
    }
  }
  const first = [await drive(clock, rank()), await drive(clock, rank())]
  const before = clock.now()
  const next = await drive(clock, rank())
  assert.deepEqual([first.map((result) => result.because), next, clock.now() - before], [['timeout', 'timeout'], { ranking: 'local', degraded: true, because: 'circuit_open' }, 0])
})

test('a second best result carries a mark that the caller can branch on', async () => {
  const clock = new ManualClock()
  const remote = { name: 'remote', chat: async () => { throw down } }
  const runner = new ResilientLlmRunner(remote, [{ name: 'local', chat: async () => 'ranked here' }], { clock, maxRetries: 0 })
  const outcome = await drive(clock, runner.call('query'))
  assert.deepEqual([outcome.status, outcome.degraded, outcome.providerUsed, outcome.passedOver[0].provider], ['ok', true, 'local', 'remote'])
  const next = outcome.degraded ? 'search elsewhere' : 'go on'
  assert.equal(next, 'search elsewhere')
  const fallback = await drive(clock, new ResilientLlmClient(remote, { clock, maxRetries: 0 }, undefined, 'later').execute({}))
  assert.deepEqual([fallback.degraded, fallback.usedFallback], [true, true])
})

test('each outside service has a breaker of its own, by name', () => {
  const options = { failureThreshold: 5, cooldownMs: 30000 }
  const [reranker, search] = ['003 reranker', '003 web_search'].map((name) => CircuitBreaker.named(name, options))
  for (let i = 0; i < 5; i++) reranker.recordFailure()
  assert.deepEqual([reranker.state, search.state], [OPEN, CLOSED])
  reranker.reset()
})

test('the metrics see a new breaker without its being signed up, at the state it is in', () => {
  const series = (state) => `resilience_breaker_state{name="003 event_log",state="${state}"} 1`
  assert.ok(!lib.prometheusText().includes('003 event_log'))
  const breaker = CircuitBreaker.named('003 event_log', { failureThreshold: 5, cooldownMs: 30000 })
  assert.ok(lib.prometheusText().includes(series('closed')))
  for (let i = 0; i < 5; i++) breaker.recordFailure()
  assert.ok(lib.prometheusText().includes(series('open')))
  breaker.reset()
})

test('an optional store that is down costs its callers nothing: 5 of 100 events wait for it', async () => {
  const options = { name: '003 store', volumeThreshold: 5, errorThresholdPercentage: 100, resetTimeout: 3600000 }
  let asked = 0
  const xadd = createBreaker(async () => { asked++; throw Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }, options).fallback(() => 'no replay')
  for (let i = 0; i < 100; i++) assert.equal(await xadd.fire({ event: i }), 'no replay')
  assert.equal(asked, 5)
  assert.equal(lib.metrics().breakers.find((breaker) => breaker.name === '003 store').stats.rejected, 95)
  xadd.close()
})
