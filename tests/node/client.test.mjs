// Inner clients of every kind: whatever one gives back, throws or forgets, the call ends with a name for it.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, httpError, never, setUp, once, summary } from './support/help.mjs'

const { ResilientLlmClient } = lib
const answer = (text) => ({ text })

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
