// Memory: flat over any number of calls, and nothing kept that nobody can reach.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import lib, { platform } from '../support/module.mjs'
import { test, assert } from '../support/runner.mjs'
import { httpError, never, setUp, drive, sleep } from '../support/help.mjs'

const { AnswerCache, BreakerState, Bulkhead, BulkheadManager, CancelToken, CircuitBreaker, ManualClock, ModelRouter, ModelTier, ResilientAgent, ResilientLlmClient, TraceLog, cascadedModelCall, createBreaker, metrics, requestWithRetry, withSimpleRetry } = lib
setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc')
const slow = platform === 'arm64' || platform === 'asan'
const times = (count) => (slow ? Math.ceil(count / 50) : count)

/** Collects what can be collected; finalizers of native objects need turns of the event loop. */
async function collect() {
  for (let i = 0; i < 4; i++) {
    gc()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function used() {
  await collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed / 1e6, rss: rss / 1e6 }
}

/** Runs `work(count)` until it is warm, then measures what `count` more of it leave behind, in megabytes. */
async function growth(count, work) {
  await work(Math.ceil(count / 4))
  const before = await used()
  await work(count)
  const after = await used()
  return { heap: after.heap - before.heap, rss: after.rss - before.rss }
}

// resident memory depends on how the engine sizes its young generation
async function isFlat(count, work, limits = { heap: 0.5, rss: 30 }) {
  const grown = await growth(times(count), work)
  assert.between(grown.heap, -100, limits.heap, 'heap')
  assert.between(grown.rss, -100, limits.rss, 'rss')
}

const answers = { chat: async () => ({ text: 'x' }) }

test('100 000 calls leave nothing behind', async () => {
  const client = new ResilientLlmClient(answers)
  await isFlat(100000, async (count) => {
    for (let i = 0; i < count; i++) await client.chat({ prompt: 'p' + i })
  })
})

test('10 000 calls at once, ten times', async () => {
  const client = new ResilientLlmClient(answers)
  const limits = { heap: 4, rss: 30 } // a slot for each of the 10 000 stays
  await isFlat(100000, async (count) => {
    for (let done = 0; done < count; done += 10000) await Promise.all(Array.from({ length: Math.min(10000, count) }, () => client.chat({})))
  }, limits)
})

test('20 000 failing calls with records', async () => {
  const { client, clock } = setUp({ chat: async () => { throw httpError(503, { headers: { 'x-a': 'b' }, body: { error: { message: 'm'.repeat(200) } } }) } }, { threshold: 1e9, config: { baseMs: 1, maxRetries: 1, budget: { capacity: 10000, perCall: 100 } } })
  await isFlat(20000, async (count) => {
    for (let done = 0; done < count; done += 1000) {
      const calls = Array.from({ length: Math.min(count, 1000) }, () => client.execute({}))
      await drive(clock, Promise.all(calls))
    }
  })
})

test('20 000 calls with context, cancel token and listeners', async () => {
  const inner = { chat: async (request, context) => (context.cancelToken.onCancel(() => request), { text: 'x' }) }
  const client = new ResilientLlmClient(inner)
  const one = new CancelToken()
  await isFlat(20000, async (count) => {
    for (let i = 0; i < count; i++) {
      const cancelToken = i % 2 ? one : new CancelToken()
      const id = cancelToken.onCancel(() => i)
      await client.execute({}, { cancelToken })
      if (i % 4) cancelToken.offCancel(id)
      if (i % 100 === 2) cancelToken.cancel()
      if (cancelToken === one) one.offCancel(id)
    }
  })
})

test('20 000 listeners and permits of one breaker come and go', async () => {
  const breaker = new CircuitBreaker(3, 1000, () => 0)
  await isFlat(20000, async (count) => {
    for (let i = 0; i < count; i++) {
      const id = breaker.onStateChange(() => i)
      const permit = breaker.tryAcquire()
      if (i % 2) permit.recordSuccess()
      breaker.offStateChange(id)
    }
  })
})

test('one advance through tens of thousands of sleeps', async () => {
  const clock = new ManualClock()
  const inner = { chat() { throw httpError(503) } }
  const client = new ResilientLlmClient(inner, { clock, baseMs: 1, maxMs: 1, jitter: 'none', maxRetries: 100, budget: { capacity: 10000, perCall: 100 } }, new CircuitBreaker(1e9))
  await isFlat(400, async (count) => {
    const calls = Array.from({ length: count }, () => client.chat({}))
    clock.advance(1000)
    await Promise.all(calls)
  }, { heap: 2, rss: 30 })
})

test('advance drops what each sleep made, and does not wait for its own end', async () => {
  const clock = new ManualClock()
  const inner = { chat() { throw Object.assign(new Error('x'.repeat(1000)), { status: 503, trace: new Array(1000).fill(0.5) }) } }
  const options = { clock, baseMs: 1, maxMs: 1, jitter: 'none', maxRetries: 100, budget: { capacity: 10000, perCall: 100 } }
  const calls = []
  let [most, sleeps] = [0, 0]
  for (let i = 0; i < times(100); i++) {
    calls.push(new ResilientLlmClient(inner, options, new CircuitBreaker(1e9), 'later', () => { if (sleeps++ % 500 === 0) most = Math.max(most, process.memoryUsage().heapUsed / 1e6) }).chat({}))
  }
  const { heap } = await used()
  clock.advance(1000)
  await Promise.all(calls)
  assert.equal(sleeps, times(100) * 100)
  assert.between(most - heap, -100, 40) // 10 000 errors of 8 kB would be 80 MB
})

/** Whether what `make` gives, in an object, can be collected. It must not be held by the test itself. */
async function isCollected(count, make) {
  const refs = []
  for (let i = 0; i < count; i++) refs.push(new WeakRef(await make(i)))
  await sleep(1)
  await collect()
  await collect()
  return refs.filter((ref) => ref.deref() === undefined).length
}

// a conservative look at the stack or a cache of the engine may keep one or two
const nearly = (count) => count - 2

test('a page that holds its client, whose functions hold the page', async () => {
  const collected = await isCollected(20, async () => {
    const page = {}
    page.breaker = new CircuitBreaker(3, 1000, () => (page, 0))
    page.breaker.onStateChange(() => page)
    page.client = new ResilientLlmClient({ page, chat: async () => ({ text: String(!!page) }) }, { rng: () => (page, 0) }, page.breaker, () => page, () => page)
    page.token = new CancelToken()
    page.token.onCancel(() => page)
    await page.client.execute({ page }, { cancelToken: page.token })
    return page
  })
  assert.between(collected, nearly(20), 20)
})

test('a client that nobody holds lives as long as its call', async () => {
  const pages = []
  const calls = []
  for (let i = 0; i < 10; i++) {
    const page = { retries: 0, states: 0 }
    pages.push(page)
    const breaker = new CircuitBreaker(2, 1000, () => Date.now())
    breaker.onStateChange(() => page.states++)
    const inner = { chat: async () => { await sleep(1); throw httpError(503) } }
    calls.push(new ResilientLlmClient(inner, { baseMs: 5, maxRetries: 1, rng: () => 0.5 }, breaker, () => 'later', () => page.retries++).execute({}))
  }
  await collect()
  for (const outcome of await Promise.all(calls)) assert.deepEqual([outcome.text, outcome.attempts], ['later', 2])
  pages.forEach((page) => assert.deepEqual(page, { retries: 1, states: 1 }))
})

test('a client that lets go of its context is told of timeout and cancel all the same', async () => {
  const reasons = []
  const inner = { chat: (request, context) => (context.cancelToken.onCancel((reason) => reasons.push(reason)), never()) }
  const { client, clock } = setUp(inner, { config: { maxRetries: 0, attemptTimeoutMs: 10 } })
  const cancelToken = new CancelToken()
  const calls = [client.execute({}), client.execute({}, { cancelToken })]
  await collect()
  cancelToken.cancel()
  await clock.advanceAsync(10)
  await Promise.all(calls)
  assert.deepEqual(reasons, ['cancelled', 'timeout'])
})

test('a page with its breaker, a listener and a permit that was never reported', async () => {
  const collected = await isCollected(20, async () => {
    const page = {}
    page.breaker = new CircuitBreaker(3, 1000, () => (page, 0))
    page.breaker.onStateChange(() => page)
    page.permit = page.breaker.tryAcquire()
    return page
  })
  assert.between(collected, nearly(20), 20)
})

test('a page that listens to the token of an attempt that is over', async () => {
  const collected = await isCollected(20, async () => {
    const page = {}
    const inner = { chat: async (request, context) => { page.token = context.cancelToken; return { text: 'x' } } }
    await new ResilientLlmClient(inner).chat({})
    page.token.onCancel(() => page)
    return page
  })
  assert.between(collected, nearly(20), 20)
})

test('a permit that nobody holds reports to the listeners of its breaker', async () => {
  const seen = []
  const permit = (() => {
    const breaker = new CircuitBreaker(1, 1000, () => 7)
    breaker.onStateChange((event) => seen.push([event.to, event.atMs]))
    return breaker.tryAcquire()
  })()
  await collect()
  permit.recordFailure()
  assert.deepEqual(seen, [[BreakerState.OPEN, 7]])
})

test('a probe whose permit is lost gives its place back', async () => {
  let now = 0
  const breaker = new CircuitBreaker(1, 1000, () => now, { probeLeaseMs: 1e9 })
  breaker.recordFailure()
  now = 1000
  ;(() => assert.equal(breaker.tryAcquire().isProbe, true))()
  for (let i = 0; i < 20 && !breaker.allowRequest(); i++) {
    await collect()
    await sleep(1)
  }
  assert.deepEqual([breaker.state, breaker.stats.neutral], [BreakerState.HALF_OPEN, 1])
})

test('a promise that never settles keeps nothing of its call', async () => {
  const forever = []
  const inner = { chat: () => { const promise = never(); forever.push(promise); return promise } }
  const collected = await isCollected(20, async () => {
    const request = { prompt: 'x' }
    const clock = new ManualClock()
    const client = new ResilientLlmClient(inner, { clock, attemptTimeoutMs: 10, maxRetries: 0 }, undefined, 'later')
    const call = client.chat(request)
    clock.advance(10)
    assert.equal(await call, 'later')
    return request
  })
  assert.equal(forever.length, 20)
  assert.between(collected, nearly(20), 20)
})

test('attempts that time out and promises of listeners that never settle leave nothing behind', async () => {
  const { client, breaker, clock } = setUp({ chat: never }, { threshold: 1e9, config: { attemptTimeoutMs: 10, maxRetries: 0 } })
  breaker.onStateChange(never)
  await isFlat(20000, async (count) => {
    for (let done = 0; done < count; done += 1000) {
      const calls = Array.from({ length: Math.min(count, 1000) }, () => (breaker.isolate(), breaker.reset(), client.chat({})))
      clock.advance(10)
      await Promise.all(calls)
    }
  }, { heap: 1, rss: 30 })
})

test('what the app lets go of is collected: requests, answers, errors, contexts, records', async () => {
  const kept = []
  const { client, clock } = setUp({ chat: async (request, context) => { kept.push(new WeakRef(context)); if (request.fail) throw request.error; return request.answer } }, { threshold: 1e9, config: { maxRetries: 0 } })
  const collected = await isCollected(20, async (i) => {
    const request = { fail: i % 2 === 0, error: httpError(503), answer: { text: 'x' } }
    for (const value of [request, request.error, request.answer]) kept.push(new WeakRef(value))
    const outcome = await drive(clock, client.execute(request))
    kept.push(new WeakRef(outcome))
    return request
  })
  assert.between(collected, nearly(20), 20)
  assert.between(kept.filter((ref) => ref.deref()).length, 0, 6)
})

const policy = { baseMs: 0, factor: 2, maxMs: 0, maxAttempts: 2 }

test('20 000 requests that are tried again, of one token and one log', async () => {
  const [log, cancelToken] = [new TraceLog(), new CancelToken()]
  await isFlat(20000, async (count) => {
    for (let done = 0; done < count; done += 1000) {
      const requests = Array.from({ length: Math.min(count, 1000) }, () => {
        let calls = 0
        return requestWithRetry(async (context) => ({ status: calls++ ? 200 : 503, context }), policy, { log, cancelToken }).result
      })
      await Promise.all(requests)
    }
  })
})

test('a page that holds its request and its log, whose functions hold the page', async () => {
  const collected = await isCollected(20, async (i) => {
    const page = { log: new TraceLog(), token: new CancelToken() }
    page.log.onChange(() => page)
    page.handle = requestWithRetry(async () => ({ status: i % 2 ? 200 : 503, page }), { ...policy, rng: () => (page, 0) }, { log: page.log, cancelToken: page.token })
    page.result = await page.handle.result
    return page
  })
  assert.between(collected, nearly(20), 20)
})

test('a request whose handle and log nobody holds goes on, and the panel hears of it', async () => {
  const heard = []
  for (let i = 0; i < 10; i++) {
    const log = new TraceLog()
    log.onChange((trace) => heard.push(trace.attempts))
    requestWithRetry(async () => (await sleep(1), 503), { ...policy, baseMs: 5, maxMs: 5 }, { log })
  }
  await collect()
  while (heard.length < 10) await sleep(5)
  assert.deepEqual(heard, new Array(10).fill(2))
})

test('a page that holds its agent and its cache, whose functions hold the page', async () => {
  const collected = await isCollected(20, async () => {
    const page = {}
    page.clock = new ManualClock()
    page.cache = new AnswerCache({ similarity: { dimensions: 1, embed: async () => (page, [1]) } })
    page.agent = new ResilientAgent({ client: { chat: async () => (page, { text: 'an answer' }) }, qualityCheck: () => Boolean(page), fallback: () => String(page), onRetry: () => page, config: { rng: () => (page, 0.5), clock: page.clock } })
    await page.cache.getOrCall('q', () => page.agent.invoke('写一首诗', { data: page }), { question: 'q' })
    return page
  })
  assert.between(collected, nearly(20), 20)
})

test('an agent and a cache that nobody holds live as long as their call', async () => {
  const calls = []
  for (let i = 0; i < 10; i++) {
    const agent = new ResilientAgent({ client: { chat: async () => { await sleep(1); return { text: 'an answer' } } }, qualityCheck: async () => (await sleep(1), 1) })
    calls.push(new AnswerCache({ similarity: { dimensions: 1, embed: async () => [1] } }).getOrCall('q', () => agent.invoke('写一首诗'), { question: 'q' }))
    calls.push(cascadedModelCall({ prompt: 'q', client: { chat: async () => { await sleep(1); return { text: 'an answer' } } } }))
  }
  await collect()
  for (const answer of await Promise.all(calls)) assert.equal(answer.text || answer.result, 'an answer')
})

test('4000 calls of an agent, streamed, stored and through a cache, leave nothing behind', async () => {
  const agent = new ResilientAgent({ client: { chat: async ({ prompt }) => ({ text: 'answer to ' + prompt }) }, bulkheads: { economy: { minTime: 0 } }, router: new ModelRouter({ cache: { maxEntries: 10 } }) })
  const cache = new AnswerCache({ maxEntries: 10 })
  const cancelled = new CancelToken()
  cancelled.cancel()
  await isFlat(4000, async (count) => {
    for (let i = 0; i < count; i += 4) {
      await agent.invoke('p' + i, { tier: ModelTier.Economy })
      await agent.chatStream('q', () => i, { tier: ModelTier.Economy })
      await cache.getOrCall({ i }, () => agent.invoke('p', { tier: ModelTier.Economy }))
      await cascadedModelCall({ prompt: 'p' + i, mockMode: true, mockScenario: 'success', config: { clock: new ManualClock() }, deadlineMs: 1, cancelToken: cancelled })
    }
  })
})

test('20 000 calls through a bulkhead, at once and given up', async () => {
  const clock = new ManualClock()
  const bulkhead = new Bulkhead({ name: 'x', maxConcurrent: 10, maxQueue: 100000, overrunGraceMs: 10 }, clock)
  await isFlat(20000, async (count) => {
    for (let done = 0; done < count; done += 1000) {
      const calls = Array.from({ length: Math.min(count, 1000) }, (_, i) => bulkhead.schedule(async () => ({ i })))
      const left = bulkhead.schedule(never, { timeoutMs: 5 }).catch(() => {})
      await Promise.all(calls)
      await clock.advanceAsync(20)
      await left
    }
  }, { heap: 1, rss: 30 })
})

test('20 000 calls through a breaker with events and a fallback, and as many simple retries', async () => {
  let calls = 0
  const breaker = createBreaker(async (args) => { if (calls++ % 2) throw httpError(400); return { args } }).fallback(() => 'later')
  breaker.on('success', () => {})
  await isFlat(20000, async (count) => {
    for (let i = 0; i < count; i++) {
      const listener = () => i
      breaker.on('open', listener).on('failure', listener)
      await breaker.fire({ i })
      breaker.off('open', listener)
      breaker.off('failure', listener)
    }
    for (let done = 0; done < count; done += 1000) {
      const fn = async () => { if (calls++ % 3 === 0) throw httpError(503); return { done } }
      const retry = () => withSimpleRetry(fn, { minTimeout: 0, retries: 9, onFailedAttempt: () => done, shouldRetry: () => true })
      await Promise.all(Array.from({ length: Math.min(count, 1000) }, retry))
    }
  })
})

test('20 000 instances of one named breaker and one named bulkhead, with listeners', async () => {
  const manager = new BulkheadManager()
  await isFlat(20000, async (count) => {
    for (let i = 0; i < count; i++) {
      const breaker = CircuitBreaker.named('memory')
      breaker.onStateChange(() => i)
      manager.getOrCreate({ name: 'memory' }).stats()
      // finalizers need turns of the event loop
      if (i % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }, { heap: 2, rss: 30 })
})

test('a page with a named breaker, its listener and a permit that was never reported: then the name is idle', async () => {
  const name = 'page of a named breaker'
  const collected = await isCollected(20, async () => {
    const page = {}
    page.breaker = CircuitBreaker.named(name)
    page.breaker.onStateChange(() => page)
    page.permit = page.breaker.tryAcquire()
    return page
  })
  assert.between(collected, nearly(20), 20)
})

test('what nobody holds any more keeps no name in use', async () => {
  const name = 'held by nobody'
  await isCollected(20, async () => {
    const page = { breaker: CircuitBreaker.named(name) }
    page.breaker.onStateChange(() => page)
    page.client = new ResilientLlmClient(answers, {}, page.breaker)
    return page
  })
  const isNamed = () => metrics().breakers.some((breaker) => breaker.name === name)
  for (let round = 0; round < 20 && isNamed(); round++) {
    await collect()
    for (let i = 0; i < 600; i++) CircuitBreaker.named(`${round} ${i}`)
  }
  assert.equal(isNamed(), false)
})

test('a page with a breaker around its own function, whose listeners and fallback hold the page', async () => {
  const collected = await isCollected(20, async (i) => {
    const page = {}
    page.breaker = createBreaker(async () => { if (i % 2) throw httpError(503); return page }, i % 3 ? {} : { name: `page ${i}` })
    for (const event of ['open', 'success', 'failure', 'fallback']) page.breaker.on(event, () => page)
    page.breaker.fallback(() => page)
    await page.breaker.fire(page)
    return page
  })
  assert.between(collected, nearly(20), 20)
})

test('a page with its bulkhead, work in it, and a permit that was never given back', async () => {
  const collected = await isCollected(20, async () => {
    const page = { clock: new ManualClock() }
    page.bulkhead = new Bulkhead({ name: 'x' }, page.clock)
    page.manager = new BulkheadManager(page.clock)
    page.result = await page.bulkhead.schedule(async () => page)
    page.permit = await page.manager.getPreset('free-tier').acquire()
    return page
  })
  assert.between(collected, nearly(20), 20)
})

test('a place whose permit is lost is given back, and the next in the queue gets it', async () => {
  const bulkhead = new Bulkhead({ name: 'x', maxConcurrent: 1 })
  await (async () => void (await bulkhead.acquire()))()
  let got = false
  bulkhead.acquire().then(() => (got = true))
  for (let i = 0; i < 20 && !got; i++) {
    await collect()
    await sleep(1)
  }
  assert.equal(got, true)
})

test('a breaker that nobody holds lives as long as its call', async () => {
  const heard = []
  const calls = Array.from({ length: 10 }, (_, i) => {
    const breaker = createBreaker(async () => { await sleep(1); throw httpError(503) }, { volumeThreshold: 1 }).fallback(() => 'later')
    return breaker.on('open', () => heard.push(i)).fire()
  })
  await collect()
  assert.deepEqual(await Promise.all(calls), new Array(10).fill('later'))
  assert.equal(heard.length, 10)
})
