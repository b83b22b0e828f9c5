// Article 001 as ArkTS sees it: a request that is tried again, its trace and the panel. tests/articles/article_001 has the
// same in Rust.
import lib from './support/module.mjs'
import { assert, test } from './support/runner.mjs'
import { Script, drive, httpError, never, settle, setUp } from './support/help.mjs'

const { CancelToken, ManualClock, RetryOutcome, RetryPolicies, StopReason, TraceLog, cancellableSleep, nextDelayMs, requestWithRetry } = lib

const article = { baseMs: 200, factor: 2, maxMs: 5000, maxAttempts: 4 }

/** A request that does one step a call, the last one again and again: a status, a response, an error, a function. */
function service(...steps) {
  const request = async (context) => {
    const step = steps[Math.min(request.calls, steps.length - 1)]
    request.calls++
    request.times.push(request.clock.now())
    request.contexts.push(context)
    if (step instanceof Error) throw step
    if (typeof step === 'function') return step(context)
    return typeof step === 'number' ? { responseCode: step, result: 'body of ' + step } : step
  }
  return Object.assign(request, { calls: 0, times: [], contexts: [], clock: new ManualClock() })
}

/** A request in virtual time, with the middle of each jitter. */
function start(request, policy, options) {
  return requestWithRetry(request, { ...article, rng: () => 0.5, clock: request.clock, ...policy }, options)
}
const run = (request, policy, options) => drive(request.clock, start(request, policy, options).result)

const networkError = Object.assign(new Error("Couldn't resolve host name"), { code: 2300006 })

test('full jitter: [0, min(maxMs, baseMs · factor^(attempt − 1))), rounded down', () => {
  const drawn = (rng, attempt) => nextDelayMs({ ...article, rng: () => rng }, attempt)
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map((attempt) => drawn(0.5, attempt)), [100, 200, 400, 800, 1600, 2500, 2500])
  assert.deepEqual([drawn(0, 3), drawn(0.999999, 1), drawn(0.999999, 50), drawn(1, 2 ** 32 - 1)], [0, 199, 4999, 4999])
  assert.equal(nextDelayMs({ ...article, factor: 1.5, rng: () => 0.999 }, 2), 299)
  assert.equal(nextDelayMs({ ...article, baseMs: 1000, maxMs: 300, rng: () => 0.999 }, 1), 299, 'a cap below the base')
})

test('the device has chance of its own, even over the whole range', () => {
  const waits = Array.from({ length: 4000 }, () => nextDelayMs(article, 1))
  assert.ok(waits.every((wait) => Number.isInteger(wait) && 0 <= wait && wait < 200))
  for (let quarter = 0; quarter < 4; quarter++) {
    const share = waits.filter((wait) => Math.floor(wait / 50) === quarter).length
    assert.ok(share > 850 && share < 1150, share + ' of 4000 in quarter ' + quarter)
  }
})

test('18 requests that fail at the same moment come back all over [0, 200) ms', async () => {
  const clock = new ManualClock()
  const requests = Array.from({ length: 18 }, () => Object.assign(service(networkError, 200), { clock }))
  const handles = requests.map((request) => requestWithRetry(request, { ...article, clock }))
  await drive(clock, Promise.all(handles.map((handle) => handle.result)))
  const again = requests.map((request) => request.times[1]).sort((a, b) => a - b)
  assert.ok(again.every((time) => time < 200), again.join())
  assert.ok(again[17] - again[0] > 80 && new Set(again).size > 9, again.join())
})

test('a 2xx is done, and its response comes as it is', async () => {
  for (const key of ['responseCode', 'status', 'statusCode']) {
    const response = { [key]: 204 }
    const result = await run(service(response))
    assert.deepEqual([result.outcome, result.stopReason, result.status, result.error], [RetryOutcome.Success, StopReason.Success, 204, undefined])
    assert.ok(result.response === response)
  }
  const bare = await run(service(() => 200))
  assert.deepEqual([bare.outcome, bare.status, bare.response], ['success', 200, undefined])
  const thenable = { then: (resolve) => resolve({ status: 201 }) }
  assert.equal((await drive(new ManualClock(), requestWithRetry(() => thenable, article).result)).status, 201)
})

