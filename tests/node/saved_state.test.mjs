// snapshot() and restore(): what breakers, clients and runners keep over the end of the app.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, drive, httpError, setUp } from './support/help.mjs'

const { BreakerState, CircuitBreaker, ManualClock, ResilientLlmRunner } = lib
const { CLOSED, OPEN, HALF_OPEN } = BreakerState

// the wall clock when the app was ended
const SAVED = 1_792_567_680_000
const MINUTE = 60_000

/** A breaker (threshold 3, cooldown 60 s) on a clock. */
function breakerWith(options, threshold = 3, cooldown = MINUTE) {
  const clock = new ManualClock()
  return { clock, breaker: new CircuitBreaker(threshold, cooldown, () => clock.now(), options) }
}

/** Opened at 0, saved after 10 s. */
function savedAfterTenSeconds(options) {
  const { breaker, clock } = breakerWith(options)
  for (let i = 0; i < 3; i++) breaker.recordFailure()
  clock.advance(10_000)
  return breaker.snapshot(SAVED)
}

test('an open breaker stays open for what is left of its cooldown', () => {
  const text = savedAfterTenSeconds()
  assert.equal(typeof text, 'string')
  const { breaker, clock } = breakerWith()
  const events = []
  breaker.onStateChange((event) => events.push(event))
  breaker.restore(text, SAVED + 20_000)
  assert.deepEqual([breaker.state, breaker.retryAfterMs, breaker.consecutiveFailures], [OPEN, 30_000, 3])
  assert.deepEqual(events.map(({ from, to, reason, cooldownMs }) => [from, to, reason, cooldownMs]), [[CLOSED, OPEN, 'restored', 30_000]])
  clock.advance(29_999)
  assert.equal(breaker.allowRequest(), false)
  clock.advance(1)
  assert.equal(breaker.allowRequest(), true)
  assert.equal(breaker.state, HALF_OPEN)
})

test('one whose cooldown is over lets the next call through as its probe', () => {
  const { breaker } = breakerWith()
  breaker.restore(savedAfterTenSeconds(), SAVED + 70_000)
  assert.deepEqual([breaker.state, breaker.retryAfterMs], [OPEN, 0])
  assert.equal(breaker.tryAcquire().isProbe, true)
})

test('without a wall clock of its own it takes the one of the device', () => {
  const { breaker: first } = breakerWith()
  for (let i = 0; i < 3; i++) first.recordFailure()
  const text = first.snapshot()
  const age = Date.now() - JSON.parse(text).savedAtUnixMs
  assert.ok(age >= 0 && age < 60_000, age)
  const { breaker } = breakerWith()
  breaker.restore(text)
  assert.equal(breaker.state, OPEN)
  assert.ok(breaker.retryAfterMs > 0 && breaker.retryAfterMs <= MINUTE)
})

test('a clock that was set takes nothing off, or lets the probe through early', () => {
  for (const [now, left] of [[0, 50_000], [SAVED - 1, 50_000], [SAVED + 50_000, 0], [Number.MAX_SAFE_INTEGER, 0]]) {
    const { breaker } = breakerWith()
    breaker.restore(savedAfterTenSeconds(), now)
    assert.deepEqual([breaker.state, breaker.retryAfterMs], [OPEN, left], now)
  }
})

test('what is no snapshot, or none of these, is an error and changes nothing', () => {
  const text = savedAfterTenSeconds()
  const { breaker } = breakerWith()
  breaker.recordFailure()
  const bad = [
    ['', 'snapshot'],
    ['{}', 'snapshot'],
    ['null', 'snapshot'],
    [text.slice(0, -1), 'snapshot'],
    [text.replace('"version":1', '"version":2'), 'snapshot'],
    [text.replace('circuit_breaker', 'retry_budget'), 'snapshot'],
    [text.replace('"openMs":50000', '"openMs":-1'), 'openMs'],
    [text.replace('"openMs":50000', '"openMs":NaN'), 'snapshot'],
    [text.replace('"state":"open"', '"state":"ajar"'), 'state'],
    ['x'.repeat(70_000), 'snapshot'],
  ]
  for (const [wrong, field] of bad) {
    assert.throws(() => breaker.restore(wrong, SAVED), { code: 'INVALID_ARGUMENT', field, retryable: false }, wrong.slice(0, 80))
    assert.deepEqual([breaker.state, breaker.consecutiveFailures], [CLOSED, 1])
  }
  const message = (wrong) => assert.throws(() => breaker.restore(wrong, SAVED), Error).message
  assert.equal(message(''), 'snapshot: got an empty text, allowed: a text that snapshot() gave')
  assert.match(message('x'), /^snapshot: got a text that is no JSON \(.*\), allowed: a text that snapshot\(\) gave$/)
  assert.equal(message('null'), 'snapshot: got JSON that is no object, allowed: a text that snapshot() gave')
  for (const wrong of [undefined, null, 7, {}, JSON.parse(text)]) {
    assert.throws(() => breaker.restore(wrong, SAVED), { code: 'INVALID_ARGUMENT', field: 'snapshot' })
  }
  for (const now of [null, NaN, Infinity, -1, 0.5, 2 ** 53, '0']) {
    assert.throws(() => breaker.restore(text, now), { code: 'INVALID_ARGUMENT', field: 'nowUnixMs' })
    assert.throws(() => breaker.snapshot(now), { code: 'INVALID_ARGUMENT', field: 'nowUnixMs' })
  }
  assert.equal(breaker.state, CLOSED)
})

