// Asks a real service, through the module and over real HTTP.
import { OpenAiClient } from './openai_client.mjs'
import { Recorder } from './recorder.mjs'
import { Timeline } from './timeline.mjs'

const EXIT_CODES = { ok: 0, fallback: 3, error: 3, cancelled: 130 }
const LONGEST_WAIT_MS = 60_000 // before each retry

/** Gives the exit code. */
export async function ask(lib, options, output, cancelToken) {
  const timeline = new Timeline(options.json ? () => {} : output.line, output.colour)
  const breaker = new lib.CircuitBreaker(Math.max(3, options.retries + 1))
  const recorder = new Recorder(lib, timeline, breaker)
  const service = new OpenAiClient(options)
  const inner = recorder.watch(() => service)
  const client = new lib.ResilientLlmClient(inner, config(lib, options), breaker, undefined, recorder.onRetry)

  timeline.title(`${options.model} at ${withoutQuery(options.url)}, through libresilience ${lib.version()}`)
  timeline.header()
  const outcome = await recorder.call(client, { prompt: options.question }, { cancelToken })
  const record = { version: lib.version(), outcome, transitions: recorder.transitions }
  if (options.json) output.line(JSON.stringify(record, null, 2))
  conclude(timeline, outcome, options)
  return EXIT_CODES[outcome.status]
}

/** A URL to be shown: some services take their key in the query. */
function withoutQuery(url) {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

function config(lib, { url, retries, timeoutMs }) {
  return {
    maxRetries: retries,
    attemptTimeoutMs: timeoutMs,
    deadlineMs: timeoutMs + retries * (LONGEST_WAIT_MS + timeoutMs),
    budget: { capacity: Math.max(20, retries) }, // one call only: nothing to save for
    provider: new URL(url).hostname,
    locale: lib.Locale.English,
  }
}

/** The answer, or what stands in its place and what to do next. */
function conclude(timeline, outcome, options) {
  const titles = { ok: 'Answer', fallback: 'Fallback (the model did not answer)', error: 'Error', cancelled: 'Cancelled' }
  timeline.title(titles[outcome.status])
  timeline.text(outcome.text || outcome.error?.message)
  timeline.title('Call')
  const attempts = outcome.attempts === 1 ? '1 attempt' : `${outcome.attempts} attempts`
  timeline.text(`  ${attempts} in ${Math.ceil(outcome.elapsedMs)} ms, ended by ${outcome.stopReason}`)
  timeline.text(`  request id ${outcome.requestId}, the same in every attempt`)
  const { code, message, retryAfterMalformed } = outcome.error ?? {}
  if (outcome.usedFallback && code) timeline.text(`  last error: ${code}: ${message}`)
  if (retryAfterMalformed) timeline.text(`  unreadable Retry-After: ${retryAfterMalformed}`)
  if (outcome.retryAfterMs > 0) timeline.text(`  the service wants to be left alone for ${outcome.retryAfterMs} ms`)
  if (outcome.maybeBilled) timeline.text('  an attempt without an answer may have been billed')
  const next = NEXT_STEPS[code]
  if (next && outcome.status !== 'ok') timeline.text(`  next step: ${next(options)}`)
}

/** What to do next, by class of the last error. */
const NEXT_STEPS = {
  connect: ({ url }) => `see whether a service runs at ${new URL(url).host}, and that the host's name is right`,
  auth: ({ key }) => (key ? 'check the key: it was refused' : 'name the variable that holds the key: --key-env VAR'),
  quota: () => "top up the account, or raise its limit at the service's console",
  model_not_found: ({ model }) => `check the model's name (${model}) and the URL: most end in /v1`,
  context_length: () => 'ask a shorter question, or a model that reads more',
  content_filter: () => 'word the question differently',
  invalid_response: () => 'check the URL, and that no login page of a network answers in place of the service',
  protocol: () => 'check http or https, the certificate, and whether the URL leads elsewhere',
  timeout: ({ timeoutMs }) => `allow more than ${timeoutMs} ms with --timeout-ms, or ask a smaller model`,
  rate_limit: () => 'wait a minute, or allow more retries with --retries',
  overloaded: () => 'wait a minute, or allow more retries with --retries',
  server: () => "try again later; the service's status page may say more",
  interrupted: () => 'try again; the connection broke after the question was sent',
  bad_request: () => 'the service does not take such a request: its message above says why',
  unknown: () => 'the last error above is all that is known; check the URL and try again',
}
