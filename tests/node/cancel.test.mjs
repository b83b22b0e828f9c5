// CancelToken: ends calls at once wherever they are, tells the client, leaves nothing behind.
import lib from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, ContextScript, httpError, never, setUp, settle, sleep } from './support/help.mjs'

const { BreakerState, CancelToken, MockLlmClient, ResilientLlmClient } = lib
const answer = (text) => ({ text })

/** A token and the reasons that its listener was told. */
function told() {
  const token = new CancelToken()
  const reasons = []
  const id = token.onCancel((reason) => reasons.push(reason))
  return { token, reasons, id }
}

test('a new token is not cancelled and has no reason', () => {
  const token = new CancelToken()
  assert.deepEqual([token.cancelled, token.reason], [false, undefined])
})

test('cancel tells each listener once, in order, at once', () => {
  const token = new CancelToken()
  const seen = []
  for (const name of ['a', 'b', 'c']) token.onCancel((reason) => seen.push(name + ' ' + reason))
  token.cancel()
  token.cancel()
  assert.deepEqual(seen, ['a cancelled', 'b cancelled', 'c cancelled'])
  assert.deepEqual([token.cancelled, token.reason], [true, 'cancelled'])
})

test('a listener that comes too late is told at once', () => {
  const token = new CancelToken()
  token.cancel()
  const reasons = []
  token.onCancel((reason) => reasons.push(reason))
  assert.deepEqual(reasons, ['cancelled'])
})

test('the same function may listen twice', () => {
  const token = new CancelToken()
  let calls = 0
  const listener = () => calls++
  assert.notEqual(token.onCancel(listener), token.onCancel(listener))
  token.cancel()
  assert.equal(calls, 2)
})

test('offCancel takes a listener back, once', () => {
  const { token, reasons, id } = told()
  assert.deepEqual([token.offCancel(id), token.offCancel(id), token.offCancel(12345)], [true, false, false])
  token.cancel()
  assert.deepEqual(reasons, [])
})

test('after the cancel there is nothing left to take back', () => {
  const { token, id } = told()
  token.cancel()
  assert.equal(token.offCancel(id), false)
})

test('a listener that throws keeps nobody from being told', () => {
  const token = new CancelToken()
  const seen = []
  token.onCancel(() => {
    throw new Error('listener')
  })
  token.onCancel(() => seen.push('second'))
  token.cancel()
  assert.deepEqual([seen, token.cancelled], [['second'], true])
})

test('a listener may use its own token', () => {
  const token = new CancelToken()
  const seen = []
  token.onCancel(() => {
    seen.push(token.cancelled, token.reason)
    token.cancel()
    token.onCancel((reason) => seen.push('nested ' + reason))
    token.offCancel(1)
  })
  token.cancel()
  assert.deepEqual(seen, [true, 'cancelled', 'nested cancelled'])
})

test('a listener that cancels once more silences none of those after it', async () => {
  const cancelled = async (token, cancel) => {
    const seen = []
    token.onCancel(() => seen.push('screen closes', token.cancel()))
    token.onCancel(() => seen.push('request destroyed'))
    cancel()
    return seen
  }
  const token = new CancelToken()
  const both = ['screen closes', undefined, 'request destroyed']
  assert.deepEqual(await cancelled(token, () => token.cancel()), both)
  const seen = []
  const chat = async (request, context) => (seen.push(...(await cancelled(context.cancelToken, () => app.cancel()))), never())
  const app = new CancelToken()
  await setUp({ chat }).client.execute({}, { cancelToken: app })
  await settle()
  assert.deepEqual(seen, both)
})

test('tens of thousands of listeners: the time of each does not grow with the others', () => {
  // of all but the first listeners, so that compiling is done
  const time = (count) => {
    const token = new CancelToken()
    const ids = Array.from({ length: 2 * count }, () => token.onCancel(() => {}))
    const began = Date.now()
    for (let i = 0; i < count; i++) token.offCancel(ids[i])
    token.cancel()
    return Date.now() - began
  }
  time(1000)
  const few = Math.max(time(2000), 1)
  assert.between(time(40000), 0, 80 * few + 100)
})

test('a listener that an earlier one takes back is not told', () => {
  const token = new CancelToken()
  const seen = []
  token.onCancel(() => seen.push('first', token.offCancel(second)))
  const second = token.onCancel(() => seen.push('second'))
  token.onCancel(() => seen.push('third'))
  token.cancel()
  assert.deepEqual(seen, ['first', true, 'third'])
})

test('a listener is called without this and with one argument', () => {
  const token = new CancelToken()
  const seen = []
  token.onCancel(function () {
    'use strict'
    seen.push(this, arguments.length)
  })
  token.cancel()
  assert.deepEqual(seen, [undefined, 1])
})

// Where a call can be when it is cancelled

const outcomeOf = async (inner, cancelAt, options) => {
  const run = setUp(inner, options)
  const cancelToken = new CancelToken()
  const call = run.client.execute({}, { cancelToken })
  await cancelAt(cancelToken, run)
  return { outcome: await call, ...run }
}
const facts = (outcome) => [outcome.status, outcome.stopReason, outcome.attempts, outcome.text, outcome.usedFallback]

test('a token that is cancelled before: no attempt', async () => {
  const inner = new Script(answer('x'))
  const { client } = setUp(inner)
  const cancelToken = new CancelToken()
  cancelToken.cancel()
  const outcome = await client.execute({}, { cancelToken })
  assert.deepEqual(facts(outcome), ['cancelled', 'cancelled', 0, '', false])
  assert.deepEqual([inner.calls, outcome.error.code, outcome.maybeBilled], [0, 'cancelled', false])
})

