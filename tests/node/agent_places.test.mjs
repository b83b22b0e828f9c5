// The place that an agent's call has in a bulkhead, where the app's own work outlives the attempt that started it.
import lib from './support/module.mjs'
import { assert, test } from './support/runner.mjs'
import { ContextScript, Script, drive, gate, never, settle } from './support/help.mjs'

const good = { text: 'a plain answer' }

/** An agent with one place for standard models, whose attempts end after 100 ms. */
function setUp(client, standard) {
  const clock = new lib.ManualClock()
  const config = { clock, attemptTimeoutMs: 100, firstTextTimeoutMs: 100 }
  const agent = new lib.ResilientAgent({ client, maxRetries: 0, bulkheads: { standard: { maxConcurrent: 1, minTime: 0, ...standard } }, config })
  return {
    clock,
    invoke: (options) => drive(clock, agent.invoke('写一首诗', { noStore: true, ...options })),
    stream: (options) => drive(clock, agent.chatStream('写一首诗', () => {}, { noStore: true, ...options })),
    place: () => {
      const { running, overrunning } = agent.getStats().bulkheadStats['standard-model']
      return [running, overrunning]
    },
  }
}

for (const way of ['invoke', 'stream']) {
  test(`${way}: an attempt that is given up keeps its place while its work goes on`, async () => {
    const work = gate()
    const script = new Script(() => work.promise, good)
    const client = way === 'invoke' ? script : { chatStream: (request) => script.chat(request) }
    const run = setUp(client)
    const first = await run[way]()
    assert.deepEqual([first.attempts, first.source, run.place()], [2, 'model', [0, 1]], 'another model has answered')
    const second = await run[way]({ deadlineMs: 50 })
    assert.deepEqual([second.source, second.stopReason, script.calls], ['fallback', 'bulkhead', 2])
    work.open({ text: 'too late' })
    await settle()
    assert.deepEqual(run.place(), [0, 0])
    assert.deepEqual([(await run[way]()).attempts, script.calls], [1, 3])
  })
}

test('a client that ends with its cancel token frees the place at once', async () => {
  const obedient = (request, context) => new Promise((resolve, reject) => context.cancelToken.onCancel(() => reject(new Error('ended'))))
  const run = setUp(new ContextScript(obedient, good))
  assert.equal((await run.invoke()).attempts, 2)
  await settle()
  assert.deepEqual(run.place(), [0, 0])
})

test('a call that is cancelled leaves its work behind, too', async () => {
  const cancelToken = new lib.CancelToken()
  const run = setUp(new Script(() => (cancelToken.cancel(), never()), good))
  assert.deepEqual([(await run.invoke({ cancelToken })).status, run.place()], ['cancelled', [0, 1]])
})

test('work that never ends keeps the place for the grace and no longer', async () => {
  const run = setUp(new Script(never, good), { overrunGraceMs: 500 })
  await run.invoke()
  await run.clock.advanceAsync(499)
  assert.deepEqual(run.place(), [0, 1])
  await run.clock.advanceAsync(1)
  assert.deepEqual([run.place(), run.clock.pendingSleeps], [[0, 0], 0])
  const none = setUp(new Script(never, good), { overrunGraceMs: 0 })
  await none.invoke()
  assert.deepEqual(none.place(), [0, 0])
})
