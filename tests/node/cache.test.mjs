// AnswerCache: what is the same request, what is stored and for how long, and who calls.
import lib from './support/module.mjs'
import { assert, test } from './support/runner.mjs'
import { drive, gate, never, settle } from './support/help.mjs'

const { AnswerCache, CancelToken, ManualClock } = lib

const cached = (options) => {
  const clock = new ManualClock()
  return { clock, cache: new AnswerCache({ clock, ...options }) }
}

test('a request is the same whatever the order of its fields, and another one with any other parameter', () => {
  const { cache } = cached()
  cache.set({ model: 'm', prompt: 'q', temperature: 0 }, 'a')
  assert.equal(cache.get({ temperature: -0, prompt: 'q', model: 'm' }), 'a')
  for (const other of [{ model: 'm', prompt: 'q' }, { model: 'm', prompt: 'q', temperature: null }, { model: 'm', prompt: 'q', temperature: 0.1 }, 'q', '{"model":"m","prompt":"q","temperature":0}']) {
    assert.equal(cache.get(other), undefined, JSON.stringify(other))
  }
  assert.throws(() => cache.get({ big: 5n }), /^Error: request: got an object that contains itself or a bigint, or whose getters fail,/)
  const ring = {}
  ring.ring = ring
  assert.throws(() => cache.set(ring, 'x'), /^Error: request: got an object that contains itself or a bigint, or whose getters fail,/)
  assert.throws(() => cache.set({ q: 'x'.repeat(4 << 20) }, 'x'), /^Error: request: got a larger object, allowed: .*4 MiB/)
  assert.throws(() => cache.set('q', 5), /^Error: answer: got 5, allowed: a string$/)
})

test('what JSON knows nothing of is no request: all of them would be one', () => {
  const { cache } = cached()
  for (const request of [{}, new Map([['q', 1]]), new Set(['q']), Promise.resolve('q'), { q: undefined }]) {
    assert.throws(() => cache.set(request, 'x'), /^Error: request: got an object that is \{\} as JSON, .* not \{\}$/)
  }
})

test('a text that was cut within an emoji is a request like any other', () => {
  const { cache } = cached()
  for (const [i, q] of ['\ud83d', 'a\ud83d\udc4db\udc4d', '\\ud83d', '\\\ud83d', '\\'].entries()) {
    cache.set({ q }, 'answer ' + i)
    assert.equal(cache.get({ q }), 'answer ' + i)
  }
  assert.equal(cache.stats.entries, 5)
})

test('a JSON.stringify of the app\'s may give anything', () => {
  const { cache } = cached()
  const { stringify } = JSON
  for (const text of ['"\\', '"\\名"', '\\ud8', '\\ud名名', '{"a":1', '\ud800', 5]) {
    JSON.stringify = () => text
    try {
      assert.throws(() => cache.set({ q: 1 }, 'x'), /^Error: request/)
    } finally {
      JSON.stringify = stringify
    }
  }
})

test('entries, bytes and time bound it', () => {
  const { clock, cache } = cached({ maxEntries: 2, maxBytes: 10, ttlMs: 1000 })
  for (const name of ['a', 'b', 'c']) cache.set(name, name)
  assert.deepEqual(['a', 'b', 'c'].map((name) => cache.get(name)), [undefined, 'b', 'c'])
  assert.equal(cache.set('d', 'x'.repeat(11)), false)
  cache.set('e', '中文字')
  assert.deepEqual([cache.stats.entries, cache.stats.bytes, cache.get('b')], [2, 10, undefined])
  clock.advance(1001)
  assert.deepEqual([cache.get('e'), cache.stats.entries, cache.stats.evicted > 0, cache.stats.expired], [undefined, 0, true, 2])
})

test('getOrCall calls once for all who ask at once, and not at all for what is stored', async () => {
  const { clock, cache } = cached()
  const open = gate()
  let calls = 0
  const ask = () => cache.getOrCall({ q: 1 }, async () => (calls++, await open.promise, 'answer'))
  const both = Promise.all([ask(), ask()])
  await settle()
  open.open()
  assert.deepEqual((await drive(clock, both)).map((answer) => ({ ...answer })), [{ text: 'answer', source: 'call', accepted: true, outcome: 'answer' }, { text: 'answer', source: 'shared', accepted: true, outcome: 'answer' }])
  const stored = await drive(clock, ask())
  assert.deepEqual([stored.source, stored.outcome, calls], ['stored', undefined, 1])
})

