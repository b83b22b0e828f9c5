// withSimpleRetry, bareLlmCall and demoBadScenario of article 004.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { drive, gate, httpError, never, settle } from './support/help.mjs'

const { CancelToken, ManualClock, bareLlmCall, demoBadScenario, withSimpleRetry } = lib

/** Runs it over a script of steps in virtual time; errors are thrown, the last step is repeated. */
async function run(steps, options) {
  const clock = new ManualClock()
  const times = []
  const fn = async () => {
    const step = steps[Math.min(times.length, steps.length - 1)]
    times.push(clock.now())
    if (step instanceof Error) throw step
    return typeof step === 'function' ? step() : step
  }
  const promise = withSimpleRetry(fn, { clock, randomize: false, ...options })
  const settled = promise.then((value) => ({ value }), (error) => ({ error }))
  await drive(clock, settled)
  return { times, ...(await settled) }
}

const down = httpError(503)

test("the article's figures: 3 retries, after 500, 1000 and 2000 ms", async () => {
  const { times, error } = await run([down])
  assert.deepEqual([times, error], [[0, 500, 1500, 3500], down])
})

test('waits are capped by maxTimeout, which may be less than minTimeout', async () => {
  assert.deepEqual((await run([down], { retries: 6, maxTimeout: 1500 })).times, [0, 500, 1500, 3000, 4500, 6000, 7500])
  assert.deepEqual((await run([down], { retries: 2, maxTimeout: 100 })).times, [0, 100, 200])
})

test('factor and minTimeout', async () => {
  assert.deepEqual((await run([down], { minTimeout: 10, factor: 3 })).times, [0, 10, 40, 130])
  assert.deepEqual((await run([down], { minTimeout: 0 })).times, [0, 0, 0, 0])
})

test('unless told otherwise the waits are spread, so that calls that failed together do not come back together', async () => {
  const spread = async (rng) => (await run([down], { randomize: undefined, rng, retries: 1 })).times[1]
  assert.deepEqual([await spread(() => 0), await spread(() => 0.5), await spread(() => 0.9)], [250, 500, 700])
})

test('what succeeds at last is the result, whatever it is', async () => {
  const object = { text: 'x' }
  for (const value of [object, '你好', '', 0, null, undefined]) {
    const { times, value: got } = await run([down, down, () => value])
    assert.deepEqual([times.length, got], [3, value])
  }
  assert.equal((await run([() => object])).value, object)
})

test('a function that throws, or gives no promise, is as good as one that does', async () => {
  let calls = 0
  assert.equal(await withSimpleRetry(() => { if (calls++ === 0) throw down; return 5 }, { minTimeout: 0 }), 5)
})

test('retries 0: one call', async () => {
  assert.deepEqual((await run([down], { retries: 0 })).times, [0])
})

test('by default only what a retry can mend is tried again', async () => {
  for (const error of [httpError(400), httpError(401), httpError(404), new TypeError('x is undefined'), new SyntaxError('JSON')]) {
    const { times, error: got } = await run([error])
    assert.deepEqual([times.length, got], [1, error])
  }
  for (const error of [httpError(429), httpError(500), httpError(503), new Error('ETIMEDOUT'), new Error('ECONNRESET'), new Error('anything')]) {
    assert.equal((await run([error])).times.length, 4, error.message)
  }
})

test('shouldRetry decides in its place, either way', async () => {
  const asked = []
  const all = await run([httpError(400)], { shouldRetry: (error) => (asked.push(error.status), true) })
  assert.deepEqual([all.times.length, asked], [4, [400, 400, 400, 400]])
  assert.equal((await run([down], { shouldRetry: () => false })).times.length, 1)
  const unlike = await run([down, httpError(400)], { shouldRetry: (error) => error.status !== 400 })
  assert.deepEqual([unlike.times.length, unlike.error.status], [2, 400])
})

test('a shouldRetry that throws or gives no boolean means no, and the error stays that of the call', async () => {
  for (const shouldRetry of [() => { throw new Error('x') }, () => 1, () => 'true', async () => true, () => undefined]) {
    const { times, error } = await run([down], { shouldRetry })
    assert.deepEqual([times.length, error], [1, down])
  }
})

