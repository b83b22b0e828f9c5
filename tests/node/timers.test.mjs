// The module's own timers, in real time: none early, none lost, whatever is begun and dropped beside them.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, httpError, never, sleep } from './support/help.mjs'

const { CancelToken, CircuitBreaker, MockLlmClient, ResilientLlmClient } = lib
const YEAR = 365 * 24 * 3600 * 1000

/** The outcome of a call whose client takes `ms`. */
const timed = (ms, config) => new ResilientLlmClient(new MockLlmClient(0, { latencyMs: ms }), config).execute({})

test('hundreds of sleeps at once: all end, none early', async () => {
  const waits = Array.from({ length: 300 }, (_, i) => (i * 7) % 31)
  const outcomes = await Promise.all(waits.map((ms) => timed(ms)))
  outcomes.forEach((outcome, i) => {
    assert.equal(outcome.status, 'ok')
    assert.between(outcome.elapsedMs, waits[i], 10000)
  })
})

test('a sleep that begins later and ends earlier', async () => {
  const order = []
  const cancelToken = new CancelToken()
  const minutes = [3, 2, 1].map((n) => new ResilientLlmClient(new MockLlmClient(0, { latencyMs: n * 60000 })).execute({}, { cancelToken }))
  minutes.forEach((call) => call.then(() => order.push('long')))
  await sleep(5)
  order.push('short')
  cancelToken.cancel()
  await Promise.all(minutes)
  assert.deepEqual(order, ['short', 'long', 'long', 'long'])
})

test('sleeps that begin in the wake-up of another', async () => {
  for (let i = 0; i < 20; i++) await sleep(1)
  const inner = { calls: 0, chat: () => { if (inner.calls++ < 20) throw httpError(503); return { text: 'x' } } }
  const client = new ResilientLlmClient(inner, { baseMs: 1, factor: 1, jitter: 'none', maxRetries: 20 }, new CircuitBreaker(100))
  const outcome = await client.execute({})
  assert.deepEqual([outcome.attempts, outcome.text], [21, 'x'])
  assert.between(outcome.elapsedMs, 20, 10000)
})

test('a sleep that is dropped does not take others with it', async () => {
  const client = new ResilientLlmClient({ chat: never })
  for (const ms of [2, 5, 10]) {
    const cancelToken = new CancelToken()
    const dropped = client.execute({}, { cancelToken, deadlineMs: ms })
    const kept = timed(ms + 3)
    cancelToken.cancel()
    assert.equal((await dropped).status, 'cancelled')
    assert.equal((await kept).status, 'ok')
  }
})

test('thousands of timers that never ring, and one that does', async () => {
  const client = new ResilientLlmClient(new Script({ text: 'x' }))
  for (let i = 0; i < 500; i++) await client.chat({})
  const outcome = await new ResilientLlmClient({ chat: never }, { attemptTimeoutMs: 5, maxRetries: 0 }).execute({})
  assert.deepEqual([outcome.error.code, outcome.error.message], ['timeout', 'no answer within 5 ms'])
  assert.between(outcome.elapsedMs, 5, 10000)
})

test('parts of milliseconds and no time at all', async () => {
  for (const ms of [0, 0.001, 0.5, 1.5]) assert.between((await timed(ms)).elapsedMs, ms, 10000)
})

test('timeouts of a year cost nothing', async () => {
  const outcome = await timed(1, { attemptTimeoutMs: YEAR, deadlineMs: YEAR, retryAfterMaxMs: YEAR })
  assert.equal(outcome.status, 'ok')
})

test('a timer rings while the app computes: once it is done', async () => {
  const slept = sleep(5)
  const end = Date.now() + 20
  while (Date.now() < end);
  assert.deepEqual(await slept, { text: 'mock reply' })
})

test('a cooldown in real time', async () => {
  const inner = new Script(httpError(503), { text: 'back' })
  const client = new ResilientLlmClient(inner, { maxRetries: 0 }, new CircuitBreaker(1, 20), 'later')
  assert.equal(await client.chat({}), 'later')
  assert.equal(await client.chat({}), 'later')
  await sleep(25)
  assert.equal(await client.chat({}), 'back')
  assert.equal(inner.calls, 2)
})
