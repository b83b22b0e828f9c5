// demo.sh --endpoint against a real HTTP server with a fault plan.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, describe, test } from 'node:test'
import { answer, cutBody, inPieces, json, reply, reset, resetAfterHeaders, slow, startFaultServer } from './fault_server.mjs'
import { startDemo, until } from './support.mjs'

const KEY = 'sk-demo-0123456789abcdef'
const OPEN = 1
const servers = []
after(() => Promise.all(servers.map((server) => server.close())))

async function serve(...plan) {
  const server = await startFaultServer(plan)
  servers.push(server)
  return server
}

function startAsking(endpoint, ...args) {
  const fixed = ['--endpoint', endpoint, '--model', 'test-model', '--key-env', 'DEMO_KEY']
  return startDemo([...fixed, ...args, 'What now?'], { DEMO_KEY: KEY })
}

/** Asks and gives the run with its outcome; the key must never be seen. */
async function ask(endpoint, ...args) {
  return finished(await startAsking(endpoint, '--json', ...args).done)
}

function finished(run) {
  assert.doesNotMatch(run.stdout + run.stderr, new RegExp(KEY.slice(3, 12)), 'the key is in the output')
  assert.equal(run.stderr, '')
  return { ...run, ...JSON.parse(run.stdout) }
}

/** Asks in words. */
async function read(endpoint, ...args) {
  const run = await startAsking(endpoint, ...args).done
  assert.doesNotMatch(run.stdout + run.stderr, new RegExp(KEY.slice(3, 12)), 'the key is in the output')
  assert.equal(run.stderr, '')
  return run
}

/** From the server's reply to the next request. */
function pauses({ requests }) {
  return requests.slice(1).map((request, i) => request.begin - requests[i].replied)
}

function assertOneRequestId(server, outcome) {
  for (const { headers } of server.requests) {
    assert.equal(headers['x-request-id'], outcome.requestId)
    assert.equal(headers['idempotency-key'], outcome.requestId)
  }
}

describe('an answer', { concurrency: 6 }, () => {
  test('comes from one request, which says all that it should', async () => {
    const server = await serve(answer('It is noon.'))
    const { code, outcome, transitions } = await ask(server.endpoint)
    assert.equal(code, 0)
    assert.equal(outcome.status, 'ok')
    assert.equal(outcome.text, 'It is noon.')
    assert.equal(outcome.attempts, 1)
    assert.deepEqual(transitions, [])
    assert.equal(server.requests.length, 1)
    const [request] = server.requests
    assert.equal(request.path, '/v1/chat/completions')
    assert.equal(request.headers.authorization, `Bearer ${KEY}`)
    assert.deepEqual(request.body, { model: 'test-model', messages: [{ role: 'user', content: 'What now?' }] })
    assertOneRequestId(server, outcome)
  })

  test('has no authorization header without a key', async () => {
    const server = await serve(answer('hello'))
    const run = await startDemo(['--endpoint', server.endpoint, '--model', 'm', 'hello?']).done
    assert.equal(run.code, 0)
    assert.equal(server.requests[0].headers.authorization, undefined)
  })

  test('comes from the URL as it was given, its query is not shown', async () => {
    const server = await serve(answer('hello'))
    const run = await startDemo(['--endpoint', `${server.endpoint}?api_key=secret`, '--model', 'm', 'hello?']).done
    assert.equal(server.requests[0].path, '/v1/chat/completions?api_key=secret')
    assert.doesNotMatch(run.stdout + run.stderr, /secret/)
  })

  test('may name a key that is no secret', async () => {
    const server = await serve(answer('ollama runs models'))
    const args = ['--endpoint', server.endpoint, '--model', 'm', '--key-env', 'DEMO_KEY', '--json', 'what?']
    const run = await startDemo(args, { DEMO_KEY: 'ollama' }).done
    assert.equal(server.requests[0].headers.authorization, 'Bearer ollama')
    assert.equal(JSON.parse(run.stdout).outcome.text, 'ollama runs models')
  })

  test('is printed with its trace in words', async () => {
    const server = await serve(json(503, { error: { message: 'warming up' } }), answer('It is\nnoon.'))
    const { code, stdout } = await read(server.endpoint)
    assert.equal(code, 0)
    assert.match(stdout, /attempt 1 +overloaded +\d+ ms, backoff +CLOSED +HTTP 503: warming up/)
    assert.match(stdout, /attempt 2 +ok/)
    assert.match(stdout, /^It is\nnoon\.$/m)
    assert.match(stdout, /^ {2}2 attempts in \d+ ms$/m)
    assert.match(stdout, /^ {2}request id \S+, the same in every attempt$/m)
    assert.doesNotMatch(stdout, /no retry|left alone|stays open|next step/)
  })

  test('from one attempt does not speak of every attempt', async () => {
    const server = await serve(answer('It is noon.'))
    assert.match((await read(server.endpoint)).stdout, /^ {2}request id \S+$/m)
  })

  test('without a word is said to be one', async () => {
    for (const text of ['', ' \n']) {
      const server = await serve(answer(text))
      const { code, stdout } = await read(server.endpoint)
      assert.equal(code, 0)
      assert.match(stdout, /^Answer\n\(the model answered with an empty text\)$/m)
      assert.match(stdout, /call 1 +ok +CLOSED +\(the model answered with an empty text\)/)
    }
  })

  test('arrives whole when its characters come in pieces', async () => {
    const server = await serve(inPieces('断路器会暂停请求。🙂'))
    assert.equal((await ask(server.endpoint)).outcome.text, '断路器会暂停请求。🙂')
  })

  test('cannot write on the terminal but text', async () => {
    const server = await serve(answer('\u001b[2Jgone\u001b]0;title\u0007\u202e'))
    const { stdout } = await read(server.endpoint)
    assert.doesNotMatch(stdout, /[\u001b\u0007\u202e]/)
    assert.match(stdout, /gone/)
  })
})

