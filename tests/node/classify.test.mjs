// classifyError through JavaScript values: where it looks, and in what shapes errors come.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'

const { classifyError, ErrorClass } = lib
const codeOf = (error, provider) => classifyError(error, provider).code
const error = (fields, message = 'x') => Object.assign(new Error(message), fields)

/** Asserts a table: [value, class]. */
const table = (rows, provider) => rows.forEach(([value, code]) => assert.equal(codeOf(value, provider), code, JSON.stringify(value)))

test('the whole record', () => {
  const { ...record } = classifyError(error({ status: 429, headers: { 'retry-after': '2' } }, 'slow down'))
  assert.deepEqual(record, {
    code: 'rate_limit',
    message: 'slow down',
    retryable: true,
    status: 429,
    retryAfterMs: 2000,
    retryAfterSource: 'seconds',
    maybeBilled: false,
    reachesCaller: false,
  })
})

test('ErrorClass has a name for each class', () => {
  assert.deepEqual(
    ['RateLimit', 'ModelNotFound', 'ClientBug', 'Unknown'].map((name) => ErrorClass[name]),
    ['rate_limit', 'model_not_found', 'client_bug', 'unknown'],
  )
})

test('status fields under all their names, as numbers and as digits', () => {
  for (const field of ['status', 'statusCode', 'responseCode', 'status_code']) {
    for (const value of [503, '503', ' 503 ']) assert.equal(classifyError({ [field]: value }).status, 503, field)
  }
  assert.equal(codeOf({ response: { status: 503 } }), 'overloaded')
})

test('what is no status is ignored', () => {
  for (const status of [0, 99, 1000, 503.5, NaN, Infinity, -503, '', 'abc', null, undefined, true, {}, [], [503]]) {
    assert.deepEqual([classifyError({ status }).status, codeOf({ status })], [undefined, 'unknown'], String(status))
  }
})

test('each status has its class', () => {
  table([
    [{ status: 400 }, 'bad_request'], [{ status: 401 }, 'auth'], [{ status: 402 }, 'quota'], [{ status: 403 }, 'auth'],
    [{ status: 404 }, 'model_not_found'], [{ status: 408 }, 'timeout'], [{ status: 422 }, 'bad_request'], [{ status: 429 }, 'rate_limit'],
    [{ status: 500 }, 'server'], [{ status: 501 }, 'protocol'], [{ status: 502 }, 'server'], [{ status: 503 }, 'overloaded'],
    [{ status: 504 }, 'server'], [{ status: 505 }, 'protocol'], [{ status: 529 }, 'overloaded'],
  ])
})

test('codes of HarmonyOS, as numbers and as text', () => {
  table([
    [{ code: 2300006 }, 'connect'], [{ code: 2300007 }, 'connect'], [{ code: 2300023 }, 'cancelled'], [{ code: 2300028 }, 'timeout'],
    [{ code: 2300052 }, 'interrupted'], [{ code: 2300056 }, 'interrupted'], [{ code: 2300060 }, 'protocol'], [{ code: 2300997 }, 'protocol'],
    [{ code: 1007900028 }, 'timeout'], [{ code: 1007900006 }, 'connect'], [{ code: 1007900992 }, 'cancelled'], [{ code: 1007900991 }, 'invalid_response'],
    [{ code: '2300028' }, 'timeout'],
  ])
})

test('a BusinessError of HarmonyOS', () => {
  const { code, message } = classifyError(error({ code: 2300028, data: '' }, 'Timeout was reached'))
  assert.deepEqual([code, message], ['timeout', 'Timeout was reached'])
})

test('errno names, in code, in the code of the cause, in the message', () => {
  table([
    [error({ code: 'ECONNREFUSED' }), 'connect'], [error({ code: 'ENOTFOUND' }), 'connect'], [error({ code: 'EAI_AGAIN' }), 'connect'],
    [error({ code: 'ECONNRESET' }), 'interrupted'], [error({ code: 'EPIPE' }), 'interrupted'], [error({ code: 'ETIMEDOUT' }), 'timeout'],
    [error({ code: 'CERT_HAS_EXPIRED' }), 'protocol'], [error({ code: 'ENETDOWN' }), 'offline'],
    [error({ cause: { code: 'ECONNREFUSED' } }, 'fetch failed'), 'connect'],
    [error({ cause: error({ code: 'ECONNRESET' }) }), 'interrupted'],
    [new Error('connect ECONNREFUSED 127.0.0.1:1'), 'connect'], [new Error('read ECONNRESET'), 'interrupted'],
  ])
})

