// A client for one OpenAI-compatible service: the kind of object that ResilientLlmClient keeps alive. Copy it.
// One attempt a call and no retry of its own: retries inside retries multiply.

/** What the service said instead of an answer, with all that ResilientLlmClient reads to judge it. */
class ServiceError extends Error {
  constructor(response, body, answer) {
    const said = [answer?.error?.message, answer?.error, answer?.message].find((text) => typeof text === 'string')
    super([`HTTP ${response.status}`, said ?? noAnswer(response, body, answer)].filter(Boolean).join(': '))
    this.name = 'ServiceError'
    this.status = response.status
    this.headers = Object.fromEntries(response.headers) // names come in lower case; Retry-After is in here
    this.body = body
  }
}

export class OpenAiClient {
  #key

  /** `url` ends in /chat/completions; `key` may be left out for a service on your own machine. */
  constructor({ url, model, key }) {
    this.url = url
    this.model = model
    this.#key = key
  }

  async chat(request, context) {
    const abort = new AbortController()
    // Whoever cancels the call, or its attempt when time is up: the connection is closed, not just forgotten.
    const listener = context.cancelToken.onCancel((reason) => abort.abort(new DOMException(reason, 'AbortError')))
    const timer = setTimeout(() => abort.abort(new DOMException('no answer in time', 'TimeoutError')), context.timeoutMs)
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        headers: this.#headers(context.requestId),
        body: JSON.stringify({ model: this.model, messages: [{ role: 'user', content: request.prompt }] }),
        redirect: 'manual', // a POST that is led elsewhere (a login page, say) has not arrived
        signal: abort.signal,
      })
      return this.#answer(response, this.#withoutKey(await response.text()))
    } catch (error) {
      throw this.#reason(error)
    } finally {
      clearTimeout(timer)
      context.cancelToken.offCancel(listener)
    }
  }

  #headers(requestId) {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    // The same over all attempts of a call: a service that knows it does not bill a repetition twice.
    headers['x-request-id'] = headers['idempotency-key'] = requestId
    if (this.#key) headers.authorization = `Bearer ${this.#key}`
    return headers
  }

  #answer(response, body) {
    const answer = parsed(body)
    // No JSON in a 200 is the page of a hotel's Wi-Fi, say; and some services report errors inside a 200.
    const choice = answer?.choices?.[0]
    // Thrown with its body, which ResilientLlmClient judges: moderation or a refusal, too, come without a text.
    const text = choice?.message?.content
    if (!response.ok || answer?.error || typeof text !== 'string') throw new ServiceError(response, body, answer)
    // With the rest of the answer: ResilientLlmClient knows the errors that providers hide in there.
    return { ...answer, text, finishReason: choice.finish_reason }
  }

  /** fetch says "fetch failed" and keeps the reason in its cause: ECONNREFUSED, ENOTFOUND, a broken TLS handshake. */
  #reason(error) {
    const reason = error.cause?.errors?.[0] ?? error.cause ?? error
    if (reason.message !== 'bad port') return reason
    const refused = new Error(`fetch sends nothing to port ${new URL(this.url).port}: it belongs to another protocol`)
    return Object.assign(refused, { class: 'protocol' }) // a class that the client says wins; this one is not retried
  }

  /** A service may repeat the key in its error text, and error texts end up in logs. "ollama" or "EMPTY" is no secret. */
  #withoutKey(text) {
    return this.#key?.length >= 8 ? text.replaceAll(this.#key, '***') : text
  }
}

/** What came in place of an answer; undefined if it is JSON that tells of an error, or nothing with an error's status. */
function noAnswer(response, body, answer) {
  const isPage = /^\s*<(!doctype|html)/i.test(body) || response.headers.get('content-type')?.startsWith('text/html')
  if (answer !== undefined) return response.ok && !answer?.error ? noText(answer?.choices?.[0]?.finish_reason) : undefined
  if (isPage) return 'an HTML page instead of JSON'
  if (!response.ok) return undefined
  return body.trim() ? 'not JSON, or cut off' : 'an empty body instead of JSON'
}

const noText = (reason) => 'no text in choices' + (reason ? ` (finish reason ${reason})` : '')

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
