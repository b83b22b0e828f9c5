// Streamed answers as ArkTS sees them: the sink of the app's client, the app's onText, the outcome.
import lib from './support/module.mjs'
import { assert, test } from './support/runner.mjs'
import { gate, httpError, never, setUp } from './support/help.mjs'

const { CancelToken, ResilientLlmClient, TextSink } = lib

/** A client that plays `play(sink, context, attempt)`. */
const streaming = (play) => ({
  calls: 0,
  sinks: [],
  async chatStream(request, sink, context) {
    this.calls++
    this.sinks.push(sink)
    return play(sink, context, this.calls)
  },
})

async function streamed(inner, options = {}, onText = () => {}) {
  const run = setUp(inner, options)
  const texts = []
  const outcome = run.client.chatStream({}, (text) => (texts.push(text), onText(text)), options.call)
  await run.clock.advanceAsync(options.ms === undefined ? 600000 : options.ms)
  return { ...run, texts, outcome: await outcome }
}

test('text comes piece by piece, with the client\'s own this and request', async () => {
  const request = { prompt: 'hi' }
  const seen = []
  const inner = {
    mine: 1,
    async chatStream(given, sink) {
      seen.push(this.mine, given === request, sink instanceof TextSink)
      for (const text of ['你', '好', '\ud800!']) await sink.push(text)
    },
  }
  const texts = []
  const outcome = await new ResilientLlmClient(inner).chatStream(request, (text) => void texts.push(text))
  assert.deepEqual(seen, [1, true, true])
  assert.deepEqual([texts, outcome.text, outcome.status, outcome.usedFallback], [['你', '好', '\ud800!'], '你好\ud800!', 'ok', false])
})

test('what the client gives in the end is the answer, and kept as it is', async () => {
  const answer = { text: 'the whole', extra: 7 }
  const { outcome } = await streamed(streaming(async (sink) => (await sink.push('the'), answer)))
  assert.deepEqual([outcome.text, outcome.response === answer], ['the whole', true])
})

test('push waits until the page has taken the piece', async () => {
  const pages = []
  const order = []
  const inner = streaming(async (sink) => {
    for (const text of ['a', 'b']) {
      await sink.push(text)
      order.push('pushed ' + text)
    }
  })
  const { client } = setUp(inner)
  const call = client.chatStream({}, (text) => {
    order.push('shown ' + text)
    pages.push(gate())
    return pages[pages.length - 1].promise
  })
  while (pages.length < 1) await null
  for (let i = 0; i < 20; i++) await null
  assert.deepEqual(order, ['shown a'])
  pages[0].open()
  while (pages.length < 2) await null
  assert.deepEqual(order, ['shown a', 'pushed a', 'shown b'])
  pages[1].open()
  assert.equal((await call).text, 'ab')
})

test('pieces that nobody awaits keep their order and are all shown', async () => {
  const { texts, outcome } = await streamed(streaming(async (sink) => {
    for (let i = 0; i < 1000; i++) sink.push(i + ' ')
  }))
  assert.deepEqual([texts.length, texts[999], outcome.text.length], [1000, '999 ', texts.join('').length])
})

test('a client that never awaits is stopped at 10 000 pieces', async () => {
  let refused
  const page = gate()
  const { client } = setUp(streaming(async (sink) => {
    for (let i = 0; i < 10002; i++) sink.push('x').catch((error) => (refused = error))
    await null
    page.open()
  }))
  const outcome = await client.chatStream({}, () => page.promise)
  assert.equal(outcome.text.length, 10000)
  assert.deepEqual([refused.code, refused.field], ['INVALID_ARGUMENT', 'text'])
})

test('before the first text a failure is tried again, after it never', async () => {
  const early = await streamed(streaming(async (sink, _, attempt) => {
    if (attempt === 1) throw httpError(503)
    await sink.push('second')
  }))
  assert.deepEqual([early.outcome.text, early.outcome.attempts], ['second', 2])
  const late = await streamed(streaming(async (sink) => {
    await sink.push('half')
    throw httpError(503)
  }))
  assert.deepEqual([late.outcome.status, late.outcome.stopReason, late.outcome.text, late.outcome.attempts], ['partial', 'partial', 'half', 1])
  assert.deepEqual([late.outcome.error.code, late.outcome.usedFallback, late.outcome.maybeBilled], ['overloaded', false, false])
})

