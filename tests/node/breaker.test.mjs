// CircuitBreaker beyond the article: permits, listeners, the manual switches, what it counts, how it cools down.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'

const { BreakerState, BreakerPermit, CircuitBreaker, ManualClock } = lib
const { CLOSED, OPEN, HALF_OPEN } = BreakerState

test('an enum is like one of ArkTS: its keys can be listed, and a number has its name', () => {
  assert.deepEqual(['CLOSED', 'OPEN', 'HALF_OPEN'].filter((name) => !Object.keys(BreakerState).includes(name)), [])
  assert.deepEqual([CLOSED, OPEN, HALF_OPEN].map((state) => BreakerState[state]), ['CLOSED', 'OPEN', 'HALF_OPEN'])
  assert.deepEqual(Object.keys(lib.Locale), ['Chinese', 'English'])
})

test('a permit is only made by tryAcquire()', () => {
  assert.throws(() => new BreakerPermit(), { code: 'INVALID_CONFIG' })
  assert.ok(new CircuitBreaker().tryAcquire() instanceof BreakerPermit)
})

/** A breaker (threshold 3, cooldown 1000) on a clock, and the events that it told. */
function breakerWith(options, threshold = 3, cooldown = 1000) {
  const clock = new ManualClock()
  const breaker = new CircuitBreaker(threshold, cooldown, () => clock.now(), options)
  const events = []
  breaker.onStateChange((event) => events.push(event))
  return { clock, breaker, events }
}

function trip(breaker, times = 3) {
  for (let i = 0; i < times; i++) breaker.recordFailure()
  assert.equal(breaker.state, OPEN)
}

/** Open and cooled down: the next call is a probe. */
function cooled(options, threshold, cooldown = 1000) {
  const run = breakerWith(options, threshold, cooldown)
  trip(run.breaker, threshold)
  run.clock.advance(cooldown)
  return run
}

// Permits

test('a permit reports for its own call', () => {
  const { breaker } = breakerWith()
  const permit = breaker.tryAcquire()
  assert.ok(permit instanceof BreakerPermit)
  assert.equal(permit.isProbe, false)
  permit.recordFailure()
  assert.equal(breaker.consecutiveFailures, 1)
})

test('a permit reports once', () => {
  const { breaker } = breakerWith()
  const permit = breaker.tryAcquire()
  permit.recordFailure()
  permit.recordFailure()
  permit.recordSuccess()
  permit.release()
  assert.deepEqual([breaker.stats.failures, breaker.stats.successes, breaker.stats.neutral], [1, 0, 0])
})

test('a rejected call has no permit', () => {
  const { breaker } = breakerWith()
  trip(breaker)
  assert.equal(breaker.tryAcquire(), null)
})

test('permits while half-open: the probe, and null until it reports', () => {
  const { breaker } = cooled()
  const probe = breaker.tryAcquire()
  assert.equal(probe.isProbe, true)
  assert.equal(breaker.tryAcquire(), null)
  probe.release()
  assert.equal(breaker.state, HALF_OPEN)
  breaker.tryAcquire().recordSuccess()
  assert.equal(breaker.state, CLOSED)
})

test('a permit from before the breaker opened counts no more', () => {
  const { breaker, clock } = breakerWith()
  const [late, later] = [breaker.tryAcquire(), breaker.tryAcquire()]
  trip(breaker)
  late.recordSuccess()
  assert.equal(breaker.state, OPEN)
  clock.advance(1000)
  const probe = breaker.tryAcquire()
  later.recordFailure()
  assert.equal(breaker.state, HALF_OPEN)
  probe.recordSuccess()
  assert.deepEqual([breaker.state, breaker.stats.stale], [CLOSED, 2])
})

test('a permit outlives its breaker', () => {
  let permit = new CircuitBreaker(1, 1000, () => 5).tryAcquire()
  permit.recordFailure()
  permit = new CircuitBreaker().tryAcquire()
  permit.recordSuccess()
})

