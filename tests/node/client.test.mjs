// Inner clients of every kind: whatever one gives back, throws or forgets, the call ends with a name for it.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, ContextScript, gate, httpError, never, setUp, settle, drive } from './support/help.mjs'

const { CancelToken, CircuitBreaker, ManualClock, ResilientLlmClient } = lib
const answer = (text) => ({ text })

/** The outcome of one call with one attempt. */
const once = (chat, config) => setUp({ chat }, { config: { maxRetries: 0, ...config } }).execute()
const summary = (outcome) => [outcome.status, outcome.error && outcome.error.code, outcome.error ? outcome.error.message : outcome.text]

// Answers

test('a plain value is an answer', async () => {
  assert.deepEqual(summary(await once(() => answer('at once'))), ['ok', undefined, 'at once'])
})

test('an answer through a chain of promises', async () => {
  const chat = async () => {
    for (let i = 0; i < 20; i++) await null
    return answer('late')
  }
  assert.equal((await once(chat)).text, 'late')
})

test('the answer object is handed back as it is', async () => {
  const own = Object.freeze({ text: 'x', usage: { tokens: 3 } })
  assert.equal((await once(async () => own)).response, own)
})

test('an answer may have a prototype, getters or a proxy around it', async () => {
  class Reply {
    get text() {
      return 'from a getter'
    }
  }
  for (const reply of [new Reply(), Object.create({ text: 'from a getter' }), new Proxy({}, { get: (_, name) => (name === 'text' ? 'from a getter' : undefined) })]) {
    assert.equal((await once(async () => reply)).text, 'from a getter')
  }
})

test('texts of every length and kind arrive as they are', async () => {
  const texts = ['', 'a', 'é重试🙂', 'nul\0inside', '\ud800 alone', 'x'.repeat(251), 'é'.repeat(128), '🙂'.repeat(70), 'y'.repeat(300000)]
  for (const text of texts) {
    const { chat, execute } = setUp({ chat: async () => answer(text) })
    assert.equal(await chat(), text)
    assert.equal((await execute()).text, text)
  }
})

test('text that settles within another call of the module is the same string', async () => {
  const inner = new ResilientLlmClient({ chat: () => answer('\udfff at once') })
  const outer = setUp({ chat: () => inner.chat({}).then(answer) })
  assert.equal(await outer.chat(), '\udfff at once')
})