test('an error inside a 200 before any text is tried again; at its end it makes the answer partial', async () => {
  const { outcome } = await streamed(streaming(async (sink, _, attempt) => {
    if (attempt === 1) return { text: '', finishReason: 'insufficient_system_resource' }
    await sink.push('fine')
    return { finishReason: 'stop' }
  }))
  assert.deepEqual([outcome.text, outcome.attempts, outcome.status], ['fine', 2, 'ok'])
  const filtered = await streamed(streaming(async (sink) => (await sink.push('bad wor'), { finishReason: 'content_filter' })))
  assert.deepEqual([filtered.outcome.status, filtered.outcome.error.code, filtered.outcome.text], ['partial', 'content_filter', 'bad wor'])
})

test('keep-alives and empty pieces do not count as text', async () => {
  const inner = streaming((sink) => {
    sink.keepAlive()
    sink.push('')
    return never()
  })
  const { outcome, clock } = await streamed(inner, { config: { maxRetries: 0, firstTextTimeoutMs: 3000 }, ms: 3000 })
  assert.deepEqual([outcome.error.message, outcome.elapsedMs, clock.pendingSleeps], ['no text within 3000 ms', 3000, 0])
})

test('a silence after text ends the call with what came, and closes the sink', async () => {
  const inner = streaming(async (sink) => (await sink.push('so far'), never()))
  const { outcome } = await streamed(inner, { config: { idleTimeoutMs: 2000 }, ms: 2000 })
  assert.deepEqual([outcome.status, outcome.text, outcome.error.message], ['partial', 'so far', 'no further text for 2000 ms'])
  const [sink] = inner.sinks
  assert.equal(sink.closed, true)
  assert.equal(await sink.push('too late'), undefined)
  assert.equal(outcome.text, 'so far')
})

test('a cancel ends it and keeps what came; the client is told', async () => {
  const cancelToken = new CancelToken()
  let reason
  const inner = streaming(async (sink, context) => {
    context.cancelToken.onCancel((why) => (reason = why))
    await sink.push('so ')
    cancelToken.cancel()
    return never()
  })
  const { outcome } = await streamed(inner, { call: { cancelToken }, ms: 0 })
  assert.deepEqual([outcome.status, outcome.text, reason], ['cancelled', 'so ', 'cancelled'])
})

test('what onText throws costs the call nothing', async () => {
  for (const broken of [() => { throw new Error('page') }, () => Promise.reject(new Error('page')), () => { throw undefined }]) {
    const { outcome, client } = await streamed(streaming(async (sink) => (await sink.push('a'), await sink.push('b'))), {}, broken)
    assert.deepEqual([outcome.text, outcome.status, client.listenerErrors], ['ab', 'ok', 2])
  }
})

test('a client with only chat streams in one piece, one with only chatStream chats', async () => {
  const one = await streamed({ async chat() { return { text: 'whole' } } })
  assert.deepEqual([one.texts, one.outcome.text], [['whole'], 'whole'])
  const other = streaming(async (sink) => { await sink.push('a'); await sink.push('b') })
  const { client } = setUp(other)
  assert.equal(await client.chat({}), 'ab')
  assert.equal((await client.execute({})).text, 'ab')
})

test('a page that keeps its text for later gets text that stays', async () => {
  const slow = gate()
  const { client } = setUp({ async chat() { return { text: 'kept ' + 'x'.repeat(100) } } })
  let shown
  const call = client.chatStream({}, (text) => { shown = text; return slow.promise })
  while (!shown) await null
  for (let i = 0; i < 100; i++) 'garbage '.repeat(i)
  slow.open()
  const outcome = await call
  assert.deepEqual([outcome.text, shown], ['kept ' + 'x'.repeat(100), outcome.text])
})

const odd = [
  ['nothing and pushes nothing', async () => {}, 'invalid_response'],
  ['a number', async () => 5, 'invalid_response'],
  ['null', async () => null, 'invalid_response'],
  ['a plain value, not a promise', () => undefined, 'invalid_response'],
  ['a TypeError at once', () => { throw new TypeError('x') }, 'client_bug'],
  ['a rejection with undefined', () => Promise.reject(undefined), 'unknown'],
]
for (const [what, play, code] of odd) {
  test('a chatStream that gives ' + what + ' has a named outcome', async () => {
    const inner = { chatStream: play }
    const { outcome } = await streamed(inner, { config: { maxRetries: 0 } })
    assert.equal(outcome.error.code, code)
  })
}

test('a sink is only made by a call, and refuses what is no text', async () => {
  assert.throws(() => new TextSink(), { code: 'INVALID_CONFIG' })
  const { outcome } = await streamed(streaming(async (sink) => {
    for (const wrong of [undefined, null, 5, {}, ['a']]) await assert.rejects(sink.push(wrong), { code: 'INVALID_ARGUMENT', field: 'text' })
    await sink.push('ok')
  }))
  assert.equal(outcome.text, 'ok')
})
