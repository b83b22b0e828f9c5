// Two hundred callers, each with a client of its own that makes one call after the other, and what is checked of each call.
import { Guard } from './ledger.mjs'
import { HttpClient } from './http_client.mjs'

export const CALLERS = 200
export const COOLDOWN_MS = 500
export const SPREAD = 0.2
export const ATTEMPT_TIMEOUT_MS = 400
const DEADLINE_MS = 1500
/** What a busy machine may add to a time limit. */
export const SLACK_MS = 1000

const CONFIG = {
  maxRetries: 2, baseMs: 20, maxMs: 200, attemptTimeoutMs: ATTEMPT_TIMEOUT_MS, deadlineMs: DEADLINE_MS, retryAfterMaxMs: 500,
  firstTextTimeoutMs: ATTEMPT_TIMEOUT_MS, idleTimeoutMs: ATTEMPT_TIMEOUT_MS, locale: 'en', budget: { capacity: 100, perCall: 1 },
}
const STATUSES = ['ok', 'fallback', 'error', 'cancelled', 'partial']

export class Callers {
  counts = new Map()
  running = 0
  texts = 0
  #stopped = false

  constructor(lib, { port, agent, ledger, draw }) {
    Object.assign(this, { lib, ledger, draw })
    const breaker = (options) => new lib.CircuitBreaker(8, COOLDOWN_MS, undefined, { cooldownSpread: SPREAD, ...options })
    this.breakers = [breaker(), breaker({ window: { calls: 40, minimumCalls: 20, failureRate: 0.6 } })]
    this.guards = ['primary', 'backup'].map((name, i) => {
      const guard = new Guard(i, name, () => this.breakers[i].state)
      this.breakers[i].onStateChange((event) => guard.changed(event.to))
      return guard
    })
    const http = (guard) => new HttpClient({ port, agent, ledger, guard, name: guard.name })
    this.services = this.guards.map((guard, i) => Object.assign(http(guard), { breaker: this.breakers[i] }))
    this.bulkhead = new lib.Bulkhead({ name: 'chaos', maxConcurrent: 30, maxQueue: 100, minTime: 0 })
    const states = { closed: 0, open: 1, halfOpen: 2 }
    const models = [lib.ModelTier.Premium, lib.ModelTier.Standard, lib.ModelTier.Economy]
    const tiers = ['premium', 'standard', 'economy']
    this.models = models
    this.tiers = tiers.map((tier, i) => new Guard(2 + i, tier, () => states[this.agent.getStats().circuits[models[i]].state]))
    this.agent = new lib.ResilientAgent({
      models: Object.fromEntries(tiers.map((tier, i) => [tier, http(this.tiers[i])])),
      bulkheads: Object.fromEntries(tiers.map((tier) => [tier, { maxConcurrent: 20, maxQueue: 40, minTime: 0 }])),
      breakerOptions: { resetTimeout: COOLDOWN_MS, volumeThreshold: 10 },
      config: CONFIG,
    })
  }

  get allGuards() {
    return [...this.guards, ...this.tiers]
  }

  start() {
    this.#stopped = false
    this.ended = Promise.all(Array.from({ length: CALLERS }, (_, i) => this.#loop(this.#caller(i))))
  }

  /** Lets each caller finish the call that it makes. */
  stop() {
    this.#stopped = true
    return this.ended
  }

  async #loop(caller) {
    while (!this.#stopped) {
      await this.#call(caller)
      await new Promise((resolve) => setTimeout(resolve, 10 + 60 * this.draw()))
    }
  }

  /** What a caller does: `kind` and a function of the call. */
  #caller(i) {
    const { lib, services: [primary, backup], models, agent, bulkhead } = this
    const fallback = i % 3 ? undefined : async () => 'a text of the app'
    const service = i % 4 === 3 ? backup : primary
    const client = new lib.ResilientLlmClient(service, CONFIG, service.breaker, fallback)
    const runner = new lib.ResilientLlmRunner(primary, [backup], { ...CONFIG, timeoutMs: ATTEMPT_TIMEOUT_MS })
    // Without a tier and with nothing but the prompt, answers are stored and calls are shared.
    const tier = i % 4 ? models[(i % 4) - 1] : undefined
    const own = (call, options) => (tier ? { ...options, tier, data: call } : options)
    if (i < 60) return { kind: 'client', call: (call, options) => client.execute(call, options) }
    if (i < 80) return { kind: 'bulkhead', call: (call, options) => bulkhead.schedule(() => client.execute(call, options)) }
    if (i < 110) return { kind: 'stream', call: (call, options, onText) => client.chatStream(call, onText, options) }
    if (i < 140) return { kind: 'runner', call: (call, options) => runner.call(call, options) }
    if (i < 160) return { kind: 'runner stream', call: (call, options, onText) => runner.chatStream(call, onText, options) }
    if (i < 185) return { kind: 'agent', call: (call, options) => agent.invoke(call.prompt, own(call, options)), sees: Boolean(tier) }
    return { kind: 'agent stream', call: (call, options, onText) => agent.chatStream(call.prompt, onText, own(call, options)), sees: Boolean(tier) }
  }

  /** `sees`: the client is given the very request, and counts its attempts. */
  async #call({ kind, call, sees = true }) {
    const request = { prompt: `question ${Math.floor(this.draw() * 500)}`, seen: 0 }
    const options = {}
    if (this.draw() < 0.05) {
      options.cancelToken = new this.lib.CancelToken()
      setTimeout(() => options.cancelToken.cancel(), 100 * this.draw())
    }
    if (this.draw() < 0.05) options.deadlineMs = Math.ceil(200 * this.draw())
    let [text, settled] = ['', false]
    const onText = (piece) => {
      if (settled) this.ledger.violation(`${kind}: text after the end`)
      text += piece
      this.texts++
    }
    this.ledger.watch(request)
    this.running++
    const begin = performance.now()
    const outcome = await call(request, options, onText).catch((error) => ({ error, rejected: true }))
    settled = true
    this.running--
    this.#check(kind, outcome, { request: sees && request, options, text, took: performance.now() - begin })
  }

  #check(kind, outcome, { request, options, text, took }) {
    const { ledger } = this
    ledger.watch(outcome)
    if (outcome.rejected) {
      if (kind !== 'bulkhead' || outcome.error.code !== 'bulkhead') ledger.violation(`${kind} rejected: ${outcome.error.stack}`)
      return this.#count(kind, 'rejected')
    }
    this.#count(kind, outcome.status)
    const shown = outcome.text ?? outcome.result
    const expect = (holds, what) => holds || ledger.violation(`${kind}, ${outcome.status}: ${what}; ${JSON.stringify(outcome).slice(0, 600)}`)
    expect(STATUSES.includes(outcome.status), 'no status of ours')
    expect(Boolean(shown) === !['error', 'cancelled'].includes(outcome.status) || text, 'text')
    if (request) expect(outcome.attempts === request.seen, `${outcome.attempts} attempts reported, ${request.seen} seen`)
    expect(outcome.status !== 'cancelled' || options.cancelToken?.cancelled, 'nobody cancelled it')
    expect(took < (options.deadlineMs ?? DEADLINE_MS) + SLACK_MS, `took ${took} ms`)
    if (text && outcome.status === 'ok') expect(text === shown, `streamed "${text}"`)
  }

  #count(kind, status) {
    const counts = this.counts.get(kind) ?? {}
    counts[status] = (counts[status] ?? 0) + 1
    this.counts.set(kind, counts)
  }
}
