// The two scenarios of the demo page, played with real waits. Each gives its outcomes and its claims, checked.
import { Claims } from './claims.mjs'
import { Recorder } from './recorder.mjs'

const BASE_MS = 300
const FACTOR = 2
// Chance, given from outside: the jitter is 0.85, then 1.3, so that the second wait is the longer one for certain.
const CHANCES = [0.35, 0.8]
const LATENCY_MS = 60
const RETRIES = 2
const FEWER_RETRIES = 1 // the breaker opens in the middle of the second call
const THRESHOLD = 3
const COOLDOWN_MS = 1500
const QUESTION = { prompt: 'What does a circuit breaker do?' }
const REPLY = 'It stops calling a service that keeps failing, and lets a probe through later.'

/** Two failures, two growing waits, then the normal answer. */
export async function failsTwiceThenSucceeds(lib, timeline) {
  timeline.title('1 · The service fails twice, then succeeds')
  timeline.text(`A call makes up to ${RETRIES + 1} attempts (maxRetries: ${RETRIES}).`)
  timeline.text(`The chances for the jitter are given (${CHANCES.join(', ')}): the waits grow for certain.`)
  timeline.header()
  const mock = new lib.MockLlmClient(2, { reply: REPLY, latencyMs: LATENCY_MS })
  const breaker = new lib.CircuitBreaker(THRESHOLD, COOLDOWN_MS)
  const recorder = new Recorder(lib, timeline, breaker)
  const config = { maxRetries: RETRIES, base: BASE_MS, factor: FACTOR, rng: inTurn(CHANCES), locale: lib.Locale.English }
  const client = new lib.ResilientLlmClient(recorder.watch(() => mock), config, breaker, undefined, recorder.onRetry)

  const outcome = await recorder.call(client, QUESTION)

  const claims = new Claims(timeline)
  const failures = outcome.trace.filter((attempt) => !attempt.ok)
  const waits = outcome.trace.map((attempt) => attempt.delayMs).filter((wait) => wait !== undefined)
  const calculated = CHANCES.map((chance, i) => lib.BackoffCalculator.nextDelay(i + 1, BASE_MS, FACTOR, () => chance))
  const waited = gaps(recorder.attempts)
  claims.equal('the user gets the normal answer', outcome.text, REPLY)
  claims.equal('usedFallback', client.usedFallback, false)
  claims.equal('lastAttempts', client.lastAttempts, 3)
  claims.equal('mock.calls', mock.calls, 3)
  claims.check('two waits, the second longer', waits.length === 2 && waits[0] < waits[1], waits.map(ms).join(', '))
  claims.equal('BackoffCalculator gives the same waits', waits.map(ms).join(', '), calculated.map(ms).join(', '))
  const inFull = waited.length === waits.length && waits.every((wait, i) => waited[i] >= wait)
  claims.check('they were really waited, none ended early', inFull, waited.map(ms).join(', '))
  claims.equal('class of both failures', failures.map((attempt) => attempt.code).join(', '), 'overloaded, overloaded')
  claims.equal('the breaker', recorder.state, 'CLOSED')
  return result('fails twice, then succeeds', recorder, claims)
}

