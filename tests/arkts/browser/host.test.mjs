// The page host in a real browser: what the server sends is drawn, what a user does comes back.
import assert from 'node:assert'
import path from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { arkts, target } from '../folders.mjs'
import { compileProject } from '../host/compile.mjs'
import { serve } from '../host/arkui/server.mjs'
import { openBrowser } from './chromium.mjs'

let server
let browser
before(async () => {
  server = await serve(compileProject(path.join(arkts, 'fixtures/arkui'), path.join(target, 'arkts-fixture-browser')))
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  server?.close()
})
beforeEach(async () => {
  await browser.goto(server.url)
  await browser.evaluate(`fetch('restart', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })`)
  await shows('count 1 double 2')
})
const shows = (text) => browser.until(`[...document.querySelectorAll('#app span')].some((element) => element.textContent === ${JSON.stringify(text)})`)

test('a click goes to the page and comes back as a change', async () => {
  await browser.click('more')
  await shows('count 3 double 6')
  await shows('some')
})

test('an element that stays keeps its focus, and what is typed reaches the page', async () => {
  await browser.evaluate(`(window.field = document.getElementById('field')).focus()`)
  await browser.type('abc')
  await shows('entered abc')
  assert.ok(await browser.evaluate(`document.activeElement === window.field && window.field.value === 'abc'`))
})

test('the canvas is as large as it is drawn, and shows what was drawn', async () => {
  const pixel = (x, y) => browser.evaluate(`[...document.querySelector('canvas').getContext('2d').getImageData(${x}, ${y}, 1, 1).data].join()`)
  await browser.until(`document.querySelector('canvas').width > 328`)
  const width = await browser.evaluate(`document.querySelector('canvas').width`)
  await browser.until(`JSON.parse(document.querySelector('canvas').dataset.calls).some(([name, , , drawn]) => name === 'fillRect' && drawn === ${width})`)
  assert.equal(await pixel(width - 2, 5), '13,148,136,255')
  assert.equal(await pixel(width - 2, 20), '0,0,0,0')
})

test('tabs', async () => {
  await browser.click('tab two')
  await shows('second tab')
  await browser.click('tab one')
  await shows('few')
})

test('language and darkness', async () => {
  await browser.evaluate(`document.getElementById('dark').click()`)
  await browser.until(`document.getElementById('phone').matches('.dark')`)
  await browser.evaluate(`document.getElementById('dark').click()`)
  await browser.until(`!document.getElementById('phone').matches('.dark')`)
})

test('nothing went wrong in the browser', () => {
  assert.deepEqual(browser.errors, [])
})
