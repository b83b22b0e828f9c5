// The soak: calls with every kind of end, over and over, in virtual time. Memory and handles must be flat after the first of
// them. Run it through scripts/soak.sh.
import { parseArgs } from 'node:util'
import lib from '../node/support/module.mjs'
import { chance } from './chance.mjs'
import { Checks, figures, threads, used } from './support.mjs'

const { values } = parseArgs({ options: { calls: { type: 'string', default: '500000' } } })
const CALLS = Number(values.calls)
const AT_ONCE = 200
const SAMPLES = 10
const draw = chance(1)

const httpError = (status, fields) => Object.assign(new Error(`${status} from the test`), { status, ...fields })
const never = () => new Promise(() => {})
/** What a service does, each as often as it stands here. */
const ENDS = [
  async () => ({ text: 'an answer' }),
  async () => ({ text: 'an answer', finishReason: 'stop' }),
  async () => ({ text: 'an answer' }),
  async () => { throw httpError(503) },
  async () => { throw httpError(429, { headers: { 'retry-after-ms': '20' } }) },
  async () => { throw httpError(500, { body: JSON.stringify({ error: { message: 'm'.repeat(300) } }) }) },
  async () => { throw httpError(400) },
  async () => { throw Object.assign(new Error('reset'), { code: 'ECONNRESET' }) },
  async () => ({ text: '' }),
  () => { throw new TypeError('a bug of the client') },
  never,
]
const oneOf = (list) => list[Math.floor(draw() * list.length)]

const service = (name) => ({
  name,
  chat: (request, context) => {
    if (draw() < 0.3) context.cancelToken.onCancel(() => request)
    return oneOf(ENDS)()
  },
  async chatStream(request, sink) {
    for (let i = 0; i < 3; i++) {
      if (draw() < 0.1) await oneOf(ENDS)()
      await sink.push('text ')
    }
  },
})

const clock = new lib.ManualClock()
const config = { clock, maxRetries: 2, baseMs: 10, maxMs: 100, attemptTimeoutMs: 50, deadlineMs: 300, firstTextTimeoutMs: 50, idleTimeoutMs: 50, locale: 'en', rng: draw, budget: { capacity: 1000, perCall: 1 } }
const breaker = () => new lib.CircuitBreaker(10, 100, () => clock.now(), { cooldownSpread: 0.5 })
const client = new lib.ResilientLlmClient(service('one'), config, breaker(), undefined, () => {})
const withFallback = new lib.ResilientLlmClient(service('one'), config, breaker(), async () => { if (draw() < 0.1) throw new Error('no text'); return 'a text' })
const runner = new lib.ResilientLlmRunner(service('one'), [service('two')], { clock, maxRetries: 1, baseMs: 10, timeoutMs: 50, deadlineMs: 300, firstTextTimeoutMs: 50, idleTimeoutMs: 50, circuitResetWindowMs: 100 })
const bulkheads = Object.fromEntries(['premium', 'standard', 'economy'].map((tier) => [tier, { maxConcurrent: 20, maxQueue: 50, minTime: 0, overrunGraceMs: 10 }]))
const agent = new lib.ResilientAgent({ client: service('all'), config, bulkheads, breakerOptions: { resetTimeout: 100 } })
const bulkhead = new lib.Bulkhead({ name: 'soak', maxConcurrent: 10, maxQueue: 20, overrunGraceMs: 10 }, clock)
const events = lib.createBreaker(() => oneOf(ENDS)(), { timeout: 50, resetTimeout: 100, clock })

const WAYS = [
  (request, options) => client.execute(request, options),
  (request, options) => client.chat(request),
  (request, options) => withFallback.execute(request, options),
  (request, options) => client.chatStream(request, () => {}, options),
  (request, options) => runner.call(request, options),
  (request, options) => runner.chatStream(request, () => {}, options),
  (request, options) => agent.invoke(request.prompt, options),
  (request, options) => agent.invoke(request.prompt, { ...options, data: request, tier: lib.ModelTier.Premium }),
  (request, options) => agent.chatStream(request.prompt, () => {}, options),
  (request, options) => bulkhead.schedule(() => client.execute(request, options), { maxWaitMs: 20, cancelToken: options.cancelToken }),
  (request, options) => events.fire(request),
  (request, options) => lib.requestWithRetry(async () => oneOf([200, 404, 503]), { baseMs: 5, factor: 2, maxMs: 20, maxAttempts: 2, clock }).result,
  (request, options) => lib.withSimpleRetry(() => oneOf(ENDS)(), { clock, retries: 1, minTimeout: 5, attemptTimeoutMs: 50 }),
]

let [made, ended, count] = [0, 0, 0]
const ends = new Map()
const end = (word) => {
  ended++
  ends.set(word, (ends.get(word) ?? 0) + 1)
}

/** Many calls at once, to their ends. */
async function batch() {
  const calls = []
  for (let i = 0; i < AT_ONCE; i++) {
    const options = {}
    if (draw() < 0.1) options.cancelToken = new lib.CancelToken()
    const call = oneOf(WAYS)({ prompt: `question ${count++ % 1000}` }, options)
    calls.push(call.then((outcome) => end(outcome.status ?? outcome.outcome ?? 'answered'), (error) => end(error.code ?? error.name)))
    made++
    if (options.cancelToken && draw() < 0.5) options.cancelToken.cancel()
    else if (options.cancelToken) calls.push(clock.advanceAsync(5).then(() => options.cancelToken.cancel()))
  }
  let pending = true
  const all = Promise.all(calls).then(() => (pending = false))
  for (let steps = 0; pending; steps++) {
    if (steps > 10_000) throw new Error(`it hangs: ${made - ended} calls, ${clock.pendingSleeps} sleeps`)
    await clock.advanceAsync(clock.nextSleepMs ?? 0)
  }
  await all
  await clock.advanceAsync(200) // places that were left in the bulkheads, and cooldowns
}

const checks = new Checks()
const MOST = { rss: 30, heap: 1, handles: 4 } // to be used more in the end: MB, MB, kB
while (made < CALLS / SAMPLES) await batch()
const samples = [await used()]
const threadsBefore = threads().length
for (let sample = 1; sample < SAMPLES; sample++) {
  while (made < (CALLS / SAMPLES) * (sample + 1)) await batch()
  samples.push(await used())
}
console.log([...ends].sort().map(([word, count]) => `${word} ${count}`).join(', '))
const [first, last] = [samples[0], samples.at(-1)]
checks.check('each call ended once', made === ended, `${made} made, ${ended} ended`)
checks.check('no sleep is pending', clock.pendingSleeps === 0, clock.pendingSleeps)
const places = [bulkhead.stats(), ...Object.values(agent.getStats().bulkheadStats)]
checks.check('no place of a bulkhead is taken', places.every((one) => one.running + one.queued + one.overrunning === 0), JSON.stringify(places.map((one) => [one.running, one.queued, one.overrunning])))
checks.check('no thread more than after the first tenth', threads().length <= threadsBefore, threads().length)
checks.check('memory is flat', last.heap - first.heap < MOST.heap && last.rss - first.rss < MOST.rss, `MB resident/MB of heap/kB of handles: ${figures(samples)}; allowed from first to last: less than ${MOST.rss} and ${MOST.heap} more`)
checks.check('handles of JavaScript values are flat', last.handles - first.handles < MOST.handles, `${first.handles} kB, ${last.handles} kB; less than ${MOST.handles} kB more allowed`)
checks.finish()