/** Failures open the breaker; while it is open nothing is sent; then probes, until one succeeds. */
export async function keepsFailingUntilTheBreakerOpens(lib, timeline) {
  timeline.title('2 · The service keeps failing: the breaker opens')
  timeline.text(`It opens at ${THRESHOLD} failures in a row and stays open for ${COOLDOWN_MS} ms.`)
  timeline.text(`A call makes up to ${FEWER_RETRIES + 1} attempts (maxRetries: ${FEWER_RETRIES}).`)
  timeline.header()
  const broken = lib.MockLlmClient.alwaysFailing({ latencyMs: LATENCY_MS })
  const healed = new lib.MockLlmClient(0, { reply: REPLY, latencyMs: LATENCY_MS })
  const breaker = new lib.CircuitBreaker(THRESHOLD, COOLDOWN_MS)
  const recorder = new Recorder(lib, timeline, breaker)
  let service = broken
  const config = { maxRetries: FEWER_RETRIES, base: BASE_MS, factor: FACTOR, locale: lib.Locale.English }
  const client = new lib.ResilientLlmClient(recorder.watch(() => service), config, breaker, undefined, recorder.onRetry)
  const ask = () => recorder.call(client, QUESTION)
  const claims = new Claims(timeline)

  timeline.text('Calls, until the breaker opens:')
  let opening = await ask()
  while (recorder.state !== 'OPEN' && recorder.outcomes.length < THRESHOLD) opening = await ask()
  claims.equal('the breaker', recorder.state, 'OPEN')
  claims.equal(`mock.calls, one for each failure up to ${THRESHOLD}`, broken.calls, THRESHOLD)
  claims.equal('usedFallback', client.usedFallback, true)
  claims.check('the fallback text says what to do next', /try again/.test(opening.text), opening.text)

  timeline.text('Calls while it is open, at once and in the middle of the cooldown:')
  const rejected = [await ask(), await ask()]
  await sleep(breaker.retryAfterMs / 2)
  rejected.push(await ask())
  claims.equal('mock.calls has not grown', broken.calls, THRESHOLD)
  const seen = rejected.map(inShort).join(', ')
  claims.check('each got the fallback, without an attempt', rejected.every(isRejection), seen)

  timeline.text('Three calls at once when the cooldown is over, the service still broken:')
  await cooldown(breaker)
  const together = await Promise.all([ask(), ask(), ask()])
  claims.equal('mock.calls: exactly one probe went out', broken.calls, THRESHOLD + 1)
  const probes = together.flatMap((outcome) => outcome.trace).filter((attempt) => attempt.probe)
  claims.equal('attempts marked as probe', probes.length, 1)
  const [pause] = gaps(recorder.attempts.slice(THRESHOLD - 1))
  claims.check('it did not go out before the cooldown was over', pause >= COOLDOWN_MS, `${ms(pause)} after the last failure`)
  claims.equal('the breaker, after the failed probe', recorder.state, 'OPEN')
  await ask()
  claims.equal('mock.calls after one more call', broken.calls, THRESHOLD + 1)

  timeline.text('The service is repaired; a call when the cooldown is over, then another:')
  service = healed
  await cooldown(breaker)
  const probe = await ask()
  claims.equal('the probe brings the normal answer', probe.text, REPLY)
  claims.equal('usedFallback', client.usedFallback, false)
  claims.equal('the breaker', recorder.state, 'CLOSED')
  claims.equal('chat() is answered again', await client.chat(QUESTION), REPLY)
  claims.equal('mock.calls of the repaired service', healed.calls, 2)
  claims.equal('all changes of state', recorder.transitions.join(', '), TRANSITIONS.join(', '))
  return result('keeps failing, the breaker opens', recorder, claims)
}

const TRANSITIONS = [
  'CLOSED → OPEN',
  'OPEN → HALF_OPEN',
  'HALF_OPEN → OPEN',
  'OPEN → HALF_OPEN',
  'HALF_OPEN → CLOSED',
]

function result(scenario, recorder, claims) {
  return { scenario, ok: claims.allHold, claims: claims.list, transitions: recorder.transitions, outcomes: recorder.outcomes }
}

/** A source of chance that gives these numbers, one after the other. */
function inTurn(numbers) {
  let next = 0
  return () => numbers[next++ % numbers.length]
}

/** How long it took from the end of each attempt to the beginning of the next. */
function gaps(attempts) {
  return attempts.slice(1).map((attempt, i) => attempt.begin - attempts[i].end)
}

function isRejection(outcome) {
  return outcome.usedFallback && outcome.attempts === 0 && outcome.stopReason === 'circuit_open'
}

function inShort(outcome) {
  return `${outcome.status} after ${outcome.attempts} attempts in ${outcome.elapsedMs.toFixed(1)} ms`
}

function ms(milliseconds) {
  return `${Math.floor(milliseconds)} ms`
}

function sleep(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** A timer may end a little early; the breaker says when it is really over. */
async function cooldown(breaker) {
  while (breaker.retryAfterMs > 0) await sleep(breaker.retryAfterMs)
}