test('a Retry-After that is wrong leaves the permit as it was', () => {
  const { breaker } = breakerWith()
  const permit = breaker.tryAcquire()
  assert.throws(() => permit.recordFailure(-1), { code: 'INVALID_ARGUMENT', field: 'retryAfterMs' })
  permit.recordFailure(10)
  assert.equal(breaker.stats.failures, 1)
})

test('BreakerPermit cannot be made by hand', () => {
  assert.throws(() => new BreakerPermit(), Error)
})

// Events

test('each change of state is told, with its reason, its time and the count that led to it', () => {
  const { breaker, clock, events } = breakerWith({ cooldownFactor: 2 })
  trip(breaker)
  clock.advance(1000)
  breaker.allowRequest()
  breaker.recordFailure()
  clock.advance(2000)
  breaker.allowRequest()
  breaker.recordSuccess()
  breaker.isolate()
  breaker.reset()
  const expected = [
    [CLOSED, OPEN, 'failures', 0, 3, 1000],
    [OPEN, HALF_OPEN, 'cooldown_over', 1000, 3, 0],
    [HALF_OPEN, OPEN, 'probe_failed', 1000, 4, 2000],
    [OPEN, HALF_OPEN, 'cooldown_over', 3000, 4, 0],
    [HALF_OPEN, CLOSED, 'probe_succeeded', 3000, 4, 0],
    [CLOSED, OPEN, 'manual', 3000, 0, 0],
    [OPEN, CLOSED, 'manual', 3000, 0, 0],
  ]
  assert.deepEqual(events.map((e) => [e.from, e.to, e.reason, e.atMs, e.failures, e.cooldownMs]), expected)
})

test('what changes nothing is not told', () => {
  const { breaker, events } = breakerWith()
  breaker.reset()
  breaker.recordSuccess()
  breaker.recordFailure()
  breaker.recordNeutral()
  breaker.forceClosed()
  breaker.allowRequest()
  assert.deepEqual(events, [])
})

test('listeners are told in order; one that threw is counted and keeps nobody from being told', () => {
  const breaker = new CircuitBreaker(1)
  const seen = []
  breaker.onStateChange(() => seen.push('first'))
  breaker.onStateChange(() => {
    throw new Error('listener')
  })
  breaker.onStateChange(() => seen.push('third'))
  breaker.recordFailure()
  assert.deepEqual([seen, breaker.stats.listenerErrors, breaker.state], [['first', 'third'], 1, OPEN])
})

test('offStateChange takes a listener back, once', () => {
  const { breaker } = breakerWith()
  let calls = 0
  const id = breaker.onStateChange(() => calls++)
  assert.deepEqual([breaker.offStateChange(id), breaker.offStateChange(id), breaker.offStateChange(999)], [true, false, false])
  trip(breaker)
  assert.equal(calls, 0)
})

test('a listener sees the new state and may use the breaker', () => {
  const { breaker } = breakerWith()
  const seen = []
  breaker.onStateChange((event) => {
    seen.push([event.to, breaker.state, breaker.allowRequest()])
    if (event.to === OPEN) breaker.reset()
  })
  trip3(breaker)
  assert.deepEqual(seen, [[OPEN, OPEN, false], [CLOSED, CLOSED, true]])
  assert.equal(breaker.state, CLOSED)
})
const trip3 = (breaker) => Array.from({ length: 3 }, () => breaker.recordFailure())

test('a listener may take itself back, and add others', () => {
  const { breaker } = breakerWith()
  let [once, added] = [0, 0]
  const id = breaker.onStateChange(() => {
    once++
    breaker.offStateChange(id)
    breaker.onStateChange(() => added++)
  })
  trip(breaker)
  breaker.reset()
  assert.deepEqual([once, added], [1, 1])
})

test('a thousand listeners come and go', () => {
  const { breaker } = breakerWith()
  let calls = 0
  const ids = Array.from({ length: 1000 }, () => breaker.onStateChange(() => calls++))
  assert.equal(new Set(ids).size, 1000)
  ids.forEach((id, i) => i % 2 && breaker.offStateChange(id))
  trip(breaker)
  assert.equal(calls, 500)
})

