// The service of the chaos run, in a process of its own: OpenAI's API over HTTP, failing by the phase that it is told.
// Messages in: { phase }, { report: true }. Out: { port }, { phase, at }, and at the end what it has seen.
import { createServer } from 'node:http'
import { answer, cutBody, json, reset, resetAfterHeaders, resetInStream, slow, stream } from '../demo/fault_server.mjs'
import { chance } from './chance.mjs'

const draw = chance(Number(process.argv[2]))
const MOST_ATTEMPTS = 4_000_000

const unavailable = json(503, { error: { message: 'The server is overloaded', type: 'server_error' } })
const limited = (headers) => json(429, { error: { message: 'Rate limit reached', type: 'requests' } }, headers)

/** For each phase: shares of what goes wrong; the rest is answered. `streamed` holds for streamed answers. */
const PHASES = {
  calm: [],
  slow: [[1, () => slow(300, answer('a good answer, but a late one'))]],
  spikes: [[0.25, () => slow(100 + 800 * draw(), answer('late'))]],
  limits: [[0.02, () => limited({ 'retry-after': '1' })], [0.1, () => limited({ 'retry-after-ms': '150' })]],
  bursts: [[1, () => (Math.floor(performance.now() / 400) % 2 ? unavailable : undefined)]],
  resets: [[0.1, () => reset], [0.1, () => resetAfterHeaders], [0.1, () => cutBody]],
  cuts: [[0.05, () => reset]],
  mixed: [
    [0.05, () => slow(100 + 800 * draw(), answer('late'))],
    [0.02, () => limited({ 'retry-after-ms': '150' })],
    [0.1, () => unavailable],
    [0.05, () => reset],
    [0.05, () => cutBody],
    [0.02, () => json(400, { error: { message: 'bad', type: 'invalid_request_error' } })],
    [0.02, () => json(200, { error: { message: 'overloaded', type: 'overloaded_error' } })],
  ],
  down: [[1, () => unavailable]],
  gone: [], // nobody listens
}
const CUT_STREAMS = { cuts: 0.4, mixed: 0.1 }

let phase = 'calm'
const seen = { arrivals: new Float64Array(MOST_ATTEMPTS), total: 0, twice: 0, open: 0 }

function step(streamed) {
  if (streamed && draw() < (CUT_STREAMS[phase] ?? 0)) {
    return draw() < 0.5 ? resetInStream('be') : stream(['be', 'gin'], '', null)
  }
  let rest = draw()
  for (const [share, fault] of PHASES[phase]) {
    if (rest < share) return fault() ?? good(streamed)
    rest -= share
  }
  return good(streamed)
}

const good = (streamed) => (streamed ? stream(['some ', 'text ', 'of it']) : answer('a good answer, whole and in time'))

const server = createServer(async (incoming, response) => {
  const attempt = Number(incoming.headers['x-attempt'])
  seen.total++
  if (seen.arrivals[attempt]) seen.twice++
  seen.arrivals[attempt] = performance.timeOrigin + performance.now()
  seen.open++
  response.on('close', () => seen.open--)
  response.on('error', () => {})
  let body = ''
  try {
    for await (const chunk of incoming) body += chunk
    await step(JSON.parse(body).stream)(response)
  } catch {
    response.destroy() // the client has left
  }
})

let port = 0
const listen = () => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))

process.on('message', async ({ phase: next, report }) => {
  if (report) {
    const { arrivals, total, twice, open } = seen
    process.send({ arrivals: arrivals.subarray(0, report + 1), total, twice, open }, () => process.disconnect())
    server.close()
    server.closeAllConnections()
    return
  }
  if (next === 'gone') {
    await new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })
  } else if (phase === 'gone') {
    await listen()
  }
  phase = next
  process.send({ phase, at: performance.timeOrigin + performance.now() })
})

await listen()
port = server.address().port
process.send({ port })
