// Asks a real service, through the module and over real HTTP.
import { OpenAiClient } from './openai_client.mjs'
import { duration, nextStep, whyNoRetry } from './reasons.mjs'
import { Recorder, inWords } from './recorder.mjs'
import { Timeline } from './timeline.mjs'

const EXIT_CODES = { ok: 0, fallback: 3, error: 3, cancelled: 130 }
const LONGEST_WAIT_MS = 60_000 // before each retry

/** Gives the exit code. */
export async function ask(lib, options, output, cancelToken) {
  const timeline = new Timeline(options.json ? () => {} : output.line, output.colour)
  const breaker = new lib.CircuitBreaker(Math.max(3, options.retries + 1))
  const recorder = new Recorder(lib, timeline, breaker)
  const service = new OpenAiClient(options)
  const waiting = {
    chat(request, context) {
      timeline.event('asking', { detail: `waiting for an answer, up to ${duration(context.timeoutMs)}` })
      return service.chat(request, context)
    },
  }
  const inner = recorder.watch(() => waiting)
  const client = new lib.ResilientLlmClient(inner, config(lib, options), breaker, undefined, recorder.onRetry)

  timeline.title(`${options.model} at ${withoutQuery(options.url)}, through libresilience ${lib.version()}`)
  timeline.header()
  const outcome = await recorder.call(client, { prompt: options.question }, { cancelToken })
  const record = { version: lib.version(), outcome, transitions: recorder.transitions }
  if (options.json) output.line(JSON.stringify(record, null, 2))
  conclude(timeline, outcome, options, { state: recorder.state, opensInMs: breaker.retryAfterMs })
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
function conclude(timeline, outcome, options, breaker) {
  const titles = { ok: 'Answer', fallback: 'Fallback (the model did not answer)', error: 'Error', cancelled: 'Cancelled' }
  timeline.title(titles[outcome.status])
  timeline.text(inWords(outcome))
  timeline.title('Call')
  const attempts = outcome.attempts === 1 ? '1 attempt' : `${outcome.attempts} attempts`
  const reason = whyNoRetry(outcome, breaker.state)
  timeline.text(`  ${attempts} in ${Math.ceil(outcome.elapsedMs)} ms` + (reason ? `, no retry: ${reason}` : ''))
  timeline.text(`  request id ${outcome.requestId}` + (outcome.attempts > 1 ? ', the same in every attempt' : ''))
  const { code, message, retryAfterMs } = outcome.error ?? {}
  if (outcome.usedFallback && code) timeline.text(`  last error: ${code}: ${message}`)
  if (retryAfterMs > 0) timeline.text(`  the service asks to be left alone for ${duration(retryAfterMs)}`)
  if (breaker.state === 'OPEN') timeline.text(`  the breaker stays open for ${duration(breaker.opensInMs)}`)
  if (outcome.maybeBilled) timeline.text('  an attempt without an answer may have been billed')
  const next = nextStep(outcome, { ...options, opensInMs: breaker.opensInMs })
  if (next) timeline.text(`  next step: ${next}`)
}