test('a 4xx is final', async () => {
  for (const status of [400, 403, 404, 408, 425, 429, 499]) {
    const request = service(status, 200)
    const result = await run(request)
    assert.deepEqual([result.outcome, result.status, result.response.result, request.calls], ['final', status, 'body of ' + status, 1])
    assert.deepEqual([result.error.status, result.stopReason], [status, 'not_retryable'])
  }
})

test('a 4xx that is thrown, as fetch-like clients do, is final as well', async () => {
  const request = service(httpError(404), 200)
  const { outcome, status, error, response } = await run(request)
  assert.deepEqual([outcome, status, error.code, response, request.calls], ['final', 404, 'model_not_found', undefined, 1])
})

test('a 5xx and a network error are tried again', async () => {
  for (const step of [500, 502, 503, 504, httpError(503), networkError, Object.assign(new Error('offline'), { code: 'ERR_INTERNET_DISCONNECTED' }), new Error('something')]) {
    const request = service(step, step, 200)
    const { outcome } = await run(request)
    assert.deepEqual([outcome, request.times], ['success', [0, 100, 300]], String(step))
  }
})

test('a redirect, no status and a bug of the function are final', async () => {
  for (const [step, code] of [[304, 'protocol'], [{}, 'invalid_response'], [undefined, 'invalid_response'], [{ status: '200' }, 'invalid_response'], [{ status: NaN }, 'invalid_response'], [new TypeError('x is undefined'), 'client_bug']]) {
    const request = service(step, 200)
    const result = await run(request)
    assert.deepEqual([result.outcome, result.error.code, request.calls], ['final', code, 1])
  }
})

test('maxAttempts counts retries; then it is given up at once, not after one more wait', async () => {
  const request = service(503)
  const result = await run(request)
  assert.deepEqual([result.outcome, result.stopReason, result.status], [RetryOutcome.GivenUp, StopReason.Attempts, 503])
  assert.deepEqual(request.times, [0, 100, 300, 700, 1500])
  assert.equal(result.trace.durationMs, 1500)
  const once = service(503)
  assert.deepEqual([(await run(once, { maxAttempts: 0 })).outcome, once.calls], ['given_up', 1])
})

test('which statuses are final is a setting', async () => {
  const policy = { retryStatuses: [408, 425, 429], finalStatuses: [501, 408] }
  for (const [status, outcome] of [[429, 'success'], [425, 'success'], [408, 'final'], [404, 'final'], [501, 'final'], [500, 'success']]) {
    assert.equal((await run(service(status, 200), policy)).outcome, outcome, status)
  }
  const empty = { responseCode: 429, result: '{"error":{"code":"insufficient_quota"}}' }
  assert.deepEqual([(await run(service(empty, 200), policy)).outcome], ['final'], 'money does not come back')
  const says = { responseCode: 409, header: { 'X-Should-Retry': 'true' } }
  assert.equal((await run(service(says, 200), policy)).outcome, 'success')
})

test('a Retry-After is waited for, unless it is too long', async () => {
  const asking = (seconds) => ({ responseCode: 503, header: { 'Retry-After': seconds } })
  const { outcome, trace } = await run(service(asking('30'), 200), { retryAfterSpread: 0 })
  assert.deepEqual([outcome, trace.delays, trace.requests[0].delaySource], ['success', [30000], 'retry_after'])
  const long = await run(service(asking('61'), 200))
  assert.deepEqual([long.outcome, long.stopReason, long.error.retryAfterMs, long.trace.durationMs], ['given_up', 'retry_after_too_long', 61000, 0])
  assert.equal((await run(service(asking('61'), 200), { retryAfterMaxMs: 61000 })).outcome, 'success')
})