// Manual switches

test('isolate rejects all until reset', () => {
  const { breaker, clock } = breakerWith()
  breaker.isolate()
  assert.deepEqual([breaker.state, breaker.retryAfterMs, breaker.allowRequest()], [OPEN, Infinity, false])
  clock.advance(1e9)
  breaker.recordSuccess()
  assert.equal(breaker.allowRequest(), false)
  breaker.reset()
  assert.deepEqual([breaker.state, breaker.retryAfterMs, breaker.allowRequest()], [CLOSED, 0, true])
})

test('forceClosed admits all and counts nothing until reset', () => {
  const { breaker } = breakerWith()
  trip(breaker)
  breaker.forceClosed()
  for (let i = 0; i < 100; i++) breaker.recordFailure(60000)
  assert.deepEqual([breaker.state, breaker.retryAfterMs, breaker.consecutiveFailures, breaker.allowRequest()], [CLOSED, 0, 0, true])
  breaker.reset()
  trip(breaker)
})

test('isolate and forceClosed replace each other', () => {
  const { breaker } = breakerWith()
  breaker.isolate()
  breaker.forceClosed()
  assert.equal(breaker.allowRequest(), true)
  breaker.isolate()
  assert.equal(breaker.allowRequest(), false)
})

test('reset forgets failures, cooldown and Retry-After; calls in flight no longer count', () => {
  const { breaker } = breakerWith()
  const permit = breaker.tryAcquire()
  breaker.recordFailure(60000)
  breaker.recordFailure()
  breaker.reset()
  permit.recordFailure()
  assert.deepEqual([breaker.consecutiveFailures, breaker.retryAfterMs, breaker.state], [0, 0, CLOSED])
})

// What it counts

test('stats count results, rejections and changes', () => {
  const { breaker, clock } = breakerWith()
  breaker.recordSuccess()
  breaker.recordSuccess()
  breaker.recordNeutral()
  trip(breaker)
  breaker.allowRequest()
  breaker.allowRequest()
  clock.advance(1000)
  breaker.allowRequest()
  breaker.recordSuccess()
  assert.deepEqual(breaker.stats, {
    successes: 3, failures: 3, neutral: 1, stale: 0, rejected: 2, opened: 1, halfOpened: 1, closed: 1, listenerErrors: 0,
  })
})

test('reading changes nothing', () => {
  const { breaker } = cooled()
  for (let i = 0; i < 5; i++) {
    assert.deepEqual([breaker.state, breaker.retryAfterMs, breaker.consecutiveFailures], [OPEN, 0, 3])
    breaker.stats
    JSON.stringify(breaker)
    Object.keys(breaker)
  }
  assert.equal(breaker.allowRequest(), true, 'the probe is still to be had')
})

test('neutral results leave the failures as they are', () => {
  const { breaker } = breakerWith()
  breaker.recordFailure()
  breaker.recordFailure()
  for (let i = 0; i < 10; i++) breaker.recordNeutral()
  assert.equal(breaker.consecutiveFailures, 2)
  breaker.recordFailure()
  assert.equal(breaker.state, OPEN)
})

test('a neutral probe gives its place back, a thousand times', () => {
  const { breaker } = cooled()
  for (let i = 0; i < 1000; i++) {
    assert.equal(breaker.allowRequest(), true)
    breaker.recordNeutral()
    assert.equal(breaker.state, HALF_OPEN)
  }
})

// Cooling down

test('retryAfterMs counts down', () => {
  const { breaker, clock } = breakerWith()
  assert.equal(breaker.retryAfterMs, 0)
  trip(breaker)
  assert.equal(breaker.retryAfterMs, 1000)
  clock.advance(999.5)
  assert.equal(breaker.retryAfterMs, 1, 'rounded up: a wait that is named must not be too short')
  clock.advance(0.5)
  assert.equal(breaker.retryAfterMs, 0)
})

