// Worker threads: each has an environment of its own on one library.
import { Worker } from 'node:worker_threads'
import lib, { platform } from '../support/module.mjs'
import { test, assert } from '../support/runner.mjs'
import { gate, sleep } from '../support/help.mjs'
import { held, lives } from './fixtures/lives.mjs'

const slow = platform === 'arm64'

/** A running Worker, its first message and its end. */
function start(task, data) {
  const worker = new Worker(new URL('./fixtures/worker.mjs', import.meta.url), { workerData: { task, ...data } })
  const [message, exit] = [gate(), gate()]
  worker.on('message', message.open)
  worker.on('error', (error) => (message.fail(error), exit.fail(error)))
  worker.on('exit', exit.open)
  exit.promise.catch(() => {})
  message.promise.catch(() => {})
  return { worker, message: message.promise, exit: exit.promise }
}

async function worksHere() {
  const client = new lib.ResilientLlmClient(new lib.MockLlmClient(1), { baseMs: 1, jitter: 'none' })
  assert.equal(await client.chat({}), 'mock reply')
  await sleep(1)
}

test('two Workers and the main thread at once, on one library: each gets its own answers', async () => {
  const rounds = slow ? 3 : 20
  const running = [start('calls', { rounds }), start('calls', { rounds })]
  for (let i = 0; i < rounds; i++) await worksHere()
  for (const { message, exit } of running) {
    const { threadId, texts } = await message
    assert.deepEqual(texts.sort(), Array.from({ length: rounds * 10 }, (_, n) => `${threadId}/${n}`).sort())
    assert.equal(await exit, 0)
  }
})

test('what is told of the device holds for the thread that tells it; one may end while it is suspended', async () => {
  lib.networkChanged(false)
  const { message, exit } = start('device')
  assert.equal(await message, 'connect', 'not offline there')
  assert.equal(await exit, 0)
  lib.networkChanged(true)
  // not suspended here
  await worksHere()
})

test('a Worker ends by itself while calls and timers are pending', async () => {
  const { exit } = start('pending', { count: 50 })
  assert.equal(await exit, 0)
  await worksHere()
})

test('a Worker is terminated with calls in flight', async () => {
  const { worker, message, exit } = start('inFlight', { count: 100 })
  assert.equal(await message, 'ready')
  await worker.terminate()
  assert.equal(await exit, 1)
  await worksHere()
})

test('fifty Workers, one after the other, are terminated with calls in flight', async () => {
  await worksHere()
  const before = held().threads
  for (let i = 0; i < (slow ? 3 : 50); i++) {
    const { worker, message } = start('inFlight', { count: 20 })
    await message
    await worker.terminate()
  }
  await worksHere()
  assert.between(held().threads, 1, before + 1)
})

test('ten Workers at once are terminated with calls in flight, their timers due', async () => {
  const all = Array.from({ length: slow ? 2 : 10 }, () => start('inFlight', { count: 20 }))
  await Promise.all(all.map(({ message }) => message))
  await Promise.all(all.map(({ worker }) => worker.terminate()))
  await worksHere()
})

test('a Worker is terminated before it has begun', async () => {
  for (let i = 0; i < (slow ? 1 : 5); i++) {
    const { worker } = start('inFlight', { count: 5 })
    await worker.terminate()
  }
  await worksHere()
})

test('a Worker exits from within a function that the module called', async () => {
  for (const task of ['exitWithin', 'exitAfterWait']) assert.equal(await start(task).exit, 7, task)
  await worksHere()
})

test('a Worker is terminated while the app computes below the module', async () => {
  const { worker, message } = start('busy')
  await message
  await sleep(20)
  await worker.terminate()
  await worksHere()
})

const unique = (name) => `${name} ${Math.random()}`

/** Waits for what becomes true through another thread. */
async function until(isTrue, what) {
  for (let i = 0; i < 2000; i++) {
    if (isTrue()) return
    await sleep(5)
  }
  assert.fail('never: ' + what)
}

