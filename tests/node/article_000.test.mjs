// Article 000 through JavaScript: what it shows, its list of tests, its two buttons, its six pitfalls.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, httpError, setUp, drive, sleep } from './support/help.mjs'

const { BackoffCalculator, BreakerState, CircuitBreaker, ManualClock, MockLlmClient, ResilientLlmClient, classifyError } = lib
const { CLOSED, OPEN, HALF_OPEN } = BreakerState
const middle = () => 0.5 // jitter 1

// Layer one: backoff

test('nextDelay: the same chance gives the same delay', () => {
  assert.equal(BackoffCalculator.nextDelay(3, 500, 2, () => 0.25), 1500)
  assert.equal(BackoffCalculator.nextDelay(3, 500, 2, () => 0.25), 1500)
})

test('nextDelay: attempts count from 1, so the first delay is the base', () => {
  assert.equal(BackoffCalculator.nextDelay(1, 500, 2, middle), 500)
})

test('nextDelay grows by the factor with each attempt', () => {
  const delays = [1, 2, 3, 4, 5].map((attempt) => BackoffCalculator.nextDelay(attempt, 200, 3, middle))
  assert.deepEqual(delays, [200, 600, 1800, 5400, 16200])
})

test('nextDelay: jitter multiplies, from half to one and a half, and the result is floored', () => {
  for (const attempt of [1, 2, 5]) {
    const mean = 1000 * Math.pow(2, attempt - 1)
    assert.equal(BackoffCalculator.nextDelay(attempt, 1000, 2, () => 0), mean / 2)
    assert.equal(BackoffCalculator.nextDelay(attempt, 1000, 2, () => 1 - 2 ** -53), 1.5 * mean - 1)
    for (let draw = 0; draw < 100; draw++) {
      assert.between(BackoffCalculator.nextDelay(attempt, 1000, 2, Math.random), mean / 2, 1.5 * mean - 1)
    }
  }
  assert.equal(BackoffCalculator.nextDelay(1, 333, 2, () => 0.123), Math.floor(333 * 0.623))
})

test('nextDelay asks for chance once', () => {
  let draws = 0
  BackoffCalculator.nextDelay(4, 500, 2, () => (draws++, 0))
  assert.equal(draws, 1)
})

// Layer two: the breaker

test('the states have the numbers 0, 1, 2', () => {
  assert.deepEqual([CLOSED, OPEN, HALF_OPEN], [0, 1, 2])
})

/** A breaker whose time is a variable. */
function breakerAt(threshold, cooldownMs) {
  const time = { ms: 0 }
  return { time, breaker: new CircuitBreaker(threshold, cooldownMs, () => time.ms) }
}

test('a new breaker is closed and lets everything through', () => {
  const breaker = new CircuitBreaker()
  assert.equal(breaker.state, CLOSED)
  for (let i = 0; i < 10; i++) assert.equal(breaker.allowRequest(), true)
})

test('three failures in a row open it unless told otherwise', () => {
  const breaker = new CircuitBreaker()
  breaker.recordFailure()
  breaker.recordFailure()
  assert.equal(breaker.state, CLOSED)
  breaker.recordFailure()
  assert.equal(breaker.state, OPEN)
})

test('it cools down for five seconds unless told otherwise', () => {
  let ms = 0
  const breaker = new CircuitBreaker(undefined, undefined, () => ms)
  for (let i = 0; i < 3; i++) breaker.recordFailure()
  ms = 4999
  assert.equal(breaker.allowRequest(), false)
  ms = 5000
  assert.equal(breaker.allowRequest(), true)
})