test('names of errors', () => {
  table([
    [error({ name: 'AbortError' }), 'cancelled'], [error({ name: 'TimeoutError' }), 'timeout'], [error({ name: 'RateLimitError' }), 'rate_limit'],
    [new TypeError('x is undefined'), 'client_bug'], [new RangeError('x'), 'client_bug'], [new SyntaxError('x'), 'client_bug'], [new ReferenceError('x'), 'client_bug'],
  ])
})

test('errors as fetch makes them', () => {
  table([
    [Object.assign(new TypeError('fetch failed'), { cause: error({ code: 'ECONNREFUSED' }) }), 'connect'],
    [new TypeError('Failed to fetch'), 'connect'],
    [new TypeError('NetworkError when attempting to fetch resource.'), 'connect'],
    [new TypeError('terminated'), 'interrupted'],
  ])
})

test('errors as axios makes them', () => {
  const axios = (status, data, headers) => error({ name: 'AxiosError', code: 'ERR_BAD_RESPONSE', response: { status, data, headers } }, 'Request failed with status code ' + status)
  assert.equal(codeOf(axios(503)), 'overloaded')
  const limited = classifyError(axios(429, { error: { message: 'slow down' } }, { 'retry-after': '7' }))
  assert.deepEqual([limited.code, limited.retryAfterMs, limited.status], ['rate_limit', 7000, 429])
  assert.equal(codeOf(error({ name: 'CanceledError', code: 'ERR_CANCELED' }, 'canceled')), 'cancelled')
  assert.equal(codeOf(error({ name: 'AxiosError', code: 'ETIMEDOUT' }, 'timeout of 1000ms exceeded')), 'timeout')
})

test('errors as the OpenAI library makes them', () => {
  const openai = error({ name: 'RateLimitError', status: 429, code: 'insufficient_quota', type: 'insufficient_quota', error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } }, '429 You exceeded your current quota')
  const judged = classifyError(openai)
  assert.deepEqual([judged.code, judged.providerCode, judged.retryable], ['quota', 'insufficient_quota', false])
})

test('an error of this module keeps its class', async () => {
  const thrown = await assert.rejects(new lib.MockLlmClient(1, { status: 401, message: '401' }).chat({}), Error)
  assert.equal(codeOf(thrown), 'auth')
  for (const name of ['timeout', 'client_bug', 'quota', 'cancelled']) assert.equal(codeOf({ code: name }), name)
})

test('bodies, as objects and as text, under all their names', () => {
  const body = { error: { type: 'overloaded_error', message: 'Overloaded' } }
  for (const field of ['body', 'data', 'error', 'result']) {
    assert.equal(codeOf({ [field]: body }), 'overloaded', field)
    assert.equal(codeOf({ [field]: JSON.stringify(body) }), 'overloaded', field + ' as text')
  }
  assert.equal(codeOf({ response: { data: body } }), 'overloaded')
})

test('a body says more than the status', () => {
  table([
    [{ status: 400, body: { error: { code: 'context_length_exceeded', message: 'too long' } } }, 'context_length'],
    [{ status: 400, body: { error: { code: 'content_filter', message: 'x' } } }, 'content_filter'],
    [{ status: 429, body: { error: { type: 'insufficient_quota' } } }, 'quota'],
    [{ status: 200, body: { error: { type: 'rate_limit_error' } } }, 'rate_limit'],
  ])
})

test('the hint about the provider, as id and as host', () => {
  const value = { status: 400, body: { error: { code: '1302', message: 'x' } } }
  assert.equal(codeOf(value, 'zhipu'), 'rate_limit')
  assert.equal(codeOf(value, 'open.bigmodel.cn'), 'rate_limit')
  assert.equal(codeOf({ ...value, provider: 'zhipu' }), 'rate_limit', 'on the error itself')
  assert.equal(codeOf(value, 'nobody knows'), codeOf(value), 'an unknown one changes nothing')
})

test('what the error says about itself wins', () => {
  assert.equal(codeOf({ class: 'quota', status: 503 }), 'quota')
  assert.equal(codeOf({ class: 'no such class', status: 503 }), 'overloaded')
  assert.equal(classifyError({ retryable: false, status: 503 }).retryable, false)
  assert.equal(classifyError({ retryable: true, status: 400 }).retryable, true)
  assert.equal(classifyError({ retryable: 'yes', status: 400 }).retryable, false, 'only true and false count')
  assert.equal(classifyError({ status: 429, headers: { 'X-Should-Retry': 'false' } }).retryable, false)
})

