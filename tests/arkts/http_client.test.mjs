// The demo's HttpLlmClient against a real HTTP server with a fault plan, judged by the real module.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import {
  answer, cutBody, inPieces, json, reply, reset, resetAfterHeaders, resetInStream, slow, startFaultServer, stream,
} from '../demo/fault_server.mjs'
import { until } from '../demo/support.mjs'
import lib from '../node/support/module.mjs'
import { target } from './folders.mjs'
import { compileProject } from './host/compile.mjs'
import './host/globals.mjs'

const KEY = 'sk-demo-0123456789abcdef'
const servers = []
let HttpLlmClient

before(async () => {
  const folder = compileProject(undefined, path.join(target, 'arkts-http'))
  const file = path.join(folder, 'main/ets/llm/HttpLlmClient.mjs')
  HttpLlmClient = (await import(pathToFileURL(file).href)).HttpLlmClient
})
after(() => Promise.all(servers.map((server) => server.close())))

async function serve(...plan) {
  const server = await startFaultServer(plan)
  servers.push(server)
  return server
}

function clientFor(url, config = {}, key = KEY) {
  const service = new HttpLlmClient({ url: `${url}/chat/completions`, model: 'test-model' }, key)
  return new lib.ResilientLlmClient(service, { baseMs: 10, locale: lib.Locale.English, ...config })
}

/** Asks without a stream; the key must be in no outcome. */
async function ask(url, config, options) {
  return withoutKey(await oneAnswer(clientFor(url, config), options))
}

/** HttpLlmClient has both methods: `execute` takes `chat`. */
const oneAnswer = (client, options) => client.execute({ prompt: 'What now?' }, options)

/** Asks for a stream; gives the outcome with the pieces. */
async function askStream(url, config, options) {
  const pieces = []
  const client = clientFor(url, config)
  const outcome = await client.chatStream({ prompt: 'What now?' }, (text) => void pieces.push(text), options)
  return { ...withoutKey(outcome), pieces }
}

function withoutKey(outcome) {
  assert.doesNotMatch(JSON.stringify(outcome), new RegExp(KEY.slice(3, 12)), 'the key is in the outcome')
  return outcome
}

/** A stream, as it is written. */
const events = (...written) => reply(200, written.join(''), { 'content-type': 'text/event-stream' })
const event = (data) => `data: ${JSON.stringify(data)}\n\n`
const piece = (content, finish_reason = null) => event({ choices: [{ delta: { content }, finish_reason }] })

const classes = (outcome) => outcome.trace.map((attempt) => attempt.code)

