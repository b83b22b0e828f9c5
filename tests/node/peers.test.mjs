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

// Bulkhead and limiter

/** A bulkhead on a clock, and how to fill it. */
function bulkheadOf(config) {
  const clock = new ManualClock()
  const bulkhead = new lib.Bulkhead({ name: 'peers', ...config }, clock)
  const occupy = (options) => {
    const work = gate()
    const done = bulkhead.schedule(() => work.promise, options)
    done.catch(() => {})
    return { ...work, done }
  }
  return { clock, bulkhead, occupy }
}

test('I2 cockatiel#112: aborted waiters leave the queue', async () => {
  const { bulkhead, occupy } = bulkheadOf({ maxConcurrent: 1, maxQueue: 2 })
  const first = occupy()
  const cancelToken = new CancelToken()
  for (let i = 0; i < 2; i++) occupy({ cancelToken })
  cancelToken.cancel()
  const third = occupy()
  assert.equal(bulkhead.stats().queued, 1)
  first.open()
  third.open('ran')
  assert.equal(await third.done, 'ran')
})

test('I3 resilience4j#1569: timeout and end at the same moment, a thousand times: no place is given back twice', async () => {
  const { clock, bulkhead } = bulkheadOf({ maxConcurrent: 3 })
  for (let i = 0; i < 1000; i++) {
    const calls = [1, 2, 3].map(() => bulkhead.schedule(() => lib.cancellableSleep(10, undefined, { clock }), { timeoutMs: 10 }).catch(() => {}))
    assert.equal(bulkhead.stats().running, 3)
    await clock.advanceAsync(10)
    await Promise.all(calls)
    await settle()
  }
  const { running, queued, overrunning, done } = bulkhead.stats()
  assert.deepEqual([running, queued, overrunning, done], [0, 0, 0, 3000])
})

test('I5 bottleneck: work that ignores its timeout keeps its place, so that never more run than may', async () => {
  const { clock, bulkhead } = bulkheadOf({ maxConcurrent: 1 })
  let [running, most] = [0, 0]
  const slow = async () => {
    most = Math.max(most, ++running)
    await lib.cancellableSleep(200, undefined, { clock })
    running--
  }
  const calls = [1, 2, 3].map(() => bulkhead.schedule(slow, { timeoutMs: 50 }).catch((error) => error.code))
  await clock.advanceAsync(50)
  assert.equal(await calls[0], 'timeout')
  await clock.advanceAsync(1000)
  assert.deepEqual([await Promise.all(calls), most, bulkhead.stats().overrun], [['timeout', 'timeout', 'timeout'], 1, 3])
})

test('I6 failsafe#365: max 1, three calls: all run, in their order', async () => {
  const { bulkhead } = bulkheadOf({ maxConcurrent: 1 })
  const order = []
  await Promise.all([1, 2, 3].map((i) => bulkhead.schedule(async () => order.push(i))))
  assert.deepEqual(order, [1, 2, 3])
})

test('I7 bottleneck#153: no burst over the edge of a refresh', async () => {
  const { clock, bulkhead } = bulkheadOf({ reservoir: 5, reservoirRefreshInterval: 250 })
  clock.advance(240)
  const starts = []
  const calls = Array.from({ length: 10 }, () => bulkhead.schedule(async () => starts.push(clock.now())))
  await clock.advanceAsync(1000)
  await Promise.all(calls)
  for (const start of starts) assert.between(starts.filter((other) => start <= other && other < start + 250).length, 1, 5)
})

test('I8 resilience4j#1283: what cannot succeed in time is refused at once', async () => {
  const { clock, bulkhead } = bulkheadOf({ minTime: 10000 })
  await bulkhead.schedule(async () => {})
  const error = await assert.rejects(bulkhead.schedule(never, { maxWaitMs: 2000 }), Error)
  assert.deepEqual([error.code, error.retryAfterMs, clock.now()], ['bulkhead', 10000, 0])
})

