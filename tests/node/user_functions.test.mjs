// Whatever a function of the app does, and whenever: the module works on, the call gets a name, the next one succeeds.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, httpError, never, settle, setUp, sleep } from './support/help.mjs'

const { CancelToken, CircuitBreaker, ManualClock, MockLlmClient, ResilientLlmClient } = lib
const answer = (text) => ({ text })

// Every place where the module calls the app. `make(bad)` gives a call in real time that runs `bad` there: `late` in the
// module's own wake-up, after a wait, otherwise at once. `ends` is what the call comes to when `bad` throws.
const quick = { baseMs: 1, factor: 1, jitter: 'none', attemptTimeoutMs: 5000 }
const run = (inner, config, breaker, fallback, onRetry) => {
  const client = new ResilientLlmClient(inner, { ...quick, ...config }, breaker || new CircuitBreaker(100), fallback, onRetry)
  return { client, call: () => client.execute({}) }
}
// fails until its last step, at once and without a promise, so that what follows the wait runs in the wake-up
const failing = (times) => {
  let calls = 0
  return { chat: () => { if (calls++ < times) throw httpError(503); return answer('x') } }
}
const places = [
  {
    name: 'the inner client',
    ends: ['error', 'client_bug'],
    make: (bad) => run({ chat: bad }),
    late: (bad) => {
      let calls = 0
      return run({ chat: (request) => { if (calls++ === 0) throw httpError(503); return bad(request) } })
    },
  },
  {
    name: 'onRetry',
    ends: ['ok', undefined],
    make: (bad) => run(failing(1), {}, undefined, undefined, bad),
    late: (bad) => run(failing(2), {}, undefined, undefined, (event) => event.attempt === 2 && bad(event)),
  },
  {
    name: 'the fallback',
    ends: ['error', 'overloaded'],
    make: (bad) => run(failing(9), { maxRetries: 0 }, undefined, bad),
    late: (bad) => run(failing(9), { maxRetries: 1 }, undefined, bad),
  },
  {
    name: 'rng',
    ends: ['ok', undefined],
    make: (bad) => run(failing(1), { jitter: 'full', rng: bad }),
    late: (bad) => {
      let draws = 0
      return run(failing(2), { jitter: 'full', rng: () => (draws++ === 0 ? 0 : bad()) })
    },
  },
  {
    name: 'now of the breaker',
    ends: ['fallback', 'overloaded'],
    make: (bad) => run(failing(9), { maxRetries: 0 }, new CircuitBreaker(1, 1000, bad)),
    late: (bad) => {
      let calls = 0
      return run(failing(9), { maxRetries: 1 }, new CircuitBreaker(2, 1000, () => (calls++ === 0 ? 0 : bad())))
    },
  },
  {
    name: 'a listener of the breaker',
    ends: ['fallback', 'overloaded'],
    make: (bad) => run(failing(9), { maxRetries: 0 }, listening(new CircuitBreaker(1), bad)),
    late: (bad) => run(failing(9), { maxRetries: 1 }, listening(new CircuitBreaker(2), bad)),
  },
  {
    name: 'a listener of a cancel token',
    ends: ['cancelled', 'cancelled'],
    make: (bad) => {
      const cancelToken = new CancelToken()
      cancelToken.onCancel(bad)
      const client = new ResilientLlmClient({ chat: never }, quick)
      const call = () => {
        const call = client.execute({}, { cancelToken })
        cancelToken.cancel()
        return call
      }
      return { client, call }
    },
    lateEnds: ['fallback', 'timeout'],
    late: (bad) => run({ chat: (request, context) => (context.cancelToken.onCancel(bad), never()) }, { attemptTimeoutMs: 2, maxRetries: 0 }),
  },
]

function listening(breaker, listener) {
  breaker.onStateChange(listener)
  return breaker
}

/** Everything works: timers, promises, other clients. */
async function worksOn() {
  await sleep(1)
  const { client } = run(new Script(httpError(503), answer('after all')))
  assert.equal(await client.chat({}), 'after all')
  const virtual = setUp(new Script(httpError(503), answer('x')))
  assert.equal(await virtual.chat({}), 'x')
}

