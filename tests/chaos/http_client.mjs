// A client for one service, with and without streaming. One attempt a call; what it throws says what it knows.
import http from 'node:http'

export class HttpClient {
  /** `guard` is the breaker that stands before it. */
  constructor({ port, agent, ledger, guard, name }) {
    Object.assign(this, { port, agent, ledger, guard, name })
  }

  async chat(request, context) {
    const { response, body } = await this.#send(request, context)
    const answer = JSON.parse(body)
    if (response.statusCode !== 200 || answer.error) throw serviceError(response, body)
    const [choice] = answer.choices
    return { text: choice.message.content, finishReason: choice.finish_reason }
  }

  async chatStream(request, sink, context) {
    let [rest, finishReason, pushed] = ['', undefined, undefined]
    const { response, body } = await this.#send(request, context, (chunk) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()
      for (const line of lines) {
        if (!line.startsWith('data: {')) continue
        const [choice] = JSON.parse(line.slice(6)).choices
        finishReason = choice.finish_reason ?? finishReason
        if (choice.delta.content) pushed = sink.push(choice.delta.content)
      }
    })
    if (response.statusCode !== 200) throw serviceError(response, body)
    await pushed
    if (!finishReason) throw Object.assign(new Error('the stream broke off'), { code: 'ECONNRESET' })
    return { finishReason }
  }

  #send(request, context, onText) {
    const call = request.data ?? request // of an agent's ModelRequest, or the request itself
    const { guard } = this
    const number = this.ledger.begin(guard)
    call.seen++
    this.ledger.watch(request)
    this.ledger.watch(context)
    this.ledger.watch(context.cancelToken)
    return new Promise((resolve, reject) => {
      const body = JSON.stringify({ stream: Boolean(onText), messages: [{ role: 'user', content: request.prompt }] })
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'x-attempt': number }
      const options = { host: '127.0.0.1', port: this.port, path: '/v1/chat/completions', method: 'POST', headers }
      const outgoing = http.request({ ...options, agent: this.agent }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        const take = onText && response.statusCode === 200 ? onText : (chunk) => (text += chunk)
        response.on('data', (chunk) => {
          try {
            take(chunk)
          } catch (error) {
            outgoing.destroy(error)
          }
        })
        response.on('end', () => finish(resolve, { response, body: text }))
        response.on('error', (error) => finish(reject, error))
      })
      const listener = context.cancelToken.onCancel(() => outgoing.destroy(new DOMException('cancelled', 'AbortError')))
      let finished = false
      const finish = (settle, value) => {
        if (finished) return
        finished = true
        context.cancelToken.offCancel(listener)
        this.ledger.end(number, guard)
        settle(value)
      }
      outgoing.on('error', (error) => finish(reject, error))
      outgoing.on('close', () => finish(reject, Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
      outgoing.end(body)
    })
  }
}

function serviceError(response, body) {
  return Object.assign(new Error(`HTTP ${response.statusCode}`), { status: response.statusCode, headers: response.headers, body })
}