describe('a fault, then an answer', { concurrency: 6 }, () => {
  const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
  const limit = { error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' } }
  const overloaded = { error: { message: 'Overloaded', type: 'overloaded_error' } }

  test('429, 503, reset, slow, then fine: five attempts with one request id', async () => {
    const busy = json(429, limit, { 'retry-after': '1' })
    const server = await serve(busy, reply(503), resetAfterHeaders, slow(5000, answer('late')), answer('at last'))
    const { outcome, code, transitions } = await ask(server.endpoint, '--retries', '4', '--timeout-ms', '1000')
    assert.equal(code, 0)
    assert.equal(outcome.text, 'at last')
    const classes = ['rate_limit', 'overloaded', 'interrupted', 'timeout', undefined]
    assert.deepEqual(outcome.trace.map((attempt) => attempt.code), classes)
    assert.deepEqual(transitions, [])
    assert.equal(server.requests.length, 5)
    pauses(server).forEach((pause, i) => assert.ok(pause >= outcome.trace[i].delayMs, `wait ${i + 1}: ${pause} ms`))
    assertOneRequestId(server, outcome)
  })

  const cases = [
    ['429 with Retry-After in seconds', json(429, limit, { 'retry-after': '1' }), 'rate_limit', { wait: 1000 }],
    ['429 with Retry-After as a date', json(429, limit, { date, 'retry-after': date.replace(':00 ', ':01 ') }), 'rate_limit', { wait: 1000 }],
    ['429 with retry-after-ms', json(429, limit, { 'retry-after-ms': '800.5', 'retry-after': '1' }), 'rate_limit', { wait: 801 }],
    ['429 with a Retry-After nobody can read', json(429, limit, { 'retry-after': 'soon' }), 'rate_limit', { malformed: 'soon' }],
    ['429 with a date in the past', json(429, limit, { date, 'retry-after': date.replace('07:28', '07:27') }), 'rate_limit', {}],
    ['503 from a proxy', reply(503, '<html>503 Service Temporarily Unavailable</html>'), 'overloaded', {}],
    ['500', reply(500, 'Internal Server Error'), 'server', {}],
    ['an error in a 200', json(200, overloaded, { 'retry-after': '1' }), 'overloaded', { wait: 1000 }],
    ['a reset instead of a reply', reset, 'interrupted', { billed: true }],
    ['a reset after the headers', resetAfterHeaders, 'interrupted', { billed: true }],
    ['a body that is cut off', cutBody, 'interrupted', { billed: true }],
    ['no byte in time', slow(5000, answer('late')), 'timeout', { billed: true, args: ['--timeout-ms', '1000'] }],
  ]
  for (const [name, fault, code, { wait, malformed, billed = false, args = [] }] of cases) {
    test(name, async () => {
      const server = await serve(fault, answer('fine'))
      const { code: exitCode, outcome } = await ask(server.endpoint, ...args)
      assert.equal(exitCode, 0)
      assert.equal(outcome.text, 'fine')
      assert.deepEqual(outcome.trace.map((attempt) => attempt.code), [code, undefined])
      const [first] = outcome.trace
      assert.equal(first.delaySource, wait ? 'retry_after' : 'backoff')
      // never earlier, up to a tenth later
      if (wait) assert.ok(first.delayMs >= wait && first.delayMs <= wait * 1.1, first.delayMs)
      assert.equal(first.retryAfterMalformed, malformed)
      assert.equal(first.maybeBilled, billed)
      assert.equal(server.requests.length, 2)
      const [pause] = pauses(server)
      assert.ok(pause >= first.delayMs, `asked again after ${pause} ms, not ${first.delayMs} ms`)
      assertOneRequestId(server, outcome)
    })
  }

  test('a Retry-After that nobody can read is shown, of any attempt', async () => {
    const busy = json(429, limit, { 'retry-after': 'soon' })
    const shown = /^ +\d+\.\d+ +a Retry-After that can't be read: soon$/gm
    for (const [plan, args, times] of [[[busy, answer('fine')], [], 1], [[busy], ['--retries', '1'], 2]]) {
      const server = await serve(...plan)
      const { stdout } = await read(server.endpoint, ...args)
      assert.equal(stdout.match(shown)?.length, times, stdout)
    }
  })

  test('the request that ran out of time is taken back', async () => {
    const server = await serve(slow(5000, answer('late')))
    const { code } = await ask(server.endpoint, '--retries', '0', '--timeout-ms', '1000')
    assert.equal(code, 3)
    const [request] = server.requests
    await until(() => request.aborted)
    assert.ok(request.end - request.begin < 4000, `closed after ${request.end - request.begin} ms`)
  })
})

describe('no answer', { concurrency: 6 }, () => {
  const quota = { error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' } }
  const tooLong = { error: { message: "This model's maximum context length is 8192 tokens", code: 'context_length_exceeded' } }
  const noModel = { error: { message: 'model "test-model" not found, try pulling it first', type: 'not_found_error' } }
  const page = reply(200, '<!DOCTYPE html><title>Free Wi-Fi</title>', { 'content-type': 'text/html' })
  const cases = [
    ['401 that repeats the key', json(401, { error: { message: `Incorrect API key provided: ${KEY}.` } }), 'auth', 'error', /check the key/],
    ['404 with a page', reply(404, '<html>Not found</html>'), 'model_not_found', 'error', /HTTP 404: an HTML page instead of JSON/],
    ['400, too long', json(400, tooLong), 'context_length', 'error', /shorter question/],
    ['400 of another kind', json(400, { error: { message: 'temperature must be below 2' } }), 'bad_request', 'error', /temperature/],
    ['404, no such model', json(404, noModel), 'model_not_found', 'error', /model's name \(test-model\)/],
    ['302 to a login page', reply(302, '', { location: 'http://login.invalid/' }), 'protocol', 'error', /leads elsewhere/],
    ['a finish reason of moderation', answer('', 'content_filter'), 'content_filter', 'error', /differently/],
    ['429 without quota', json(429, quota, { 'retry-after': '1' }), 'quota', 'fallback', /top up/],
    ['JSON that is cut', reply(200, '{"choices":[{"mess'), 'invalid_response', 'fallback', /HTTP 200: not JSON, or cut off/],
    ['a text in a 200', reply(200, 'It is noon.'), 'invalid_response', 'fallback', /HTTP 200: not JSON, or cut off/],
    ['JSON of another shape', json(200, { hello: 'world' }), 'invalid_response', 'fallback', /HTTP 200: no text in choices/],
    ['no choices', json(200, { choices: [] }), 'invalid_response', 'fallback', /HTTP 200: no text in choices/],
    ['JSON null', json(200, null), 'invalid_response', 'fallback', /check the URL/],
    ['a message without a text', json(200, { choices: [{ message: { content: null }, finish_reason: 'stop' }] }), 'invalid_response', 'fallback', /HTTP 200: no text in choices/],
    ['a refusal', json(200, { choices: [{ message: { content: null, refusal: 'no' }, finish_reason: 'stop' }] }), 'content_filter', 'error', /differently/],
    ['moderation without a text', json(200, { choices: [{ message: { content: null }, finish_reason: 'content_filter' }] }), 'content_filter', 'error', /HTTP 200: no text in choices \(finish reason content_filter\)/],
    ['no quota in a 200', json(200, { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }), 'quota', 'fallback', /HTTP 200: no text in choices: insufficient balance[^]*top up/],
    ['an empty body', reply(200, ''), 'invalid_response', 'fallback', /HTTP 200: an empty body instead of JSON/],
    ['a login page in a 200', page, 'invalid_response', 'fallback', /login page/],
    ['a page that does not say so', reply(200, '\n<HTML>hello'), 'invalid_response', 'fallback', /HTTP 200: an HTML page instead of JSON/],
  ]
  for (const [name, fault, code, status, next] of cases) {
    test(`${name}: asked once`, async () => {
      const server = await serve(fault)
      const [inJson, inWords] = await Promise.all([ask(server.endpoint), read(server.endpoint)])
      assert.equal(inJson.code, 3)
      assert.equal(inWords.code, 3)
      assert.equal(server.requests.length, 2, 'one for each run')
      const { outcome } = inJson
      assert.equal(outcome.status, status)
      assert.equal(outcome.error.code, code)
      assert.equal(outcome.stopReason, 'not_retryable')
      assert.equal(outcome.usedFallback, status === 'fallback')
      assert.match(inWords.stdout, next)
      assert.match(inWords.stdout, /^ +\d+\.\d+ {2}no retry +asking again would not help: /m)
      assert.match(inWords.stdout, /^ {2}1 attempt in \d+ ms, no retry: asking again would not help: /m)
      assert.doesNotMatch(inWords.stdout, /not_retryable|JSON at position/)
    })
  }

  test('a 503 from a proxy: the page is named', async () => {
    const server = await serve(reply(503, '<html>503 Service Temporarily Unavailable</html>'))
    const { stdout } = await read(server.endpoint, '--retries', '0')
    assert.match(stdout, /attempt 1 +overloaded +CLOSED +HTTP 503: an HTML page instead of JSON/)
  })

  test('without quota the breaker opens at once', async () => {
    const server = await serve(json(429, quota))
    const { outcome, transitions } = await ask(server.endpoint)
    assert.deepEqual(transitions, ['CLOSED → OPEN'])
    assert.equal(outcome.trace[0].breakerState, OPEN)
  })

  test('who is to be left alone is told from a breaker that stays open', async () => {
    const asked = (seconds) => json(429, { error: { message: 'slow down' } }, { 'retry-after': seconds })
    const cases = [
      ['no Retry-After', [reply(503)], '0', []],
      ['a Retry-After', [asked('2')], '0', [/service asks to be left alone for 2 s$/]],
      ['no Retry-After, the breaker open', [reply(500)], '2', [/breaker stays open for 5 s$/]],
      ['no quota', [json(429, quota)], '2', [/breaker stays open for 10 min$/]],
      ['both', [reply(500), reply(500), asked('2')], '2', [/service asks to be left alone for 2 s$/, /breaker stays open for 5 s$/]],
    ]
    const run = async ([name, plan, retries, expected]) => {
      const server = await serve(...plan)
      const { stdout } = await read(server.endpoint, '--retries', retries)
      const lines = stdout.split('\n').filter((line) => /left alone|stays open/.test(line))
      assert.equal(lines.length, expected.length, `${name}: ${stdout}`)
      lines.forEach((line, i) => assert.match(line, expected[i], name))
    }
    await Promise.all(cases.map(run))
  })

  test('the fallback text and the next step name one time', async () => {
    const server = await serve(reply(503))
    const { stdout } = await read(server.endpoint, '--retries', '2')
    assert.match(stdout, /try again in 5 seconds/)
    assert.match(stdout, /next step: ask again in 5 s, /)
  })

  test('when it fails to the end: fallback, all attempts in the trace, the breaker open', async () => {
    const server = await serve(reply(503))
    const { code, outcome, transitions } = await ask(server.endpoint, '--retries', '1')
    assert.equal(code, 3)
    assert.equal(outcome.status, 'fallback')
    assert.equal(outcome.attempts, 2)
    assert.equal(outcome.stopReason, 'attempts')
    assert.deepEqual(transitions, [], 'two failures, three open it')
    assert.match(outcome.text, /try again/)
  })

  test('a Retry-After that is too long is passed on, not waited for', async () => {
    const server = await serve(json(429, { error: { message: 'slow down' } }, { 'retry-after': '3600' }))
    const { code, stdout, elapsedMs } = await read(server.endpoint)
    assert.equal(code, 3)
    assert.ok(elapsedMs < 60_000)
    assert.match(stdout, /no retry +the service asks for 1 h, no call waits so long$/m)
    assert.match(stdout, /^ {2}the service asks to be left alone for 1 h$/m)
    assert.match(stdout, /^ {2}next step: ask again in 1 h, not earlier$/m)
    assert.doesNotMatch(stdout, /retry_after_too_long|--retries/)
  })

  test('a port where nobody listens', async () => {
    const port = await unusedPort()
    const [inJson, inWords] = await Promise.all(
      [ask, read].map((run) => run(`http://127.0.0.1:${port}/v1`, '--retries', '1')),
    )
    assert.equal(inJson.code, 3)
    assert.deepEqual(inJson.outcome.trace.map((attempt) => attempt.code), ['connect', 'connect'])
    assert.equal(inJson.outcome.maybeBilled, false, 'nothing was sent')
    assert.match(inJson.outcome.error.message, /ECONNREFUSED/)
    assert.match(inWords.stdout, /no retry +attempt 2 of 2 was the last$/m)
    assert.match(inWords.stdout, /the service can't be reached/)
    assert.match(inWords.stdout, new RegExp(`whether a service runs at 127.0.0.1:${port}`))
  })

  test('a port to which fetch sends nothing: said, and not tried again', async () => {
    const { code, stdout } = await read('http://127.0.0.1:1/v1')
    assert.equal(code, 3)
    assert.match(stdout, /attempt 1 +protocol +CLOSED +fetch sends nothing to port 1: it belongs to another protocol$/m)
    assert.match(stdout, /^ {2}1 attempt in \d+ ms, no retry: /m)
    assert.match(stdout, /next step: check .*the port/)
  })

  test('a host that does not exist', async () => {
    const { code, outcome } = await ask('http://no-such-host.invalid/v1', '--retries', '0', '--timeout-ms', '20000')
    assert.equal(code, 3)
    assert.equal(outcome.error.code, 'connect')
    assert.match(outcome.error.message, /no-such-host\.invalid/)
  })

  test('https where http is spoken', async () => {
    const server = await serve(answer('hello'))
    const { code, outcome } = await ask(server.endpoint.replace('http:', 'https:'))
    assert.equal(code, 3)
    assert.equal(outcome.error.code, 'protocol')
    assert.equal(outcome.attempts, 1)
  })
})

describe('Ctrl-C', { concurrency: 6 }, () => {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    test(`${signal} ends a request in flight at once`, async () => {
      const server = await serve(slow(20_000, answer('late')))
      const { child, done } = startAsking(server.endpoint, '--json')
      await until(() => server.requests.length === 1)
      const begin = performance.now()
      child.kill(signal)
      const { code, outcome } = finished(await done)
      assert.ok(performance.now() - begin < 5000, `took ${performance.now() - begin} ms`)
      assert.equal(code, 130)
      assert.equal(outcome.status, 'cancelled')
      assert.equal(outcome.trace[0].code, 'cancelled')
      await until(() => server.requests[0].aborted)
    })
  }

  test('before an answer comes, the demo says that it waits and how long', async () => {
    const server = await serve(slow(20_000, answer('late')))
    const { child, done } = startAsking(server.endpoint)
    let seen = ''
    child.stdout.on('data', (text) => (seen += text))
    await until(() => /asking +waiting for an answer, up to 1 min$/m.test(seen))
    child.kill('SIGINT')
    await done
  })

  test('ends a wait at once, and says what happened', async () => {
    const server = await serve(json(429, { error: { message: 'slow down' } }, { 'retry-after': '30' }), answer('late'))
    const { child, done } = startAsking(server.endpoint)
    let seen = ''
    child.stdout.on('data', (text) => (seen += text))
    await until(() => /3[0-3]\d\d\d ms, Retry-After/.test(seen))
    const begin = performance.now()
    child.kill('SIGINT')
    const { code, stdout } = await done
    assert.ok(performance.now() - begin < 5000, `took ${performance.now() - begin} ms`)
    assert.equal(code, 130)
    assert.match(stdout, /Cancelled/)
    assert.match(stdout, /1 attempt in \d+ ms, no retry: the call was cancelled/)
    assert.equal(server.requests.length, 1)
  })
})

/** A port of the loopback interface at which nobody listens. */
async function unusedPort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}
