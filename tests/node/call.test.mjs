// One call from start to end: what its record says, deadlines, budget, Retry-After, jitter, the fallback.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, ContextScript, httpError, never, setUp, drive, settle } from './support/help.mjs'

const { BreakerState, CancelToken, CircuitBreaker, ManualClock, MockLlmClient, ResilientLlmClient } = lib
const { CLOSED, OPEN } = BreakerState
const answer = (text) => ({ text })
const failing = () => new Script(httpError(503))

/** The fields of a record that are set. */
const set = (record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

// The record

test('the whole record of a success', async () => {
  const reply = answer('fine')
  const outcome = await setUp(new Script(reply)).execute({}, { requestId: 'r1' })
  assert.deepEqual(set(outcome), {
    status: 'ok',
    text: 'fine',
    usedFallback: false,
    degraded: false,
    passedOver: [],
    attempts: 1,
    stopReason: 'success',
    requestId: 'r1',
    elapsedMs: 0,
    maybeBilled: false,
    trace: outcome.trace,
    response: reply,
  })
  assert.deepEqual(outcome.trace.map(set), [
    { attempt: 1, ok: true, message: '', startedAtMs: 0, durationMs: 0, breakerState: CLOSED, probe: false, maybeBilled: false },
  ])
})

test('the whole record of a call that opens the breaker and ends with the fallback', async () => {
  const inner = new Script(httpError(503), httpError(503, { headers: { 'retry-after': 'soon' } }), httpError(529, { retryAfterMs: 7000 }))
  const outcome = await setUp(inner, { fallback: 'later' }).execute({}, { requestId: 'r2' })
  const error = {
    code: 'overloaded',
    message: '529 from the test',
    retryable: true,
    status: 529,
    retryAfterMs: 7000,
    retryAfterSource: 'explicit',
    maybeBilled: false,
    reachesCaller: false,
  }
  assert.deepEqual(set({ ...outcome, error: set(outcome.error), trace: outcome.trace.map(set) }), {
    status: 'fallback',
    text: 'later',
    usedFallback: true,
    degraded: true,
    passedOver: [],
    attempts: 3,
    stopReason: 'attempts',
    error,
    cause: 'overloaded',
    retryAfterMs: 7000,
    requestId: 'r2',
    elapsedMs: 300,
    maybeBilled: false,
    trace: [
      { attempt: 1, ok: false, code: 'overloaded', status: 503, message: '503 from the test', startedAtMs: 0, durationMs: 0, delayMs: 100, delaySource: 'backoff', breakerState: CLOSED, probe: false, maybeBilled: false },
      { attempt: 2, ok: false, code: 'overloaded', status: 503, message: '503 from the test', startedAtMs: 100, durationMs: 0, delayMs: 200, delaySource: 'backoff', retryAfterMalformed: 'soon', breakerState: CLOSED, probe: false, maybeBilled: false },
      { attempt: 3, ok: false, code: 'overloaded', status: 529, message: '529 from the test', startedAtMs: 300, durationMs: 0, retryAfterMs: 7000, breakerState: OPEN, probe: false, maybeBilled: false },
    ],
  })
})

test('every field of a record is there, set or not', async () => {
  const outcome = await setUp(new Script(answer('x'))).execute({})
  const fields = ['status', 'text', 'usedFallback', 'attempts', 'stopReason', 'requestId', 'elapsedMs', 'maybeBilled', 'trace']
  fields.forEach((field) => assert.ok(Object.keys(outcome).includes(field), field))
  for (const field of ['error', 'cause', 'fallbackError', 'retryAfterMs']) assert.equal(outcome[field], undefined)
})

/** An inner client that takes time on the clock. */
const slow = (clock, latencies, steps) => {
  let call = 0
  return {
    chat: async () => {
      await new MockLlmClient(0, { latencyMs: latencies[call % latencies.length], clock }).chat({})
      const step = steps[Math.min(call++, steps.length - 1)]
      if (step instanceof Error) throw step
      return step
    },
  }
}

test('the trace adds up: each attempt starts where the wait before it ends, and the last ends with the call', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const clock = new ManualClock()
    const inner = slow(clock, [seed * 13, seed * 7, 1], [httpError(503), httpError(500), httpError(502), answer('x')])
    const client = new ResilientLlmClient(inner, { clock, maxRetries: 5, baseMs: 37 * seed }, new CircuitBreaker(100))
    const { trace, elapsedMs, attempts } = await drive(clock, client.execute({}))
    assert.equal(attempts, 4)
    let end = 0
    trace.forEach((entry, i) => {
      assert.equal(entry.attempt, i + 1)
      assert.between(Math.abs(entry.startedAtMs - end), 0, 0.005)
      end = entry.startedAtMs + entry.durationMs + (entry.delayMs || 0)
    })
    assert.equal(trace[3].delayMs, undefined, 'no wait after the last attempt')
    assert.between(Math.abs(elapsedMs - end), 0, 0.005)
  }
})

