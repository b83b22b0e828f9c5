// The host runs ArkTS pages as ArkUI does: who reads a state is drawn again, and nobody else.
import assert from 'node:assert'
import path from 'node:path'
import { beforeEach, test } from 'node:test'
import { arkts, target } from './folders.mjs'
import { compileProject } from './host/compile.mjs'
import './host/globals.mjs'
import { pageHtml } from './host/arkui/html.mjs'
import { Page, openPage } from './host/arkui/page.mjs'

const folder = compileProject(path.join(arkts, 'fixtures/arkui'), path.join(target, 'arkts-fixture'))
const Entry = (await openPage(folder)).view.constructor
const settled = () => new Promise(setImmediate)

let page
beforeEach(async () => {
  page = new Page(Entry)
  await settled()
})
const shows = (...texts) => {
  for (const text of texts) assert.ok(page.texts().includes(text), `${text}: ${page.texts().join(' | ')}`)
}

test('the first picture', () => {
  shows('count 1 double 2', 'few', 'count 1 first 1 light appeared', 'inside 1', 'by reference: 1', 'by value: 1')
  shows('1 one not observed', '0: a', '1: b', 'tab one', 'tab two')
  assert.ok(!page.texts().includes('second tab'))
})

test('a state that changes: texts, computed values, branches, parameters, monitors', async () => {
  page.click('more')
  await settled()
  shows('count 3 double 6', 'some', 'monitored 1 to 3', 'inside 3')
  shows('count 3 first 1 light appeared') // @Once keeps what came first
  shows('by reference: 3', 'by value: 1') // a builder sees later values only by reference
  page.click('more')
  await settled()
  shows('many')
})

test('what is observed and what is not', async () => {
  page.click('change all')
  await settled()
  shows('1 ONE not observed', '2 two not observed', 'plain 0') // no @Trace, no @Local: not drawn
  shows('0: a', '1: B', '2: c', 'count 1 first 1 dark appeared')
})

test('a button that is disabled does not click', async () => {
  page.click('hundred')
  await settled()
  assert.throws(() => page.click('change all'), /'change all' is disabled/)
})

test('typing reaches the page, and no more than the longest', async () => {
  page.input('field', '1234567')
  await settled()
  shows('entered 12345')
  assert.match(pageHtml(page), /<input[^>]* value="12345"/)
})

test('tabs and pages of a navigation', async () => {
  page.click('tab two')
  await settled()
  shows('second tab')
  page.input('Tabs', 0)
  await settled()
  page.click('open')
  await settled()
  assert.deepEqual(page.texts(), ['detail of x y'])
  page.get('NavDestination').back()
  await settled()
  shows('few')
})

test('a canvas keeps what is drawn on it', () => {
  const { calls, width } = page.get('Canvas').args[0]
  assert.deepEqual(calls.slice(-2), [['=', 'fillStyle', '#0D9488'], ['fillRect', 0, 0, width, 10]])
  assert.match(pageHtml(page), /<canvas[^>]*fillRect/)
})

test('text is escaped', async () => {
  page.input('field', '<b>"&')
  await settled()
  assert.match(pageHtml(page), /entered &lt;b&gt;&quot;&amp;/)
})