describe('an answer', { concurrency: 4 }, () => {
  test('comes from one request, which says all that it should', async () => {
    const server = await serve(answer('It is noon.'))
    const outcome = await ask(server.endpoint)
    assert.equal(outcome.text, 'It is noon.')
    assert.equal(server.requests.length, 1)
    const [request] = server.requests
    assert.equal(request.path, '/v1/chat/completions')
    assert.equal(request.headers.authorization, `Bearer ${KEY}`)
    assert.equal(request.headers['content-type'], 'application/json')
    assert.equal(request.headers['x-request-id'], outcome.requestId)
    assert.equal(request.headers['idempotency-key'], outcome.requestId)
    const messages = [{ role: 'user', content: 'What now?' }]
    assert.deepEqual(request.body, { model: 'test-model', messages, stream: false })
  })

  test('comes piece by piece', async () => {
    const server = await serve(stream(['It ', 'is ', '中午。🙂']))
    const outcome = await askStream(server.endpoint)
    assert.equal(outcome.status, 'ok')
    assert.deepEqual(outcome.pieces, ['It ', 'is ', '中午。🙂'])
    assert.equal(outcome.text, 'It is 中午。🙂')
    assert.equal(outcome.response.finishReason, 'stop')
    assert.equal(server.requests[0].body.stream, true)
    assert.match(server.requests[0].headers.accept, /text\/event-stream/)
  })

  test('is shown before the stream ends', async () => {
    let finish
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"delta":{"content":"first"}}]}\n\n')
      finish = () => response.end('data: [DONE]\n\n')
    })
    const seen = []
    const asked = clientFor(server.endpoint).chatStream({ prompt: '' }, (text) => void seen.push(text))
    await until(() => seen.length === 1)
    finish()
    assert.equal((await asked).text, 'first')
  })

  test('of a service that says it is done, but keeps the connection', async () => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"delta":{"content":"all"}}]}\n\ndata: [DONE]\n\n')
    })
    const outcome = await askStream(server.endpoint)
    assert.equal(outcome.status, 'ok')
    assert.equal(outcome.text, 'all')
    await until(() => server.requests[0].aborted)
  })

  test('of a service that sends events without data as a sign of life', async () => {
    const server = await serve(events('data:\n\ndata: \n\nid: 7\n\n', piece('It'), 'data:\ndata:\n\n', piece(' is.', 'stop')))
    const outcome = await askStream(server.endpoint)
    assert.deepEqual([outcome.status, outcome.text], ['ok', 'It is.'])
  })

  test('of a service that ends its stream with the whole answer once more', async () => {
    const whole = { choices: [{ message: { content: 'It is noon.' }, finish_reason: 'stop' }] }
    const server = await serve(events(piece('It is'), piece(' noon.'), event(whole), 'data: [DONE]\n\n'))
    const outcome = await askStream(server.endpoint)
    assert.deepEqual(outcome.pieces, ['It is', ' noon.'])
    assert.equal(outcome.text, 'It is noon.')
  })

  test('of a service that does not stream comes in one piece', async () => {
    const server = await serve(inPieces('断路器会暂停请求。🙂'))
    const outcome = await askStream(server.endpoint)
    assert.deepEqual(outcome.pieces, ['断路器会暂停请求。🙂'])
    assert.equal(outcome.status, 'ok')
  })

  test('of a service that gives each answer an error, which is empty', async () => {
    for (const error of ['', {}, { message: '', code: null }]) {
      const server = await serve(json(200, { error, choices: [{ message: { content: 'fine' }, finish_reason: '' }] }))
      assert.equal((await ask(server.endpoint)).text, 'fine')
      assert.equal((await askStream(server.endpoint)).text, 'fine')
    }
  })

  test('has no authorization header without a key', async () => {
    const server = await serve(answer('hello'))
    await oneAnswer(clientFor(server.endpoint, {}, ' '))
    assert.equal(server.requests[0].headers.authorization, undefined)
  })

  test('may name a key that is no secret', async () => {
    const server = await serve(answer('ollama runs models'))
    assert.equal((await oneAnswer(clientFor(server.endpoint, {}, 'ollama'))).text, 'ollama runs models')
  })

  test('arrives whole when its characters come in pieces', async () => {
    const server = await serve(inPieces('断路器会暂停请求。🙂'))
    assert.equal((await ask(server.endpoint)).text, '断路器会暂停请求。🙂')
  })
})

const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
const limit = { error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } }
const quota = { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }
const overloaded = { error: { message: 'Overloaded', type: 'overloaded_error' } }
const retryAfter = (headers) => json(429, limit, headers)

