// createBreaker: a breaker around one function, in the shape of opossum as article 004 uses it.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { gate, httpError, never, settle } from './support/help.mjs'

const { BreakerWithEvents, CancelToken, CircuitBreaker, ManualClock, createBreaker, getBreakerState } = lib

/** A breaker around a script of steps: errors are thrown, the last step is repeated. */
function setUp(steps, options) {
  const clock = new ManualClock()
  const run = { clock, calls: 0, events: [] }
  run.breaker = createBreaker(async (...args) => {
    const step = steps[Math.min(run.calls++, steps.length - 1)]
    if (step instanceof Error) throw step
    return typeof step === 'function' ? step(...args) : step
  }, { clock, ...options })
  for (const event of ['open', 'halfOpen', 'close', 'fire', 'success', 'failure', 'timeout', 'reject', 'fallback']) run.breaker.on(event, () => run.events.push(event))
  run.fire = (...args) => run.breaker.fire(...args).catch((error) => error)
  return run
}

const down = httpError(503)
const fire = async (run, times) => { for (let i = 0; i < times; i++) await run.fire() }

test('only createBreaker makes one', () => {
  assert.throws(() => new BreakerWithEvents(), { code: 'INVALID_CONFIG' })
  assert.ok(createBreaker(async () => {}) instanceof BreakerWithEvents)
})

test('arguments and result go through as they are', async () => {
  const given = []
  const breaker = createBreaker(async function () { given.push([...arguments]); return given[given.length - 1] })
  for (const args of [[], ['x'], [{ a: 1 }, null, NaN, '\ud800'], [1, undefined, 3], [1, 2, 3, 4, 5, 6, 7, 8]]) {
    const result = await breaker.fire(...args)
    assert.deepEqual([given.pop(), result], [args, args])
  }
  assert.equal(await createBreaker(() => 5).fire(), 5)
})

test('more than 8 arguments are refused, not dropped', async () => {
  const breaker = createBreaker(async () => assert.fail('called'))
  const error = await assert.rejects(breaker.fire(1, 2, 3, 4, 5, 6, 7, 8, 9), { code: 'INVALID_ARGUMENT', field: 'args' })
  assert.equal(error.message, 'args: got 9, allowed: at most 8 arguments')
})

test('what the action throws is what fire rejects with', async () => {
  for (const error of [down, 'text', undefined, 7]) {
    const fails = createBreaker(() => { throw error })
    let thrown = 'nothing'
    await fails.fire().catch((caught) => (thrown = caught))
    assert.equal(thrown, error)
  }
})

test("the article's figures: half of at least 3 calls within 10 s open it, a probe goes out after 5 s", async () => {
  const run = setUp([down, 'x', down, 'x'])
  await fire(run, 2)
  assert.equal(getBreakerState(run.breaker), 'closed', 'two calls are too few')
  await fire(run, 1)
  assert.equal(getBreakerState(run.breaker), 'open')
  await run.clock.advanceAsync(4999)
  assert.equal((await run.fire()).code, 'circuit_open')
  await run.clock.advanceAsync(1)
  assert.equal(await run.fire(), 'x')
  assert.equal(getBreakerState(run.breaker), 'closed')
  assert.equal(run.calls, 4)
})

test('failures that are older than the window are forgotten', async () => {
  const run = setUp([down], { rollingCountTimeout: 1000, rollingCountBuckets: 10 })
  await fire(run, 2)
  await run.clock.advanceAsync(1100)
  await fire(run, 2)
  assert.equal(run.breaker.closed, true)
  await fire(run, 1)
  assert.equal(run.breaker.opened, true)
})

test('at the percentage it opens, below it does not', async () => {
  const open = async (failures, successes) => {
    const run = setUp([...new Array(successes).fill('x'), ...new Array(failures).fill(down)], { errorThresholdPercentage: 25, volumeThreshold: 8 })
    await fire(run, successes + failures)
    return run.breaker.opened
  }
  assert.deepEqual([await open(2, 6), await open(2, 7)], [true, false])
})

test('open: not one call goes out, and the time is told', async () => {
  const run = setUp([down], { volumeThreshold: 1 })
  await fire(run, 1)
  await run.clock.advanceAsync(1000)
  const error = await run.fire()
  assert.deepEqual([error.code, error.retryAfterMs, error.retryable, error.class, run.calls], ['circuit_open', 4000, false, 'rejected', 1])
})

test('half-open: one call goes out, all others are rejected', async () => {
  const probe = gate()
  const run = setUp([down, () => probe.promise], { volumeThreshold: 1, resetTimeout: 1000 })
  await fire(run, 1)
  await run.clock.advanceAsync(1000)
  assert.equal(run.breaker.opened, true, 'until a call comes')
  const first = run.fire()
  assert.deepEqual([run.breaker.halfOpen, getBreakerState(run.breaker)], [true, 'halfOpen'])
  assert.equal((await run.fire()).code, 'circuit_open')
  probe.open('x')
  assert.equal(await first, 'x')
  assert.deepEqual([{ ...run.breaker.status }, run.calls], [{ open: false, halfOpen: false, closed: true }, 2])
})

