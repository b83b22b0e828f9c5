// node screenshots.mjs FOLDER: pictures of the app's four pages as README shows them. What they show is the same every time:
// time moves by hand and chance is fixed. Only the fonts are the machine's. Run by scripts/screenshots.sh.
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { json, startFaultServer, stream } from '../../demo/fault_server.mjs'
import { target } from '../folders.mjs'
import { compileProject } from '../host/compile.mjs'
import '../host/globals.mjs'
import { input } from '../host/arkui/page.mjs'
import { configuration, resolve } from '../host/arkui/resources.mjs'
import { serve } from '../host/arkui/server.mjs'
import { openBrowser } from './chromium.mjs'

const LOOKS = [
  { language: 'en_US', dark: false, suffix: 'en-light' },
  { language: 'en_US', dark: true, suffix: 'en-dark' },
  { language: 'zh_CN', dark: false, suffix: 'zh-light' },
]
const QUESTIONS = { en_US: 'What does a circuit breaker do?', zh_CN: '熔断器有什么用？' }
const ANSWERS = {
  en_US: ['It stops calls to a service that keeps failing, ', 'and lets one probe through after a while.'],
  zh_CN: ['服务持续失败时，它先停止调用，', '稍后再放一个探针去试。'],
}
const PORT = 8808 // shown on the page, so no port of chance
const STEP_MS = 20
const SETTLE_MS = 400 // of real time: the pages look several times a second

// the one thing that is new in each process
const STEADY_IDS = `document.querySelectorAll('#app span').forEach((element) => {
  element.textContent = element.textContent.replace(/[0-9a-f]{16}-[0-9a-f]{8}/, '7c1f0e92b64d3a58-00000001') })`

const out = process.argv[2]
fs.mkdirSync(out, { recursive: true })
const alive = setInterval(() => {}, 1000) // the module's timers keep no process alive
const folder = compileProject(undefined, path.join(target, 'arkts-screenshots'))
const load = (name) => import(pathToFileURL(path.join(folder, name)).href)
const { appSurroundings } = await load('main/ets/common/Surroundings.mjs')
const { appTraces } = await load('main/ets/common/Traces.mjs')
const { ManualClock } = await load('libresilience.so.mjs')

const server = await serve(folder)
const browser = await openBrowser({ width: 760, height: 1000, scale: 1.5 })
await browser.send('Emulation.setDefaultBackgroundColorOverride', { color: { r: 0, g: 0, b: 0, a: 0 } })
await browser.goto(server.url)
await browser.evaluate(`document.head.append(Object.assign(document.createElement('style'), {
  textContent: 'body { background: none } #phone { box-shadow: none; height: 840px } * { animation: none !important }' }))`)

let clock
const page = () => server.page()
const word = (name) => resolve($r(`app.string.${name}`))
const press = (name) => page().click(word(name))
async function pass(ms) {
  for (let passed = 0; passed < ms; passed += STEP_MS) await clock.advanceAsync(STEP_MS)
}

const PAGES = {
  /** Three failures have opened the breaker; calls are turned away. */
  async scenarios() {
    press('scenario_outage')
    await pass(2900)
  },
  /** A request that went well after two retries, among others. */
  async panel() {
    press('tab_panel')
    for (const sample of ['success', 'failed', 'cancelled', 'retried']) {
      press(`sample_${sample}`)
      await pass(6000)
    }
    page().click('sample://feed?page=2')
  },
  async gateway() {
    press('tab_gateway')
    page().click(resolve($r('app.string.gateway_compare', 20)))
    await pass(30_000)
  },
  /** A real request: the service is overloaded once, then its answer streams in. */
  async endpoint(language) {
    const hold = (then) => async (response) => void (waiting = () => then(response))
    let waiting
    const answered = async (ms) => {
      while (!waiting) await sleep(10)
      await pass(ms)
      const answer = waiting
      waiting = undefined
      answer()
      await sleep(SETTLE_MS)
    }
    const service = await startFaultServer(
      [hold(json(503, { error: { message: 'The model is overloaded' } })), hold(stream(ANSWERS[language]))], PORT)
    press('tab_endpoint')
    await sleep(SETTLE_MS)
    const [url, model] = page().all().filter(({ type }) => type === 'TextInput')
    if (url) { // later they are in the store
      input(url, `http://127.0.0.1:${PORT}/v1`)
      input(model, 'qwen2.5:0.5b')
    }
    page().input('TextArea', QUESTIONS[language])
    press('endpoint_ask')
    await answered(220)
    await pass(1000)
    await answered(640)
    await service.close()
  },
}

for (const { suffix, ...look } of LOOKS) {
  for (const [name, act] of Object.entries(PAGES)) {
    appTraces.clear()
    clock = new ManualClock()
    let draws = 0
    Object.assign(appSurroundings, { clock, rng: () => 0.6 + 0.3 * ((draws++ * 0.37) % 1) })
    configuration.set(look)
    await browser.evaluate(`fetch('restart', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })`)
    await act(look.language)
    await sleep(SETTLE_MS)
    await browser.evaluate(STEADY_IDS)
    fs.writeFileSync(path.join(out, `${name}-${suffix}.png`), await browser.screenshot('#phone'))
  }
}
if (browser.errors.length > 0) throw new Error(browser.errors.join('\n'))
await browser.close()
server.close()
clearInterval(alive)