/** Name, fault, class, and what of the judged error must be so. */
const faults = [
  ['429 with Retry-After in seconds', retryAfter({ 'retry-after': '7' }), 'rate_limit', { retryAfterMs: 7000, retryAfterSource: 'seconds' }],
  ['429 with Retry-After in parts of a second', retryAfter({ 'retry-after': '1.5' }), 'rate_limit', { retryAfterMs: 1500 }],
  ['429 with Retry-After as a date', retryAfter({ date, 'retry-after': date.replace(':00 ', ':30 ') }), 'rate_limit', { retryAfterMs: 30_000, retryAfterSource: 'http_date' }],
  ['429 with Retry-After as a date of RFC 850', retryAfter({ date, 'retry-after': 'Wednesday, 21-Oct-26 07:28:30 GMT' }), 'rate_limit', { retryAfterMs: 30_000 }],
  ['429 with Retry-After as a date of asctime', retryAfter({ date, 'retry-after': 'Wed Oct 21 07:28:30 2026' }), 'rate_limit', { retryAfterMs: 30_000 }],
  ['429 with retry-after-ms', retryAfter({ 'retry-after-ms': '800.5', 'retry-after': '1' }), 'rate_limit', { retryAfterMs: 801, retryAfterSource: 'retry_after_ms' }],
  ['429 with a Retry-After nobody can read', retryAfter({ 'retry-after': 'soon' }), 'rate_limit', { retryAfterMalformed: 'soon' }],
  ['429 without quota', json(429, quota), 'quota', { status: 429 }],
  ['503 from a proxy', reply(503, '<html>503 Service Temporarily Unavailable</html>'), 'overloaded', { message: 'HTTP 503: an HTML page instead of JSON' }],
  ['500', reply(500, 'Internal Server Error'), 'server', { message: 'HTTP 500: Internal Server Error' }],
  ['an error in a 200', json(200, overloaded), 'overloaded', { message: 'HTTP 200: Overloaded' }],
  ['401 that repeats the key', json(401, { error: { message: `Incorrect key: ${KEY}.` } }), 'auth', { message: 'HTTP 401: Incorrect key: ***.' }],
  ['404, no such model', json(404, { error: 'model "test-model" not found' }), 'model_not_found', { message: 'HTTP 404: model "test-model" not found' }],
  ['400, too long', json(400, { error: { message: 'too long', code: 'context_length_exceeded' } }), 'context_length', {}],
  ['400 of another kind', json(400, { error: { message: 'temperature must be below 2' } }), 'bad_request', {}],
  ['a finish reason of moderation', answer('', 'content_filter'), 'content_filter', {}],
  ['moderation without a content', json(200, { choices: [{ message: {}, finish_reason: 'content_filter' }] }), 'content_filter', {}],
  ['a refusal', json(200, { choices: [{ message: { content: null, refusal: 'No.' }, finish_reason: 'stop' }] }), 'content_filter', { message: 'HTTP 200: No.' }],
  ['reasoning that used up all tokens', answer('', 'length'), 'invalid_response', { message: 'HTTP 200: no text (length)' }],
  ['JSON that is cut', reply(200, '{"choices":[{"mess'), 'invalid_response', { message: 'HTTP 200: not JSON, or cut off' }],
  ['JSON of another shape', json(200, { hello: 'world' }), 'invalid_response', {}],
  ['JSON null', json(200, null), 'invalid_response', {}],
  ['choices that are no list', json(200, { choices: 'none' }), 'invalid_response', {}],
  ['an empty body', reply(200, ''), 'invalid_response', { message: 'HTTP 200: an empty body instead of JSON' }],
  ['a login page in a 200', reply(200, '<!DOCTYPE html><title>Wi-Fi</title>'), 'invalid_response', { message: 'HTTP 200: an HTML page instead of JSON' }],
  ['a reset instead of a reply', reset, 'interrupted', { maybeBilled: true }],
  ['a reset after the headers', resetAfterHeaders, 'interrupted', { maybeBilled: true }],
  ['a body that is cut off', cutBody, 'interrupted', { maybeBilled: true }],
]