for (const { name, ends, make, late, lateEnds = ends } of places) {
  for (const [when, build, expected] of [['at once', make, ends], ['after a wait', late, lateEnds]]) {
    test(`${name} throws ${when}`, async () => {
      for (const thrown of [new TypeError('from the app'), undefined, 'text', null]) {
        let calls = 0
        const { call } = build(() => {
          calls++
          throw thrown
        })
        const outcome = await call()
        assert.ok(calls > 0, 'it was called')
        if (thrown instanceof Error || name !== 'the inner client') {
          assert.deepEqual([outcome.status, outcome.error && outcome.error.code], expected)
        } else {
          assert.equal(outcome.error.code, 'unknown')
        }
        await worksOn()
      }
    })

    test(`${name} gives a promise that is rejected, ${when}`, async () => {
      let calls = 0
      const { call } = build(() => {
        calls++
        return Promise.reject(new TypeError('from the app'))
      })
      const outcome = await call()
      assert.ok(calls > 0)
      assert.deepEqual([outcome.status, outcome.error && outcome.error.code], expected)
      await worksOn()
    })

    test(`${name} returns nonsense ${when}`, async () => {
      const nonsense = [undefined, null, NaN, Infinity, -Infinity, -1, 1e308, 2 ** 53 + 1, true, 'text', '', {}, [], () => {}, new Error('x'), Object.freeze({}), never(), { then() {} }]
      for (const value of nonsense) {
        let calls = 0
        const { call } = build(() => {
          calls++
          return value
        })
        const outcome = await hurry(call())
        assert.ok(calls > 0)
        assert.ok(['ok', 'fallback', 'error', 'cancelled'].includes(outcome.status))
      }
      await worksOn()
    })
  }
}

/** What waits for a fallback or client that never settles would take its whole timeout: seconds. */
function hurry(call) {
  const hung = sleep(40).then(() => ({ status: 'error' }))
  return Promise.race([call, hung])
}

test('a rejected promise of a listener is counted like an exception', async () => {
  const rejects = () => Promise.reject(new Error('later'))
  const breaker = listening(new CircuitBreaker(1), rejects)
  const { client } = run(failing(1), {}, breaker, undefined, rejects)
  await client.execute({})
  await settle()
  assert.equal(breaker.stats.listenerErrors, 1)
  const retried = run(failing(1), {}, undefined, undefined, rejects)
  await retried.client.execute({})
  await settle()
  assert.equal(retried.client.listenerErrors, 1)
})

test('what a listener returns is followed as await would', async () => {
  class Failing extends Promise {
    then(resolved, rejected) { return Promise.reject(new Error('by its own then')).then(resolved, rejected) }
  }
  // a species that cannot be made is the trouble of whoever calls then
  class Narrow extends Promise {
    constructor(text) {
      super((resolve) => resolve(text.length))
    }
    then(resolved, rejected) { return Promise.resolve(this.constructor.name).then(resolved, rejected) }
  }
  for (const [returned, errors] of [[Failing.resolve(1), 1], [new Narrow('x'), 0]]) {
    const breaker = listening(new CircuitBreaker(1), () => returned)
    breaker.recordFailure()
    await settle()
    assert.equal(breaker.stats.listenerErrors, errors)
  }
})

// Functions that call back

/** Everything that may be called back into, on the same objects. */
const callbacks = {
  'chat of the same client': ({ client }) => void client.chat({ nested: true }),
  'execute of the same client with a cancelled token': ({ client }) => {
    const cancelToken = new CancelToken()
    cancelToken.cancel()
    client.execute({ nested: true }, { cancelToken })
  },
  'reset of the breaker': ({ breaker }) => breaker.reset(),
  'isolate and reset of the breaker': ({ breaker }) => (breaker.isolate(), breaker.reset()),
  'recordFailure on the breaker': ({ breaker }) => breaker.recordFailure(),
  'allowRequest on the breaker': ({ breaker }) => breaker.allowRequest(),
  'cancel of the token': ({ token }) => token.cancel(),
  'advance of the clock': ({ clock }) => clock.advance(1000),
  'advanceAsync of the clock': ({ clock }) => void clock.advanceAsync(1000),
  'all getters': ({ client, breaker, token, clock }) => [client.lastAttempts, client.usedFallback, client.breakerState, breaker.stats, breaker.retryAfterMs, token.reason, clock.nextSleepMs],
  'new objects': () => new ResilientLlmClient(new MockLlmClient(), { clock: new ManualClock() }, new CircuitBreaker()).chat({}),
}

