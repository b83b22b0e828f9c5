// Faults that resilience libraries really had, through JavaScript. The numbers are those of the public threads.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, ContextScript, gate, httpError, never, setUp, settle } from './support/help.mjs'

const { BreakerState, CancelToken, ManualClock } = lib
const { CLOSED, OPEN, HALF_OPEN } = BreakerState
const answer = (text) => ({ text })

// Half-open and lost probes

test('A2 resilience4j#544 Polly#1979: a probe that ends neutral leaves the next call its place', async () => {
  const inner = new Script(httpError(503), httpError(400), httpError(400), answer('x'))
  const { execute, clock, breaker } = setUp(inner, { threshold: 1, config: { maxRetries: 0 } })
  await execute({})
  await clock.advanceAsync(5000)
  for (let i = 0; i < 2; i++) {
    assert.equal((await execute({})).error.code, 'bad_request')
    assert.equal(breaker.state, HALF_OPEN)
  }
  assert.equal((await execute({})).text, 'x')
  assert.equal(breaker.state, CLOSED)
})

test('A10 safe-client-gateway#3442: a hanging service sees one probe, not all the traffic', async () => {
  const inner = new Script(httpError(503), never)
  const { client, clock, breaker, execute } = setUp(inner, { threshold: 1, config: { maxRetries: 0, attemptTimeoutMs: 10000 } })
  await execute({})
  await clock.advanceAsync(5000)
  const calls = []
  for (let i = 0; i < 100; i++) {
    calls.push(client.execute({}))
    await clock.advanceAsync(100)
  }
  await Promise.all(calls)
  assert.deepEqual([inner.calls, breaker.state], [2, OPEN])
})

test('A11 gptme-contrib#1681: looking at it takes no probe', async () => {
  const { execute, clock, breaker, client } = setUp(new Script(httpError(503), answer('x')), { threshold: 1, config: { maxRetries: 0 } })
  await execute({})
  await clock.advanceAsync(5000)
  for (let i = 0; i < 5; i++) JSON.stringify([breaker.state, breaker.stats, breaker.retryAfterMs, breaker, client.breakerState])
  assert.equal((await execute({})).text, 'x')
  assert.equal(breaker.state, CLOSED)
})

test('A12 Polly#216 217 218: failures in flight open it once', async () => {
  const gates = Array.from({ length: 5 }, gate)
  let next = 0
  const { client, breaker, clock } = setUp({ chat: () => gates[next++].promise }, { threshold: 2, config: { maxRetries: 0 } })
  const opened = []
  breaker.onStateChange((event) => opened.push([event.to, event.atMs]))
  const calls = gates.map(() => client.execute({}))
  for (const gate of gates) {
    await clock.advanceAsync(10)
    gate.fail(httpError(503))
    await settle()
  }
  await Promise.all(calls)
  assert.deepEqual(opened, [[OPEN, 20]])
  assert.deepEqual([breaker.stats.failures, breaker.stats.stale], [2, 3])
})

// Results of an older era

const overtaken = async (lateResult) => {
  const [slow, probe] = [gate(), gate()]
  const { client, clock, breaker } = setUp({ chat: (request) => request.promise }, { config: { maxRetries: 0 } })
  const late = client.execute({ promise: slow.promise })
  for (let i = 0; i < 3; i++) await client.execute({ promise: Promise.reject(httpError(503)) })
  await clock.advanceAsync(5000)
  const probing = client.execute({ promise: probe.promise })
  assert.equal(breaker.state, HALF_OPEN)
  lateResult(slow)
  return { breaker, probe, probing, late: await late }
}

test('B1 opossum#381: a success from before it opened closes nothing; its caller still gets the answer', async () => {
  const { breaker, late, probe, probing } = await overtaken((slow) => slow.open(answer('late')))
  assert.deepEqual([breaker.state, late.text, breaker.stats.stale], [HALF_OPEN, 'late', 1])
  probe.open(answer('x'))
  await probing
  assert.equal(breaker.state, CLOSED)
})