test('a failed probe opens it again', async () => {
  const run = setUp([down], { volumeThreshold: 1, resetTimeout: 1000 })
  await fire(run, 1)
  await run.clock.advanceAsync(1000)
  assert.equal(await run.fire(), down)
  assert.deepEqual([run.breaker.opened, run.events.filter((event) => /open|close/i.test(event))], [true, ['open', 'halfOpen', 'open']])
})

test('each call has its timeout, and a late result changes nothing', async () => {
  const late = gate()
  const run = setUp([() => late.promise], { timeout: 100, volumeThreshold: 1 })
  const call = run.fire()
  await run.clock.advanceAsync(100)
  const error = await call
  assert.deepEqual([error.code, error.retryable, run.breaker.opened], ['timeout', true, true])
  late.open('x')
  await settle()
  assert.deepEqual([run.breaker.opened, run.breaker.stats.successes], [true, 0])
})

test('a timeout of 10 s if nothing is said', async () => {
  const run = setUp([never])
  const call = run.fire()
  await run.clock.advanceAsync(9999)
  assert.deepEqual([run.events, run.clock.pendingSleeps > 0], [['fire'], true])
  await run.clock.advanceAsync(1)
  assert.equal((await call).code, 'timeout')
})

test('events, in their order', async () => {
  const run = setUp(['x', down, down, never, 'x'], { volumeThreshold: 3, timeout: 100, resetTimeout: 1000 })
  await fire(run, 4)
  assert.deepEqual(run.events, ['fire', 'success', 'fire', 'failure', 'fire', 'open', 'failure', 'fire', 'reject'])
  run.events.length = 0
  await run.clock.advanceAsync(1000)
  const slow = run.fire()
  await run.clock.advanceAsync(100)
  await slow
  await run.clock.advanceAsync(1000)
  await fire(run, 1)
  assert.deepEqual(run.events, ['fire', 'halfOpen', 'open', 'timeout', 'failure', 'fire', 'halfOpen', 'close', 'success'])
})

test('what listeners are given', async () => {
  const run = setUp([(a, b) => run.clock.advanceAsync(5).then(() => a + b), down], { volumeThreshold: 2, errorThresholdPercentage: 50 })
  const heard = []
  for (const event of ['fire', 'success', 'failure', 'open', 'reject']) run.breaker.on(event, (...args) => heard.push([event, ...args]))
  await run.fire(1, 2)
  await run.fire('again')
  const rejected = await run.fire()
  const [fired, succeeded, again, opened, failed, third, reject] = heard
  assert.deepEqual([fired, succeeded, again, failed, third], [['fire', 1, 2], ['success', 3, 5], ['fire', 'again'], ['failure', down, 0], ['fire']])
  assert.deepEqual([opened[1].to, opened[1].reason, reject[1]], [lib.BreakerState.OPEN, 'window', rejected])
})

test('a fallback gets the arguments and the error; its result counts as the result', async () => {
  const run = setUp([down, never], { volumeThreshold: 2, timeout: 100, errorThresholdPercentage: 100 })
  const given = []
  assert.equal(run.breaker.fallback((...args) => (given.push(args), 'later')), run.breaker)
  assert.equal(await run.fire('a', 2), 'later')
  const slow = run.fire('b')
  await run.clock.advanceAsync(100)
  assert.equal(await slow, 'later')
  assert.equal(await run.fire('c'), 'later')
  assert.deepEqual(given.map((args) => [...args.slice(0, -1), args[args.length - 1].code || args[args.length - 1].status]), [['a', 2, 503], ['b', 'timeout'], ['c', 'circuit_open']])
  assert.deepEqual([run.breaker.stats.fallbacks, run.events.filter((event) => event === 'fallback').length], [3, 3])
})

test('a fallback may take its time, and fail', async () => {
  const run = setUp([down])
  const [waiting, own] = [gate(), new Error('the fallback failed')]
  run.breaker.fallback(() => waiting.promise)
  const call = run.fire()
  await settle()
  waiting.open({ text: 'later' })
  assert.deepEqual(await call, { text: 'later' })
  run.breaker.fallback(async () => { throw own })
  assert.equal(await run.fire(), own)
  assert.equal(run.breaker.stats.fallbacks, 1)
})

test('statistics', async () => {
  const run = setUp(['x', down, never, 'x'], { volumeThreshold: 3, timeout: 100, errorThresholdPercentage: 60 })
  await fire(run, 2)
  const slow = run.fire()
  await run.clock.advanceAsync(100)
  await slow
  await fire(run, 1)
  assert.deepEqual({ ...run.breaker.stats }, { fires: 4, successes: 1, failures: 2, timeouts: 1, rejects: 1, fallbacks: 0, listenerErrors: 0 })
})

test('listeners are taken back by themselves', async () => {
  const { breaker, fire } = setUp([down])
  let heard = 0
  const listener = () => heard++
  assert.equal(breaker.off('failure', listener), false)
  for (const event of ['failure', 'open']) assert.equal(breaker.on(event, listener), breaker)
  await fire()
  assert.equal(heard, 1)
  assert.deepEqual([breaker.off('open', listener), breaker.off('open', listener), breaker.off('failure', () => {}), breaker.off('failure', listener)], [true, false, false, true])
  await fire()
  await fire()
  assert.deepEqual([heard, breaker.opened], [1, true])
})