test('lastAttempts and usedFallback are those of the latest finished call', async () => {
  const { client, clock } = setUp({ chat: (request) => (request.fail ? Promise.reject(httpError(503)) : request.reply) }, { threshold: 100 })
  const first = client.execute({ fail: true })
  const second = client.execute({ reply: answer('x') })
  await second
  assert.deepEqual([client.lastAttempts, client.usedFallback], [1, false])
  await drive(clock, first)
  assert.deepEqual([client.lastAttempts, client.usedFallback], [3, true])
})

// Retries

test('maxRetries counts what follows the first attempt', async () => {
  for (const maxRetries of [0, 1, 2, 7]) {
    const inner = failing()
    const outcome = await setUp(inner, { threshold: 1000, config: { maxRetries } }).execute({})
    assert.deepEqual([inner.calls, outcome.attempts, outcome.stopReason], [maxRetries + 1, maxRetries + 1, 'attempts'])
  }
})

test('zero means zero: no wait, no retry, no jitter', async () => {
  const inner = failing()
  const outcome = await setUp(inner, { threshold: 1000, config: { baseMs: 0, jitter: 'additive', jitterMs: 0 } }).execute({})
  assert.deepEqual([outcome.elapsedMs, outcome.trace[0].delayMs], [0, 0])
  const still = await setUp(failing(), { threshold: 1000, config: { baseMs: 100, jitter: 'multiplicative', jitterSpread: 0 } }).execute({})
  assert.equal(still.elapsedMs, 300)
})

test('every kind of jitter, for several chances', async () => {
  const waits = async (jitter, rng, more) => {
    const config = { jitter, rng, baseMs: 1000, maxRetries: 3, maxMs: 10000, ...more }
    const outcome = await setUp(failing(), { threshold: 100, config }).execute({})
    return outcome.trace.slice(0, 3).map((entry) => Math.round(entry.delayMs))
  }
  const [low, middle, high] = [() => 0, () => 0.5, () => 0.75]
  assert.deepEqual(await waits('none', high), [1000, 2000, 4000])
  assert.deepEqual(await waits('multiplicative', low), [500, 1000, 2000])
  assert.deepEqual(await waits('multiplicative', high), [1250, 2500, 5000])
  assert.deepEqual(await waits('multiplicative', low, { jitterSpread: 0.25 }), [750, 1500, 3000])
  assert.deepEqual(await waits('full', low), [0, 0, 0])
  assert.deepEqual(await waits('full', middle), [500, 1000, 2000])
  assert.deepEqual(await waits('equal', low), [500, 1000, 2000])
  assert.deepEqual(await waits('equal', high), [875, 1750, 3500])
  assert.deepEqual(await waits('additive', high, { jitterMs: 300 }), [1225, 2225, 4225])
  assert.deepEqual(await waits('additive', high), [1375, 2375, 4375])
  assert.deepEqual(await waits('decorrelated', low), [1000, 1000, 1000])
  assert.deepEqual(await waits('decorrelated', high), [2500, 5875, 7750])
})

test('the cap is hard, jitter included', async () => {
  const config = { baseMs: 1000, factor: 10, maxMs: 2500, maxRetries: 8, jitter: undefined, deadlineMs: 1e9 }
  const outcome = await setUp(failing(), { threshold: 100, config }).execute({})
  outcome.trace.slice(0, -1).forEach((entry) => assert.between(entry.delayMs, 500, 2500))
})

test('base is the same as baseMs, which wins', async () => {
  const wait = async (config) => (await setUp(failing(), { config })).execute({}).then((outcome) => outcome.trace[0].delayMs)
  assert.equal(await wait({ baseMs: undefined, base: 70 }), 70)
  assert.equal(await wait({ baseMs: 30, base: 70 }), 30)
})