for (const [way, asked] of [['without a stream', ask], ['with a stream', askStream]]) {
  describe(`a fault, ${way}`, { concurrency: 4 }, () => {
    for (const [name, fault, code, expected] of faults) {
      test(name, async () => {
        const server = await serve(fault)
        const outcome = await asked(server.endpoint, { maxRetries: 0 })
        assert.equal(outcome.error?.code, code, JSON.stringify(outcome.error))
        for (const [field, value] of Object.entries(expected)) assert.equal(outcome.error[field], value, field)
        assert.equal(server.requests.length, 1)
      })
    }

    test('no byte in time: the request is taken back', async () => {
      const server = await serve(slow(5000, answer('late')))
      const limits = { attemptTimeoutMs: 300, firstTextTimeoutMs: 300, maxRetries: 0 }
      const outcome = await asked(server.endpoint, limits)
      assert.deepEqual(classes(outcome), ['timeout'])
      await until(() => server.requests[0].aborted)
    })

    test('then an answer: each attempt with the same request id', async () => {
      const server = await serve(reply(503), resetAfterHeaders, answer('at last'))
      const outcome = await asked(server.endpoint)
      assert.equal(outcome.text, 'at last')
      assert.deepEqual(classes(outcome), ['overloaded', 'interrupted', undefined])
      assert.deepEqual(server.requests.map(({ headers }) => headers['x-request-id']), Array(3).fill(outcome.requestId))
    })

    test('a port where nobody listens', async () => {
      const outcome = await asked(`http://127.0.0.1:${await unusedPort()}/v1`, { maxRetries: 0 })
      assert.equal(outcome.error.code, 'connect')
      assert.equal(outcome.maybeBilled, false, 'nothing was sent')
    })

    test('a host that does not exist', async () => {
      const outcome = await asked('http://no-such-host.invalid/v1', { maxRetries: 0 })
      assert.equal(outcome.error.code, 'connect')
    })

    test('cancelled: the connection is closed at once', async () => {
      const server = await serve(slow(20_000, answer('late')))
      const token = new lib.CancelToken()
      const running = asked(server.endpoint, {}, { cancelToken: token })
      await until(() => server.requests.length === 1)
      const begin = performance.now()
      token.cancel()
      const outcome = await running
      assert.ok(performance.now() - begin < 1000)
      assert.equal(outcome.status, 'cancelled')
      await until(() => server.requests[0].aborted)
      assert.equal(server.requests.length, 1)
    })

    test('cancelled before it began: nothing is sent', async () => {
      const server = await serve(answer('never'))
      const token = new lib.CancelToken()
      token.cancel()
      assert.equal((await asked(server.endpoint, {}, { cancelToken: token })).status, 'cancelled')
      assert.equal(server.requests.length, 0)
    })
  })
}