test('I9 tower-resilience#363: five waiters, one start per 100 ms', async () => {
  const { clock, bulkhead } = bulkheadOf({ minTime: 100 })
  const starts = []
  await bulkhead.schedule(async () => {})
  const calls = Array.from({ length: 5 }, () => bulkhead.schedule(async () => starts.push(clock.now())))
  await clock.advanceAsync(1000)
  await Promise.all(calls)
  assert.deepEqual(starts, [100, 200, 300, 400, 500])
})

test('I10 Polly#2638: limits near 2^32 are refused by name', () => {
  for (const field of ['maxConcurrent', 'maxQueue']) assert.throws(() => bulkheadOf({ [field]: 2 ** 32 - 1 }), { code: 'INVALID_CONFIG', field })
})

test('I11 bottleneck#152: after any mix of endings it is empty and lets the next call in', async () => {
  const { clock, bulkhead } = bulkheadOf({ maxConcurrent: 3, maxQueue: 20, overrunGraceMs: 100 })
  const cancelToken = new CancelToken()
  const kinds = [
    [async () => 'ok'], [async () => { throw httpError(503) }], [() => { throw httpError(503) }],
    [() => lib.cancellableSleep(20, undefined, { clock }), { timeoutMs: 5 }], [never, { timeoutMs: 5 }], [() => lib.cancellableSleep(5, undefined, { clock }), { maxWaitMs: 3 }], [never, { cancelToken }],
  ]
  const calls = []
  for (let i = 0; i < 2000; i++) {
    calls.push(bulkhead.schedule(...kinds[(i * 7919) % kinds.length]).catch(() => {}))
    if (i % 10 === 0) await clock.advanceAsync(5)
  }
  cancelToken.cancel()
  await clock.advanceAsync(100000)
  await Promise.all(calls)
  await clock.advanceAsync(200)
  const { running, queued, overrunning } = bulkhead.stats()
  assert.deepEqual([running, queued, overrunning], [0, 0, 0])
  assert.equal(await bulkhead.schedule(async () => 'next'), 'next')
})

// opossum, by a breaker in its shape

/** A breaker whose calls do one step each, the last one again and again. */
function opossumLike(steps, options) {
  const clock = new ManualClock()
  let calls = 0
  const breaker = lib.createBreaker(async () => {
    const step = steps[Math.min(calls++, steps.length - 1)]
    if (step instanceof Error) throw step
    return typeof step === 'function' ? step() : step
  }, { clock, volumeThreshold: 1, resetTimeout: 1000, ...options })
  return { clock, breaker, fire: () => breaker.fire().catch((error) => error) }
}

test('A1 opossum#276: the minimum volume does not keep a probe from deciding', async () => {
  const { clock, breaker, fire } = opossumLike([httpError(503), httpError(503), httpError(503), 'x'], { volumeThreshold: 3 })
  for (let i = 0; i < 3; i++) await fire()
  await clock.advanceAsync(1000)
  await fire()
  assert.equal(breaker.closed, true)
})

test('B1 opossum#381: a success from before closes neither an open breaker nor a half-open one', async () => {
  const [early, probe] = [gate(), gate()]
  const { clock, breaker, fire } = opossumLike([() => early.promise, httpError(503), () => probe.promise], { timeout: 60000 })
  const [first] = [fire(), fire()]
  await settle()
  assert.equal(breaker.opened, true)
  await clock.advanceAsync(1000)
  const last = fire()
  early.open('late')
  assert.equal(await first, 'late')
  assert.equal(breaker.halfOpen, true)
  probe.open('x')
  await last
  assert.equal(breaker.closed, true)
})

test('C6 opossum: at the percentage it opens', async () => {
  const { breaker, fire } = opossumLike(['x', httpError(503), 'x', httpError(503)], { volumeThreshold: 4 })
  for (let i = 0; i < 4; i++) await fire()
  assert.equal(breaker.opened, true)
})

test('C7 opossum: calls in flight do not dilute the rate', async () => {
  const { breaker, fire } = opossumLike([...new Array(10).fill(never), httpError(503)], { volumeThreshold: 3 })
  for (let i = 0; i < 10; i++) fire()
  for (let i = 0; i < 3; i++) await fire()
  assert.equal(breaker.opened, true)
})

