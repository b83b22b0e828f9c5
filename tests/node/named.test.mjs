// CircuitBreaker.named and what is told of all names. Named breakers run on the device's clock: cooldowns are 0 or long.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { httpError, settle } from './support/help.mjs'

const { BreakerState, BulkheadManager, CircuitBreaker, ResilientLlmClient } = lib
const { CLOSED, OPEN, HALF_OPEN } = BreakerState

const unique = (name) => `${name} ${Math.random()}`
const LONG = 3600000

test('one breaker for a name, whoever asks', () => {
  const name = unique('shared')
  const [first, second] = [1, 2].map(() => CircuitBreaker.named(name, { failureThreshold: 2, cooldownMs: LONG }))
  assert.ok(first instanceof CircuitBreaker)
  first.recordFailure()
  second.recordFailure()
  assert.deepEqual([first.state, second.state, first.name, second.stats.failures], [OPEN, OPEN, name, 2])
  assert.equal(new CircuitBreaker().name, undefined)
})

test('all options of a breaker are options of a named one', () => {
  const breaker = CircuitBreaker.named(unique('options'), { cooldownMs: LONG, window: { calls: 4, minimumCalls: 2, failureRate: 0.5 } })
  breaker.recordSuccess()
  breaker.recordFailure()
  assert.deepEqual([breaker.state, { ...breaker.windowCounts }], [OPEN, { total: 0, failed: 0, slow: 0 }])
})

test('other settings are reported, and change nothing', () => {
  const name = unique('mismatch')
  const first = CircuitBreaker.named(name, { failureThreshold: 1, cooldownMs: LONG })
  const second = CircuitBreaker.named(name, { failureThreshold: 99, cooldownMs: LONG })
  const third = CircuitBreaker.named(name)
  assert.deepEqual([first, second, third].map((breaker) => breaker.configMismatch), [false, true, false])
  assert.equal(new CircuitBreaker().configMismatch, false)
  second.recordFailure()
  assert.equal(third.state, OPEN, 'the first one named it')
})

test('a permit of a named breaker belongs to its call', () => {
  const breaker = CircuitBreaker.named(unique('permit'), { failureThreshold: 1, cooldownMs: 0 })
  const [early, late] = [breaker.tryAcquire(), breaker.tryAcquire()]
  early.recordFailure()
  late.recordSuccess()
  assert.deepEqual([breaker.state, breaker.stats.stale], [OPEN, 1])
  const probe = breaker.tryAcquire()
  assert.deepEqual([probe.isProbe, breaker.tryAcquire(), breaker.state], [true, null, HALF_OPEN])
  probe.recordSuccess()
  assert.equal(breaker.state, CLOSED)
})

test('a listener of one instance hears what another one brings about, until it is taken back there', () => {
  const name = unique('listeners')
  const [here, there] = [1, 2].map(() => CircuitBreaker.named(name))
  const heard = []
  const id = here.onStateChange((event) => heard.push(event.to))
  there.isolate()
  assert.equal(there.offStateChange(id), false, 'it is none of its own')
  there.reset()
  assert.deepEqual(heard, [OPEN, CLOSED])
  assert.equal(here.offStateChange(id), true)
  there.isolate()
  assert.equal(heard.length, 2)
  there.reset()
})

test('listeners that throw cost the call nothing and are counted', async () => {
  const breaker = CircuitBreaker.named(unique('throws'))
  breaker.onStateChange(() => { throw new Error('x') })
  breaker.onStateChange(async () => { throw new Error('x') })
  breaker.isolate()
  await settle()
  assert.deepEqual([breaker.state, breaker.stats.listenerErrors], [OPEN, 2])
})

test('a client takes a named breaker like any other', async () => {
  const name = unique('client')
  const inner = { chat: async () => { throw httpError(503) } }
  const client = () => new ResilientLlmClient(inner, { maxRetries: 0 }, CircuitBreaker.named(name, { failureThreshold: 2, cooldownMs: LONG }), 'later')
  await client().chat({})
  await client().chat({})
  const outcome = await client().execute({})
  assert.deepEqual([outcome.stopReason, outcome.attempts, CircuitBreaker.named(name).state], ['circuit_open', 0, OPEN])
})