// The whole table: how to get into a state, what is done there, what comes out.
const failures = (n) => (breaker) => Array.from({ length: n }, () => breaker.recordFailure())
const intoClosed = () => {}
const intoClosedWithTwo = (breaker) => failures(2)(breaker)
const intoOpen = (breaker) => failures(3)(breaker)
const intoHalfOpen = (breaker, time) => {
  failures(3)(breaker)
  time.ms += 5000
  assert.equal(breaker.allowRequest(), true)
}
const wait = (ms) => (breaker, time) => void (time.ms += ms)
const ask = (breaker) => breaker.allowRequest()
const succeed = (breaker) => breaker.recordSuccess()
const fail = (breaker) => breaker.recordFailure()
const transitions = [
  // from, how, what, answer of the last step, state after, failures in a row after
  ['closed', intoClosed, [ask], true, CLOSED, 0],
  ['closed', intoClosed, [succeed], undefined, CLOSED, 0],
  ['closed', intoClosed, [fail], undefined, CLOSED, 1],
  ['closed after two failures', intoClosedWithTwo, [ask], true, CLOSED, 2],
  ['closed after two failures', intoClosedWithTwo, [succeed], undefined, CLOSED, 0],
  ['closed after two failures', intoClosedWithTwo, [fail], undefined, OPEN, 3],
  ['open', intoOpen, [ask], false, OPEN, 3],
  ['open', intoOpen, [wait(4999), ask], false, OPEN, 3],
  ['open', intoOpen, [wait(5000)], undefined, OPEN, 3],
  ['open', intoOpen, [wait(5000), ask], true, HALF_OPEN, 3],
  ['open', intoOpen, [succeed], undefined, OPEN, 3],
  ['open', intoOpen, [fail], undefined, OPEN, 3],
  ['open', intoOpen, [wait(4999), fail, wait(1), ask], true, HALF_OPEN, 3],
  ['half-open', intoHalfOpen, [ask], false, HALF_OPEN, 3],
  ['half-open', intoHalfOpen, [succeed], undefined, CLOSED, 0],
  ['half-open', intoHalfOpen, [succeed, ask], true, CLOSED, 0],
  ['half-open', intoHalfOpen, [succeed, fail], undefined, CLOSED, 1],
  ['half-open', intoHalfOpen, [fail], undefined, OPEN, 4],
  ['half-open', intoHalfOpen, [fail, wait(4999), ask], false, OPEN, 4],
  ['half-open', intoHalfOpen, [fail, wait(5000), ask], true, HALF_OPEN, 4],
]
const names = [
  [ask, 'allowRequest'],
  [succeed, 'recordSuccess'],
  [fail, 'recordFailure'],
]
for (const [from, enter, steps, answer, state, inARow] of transitions) {
  const what = steps.map((step) => (names.find(([fn]) => fn === step) || [0, 'time passes'])[1]).join(', ')
  test(`from ${from}: ${what} gives ${answer}, state ${state}, ${inARow} failures`, () => {
    const { breaker, time } = breakerAt(3, 5000)
    enter(breaker, time)
    let got
    for (const step of steps) got = step(breaker, time)
    assert.deepEqual([got, breaker.state, breaker.consecutiveFailures], [answer, state, inARow])
  })
}

test('half-open lets out one probe, however many ask', () => {
  const { breaker, time } = breakerAt(1, 1000)
  breaker.recordFailure()
  time.ms = 1000
  const admitted = Array.from({ length: 50 }, () => breaker.allowRequest()).filter(Boolean)
  assert.equal(admitted.length, 1)
})

test('a success between failures starts the count again', () => {
  const { breaker } = breakerAt(3, 5000)
  for (let round = 0; round < 10; round++) {
    breaker.recordFailure()
    breaker.recordFailure()
    breaker.recordSuccess()
  }
  assert.equal(breaker.state, CLOSED)
})

// Layer three: the client

test('a mock fails its first calls, then answers, and counts them all', async () => {
  const mock = new MockLlmClient(2)
  await assert.rejects(mock.chat({}), { code: 'overloaded', status: 503, retryable: true, message: '503 Service Unavailable' })
  await assert.rejects(mock.chat({}), Error)
  assert.deepEqual(await mock.chat({}), { text: 'mock reply' })
  assert.equal(mock.calls, 3)
})

test('a mock that always fails', async () => {
  const mock = MockLlmClient.alwaysFailing()
  for (let i = 0; i < 5; i++) await assert.rejects(mock.chat({}), /503/)
  assert.equal(mock.calls, 5)
  assert.ok(mock instanceof MockLlmClient)
})

test('the answer comes back as its text', async () => {
  const { chat, client } = setUp(new MockLlmClient())
  assert.equal(await chat({ prompt: 'hi' }), 'mock reply')
  assert.deepEqual([client.lastAttempts, client.usedFallback, client.breakerState], [1, false, CLOSED])
})

