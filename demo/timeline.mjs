// What the demo prints: one line an event, with the time since the start; in colour on a terminal.

const COLOURS = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 }
const STATE_COLOURS = { CLOSED: 'green', OPEN: 'red', HALF_OPEN: 'yellow' }
const COLUMNS = { time: 7, what: 9, code: 16, wait: 20, state: 9 }
const LONGEST_DETAIL = 72

/** Colour only on a terminal, and not when NO_COLOR (no-color.org) asks for none. */
export function wantsColour(stream, env) {
  return Boolean(stream.isTTY) && !env.NO_COLOR && env.TERM !== 'dumb'
}

/** A service's text on a terminal: line breaks stay; escape sequences and what turns the direction of writing do not. */
function harmless(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}

export class Timeline {
  #write
  #colour
  #started = performance.now()

  /** `write` takes one line. */
  constructor(write, colour = false) {
    this.#write = write
    this.#colour = colour
  }

  /** Milliseconds since it was made. */
  elapsedMs() {
    return performance.now() - this.#started
  }

  /** `text` in a colour, where there are colours. */
  paint(colour, text) {
    return this.#colour && colour ? `\x1b[${COLOURS[colour]}m${text}\x1b[0m` : text
  }

  /** Lines as they are. */
  text(lines = '') {
    this.#write(harmless(lines))
  }

  /** Begins a part. */
  title(text) {
    this.#write(`\n${this.paint('bold', text)}`)
  }

  /** The names of the columns. */
  header() {
    this.#write(this.paint('dim', columns('seconds', 'what', 'class', 'wait', 'breaker', 'detail')))
  }

  /** What happened, the class of its error, the wait that follows, the breaker after it, and details. */
  event(what, { code = '', wait = '', state = '', detail = '' }) {
    const seconds = (this.elapsedMs() / 1000).toFixed(3)
    const class_ = this.paint(code === 'ok' ? 'green' : 'yellow', code.padEnd(COLUMNS.code))
    const breaker = this.paint(STATE_COLOURS[state], state.padEnd(COLUMNS.state))
    this.#write(columns(seconds, what, class_, wait, breaker, oneLine(detail)))
  }

  /** A claim that was checked. */
  claim(text, holds) {
    this.#write(`  ${holds ? this.paint('green', '✓') : this.paint('red', '✗')} ${harmless(text)}`)
  }
}

function columns(time, what, code, wait, state, detail) {
  const start = [time.padStart(COLUMNS.time), what.padEnd(COLUMNS.what), code.padEnd(COLUMNS.code)]
  return [...start, wait.padEnd(COLUMNS.wait), state.padEnd(COLUMNS.state), detail].join('  ').trimEnd()
}

function oneLine(text) {
  const line = harmless(text).replace(/\s+/g, ' ').trim()
  return line.length > LONGEST_DETAIL ? line.slice(0, LONGEST_DETAIL - 1) + '…' : line
}