test('threads share a named breaker; the listeners of each are called on their own thread', async () => {
  const [name, options] = [unique('breaker'), { failureThreshold: 1, cooldownMs: 3600000 }]
  const breaker = lib.CircuitBreaker.named(name, options)
  const heard = []
  breaker.onStateChange((event) => heard.push(event.to))
  const { OPEN, CLOSED } = lib.BreakerState
  const workers = [start('named', { name, options }), start('named', { name, options })]
  for (const { message } of workers) assert.equal(await message, 'ready')
  const there = []
  workers.forEach(({ worker }) => worker.on('message', (event) => there.push(event)))
  workers[0].worker.postMessage('recordFailure')
  await until(() => heard.length === 1 && there.length === 2, 'three listeners hear of it')
  assert.deepEqual([heard, breaker.state, breaker.allowRequest()], [[OPEN], OPEN, false])
  breaker.reset()
  assert.deepEqual(heard, [OPEN, CLOSED], 'its own changes at once')
  await until(() => there.length === 4, 'the others hear of that, too')
  const ids = workers.map(({ worker }) => worker.threadId)
  assert.deepEqual(ids.map((id) => there.filter((event) => event.threadId === id).map((event) => event.to)), [[OPEN, CLOSED], [OPEN, CLOSED]])
  // one of them goes: nobody is the worse for it
  await workers[0].worker.terminate()
  breaker.isolate()
  await until(() => there.length === 5, 'the one that is left')
  assert.equal(there[4].threadId, ids[1])
  await workers[1].worker.terminate()
  breaker.reset()
  assert.deepEqual([heard.length, breaker.stats.listenerErrors], [4, 0])
})

test('a listener that is taken back hears no event that is still on its way', async () => {
  const [name, options] = [unique('breaker'), { failureThreshold: 1, cooldownMs: 3600000 }]
  const breaker = lib.CircuitBreaker.named(name, options)
  const done = new Int32Array(new SharedArrayBuffer(4))
  const { worker, message } = start('named', { name, options, done })
  await message
  let [heard, stayed] = [0, 0]
  const id = breaker.onStateChange(() => heard++)
  breaker.onStateChange(() => stayed++)
  worker.postMessage('recordFailure')
  // this thread takes no event while it waits here
  assert.notEqual(Atomics.wait(done, 0, 0, 30000), 'timed-out')
  assert.equal(breaker.offStateChange(id), true)
  await until(() => stayed === 1, 'the one that stays hears of it')
  assert.deepEqual([heard, breaker.state], [0, lib.BreakerState.OPEN])
  await worker.terminate()
  breaker.reset()
})

test('threads share a named bulkhead; a place that one gives back wakes the other', async () => {
  const name = unique('bulkhead')
  const { worker, message } = start('place', { name })
  assert.equal(await message, 'ready')
  const bulkhead = new lib.BulkheadManager().getOrCreate({ name, maxConcurrent: 1 })
  assert.equal(bulkhead.stats().running, 1)
  const waiting = bulkhead.schedule(async () => 'mine')
  await sleep(5)
  assert.equal(bulkhead.stats().queued, 1)
  worker.postMessage('release')
  assert.equal(await waiting, 'mine')
  await worker.terminate()
})

test('a Worker that ends gives back what it holds: permits, work, places in the queue', async () => {
  for (const task of ['place', 'work']) {
    const name = unique(task)
    const { worker, message } = start(task, { name })
    assert.equal(await message, 'ready')
    const bulkhead = new lib.BulkheadManager().getOrCreate({ name, maxConcurrent: 1 })
    await until(() => bulkhead.stats().running === 1, 'it holds a place')
    const waiting = bulkhead.schedule(async () => 'mine')
    await worker.terminate()
    assert.equal(await waiting, 'mine', task)
    assert.deepEqual([bulkhead.stats().running, bulkhead.stats().queued], [0, 0])
  }
})

test('metrics tell of what other threads have named', async () => {
  const name = unique('metrics')
  const { worker, message } = start('named', { name })
  await message
  assert.equal(lib.metrics().breakers.find((breaker) => breaker.name === name).state, lib.BreakerState.CLOSED)
  await worker.terminate()
})

// a thousand of them: scripts/soak.sh
test('Workers load the module, use it and leave, or are terminated in the middle: no thread, file or place is left', async () => {
  const rounds = slow ? 2 : 40
  await lives(2)
  const before = held()
  const ends = await lives(rounds)
  assert.equal(ends.byItself + ends.terminated, rounds)
  await worksHere()
  const after = held()
  assert.between(after.threads, 1, before.threads, 'threads')
  assert.between(after.files, 1, before.files, 'files')
  const left = lib.metrics().bulkheads.filter(({ name }) => name.startsWith('of Worker'))
  assert.ok(left.length > 0)
  assert.deepEqual(left.filter(({ stats }) => stats.running + stats.queued > 0), [])
})