test('the only listener to its states is taken back', async () => {
  const breaker = createBreaker(async () => {})
  const listener = () => assert.fail('called')
  for (let round = 0; round < 2; round++) {
    breaker.on('close', listener).on('open', listener)
    assert.deepEqual([breaker.off('open', listener), breaker.off('close', listener), breaker.off('close', listener)], [true, true, false])
    breaker.open()
    breaker.close()
  }
})

test('listeners that throw cost the call nothing and are counted', async () => {
  const { breaker } = setUp(['x'])
  for (const event of ['fire', 'success', 'open']) {
    breaker.on(event, () => { throw new Error('x') })
    breaker.on(event, async () => { throw new Error('x') })
  }
  assert.equal(await breaker.fire(), 'x')
  breaker.open()
  await settle()
  assert.equal(breaker.stats.listenerErrors, 6)
})

test('open() is a switch that holds until close()', async () => {
  const run = setUp(['x'])
  run.breaker.open()
  await run.clock.advanceAsync(1e9)
  const error = await run.fire()
  assert.deepEqual([error.code, error.retryAfterMs, run.breaker.opened], ['circuit_open', undefined, true])
  run.breaker.close()
  assert.equal(await run.fire(), 'x')
})

test('shutdown(): listeners are gone and nothing is fired; a call in flight goes on', async () => {
  const slow = gate()
  const run = setUp([() => slow.promise])
  const call = run.fire()
  run.breaker.shutdown()
  slow.open('x')
  assert.equal(await call, 'x')
  assert.deepEqual(run.events, ['fire'])
  assert.equal((await run.fire()).code, 'shutdown')
  assert.equal(run.calls, 1)
})

test('a Retry-After of the service is obeyed', async () => {
  const run = setUp([httpError(429, { headers: { 'retry-after': '30' } }), 'x'])
  await fire(run, 1)
  const error = await run.fire()
  assert.deepEqual([error.code, error.retryAfterMs, run.breaker.closed], ['retry_after', 30000, true])
  await run.clock.advanceAsync(30000)
  assert.equal(await run.fire(), 'x')
})

test('inside withSimpleRetry a rejection is not tried again', async () => {
  const run = setUp([down], { volumeThreshold: 1 })
  const clock = new ManualClock()
  const call = lib.withSimpleRetry(() => run.breaker.fire(), { clock })
  call.catch(() => {})
  await clock.advanceAsync(600000)
  assert.equal((await assert.rejects(call, Error)).code, 'circuit_open')
  assert.equal(run.calls, 1)
})

test('with a name it is the breaker of that name', async () => {
  const name = `create ${Math.random()}`
  const options = { name, volumeThreshold: 1, resetTimeout: 3600000 }
  const [first, second] = [createBreaker(async () => { throw down }, options), createBreaker(async () => 'x', options)]
  const opened = []
  second.on('open', () => opened.push(second.name))
  await first.fire().catch(() => {})
  assert.equal((await second.fire().catch((error) => error)).code, 'circuit_open')
  assert.deepEqual([opened, first.configMismatch, CircuitBreaker.named(name).state], [[name], false, lib.BreakerState.OPEN])
  assert.equal(createBreaker(async () => {}, { name }).configMismatch, true)
  assert.throws(() => createBreaker(async () => {}, { name, clock: new ManualClock() }), { code: 'INVALID_CONFIG', field: 'clock' })
})

test('a breaker that listens to itself may fire from within', async () => {
  const run = setUp([down, 'x'], { volumeThreshold: 1 })
  const within = []
  run.breaker.on('open', () => within.push(run.fire()))
  await run.fire()
  assert.equal((await within[0]).code, 'circuit_open')
})

// What opossum does and this does not: the numbers are those of the public threads

test('D: a wrong key, a missing page and a bug of the caller open nothing', async () => {
  const run = setUp([httpError(401), httpError(404), httpError(400), new TypeError('x is undefined')], { volumeThreshold: 1 })
  await fire(run, 8)
  assert.deepEqual([run.breaker.closed, run.breaker.stats.failures, run.calls], [true, 8, 8])
})

test('opossum#248 #365: breakers that are shut down and let go of keep no timer', async () => {
  const clock = new ManualClock()
  for (let i = 0; i < 100; i++) {
    const breaker = createBreaker(async () => 'x', { clock })
    await breaker.fire()
    breaker.shutdown()
  }
  assert.equal(clock.pendingSleeps, 0)
})

test('a call that is cancelled by its own token counts as nothing', async () => {
  const cancelToken = new CancelToken()
  cancelToken.cancel()
  const run = setUp([() => lib.withSimpleRetry(async () => 'x', { cancelToken })], { volumeThreshold: 1 })
  const error = await run.fire()
  assert.deepEqual([error.code, run.breaker.closed], ['cancelled', true])
})