test('10 000 names and as many instances: 500 are kept, and none that is not as new is forgotten', () => {
  const keep = {
    open: (breaker) => breaker.recordFailure(),
    isolated: (breaker) => breaker.isolate(),
    'forced closed': (breaker) => breaker.forceClosed(),
    'with a permit': (breaker) => breaker.tryAcquire(),
    'with a listener': (breaker) => breaker.onStateChange(() => {}),
    'with a client': (breaker) => new ResilientLlmClient({ chat: async () => ({ text: 'x' }) }, {}, breaker),
    'told to wait': (breaker) => breaker.recordFailure(LONG),
  }
  const kept = []
  const held = Object.entries(keep).map(([why, act]) => {
    const breaker = CircuitBreaker.named(unique(why), { failureThreshold: why === 'told to wait' ? 9 : 1, cooldownMs: LONG })
    breaker.tryAcquire().recordSuccess()
    kept.push(act(breaker))
    return [why, breaker]
  })
  const handles = []
  for (let i = 0; i < 10000; i++) handles.push(CircuitBreaker.named(`many ${i}`, { failureThreshold: 1, cooldownMs: LONG }))
  const all = lib.metrics().breakers
  assert.between(all.length, 400, 500)
  for (const [why, breaker] of held) assert.equal(breaker.stats.successes, 1, why)
  // one that was forgotten is there again with the same settings
  assert.ok(!all.some((breaker) => breaker.name === 'many 0'))
  handles[0].recordFailure()
  assert.deepEqual([handles[0].state, handles[0].configMismatch, CircuitBreaker.named('many 0').state], [OPEN, false, OPEN])
  held.forEach(([, breaker]) => breaker.reset())
  handles[0].reset()
  assert.equal(kept.length, 7)
})

test('a reported permit, and a listener that was taken back, keep nothing in use', () => {
  const breaker = CircuitBreaker.named(unique('idle'))
  breaker.tryAcquire().recordSuccess()
  breaker.offStateChange(breaker.onStateChange(() => {}))
  for (let i = 0; i < 600; i++) CircuitBreaker.named(`push ${i}`)
  assert.ok(!lib.metrics().breakers.some(({ name }) => name === breaker.name))
  assert.deepEqual([breaker.stats.successes, breaker.state], [0, CLOSED], 'a new one')
})

test('when all 500 are in use, one more is refused by name; then there is room again', () => {
  const open = []
  assert.throws(() => {
    for (let i = 0; i <= 500; i++) {
      const breaker = CircuitBreaker.named(`busy ${i}`)
      breaker.isolate()
      open.push(breaker)
    }
  }, { code: 'INVALID_CONFIG', field: 'name', message: /^name: got 'busy \d+', allowed: one of the 500 names that are in use/ })
  open.forEach((breaker) => breaker.reset())
  assert.equal(CircuitBreaker.named('room again').state, CLOSED)
})

// What is told of all names

/** Names that would break a text that only pastes them in. */
const hostile = ['a"b', 'back\\slash', 'line\nfeed', '} 1\nfake_metric{x="', '\\', '\\"', '\r\n', '\0', '模型 🐴', '\ud800', '# HELP x', '{}', ' ', '__proto__']

test('metrics(): everything that is named, as it is now', async () => {
  const name = unique('metrics')
  const breaker = CircuitBreaker.named(name, { failureThreshold: 2, cooldownMs: LONG })
  const found = () => lib.metrics().breakers.find((one) => one.name === name)
  assert.deepEqual([found().state, found().retryAfterMs, found().consecutiveFailures], [CLOSED, 0, 0])
  breaker.recordFailure()
  assert.equal(found().consecutiveFailures, 1)
  breaker.recordFailure()
  assert.deepEqual([found().state, found().stats.failures, found().stats.opened], [OPEN, 2, 1])
  assert.between(found().retryAfterMs, LONG - 60000, LONG)
  breaker.isolate()
  assert.equal(found().retryAfterMs, Infinity)
  breaker.reset()
  await new BulkheadManager().getOrCreate({ name }).schedule(async () => {})
  const bulkhead = lib.metrics().bulkheads.find((one) => one.name === name)
  assert.deepEqual({ ...bulkhead.stats }, { running: 0, queued: 0, overrunning: 0, done: 1, rejected: 0, timedOut: 0, cancelled: 0, overrun: 0 })
})

test('prometheusText() says the same, each name escaped', () => {
  for (const name of hostile) CircuitBreaker.named(name).tryAcquire().recordSuccess()
  for (const name of hostile) new BulkheadManager().getOrCreate({ name })
  const text = lib.prometheusText()
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('# '))
  const label = (name) => name.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n').replace('\ud800', '\ufffd')
  for (const name of hostile) {
    assert.ok(samples.includes(`resilience_breaker_state{name="${label(name)}",state="closed"} 1`), name)
    assert.ok(samples.includes(`resilience_bulkhead_queued{name="${label(name)}"} 0`), name)
  }
  const { breakers, bulkheads } = lib.metrics()
  assert.equal(samples.length, breakers.length * 13 + bulkheads.length * 7, 'nothing beside what is named')
  for (const sample of samples) assert.match(sample, /^resilience_(breaker|bulkhead)_[a-z_]+\{name="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z]+="[a-z_]+")?\} (?:\d+(?:\.\d+)?|\+Inf)$/)
})