test('Retry-After in every form', () => {
  const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
  const rows = [
    [{ 'retry-after': '20' }, 20000, 'seconds'],
    [{ 'Retry-After': '1.5' }, 1500, 'seconds'],
    [{ 'RETRY-AFTER': 0 }, 0, 'seconds'],
    [{ 'retry-after': 20 }, 20000, 'seconds'],
    [{ 'retry-after': ['20', '30'] }, 20000, 'seconds'],
    [{ 'retry-after-ms': '350', 'retry-after': '9' }, 350, 'retry_after_ms'],
    [{ date, 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT' }, 30000, 'http_date'],
    [{ date, 'retry-after': 'Wednesday, 21-Oct-26 07:28:30 GMT' }, 30000, 'http_date'],
    [{ date, 'retry-after': 'Wed Oct 21 07:28:30 2026' }, 30000, 'http_date'],
    [{ date, 'retry-after': 'Wed, 21 Oct 2020 07:28:30 GMT' }, 0, 'http_date'],
  ]
  for (const [headers, ms, source] of rows) {
    const judged = classifyError({ status: 429, headers })
    assert.deepEqual([judged.retryAfterMs, judged.retryAfterSource], [ms, source], JSON.stringify(headers))
  }
})

test('headers of all kinds of objects', () => {
  const entries = [['content-type', 'text/plain'], ['retry-after', '3']]
  const kinds = [
    Object.fromEntries(entries),
    Object.assign(Object.create(null), Object.fromEntries(entries)),
    new Map(entries),
    Object.freeze(Object.fromEntries(entries)),
  ]
  if (typeof Headers === 'function') kinds.push(new Headers(entries))
  for (const headers of kinds) {
    assert.equal(classifyError({ status: 429, headers }).retryAfterMs, 3000)
    assert.equal(classifyError({ status: 429, header: headers }).retryAfterMs, 3000, 'header, as HarmonyOS calls it')
    assert.equal(classifyError({ response: { status: 429, headers } }).retryAfterMs, 3000)
  }
})

test('headers that are none cost nothing', () => {
  const endless = { entries: () => ({ next: () => ({ done: false, value: ['x', 'y'] }) }) }
  const broken = [null, undefined, 5, 'retry-after: 3', [], [['retry-after', '3']], () => {}, endless, { entries: () => 5 }, { entries: () => { throw new Error('x') } }, { entries: () => ({ next: () => { throw new Error('x') } }) }, { entries: () => ({}) }]
  for (const headers of broken) assert.deepEqual([codeOf({ status: 429, headers }), classifyError({ status: 429, headers }).retryAfterMs], ['rate_limit', undefined])
})

test('a Retry-After that cannot be read is named', () => {
  for (const raw of ['soon', '-5', 'NaN', '1e400', '']) {
    const judged = classifyError({ status: 429, headers: { 'retry-after': raw } })
    assert.deepEqual([judged.retryAfterMs, judged.retryAfterMalformed], [undefined, raw])
  }
})

test('retryAfterMs on the error wins; nonsense is named', () => {
  assert.equal(classifyError({ status: 429, retryAfterMs: 1234, headers: { 'retry-after': '9' } }).retryAfterMs, 1234)
  assert.equal(classifyError({ status: 429, retryAfterMs: 0 }).retryAfterMs, 0)
  for (const bad of [-1, NaN, Infinity]) {
    const judged = classifyError({ status: 429, retryAfterMs: bad })
    assert.equal(judged.retryAfterMs, undefined, String(bad))
    assert.equal(typeof judged.retryAfterMalformed, 'string')
  }
  assert.equal(classifyError({ status: 429, retryAfterMs: '500' }).retryAfterMs, undefined)
})

test('the wait in the body', () => {
  assert.equal(classifyError({ status: 429, body: { retry_after_seconds: 59 } }).retryAfterMs, 59000)
  assert.equal(classifyError({ status: 429, body: { error: { message: 'try again in 20s' } } }).retryAfterMs, 20000)
})

test('messages', () => {
  table([
    [new Error('503 Service Unavailable'), 'overloaded'], ['429 Too Many Requests', 'rate_limit'], [new Error('Request failed with status code 502'), 'server'],
    [new Error('took 503 ms'), 'unknown'], [{ errMsg: '503 busy' }, 'overloaded'], [{ statusText: 'x', status: 404 }, 'model_not_found'],
  ])
})

test('values that are no errors at all', () => {
  for (const value of [undefined, null, true, 0, -0, NaN, 1e308, 7n, '', 'x', [], {}, () => {}, new Date(), new Map(), /x/, Object.create(null), Promise.resolve()]) {
    const judged = classifyError(value)
    assert.deepEqual([judged.code, judged.retryable, judged.reachesCaller], ['unknown', true, false])
  }
})

test('maybe billed: what broke off or timed out after it was sent', () => {
  const billed = (value) => classifyError(value).maybeBilled
  assert.deepEqual([{ code: 'ECONNRESET' }, { code: 'ETIMEDOUT' }, { code: 'ECONNREFUSED' }, { status: 503 }, { status: 401 }].map(billed), [true, true, false, false, false])
  assert.deepEqual([billed({ code: 'ETIMEDOUT', sent: false }), codeOf({ code: 'ECONNRESET', sent: false })], [false, 'connect'])
})

test('hostile values: getters that throw or change, proxies, cycles, depth, size', () => {
  let reads = 0
  const changing = { get status() { return reads++ ? 401 : 503 } }
  assert.equal(codeOf(changing), 'overloaded')
  const cyclic = { status: 429 }
  cyclic.response = cyclic.body = cyclic.cause = cyclic
  assert.equal(codeOf(cyclic), 'rate_limit')
  let deep = { code: 'insufficient_quota' }
  for (let i = 0; i < 10000; i++) deep = { error: deep }
  assert.equal(codeOf(deep), 'unknown')
  const wide = {}
  for (let i = 0; i < 20000; i++) wide['key' + i] = i
  assert.equal(codeOf({ status: 503, body: wide }), 'overloaded')
  assert.equal(codeOf({ status: 503, body: 'x'.repeat(1 << 22) }), 'overloaded')
  assert.equal(codeOf('y'.repeat(1 << 22)), 'unknown')
  assert.equal(codeOf({ body: ['[', '{', '"'].join('').repeat(50000) }), 'unknown')
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  assert.equal(codeOf(revoked.proxy), 'unknown')
})

test('the same long text in many places is read no further than what is copied of it', () => {
  const long = 'x'.repeat(8e6)
  const time = (error) => {
    const began = Date.now()
    assert.equal(codeOf(error), 'server')
    return Date.now() - began
  }
  const few = Math.max(time({ status: 500, body: [long] }), 5)
  assert.between(time({ status: 500, body: Array(400).fill(long) }), 0, 20 * few, 'body')
  assert.between(time({ status: 500, headers: new Map(Array.from({ length: 100 }, (_, i) => ['x-' + i, long])) }), 0, 20 * few, 'headers')
})

test('what is cut ends on a character boundary', () => {
  for (let at = 0; at < 4; at++) {
    const body = { error: { type: 'x'.repeat(at), message: '重'.repeat(30000) } }
    assert.match(classifyError({ status: 500, body }).message, /^重{166}$/)
  }
  assert.equal(classifyError('a'.repeat(65535) + '重').message.length, 500)
})

test('a getter may call back', () => {
  const reentrant = { get status() { return classifyError({ status: 402 }).code === 'quota' ? 429 : 500 } }
  assert.equal(codeOf(reentrant), 'rate_limit')
})

test('the message is cut to 500 bytes, lone surrogates are replaced', () => {
  assert.equal(classifyError('z'.repeat(2000)).message.length, 500)
  assert.match(classifyError('错'.repeat(2000)).message, /^错{166}$/)
  assert.equal(classifyError('a\ud800b').message, 'a\ufffdb')
})

test('the cause of a failed fetch is told', () => {
  const cause = new Error('connect ECONNREFUSED 127.0.0.1:1111')
  const failed = classifyError(Object.assign(new TypeError('fetch failed'), { cause }))
  assert.equal(failed.code, 'connect')
  assert.equal(failed.message, 'fetch failed: connect ECONNREFUSED 127.0.0.1:1111')
  assert.equal(classifyError(Object.assign(new Error('a b'), { cause: new Error('b') })).message, 'a b')
})

test('an answer that is an error has its Retry-After in its own headers', async () => {
  const answer = { text: '', error: { code: 'rate_limit_exceeded' }, headers: { 'retry-after': '7' } }
  const client = new lib.ResilientLlmClient({ chat: async () => answer }, { maxRetries: 0 })
  const { error } = await client.execute({})
  assert.deepEqual([error.code, error.retryAfterMs, error.retryAfterSource], ['rate_limit', 7000, 'seconds'])
})
