// Promises of inner clients: those that are not quite promises, and those that settle late or never.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, gate, httpError, never, setUp, settle, drive, once, summary } from './support/help.mjs'

const { ManualClock, ResilientLlmClient } = lib
const answer = (text) => ({ text })

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

// made within the test: node:test marks each promise, but for one that was frozen before it began
const thenables = [
  ['settles twice', () => ({ then: (resolve, reject) => (resolve(answer('first')), resolve(answer('second')), reject(new Error('third'))) }), 'first'],
  ['settles at once', () => ({ then: (resolve) => resolve(answer('at once')) }), 'at once'],
  ['settles, then throws', () => ({ then: (resolve) => { resolve(answer('before')); throw new Error('after') } }), 'before'],
  ['settles with another thenable', () => ({ then: (resolve) => resolve({ then: (inner) => inner(answer('inner')) }) }), 'inner'],
  ['settles with a promise', () => ({ then: (resolve) => resolve(Promise.resolve(answer('promise'))) }), 'promise'],
  ['is a function', () => Object.assign(() => {}, { then: (resolve) => resolve(answer('callable')) }), 'callable'],
  ['is a promise from a subclass', () => new (class extends Promise {})((resolve) => resolve(answer('subclass'))), 'subclass'],
  ['is a promise from a subclass with a then of its own', () => new ApiPromise(Promise.resolve('api')), 'api'],
  ['is a promise with a then of its own', () => Object.assign(Promise.resolve(answer('real')), { then: () => 'ignored' }), 'real'],
  ['is a frozen promise', () => Object.freeze(Promise.resolve(answer('frozen'))), 'frozen'],
  ['is a proxy around a thenable', () => new Proxy({ then: (resolve) => resolve(answer('proxied')) }, {}), 'proxied'],
]
for (const [name, thenable, text] of thenables) {
  test(`a thenable that ${name}`, async () => {
    assert.deepEqual(summary(await once(thenable)), ['ok', undefined, text])
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
