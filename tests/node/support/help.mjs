// What most suites need: inner clients that play a script, and calls that run in virtual time.
import lib from './module.mjs'

/** An error as an HTTP client throws it. */
export function httpError(status, fields) {
  return Object.assign(new Error(status + ' from the test'), { status }, fields)
}

/** A promise that settles when it is told to. */
export function gate() {
  const gate = {}
  gate.promise = new Promise((resolve, reject) => {
    gate.open = resolve
    gate.fail = reject
  })
  return gate
}

/** What never settles. */
export const never = () => new Promise(() => {})

/**
 * An inner client that does one step a call, the last one again and again. A step is an `Error` (rejected), a function
 * (called with the client's own arguments), or an answer.
 */
export class Script {
  constructor(...steps) {
    this.steps = steps
    this.calls = 0
    this.requests = []
  }

  async chat(request) {
    const step = this.steps[Math.min(this.calls, this.steps.length - 1)]
    this.calls++
    this.requests.push(request)
    if (step instanceof Error) throw step
    return typeof step === 'function' ? step.apply(this, arguments) : step
  }
}

/** The same, with a context. */
export class ContextScript extends Script {
  constructor(...steps) {
    super(...steps)
    this.contexts = []
  }

  chat(request, context) {
    this.contexts.push(context)
    return super.chat(request, context)
  }
}

/** A client, breaker and clock in virtual time; waits of 100, 200, 400 … ms, and of a Retry-After, without jitter unless `config` says more. */
export function setUp(inner, options) {
  const { config, threshold = 3, cooldown = 5000, breakerOptions, fallback, onRetry } = options || {}
  const clock = new lib.ManualClock()
  const breaker = new lib.CircuitBreaker(threshold, cooldown, () => clock.now(), breakerOptions)
  const settings = Object.assign({ clock, baseMs: 100, jitter: 'none', retryAfterSpread: 0, locale: 'en' }, config)
  const client = new lib.ResilientLlmClient(inner, settings, breaker, fallback, onRetry)
  const run = {
    clock,
    breaker,
    client,
    chat: (request) => drive(clock, client.chat(request)),
    execute: (request, callOptions) => drive(clock, client.execute(request, callOptions)),
  }
  return run
}

/** Moves the clock on, sleep by sleep, until `promise` settles. What would wait for ever is an error. */
export async function drive(clock, promise) {
  let settled = false
  const end = () => {
    settled = true
  }
  promise.then(end, end)
  for (let steps = 0; steps < 2000; steps++) {
    await clock.advanceAsync(0)
    if (settled) return promise
    const next = clock.nextSleepMs
    if (next === undefined) throw new Error('it hangs: not settled, and no sleep is pending')
    await clock.advanceAsync(next)
  }
  throw new Error('it does not end')
}

/** Lets promises settle that need no time. */
export const settle = () => new lib.ManualClock().advanceAsync(0)

/** Waits in real time, on the module's own timer: not every engine has setTimeout. */
export const sleep = (ms) => new lib.MockLlmClient(0, { latencyMs: ms }).chat({})

/** The outcome of one call of a client with this `chat`, with one attempt. */
export const once = (chat, config) => setUp({ chat }, { config: { maxRetries: 0, ...config } }).execute()
/** Status, class and text of an outcome. */
export const summary = (outcome) => [outcome.status, outcome.error && outcome.error.code, outcome.error ? outcome.error.message : outcome.text]
