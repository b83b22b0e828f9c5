// `@ohos/hypium` on Node: the functions that a suite imports. The semantics are those of Hypium 1.0.25, also where they
// surprise: a failed assertion stays failed when the test catches it, hooks are not inherited by an inner `describe`, and
// afterEach is not run after a test that failed. run.mjs runs what is declared here.
import { Suite, assertions, current, fail } from './core.mjs'

export const DEFAULT = 0
export const TestType = {
  FUNCTION: 1, PERFORMANCE: 1 << 1, POWER: 1 << 2, RELIABILITY: 1 << 3, SECURITY: 1 << 4, GLOBAL: 1 << 5,
  COMPATIBILITY: 1 << 6, USER: 1 << 7, STANDARD: 1 << 8, SAFETY: 1 << 9, RESILIENCE: 1 << 10,
}
export const Size = { SMALLTEST: 1 << 16, MEDIUMTEST: 1 << 17, LARGETEST: 1 << 18 }
export const Level = { LEVEL0: 1 << 24, LEVEL1: 1 << 25, LEVEL2: 1 << 26, LEVEL3: 1 << 27, LEVEL4: 1 << 28 }

export function describe(name, declare) {
  inner(new Suite(name), declare)
}

/** Its tests are not run. It may only hold tests that are declared with `xit`. */
export function xdescribe(name, declare) {
  const skipped = new Suite(name)
  skipped.isSkipped = true
  inner(skipped, declare)
}

function inner(suite, declare) {
  const outer = current.suite
  outer.suites.push(suite)
  current.suite = suite
  try {
    if (declare() instanceof Promise) throw new Error(`describe '${suite.name}' must not be async`)
  } finally {
    current.suite = outer
  }
}

export function it(name, filter, run, timeoutMs) {
  if (typeof run !== 'function') throw new TypeError(`it '${name}' has no function`)
  if (current.suite.isSkipped) throw new Error(`xdescribe ${current.suite.name} should not contain it`)
  current.suite.specs.push({ name, filter, run, timeoutMs })
}

/** Not run, and on a phone not even reported. */
export function xit(name) {
  current.suite.skipped.push(name)
}

const hook = (when) => (run) => void current.suite.hooks[when].push(run)
export const beforeAll = hook('beforeAll')
export const beforeEach = hook('beforeEach')
export const afterEach = hook('afterEach')
export const afterAll = hook('afterAll')
const named = (when) => (names, run) => void current.suite.named[when].push([[names].flat(), run])
export const beforeItSpecified = named('before')
export const afterItSpecified = named('after')

export function expect(actual) {
  const { spec, suite } = current // the assertion may be made later
  let negated = false
  const checks = {
    not() {
      negated = true
      return checks
    },
    message(text) {
      if (spec) spec.message = text
      return checks
    },
  }
  const judge = (name, { pass, message }) => {
    if (pass === negated) fail(spec, suite, negated ? `expect not ${name}: ${message}` : message)
  }
  for (const [name, check] of Object.entries(assertions)) {
    checks[name] = name.startsWith('assertPromise')
      ? async (...expected) => judge(name, await check(actual, ...expected))
      : (...expected) => judge(name, check(actual, ...expected))
  }
  return checks
}

export const Hypium = {
  /** `check(actual, expected)` gives `{ pass, message }`; its name becomes the name of the assertion. */
  registerAssert(check) {
    assertions[check.name] = check
  },
  unregisterAssert(check) {
    const name = typeof check === 'string' ? check : check.name
    assertions[name] = () => {
      throw new Error(`${name} is unregistered`)
    }
  },
}