test('retryAfterMs while half-open: until the probe loses its place', () => {
  const { breaker } = cooled({ probeLeaseMs: 700 })
  breaker.allowRequest()
  assert.equal(breaker.retryAfterMs, 700)
})

test('Retry-After holds calls back while closed, and lengthens the cooldown', () => {
  const { breaker, clock } = breakerWith()
  breaker.recordFailure(400)
  assert.deepEqual([breaker.state, breaker.allowRequest(), breaker.retryAfterMs], [CLOSED, false, 400])
  clock.advance(400)
  assert.equal(breaker.allowRequest(), true)
  breaker.recordFailure()
  breaker.recordFailure(9000)
  assert.deepEqual([breaker.state, breaker.retryAfterMs], [OPEN, 9000])
})

test('a cooldown of zero: half-open at once', () => {
  const { breaker } = breakerWith({}, 1, 0)
  trip(breaker, 1)
  assert.equal(breaker.allowRequest(), true)
  assert.equal(breaker.state, HALF_OPEN)
})

test('cooldowns grow by the factor, up to the maximum, and start anew after a quiet time', () => {
  const { breaker, clock, events } = breakerWith({ cooldownFactor: 3, maxCooldownMs: 5000, cooldownResetMs: 10000 })
  trip(breaker)
  for (let i = 0; i < 3; i++) {
    clock.advance(breaker.retryAfterMs)
    breaker.allowRequest()
    breaker.recordFailure()
  }
  clock.advance(breaker.retryAfterMs)
  breaker.allowRequest()
  breaker.recordSuccess()
  clock.advance(10000)
  trip(breaker)
  assert.deepEqual(events.filter((e) => e.to === OPEN).map((e) => e.cooldownMs), [1000, 3000, 5000, 5000, 1000])
})

test('cooldowns are spread', () => {
  const cooldowns = new Set()
  for (let device = 0; device < 40; device++) {
    const { breaker } = breakerWith({ cooldownSpread: 0.2 }, 1, 10000)
    trip(breaker, 1)
    assert.between(breaker.retryAfterMs, 8000, 12000)
    cooldowns.add(breaker.retryAfterMs)
  }
  assert.ok(cooldowns.size > 20)
})

test('several probes, several successes to close', () => {
  const { breaker } = cooled({ halfOpenProbes: 2, successThreshold: 3 })
  assert.deepEqual([breaker.allowRequest(), breaker.allowRequest(), breaker.allowRequest()], [true, true, false])
  breaker.recordSuccess()
  breaker.recordSuccess()
  assert.equal(breaker.state, HALF_OPEN)
  breaker.allowRequest()
  breaker.recordSuccess()
  assert.equal(breaker.state, CLOSED)
})

test('a probe that never reports loses its place when its lease ends', () => {
  const { breaker, clock } = cooled({ probeLeaseMs: 700 })
  const lost = breaker.tryAcquire()
  clock.advance(699)
  assert.equal(breaker.tryAcquire(), null)
  clock.advance(1)
  const probe = breaker.tryAcquire()
  assert.ok(probe)
  lost.recordFailure()
  assert.deepEqual([breaker.state, breaker.stats.stale], [HALF_OPEN, 1], 'its result is too late')
  assert.equal(breaker.tryAcquire(), null, 'and frees nobody else’s place')
})

// Whatever now does

test('a clock that starts at any number will do', () => {
  for (const origin of [0, 1.7e12, -5e9, 0.25]) {
    let time = origin
    const breaker = new CircuitBreaker(1, 1000, () => time)
    breaker.recordFailure()
    time += 999
    assert.equal(breaker.allowRequest(), false)
    time += 1
    assert.equal(breaker.allowRequest(), true, String(origin))
  }
})