test('during an attempt: at once, neutral for the breaker, maybe billed', async () => {
  const { outcome, breaker } = await outcomeOf(new Script(never), (token) => token.cancel())
  assert.deepEqual(facts(outcome), ['cancelled', 'cancelled', 1, '', false])
  assert.deepEqual([outcome.error.code, outcome.trace[0].code, outcome.maybeBilled], ['cancelled', 'cancelled', true])
  assert.deepEqual([breaker.stats.neutral, breaker.stats.failures, breaker.consecutiveFailures], [1, 0, 0])
})

test('during a wait: at once, without the rest of the wait', async () => {
  const inner = new Script(httpError(503), answer('x'))
  const cancelAt = async (token, { clock }) => {
    await clock.advanceAsync(60)
    token.cancel()
  }
  const { outcome, clock } = await outcomeOf(inner, cancelAt)
  assert.deepEqual(facts(outcome), ['cancelled', 'cancelled', 1, '', false])
  assert.deepEqual([outcome.elapsedMs, outcome.trace[0].delayMs, clock.pendingSleeps, inner.calls], [60, 100, 0, 1])
})

test('after the end: no effect', async () => {
  const { client } = setUp(new Script(answer('x')))
  const cancelToken = new CancelToken()
  const outcome = await client.execute({}, { cancelToken })
  cancelToken.cancel()
  assert.equal(outcome.status, 'ok')
})

test('an answer that comes together with the cancel is dropped: the app does not want it', async () => {
  const cancelToken = new CancelToken()
  const { client } = setUp({ chat: async () => (cancelToken.cancel(), answer('x')) })
  assert.equal((await client.execute({}, { cancelToken })).status, 'cancelled')
  const later = new CancelToken()
  const other = setUp({ chat: async () => (await null, later.cancel(), answer('x')) })
  assert.equal((await other.client.execute({}, { cancelToken: later })).status, 'cancelled')
})

test('a client that fails because it was cancelled is cancelled, whatever it fails with', async () => {
  const inner = {
    chat: (request, context) => new Promise((_, reject) => context.cancelToken.onCancel(() => reject(httpError(503)))),
  }
  const { outcome, breaker } = await outcomeOf(inner, (token) => token.cancel())
  assert.deepEqual([outcome.status, breaker.stats.failures], ['cancelled', 0])
})

test('one token ends all the calls that it was given to', async () => {
  const run = setUp(new Script(never))
  const cancelToken = new CancelToken()
  const calls = Array.from({ length: 100 }, () => run.client.execute({}, { cancelToken }))
  const other = run.client.execute({})
  cancelToken.cancel()
  assert.equal((await Promise.all(calls)).filter((outcome) => outcome.status === 'cancelled').length, 100)
  await run.clock.advanceAsync(120000)
  assert.equal((await other).status, 'fallback')
})

test('a cancelled call leaves no sleep behind', async () => {
  const run = setUp(new Script(never))
  const cancelToken = new CancelToken()
  const calls = Array.from({ length: 10 }, () => run.client.execute({}, { cancelToken }))
  assert.equal(run.clock.pendingSleeps, 10)
  cancelToken.cancel()
  await Promise.all(calls)
  assert.equal(run.clock.pendingSleeps, 0)
})

test('a cancelled probe gives its place back', async () => {
  const inner = new Script(httpError(503), never, answer('x'))
  const { client, clock, breaker, chat } = setUp(inner, { threshold: 1, config: { maxRetries: 0 } })
  await chat({})
  await clock.advanceAsync(5000)
  const cancelToken = new CancelToken()
  const probe = client.execute({}, { cancelToken })
  assert.equal(breaker.state, BreakerState.HALF_OPEN)
  cancelToken.cancel()
  await probe
  assert.equal(await chat({}), 'x')
  assert.equal(breaker.state, BreakerState.CLOSED)
})

test('an attempt that ends gives up its place at the token', async () => {
  const inner = new ContextScript(answer('x'))
  const { execute } = setUp(inner)
  const cancelToken = new CancelToken()
  for (let i = 0; i < 20; i++) await execute({}, { cancelToken })
  cancelToken.cancel()
  for (const context of inner.contexts) assert.equal(context.cancelToken.cancelled, false)
})

test('cancel in real time: a wait of a minute ends now', async () => {
  const client = new ResilientLlmClient(new Script(httpError(503)), { baseMs: 60000, maxMs: 60000, jitter: 'none' })
  const cancelToken = new CancelToken()
  const call = client.execute({}, { cancelToken })
  await sleep(5)
  cancelToken.cancel()
  const outcome = await call
  assert.equal(outcome.status, 'cancelled')
  assert.between(outcome.elapsedMs, 4, 20000)
})

test('the token of a timed-out attempt says so', async () => {
  const inner = new ContextScript(never)
  const { execute } = setUp(inner, { config: { maxRetries: 0, attemptTimeoutMs: 50 } })
  await execute({})
  const { cancelToken } = inner.contexts[0]
  assert.deepEqual([cancelToken.cancelled, cancelToken.reason], [true, 'timeout'])
  cancelToken.cancel()
  assert.equal(cancelToken.reason, 'timeout', 'the first reason stays')
})

test('a cancel from within the client, before it gives its promise', async () => {
  const cancelToken = new CancelToken()
  const { client } = setUp({ chat: () => (cancelToken.cancel(), never()) })
  assert.equal((await client.execute({}, { cancelToken })).status, 'cancelled')
})

test('a cancel from onRetry ends the call before its wait', async () => {
  const cancelToken = new CancelToken()
  const { client } = setUp(new Script(httpError(503)), { onRetry: () => cancelToken.cancel() })
  const outcome = await client.execute({}, { cancelToken })
  assert.deepEqual(facts(outcome), ['cancelled', 'cancelled', 1, '', false])
})
