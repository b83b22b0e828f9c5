// `http` of @kit.NetworkKit over Node's own client, with the behaviour of the phone: a status of 400 and more resolves,
// header names are in lower case, readTimeout is the time of the whole request, and an error is a BusinessError whose code
// is 2300000 plus that of curl.
import nodeHttp from 'node:http'
import nodeHttps from 'node:https'
import { businessError } from './business-error.mjs'

const RequestMethod = { OPTIONS: 'OPTIONS', GET: 'GET', HEAD: 'HEAD', POST: 'POST', PUT: 'PUT', DELETE: 'DELETE' }
const HttpDataType = { STRING: 0, OBJECT: 1, ARRAY_BUFFER: 2 }
const ResponseCode = { OK: 200 }
const DEFAULT_TIMEOUT_MS = 60_000
const MAX_BYTES = 5 * 1024 * 1024
const MAX_LIMIT = 100 * 1024 * 1024

const ERRORS = {
  PARAMETER: [401, 'Parameter error.'],
  PROTOCOL: [2300001, 'Unsupported protocol.'],
  URL: [2300003, 'Invalid URL format or missing URL.'],
  RESOLVE: [2300006, 'Failed to resolve the host name.'],
  CONNECT: [2300007, 'Failed to connect to the server.'],
  RESPONSE: [2300008, 'Invalid server response.'],
  PARTIAL: [2300018, 'Transferred a partial file.'],
  WRITE: [2300023, 'Failed to write the received data to the disk or application.'],
  TIMEOUT: [2300028, 'Operation timeout.'],
  EMPTY: [2300052, 'The server returned nothing.'],
  SEND: [2300055, 'Failed to send data to the peer.'],
  RECEIVE: [2300056, 'Failed to receive data from the peer.'],
  CERTIFICATE: [2300060, 'Invalid SSL peer certificate or SSH remote key.'],
  INTERNAL: [2300999, 'Internal error.'],
}
const failure = (name) => businessError(...ERRORS[name])

const BY_ERRNO = { ENOTFOUND: 'RESOLVE', EAI_AGAIN: 'RESOLVE', ECONNREFUSED: 'CONNECT', EHOSTUNREACH: 'CONNECT', ENETUNREACH: 'CONNECT', ETIMEDOUT: 'TIMEOUT' }

// Where the request was tells what a broken connection means.
function judge(error, { connected, sent, headers }) {
  if (BY_ERRNO[error.code]) return BY_ERRNO[error.code]
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(error.code ?? '')) return 'CERTIFICATE'
  if (error.code?.startsWith('HPE_')) return 'RESPONSE'
  if (!connected) return 'CONNECT'
  if (error.code === 'EPIPE' || !sent) return 'SEND'
  if (headers) return 'RECEIVE'
  return error.message === 'socket hang up' ? 'EMPTY' : 'RECEIVE' // closed without a word, or reset
}

function bodyOf({ method = 'GET', extraData }, header) {
  if (extraData === undefined || method === 'GET' || method === 'HEAD') return undefined
  if (extraData instanceof ArrayBuffer) return Buffer.from(extraData)
  if (typeof extraData === 'string') return Buffer.from(extraData)
  const type = Object.entries(header).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? 'application/json'
  return Buffer.from(type.includes('x-www-form-urlencoded') ? new URLSearchParams(extraData).toString() : JSON.stringify(extraData))
}

