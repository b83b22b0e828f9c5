// The app's pages, run as they are: what a user clicks, and what is shown then.
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { until } from '../demo/support.mjs'
import { target } from './folders.mjs'
import { compileProject } from './host/compile.mjs'
import './host/globals.mjs'
import { isEnabled, openPage, told } from './host/arkui/page.mjs'
import { configuration } from './host/arkui/resources.mjs'
import { pasteboard } from './host/kits/BasicServicesKit.mjs'

const RECOVERY = '前两次失败后成功'
const OUTAGE = '持续失败 → 熔断'
const TABS = ['场景', '请求', '网关', '端点']

const alive = setInterval(() => {}, 1000) // the module's timers keep no process alive
let folder
let page
before(() => (folder = compileProject(undefined, path.join(target, 'arkts-pages'))))
beforeEach(async () => {
  page?.close()
  configuration.set({ language: 'zh_CN', dark: false })
  page = await openPage(folder)
})
after(() => {
  page.close()
  clearInterval(alive)
})

const shows = (text) => page.texts().some((shown) => (text instanceof RegExp ? text.test(shown) : shown === text))
const enabled = (text) => isEnabled(page.get(text))

test('four tabs, each in two languages, light and dark', async () => {
  for (const tab of TABS) {
    page.click(tab)
    await until(() => page.texts().length > TABS.length)
    for (const language of ['en_US', 'zh_CN']) {
      configuration.set({ language, dark: language === 'en_US' })
      await until(() => shows(language === 'en_US' ? 'Scenarios' : '场景'))
      assert.ok(!page.texts().some((text) => /undefined|NaN|\[object|%[sd]|\$[sd]/.test(text)), page.texts().join(' | '))
    }
  }
})

test('the first button: disabled while it runs, two growing waits, the answer', async () => {
  page.click(RECOVERY)
  await until(() => shows('退避：等待 340 ms'))
  assert.equal(enabled(RECOVERY), false)
  assert.equal(enabled(OUTAGE), false)
  assert.ok(page.find('LoadingProgress'))
  await until(() => shows('已回答'))
  assert.ok(shows('退避：等待 1.04 s'))
  await until(() => enabled(RECOVERY))
  assert.ok(!page.find('LoadingProgress'))
  assert.ok(shows('回答'))
})

test('the second button: open, calls turned away, the count stands still; cancel ends it', async () => {
  page.click(OUTAGE)
  await until(() => shows(/^冷却剩余/))
  await until(() => shows('调用 5'))
  const texts = page.texts()
  assert.equal(texts[texts.indexOf('到达服务') - 1], '3')
  assert.ok(shows('兜底'))
  page.click('取消')
  await until(() => enabled(OUTAGE))
  assert.ok(!shows('服务修好了：下一个探针让熔断器闭合'))
})

test('the panel shows the retries of a request, and its detail', async () => {
  page.click('请求')
  await until(() => shows('示例请求'))
  if (shows('清空')) page.click('清空') // what the other pages did
  page.click('重试后成功')
  await until(() => shows('sample://feed?page=2'))
  await until(() => shows('请求 3 次'))
  page.click('sample://feed?page=2')
  await until(() => page.find('Canvas'))
  assert.ok(shows(/^各次重试前的等待：\[\d+, \d+\] ms$/))
  page.click('清空')
  await until(() => shows(/^还没有请求/))
})

test('the endpoint page names the first mistake', async () => {
  page.click('端点')
  await until(() => shows('提问'))
  page.click('提问')
  await until(() => shows('请填写服务的地址。'))
})

test('the gateway compares', async () => {
  page.click('网关')
  await until(() => shows('80%'))
  page.click('对比（各 20 次调用）')
  await until(() => shows(/^成功 \d+，失败 \d+$/) && enabled('对比（各 20 次调用）'), 20_000)
  const texts = page.texts()
  assert.ok(Number(texts[texts.indexOf('已回答') + 2]) > 0, texts.join(' | '))
})

test('the metrics are copied, and when they could not be, the user is told', async () => {
  const latest = () => told.at(-1)?.message
  const board = pasteboard.getSystemPasteboard()
  const { setData } = board
  page.click('网关')
  await until(() => shows('复制'))
  page.click('复制')
  await until(() => latest() === '已复制')
  assert.match(board.getDataSync().getPrimaryText(), /^# HELP /)
  board.setData = () => Promise.reject(new Error('locked'))
  page.click('复制')
  await until(() => latest()?.startsWith('复制失败'))
  board.setData = setData
})