test('button one, the first two calls fail: growing delays, the normal answer, three attempts', async () => {
  const events = []
  const mock = new MockLlmClient(2)
  const { chat, client, clock } = setUp(mock, { config: { rng: middle, jitter: 'multiplicative', base: 500, baseMs: undefined }, onRetry: (e) => events.push(e) })
  assert.equal(await chat(), 'mock reply')
  assert.deepEqual(events.map((e) => [e.attempt, e.delayMs]), [[1, 500], [2, 1000]])
  assert.deepEqual([client.lastAttempts, client.usedFallback, mock.calls], [3, false, 3])
  assert.equal(clock.now(), 1500, 'the delays are waited for')
})

test('button two, it keeps failing: fallback, the breaker opens, the mock is left alone, one probe after the cooldown', async () => {
  const mock = MockLlmClient.alwaysFailing()
  const { chat, client, clock, breaker } = setUp(mock, { fallback: 'later' })
  assert.equal(await chat(), 'later')
  assert.deepEqual([client.usedFallback, breaker.state, mock.calls], [true, OPEN, 3])
  for (let i = 0; i < 20; i++) assert.equal(await chat(), 'later')
  assert.deepEqual([client.usedFallback, client.lastAttempts, mock.calls], [true, 0, 3])
  await clock.advanceAsync(5000)
  assert.equal(await chat(), 'later')
  assert.deepEqual([client.lastAttempts, mock.calls, breaker.state], [1, 4, OPEN])
})

test('a probe that succeeds closes the breaker and gives the normal answer', async () => {
  const mock = new MockLlmClient(3)
  const { chat, client, clock, breaker } = setUp(mock)
  await chat()
  assert.equal(breaker.state, OPEN)
  await clock.advanceAsync(5000)
  assert.equal(await chat(), 'mock reply')
  assert.deepEqual([breaker.state, client.usedFallback, client.lastAttempts], [CLOSED, false, 1])
})

test('retries used up: the fallback text', async () => {
  const mock = new MockLlmClient(10)
  const { chat, client } = setUp(mock, { threshold: 100, fallback: '请稍后重试' })
  assert.equal(await chat(), '请稍后重试')
  assert.deepEqual([client.usedFallback, client.lastAttempts, mock.calls], [true, 3, 3])
})

test('usedFallback is about the latest call, not about all', async () => {
  const { chat, client } = setUp(new MockLlmClient(3), { threshold: 100 })
  await chat()
  assert.equal(client.usedFallback, true)
  await chat()
  assert.equal(client.usedFallback, false)
})

test('onRetry tells attempt, delay, its source and why', async () => {
  const events = []
  const { chat } = setUp(new MockLlmClient(1), { onRetry: (e) => events.push(e) })
  await chat()
  const [{ error, ...event }] = events
  assert.deepEqual(event, { attempt: 1, delayMs: 100, delaySource: 'backoff' })
  assert.equal(error.code, 'overloaded')
  assert.equal(error.status, 503)
})

test('onRetry is told before the wait, and not after the last attempt', async () => {
  const seen = []
  const run = setUp(new MockLlmClient(10), { onRetry: (e) => seen.push([e.attempt, run.clock.now()]) })
  await run.chat()
  assert.deepEqual(seen, [[1, 0], [2, 100]])
})

test('with the real clock and no options at all', async () => {
  const client = new ResilientLlmClient(new MockLlmClient(1), { base: 1, factor: 1 })
  assert.equal(await client.chat({ prompt: 'hi' }), 'mock reply')
  assert.equal(client.lastAttempts, 2)
  await sleep(1)
})

test('one breaker can serve two clients of the same service', async () => {
  const breaker = new CircuitBreaker(2, 60000)
  const failing = new ResilientLlmClient(MockLlmClient.alwaysFailing(), { maxRetries: 0 }, breaker, 'x')
  const healthy = new MockLlmClient()
  const other = new ResilientLlmClient(healthy, {}, breaker, 'y')
  await failing.chat({})
  await failing.chat({})
  assert.equal(await other.chat({}), 'y')
  assert.equal(healthy.calls, 0)
})

// The six pitfalls

test('pitfall 1, retrying everything: a wrong key or a bad request is thrown at once', async () => {
  for (const [status, code] of [[400, 'bad_request'], [401, 'auth'], [403, 'auth'], [404, 'model_not_found'], [422, 'bad_request']]) {
    const inner = new Script(httpError(status))
    const { chat, breaker } = setUp(inner)
    await assert.rejects(chat(), { code, status, retryable: false })
    assert.deepEqual([inner.calls, breaker.consecutiveFailures], [1, 0], status)
  }
})

