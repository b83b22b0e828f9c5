// Worker threads: each has an environment of its own on one library.
import { Worker } from 'node:worker_threads'
import { readdirSync } from 'node:fs'
import lib, { platform } from '../support/module.mjs'
import { test, assert } from '../support/runner.mjs'
import { gate, sleep } from '../support/help.mjs'

const slow = platform === 'arm64'
const threads = () => readdirSync('/proc/self/task').length

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
  const before = threads()
  for (let i = 0; i < (slow ? 3 : 50); i++) {
    const { worker, message } = start('inFlight', { count: 20 })
    await message
    await worker.terminate()
  }
  await worksHere()
  assert.between(threads(), 1, before + 1)
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
