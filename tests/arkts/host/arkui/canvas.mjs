// Canvas: what is drawn is kept as a list of calls, which the browser repeats.
import { whenMade } from './runtime.mjs'
import { touch } from './state.mjs'

const METHODS = [
  'beginPath', 'closePath', 'moveTo', 'lineTo', 'arc', 'rect', 'fill', 'stroke', 'fillRect', 'strokeRect', 'fillText',
  'strokeText', 'setLineDash', 'save', 'restore', 'translate', 'scale', 'rotate',
]
const PROPERTIES = {
  fillStyle: '#000000', strokeStyle: '#000000', lineWidth: 1, lineCap: 'butt', lineJoin: 'miter', globalAlpha: 1,
  font: 'normal normal 14px sans-serif', textAlign: 'start', textBaseline: 'alphabetic',
}
const MOST_CALLS = 100_000

class RenderingContextSettings {
  constructor(antialias = false) {
    this.antialias = antialias
  }
}

class CanvasRenderingContext2D {
  width = 0
  height = 0
  calls = []
  #values = { ...PROPERTIES }

  clearRect(x, y, width, height) {
    if (x <= 0 && y <= 0 && width >= this.width && height >= this.height) this.calls = [] // nothing is left of what was there
    this.record('clearRect', [x, y, width, height])
  }
  measureText(text) {
    const size = Number(/([\d.]+)(px|vp|fp)/.exec(this.#values.font)?.[1] ?? 14)
    // full-width characters are as wide as high, others about half
    const width = [...String(text)].reduce((sum, character) => sum + (character > '\u2e7f' ? 1 : 0.55) * size, 0)
    return { width, height: size }
  }
  reset() {
    Object.assign(this.#values, PROPERTIES)
    this.calls = []
    this.record('reset', [])
  }
  record(name, args) {
    if (this.calls.length >= MOST_CALLS) throw new Error(`a canvas with more than ${MOST_CALLS} calls: clear it`)
    this.calls.push([name, ...args])
    touch()
  }
  property(name) {
    return this.#values[name]
  }
  setProperty(name, value) {
    this.#values[name] = value
    this.record('=', [name, value])
  }
}
for (const name of METHODS) {
  CanvasRenderingContext2D.prototype[name] = function (...args) {
    this.record(name, args)
  }
}
for (const name of Object.keys(PROPERTIES)) {
  Object.defineProperty(CanvasRenderingContext2D.prototype, name, {
    get() {
      return this.property(name)
    },
    set(value) {
      this.setProperty(name, value)
    },
  })
}

/** The canvas has this size now: the page draws again. */
export function resize(node, width, height) {
  const context = node.args[0]
  if (!context || (context.width === width && context.height === height)) return
  Object.assign(context, { width, height })
  context.reset()
  node.attribute('onReady')?.()
}

const number = (value, otherwise) => (typeof value === 'number' ? value : /^[\d.]+(vp)?$/.test(value) ? parseFloat(value) : otherwise)

whenMade('Canvas', (node) => {
  // as on a narrow phone, until a browser tells
  queueMicrotask(() => resize(node, number(node.attribute('width'), 328), number(node.attribute('height'), 120)))
})

export const canvas = { CanvasRenderingContext2D, RenderingContextSettings }
