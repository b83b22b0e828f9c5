// Bulkhead and BulkheadManager: places, queue, waits, work that outlives its caller, names.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { drive, gate, httpError, never, settle } from './support/help.mjs'

const { Bulkhead, BulkheadManager, BulkheadPermit, CancelToken, CircuitBreaker, ManualClock, ResilientLlmClient } = lib

function setUp(config) {
  const clock = new ManualClock()
  return { clock, bulkhead: new Bulkhead({ name: 'test', ...config }, clock) }
}

/** Schedules work that ends when its gate is opened. */
function occupy(bulkhead, options) {
  const work = gate()
  const done = bulkhead.schedule(() => work.promise, options)
  done.catch(() => {})
  return { ...work, done }
}

const now = (bulkhead) => [bulkhead.stats().running, bulkhead.stats().queued]

test('what the function gives comes through as it is', async () => {
  const { bulkhead } = setUp({ maxConcurrent: 1 })
  const object = { text: '你好' }
  for (const value of [object, 'text', '', '\ud800', 5, NaN, true, null, undefined, 5n, Symbol.iterator]) {
    assert.equal(await bulkhead.schedule(async () => value), value)
    assert.equal(await bulkhead.schedule(() => value), value) // no promise
  }
  assert.equal(bulkhead.stats().done, 22)
})

test('what the function throws comes through as it is, and its place is free', async () => {
  const { bulkhead } = setUp({ maxConcurrent: 1 })
  for (const error of [httpError(503), 'text', undefined, null, 5]) {
    for (const fails of [async () => { throw error }, () => { throw error }]) {
      let thrown = 'nothing'
      await bulkhead.schedule(fails).catch((caught) => (thrown = caught))
      assert.equal(thrown, error)
    }
  }
  assert.deepEqual(now(bulkhead), [0, 0])
})

test('no more than maxConcurrent run, the others wait in their order', async () => {
  const { bulkhead } = setUp({ maxConcurrent: 2 })
  const started = []
  const gates = Array.from({ length: 5 }, gate)
  const calls = gates.map((one, i) => bulkhead.schedule(() => (started.push(i), one.promise)))
  assert.deepEqual([started, now(bulkhead)], [[0, 1], [2, 3]])
  gates[1].open()
  await settle()
  assert.deepEqual(started, [0, 1, 2])
  gates.forEach((one, i) => one.open(i))
  assert.deepEqual(await Promise.all(calls), [0, undefined, 2, 3, 4])
  assert.deepEqual(started, [0, 1, 2, 3, 4])
})

test('a full queue rejects with bulkhead, and says why', async () => {
  const { bulkhead } = setUp({ maxConcurrent: 1, maxQueue: 1 })
  occupy(bulkhead)
  const waiting = occupy(bulkhead)
  const error = await assert.rejects(bulkhead.schedule(async () => assert.fail('it ran')), Error)
  assert.deepEqual([error.code, error.reason, error.retryable, error.retryAfterMs, error.class], ['bulkhead', 'queue_full', false, undefined, 'rejected'])
  assert.equal(error.message, "bulkhead 'test' rejects the call (queue_full)")
  assert.deepEqual([bulkhead.stats().rejected, now(bulkhead)], [1, [1, 1]])
  waiting.open()
})

test('maxWaitMs 0: now or not at all', async () => {
  const { bulkhead } = setUp({ maxConcurrent: 1 })
  const first = occupy(bulkhead, { maxWaitMs: 0 })
  assert.deepEqual(now(bulkhead), [1, 0])
  await assert.rejects(bulkhead.acquire({ maxWaitMs: 0 }), { code: 'bulkhead', reason: 'wait_too_long' })
  first.open()
  await first.done
  ;(await bulkhead.acquire({ maxWaitMs: 0 })).release()
})

