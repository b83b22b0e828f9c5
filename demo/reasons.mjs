// Why a call ended, and what to do next, in words.
import { MOST_RETRIES } from './options.mjs'

const UNITS = [['d', 86_400], ['h', 3600], ['min', 60], ['s', 1]] // in seconds

/** `3600000` is '1 h', `90500` '1 min 31 s'. Rounded up: who waits so long does not come too early. */
export function duration(milliseconds) {
  if (milliseconds <= 999) return `${Math.ceil(milliseconds)} ms`
  const seconds = Math.ceil(milliseconds / 1000)
  const first = UNITS.findIndex(([, length]) => seconds >= length)
  const [[unit, length], [smaller, least] = ['', 1]] = UNITS.slice(first)
  const rounded = Math.ceil(seconds / least) * least
  const rest = (rounded % length) / least
  return `${Math.floor(rounded / length)} ${unit}` + (rest > 0 ? ` ${rest} ${smaller}` : '')
}

/** Why the call made no further attempt; `breaker` is the name of the breaker's state. Undefined for an answer. */
export function whyNoRetry(outcome, breaker) {
  return REASONS[outcome.stopReason]?.(outcome, breaker)
}

const REASONS = {
  not_retryable: ({ error }) => `asking again would not help: ${FAULTS[error.code] ?? 'the service says so'}`,
  attempts: ({ attempts }) => `attempt ${attempts} of ${attempts} was the last`,
  deadline: () => 'the time for the whole call is used up',
  budget: () => 'the retry budget of this client is used up',
  circuit_open: (outcome, breaker) => {
    if (outcome.trace.at(-1)?.probe) return 'the probe failed, the breaker is open again'
    return rejected(outcome, breaker === 'HALF_OPEN' ? 'the probe is out' : 'the breaker is open')
  },
  retry_after: (outcome) => rejected(outcome, "the service's Retry-After has not passed"),
  retry_after_too_long: ({ error }) => `the service asks for ${duration(error.retryAfterMs)}, no call waits so long`,
  cancelled: () => 'the call was cancelled',
  bulkhead: (outcome) => rejected(outcome, 'the bulkhead had no place in time'),
  low_quality: () => 'no answer was good enough',
  partial: () => 'the answer broke off, asking again would show its text twice',
}

function rejected({ attempts }, why) {
  return attempts === 0 ? `rejected, nothing sent: ${why}` : why
}

/** What asking again does not mend, by class. */
const FAULTS = {
  quota: 'the quota is used up',
  auth: 'the key was refused',
  model_not_found: 'nothing is there under this URL and name',
  context_length: 'the question is too long',
  content_filter: 'moderation refused it',
  bad_request: 'the request is refused as it is',
  invalid_response: 'what came is no answer',
  protocol: 'URL, port or TLS do not fit',
  offline: 'this machine has no network',
  rejected: 'it was turned away on this machine',
  client_bug: "the demo's client is broken",
}

/** What to do next; undefined where nothing is to be done. */
export function nextStep(outcome, options) {
  if (outcome.status === 'ok') return undefined
  const { error, stopReason } = outcome
  if (stopReason === 'retry_after_too_long') return `ask again in ${duration(error.retryAfterMs)}, not earlier`
  return NEXT_STEPS[error?.code]?.(options, error)
}

/** By class of the last error. */
const NEXT_STEPS = {
  connect: ({ url }) => `see whether a service runs at ${new URL(url).host}, and that the host's name is right`,
  offline: () => 'connect this machine to the network',
  auth: ({ key }) => (key ? 'check the key: it was refused' : 'name the variable that holds the key: --key-env VAR'),
  quota: () => "top up the account, or raise its limit at the service's console",
  model_not_found: ({ model }) => `check the model's name (${model}) and the URL: most end in /v1`,
  context_length: () => 'ask a shorter question, or a model that reads more',
  content_filter: () => 'word the question differently',
  invalid_response: () => 'check the URL, and that no login page of a network answers in place of the service',
  protocol: () => 'check http or https, the port, the certificate, and whether the URL leads elsewhere',
  timeout: ({ timeoutMs }, { status }) =>
    status ? later() : `allow more than ${timeoutMs} ms with --timeout-ms, or ask a smaller model`,
  rate_limit: askAgain,
  overloaded: askAgain,
  rejected: askAgain,
  server: () => later(),
  interrupted: () => 'try again; the connection broke after the question was sent',
  bad_request: () => 'the service does not take such a request: its message above says why',
  unknown: () => 'the last error above is all that is known; check the URL and try again',
}

function askAgain({ retries, opensInMs = 0 }, { retryAfterMs = 0 }) {
  const waitMs = Math.max(retryAfterMs, opensInMs)
  const when = `ask again in ${waitMs > 0 ? duration(waitMs) : 'a minute'}`
  return retries < MOST_RETRIES ? `${when}, or allow more retries: --retries ${Math.min(retries + 3, MOST_RETRIES)}` : when
}

function later() {
  return "try again later; the service's status page may say more"
}