test('onFailedAttempt hears of each one, and may throw', async () => {
  const heard = []
  await run([down], { retries: 2, onFailedAttempt: (error, attempt) => { heard.push([error, attempt]); throw new Error('x') } })
  assert.deepEqual(heard, [[down, 1], [down, 2], [down, 3]])
})

test('a cancel ends the wait at once', async () => {
  const [clock, cancelToken] = [new ManualClock(), new CancelToken()]
  let calls = 0
  const call = withSimpleRetry(async () => { calls++; throw down }, { clock, cancelToken })
  await settle()
  cancelToken.cancel()
  await assert.rejects(call, { code: 'cancelled' })
  await clock.advanceAsync(600000)
  assert.deepEqual([calls, clock.pendingSleeps], [1, 0])
})

test('a cancel does not wait for the function', async () => {
  const cancelToken = new CancelToken()
  const call = withSimpleRetry(never, { cancelToken })
  cancelToken.cancel()
  await assert.rejects(call, { code: 'cancelled' })
  await assert.rejects(withSimpleRetry(async () => assert.fail('called'), { cancelToken }), { code: 'cancelled' })
})

test('a function that hangs is waited for, unless attemptTimeoutMs says how long', async () => {
  const { times, error } = await run([never], { attemptTimeoutMs: 100, retries: 1 })
  assert.deepEqual([times, error.code], [[0, 600], 'timeout'])
  const slow = gate()
  const clock = new ManualClock()
  const call = withSimpleRetry(() => slow.promise, { clock })
  await clock.advanceAsync(3600000)
  slow.open('x')
  assert.equal(await call, 'x')
})

test('a last attempt that is given up rejects with that, not with what an earlier one threw', async () => {
  assert.equal((await run([down, never], { attemptTimeoutMs: 100, retries: 1 })).error.code, 'timeout')
})

test('a Retry-After of the service is waited for', async () => {
  const asks = [httpError(429, { retryAfterMs: 7000 }), 'x']
  assert.deepEqual((await run(asks)).times, [0, 7000])
  assert.deepEqual((await run(asks, { randomize: true, rng: () => 0.5 })).times, [0, 7350], 'spread, later')
})

// Layer 0

test('bareLlmCall calls and does nothing else', async () => {
  let calls = 0
  assert.equal(await bareLlmCall(async () => (calls++, 'x')), 'x')
  assert.equal(await bareLlmCall(() => 5), 5)
  assert.equal(await lib.bareLLMCall(() => 5), 5, 'as the article spells it')
  const promise = Promise.resolve(1)
  assert.equal(bareLlmCall(() => promise), promise)
  for (const fails of [async () => { throw down }, () => { throw down }]) assert.equal(await bareLlmCall(fails).catch((error) => error), down)
  assert.equal(calls, 1)
})

test('demoBadScenario: 20 calls at once, counted and timed', async () => {
  const clock = new ManualClock()
  let [calls, most, running] = [0, 0, 0]
  const fn = async () => {
    const fails = calls++ % 4 !== 0
    most = Math.max(most, ++running)
    await lib.cancellableSleep(30, undefined, { clock })
    running--
    if (fails) throw down
    return 'x'
  }
  const seen = await drive(clock, demoBadScenario(fn, undefined, clock))
  assert.deepEqual([{ ...seen }, most], [{ success: 5, failed: 15, totalTimeMs: 30 }, 20])
})

test('demoBadScenario of a client, of its function, of what throws at once', async () => {
  const client = new lib.FlakyLlmClient({ failureRate: 0.8, latencyMs: 0, latencySpreadMs: 0, seed: 1 })
  const seen = await demoBadScenario(client, 100)
  assert.deepEqual([seen.success + seen.failed, client.calls], [100, 100])
  assert.between(seen.success, 5, 40)
  const scripted = { answer: 'x', async chat(request) { return this.answer + request.prompt } }
  assert.equal((await demoBadScenario(scripted, 3)).success, 3)
  assert.equal((await demoBadScenario(() => { throw down }, 3)).failed, 3)
  assert.equal((await demoBadScenario(lib.createFlakyLLMMock({ failureRate: 0, latencyMs: 0, latencySpreadMs: 0 }), 3)).success, 3)
})