test('every class ends as the table says', async () => {
  const rows = {
    rate_limit: 'retried', overloaded: 'retried', server: 'retried', timeout: 'retried', connect: 'retried', interrupted: 'retried', unknown: 'retried',
    quota: 'once', invalid_response: 'once', offline: 'once',
    auth: 'thrown', model_not_found: 'thrown', context_length: 'thrown', content_filter: 'thrown', bad_request: 'thrown', protocol: 'thrown', client_bug: 'thrown',
  }
  for (const [code, row] of Object.entries(rows)) {
    const inner = new Script(Object.assign(new Error('x'), { class: code }))
    const { execute, chat } = setUp(inner, { threshold: 100 })
    const outcome = await execute({})
    assert.deepEqual([outcome.error.code, outcome.attempts], [code, row === 'retried' ? 3 : 1])
    assert.deepEqual([outcome.status, outcome.error.reachesCaller], row === 'thrown' ? ['error', true] : ['fallback', false], code)
    if (row === 'thrown') await assert.rejects(chat({}), { code })
    else assert.match(await chat({}), /temporarily unavailable/)
  }
})

test('an error may say by itself whether to retry', async () => {
  const no = new Script(httpError(503, { retryable: false }))
  assert.deepEqual((await setUp(no).execute({})).stopReason, 'not_retryable')
  const yes = new Script(httpError(400, { retryable: true }), answer('x'))
  assert.equal((await setUp(yes).execute({})).status, 'ok')
})

test('retryUnsafe false: what may have been billed is not sent again', async () => {
  const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  for (const [retryUnsafe, attempts] of [[true, 3], [false, 1]]) {
    const outcome = await setUp(new Script(reset), { threshold: 100, config: { retryUnsafe } }).execute({})
    assert.deepEqual([outcome.attempts, outcome.maybeBilled, outcome.error.code], [attempts, true, 'interrupted'])
  }
})

// Deadlines

test('no wait is begun that would end after the deadline; the error is the last one', async () => {
  const outcome = await setUp(failing(), { config: { baseMs: 500, deadlineMs: 1400, maxRetries: 9 }, threshold: 100 }).execute({})
  assert.deepEqual([outcome.stopReason, outcome.elapsedMs, outcome.attempts, outcome.error.status], ['deadline', 500, 2, 503])
})

test('an attempt gets what is left of the call', async () => {
  const inner = new ContextScript(never)
  const outcome = await setUp(inner, { config: { baseMs: 50, deadlineMs: 1000, attemptTimeoutMs: 800 } }).execute({})
  assert.deepEqual(inner.contexts.map((context) => context.timeoutMs), [800, 150])
  assert.deepEqual([outcome.elapsedMs, outcome.stopReason, outcome.error.code], [1000, 'deadline', 'timeout'])
})

test('the deadline of one call shortens, and never lengthens', async () => {
  const { execute } = setUp({ chat: never }, { threshold: 100, config: { maxRetries: 0, attemptTimeoutMs: 9000, deadlineMs: 2000 } })
  assert.equal((await execute({}, { deadlineMs: 300 })).elapsedMs, 300)
  assert.equal((await execute({}, { deadlineMs: 1e6 })).elapsedMs, 2000)
})

// Budget

test('an empty budget: no retries', async () => {
  const inner = failing()
  const outcome = await setUp(inner, { config: { budget: { capacity: 0 } } }).execute({})
  assert.deepEqual([inner.calls, outcome.stopReason, outcome.error.status], [1, 'budget', 503])
})

test('the budget is that of the client, not of the call; calls and time fill it', async () => {
  const budget = { capacity: 3, perCall: 0, perMinute: 1 }
  const { execute, clock } = setUp(failing(), { threshold: 1000, config: { budget } })
  assert.equal((await execute({})).attempts, 3)
  assert.equal((await execute({})).attempts, 2)
  assert.equal((await execute({})).attempts, 1)
  await clock.advanceAsync(60000)
  assert.equal((await execute({})).attempts, 2)
  const generous = setUp(failing(), { threshold: 1000, config: { budget: { capacity: 2, perCall: 2, perMinute: 0 } } })
  for (let i = 0; i < 5; i++) assert.equal((await generous.execute({})).attempts, 3)
})

// Retry-After

test('Retry-After is waited for when it is longer than the backoff, whole', async () => {
  const inner = new Script(httpError(429, { headers: { 'Retry-After': '20' } }), answer('x'))
  const outcome = await setUp(inner).execute({})
  const [first] = outcome.trace
  assert.deepEqual([first.delayMs, first.delaySource, first.retryAfterMs, outcome.elapsedMs], [20000, 'retry_after', 20000, 20000])
})

test('a shorter Retry-After leaves the backoff', async () => {
  const inner = new Script(httpError(429, { retryAfterMs: 30 }), answer('x'))
  const [first] = (await setUp(inner).execute({})).trace
  assert.deepEqual([first.delayMs, first.delaySource, first.retryAfterMs], [100, 'backoff', 30])
})