test('a clock that is set back costs no more than the jump: time runs on from there', () => {
  let time = 1.7e12
  const breaker = new CircuitBreaker(1, 1000, () => time)
  breaker.recordFailure()
  time -= 3600000
  assert.deepEqual([breaker.allowRequest(), breaker.retryAfterMs], [false, 1000])
  time += 1000
  assert.equal(breaker.allowRequest(), true)
})

test('a now that gives nonsense leaves the time where it was', () => {
  for (const nonsense of [NaN, Infinity, -Infinity, undefined, null, '5000', {}, []]) {
    let value = 0
    const breaker = new CircuitBreaker(1, 1000, () => value)
    breaker.recordFailure()
    value = nonsense
    assert.deepEqual([breaker.allowRequest(), breaker.retryAfterMs], [false, 1000], String(nonsense))
    value = 1000
    assert.equal(breaker.allowRequest(), true)
  }
})

test('a now that throws leaves the time where it was', () => {
  let broken = false
  const breaker = new CircuitBreaker(1, 1000, () => {
    if (broken) throw new Error('clock')
    return 0
  })
  breaker.recordFailure()
  broken = true
  assert.deepEqual([breaker.allowRequest(), breaker.retryAfterMs], [false, 1000])
})

// Windows

test('a window of calls opens by the share of failed ones', () => {
  const breaker = new CircuitBreaker(3, 5000, () => 0, { window: { calls: 10, minimumCalls: 4, failureRate: 0.5 } })
  const events = []
  breaker.onStateChange((event) => events.push([event.reason, event.failures]))
  for (const ok of [true, false, true]) ok ? breaker.recordSuccess() : breaker.recordFailure()
  assert.deepEqual([breaker.state, { ...breaker.windowCounts }], [CLOSED, { total: 3, failed: 1, slow: 0 }])
  breaker.recordFailure()
  assert.deepEqual([breaker.state, events], [OPEN, [['window', 2]]])
})

test('a window of time forgets what is older; slow calls count whether they succeed or not', () => {
  let time = 0
  const breaker = new CircuitBreaker(3, 5000, () => time, { window: { lengthMs: 10000, buckets: 10, slowRate: 0.5, slowCallMs: 3000 } })
  breaker.recordSuccess(3000)
  breaker.recordFailure(undefined, 5000)
  time = 20000
  assert.deepEqual({ ...breaker.windowCounts }, { total: 0, failed: 0, slow: 0 })
  for (const took of [100, 3000, 2999]) breaker.tryAcquire().recordSuccess(took)
  assert.equal(breaker.state, CLOSED)
  breaker.recordSuccess(9000)
  assert.equal(breaker.state, OPEN, 'two of four')
})

test('five failures within 60 seconds, however many succeed between (article 002)', () => {
  let time = 0
  const breaker = new CircuitBreaker(3, 5000, () => time, { window: { lengthMs: 60000, buckets: 60, minimumCalls: 1, failures: 5 } })
  for (let i = 0; i < 4; i++, time += 10000) {
    breaker.recordFailure()
    breaker.recordSuccess()
  }
  assert.equal(breaker.state, CLOSED)
  breaker.recordFailure()
  assert.equal(breaker.state, OPEN)
})

test('without a window there are no counts, and what does not go together is refused', () => {
  assert.equal(new CircuitBreaker().windowCounts, undefined)
  const refused = (window) => assert.throws(() => new CircuitBreaker(3, 5000, undefined, { window }), { code: 'INVALID_CONFIG' }).message
  assert.equal(refused({ calls: 10, lengthMs: 5 }), 'window.calls: got 10, allowed: nothing beside lengthMs or buckets')
  assert.equal(refused({ calls: 5, minimumCalls: 6 }), 'window.minimumCalls: got 6, allowed: a whole number from 1 to 5')
  assert.equal(refused({ calls: 5, minimumCalls: 1.5 }), 'window.minimumCalls: got 1.5, allowed: a whole number from 1 to 5')
  assert.equal(refused({ failureRate: 0 }), 'window.failureRate: got 0, allowed: a number above 0, up to 1')
})