test('a wait ends at its limit: that of the call, that of the bulkhead, the shorter one', async () => {
  for (const [config, options, limit] of [[{}, { maxWaitMs: 100 }, 100], [{ maxWaitMs: 50 }, {}, 50], [{ maxWaitMs: 50 }, { maxWaitMs: 100 }, 50]]) {
    const { bulkhead, clock } = setUp({ maxConcurrent: 1, ...config })
    occupy(bulkhead)
    let error
    bulkhead.schedule(never, options).catch((caught) => (error = caught))
    await clock.advanceAsync(limit - 1)
    assert.equal(error, undefined)
    await clock.advanceAsync(1)
    assert.deepEqual([error.code, error.reason], ['bulkhead', 'timed_out'])
    assert.deepEqual([bulkhead.stats().timedOut, now(bulkhead)], [1, [1, 0]])
  }
})

test('starts are minTime apart', async () => {
  const { bulkhead, clock } = setUp({ minTime: 200 })
  const starts = []
  const calls = [1, 2, 3].map(() => bulkhead.schedule(async () => starts.push(clock.now())))
  await drive(clock, Promise.all(calls))
  assert.deepEqual(starts, [0, 200, 400])
  const error = await assert.rejects(bulkhead.schedule(never, { maxWaitMs: 100 }), Error)
  assert.deepEqual([error.reason, error.retryAfterMs], ['wait_too_long', 200])
})

test('a reservoir bounds the starts of any interval', async () => {
  const { bulkhead, clock } = setUp({ reservoir: 2, reservoirRefreshInterval: 1000 })
  const starts = []
  const calls = [1, 2, 3, 4, 5].map(() => bulkhead.schedule(async () => starts.push(clock.now())))
  await drive(clock, Promise.all(calls))
  assert.deepEqual(starts, [0, 0, 1000, 1000, 2000])
})

test('a reservoir that no token comes back to: rejected for good, without a time', async () => {
  const { bulkhead } = setUp({ reservoir: 1 })
  await bulkhead.schedule(async () => {})
  const error = await assert.rejects(bulkhead.schedule(never), Error)
  assert.deepEqual([error.reason, 'retryAfterMs' in error], ['wait_too_long', false])
  await assert.rejects(setUp({ reservoir: 0 }).bulkhead.schedule(never), { reason: 'wait_too_long' })
})

test('a cancelled wait leaves the queue at once', async () => {
  const { bulkhead } = setUp({ maxConcurrent: 1, maxQueue: 1 })
  const [running, cancelToken] = [occupy(bulkhead), new CancelToken()]
  const waiting = bulkhead.schedule(async () => assert.fail('it ran'), { cancelToken })
  cancelToken.cancel()
  await assert.rejects(waiting, { code: 'cancelled' })
  assert.deepEqual([bulkhead.stats().cancelled, now(bulkhead)], [1, [1, 0]])
  const next = bulkhead.schedule(async () => 'next')
  running.open()
  assert.equal(await next, 'next')
})

test('a token that was cancelled before: nothing runs', async () => {
  const { bulkhead } = setUp()
  const cancelToken = new CancelToken()
  cancelToken.cancel()
  await assert.rejects(bulkhead.schedule(async () => assert.fail('it ran'), { cancelToken }), { code: 'cancelled' })
  await assert.rejects(bulkhead.acquire({ cancelToken }), { code: 'cancelled' })
})

test('a caller who leaves does not free the place of work that still runs', async () => {
  const { bulkhead, clock } = setUp({ maxConcurrent: 1 })
  for (const leave of ['cancel', 'timeout']) {
    const [work, cancelToken] = [gate(), new CancelToken()]
    const before = bulkhead.stats()
    const left = bulkhead.schedule(() => work.promise, { cancelToken, timeoutMs: 50 })
    left.catch(() => {})
    if (leave === 'cancel') cancelToken.cancel()
    else await clock.advanceAsync(50)
    assert.equal((await assert.rejects(left, Error)).code, leave === 'cancel' ? 'cancelled' : 'timeout')
    assert.deepEqual([bulkhead.stats().overrunning, bulkhead.stats().overrun - before.overrun], [1, 1])
    let ran = false
    const next = bulkhead.schedule(async () => (ran = true))
    await settle()
    assert.equal(ran, false)
    work.open()
    await next
    assert.deepEqual([bulkhead.stats().overrunning, now(bulkhead)], [0, [0, 0]])
  }
})

