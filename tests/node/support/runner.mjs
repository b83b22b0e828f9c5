// test() and assertions that run on Node and on an engine without Node's modules (Ark's command line).
// On Node the tests are handed to node:test; elsewhere they run here, one after the other. Either way the last line is
// "N passed, N failed": look for that line, an exit code of 0 alone proves nothing (Ark has none).

const node = typeof process === 'object' && process.versions && process.versions.node ? process : undefined
// no import: the other engine could not resolve it (getBuiltinModule: Node 20.16 and later)
const nodeTest = node && node.getBuiltinModule ? node.getBuiltinModule('node:test') : undefined
const timeout = Number((node && node.env.RESILIENCE_TEST_TIMEOUT_MS) || 60000)
// Ark's command line has print(); its console goes to the system log
const say = typeof globalThis.print === 'function' ? globalThis.print : (line) => console.log(line)

let registered = 0
let passed = 0
let skipped = 0
const queue = []

function closingLine() {
  const failed = registered - passed - skipped // what never settled has failed, too
  say(passed + ' passed, ' + failed + ' failed' + (skipped ? ', ' + skipped + ' skipped' : ''))
  return failed
}

/** Declares a test; `fn` may be async. All tests of a file run one after the other. */
export function test(name, fn) {
  registered++
  const run = async () => {
    // the module's timers keep no process alive, and node:test neither; not for longer than a test may take
    const alive = node && setTimeout(() => {}, timeout + 100)
    try {
      await fn()
      passed++
    } finally {
      if (alive) clearTimeout(alive)
    }
  }
  if (nodeTest) return void nodeTest.test(name, { timeout }, run)
  queue.push({ name, run })
  if (queue.length === 1) Promise.resolve().then(drain)
}

/** Declares a test that does not run on this engine; the reason is printed. */
test.skip = function (name, reason) {
  registered++
  skipped++
  say('skipped: ' + name + ' (' + reason + ')')
}

async function drain() {
  for (let i = 0; i < queue.length; i++) {
    const { name, run } = queue[i]
    try {
      await run()
      say('ok ' + name)
    } catch (error) {
      say('not ok ' + name + '\n  ' + ((error && error.stack) || error))
    }
  }
  queue.length = 0
  if (!node && closingLine() > 0) throw new Error('tests failed')
}

if (node) {
  node.on('exit', () => {
    if (closingLine() > 0) node.exitCode = 1
  })
}

// Assertions. The same code on every engine, so that a suite means the same everywhere.

export class AssertionError extends Error {}

function fail(message, what) {
  throw new AssertionError((message ? message + ': ' : '') + what)
}

function show(value) {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return value + 'n'
  if (value instanceof Error) return String(value)
  if (typeof value === 'function') return 'function ' + value.name
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value)
  try {
    return JSON.stringify(value, (key, v) => (typeof v === 'object' && v !== null ? v : key === '' ? v : shown(v)))
  } catch (error) {
    return Object.prototype.toString.call(value)
  }
}
// what JSON would drop or change
function shown(v) {
  const plain = typeof v === 'string' || typeof v === 'boolean' || v === null || (typeof v === 'number' && isFinite(v) && !Object.is(v, -0))
  return plain ? v : '<' + show(v) + '>'
}

function same(a, b, seen) {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (seen.some(([x, y]) => x === a && y === b)) return true // a cycle
  const deeper = seen.concat([[a, b]])
  if (a instanceof Date) return Object.is(a.getTime(), b.getTime())
  if (a instanceof Error && (a.name !== b.name || a.message !== b.message)) return false
  if (a instanceof Map || a instanceof Set) return same(Array.from(a), Array.from(b), deeper)
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.prototype.hasOwnProperty.call(b, key) && same(a[key], b[key], deeper))
}

function check(error, expected, message) {
  if (expected === undefined) return error
  if (expected instanceof RegExp) {
    if (!expected.test(String(error))) fail(message, show(error) + ' does not match ' + expected)
  } else if (typeof expected === 'function') {
    const isClass = expected === Error || expected.prototype instanceof Error
    if (isClass ? !(error instanceof expected) : expected(error) !== true) fail(message, 'not the expected error: ' + show(error))
  } else {
    for (const key of Object.keys(expected)) {
      const found = error === null || error === undefined ? undefined : error[key]
      const wanted = expected[key]
      const matches = wanted instanceof RegExp ? wanted.test(String(found)) : same(found, wanted, [])
      if (!matches) fail(message, 'error.' + key + ' is ' + show(found) + ', not ' + show(wanted) + ' (' + error + ')')
    }
  }
  return error
}

export const assert = {
  ok(value, message) {
    if (!value) fail(message, show(value) + ' is not truthy')
  },
  /** Object.is: NaN equals NaN, 0 and -0 differ. */
  equal(actual, expected, message) {
    if (!Object.is(actual, expected)) fail(message, show(actual) + ' is not ' + show(expected))
  },
  notEqual(actual, expected, message) {
    if (Object.is(actual, expected)) fail(message, 'must not be ' + show(expected))
  },
  /** Own enumerable properties and prototypes, strictly. */
  deepEqual(actual, expected, message) {
    if (!same(actual, expected, [])) fail(message, '\n  actual:   ' + show(actual) + '\n  expected: ' + show(expected))
  },
  match(text, pattern, message) {
    if (typeof text !== 'string' || !pattern.test(text)) fail(message, show(text) + ' does not match ' + pattern)
  },
  /** min <= value <= max */
  between(value, min, max, message) {
    if (!(value >= min && value <= max)) fail(message, show(value) + ' is not within ' + min + ' and ' + max)
  },
  /** `expected`: a class, a RegExp for the text, a predicate, or an object whose fields the error must have. Gives the error. */
  throws(fn, expected, message) {
    let error
    try {
      fn()
    } catch (e) {
      return check(e, expected, message)
    }
    return fail(message, 'nothing was thrown')
  },
  /** The same for a promise, or a function that gives one. */
  async rejects(promise, expected, message) {
    try {
      await (typeof promise === 'function' ? promise() : promise)
    } catch (e) {
      return check(e, expected, message)
    }
    return fail(message, 'the promise was not rejected')
  },
  fail(message) {
    fail(message, 'failed')
  },
}