test('only what is complete and accepted is stored', async () => {
  const { clock, cache } = cached()
  const ask = (result) => drive(clock, cache.getOrCall('q', async () => result))
  for (const result of [{ text: 'half', status: 'partial' }, { text: 'sorry', status: 'fallback' }, { result: 'bad', qualityCheckPassed: false }, { text: 'no', accepted: false }]) {
    const answer = await ask(result)
    assert.deepEqual([answer.accepted, cache.get('q')], [false, undefined])
    assert.equal(answer.outcome, result, 'it tells why')
  }
  for (const result of ['', { text: '' }, { text: 'Service Unavailable', status: 503 }, { text: 'odd', status: null }]) {
    assert.deepEqual([(await ask(result)).accepted, cache.get('q')], [false, undefined])
  }
  assert.equal((await drive(clock, cache.getOrCall('http', async () => ({ text: 'fine', status: 200 })))).accepted, true)
  assert.deepEqual([(await ask({ result: 'fine', qualityCheckPassed: true, status: 'ok' })).text, cache.get('q')], ['fine', 'fine'])
})

test('a failure is everybody\'s who waited, as it was thrown, and is not stored', async () => {
  const { clock, cache } = cached()
  const error = Object.assign(new Error('mine'), { own: 1 })
  const ask = () => cache.getOrCall('q', async () => { await settle(); throw error })
  const ends = await drive(clock, Promise.allSettled([ask(), ask()]))
  assert.ok(ends.every((end) => end.reason === error))
  for (const nonsense of [5, undefined, {}, { text: 5 }]) {
    await assert.rejects(drive(clock, cache.getOrCall('q', async () => nonsense)), (error) => error.code === 'invalid_response')
  }
  await assert.rejects(drive(clock, cache.getOrCall('q', () => { throw error })), (thrown) => thrown === error)
})

test('a leader that is cancelled hands over; a call without end has a limit', async () => {
  const { clock, cache } = cached()
  const cancelToken = new CancelToken()
  const leader = cache.getOrCall('q', never, { cancelToken })
  const follower = cache.getOrCall('q', async () => 'own call')
  await settle()
  cancelToken.cancel()
  await assert.rejects(leader, (error) => error.code === 'cancelled')
  assert.deepEqual((await drive(clock, follower)).source, 'call')
  await assert.rejects(drive(clock, cache.getOrCall('other', never, { timeoutMs: 50 })), (error) => error.code === 'timeout')
  assert.equal(clock.now(), 50)
})

test('what was cancelled before it is called is not called', async () => {
  const cancelToken = new CancelToken()
  const { cache } = cached({ similarity: { dimensions: 2, embed: () => (cancelToken.cancel(), [1, 0]) } })
  let calls = 0
  const call = async () => (calls++, 'answer')
  const first = cache.getOrCall('q', call, { cancelToken, question: 'q' }) // while it is embedded
  await assert.rejects(first, (error) => error.code === 'cancelled')
  await assert.rejects(cache.getOrCall('q', call, { cancelToken }), (error) => error.code === 'cancelled')
  assert.equal(calls, 0)
  cache.set('q', 'stored')
  assert.equal((await cache.getOrCall('q', call, { cancelToken })).source, 'stored', 'it costs nothing')
})

test('a question that means the same is found by the app\'s embeddings', async () => {
  const vectors = { 'what is 1+1': [1, 0], 'how much is 1+1': [0.99, 0.05], 'write a poem': [0, 1] }
  let embedded = 0
  const similarity = { dimensions: 2, embed: async (question) => (embedded++, Float32Array.from(vectors[question])) }
  const { clock, cache } = cached({ similarity })
  const ask = (question, scope) => drive(clock, cache.getOrCall({ question, scope }, async () => 'answer to ' + question, { question, scope }))
  assert.equal((await ask('what is 1+1', 'm')).source, 'call')
  const similar = await ask('how much is 1+1', 'm')
  assert.deepEqual([similar.source, similar.text, similar.similarity > 0.95], ['similar', 'answer to what is 1+1', true])
  assert.equal((await ask('write a poem', 'm')).source, 'call')
  assert.equal((await ask('how much is 1+1', 'another model')).source, 'call')
  const before = embedded
  assert.equal((await ask('what is 1+1', 'm')).source, 'stored')
  assert.equal(embedded, before, 'the same words cost no embedding')
})

test('an embedding that fails, lies or never comes costs the look-up, not the call', async () => {
  for (const embed of [async () => { throw new Error('x') }, () => { throw 5 }, async () => [1], async () => 'x', async () => [NaN, 1], async () => [0, 0], async () => ({ length: 1e9 }), never]) {
    const { clock, cache } = cached({ similarity: { dimensions: 2, embed, embedTimeoutMs: 10 } })
    assert.equal((await drive(clock, cache.getOrCall('q', async () => 'a', { question: 'q' }))).source, 'call', String(embed))
    assert.equal(cache.get('q'), 'a')
  }
})