test('Retry-After at the limit is waited for, one second more ends the call at once', async () => {
  for (const [seconds, attempts, reason] of [[60, 2, 'success'], [61, 1, 'retry_after_too_long']]) {
    const inner = new Script(httpError(429, { headers: { 'retry-after': String(seconds) } }), answer('x'))
    const outcome = await setUp(inner).execute({})
    assert.deepEqual([outcome.attempts, outcome.stopReason, outcome.retryAfterMs], [attempts, reason, seconds === 61 ? 61000 : undefined])
  }
})

test('a Retry-After of a month: no wait, no retry, and the month in the record', async () => {
  const outcome = await setUp(new Script(httpError(429, { headers: { 'retry-after': '2592000' } }))).execute({})
  assert.deepEqual([outcome.stopReason, outcome.elapsedMs, outcome.retryAfterMs], ['retry_after_too_long', 0, 2592000000])
})

test('Retry-After holds for the next call as well', async () => {
  const inner = new Script(httpError(429, { retryAfterMs: 20000 }), answer('x'))
  const { execute, clock, breaker } = setUp(inner, { config: { maxRetries: 0 } })
  await execute({})
  assert.deepEqual([breaker.state, breaker.retryAfterMs], [CLOSED, 20000])
  await clock.advanceAsync(1000)
  const next = await execute({})
  assert.deepEqual([next.stopReason, next.attempts, next.retryAfterMs, inner.calls], ['retry_after', 0, 19000, 1])
  await clock.advanceAsync(19000)
  assert.equal((await execute({})).text, 'x')
})

test('Retry-After of a mock', async () => {
  const clock = new ManualClock()
  const mock = new MockLlmClient(1, { retryAfterMs: 2500, status: 429, message: 'slow down', reply: 'thanks', clock })
  const client = new ResilientLlmClient(mock, { clock, retryAfterSpread: 0 }, new CircuitBreaker(3, 5000, () => clock.now()))
  const outcome = await drive(clock, client.execute({}))
  assert.deepEqual([outcome.text, outcome.elapsedMs, outcome.trace[0].message, outcome.trace[0].code], ['thanks', 2500, 'slow down', 'rate_limit'])
})

test('an empty account opens the breaker at once and for long', async () => {
  const { execute, breaker } = setUp(new Script(httpError(402)))
  const outcome = await execute({})
  assert.deepEqual([outcome.error.code, outcome.attempts, breaker.state, breaker.retryAfterMs], ['quota', 1, OPEN, 600000])
  const short = setUp(new Script(httpError(402)), { config: { quotaCooldownMs: 0 } })
  await short.execute({})
  assert.deepEqual([short.breaker.state, short.breaker.retryAfterMs], [OPEN, 5000], 'not shorter than the cooldown')
})

test('the provider decides what a code means', async () => {
  const error = () => new Script(Object.assign(new Error('x'), { status: 400, body: { error: { code: '1113', message: 'x' } } }))
  assert.equal((await setUp(error(), { config: { provider: 'zhipu' } }).execute({})).error.code, 'quota')
})

// The breaker inside a call

test('a breaker that opens during the call ends it, without another wait', async () => {
  const { execute, breaker } = setUp(failing(), { threshold: 2 })
  const outcome = await execute({})
  assert.deepEqual([outcome.attempts, outcome.stopReason, outcome.elapsedMs, breaker.state], [2, 'circuit_open', 100, OPEN])
  assert.deepEqual([outcome.error.status, outcome.trace[1].delayMs], [503, undefined])
})

test('a call that the breaker rejects has no error, and says when to come back', async () => {
  const { execute, clock } = setUp(failing(), { threshold: 1 })
  await execute({})
  await clock.advanceAsync(1200)
  const outcome = await execute({})
  assert.deepEqual([outcome.status, outcome.attempts, outcome.error, outcome.retryAfterMs, outcome.trace], ['fallback', 0, undefined, 3800, []])
})

test('an isolated breaker gives no time to come back', async () => {
  const { execute, breaker } = setUp(failing())
  breaker.isolate()
  const outcome = await execute({})
  assert.deepEqual([outcome.stopReason, outcome.retryAfterMs], ['circuit_open', undefined])
})

test('the probe is one attempt and marked as such', async () => {
  const inner = failing()
  const { execute, clock } = setUp(inner, { threshold: 1, config: { maxRetries: 5 } })
  await execute({})
  await clock.advanceAsync(5000)
  const outcome = await execute({})
  assert.deepEqual([outcome.attempts, outcome.trace[0].probe, outcome.trace[0].breakerState], [1, true, OPEN])
})

