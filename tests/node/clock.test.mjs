// ManualClock: whole calls without waiting.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, httpError, never, setUp, settle } from './support/help.mjs'

const { BreakerState, CircuitBreaker, ManualClock, MockLlmClient, ResilientLlmClient } = lib
const answer = (text) => ({ text })
const DAY = 24 * 3600 * 1000

/** A client that fails on the spot until its last step: no promise on the way. */
const atOnce = (...steps) => {
  let call = 0
  const inner = {
    times: [],
    chat() {
      inner.times.push(inner.clock.now())
      const step = steps[Math.min(call++, steps.length - 1)]
      if (step instanceof Error) throw step
      return step
    },
  }
  return inner
}

/** A client on a clock of its own. */
function onClock(inner, config, ...rest) {
  const clock = new ManualClock()
  inner.clock = clock
  const settings = Object.assign({ clock, baseMs: 100, jitter: 'none' }, config)
  return { clock, client: new ResilientLlmClient(inner, settings, ...rest) }
}

test('time starts at zero and moves only when told to', () => {
  const clock = new ManualClock()
  assert.deepEqual([clock.now(), clock.pendingSleeps, clock.nextSleepMs], [0, 0, undefined])
  clock.advance(250)
  clock.advance(0)
  clock.advance(0.5)
  assert.equal(clock.now(), 250.5)
})

test('years may pass', () => {
  const clock = new ManualClock()
  for (let year = 0; year < 100; year++) clock.advance(365 * DAY)
  assert.equal(clock.now(), 36500 * DAY)
})

test('two clocks know nothing of each other', () => {
  const [first, second] = [new ManualClock(), new ManualClock()]
  first.advance(10)
  assert.deepEqual([first.now(), second.now()], [10, 0])
})

test('pendingSleeps and nextSleepMs tell what a call waits for', async () => {
  const { clock, client } = onClock({ chat: never }, { attemptTimeoutMs: 700, maxRetries: 0 })
  const call = client.chat({})
  assert.deepEqual([clock.pendingSleeps, clock.nextSleepMs], [1, 700])
  clock.advance(699.5)
  assert.equal(clock.nextSleepMs, 1, 'rounded up: advancing by it is enough')
  clock.advance(clock.nextSleepMs)
  assert.deepEqual([clock.pendingSleeps, clock.nextSleepMs], [0, undefined])
  assert.match(await call, /智能助手/)
})

test('advance ends each sleep on its way at its own moment', async () => {
  const inner = atOnce(httpError(503), httpError(503), answer('x'))
  const { clock, client } = onClock(inner)
  const call = client.execute({})
  clock.advance(100000)
  assert.deepEqual(inner.times, [0, 100, 300], 'all of it happened within advance')
  const outcome = await call
  assert.deepEqual([outcome.elapsedMs, clock.now()], [300, 100000])
})

test('sleeps of several calls end in the order of their time, equal ones in the order of their start', async () => {
  const order = []
  const clock = new ManualClock()
  const sleeper = (name, latencyMs) => new MockLlmClient(0, { latencyMs, clock }).chat({}).then(() => order.push(name))
  const all = [sleeper('c', 30), sleeper('a', 10), sleeper('b', 20), sleeper('b2', 20), sleeper('a2', 10)]
  clock.advance(30)
  await Promise.all(all)
  assert.deepEqual(order, ['a', 'a2', 'b', 'b2', 'c'])
})

test('one millisecond less is not enough', async () => {
  const inner = atOnce(httpError(503), answer('x'))
  const { clock, client } = onClock(inner)
  const call = client.chat({})
  clock.advance(99)
  assert.equal(inner.times.length, 1)
  clock.advance(1)
  assert.equal(inner.times.length, 2)
  assert.equal(await call, 'x')
})

test('advanceAsync lets promises settle before each step', async () => {
  const times = []
  const inner = new Script(httpError(503), httpError(503), answer('x'))
  const { clock, client } = onClock({ chat: async (request) => (times.push(clock.now()), await null, inner.chat(request)) })
  const call = client.chat({})
  await clock.advanceAsync(1000)
  assert.deepEqual(times, [0, 100, 300])
  assert.equal(await call, 'x')
})

test('advance alone does not settle the promises of the app', async () => {
  const inner = new Script(httpError(503), answer('x'))
  const { clock, client } = onClock(inner)
  const call = client.chat({})
  clock.advance(1000)
  assert.equal(inner.calls, 1, 'the first failure has not arrived yet')
  await settle()
  clock.advance(100)
  await call
  assert.deepEqual([inner.calls, clock.now()], [2, 1100])
})

test('advanceAsync goes through deep chains of promises', async () => {
  const deep = async (request) => {
    for (let i = 0; i < 40; i++) await null
    return answer('deep')
  }
  const { clock, client } = onClock({ chat: deep })
  let text
  client.chat({}).then((got) => (text = got))
  await clock.advanceAsync(0)
  assert.equal(text, 'deep')
})