/** Every function of one client calls `back`, though not from within itself. */
function allCallBack(back) {
  const clock = new ManualClock()
  const token = new CancelToken()
  const objects = { clock, token }
  let depth = 0
  const calls = {}
  const calling = (name, value) => () => {
    calls[name] = (calls[name] || 0) + 1
    if (depth++ === 0) back(objects)
    depth--
    return typeof value === 'function' ? value() : value
  }
  const inner = { calls: 0, chat: calling('chat', () => { if (inner.calls++ % 4 < 3) throw httpError(503); return answer('x') }) }
  objects.breaker = listening(new CircuitBreaker(3, 500, calling('now', () => clock.now())), calling('breaker listener'))
  const config = { clock, baseMs: 100, maxRetries: 3, rng: calling('rng', 0.5), budget: { capacity: 1000 } }
  objects.client = new ResilientLlmClient(inner, config, objects.breaker, calling('fallback', 'later'), calling('onRetry'))
  token.onCancel(calling('cancel listener'))
  return { ...objects, calls }
}

// a breaker that is reset on each failure never opens; one that gets extra failures opens before the first retry
const unreached = {
  'reset of the breaker': ['breaker listener'],
  'isolate and reset of the breaker': ['breaker listener'],
  'recordFailure on the breaker': ['rng', 'onRetry'],
}

for (const [name, back] of Object.entries(callbacks)) {
  test(`every function of the app calls ${name}`, async () => {
    const { client, clock, token, breaker, calls } = allCallBack(back)
    const pending = [client.execute({}, { cancelToken: token }), client.execute({}), client.chat({})]
    for (let i = 0; i < 20; i++) await clock.advanceAsync(500)
    token.cancel()
    for (let i = 0; i < 20; i++) await clock.advanceAsync(500)
    for (const end of await Promise.all(pending)) assert.ok(end === 'x' || end === 'later' || typeof end.status === 'string')
    const places = ['chat', 'now', 'rng', 'onRetry', 'breaker listener', 'cancel listener'].filter((place) => !(unreached[name] || []).includes(place))
    for (const place of places) assert.ok(calls[place] > 0, place + ' was called')
    assert.ok(['ok', 'fallback'].includes((await soon(clock, client.execute({}))).status))
    breaker.reset()
    await worksOn()
  })
}

async function soon(clock, call) {
  for (let i = 0; i < 20; i++) await clock.advanceAsync(500)
  return call
}

test('a call from within a call, ten deep, in every function', async () => {
  for (const place of ['chat', 'onRetry', 'fallback', 'breaker listener']) {
    const clock = new ManualClock()
    let depth = 0
    const inners = []
    const nest = () => {
      if (depth++ < 10) inners.push(client.chat({}))
    }
    const inner = { chat() { if (place === 'chat') nest(); throw httpError(503) } }
    const breaker = new CircuitBreaker(1, 0)
    if (place === 'breaker listener') breaker.onStateChange(nest)
    const fallback = () => { if (place === 'fallback') nest(); return 'later' }
    const client = new ResilientLlmClient(inner, { clock, maxRetries: place === 'onRetry' ? 1 : 0 }, place === 'onRetry' ? new CircuitBreaker(100) : breaker, fallback, () => place === 'onRetry' && nest())
    inners.push(client.chat({}))
    for (let i = 0; i < 20; i++) await clock.advanceAsync(1000)
    assert.equal(depth > 10, true, place)
    assert.deepEqual(new Set(await Promise.all(inners)), new Set(['later']), place)
  }
})

test('endless recursion through now, and through a listener', async () => {
  const breaker = new CircuitBreaker(1, 1000, () => (breaker.allowRequest(), 5))
  breaker.recordFailure()
  assert.equal(breaker.allowRequest(), false)
  const pingPong = new CircuitBreaker(1)
  let calls = 0
  pingPong.onStateChange(() => {
    calls++
    pingPong.isolate()
    pingPong.reset()
  })
  pingPong.recordFailure()
  assert.ok(calls > 10)
  await worksOn()
})