test('no text keeps it open for longer than its own settings allow', () => {
  const { breaker } = breakerWith(undefined, 3, 1000)
  breaker.restore(savedAfterTenSeconds(), SAVED)
  assert.equal(breaker.retryAfterMs, 1000)
  breaker.restore(savedAfterTenSeconds().replace('"retryAfterMs":0', '"retryAfterMs":9007199254740991'), SAVED)
  assert.equal(breaker.retryAfterMs, 3_600_000)
})

test('a client keeps its breaker and its retry budget', async () => {
  const config = { maxRetries: 2, budget: { capacity: 2, perCall: 0, perMinute: 0 } }
  const before = setUp(new Script(httpError(503)), { config })
  await before.execute({})
  assert.equal(before.breaker.state, OPEN)
  const text = before.client.snapshot(SAVED)

  const after = setUp(new Script(httpError(503)), { config, threshold: 100 })
  after.client.restore(text, SAVED + 5000)
  assert.equal(after.client.breakerState, OPEN)
  const outcome = await after.execute({})
  assert.deepEqual([outcome.attempts, outcome.trace[0].probe, outcome.stopReason], [1, true, 'circuit_open'])
  after.breaker.reset()
  assert.equal((await after.execute({})).stopReason, 'budget')
  assert.throws(() => after.client.restore(before.breaker.snapshot()), { code: 'INVALID_ARGUMENT', field: 'snapshot' })
})

test('a client without a breaker of the app keeps its own', async () => {
  const clock = new ManualClock()
  const make = () => new lib.ResilientLlmClient(new Script(httpError(503)), { clock, locale: 'en' })
  const before = make()
  await drive(clock, before.chat({}))
  const after = make()
  after.restore(before.snapshot(SAVED), SAVED)
  assert.equal(after.breakerState, OPEN)
})

test('a runner knows its services by their names', async () => {
  const clock = new ManualClock()
  const service = (name, step) => Object.assign(new Script(step), { name })
  const config = { clock, maxRetries: 0, circuitFailureThreshold: 1 }
  const before = new ResilientLlmRunner(service('a', httpError(503)), [service('b', 'from b')], config)
  assert.equal((await drive(clock, before.execute('hi'))).providerUsed, 'b')
  const text = before.snapshot(SAVED)

  const after = new ResilientLlmRunner(service('c', 'from c'), [service('a', 'from a')], config)
  after.restore(text, SAVED)
  assert.equal((await drive(clock, after.execute('hi'))).providerUsed, 'c', 'not known, so as new')
  const swapped = new ResilientLlmRunner(service('a', 'from a'), [service('c', 'from c')], config)
  swapped.restore(text, SAVED + 59_999)
  const answer = await drive(clock, swapped.execute('hi'))
  assert.deepEqual([answer.providerUsed, answer.passedOver[0].stopReason], ['c', 'circuit_open'])
  swapped.restore(text, SAVED + 60_000)
  assert.equal((await drive(clock, swapped.execute('hi'))).providerUsed, 'a')
  assert.throws(() => swapped.restore('{}'), { code: 'INVALID_ARGUMENT', field: 'snapshot' })
})

test('a clock or a listener of the app that throws costs neither', () => {
  const breaker = new CircuitBreaker(1, 1000, () => {
    throw new Error('no time')
  })
  breaker.onStateChange(() => {
    throw new Error('no ear')
  })
  breaker.recordFailure()
  breaker.restore(breaker.snapshot(SAVED), SAVED)
  assert.equal(breaker.state, OPEN)
  assert.equal(breaker.stats.listenerErrors, 1)
})