test('a request that never comes back and a deadline end it', async () => {
  const slow = await run(service(never), { attemptTimeoutMs: 1000, maxAttempts: 1 })
  assert.deepEqual([slow.outcome, slow.error.code, slow.trace.durationMs], ['given_up', 'timeout', 2100])
  const late = await run(service(never), { attemptTimeoutMs: 1000, deadlineMs: 1500 })
  assert.deepEqual([late.stopReason, late.trace.durationMs], ['deadline', 1500])
  assert.equal((await run(service(never), {}, { deadlineMs: 700 })).trace.durationMs, 700)
})

test('cancel() in a wait: at once, and no further request', async () => {
  const request = service(503, 200)
  const handle = start(request)
  await request.clock.advanceAsync(40)
  handle.cancel()
  const { outcome, stopReason, error, trace } = await handle.result
  assert.deepEqual([outcome, stopReason, error.code, trace.durationMs], ['cancelled', 'cancelled', 'cancelled', 40])
  await request.clock.advanceAsync(10000)
  assert.deepEqual([request.calls, request.clock.pendingSleeps], [1, 0])
  handle.cancel()
  assert.equal((await handle.result).outcome, 'cancelled')
})

test('cancel() hands the request in flight its signal', async () => {
  const told = []
  const request = service((context) => new Promise((resolve, reject) => {
    context.cancelToken.onCancel((reason) => {
      told.push(reason)
      reject(Object.assign(new Error('destroyed'), { code: 2300023 }))
    })
  }))
  const handle = start(request)
  await settle()
  handle.cancel()
  assert.deepEqual(told, ['cancelled'])
  const { outcome, trace } = await handle.result
  assert.deepEqual([outcome, request.calls, trace.requests[0].maybeBilled, trace.finalStatus], ['cancelled', 1, true, 0])
})

test('a time limit is told by the same signal, and the request is sent again', async () => {
  const told = []
  const request = service((context) => (context.cancelToken.onCancel((reason) => told.push(reason)), never()), 200)
  assert.equal((await run(request, { attemptTimeoutMs: 1000 })).outcome, 'success')
  assert.deepEqual(told, ['timeout'])
})

test('a token ends all requests of a page; a handle only its own', async () => {
  const [token, clock] = [new CancelToken(), new ManualClock()]
  const handles = [0, 1, 2].map(() => requestWithRetry(async () => 503, { ...article, rng: () => 0.5, clock }, { cancelToken: token }))
  await clock.advanceAsync(10)
  handles[1].cancel()
  assert.equal((await handles[1].result).outcome, 'cancelled')
  assert.equal(handles[0].trace.outcome, undefined)
  token.cancel()
  for (const handle of handles) assert.equal((await handle.result).outcome, 'cancelled')
  const late = service(200)
  assert.deepEqual([(await run(late, {}, { cancelToken: token })).outcome, late.calls], ['cancelled', 0])
})

test('the context: attempt, one id for all requests, time limit; only for a function that takes it', async () => {
  const request = service(503, 503, 200)
  const { trace } = await run(request, { attemptTimeoutMs: 7000 }, { requestId: 'order-17' })
  assert.deepEqual(request.contexts.map((context) => [context.attempt, context.requestId, context.timeoutMs]), [1, 2, 3].map((attempt) => [attempt, 'order-17', 7000]))
  assert.equal(trace.requestId, 'order-17')
  const counts = []
  const noted = (...all) => (counts.push(all.length), 200)
  for (const options of [undefined, { passContext: true }, { passContext: false }]) await requestWithRetry(noted, article, options).result
  assert.deepEqual(counts, [0, 1, 0])
  const ids = await Promise.all([0, 1].map(async () => (await requestWithRetry(async () => 200, article).result).trace.requestId))
  assert.notEqual(ids[0], ids[1])
})