test('two advanceAsync at once add up to the longer', async () => {
  const { clock, client } = onClock(new Script(httpError(503), httpError(503), answer('x')))
  const call = client.chat({})
  await Promise.all([clock.advanceAsync(100), clock.advanceAsync(300)])
  assert.equal(await call, 'x')
  assert.equal(clock.now(), 300)
})

test('timeouts, deadlines, cooldowns: a month within a moment', async () => {
  const config = { attemptTimeoutMs: 10 * DAY, deadlineMs: 30 * DAY, baseMs: DAY, maxMs: DAY, maxRetries: 5 }
  const { clock, client } = onClock({ chat: never }, config, new CircuitBreaker(100))
  const call = client.execute({})
  await clock.advanceAsync(40 * DAY)
  const outcome = await call
  assert.deepEqual([outcome.stopReason, outcome.attempts, outcome.elapsedMs], ['deadline', 3, 30 * DAY])
})

test("a client's own breaker is on the client's clock", async () => {
  const inner = atOnce(httpError(503), httpError(503), httpError(503), answer('x'))
  const { clock, client } = onClock(inner)
  const call = client.chat({})
  clock.advance(1000)
  await call
  assert.equal(client.breakerState, BreakerState.OPEN)
  clock.advance(5000)
  assert.equal(await client.chat({}), 'x')
  assert.equal(client.breakerState, BreakerState.CLOSED)
})

test('a mock with latency on a clock', async () => {
  const clock = new ManualClock()
  const mock = new MockLlmClient(1, { latencyMs: 300, clock })
  let settled = 0
  const count = () => settled++
  mock.chat({}).then(count, count)
  await clock.advanceAsync(299)
  assert.equal(settled, 0)
  await clock.advanceAsync(1)
  assert.equal(settled, 1)
})

// Advancing from within

test('advance from within onRetry moves the call that waits there, too', async () => {
  const inner = atOnce(httpError(503), httpError(503), answer('x'))
  const clock = new ManualClock()
  inner.clock = clock
  const client = new ResilientLlmClient(inner, { clock, baseMs: 100, jitter: 'none' }, undefined, undefined, () => clock.advance(1000))
  const call = client.execute({})
  clock.advance(1)
  const outcome = await call
  assert.deepEqual([outcome.status, outcome.attempts, inner.times], ['ok', 3, [0, 1000, 2000]])
})

test('advance from within a client, a fallback, a breaker listener, now', async () => {
  const clock = new ManualClock()
  let depth = 0
  const now = () => (depth++ < 3 && clock.advance(1), clock.now())
  const breaker = new CircuitBreaker(1, 1000, now)
  breaker.onStateChange(() => clock.advance(10))
  const inner = { chat: () => (clock.advance(100), Promise.reject(httpError(503))) }
  const client = new ResilientLlmClient(inner, { clock, maxRetries: 0 }, breaker, () => (clock.advance(7), 'later'))
  assert.equal(await client.chat({}), 'later')
  assert.between(clock.now(), 117, 121)
  assert.equal(breaker.state, BreakerState.OPEN)
})

test('advance within advance: the outer one goes on where the inner one ended', async () => {
  const clock = new ManualClock()
  const seen = []
  const sleeper = (latencyMs) => new MockLlmClient(0, { latencyMs, clock })
  const nested = new ResilientLlmClient({ chat: () => (seen.push(clock.now()), clock.advance(1000), seen.push(clock.now()), answer('x')) }, { clock })
  const first = new ResilientLlmClient({ chat: () => { throw httpError(503) } }, { clock, baseMs: 50, jitter: 'none', maxRetries: 1 }, undefined, () => nested.chat({}))
  const call = first.chat({})
  const sleeping = sleeper(500).chat({})
  clock.advance(50)
  assert.deepEqual(seen, [50, 1050])
  await Promise.all([call, sleeping])
  assert.deepEqual([clock.now(), clock.pendingSleeps], [1050, 0])
})

test('advance re-entered by every call that it wakes', async () => {
  const clock = new ManualClock()
  const inner = { chat() { clock.advance(1); throw httpError(503) } }
  const client = new ResilientLlmClient(inner, { clock, baseMs: 10, jitter: 'none', maxRetries: 3, budget: { capacity: 10000 } }, new CircuitBreaker(1e6), 'later')
  const calls = Array.from({ length: 300 }, () => client.chat({}))
  clock.advance(100000)
  assert.equal((await Promise.all(calls)).filter((text) => text === 'later').length, 300)
  assert.equal(clock.pendingSleeps, 0)
})

test('thousands of sleeps in one advance', async () => {
  const inner = atOnce(httpError(503))
  const { clock, client } = onClock(inner, { maxRetries: 20, maxMs: 100, budget: { capacity: 10000 } }, new CircuitBreaker(1e6), 'later')
  const calls = Array.from({ length: 200 }, () => client.chat({}))
  clock.advance(10000)
  assert.deepEqual([inner.times.length, clock.pendingSleeps], [4200, 0])
  await Promise.all(calls)
})

test('whole milliseconds stay whole', () => {
  const clock = new ManualClock()
  for (const ms of [1000, 13, 1, 86399999]) clock.advance(ms)
  assert.equal(clock.now(), 86401013)
})