// set-cookie stays a list; what came several times is one text
const lowerCased = (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

class HttpRequest {
  #listeners = { headersReceive: new Set(), dataReceive: new Set(), dataEnd: new Set() }
  #running // ends the request in flight with an error
  #destroyed = false

  on(type, callback) {
    this.#listeners[type]?.add(callback)
  }
  off(type, callback) {
    if (callback) this.#listeners[type]?.delete(callback)
    else this.#listeners[type]?.clear()
  }

  /** What is in flight ends with 2300023. */
  destroy() {
    this.#destroyed = true
    this.#running?.('WRITE')
  }

  async request(url, options = {}) {
    const chunks = []
    let bytes = 0
    const limit = Math.min(options.maxLimit ?? MAX_BYTES, MAX_LIMIT)
    const response = await this.#send(url, options, (chunk) => {
      bytes += chunk.length
      if (bytes > limit) return 'WRITE'
      chunks.push(chunk)
    })
    const { result, resultType } = decoded(Buffer.concat(chunks), options.expectDataType)
    return { result, resultType, responseCode: response.statusCode, header: lowerCased(response.headers), cookies: '' }
  }

  /** Resolves with the status when all has come; the pieces come before, as events. */
  async requestInStream(url, options = {}) {
    const response = await this.#send(url, options, (chunk) => {
      const { buffer, byteOffset, length } = chunk
      this.#tell('dataReceive', buffer.slice(byteOffset, byteOffset + length))
    })
    this.#tell('dataEnd')
    return response.statusCode
  }

  #tell(type, value) {
    for (const listener of this.#listeners[type]) listener(value)
  }

  #send(url, options, take) {
    return new Promise((resolve, reject) => {
      if (typeof url !== 'string') return reject(failure('PARAMETER'))
      if (this.#destroyed || this.#running) return reject(failure('WRITE'))
      let target
      try {
        target = new URL(url)
      } catch {
        return reject(failure('URL'))
      }
      const client = { 'http:': nodeHttp, 'https:': nodeHttps }[target.protocol]
      if (!client) return reject(failure('PROTOCOL'))

      const header = { ...options.header }
      const body = bodyOf(options, header)
      if (body && !Object.keys(header).some((name) => name.toLowerCase() === 'content-type')) header['content-type'] = 'application/json'
      const seen = { connected: false, sent: false, headers: false }
      const request = client.request(target, { method: options.method ?? 'GET', headers: header, agent: false })
      const timers = []
      const end = (settle) => (value) => {
        timers.forEach(clearTimeout)
        this.#running = undefined
        request.destroy()
        settle(value)
      }
      const fail = end((name) => reject(failure(name)))
      const limit = (ms = DEFAULT_TIMEOUT_MS, stillWaits) => {
        if (ms > 0) timers.push(setTimeout(() => stillWaits() && fail('TIMEOUT'), ms))
      }
      this.#running = fail
      limit(options.connectTimeout, () => !seen.connected)
      limit(options.readTimeout, () => true)

      request.on('socket', (socket) => socket.once('connect', () => (seen.connected = true)))
      request.on('finish', () => (seen.sent = true))
      request.on('error', (error) => fail(judge(error, seen)))
      request.on('response', (response) => {
        seen.headers = true
        this.#tell('headersReceive', lowerCased(response.headers))
        response.on('data', (chunk) => {
          const refused = take(chunk)
          if (refused) fail(refused)
        })
        response.on('end', () => (response.complete ? end(resolve)(response) : fail('PARTIAL')))
        response.on('error', (error) => fail(error.code === 'ECONNRESET' && error.message === 'aborted' ? partial(response) : judge(error, seen)))
      })
      request.end(body)
    })
  }
}

// Closed early: with a length announced that is a partial file, else a failure to receive.
const partial = (response) => (response.headers['content-length'] ? 'PARTIAL' : 'RECEIVE')

function decoded(bytes, type) {
  if (type === HttpDataType.ARRAY_BUFFER) {
    return { result: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), resultType: type }
  }
  const text = bytes.toString('utf8')
  if (type === HttpDataType.OBJECT) {
    try {
      return { result: JSON.parse(text), resultType: type }
    } catch {
      // not JSON: as text
    }
  }
  return { result: text, resultType: HttpDataType.STRING }
}

export const http = { RequestMethod, HttpDataType, ResponseCode, createHttp: () => new HttpRequest() }