test('a write is retried less than a read, and not when its work may have been done', async () => {
  const calls = async (policy, step) => {
    const request = service(step)
    await run(request, policy)
    return request.calls
  }
  assert.deepEqual({ ...RetryPolicies.read() }, { ...article, retryUnsafe: true })
  assert.deepEqual({ ...RetryPolicies.write() }, { ...article, maxAttempts: 1, retryUnsafe: false })
  assert.deepEqual([await calls(RetryPolicies.read(), 503), await calls(RetryPolicies.write(), 503)], [5, 2])
  for (const step of [500, 502, 504, new Error('something'), Object.assign(new Error('reset'), { code: 'ECONNRESET' })]) {
    assert.equal(await calls(RetryPolicies.write(), step), 1, String(step))
  }
  assert.equal(await calls(RetryPolicies.write(), networkError), 2, 'nothing was sent')
  const { outcome, stopReason } = await run(service(500), RetryPolicies.write())
  assert.deepEqual([outcome, stopReason], ['given_up', 'not_retryable'])
})

test('the trace shows what the time of the last request hides', async () => {
  const waits = [86, 310, 740, 1480]
  const tops = [200, 400, 800, 1600]
  let drawn = 0
  const rng = () => (waits[drawn] + 0.5) / tops[drawn++]
  const { trace } = await run(service(503, networkError, 500, 503, 200), { rng }, { url: 'feed?page=2' })
  const { url, attempts, delays, finalStatus, outcome, startedAtMs, durationMs } = trace
  assert.deepEqual({ url, attempts, delays, finalStatus, outcome, startedAtMs, durationMs }, { url: 'feed?page=2', attempts: 4, delays: waits, finalStatus: 200, outcome: 'success', startedAtMs: 0, durationMs: 2616 })
  assert.deepEqual(trace.requests.map((request) => [request.attempt, request.ok, request.status, request.startedAtMs]), [[1, false, 503, 0], [2, false, undefined, 86], [3, false, 500, 396], [4, false, 503, 1136], [5, true, 200, 2616]])
  assert.deepEqual(JSON.parse(JSON.stringify(trace)).delays, waits, 'plain data')
  const given = (await run(service(networkError))).trace
  assert.deepEqual([given.url, given.attempts, given.finalStatus, given.outcome], ['', 4, 0, 'given_up'])
})

test('the handle shows the trace while it runs', async () => {
  const request = service(503, 503, 200)
  const handle = start(request, {}, { url: 'x' })
  await request.clock.advanceAsync(250)
  const { url, attempts, delays, outcome, durationMs } = handle.trace
  assert.deepEqual({ url, attempts, delays, outcome, durationMs }, { url: 'x', attempts: 2, delays: [100, 200], outcome: undefined, durationMs: undefined })
  const result = await drive(request.clock, handle.result)
  assert.deepEqual(JSON.stringify(handle.trace), JSON.stringify(result.trace))
  assert.ok(handle.result === handle.result && handle.result instanceof Promise)
})

test('without a clock of its own it began now', async () => {
  const before = Date.now()
  const { trace } = await requestWithRetry(async () => 200, article).result
  assert.ok(before <= trace.startedAtMs && trace.startedAtMs <= Date.now())
  assert.ok(trace.durationMs >= 0)
})

test('the request runs at once, and the result never rejects', async () => {
  let called = false
  const handle = requestWithRetry(() => {
    called = true
    throw Object.assign(new Error('sync'), { status: 404 })
  }, article)
  assert.ok(called)
  assert.equal((await handle.result).outcome, 'final')
  for (const thrown of [null, undefined, 5, 'text', Symbol('s')]) {
    const request = service(() => Promise.reject(thrown))
    assert.equal((await run(request)).outcome, 'given_up')
  }
})

test('cancellableSleep: true when slept to the end, false at once when cancelled', async () => {
  const [clock, token] = [new ManualClock(), new CancelToken()]
  const whole = cancellableSleep(1000, token, { clock })
  await clock.advanceAsync(1000)
  assert.equal(await whole, true)
  const cut = cancellableSleep(1000, token, { clock })
  await clock.advanceAsync(125)
  token.cancel()
  assert.equal(await cut, false)
  assert.deepEqual([clock.now(), clock.pendingSleeps], [1125, 0])
  assert.equal(await cancellableSleep(0, token), false, 'cancelled before')
  assert.equal(await cancellableSleep(0), true)
  const started = Date.now()
  assert.equal(await cancellableSleep(30, new CancelToken()), true)
  assert.ok(Date.now() - started >= 29)
})

