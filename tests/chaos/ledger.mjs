// Who sent what, and when: each attempt has a number, which the service notes as well.

const OPEN = 1
const HALF_OPEN = 2
const MOST_ATTEMPTS = 4_000_000

export class Ledger {
  attempts = 0
  inFlight = 0
  startedAt = new Float64Array(MOST_ATTEMPTS)
  /** Number of the guard, plus 100 for a probe. */
  sentBy = new Uint8Array(MOST_ATTEMPTS)
  violations = []
  /** Some of what calls are made of: all of it must be collected in the end. */
  refs = []

  violation(text) {
    if (this.violations.length < 20) this.violations.push(text)
    else this.violations[20] = '…'
  }

  /** An attempt is sent at this moment, past `guard`. Returns its number. */
  begin(guard) {
    const number = ++this.attempts
    const state = guard.state()
    this.inFlight++
    this.startedAt[number] = now()
    this.sentBy[number] = guard.number
    if (state === OPEN) this.violation(`attempt ${number} was sent while the breaker of ${guard.name} was open`)
    if (state === HALF_OPEN) {
      this.sentBy[number] += 100
      guard.probes++
      if (guard.probes > 1) this.violation(`${guard.probes} probes at once to ${guard.name}`)
    }
    return number
  }

  end(number, guard) {
    this.inFlight--
    if (this.sentBy[number] >= 100) guard.probes--
  }

  isProbe(number) {
    return this.sentBy[number] >= 100
  }

  /** Remembers one in a hundred. */
  watch(object) {
    if (object && this.attempts % 100 === 0 && this.refs.length < 20_000) this.refs.push(new WeakRef(object))
  }
}

/** A breaker that stands before a service, as the ledger sees it. */
export class Guard {
  probes = 0
  /** When it changed, and into what. */
  changes = []

  constructor(number, name, state) {
    Object.assign(this, { number, name, state })
  }

  changed(state) {
    this.changes.push({ at: now(), state })
  }

  /** When it was first closed after `time`; undefined: never. */
  closedAfter(time) {
    return this.changes.find(({ at, state }) => at >= time && state === 0)?.at
  }
}

/** Milliseconds, the same clock for all processes of this machine. */
export const now = () => performance.timeOrigin + performance.now()
