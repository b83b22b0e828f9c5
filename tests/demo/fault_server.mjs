// A service that fails by plan: a real HTTP server on the loopback interface, at a port that the system picks unless one is named.
import { createServer } from 'node:http'

/** An answer as OpenAI-compatible services give it. */
export function answer(text, finishReason = 'stop') {
  const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finishReason }]
  return json(200, { id: 'chatcmpl-1', object: 'chat.completion', choices })
}

/** A reply with a JSON body. */
export function json(status, body, headers = {}) {
  return reply(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers })
}

/** A reply with any body. */
export function reply(status, body = '', headers = {}) {
  return (response) => {
    response.writeHead(status, headers)
    response.end(body)
  }
}

/** Begins only after a while. */
export function slow(milliseconds, then) {
  return (response) => void setTimeout(() => then(response), milliseconds).unref()
}

/** The connection is reset before anything is sent. */
export function reset(response) {
  response.socket.resetAndDestroy()
}

/** The connection is reset after the headers and the beginning of the body. */
export function resetAfterHeaders(response) {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"choices":[{"mess', () => setTimeout(() => response.socket.resetAndDestroy(), 20))
}

/** The connection is closed in good order, but before all of the announced body was sent. */
export function cutBody(response) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 500 })
  response.write('{"choices":[{"mess', () => response.socket.end())
}

/** A streamed answer: each piece as an event of its own. `last` ends it: the service's [DONE], nothing, or an error. */
export function stream(pieces, last = '[DONE]', finishReason = 'stop') {
  const choice = (delta, finish_reason = null) => JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })
  const events = [...pieces.map((content) => choice({ content })), ...(finishReason ? [choice({}, finishReason)] : [])]
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of last ? [...events, last] : events) {
      response.write(`: keep-alive\n\ndata: ${event}\n\n`)
      await new Promise(setImmediate)
    }
    response.end()
  }
}

/** The connection is reset in the middle of a streamed answer. */
export function resetInStream(piece) {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const event = JSON.stringify({ choices: [{ delta: { content: piece } }] })
    response.write(`data: ${event}\n\ndata: {"choi`, () => setTimeout(() => response.socket.resetAndDestroy(), 20))
  }
}

/** The body in pieces of one byte, which tears characters apart. */
export function inPieces(text) {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const choices = [{ message: { content: text }, finish_reason: 'stop' }]
    for (const byte of Buffer.from(JSON.stringify({ choices }))) {
      response.write(Buffer.of(byte))
      await new Promise(setImmediate)
    }
    response.end()
  }
}

/**
 * Starts a server that serves its requests by `plan`, one step each, the last step for all that follow.
 * `requests` notes what came: `{ path, headers, body, begin, end, aborted }`, times in milliseconds.
 */
export async function startFaultServer(plan, port = 0) {
  const requests = []
  const server = createServer(async (incoming, response) => {
    const step = plan[Math.min(requests.length, plan.length - 1)]
    const request = { path: incoming.url, headers: incoming.headers, begin: performance.now() }
    requests.push(request)
    response.on('close', () => {
      request.end = performance.now()
      request.aborted = !response.writableFinished
    })
    const chunks = []
    for await (const chunk of incoming) chunks.push(chunk)
    request.body = JSON.parse(Buffer.concat(chunks))
    request.replied = performance.now()
    await step(response)
  })
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  server.unref() // what it serves keeps the process alive, it does not
  const origin = `http://127.0.0.1:${server.address().port}`
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { origin, endpoint: `${origin}/v1`, requests, close }
}
