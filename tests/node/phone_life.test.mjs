// networkChanged(), suspended(), resumed(): what network and suspension do to calls.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, drive, httpError, never, setUp, settle, sleep } from './support/help.mjs'

const { ManualClock, networkChanged, suspended, resumed } = lib

const reset = () => Object.assign(new Error('connection reset'), { code: 'ECONNRESET' })
const refused = () => Object.assign(new Error('could not connect'), { code: 2300007 })

/** Runs a test, and has the device online and awake afterwards: it is that of all tests here. */
function deviceTest(name, body) {
  test(name, async () => {
    try {
      await body()
    } finally {
      networkChanged(true)
      resumed()
    }
  })
}

deviceTest('without network a failure is nobody\'s', async () => {
  const run = setUp(new Script(refused()), { config: { budget: { capacity: 1, perCall: 0, perMinute: 0 } } })
  networkChanged(false)
  for (let i = 0; i < 20; i++) {
    const outcome = await run.execute({})
    assert.deepEqual([outcome.status, outcome.error.code, outcome.cause, outcome.attempts], ['fallback', 'offline', 'offline', 1])
  }
  assert.deepEqual([run.breaker.state, run.breaker.consecutiveFailures], [lib.BreakerState.CLOSED, 0])
  assert.equal(JSON.parse(run.client.snapshot()).services[0].budget.tokens, 1)
})

deviceTest('it is a hint: an answer is an answer', async () => {
  networkChanged(false)
  assert.equal((await setUp(new Script({ text: 'from the device itself' })).execute({})).text, 'from the device itself')
  assert.equal((await setUp(new Script(httpError(503))).execute({})).error.code, 'overloaded')
})

deviceTest('a clock that is made later knows that there is no network', async () => {
  networkChanged(false)
  assert.equal((await setUp(new Script(reset())).execute({})).cause, 'offline')
  networkChanged(true)
  assert.equal((await setUp(new Script(httpError(503), { text: 'x' })).execute({})).status, 'ok')
})

deviceTest('the first dead connection after it is free', async () => {
  for (const tell of [resumed, () => networkChanged(true)]) {
    const run = setUp(new Script(reset(), reset(), { text: 'x' }), { config: { maxRetries: 1 } })
    tell()
    const outcome = await run.execute({})
    assert.deepEqual(outcome.trace.map((attempt) => attempt.delaySource), ['reconnect', 'backoff', undefined])
    assert.deepEqual([outcome.text, outcome.trace[0].delayMs, run.breaker.stats.neutral, run.breaker.stats.failures], ['x', 0, 1, 1])
  }
})

deviceTest('a dead connection long after it counts', async () => {
  const run = setUp(new Script(reset()), { config: { maxRetries: 0 } })
  resumed()
  await run.clock.advanceAsync(10_000)
  assert.equal((await run.execute({})).attempts, 1)
  assert.equal(run.breaker.consecutiveFailures, 1)
})

deviceTest('a backoff ends early when the network is back, once', async () => {
  const config = { baseMs: 10_000, maxMs: 1_000_000, factor: 10, maxRetries: 3, deadlineMs: 900_000, rng: () => 0.5 }
  const run = setUp(new Script(httpError(503)), { threshold: 100, config })
  const call = run.client.execute({})
  await run.clock.advanceAsync(1000)
  networkChanged(true)
  await settle()
  networkChanged(true)
  assert.equal(run.clock.nextSleepMs, 5000, 'half of the first wait')
  const outcome = await drive(run.clock, call)
  assert.deepEqual(outcome.trace.map((attempt) => attempt.delayMs), [6000, 10_000, 100_000, undefined])
})

deviceTest('no time passes for a call while the app is suspended', async () => {
  const run = setUp({ chat: never }, { config: { attemptTimeoutMs: 5000, deadlineMs: 5000, maxRetries: 0 } })
  const call = run.client.execute({})
  await run.clock.advanceAsync(1000)
  suspended()
  await run.clock.advanceAsync(600_000)
  resumed()
  await settle()
  assert.equal(run.clock.nextSleepMs, 4000)
  const outcome = await drive(run.clock, call)
  assert.deepEqual([outcome.elapsedMs, outcome.trace[0].code, outcome.trace[0].durationMs], [5000, 'timeout', 5000])
})

deviceTest('the same on the device\'s own clock', async () => {
  const slow = new lib.ResilientLlmClient({ chat: never }, { attemptTimeoutMs: 300, maxRetries: 0, locale: 'en' })
  const call = slow.execute({})
  let over = false
  call.then(() => {
    over = true
  })
  suspended()
  // a wait of this test's own would stand still, too
  const end = Date.now() + 600
  while (Date.now() < end) await settle()
  assert.equal(over, false)
  resumed()
  const outcome = await call
  assert.equal(outcome.trace[0].code, 'timeout')
  assert.ok(outcome.elapsedMs >= 299 && outcome.elapsedMs < 5000, outcome.elapsedMs)
  await sleep(1)
})

deviceTest('breakers cool down while the app is suspended', async () => {
  const run = setUp(new Script({ text: 'x' }), { threshold: 1 })
  run.breaker.recordFailure()
  suspended()
  await run.clock.advanceAsync(5000)
  resumed()
  assert.equal((await run.execute({})).text, 'x')
})

deviceTest('a runner asks no other service without network', async () => {
  const clock = new ManualClock()
  const service = (name) => Object.assign(new Script(refused()), { name })
  const runner = new lib.ResilientLlmRunner(service('a'), [service('b')], { clock })
  networkChanged(false)
  const outcome = await drive(clock, runner.call('hi'))
  assert.deepEqual([outcome.attempts, outcome.cause], [1, 'offline'])
})

deviceTest('requests of a page are tried again without network, as article 001 does', async () => {
  const clock = new ManualClock()
  let calls = 0
  const get = async () => {
    if (++calls < 3) throw refused()
    return 200
  }
  networkChanged(false)
  const handle = lib.requestWithRetry(get, { baseMs: 200, factor: 2, maxMs: 5000, maxAttempts: 4, clock })
  assert.equal((await drive(clock, handle.result)).outcome, 'success')
})

deviceTest('maxTotalAttempts bounds a call over all services', async () => {
  const clock = new ManualClock()
  const service = (name) => Object.assign(new Script(httpError(503)), { name })
  const services = [service('a'), service('b'), service('c')]
  const runner = new lib.ResilientLlmRunner(services[0], services.slice(1), { clock, maxTotalAttempts: 4 })
  const outcome = await drive(clock, runner.call('hi'))
  assert.deepEqual([outcome.attempts, outcome.stopReason], [4, 'attempts'])
  assert.deepEqual(services.map((one) => one.calls), [3, 1, 0])
})

deviceTest('a Retry-After is spread later, never earlier', async () => {
  const asks = httpError(429, { retryAfterMs: 10_000 })
  for (const [config, delay] of [[{ retryAfterSpread: undefined }, 10_500], [{ retryAfterSpread: 0 }, 10_000], [{ retryAfterSpread: 1 }, 15_000]]) {
    const run = setUp(new Script(asks, { text: 'x' }), { config: { rng: () => 0.5, ...config } })
    assert.equal((await run.execute({})).trace[0].delayMs, delay)
  }
})

deviceTest('what an app tells from within its own functions is heard', async () => {
  const run = setUp(new Script(refused(), { text: 'x' }), {
    onRetry: () => {
      networkChanged(false)
      networkChanged(true)
      suspended()
      resumed()
    },
  })
  assert.equal((await run.execute({})).text, 'x')
})