test('B2 brpc#3532: a failure from before it opened opens nothing again', async () => {
  const { breaker, late, probe, probing } = await overtaken((slow) => slow.fail(httpError(503)))
  assert.deepEqual([breaker.state, late.error.status], [HALF_OPEN, 503])
  probe.open(answer('x'))
  await probing
  assert.deepEqual([breaker.state, breaker.consecutiveFailures], [CLOSED, 0])
})

test('B3: a call that was in flight during a reset counts no more', async () => {
  const slow = gate()
  const { client, breaker } = setUp({ chat: () => slow.promise }, { threshold: 1, config: { maxRetries: 0 } })
  const call = client.execute({})
  breaker.reset()
  slow.fail(httpError(503))
  await call
  assert.deepEqual([breaker.state, breaker.consecutiveFailures], [CLOSED, 0])
})

// What counts

test('D1 OmniRoute#7907 resilience4j#682: what the user cancels says nothing about the service; a timeout does', async () => {
  const { client, breaker, execute } = setUp({ chat: never }, { config: { maxRetries: 0 } })
  for (let i = 0; i < 10; i++) {
    const cancelToken = new CancelToken()
    const call = client.execute({}, { cancelToken })
    cancelToken.cancel()
    assert.equal((await call).status, 'cancelled')
  }
  assert.deepEqual([breaker.state, breaker.consecutiveFailures, breaker.stats.neutral], [CLOSED, 0, 10])
  await execute({})
  assert.equal(breaker.consecutiveFailures, 1)
})

test('D2 brpc#3532: a cancelled probe neither closes nor opens', async () => {
  const { client, clock, breaker, execute } = setUp(new Script(httpError(503), never), { threshold: 1, config: { maxRetries: 0 } })
  await execute({})
  await clock.advanceAsync(5000)
  const cancelToken = new CancelToken()
  const call = client.execute({}, { cancelToken })
  cancelToken.cancel()
  await call
  assert.deepEqual([breaker.state, breaker.tryAcquire().isProbe], [HALF_OPEN, true])
})

test('D3 vllm-router#60: mistakes of the caller open nothing', async () => {
  const { execute, breaker } = setUp(new Script(httpError(400)))
  for (let i = 0; i < 10; i++) await execute({})
  assert.deepEqual([breaker.state, breaker.stats.failures], [CLOSED, 0])
})

test('D4 voidllm#185: a neutral result forgets no failure', async () => {
  const { execute, breaker } = setUp(new Script(httpError(503), httpError(503), httpError(400), httpError(503)), { config: { maxRetries: 0 } })
  for (let i = 0; i < 4; i++) await execute({})
  assert.equal(breaker.state, OPEN)
})

test('D7 promptfoo#10855: no money, no retry', async () => {
  const inner = new Script(httpError(429, { body: { error: { type: 'insufficient_quota', code: 'credit_balance_exhausted' } } }))
  const { execute, breaker } = setUp(inner)
  assert.equal((await execute({})).error.code, 'quota')
  assert.deepEqual([inner.calls, breaker.retryAfterMs], [1, 600000])
})

// Attempts and deadlines

test('H2 p-retry#71 cockatiel#69: one token through a hundred calls of three attempts keeps no listener', async () => {
  const inner = new ContextScript(httpError(503))
  const { execute } = setUp(inner, { threshold: 1e6, config: { baseMs: 0, budget: { capacity: 10000 } } })
  const cancelToken = new CancelToken()
  let told = 0
  const id = cancelToken.onCancel(() => told++)
  for (let i = 0; i < 100; i++) assert.equal((await execute({}, { cancelToken })).attempts, 3)
  cancelToken.cancel()
  assert.deepEqual([told, cancelToken.offCancel(id)], [1, false])
  inner.contexts.forEach((context) => assert.equal(context.cancelToken.cancelled, false, 'all of them are over'))
})

test('H7 p-retry#11 65: attempts are counted from one, and the last has no delay', async () => {
  const { trace } = await setUp(new Script(httpError(503))).execute({})
  assert.deepEqual(trace.map((entry) => [entry.attempt, entry.delayMs]), [[1, 100], [2, 200], [3, undefined]])
})