// The fallback

const withFallback = (fallback, more) => setUp(failing(), { fallback, config: { maxRetries: 0, ...more } })

test('a fallback text may be anything, also nothing', async () => {
  for (const text of ['', ' ', '请稍后重试', 'x'.repeat(100000)]) {
    const { chat, execute } = withFallback(text)
    assert.equal(await chat({}), text)
    const outcome = await execute({})
    assert.deepEqual([outcome.text, outcome.status, outcome.usedFallback], [text, 'fallback', true])
  }
})

test('a fallback function gives the text at once, as a promise, or as a thenable', async () => {
  for (const fallback of [() => 'text', async () => 'text', () => ({ then: (resolve) => resolve('text') })]) {
    assert.equal(await withFallback(fallback).chat({}), 'text')
  }
})

test('a fallback function is told what happened, and the built-in text', async () => {
  const told = []
  const { execute } = setUp(failing(), { threshold: 1, fallback: (failure) => (told.push(failure), 'x') })
  await execute({})
  await execute({})
  assert.deepEqual(told.map((failure) => [failure.stopReason, failure.error && failure.error.code, failure.cause, failure.retryAfterMs]), [
    ['circuit_open', 'overloaded', 'overloaded', 5000],
    ['circuit_open', undefined, 'overloaded', 5000],
  ])
  assert.match(told[0].defaultText, /^The assistant is temporarily unavailable/)
})

const brokenFallbacks = [
  ['throws', () => { throw new Error('no text') }, 'no text'],
  ['rejects', () => Promise.reject(new Error('no text')), 'no text'],
  ['throws a string', () => { throw 'no text' }, 'no text'],
  ['throws undefined', () => { throw undefined }, /undefined/],
  ['gives undefined', () => undefined, 'the fallback must give a string, got undefined'],
  ['gives null', () => null, 'the fallback must give a string, got null'],
  ['gives a number', async () => 5, 'the fallback must give a string, got a number'],
  ['gives an object', () => ({ text: 'x' }), 'the fallback must give a string, got an object'],
  ['hangs', never, 'the fallback gave no text within 3000 ms'],
]
for (const [name, fallback, said] of brokenFallbacks) {
  test(`a fallback function that ${name}: an error with its cause, and what the fallback did`, async () => {
    const { execute, chat, client } = withFallback(fallback, { attemptTimeoutMs: 3000 })
    const outcome = await execute({})
    assert.deepEqual([outcome.status, outcome.text, outcome.usedFallback, outcome.error.code], ['error', '', false, 'overloaded'])
    if (said instanceof RegExp) assert.match(outcome.fallbackError, said)
    else assert.equal(outcome.fallbackError, said)
    assert.equal(client.usedFallback, false)
    await assert.rejects(chat({}), { code: 'overloaded', status: 503 })
  })
}

test('a rejected call whose fallback fails: chat() rejects with a code all the same', async () => {
  const { execute, chat, breaker } = withFallback(() => Promise.reject(new Error('no text')))
  breaker.isolate()
  const outcome = await execute({})
  assert.deepEqual([outcome.status, outcome.error, outcome.fallbackError], ['error', undefined, 'no text'])
  await assert.rejects(chat({}), { code: 'unknown', message: 'no text', retryable: true })
})

test('the fallback is not asked for an answer, for an error of the caller, or for a cancelled call', async () => {
  let asked = 0
  const fallback = () => (asked++, 'x')
  await setUp(new Script(answer('x')), { fallback }).chat({})
  await setUp(new Script(httpError(401)), { fallback }).execute({})
  const cancelToken = new CancelToken()
  cancelToken.cancel()
  await setUp(failing(), { fallback }).execute({}, { cancelToken })
  assert.equal(asked, 0)
})

test('a cancel ends a fallback that hangs', async () => {
  const { client } = withFallback(never)
  const cancelToken = new CancelToken()
  const call = client.execute({}, { cancelToken })
  await settle()
  cancelToken.cancel()
  const outcome = await call
  assert.deepEqual([outcome.status, outcome.stopReason, outcome.error.code, outcome.usedFallback], ['cancelled', 'cancelled', 'cancelled', false])
})

test('the chat of a client is a promise from its first moment, and execute rejects only for its own arguments', async () => {
  const { client } = setUp({ chat() { throw httpError(401) } })
  const call = client.chat({})
  assert.ok(call instanceof Promise)
  await assert.rejects(call, { code: 'auth' })
  await assert.rejects(client.execute({}, 5), { code: 'INVALID_ARGUMENT' })
})
