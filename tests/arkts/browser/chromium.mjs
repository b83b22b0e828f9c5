// A headless Chromium, spoken to over a pipe by the DevTools protocol: no package needed.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const PATIENCE_MS = Number(process.env.BROWSER_TIMEOUT_MS ?? 20_000)

/** CHROMIUM names the program (scripts/lib.sh: ensure_chromium). */
export async function openBrowser({ width = 760, height = 960, scale = 1 } = {}) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'chromium-'))
  const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--disable-partial-raster', '--disable-lcd-text', '--font-render-hinting=none', '--no-first-run', '--remote-debugging-pipe', `--user-data-dir=${profile}`]
  const program = spawn(process.env.CHROMIUM ?? 'chromium', [...flags, `--window-size=${width},${height}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => program.once('exit', resolve))
  const connection = new Connection(program.stdio[3], program.stdio[4])
  const { targetInfos } = await connection.send('Target.getTargets')
  const { sessionId } = await connection.send('Target.attachToTarget', {
    targetId: targetInfos.find(({ type }) => type === 'page').targetId, flatten: true,
  })
  const send = (method, params) => connection.send(method, params, sessionId)
  await send('Page.enable')
  await send('Runtime.enable')
  await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: false })
  return new Browser(send, connection, async () => {
    await connection.send('Browser.close').catch(() => {}) // killed, it would leave processes that still write into the folder
    await ended
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
}

class Browser {
  /** What went wrong in the page. */
  errors = []
  constructor(send, connection, close) {
    Object.assign(this, { send, close })
    connection.on('Runtime.exceptionThrown', ({ exceptionDetails }) => this.errors.push(exceptionDetails.exception?.description ?? exceptionDetails.text))
  }
  async goto(url) {
    await this.send('Page.navigate', { url })
    await this.until(`document.readyState !== 'loading' && location.href === ${JSON.stringify(url)}`)
  }
  /** The value of an expression, of a promise when it gives one. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }
  /** Waits until it is truthy, and gives it. */
  async until(expression) {
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      const value = await this.evaluate(expression).catch(() => undefined) // between two documents
      if (value) return value
      if (Date.now() > end) throw new Error(`it never came true: ${expression}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  /** A press of the mouse in the middle of the element whose text is that, as a user does it. */
  async click(text) {
    const { x, y } = await this.until(`(() => {
      const all = [...document.querySelectorAll('#app [data-click], #app [data-tab]')]
      const found = all.find((element) => element.textContent.trim() === ${JSON.stringify(text)})
      if (!found) return
      found.scrollIntoView({ block: 'nearest' })
      const { left, top, width, height } = found.getBoundingClientRect()
      return { x: left + width / 2, y: top + height / 2 }
    })()`)
    for (const type of ['mousePressed', 'mouseReleased']) await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 })
  }
  async type(text) {
    await this.send('Input.insertText', { text })
  }
  /** PNG of an element. */
  async screenshot(selector) {
    const clip = await this.evaluate(`(() => {
      const { x, y, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()
      return { x: x + scrollX, y: y + scrollY, width, height, scale: 1 }
    })()`)
    const { data } = await this.send('Page.captureScreenshot', { clip, captureBeyondViewport: true })
    return Buffer.from(data, 'base64')
  }
}

class Connection {
  #last = 0
  #waiting = new Map()
  #listeners = new Map()
  #rest = ''
  constructor(input, output) {
    this.input = input
    output.setEncoding('utf8').on('data', (chunk) => {
      const messages = (this.#rest + chunk).split('\0')
      this.#rest = messages.pop()
      messages.forEach((message) => this.#take(JSON.parse(message)))
    })
    output.on('close', () => this.#waiting.forEach(({ reject }) => reject(new Error('the browser has ended'))))
    input.on('error', () => {}) // the same, said by output
  }
  on(method, listener) {
    this.#listeners.set(method, listener)
  }
  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#last
    this.input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }
  #take({ id, method, params, result, error }) {
    if (!id) return this.#listeners.get(method)?.(params)
    const { resolve, reject } = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) reject(new Error(error.message))
    else resolve(result)
  }
}