test('H9 Polly#2375: cancelled before, during or between attempts: one word', async () => {
  const words = []
  for (const cancelAt of ['before', 'during', 'between']) {
    const { client, clock } = setUp(new Script(cancelAt === 'during' ? never : httpError(503)))
    const cancelToken = new CancelToken()
    if (cancelAt === 'before') cancelToken.cancel()
    const call = client.execute({}, { cancelToken })
    await clock.advanceAsync(10)
    cancelToken.cancel()
    const outcome = await call
    words.push(outcome.status, outcome.stopReason, outcome.error.code)
  }
  assert.deepEqual(new Set(words), new Set(['cancelled']))
})

test('H10 aws-sdk-js-v3#4754: a call begins anew, whatever the one before went through', async () => {
  const delays = []
  const inner = new Script(httpError(503), httpError(503), answer('x'), httpError(503), answer('y'))
  const { execute } = setUp(inner, { onRetry: (event) => delays.push([event.attempt, event.delayMs]) })
  await execute({})
  await execute({})
  assert.deepEqual(delays, [[1, 100], [2, 200], [1, 100]])
})

// Callbacks and fallback

test('K1 opossum#198: the fallback runs once, also when the client fails after its timeout', async () => {
  const late = gate()
  let fallbacks = 0
  const { execute } = setUp({ chat: () => late.promise }, { threshold: 1, fallback: () => 'later ' + ++fallbacks, config: { maxRetries: 0, attemptTimeoutMs: 100 } })
  const outcome = await execute({})
  late.fail(httpError(503))
  await settle()
  assert.deepEqual([outcome.text, fallbacks], ['later 1', 1])
})

test('K2 opossum#100 547: a fallback that throws keeps the cause, and the record says both', async () => {
  const cause = httpError(503)
  const { execute, chat } = setUp(new Script(cause), { threshold: 100, fallback: () => { throw new Error('no text') }, config: { maxRetries: 0 } })
  const outcome = await execute({})
  assert.deepEqual([outcome.status, outcome.error.status, outcome.fallbackError], ['error', 503, 'no text'])
  assert.equal((await assert.rejects(chat({}), { code: 'overloaded' })).cause, cause)
})

test('K3 diehard#4: an empty fallback is a fallback', async () => {
  const { execute, chat, client } = setUp(new Script(httpError(503)), { fallback: '' })
  const outcome = await execute({})
  assert.deepEqual([outcome.text, outcome.status, outcome.usedFallback, await chat({}), client.usedFallback], ['', 'fallback', true, '', true])
})

test('K5 tower-resilience#42 126: a listener that throws costs the call nothing', async () => {
  const bad = () => {
    throw new Error('listener')
  }
  const { execute, client, breaker } = setUp(new Script(httpError(503), httpError(503), answer('x')), { threshold: 2, onRetry: bad, config: { maxRetries: 1 } })
  breaker.onStateChange(bad)
  assert.equal((await execute({})).status, 'fallback')
  assert.deepEqual([client.listenerErrors, breaker.stats.listenerErrors, breaker.state], [1, 1, OPEN])
  const good = setUp(new Script(httpError(503), answer('x')), { onRetry: bad })
  assert.equal(await good.chat({}), 'x')
  assert.equal(good.client.listenerErrors, 1)
})

test('K6 gobreaker#72: the event tells the count that led to it', () => {
  const clock = new ManualClock()
  const breaker = new lib.CircuitBreaker(3, 1000, () => clock.now())
  const counts = []
  breaker.onStateChange((event) => counts.push(event.failures))
  for (let i = 0; i < 3; i++) breaker.recordFailure()
  assert.deepEqual(counts, [3])
})

test('K7 opossum#528: an empty answer is an answer', async () => {
  const { execute, chat } = setUp(new Script(answer('')))
  const outcome = await execute({})
  assert.deepEqual([outcome.status, outcome.text, outcome.response, await chat({})], ['ok', '', answer(''), ''])
})
