// `http` of @kit.NetworkKit on the host, against servers that misbehave.
import assert from 'node:assert'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { after, test } from 'node:test'
import { http as kit } from './host/kits/NetworkKit.mjs'

const servers = []
after(() => servers.forEach((server) => server.close()))
async function listening(server) {
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${server.address().port}/`
}
// answers with `respond(request, response)`
const serving = (respond) => listening(http.createServer(respond))
// speaks `talk(socket)` after the request's head has come
const talking = (talk) => listening(net.createServer((socket) => socket.on('error', () => {}).once('data', () => talk(socket))))
const failing = (promise, code) => assert.rejects(promise, (error) => error.code === code || assert.fail(`${error.code} ${error.message}, not ${code}`))

test('an answer: text, status, names of headers in lower case', async () => {
  const url = await serving((_, response) => response.writeHead(200, { 'X-Request-ID': 'a', 'Set-Cookie': ['a=1', 'b=2'] }).end('中文'))
  const { result, resultType, responseCode, header } = await kit.createHttp().request(url)
  assert.deepEqual([result, resultType, responseCode], ['中文', kit.HttpDataType.STRING, 200])
  assert.equal(header['x-request-id'], 'a')
  assert.deepEqual(header['set-cookie'], ['a=1', 'b=2'])
})

test('a status of 400 and more is an answer, too', async () => {
  for (const status of [400, 401, 429, 500, 503]) {
    const url = await serving((_, response) => response.writeHead(status, { 'Retry-After': '7' }).end('{}'))
    const { responseCode, header } = await kit.createHttp().request(url)
    assert.deepEqual([responseCode, header['retry-after']], [status, '7'])
  }
})

test('what is sent: method, headers, an object as JSON', async () => {
  const url = await serving(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    response.end(JSON.stringify({ method: request.method, type: request.headers['content-type'], key: request.headers.authorization, body }))
  })
  const options = { method: kit.RequestMethod.POST, header: { Authorization: 'Bearer k' }, extraData: { a: 1 }, expectDataType: kit.HttpDataType.OBJECT }
  const { result } = await kit.createHttp().request(url, options)
  assert.deepEqual(result, { method: 'POST', type: 'application/json', key: 'Bearer k', body: '{"a":1}' })
})

test('errors have the codes of the phone', async () => {
  const closed = net.createServer()
  const url = await listening(closed)
  await new Promise((done) => closed.close(done))
  await failing(kit.createHttp().request(url), 2300007)
  await failing(kit.createHttp().request('http://no-such-host.invalid/'), 2300006)
  await failing(kit.createHttp().request('no url'), 2300003)
  await failing(kit.createHttp().request('ftp://127.0.0.1/'), 2300001)
  await failing(kit.createHttp().request(undefined), 401)
  await failing(kit.createHttp().request(await talking((socket) => socket.end())), 2300052)
  await failing(kit.createHttp().request(await talking((socket) => socket.resetAndDestroy())), 2300056)
  await failing(kit.createHttp().request(await talking((socket) => socket.end('nonsense\r\n\r\n'))), 2300008)
})

test('a body that is cut short', async () => {
  const head = 'HTTP/1.1 200 OK\r\n'
  await failing(kit.createHttp().request(await talking((socket) => socket.end(`${head}Content-Length: 100\r\n\r\nhalf`))), 2300018)
  await failing(kit.createHttp().request(await talking((socket) => socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhal`))), 2300056)
})

test('readTimeout is the time of the whole request, however busy it is', async () => {
  const url = await serving((_, response) => {
    const timer = setInterval(() => response.write('.'), 10)
    response.on('close', () => clearInterval(timer))
  })
  const begin = Date.now()
  await failing(kit.createHttp().request(url, { readTimeout: 100 }), 2300028)
  assert.ok(Date.now() - begin < 2000)
})

test('more than maxLimit is refused', async () => {
  const url = await serving((_, response) => response.end('x'.repeat(2000)))
  await failing(kit.createHttp().request(url, { maxLimit: 1000 }), 2300023)
})

test('destroy ends what is in flight, and the server sees it', async () => {
  let gone
  let arrive
  const arrived = new Promise((resolve) => (arrive = resolve))
  const url = await serving((request, response) => {
    gone = once(response, 'close')
    arrive()
  })
  const request = kit.createHttp()
  const pending = request.request(url)
  await arrived
  request.destroy()
  await failing(pending, 2300023)
  await gone
  await failing(request.request(url), 2300023) // it can't be used again
})

test('a stream: headers, pieces, end, then the status', async () => {
  const url = await serving((_, response) => {
    response.writeHead(200, { 'X-A': '1' }).write('one')
    setTimeout(() => response.end('two'), 20)
  })
  const seen = []
  const request = kit.createHttp()
  request.on('headersReceive', (header) => seen.push(header['x-a']))
  request.on('dataReceive', (data) => seen.push(Buffer.from(data).toString()))
  request.on('dataEnd', () => seen.push('end'))
  seen.push(await request.requestInStream(url))
  assert.deepEqual(seen, ['1', 'one', 'two', 'end', 200])
})