test('work that never ends keeps its place for overrunGraceMs', async () => {
  const { bulkhead, clock } = setUp({ maxConcurrent: 1, overrunGraceMs: 500 })
  const left = bulkhead.schedule(never, { timeoutMs: 50 })
  left.catch(() => {})
  await clock.advanceAsync(50)
  let ran = false
  bulkhead.schedule(async () => (ran = true))
  await clock.advanceAsync(499)
  assert.equal(ran, false)
  await clock.advanceAsync(1)
  assert.equal(ran, true)
})

test('work that fails after its caller has left harms nobody', async () => {
  const { bulkhead, clock } = setUp({ maxConcurrent: 1 })
  const work = occupy(bulkhead, { timeoutMs: 50 })
  await clock.advanceAsync(50)
  work.fail(httpError(503))
  await settle()
  assert.deepEqual([now(bulkhead), bulkhead.stats().overrunning], [[0, 0], 0])
})

test('a function that declares a parameter is told when it is given up', async () => {
  const { bulkhead, clock } = setUp()
  const reasons = []
  const listens = (token) => (token.onCancel((reason) => reasons.push(reason)), never())
  const cancelToken = new CancelToken()
  const calls = [bulkhead.schedule(listens, { cancelToken }), bulkhead.schedule(listens, { timeoutMs: 10 })]
  calls.forEach((call) => call.catch(() => {}))
  cancelToken.cancel()
  await clock.advanceAsync(10)
  assert.deepEqual(reasons, ['cancelled', 'timeout'])
  let given
  await bulkhead.schedule(function () { given = arguments.length })
  assert.equal(given, 0)
})

test('a permit gives its place back once', async () => {
  const { bulkhead } = setUp({ maxConcurrent: 1 })
  const permit = await bulkhead.acquire()
  assert.ok(permit instanceof BulkheadPermit)
  assert.throws(() => new BulkheadPermit(), { code: 'INVALID_CONFIG' })
  const second = bulkhead.acquire()
  assert.deepEqual(now(bulkhead), [1, 1])
  permit.release()
  permit.release()
  assert.deepEqual(now(bulkhead), [1, 0])
  ;(await second).release()
  assert.deepEqual([now(bulkhead), bulkhead.stats().done], [[0, 0], 2])
})

test('it may be entered from within', async () => {
  const { bulkhead } = setUp({ maxConcurrent: 2 })
  const inner = () => bulkhead.schedule(async () => 'inner')
  assert.equal(await bulkhead.schedule(inner), 'inner')
})

test('a rejection says nothing about the service: a breaker outside counts nothing, and the fallback stands in', async () => {
  const { bulkhead, clock } = setUp({ maxConcurrent: 1, maxQueue: 0 })
  occupy(bulkhead)
  const breaker = new CircuitBreaker(1, 5000, () => clock.now())
  const client = new ResilientLlmClient({ chat: () => bulkhead.schedule(async () => ({ text: 'x' })) }, { clock }, breaker, 'later')
  const outcome = await drive(clock, client.execute({}))
  assert.deepEqual([outcome.text, outcome.error.code, outcome.attempts, outcome.maybeBilled], ['later', 'rejected', 1, false])
  assert.deepEqual([breaker.stats.failures, breaker.stats.neutral, breaker.state], [0, 1, lib.BreakerState.CLOSED])
  assert.equal(lib.classifyError(await bulkhead.schedule(never).catch((error) => error)).code, 'rejected')
})

// Managers

const unique = (name) => `${name} ${Math.random()}`

