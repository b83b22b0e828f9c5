// The staircase of article 004: the same flaky service, asked by many at once, with one more layer around it each time.
import { Claims } from './claims.mjs'

// Shorter than the layers' defaults, so that the run is over in seconds: it is the layers that are compared.
const RETRY = { retries: 3, minTimeout: 200, maxTimeout: 2000 }

/** Each makes of a client that is watched what answers one prompt: a text, or `{ text, by }`. */
const LAYERS = [
  { layer: 'L0', around: 'nothing', build: (lib, client) => (request) => lib.bareLlmCall(() => client.chat(request)) },
  {
    layer: 'L1',
    around: 'retries',
    build: (lib, client) => (request) => lib.withSimpleRetry(() => client.chat(request), RETRY),
  },
  {
    layer: 'L2',
    around: 'retries, breaker',
    build: (lib, client) => {
      const breaker = lib.createBreaker((request) => client.chat(request))
      return (request) => lib.withSimpleRetry(() => breaker.fire(request), RETRY)
    },
  },
  {
    layer: 'L3',
    around: 'cascade of models',
    build: (lib, client) => async ({ prompt }) => by(await lib.cascadedModelCall({ prompt, client })),
  },
  { layer: 'L4', around: 'all of it: ResilientAgent', build: (lib, client) => agent(lib, client, {}) },
  {
    layer: "L4'",
    around: "L4, accounting: 'call'",
    build: (lib, client) => agent(lib, client, { accounting: lib.Accounting.Call }),
  },
]

const MARKS = { model: '✓', text: '≈', nothing: '✗' }

function agent(lib, client, config) {
  const settings = { baseMs: RETRY.minTimeout, maxMs: RETRY.maxTimeout, locale: lib.Locale.English, ...config }
  const agent = new lib.ResilientAgent({ client, config: settings })
  return async ({ prompt }) => by(await agent.invoke(prompt))
}

/** An answer of the cascade or the agent: a model's, or the text that stands in for one. */
function by({ result, source }) {
  return { text: result, by: source === 'model' ? 'model' : 'text' }
}

/** Runs every layer and gives a row for each. `calls` are made at once. */
export async function climb(lib, { failureRate, calls, seed }) {
  const rows = []
  for (const { layer, around, build } of LAYERS) {
    const flaky = new lib.FlakyLlmClient({ failureRate, seed, latencyMs: 50, latencySpreadMs: 50 })
    const attempts = new Map()
    const ask = build(lib, watched(lib, flaky, attempts))
    const begin = performance.now()
    const asked = Array.from({ length: calls }, (_, i) => outcome(ask, { prompt: `写一句话，第 ${i + 1} 个问题` }, attempts))
    const each = await Promise.all(asked)
    const count = (kind) => each.filter((call) => call.by === kind).length
    rows.push({
      layer,
      around,
      byModel: count('model'),
      byText: count('text'),
      byNothing: count('nothing'),
      callsMade: flaky.calls,
      wallMs: performance.now() - begin,
      each,
    })
  }
  return rows
}

/** A client that notes how each attempt ended, by the prompt it was for. */
function watched(lib, flaky, attempts) {
  const note = ({ prompt }, end) => attempts.set(prompt, [...(attempts.get(prompt) ?? []), end])
  return {
    chat: async (request) => {
      try {
        const answer = await flaky.chat(request)
        note(request, 'ok')
        return answer
      } catch (error) {
        note(request, lib.classifyError(error).code)
        throw error
      }
    },
  }
}

async function outcome(ask, request, attempts) {
  const begin = performance.now()
  const answer = await ask(request).then(
    (given) => ({ by: given.by ?? 'model', text: given.text }),
    (error) => ({ by: 'nothing', text: error.message }),
  )
  return { ...answer, attempts: attempts.get(request.prompt) ?? [], ms: performance.now() - begin }
}

/** Shows the rows, and checks what must hold whatever chance does. */
export async function playLayers(lib, timeline, options) {
  const percent = Math.round(options.failureRate * 100)
  timeline.title(`${options.calls} calls at once, ${percent} % of them failing, seed ${options.seed}`)
  timeline.text('Each layer asks a FlakyLlmClient of its own with that seed; L3 and L4 ask it as all their models.')
  timeline.text('model: a model answered; text: the fallback text did; nothing: the caller got an error.')
  timeline.text()
  timeline.text(row('layer', 'around the call', 'model', 'text', 'nothing', 'calls', 'seconds'))
  const rows = await climb(lib, options)
  for (const { layer, around, byModel, byText, byNothing, callsMade, wallMs } of rows) {
    timeline.text(row(layer, around, byModel, byText, byNothing, callsMade, (wallMs / 1000).toFixed(2)))
  }
  timeline.text()
  timeline.text("L4 counts each attempt at its breakers: it stops early, which is cheap when a service is down. L4' counts")
  timeline.text('what retries could not mend: dearer, but better when failures come by chance, as they do here.')
  timeline.text()
  timeline.text('Each call: ✓ model, ≈ text, ✗ nothing, and its attempts.')
  for (const { layer, each } of rows) {
    timeline.text(`${layer.padEnd(3)} ${each.map((call) => MARKS[call.by] + call.attempts.length).join(' ')}`)
  }
  timeline.text()
  const claims = new Claims(timeline)
  for (const { layer, byModel, byText, byNothing } of rows) {
    claims.equal(`${layer}: every call has one outcome`, byModel + byText + byNothing, options.calls)
  }
  const seen = ({ each }) => each.reduce((sum, call) => sum + call.attempts.length, 0)
  claims.equal('the service saw the attempts that the callers made', rows.every((one) => seen(one) === one.callsMade), true)
  const [bare, , , ...texted] = rows
  claims.equal('L0 asks once for each call', bare.callsMade, options.calls)
  claims.equal('from L3 on nobody is left without a text', texted.every((one) => one.byNothing === 0), true)
  return { scenario: 'layers', ok: claims.allHold, claims: claims.list, ...options, rows }
}

function row(layer, around, ...figures) {
  return layer.padEnd(7) + around.padEnd(28) + figures.map((figure) => String(figure).padStart(8)).join('')
}