test('pitfall 1: classifyError tells what can be retried', () => {
  assert.deepEqual([429, 500, 502, 503, 504].map((status) => classifyError({ status }).retryable), [true, true, true, true, true])
  assert.deepEqual([400, 401, 403, 404, 422].map((status) => classifyError({ status }).retryable), [false, false, false, false, false])
})

test('pitfall 2, no jitter: many devices do not come back together', async () => {
  const delays = []
  for (let device = 0; device < 50; device++) {
    const config = { jitter: undefined, baseMs: 1000 }
    await setUp(new MockLlmClient(1), { config, onRetry: (e) => delays.push(e.delayMs) }).chat()
  }
  delays.forEach((delay) => assert.between(delay, 500, 1500))
  assert.ok(new Set(delays).size > 25, delays.join(' '))
})

test('pitfall 3, retries inside retries: with maxRetries 0 only the outer client retries', async () => {
  const mock = MockLlmClient.alwaysFailing()
  const clock = new ManualClock()
  const inner = new ResilientLlmClient(mock, { clock, maxRetries: 0 }, new CircuitBreaker(100), () => Promise.reject(new Error('no text')))
  const outer = new ResilientLlmClient({ chat: async (request) => ({ text: await inner.chat(request) }) }, { clock }, new CircuitBreaker(100), 'later')
  assert.equal(await drive(clock, outer.chat({})), 'later')
  assert.equal(mock.calls, 3)
})

test('pitfall 4, retries that do not count: the threshold is reached within one call', async () => {
  const mock = MockLlmClient.alwaysFailing()
  const { chat, breaker } = setUp(mock, { config: { maxRetries: 5 } })
  await chat()
  assert.deepEqual([mock.calls, breaker.state], [3, OPEN], 'the third failure ends the call')
})

test('pitfall 5, everything passes while half-open: of fifty calls at once one goes out', async () => {
  const inner = new Script(httpError(503), httpError(503), httpError(503), () => new Promise(() => {}))
  const { chat, client, clock } = setUp(inner)
  await chat()
  await clock.advanceAsync(5000)
  const calls = Array.from({ length: 50 }, () => client.execute({}))
  await clock.advanceAsync(0)
  assert.equal(inner.calls, 4)
  await clock.advanceAsync(60000)
  const outcomes = await Promise.all(calls)
  assert.equal(outcomes.filter((outcome) => outcome.stopReason === 'circuit_open').length, 50)
  assert.equal(outcomes.filter((outcome) => outcome.attempts === 1).length, 1)
})

const vague = /^(出错了|error)$/i
test('pitfall 6, a fallback that says nothing: the default says what happened and what to do, in Chinese', async () => {
  for (const locale of [undefined, 'zh']) {
    const { chat } = setUp(MockLlmClient.alwaysFailing(), { config: { locale } })
    const text = await chat()
    assert.match(text, /智能助手暂时不可用/)
    assert.match(text, /服务繁忙或正在维护/)
    assert.match(text, /请在 5 秒后重试/)
    assert.match(text, /联系人工/)
    assert.ok(!vague.test(text))
  }
})

test('pitfall 6: and in English', async () => {
  const text = await setUp(MockLlmClient.alwaysFailing()).chat()
  assert.equal(text, 'The assistant is temporarily unavailable: the service is overloaded or under maintenance. Please try again in 5 seconds, or contact support.')
})

test('pitfall 6: the default text differs with what went wrong', async () => {
  const causes = {
    timeout: [{ name: 'TimeoutError', code: 'ETIMEDOUT' }, /takes too long/, /超时/],
    connect: [{ code: 'ECONNREFUSED' }, /can't be reached/, /连接不上/],
    quota: [{ status: 402 }, /quota is used up. Please contact support/, /额度已用完。请联系人工客服/],
    offline: [{ class: 'offline' }, /offline. Please check the network/, /没有连接网络。请检查网络/],
    invalid_response: [null, /unreadable/, /无法识别/],
  }
  for (const [code, [fields, english, chinese]] of Object.entries(causes)) {
    const step = fields ? Object.assign(new Error('x'), fields) : { not: 'an answer' }
    for (const [locale, pattern] of [['en', english], ['zh', chinese]]) {
      const run = setUp(new Script(step), { config: { locale, maxRetries: 0 } })
      const outcome = await run.execute()
      assert.equal(outcome.error.code, code)
      assert.match(outcome.text, pattern)
    }
  }
})