test('whoever asks by the same name shares one bulkhead', async () => {
  const name = unique('shared')
  const [first, second] = [new BulkheadManager(), lib.createBulkheadManager()].map((manager) => manager.getOrCreate({ name, maxConcurrent: 1 }))
  const work = occupy(first)
  assert.deepEqual([second.name, second.configMismatch, now(second)], [name, false, [1, 0]])
  await assert.rejects(second.acquire({ maxWaitMs: 0 }), { code: 'bulkhead' })
  work.open()
  await work.done
})

test('other settings for the same name are reported', () => {
  const [name, manager] = [unique('mismatch'), new BulkheadManager()]
  assert.equal(manager.getOrCreate({ name, maxConcurrent: 1 }).configMismatch, false)
  assert.equal(manager.getOrCreate({ name, maxConcurrent: 2 }).configMismatch, true)
  assert.equal(manager.get(name).configMismatch, false, 'nothing was asked for')
  const own = new BulkheadManager(new ManualClock())
  assert.equal(own.getOrCreate({ name, maxConcurrent: 3 }).configMismatch, false)
  assert.equal(own.getOrCreate({ name, maxConcurrent: 4 }).configMismatch, true)
})

test('a name that nobody asked for is not there', () => {
  for (const manager of [new BulkheadManager(), new BulkheadManager(new ManualClock())]) {
    const name = unique('none')
    assert.equal(manager.get(name), undefined)
    assert.equal(manager.totalStats()[name], undefined)
    manager.getOrCreate({ name })
    assert.equal(manager.get(name).name, name)
  }
})

test('statistics of all, whatever their names', async () => {
  const manager = new BulkheadManager(new ManualClock())
  const names = ['__proto__', 'constructor', 'a"b\\c\nd', '模型', '\0', '1']
  for (const name of names) await manager.getOrCreate({ name }).schedule(async () => {})
  const total = manager.totalStats()
  assert.deepEqual(Object.keys(total).sort(), [...names].sort())
  for (const name of names) assert.equal(Object.getOwnPropertyDescriptor(total, name).value.done, 1)
})

test('a manager with a clock has bulkheads of its own, on that clock', async () => {
  const [clock, name] = [new ManualClock(), unique('own')]
  const bulkhead = new BulkheadManager(clock).getOrCreate({ name, minTime: 1000 })
  const starts = []
  const calls = [1, 2].map(() => bulkhead.schedule(async () => starts.push(clock.now())))
  await drive(clock, Promise.all(calls))
  assert.deepEqual(starts, [0, 1000])
  assert.equal(new BulkheadManager().get(name), undefined)
})

test('10 000 names: no more than 500 are kept, those in use among them', async () => {
  const manager = new BulkheadManager()
  const kept = manager.getOrCreate({ name: unique('kept'), maxConcurrent: 1 })
  const permit = await kept.acquire()
  const handles = []
  for (let i = 0; i < 10000; i++) handles.push(manager.getOrCreate({ name: `many ${i}`, maxConcurrent: 7 }))
  assert.between(Object.keys(manager.totalStats()).length, 400, 500)
  assert.equal(kept.stats().running, 1)
  permit.release()
  // one that was forgotten is as new, with the same settings
  assert.equal(manager.get('many 0'), undefined)
  const gates = Array.from({ length: 8 }, () => occupy(handles[0]))
  assert.deepEqual([now(handles[0]), handles[0].configMismatch], [[7, 1], false])
  gates.forEach((one) => one.open())
  await Promise.all(gates.map((one) => one.done))
})

test('when all 500 are in use, one more is refused by name', async () => {
  const manager = new BulkheadManager(new ManualClock())
  const places = []
  for (let i = 0; i < 500; i++) places.push(await manager.getOrCreate({ name: `busy ${i}` }).acquire())
  const error = assert.throws(() => manager.getOrCreate({ name: 'one more' }), { code: 'INVALID_CONFIG', field: 'name' })
  assert.equal(error.message, "name: got 'one more', allowed: one of the 500 names that are in use, which is the limit")
  places.forEach((place) => place.release())
})