test('D6 opossum#45: local rejections are no failures of the service', async () => {
  const { bulkhead, occupy } = bulkheadOf({ maxConcurrent: 1, maxQueue: 0 })
  occupy()
  const { breaker, fire } = opossumLike([() => bulkhead.schedule(async () => 'x')])
  for (let i = 0; i < 10; i++) assert.equal((await fire()).code, 'bulkhead')
  assert.equal(breaker.closed, true)
})

test('H6 opossum#824: 0 means zero, or is refused', () => {
  for (const field of ['timeout', 'errorThresholdPercentage', 'volumeThreshold', 'rollingCountTimeout', 'rollingCountBuckets']) assert.throws(() => opossumLike([], { [field]: 0 }), { code: 'INVALID_CONFIG', field })
})

test('H6 opossum#824: a reset timeout of 0 is over at once', async () => {
  const { breaker, fire } = opossumLike([httpError(503), 'x'], { resetTimeout: 0 })
  await fire()
  assert.equal(breaker.opened, true)
  assert.equal(await fire(), 'x')
})

test('K1 opossum#198: after a timeout the fallback runs once, whatever the action does later', async () => {
  const late = gate()
  const { clock, breaker, fire } = opossumLike([() => late.promise], { timeout: 100 })
  let fallbacks = 0
  breaker.fallback(() => ++fallbacks)
  const call = fire()
  await clock.advanceAsync(100)
  assert.equal(await call, 1)
  late.fail(httpError(503))
  await settle()
  assert.equal(fallbacks, 1)
})

test('K5 opossum: a throwing listener does not turn success into failure', async () => {
  const { breaker, fire } = opossumLike(['x'])
  breaker.on('success', () => { throw new Error('x') })
  assert.deepEqual([await fire(), breaker.stats.successes, breaker.stats.listenerErrors], ['x', 1, 1])
})

test('K7 opossum#528: nothing is a result, too', async () => {
  for (const nothing of [undefined, null]) assert.equal(await opossumLike([nothing]).breaker.fire(), nothing)
})

test('table 2b 7: a breaker that is switched off rejects a promise, it does not throw', async () => {
  const { breaker } = opossumLike(['x'])
  breaker.shutdown()
  const call = breaker.fire()
  assert.ok(call instanceof Promise)
  await assert.rejects(call, { code: 'shutdown' })
})

// Metrics and registry

const named = (name, options) => lib.CircuitBreaker.named(`peers ${name}`, options)
const stateSeries = (name) => lib.prometheusText().split('\n').filter((line) => line.startsWith(`resilience_breaker_state{name="peers ${name}"`)).map((line) => line.replace(/.*state="(\w+)"\} /, '$1 '))

test('O2 nora#441: a closed breaker has its series from the start', () => {
  named('O2')
  assert.deepEqual(stateSeries('O2'), ['closed 1', 'open 0', 'half_open 0'])
})

test('O3 CrabTrap#13: exactly one state is on', () => {
  const breaker = named('O3', { failureThreshold: 1, cooldownMs: 0 })
  breaker.recordFailure()
  assert.deepEqual(stateSeries('O3'), ['closed 0', 'open 1', 'half_open 0'])
  const probe = breaker.tryAcquire()
  assert.deepEqual(stateSeries('O3'), ['closed 0', 'open 0', 'half_open 1'])
  probe.recordFailure()
  assert.deepEqual(stateSeries('O3'), ['closed 0', 'open 1', 'half_open 0'])
  breaker.reset()
})

test('O4 OmniRoute#4114 openclaw#105316: 10 000 names, 500 are kept, an open one among them', () => {
  const open = named('O4', { failureThreshold: 1, cooldownMs: 3600000 })
  open.recordFailure()
  for (let i = 0; i < 10000; i++) named('O4 ' + i)
  assert.between(lib.metrics().breakers.length, 490, 500)
  assert.deepEqual(stateSeries('O4'), ['closed 0', 'open 1', 'half_open 0'])
  open.reset()
})

test('O5 resilience4j#584: other settings for the same name are reported', () => {
  assert.deepEqual([named('O5', { failureThreshold: 2 }), named('O5', { failureThreshold: 3 })].map((breaker) => breaker.configMismatch), [false, true])
})
