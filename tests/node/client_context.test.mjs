// How an inner client is called: with what, on what, and what it may know of its attempt.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, ContextScript, httpError, never, setUp, drive, once } from './support/help.mjs'

const { CancelToken, CircuitBreaker, ManualClock, ResilientLlmClient } = lib
const answer = (text) => ({ text })

test('the client is called on itself', async () => {
  class Client {
    #key = 'private'
    async chat() {
      return answer(this.#key)
    }
  }
  const inner = new Client()
  assert.equal(await setUp(inner).chat(), 'private')
})

test('a function with a method chat is a client as well', async () => {
  const inner = Object.assign(() => {}, { chat: async () => answer('callable') })
  assert.equal(await setUp(inner).chat(), 'callable')
})

test('chat may come from a prototype', async () => {
  assert.equal(await setUp(Object.create({ chat: async () => answer('inherited') })).chat(), 'inherited')
})

test('chat is read once, when the client is made', async () => {
  let reads = 0
  const inner = {
    get chat() {
      reads++
      return async () => answer('read ' + reads)
    },
  }
  const { chat } = setUp(inner)
  assert.deepEqual([await chat(), await chat(), reads], ['read 1', 'read 1', 1])
})

test('the request is passed on untouched, also to later attempts', async () => {
  const huge = 'z'.repeat(1 << 20)
  const requests = [{ prompt: 'hi' }, Object.freeze({}), [], new Map(), () => {}, new Proxy({}, {}), null, undefined, 0, -0, 5.5, NaN, true, '', 'text', '\ud800', huge, 2n ** 70n]
  for (const request of requests) {
    const inner = new Script(httpError(503), answer('x'))
    await setUp(inner).chat(request)
    assert.equal(inner.requests.length, 2)
    inner.requests.forEach((got) => assert.equal(got, request))
  }
})

test('chat and execute without any argument ask for undefined', async () => {
  const inner = new Script(answer('x'))
  const { client, clock } = setUp(inner)
  await drive(clock, client.chat())
  await drive(clock, client.execute())
  assert.deepEqual(inner.requests, [undefined, undefined])
})

// The context

test('a context is made only for a chat with a second parameter', async () => {
  const seen = []
  const clients = [
    { chat(request) { seen.push(arguments.length); return answer('x') } },
    { chat(request, context) { seen.push(arguments.length); return answer('x') } },
    { chat(request, context = {}) { seen.push(arguments.length); return answer('x') } },
    { chat(...all) { seen.push(all.length); return answer('x') } },
  ]
  for (const inner of clients) await setUp(inner).chat()
  assert.deepEqual(seen, [1, 2, 1, 1])
})

test('passContext decides otherwise', async () => {
  const seen = []
  const takes = { chat(request, context) { seen.push(typeof context); return answer('x') } }
  const takesNot = { chat(request) { seen.push(typeof arguments[1]); return answer('x') } }
  await setUp(takes, { config: { passContext: false } }).chat()
  await setUp(takesNot, { config: { passContext: true } }).chat()
  assert.deepEqual(seen, ['undefined', 'object'])
})

test('the context counts attempts, and tells how much time each has', async () => {
  const inner = new ContextScript(httpError(503), httpError(503), answer('x'))
  await setUp(inner, { config: { attemptTimeoutMs: 900, deadlineMs: 1000 } }).chat()
  assert.deepEqual(inner.contexts.map((context) => [context.attempt, context.timeoutMs]), [[1, 900], [2, 900], [3, 700]])
  inner.contexts.forEach((context) => assert.deepEqual(Object.keys(context), ['attempt', 'requestId', 'timeoutMs', 'cancelToken']))
})

test('the request id is the same over all attempts and another one for each call', async () => {
  const inner = new ContextScript(httpError(503), httpError(503), answer('x'))
  const { execute } = setUp(inner)
  const ids = new Set()
  for (let call = 0; call < 50; call++) {
    inner.calls = 0
    inner.contexts = []
    const outcome = await execute()
    inner.contexts.forEach((context) => assert.equal(context.requestId, outcome.requestId))
    ids.add(outcome.requestId)
  }
  assert.equal(ids.size, 50)
  assert.match([...ids][0], /^[0-9a-f]{16}-[0-9a-f]{8,}$/)
})

test('the request id of the app is used', async () => {
  const inner = new ContextScript(answer('x'))
  const { execute } = setUp(inner)
  for (const requestId of ['order-17', '', '订单'.repeat(30)]) {
    assert.equal((await execute({}, { requestId })).requestId, requestId)
    assert.equal(inner.contexts.pop().requestId, requestId)
  }
})

test('the cancel token of the context tells of a timeout', async () => {
  const reasons = []
  const inner = { chat(request, context) { context.cancelToken.onCancel((reason) => reasons.push([context.attempt, reason])); return never() } }
  await setUp(inner, { config: { attemptTimeoutMs: 500, maxRetries: 1 } }).chat()
  assert.deepEqual(reasons, [[1, 'timeout'], [2, 'timeout']])
})

test('the cancel token of the context tells of a cancel', async () => {
  const reasons = []
  const inner = { chat(request, context) { context.cancelToken.onCancel((reason) => reasons.push(reason)); return never() } }
  const { client } = setUp(inner)
  const cancelToken = new CancelToken()
  const call = client.execute({}, { cancelToken })
  cancelToken.cancel()
  assert.deepEqual(reasons, ['cancelled'], 'at once')
  assert.equal((await call).status, 'cancelled')
})

test('the cancel token of an attempt that has ended tells nothing any more', async () => {
  const reasons = []
  const inner = new ContextScript(answer('x'))
  const { execute, clock } = setUp(inner)
  const cancelToken = new CancelToken()
  await execute({}, { cancelToken })
  inner.contexts[0].cancelToken.onCancel((reason) => reasons.push(reason))
  cancelToken.cancel()
  await clock.advanceAsync(120000)
  assert.deepEqual([reasons.length, inner.contexts[0].cancelToken instanceof CancelToken], [0, true])
})

test('a client that cancels its own attempt only tells itself', async () => {
  const inner = { chat(request, context) { context.cancelToken.cancel(); return answer(context.cancelToken.reason) } }
  const cancelToken = new CancelToken()
  const { execute } = setUp(inner)
  assert.equal((await execute({}, { cancelToken })).text, 'cancelled')
  assert.equal(cancelToken.cancelled, false)
})

// A wrapped client inside another

test('a wrapped client inside another: its errors keep their class, its fallback is an answer', async () => {
  const clock = new ManualClock()
  const wrap = (inner, fallback) => new ResilientLlmClient(inner, { clock, maxRetries: 0 }, new CircuitBreaker(100), fallback)
  const nest = (inner) => ({ chat: (request) => inner.chat(request).then(answer) })
  const auth = wrap(new Script(httpError(401)))
  const outcome = await drive(clock, wrap(nest(auth)).execute({}))
  assert.deepEqual([outcome.error.code, outcome.error.status], ['auth', 401])
  const failing = wrap(new Script(httpError(503)), 'inner fallback')
  assert.equal(await drive(clock, wrap(nest(failing)).chat({})), 'inner fallback')
  const noText = wrap(new Script(httpError(503)), () => Promise.reject(new Error('none')))
  assert.equal((await drive(clock, wrap(nest(noText)).execute({}))).error.code, 'overloaded')
})

test('ten wrapped clients inside each other', async () => {
  const clock = new ManualClock()
  let client = new Script(httpError(503), answer('deep'))
  for (let level = 0; level < 10; level++) {
    const wrapped = new ResilientLlmClient(client, { clock })
    client = { chat: (request) => wrapped.chat(request).then(answer) }
  }
  assert.deepEqual(await drive(clock, client.chat({})), answer('deep'))
})