const shapes = [
  ['nothing', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a string', 'text', 'a string'],
  ['a number', 5, 'a number'],
  ['a boolean', true, 'a boolean'],
  ['a function', () => 'text', 'a function'],
]
for (const [name, value, kind] of shapes) {
  test(`${name} is no answer`, async () => {
    for (const chat of [() => value, async () => value]) {
      const outcome = await once(chat)
      assert.deepEqual(summary(outcome), ['fallback', 'invalid_response', `chat() must give { text: string }, got ${kind}`])
    }
  })
}

test('an object without a text is no answer', async () => {
  for (const value of [{}, [], { text: undefined }, { text: null }, { text: 5 }, { text: ['x'] }, { text: {} }, { message: 'x' }, new Error('x'), new Map()]) {
    const outcome = await once(async () => value)
    assert.deepEqual(summary(outcome), ['fallback', 'invalid_response', 'chat() must give { text: string }, got an object without a text'])
  }
})

test('a wrong shape is neither retried nor counted by the breaker', async () => {
  const inner = new Script({ wrong: 1 })
  const { execute, breaker } = setUp(inner)
  await execute()
  assert.deepEqual([inner.calls, breaker.stats.neutral, breaker.stats.failures], [1, 1, 0])
})

test('an error inside an answer is an error', async () => {
  const cases = [
    [{ error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
    [{ text: '', error: { type: 'overloaded_error' } }, 'overloaded'],
    [{ error: { code: 'insufficient_quota', message: 'no money' } }, 'quota'],
    [{ base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }, 'quota'],
    [{ type: 'error', error: { type: 'rate_limit_error' } }, 'rate_limit'],
  ]
  for (const [reply, code] of cases) {
    assert.equal((await once(async () => reply)).error.code, code)
  }
})

test('an error beside a long text is seen', async () => {
  const error = { code: 'insufficient_quota', message: 'You exceeded your current quota' }
  const outcome = await once(async () => ({ text: 'x'.repeat(200000), finishReason: 'stop', error }))
  assert.deepEqual(summary(outcome), ['fallback', 'quota', error.message])
})

test('finish reasons: moderation is an error, length is not', async () => {
  const withReason = (finishReason) => once(async () => ({ text: 'half an ans', finishReason }))
  for (const reason of ['stop', 'length', undefined, null, 5, 'max_tokens', '']) {
    assert.deepEqual(summary(await withReason(reason)), ['ok', undefined, 'half an ans'], reason)
  }
  for (const reason of ['content_filter', 'SAFETY', 'sensitive']) {
    const outcome = await withReason(reason)
    assert.deepEqual(summary(outcome), ['error', 'content_filter', `finish reason ${reason}`])
    assert.equal(outcome.text, '')
  }
})

// Rejections

const thrown = [
  ['an Error', new Error('boom'), 'unknown', 'boom'],
  ['an Error without a message', new Error(), 'unknown', 'unknown'],
  ['a TypeError', new TypeError('x is not a function'), 'client_bug', 'x is not a function'],
  ['a string', '503 Service Unavailable', 'overloaded', '503 Service Unavailable'],
  ['an empty string', '', 'unknown', 'unknown'],
  ['a number', 503, 'overloaded', '503'],
  ['NaN', NaN, 'unknown', 'NaN'],
  ['a bigint', 10n ** 20n, 'unknown', 'the client failed with a value of another type'],
  ['undefined', undefined, 'unknown', 'the client failed with undefined'],
  ['null', null, 'unknown', 'the client failed with null'],
  ['false', false, 'unknown', 'the client failed with a boolean'],
  ['a frozen object', Object.freeze({ status: 429, message: 'slow down' }), 'rate_limit', 'slow down'],
  ['an object without prototype', Object.assign(Object.create(null), { status: 401 }), 'auth', 'auth'],
  ['a function', Object.assign(() => {}, { status: 502 }), 'server', 'server'],
  ['an array', [503], 'unknown', 'unknown'],
  ['a proxy whose every trap throws', throwingProxy(), 'unknown', 'unknown'],
  ['an error with getters that throw', hostileError(), 'unknown', 'unknown'],
]

function throwingProxy() {
  const bad = () => {
    throw new Error('trap')
  }
  return new Proxy({}, { get: bad, has: bad, ownKeys: bad, getOwnPropertyDescriptor: bad, getPrototypeOf: bad })
}

function hostileError() {
  const error = {}
  for (const name of ['message', 'name', 'status', 'code', 'headers', 'response', 'cause', 'body']) {
    Object.defineProperty(error, name, {
      get() {
        throw new Error('getter of ' + name)
      },
    })
  }
  return error
}

for (const [name, value, code, message] of thrown) {
  test(`a client fails with ${name}, thrown at once or later`, async () => {
    const ways = [
      () => {
        throw value
      },
      () => Promise.reject(value),
      async () => {
        await null
        throw value
      },
      () => ({ then: (_, reject) => reject(value) }),
    ]
    for (const chat of ways) {
      const outcome = await once(chat)
      assert.deepEqual([outcome.error.code, outcome.error.message, outcome.attempts], [code, message, 1])
    }
  })
}

test('chat() rejects with code, status, retryable, and the very thing that the client failed with as cause', async () => {
  for (const cause of [httpError(401), Object.freeze({ status: 401 }), Object.assign(() => {}, { status: 401 })]) {
    const error = await assert.rejects(setUp(new Script(() => Promise.reject(cause))).chat(), { code: 'auth', status: 401, retryable: false })
    assert.ok(error instanceof Error)
    assert.equal(error.cause, cause)
  }
})

test('a primitive as cause comes back unchanged', async () => {
  for (const cause of ['401 wrong key \ud800', '400']) {
    const { chat } = setUp({ chat: () => Promise.reject(cause) })
    assert.equal((await assert.rejects(chat(), Error)).cause, cause)
  }
})

test('the cause is that of the last attempt', async () => {
  const last = httpError(401)
  const { chat } = setUp(new Script(httpError(503), httpError(503), last))
  assert.equal((await assert.rejects(chat(), { code: 'auth' })).cause, last)
})

test('an attempt that timed out has no cause, whatever came before it', async () => {
  const noText = () => Promise.reject(new Error('no text'))
  const { chat } = setUp(new Script(httpError(503), never), { fallback: noText, config: { maxRetries: 1 } })
  const error = await assert.rejects(chat(), { code: 'timeout', retryable: true })
  assert.equal('cause' in error, false)
})

test('an error that is long is cut, on a character boundary', async () => {
  const outcome = await once(() => Promise.reject(new Error('重试'.repeat(10000))))
  assert.between(outcome.error.message.length, 100, 170)
  assert.match(outcome.error.message, /^(重试)*重?$/)
})

test('a rejection with a huge, deep or cyclic body is judged all the same', async () => {
  const deep = {}
  let level = deep
  for (let i = 0; i < 2000; i++) level = level.error = {}
  const cyclic = { status: 503 }
  cyclic.body = cyclic
  const wide = { status: 429, headers: {}, body: 'x'.repeat(1 << 20) }
  for (let i = 0; i < 5000; i++) wide.headers['x-' + i] = String(i)
  assert.equal((await once(() => Promise.reject(deep))).error.code, 'unknown')
  assert.equal((await once(() => Promise.reject(cyclic))).error.code, 'overloaded')
  assert.equal((await once(() => Promise.reject(wide))).error.code, 'rate_limit')
})

// Promises that are not quite promises

/** As in the SDKs of OpenAI and Anthropic: settled with a response, of which its own `then` makes the answer. */
class ApiPromise extends Promise {
  constructor(response) {
    super((resolve) => resolve(null))
    this.response = response
  }

  then(resolved, rejected) {
    return this.response.then(answer).then(resolved, rejected)
  }

  static get [Symbol.species]() {
    return Promise
  }
}

const thenables = [
  ['settles twice', { then: (resolve, reject) => (resolve(answer('first')), resolve(answer('second')), reject(new Error('third'))) }, 'first'],
  ['settles at once', { then: (resolve) => resolve(answer('at once')) }, 'at once'],
  ['settles, then throws', { then: (resolve) => { resolve(answer('before')); throw new Error('after') } }, 'before'],
  ['settles with another thenable', { then: (resolve) => resolve({ then: (inner) => inner(answer('inner')) }) }, 'inner'],
  ['settles with a promise', { then: (resolve) => resolve(Promise.resolve(answer('promise'))) }, 'promise'],
  ['is a function', Object.assign(() => {}, { then: (resolve) => resolve(answer('callable')) }), 'callable'],
  ['is a promise from a subclass', new (class extends Promise {})((resolve) => resolve(answer('subclass'))), 'subclass'],
  ['is a promise from a subclass with a then of its own', new ApiPromise(Promise.resolve('api')), 'api'],
  ['is a promise with a then of its own', Object.assign(Promise.resolve(answer('real')), { then: () => 'ignored' }), 'real'],
  ['is a frozen promise', Object.freeze(Promise.resolve(answer('frozen'))), 'frozen'],
  ['is a proxy around a thenable', new Proxy({ then: (resolve) => resolve(answer('proxied')) }, {}), 'proxied'],
]
for (const [name, thenable, text] of thenables) {
  test(`a thenable that ${name}`, async () => {
    assert.deepEqual(summary(await once(() => thenable)), ['ok', undefined, text])
  })
}

const brokenThenables = [
  ['throws', { then: () => { throw httpError(502) } }, 'server'],
  ['is a promise from a subclass, rejected by its own then', new (class extends Promise { then(...both) { return Promise.reject(httpError(502)).then(...both) } })(() => {}), 'server'],
  ['is a proxy around a promise', new Proxy(Promise.resolve(answer('x')), {}), 'client_bug'],
  ['has a constructor that is none', Object.assign(Promise.resolve(answer('x')), { constructor: 5 }), 'client_bug'],
]
for (const [name, thenable, code] of brokenThenables) {
  test(`a thenable that ${name} is an error`, async () => {
    assert.equal((await once(() => thenable)).error.code, code)
  })
}

test('a getter for then that throws ends the call, one way or the other', async () => {
  const odd = { text: 'odd', get then() { throw new Error('no then') } }
  assert.equal((await once(() => odd)).stopReason, 'success')
})

test('an attempt that never settles ends by its timeout', async () => {
  for (const chat of [never, () => ({ then() {} })]) {
    const outcome = await once(chat, { attemptTimeoutMs: 700 })
    assert.deepEqual(summary(outcome), ['fallback', 'timeout', 'no answer within 700 ms'])
    assert.deepEqual([outcome.elapsedMs, outcome.maybeBilled, outcome.trace[0].maybeBilled], [700, true, true])
  }
})

test('an answer at the very moment of the timeout counts', async () => {
  const clock = new ManualClock()
  const inner = new lib.MockLlmClient(0, { latencyMs: 700, clock })
  const client = new ResilientLlmClient(inner, { clock, attemptTimeoutMs: 700 })
  assert.equal(await drive(clock, client.chat({})), 'mock reply')
})

test('what settles after its timeout reaches no later attempt', async () => {
  const [first, second] = [gate(), gate()]
  const inner = new Script(() => first.promise, () => second.promise)
  const { clock, client } = setUp(inner, { config: { attemptTimeoutMs: 500 } })
  const call = client.chat({})
  await clock.advanceAsync(500)
  await clock.advanceAsync(100)
  assert.equal(inner.calls, 2)
  first.open(answer('too late'))
  await settle()
  second.open(answer('in time'))
  assert.equal(await call, 'in time')
})

test('what settles after its timeout is not even looked at', async () => {
  let reads = 0
  const watched = () => Object.defineProperties({}, Object.fromEntries(['text', 'status', 'message'].map((name) => [name, { get: () => reads++ }])))
  for (const end of ['open', 'fail']) {
    const late = gate()
    await once(() => late.promise, { attemptTimeoutMs: 500 })
    late[end](watched())
    await settle()
  }
  assert.equal(reads, 0)
})

test('what settles after its timeout reaches no other call', async () => {
  const late = Array.from({ length: 20 }, gate)
  let next = 0
  const { client, clock, execute } = setUp({ chat: (request) => (request.late ? late[next++].promise : request.reply) }, { threshold: 1000, config: { attemptTimeoutMs: 500, maxRetries: 0 } })
  const timedOut = late.map(() => client.execute({ late: true }))
  await clock.advanceAsync(500)
  const open = late.map(() => gate())
  const calls = open.map((gate) => client.execute({ reply: gate.promise }))
  late.forEach((gate, i) => (i % 2 ? gate.open(answer('stolen')) : gate.fail(httpError(500))))
  await settle()
  open.forEach((gate, i) => gate.open(answer('own ' + i)))
  assert.deepEqual((await Promise.all(calls)).map((outcome) => outcome.text), open.map((_, i) => 'own ' + i))
  for (const outcome of await Promise.all(timedOut)) assert.equal(outcome.error.code, 'timeout')
  assert.equal((await execute({ reply: answer('after all') })).text, 'after all')
})

test('two hundred calls at once, settled in another order, each get their own answer', async () => {
  const gates = Array.from({ length: 200 }, gate)
  const { client } = setUp({ chat: (request) => gates[request.n].promise })
  const calls = gates.map((_, n) => client.execute({ n }))
  for (let i = 0; i < 200; i++) {
    const n = (i * 77) % 200
    gates[n].open(answer('answer ' + n))
  }
  const texts = (await Promise.all(calls)).map((outcome) => outcome.text)
  assert.deepEqual(texts, gates.map((_, n) => 'answer ' + n))
})

// How it is called

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
