// The page in a browser's terms: what the server sends, what it takes, and from whom.
import assert from 'node:assert'
import { spawnSync } from 'node:child_process'
import http from 'node:http'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { arkts, target } from './folders.mjs'
import { compileProject } from './host/compile.mjs'
import { serve } from './host/arkui/server.mjs'

let server
before(async () => {
  server = await serve(compileProject(path.join(arkts, 'fixtures/arkui'), path.join(target, 'arkts-fixture-server')))
})
after(() => server.close())

const post = (name, body) =>
  fetch(server.url + name, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
// the states that the page sends until one satisfies `enough`
async function changes(enough, act = () => {}) {
  const response = await fetch(`${server.url}changes`)
  let text = ''
  await act()
  for await (const chunk of response.body) {
    text += Buffer.from(chunk).toString()
    const states = text.split('\n\n').slice(0, -1).map((event) => JSON.parse(event.replace('data: ', '')))
    if (enough(states.at(-1))) return states.at(-1)
  }
}
const status = (headers, options = {}) =>
  new Promise((resolve) => http.request(server.url, { headers, ...options }, (response) => resolve(response.resume().statusCode)).end())

test('a port that is taken is named, with what to do', () => {
  const pages = path.join(target, 'arkts-fixture-server')
  const script = new URL('./host/arkui/server.mjs', import.meta.url).pathname
  const { status, stderr } = spawnSync(process.execPath, [script, pages, new URL(server.url).port], { encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /^error: port \d+: something else listens there; take another one with --port N\n$/)
})

test('the files of the browser, and no others', async () => {
  assert.equal(await status({}), 200)
  assert.equal(await status({}, { path: '/client.mjs' }), 200)
  for (const other of ['/nothing', '/../server.mjs', '/%2e%2e/server.mjs']) assert.equal(await status({}, { path: other }), 404)
})

test('a click changes what is shown', async () => {
  const first = await changes(() => true)
  const node = /data-node="(\d+)"[^>]*>more</.exec(first.html)[1]
  const { html } = await changes((state) => state.html.includes('count 3'), () => post('act', { node: Number(node), action: 'click' }))
  assert.match(html, />count 3 double 6</)
  await changes((state) => state.html.includes('count 1 double'), () => post('restart', {}))
})

test('the language is that of the first browser', async () => {
  for (const first of ['en-GB,en;q=0.9,zh;q=0.8', 'zh-CN,zh;q=0.9']) {
    assert.equal(await status({ 'accept-language': first }), 200)
    assert.equal((await changes(() => true)).language, 'en_US')
  }
})

test('language and darkness are the browser\'s to choose', async () => {
  const { language, dark } = await changes((state) => state.dark, () => post('configure', { language: 'en_US', dark: true }))
  assert.deepEqual({ language, dark }, { language: 'en_US', dark: true })
})

test('another site can neither read nor press', async () => {
  assert.equal(await status({ host: 'evil.example' }), 403)
  const response = await fetch(`${server.url}restart`, { method: 'POST', body: '{}' }) // text/plain: what a foreign form may send
  assert.equal(response.status, 404)
})

test('an element that has gone is no error; nonsense is one', async () => {
  assert.equal((await post('act', { node: 999999, action: 'click' })).status, 204)
  assert.equal((await post('act', null)).status, 500)
  assert.equal((await post('nothing', {})).status, 404)
  assert.equal((await post('act', 'x'.repeat(70_000))).status, 413)
})