describe('a stream that breaks', { concurrency: 4 }, () => {
  test('by a reset: what came is kept and nothing is asked again', async () => {
    const server = await serve(resetInStream('It is'), stream(['never']))
    const outcome = await askStream(server.endpoint)
    assert.equal(outcome.status, 'partial')
    assert.equal(outcome.text, 'It is')
    assert.equal(outcome.error.code, 'interrupted')
    assert.equal(server.requests.length, 1)
  })

  test('by an end in good order without [DONE] or a finish reason', async () => {
    const server = await serve(stream(['It is'], '', ''))
    const outcome = await askStream(server.endpoint)
    assert.equal(outcome.status, 'partial')
    assert.equal(outcome.error.code, 'interrupted')
  })

  test('by the same, of a service that gives each piece an empty finish reason', async () => {
    const server = await serve(events(piece('It is', '')))
    const outcome = await askStream(server.endpoint)
    assert.equal(outcome.status, 'partial')
    assert.equal(outcome.error.code, 'interrupted')
  })

  test('an empty finish reason takes the place of none', async () => {
    const server = await serve(events(piece('It is', 'length'), piece('', ''), 'data: [DONE]\n\n'))
    assert.equal((await askStream(server.endpoint)).response.finishReason, 'length')
  })

  test('a finish reason without [DONE] is an end', async () => {
    const server = await serve(stream(['It is noon.'], ''))
    assert.equal((await askStream(server.endpoint)).status, 'ok')
  })

  test('by an error among its events, before any text: tried again', async () => {
    const server = await serve(stream([], JSON.stringify(overloaded), ''), stream(['fine']))
    const outcome = await askStream(server.endpoint)
    assert.deepEqual(classes(outcome), ['overloaded', undefined])
    assert.equal(outcome.text, 'fine')
  })

  test('by an error among its events, after text', async () => {
    const server = await serve(stream(['It '], JSON.stringify(overloaded), ''))
    const outcome = await askStream(server.endpoint)
    assert.equal(outcome.status, 'partial')
    assert.equal(outcome.error.code, 'overloaded')
    assert.equal(outcome.text, 'It ')
  })

  test('by an error in place of choices', async () => {
    for (const field of ['message', 'msg']) {
      const error = { object: 'error', [field]: 'The model is overloaded', code: 503 }
      const server = await serve(events(event(error), 'data: [DONE]\n\n'))
      const outcome = await askStream(server.endpoint, { maxRetries: 0 })
      assert.deepEqual([outcome.error.code, outcome.error.message], ['overloaded', 'HTTP 200: The model is overloaded'])
    }
  })

  test('by the end of the connection within an event', async () => {
    const server = await serve(events(piece('It is'), 'data: {"choices":[{"del'))
    const outcome = await askStream(server.endpoint)
    assert.deepEqual([outcome.status, outcome.error.code, outcome.text], ['partial', 'interrupted', 'It is'])
  })

  test('by reasoning that used up all tokens', async () => {
    const server = await serve(events(piece('', 'length'), 'data: [DONE]\n\n'))
    const outcome = await askStream(server.endpoint)
    assert.deepEqual([outcome.error.code, server.requests.length], ['invalid_response', 1])
  })

  test('by an event that is no JSON', async () => {
    const server = await serve(stream([], '{"choices":', ''))
    const outcome = await askStream(server.endpoint, { maxRetries: 0 })
    assert.equal(outcome.error.code, 'invalid_response')
  })

  test('by a refusal', async () => {
    const server = await serve(events(event({ choices: [{ delta: { refusal: 'No.' } }] }), piece('', 'stop'), 'data: [DONE]\n\n'))
    assert.equal((await askStream(server.endpoint)).error.code, 'content_filter')
    assert.equal(server.requests.length, 1)
  })

  test('by moderation', async () => {
    const server = await serve(stream([], '[DONE]', 'content_filter'))
    assert.equal((await askStream(server.endpoint)).error.code, 'content_filter')
  })

  test('cancelled in the middle: what came is kept, the connection is closed', async () => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"delta":{"content":"It"}}]}\n\n')
    })
    const token = new lib.CancelToken()
    const seen = []
    const client = clientFor(server.endpoint)
    const asked = client.chatStream({ prompt: '' }, (text) => void seen.push(text), { cancelToken: token })
    await until(() => seen.length === 1)
    token.cancel()
    const outcome = await asked
    assert.equal(outcome.status, 'cancelled')
    assert.equal(outcome.text, 'It')
    await until(() => server.requests[0].aborted)
  })

  test('by silence between two texts', async () => {
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"delta":{"content":"It"}}]}\n\n')
    })
    const outcome = await askStream(server.endpoint, { idleTimeoutMs: 200 })
    assert.equal(outcome.status, 'partial')
    assert.equal(outcome.error.code, 'timeout')
    assert.ok(outcome.elapsedMs < 5000, `given up after ${outcome.elapsedMs} ms`)
    await until(() => server.requests[0].aborted)
  })
})

test('a key is hidden however the service spells it in JSON', async () => {
  const key = 'bce-v3/Ab1+cd=='
  const spelled = JSON.stringify(`Incorrect key: ${key}.`).replace('/', '\\/').replace('+', '\\u002B').replaceAll('=', '\\u003d')
  const server = await serve(reply(401, `{"error":{"message":${spelled}}}`))
  for (const ask of ['execute', 'chatStream']) {
    const { error } = await clientFor(server.endpoint, {}, key)[ask]({ prompt: '' }, ask === 'execute' ? {} : () => {})
    assert.equal(error.message, 'HTTP 401: Incorrect key: ***.')
  }
})

test('leaves no listener on the token', async () => {
  const server = await serve(answer('fine'))
  const service = new HttpLlmClient({ url: `${server.endpoint}/chat/completions`, model: 'm' }, '')
  const forgotten = []
  const cancelToken = { onCancel: () => 7, offCancel: (id) => forgotten.push(id) }
  await service.chat({ prompt: 'p' }, { attempt: 1, requestId: 'r', timeoutMs: 1000, cancelToken })
  assert.deepEqual(forgotten, [7])
})

/** A port of the loopback interface at which nobody listens. */
async function unusedPort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