// The panel

const own = (url) => ({ url, attempts: 0, delays: [], finalStatus: 200 })
const urls = (log) => log.all().map((trace) => trace.url).join()

test('the log keeps the latest traces', () => {
  const log = new TraceLog(2)
  const traces = ['a', 'b', 'c'].map(own)
  traces.forEach((trace) => log.add(trace))
  assert.equal(urls(log), 'b,c')
  assert.ok(log.all()[1] === traces[2], 'as it is')
  log.all().pop()
  assert.equal(urls(log), 'b,c', 'the array is one of its own')
  log.clear()
  assert.deepEqual(log.all(), [])
  const many = new TraceLog()
  for (let i = 0; i < 250; i++) many.add(own(String(i)))
  assert.deepEqual([many.all().length, many.all()[0].url], [200, '50'])
})

test('a request adds its trace when it has ended, however it ends', async () => {
  const log = new TraceLog()
  for (const [url, steps] of [['done', [503, 200]], ['wrong', [404]], ['down', [networkError]]]) await run(service(...steps), {}, { url, log })
  const request = service(503)
  const handle = start(request, {}, { url: 'left', log })
  await request.clock.advanceAsync(10)
  assert.equal(urls(log), 'done,wrong,down')
  handle.cancel()
  const { trace } = await handle.result
  assert.deepEqual(log.all().map((trace) => [trace.url, trace.outcome, trace.attempts, trace.finalStatus]), [['done', 'success', 1, 200], ['wrong', 'final', 0, 404], ['down', 'given_up', 4, 0], ['left', 'cancelled', 1, 503]])
  assert.ok(log.all()[3] === trace)
})

test('a panel is told of each change until it takes itself back', async () => {
  const [log, told] = [new TraceLog(), []]
  const id = log.onChange((trace) => told.push(trace && trace.url))
  await run(service(200), {}, { url: 'feed', log })
  log.add(own('own'))
  log.clear()
  assert.deepEqual(told, ['feed', 'own', undefined])
  assert.deepEqual([log.offChange(id), log.offChange(id)], [true, false])
  log.add(own('later'))
  assert.equal(told.length, 3)
})

test('a listener that throws, rejects, or changes the log costs nobody anything', async () => {
  const [log, told] = [new TraceLog(), []]
  log.onChange(() => {
    throw new Error('a panel gone wrong')
  })
  log.onChange(async () => {
    throw new Error('later')
  })
  log.onChange(() => log.add(own('mine')))
  log.onChange((trace) => told.push(trace.url))
  assert.equal((await run(service(200), {}, { url: 'a', log })).outcome, 'success')
  log.add(own('b'))
  await settle()
  assert.deepEqual([told, urls(log), log.listenerErrors], [['a', 'b'], 'a,mine,b,mine', 4])
})

test('calls of a client stand in the same panel', async () => {
  const log = new TraceLog()
  const inner = new Script(httpError(503), httpError(500), { text: 'x' })
  const record = await setUp(inner).execute({})
  log.addOutcome(record, 'chat')
  const [trace] = log.all()
  const { url, attempts, delays, finalStatus, outcome, stopReason, requestId, durationMs } = trace
  assert.deepEqual({ url, attempts, delays, finalStatus, outcome, stopReason, requestId, durationMs }, { url: 'chat', attempts: 2, delays: [100, 200], finalStatus: 0, outcome: 'success', stopReason: 'success', requestId: record.requestId, durationMs: 300 })
  assert.ok(trace.requests === record.trace)
  assert.ok(Math.abs(trace.startedAtMs + 300 - Date.now()) < 5000)
  log.add(trace)
  for (const [step, expected] of [[httpError(503), ['given_up', 503]], [httpError(401), ['final', 401]]]) {
    log.addOutcome(await setUp(new Script(step)).execute({}), 'chat')
    const { outcome, finalStatus } = log.all().pop()
    assert.deepEqual([outcome, finalStatus], expected)
  }
})
