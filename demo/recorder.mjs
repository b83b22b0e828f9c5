// Watches one client from outside: when its service was called, what its breaker did, how its calls ended.
import { whyNoRetry } from './reasons.mjs'

const STATES = ['CLOSED', 'OPEN', 'HALF_OPEN']

/** The name of a breaker's state. */
function stateName(lib, state) {
  return STATES.find((name) => lib.BreakerState[name] === state) ?? String(state)
}

/** What the user gets to read: the answer, the fallback text or the error. */
export function inWords({ status, text, error }) {
  if (status === 'ok' && !text.trim()) return '(the model answered with an empty text)'
  return text || error?.message
}

export class Recorder {
  /** Begin and end of each attempt in milliseconds, by this process's own clock. */
  attempts = []
  /** Changes of the breaker's state, such as 'CLOSED → OPEN'. */
  transitions = []
  /** What each call came to. */
  outcomes = []
  #lib
  #timeline
  #breaker
  #calls = 0
  #caused = []

  constructor(lib, timeline, breaker) {
    this.#lib = lib
    this.#timeline = timeline
    this.#breaker = breaker
    breaker.onStateChange((event) => this.#stateChanged(event))
  }

  /** An inner client that passes each attempt on to the client that `current()` gives, and notes it. */
  watch(current) {
    return {
      chat: async (request, context) => {
        const attempt = { begin: performance.now(), end: NaN }
        this.attempts.push(attempt)
        try {
          return await current().chat(request, context)
        } finally {
          attempt.end = performance.now()
        }
      },
    }
  }

  /** For the constructor of ResilientLlmClient: shows the attempt that failed and the wait that begins. */
  onRetry = ({ attempt, delayMs, delaySource, error }) => {
    const { Backoff, RetryAfter, Reconnect, Cooldown } = this.#lib.DelaySource
    const source = { [Backoff]: 'backoff', [RetryAfter]: 'Retry-After', [Reconnect]: 'reconnect', [Cooldown]: 'cooldown' }[delaySource]
    const { code, message, retryAfterMalformed } = error
    const wait = `${delayMs} ms, ${source}`
    this.#timeline.event(`attempt ${attempt}`, { code, wait, state: this.state, detail: message })
    this.#showMalformed(retryAfterMalformed)
  }

  /** Makes a call, shows what came of it, and keeps its outcome. */
  async call(client, request, options) {
    const number = ++this.#calls
    const outcome = await client.execute(request, options)
    this.outcomes.push(outcome)
    const last = outcome.trace.at(-1)
    if (last && last.delayMs === undefined) this.#showLast(last)
    for (const change of this.#caused.splice(0)) this.#timeline.event('breaker', change)
    const reason = whyNoRetry(outcome, this.state)
    if (reason && outcome.attempts > 0) this.#timeline.event('no retry', { detail: reason })
    const detail = outcome.attempts > 0 ? inWords(outcome) : reason
    this.#timeline.event(`call ${number}`, { code: outcome.status, state: this.state, detail })
    return outcome
  }

  /** The name of the breaker's state now. */
  get state() {
    return stateName(this.#lib, this.#breaker.state)
  }

  /** An attempt that no wait follows. */
  #showLast({ attempt, ok, code, message, breakerState, probe, retryAfterMalformed }) {
    const detail = [probe ? 'the probe' : '', message].filter(Boolean).join(': ')
    const state = stateName(this.#lib, breakerState)
    this.#timeline.event(`attempt ${attempt}`, { code: ok ? 'ok' : code, state, detail })
    this.#showMalformed(retryAfterMalformed)
  }

  #showMalformed(header) {
    if (header !== undefined) this.#timeline.event('', { detail: `a Retry-After that can't be read: ${header}` })
  }

  #stateChanged({ from, to, reason, cooldownMs }) {
    const [before, after] = [stateName(this.#lib, from), stateName(this.#lib, to)]
    this.transitions.push(`${before} → ${after}`)
    const cooldown = cooldownMs > 0 ? `, cooldown ${cooldownMs} ms` : ''
    const change = { detail: `${before} → ${after} (${reason}${cooldown})`, state: after }
    // What the result of an attempt caused is shown below that attempt, which is known when its call goes on or ends.
    if (reason === 'cooldown_over') this.#timeline.event('breaker', change)
    else this.#caused.push(change)
  }
}
