// The app's pages in a real browser, clicked and typed into as a user does, with a real service behind the last one.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { json, startFaultServer } from '../../demo/fault_server.mjs'
import { target } from '../folders.mjs'
import { compileProject } from '../host/compile.mjs'
import { serve } from '../host/arkui/server.mjs'
import { openBrowser } from './chromium.mjs'

const RECOVERY = '前两次失败后成功'
const OUTAGE = '持续失败 → 熔断'
const KEY = 'sk-browser-0123456789'

let server
let browser
before(async () => {
  server = await serve(compileProject(undefined, path.join(target, 'arkts-pages-browser')))
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  server?.close()
})
beforeEach(async () => {
  await browser.goto(server.url)
  await configure({ language: 'zh_CN', dark: false })
  await post('restart', {})
  await shows(RECOVERY)
})

const post = (name, body) =>
  browser.evaluate(`fetch(${JSON.stringify(name)}, { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(body))} })`)
const configure = (what) => post('configure', what)
const TEXTS = `[...document.querySelectorAll('#app span')].map((element) => element.textContent)`
const shows = (text) => browser.until(`${TEXTS}.includes(${JSON.stringify(text)})`)
const isDisabled = (text) =>
  browser.evaluate(`[...document.querySelectorAll('#app button')].find((button) => button.textContent.trim() === ${JSON.stringify(text)}).disabled`)
/** The figure above its caption. */
const figure = (caption) => browser.evaluate(`(() => { const all = ${TEXTS}; return all[all.indexOf(${JSON.stringify(caption)}) - 1] })()`)
const typeInto = async (selector, text) => {
  await browser.until(`document.querySelector(${JSON.stringify(selector)}) && true`)
  await browser.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`)
  await browser.type(text)
}

test('the first button: disabled and turning while it runs, the waits grow, the answer comes', async () => {
  await browser.click(RECOVERY)
  await shows('退避：等待 340 ms')
  assert.equal(await isDisabled(OUTAGE), true)
  assert.ok(await browser.evaluate(`document.querySelector('.LoadingProgress') !== null`))
  await shows('已回答')
  const widths = await browser.evaluate(`[...document.querySelectorAll('.Row[aria-hidden] > .Row')].map((bar) => bar.getBoundingClientRect().width)`)
  assert.equal(widths.length, 2)
  assert.ok(widths[0] < widths[1], `${widths}`)
  await browser.until(`document.querySelector('.LoadingProgress') === null`)
})

test('the second button: the count stands still while the breaker is open; cancel ends it', async () => {
  await browser.click(OUTAGE)
  await shows('调用 3')
  assert.equal(await figure('到达服务'), '3')
  await shows('调用 5')
  assert.equal(await figure('到达服务'), '3')
  assert.equal(await figure('被拦下'), '3')
  await browser.click('取消')
  await browser.until(`!${TEXTS}.includes('取消')`)
  assert.equal(await isDisabled(OUTAGE), false)
})

test('language and darkness are changed while a scenario runs', async () => {
  await browser.click(RECOVERY)
  const light = await browser.evaluate(`getComputedStyle(document.querySelector('.Scroll')).backgroundColor`)
  await configure({ language: 'en_US', dark: true })
  await shows('Attempt 1')
  const dark = await browser.evaluate(`getComputedStyle(document.querySelector('.Scroll')).backgroundColor`)
  assert.deepEqual([light, dark], ['rgb(247, 250, 253)', 'rgb(15, 23, 42)'])
  await shows('Answered')
})

test('a service of the user\'s own: the answer is read while it comes, the key is seen nowhere', async () => {
  let finish
  const unavailable = json(503, { error: { message: 'warming up' } })
  const service = await startFaultServer([unavailable, (response) => {
    const event = (content) => response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    event('它会暂停')
    finish = () => {
      event('请求。')
      response.end('data: [DONE]\n\n')
    }
  }])
  await browser.click('端点')
  await shows('你自己的服务')
  await typeInto('input[type=url]', service.endpoint)
  await typeInto('input[type=text]', 'test-model')
  await typeInto('input[type=password]', KEY)
  await typeInto('textarea', '什么是熔断器？')
  await browser.until(`document.querySelector('textarea').value.endsWith('？')`)
  await browser.click('提问')
  await shows('它会暂停')
  assert.deepEqual(service.requests.map(({ headers }) => headers.authorization), Array(2).fill(`Bearer ${KEY}`))
  finish()
  await shows('它会暂停请求。')
  await shows('服务过载')
  assert.ok(!(await browser.evaluate(`document.querySelector('#app').textContent`)).includes(KEY.slice(3, 12)))
  await service.close()
})

test('nothing went wrong in the browser', () => {
  assert.deepEqual(browser.errors, [])
})
