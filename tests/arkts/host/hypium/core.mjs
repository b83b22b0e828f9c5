// What a suite is made of, and the assertions.
import { isDeepStrictEqual } from 'node:util'

export class Suite {
  suites = []
  specs = []
  skipped = []
  hooks = { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] }
  named = { before: [], after: [] }
  isSkipped = false
  failure = undefined // of a hook
  constructor(name) {
    this.name = name
  }
}

export const root = new Suite('')
/** Where a declaration belongs while suites are declared, and what runs while they run. */
export const current = { suite: root, spec: undefined }

export class AssertException extends Error {
  name = 'AssertException'
}

/** A failed assertion marks its test as failed, and throws: who catches it does not make the test pass. */
export function fail(spec, suite, message) {
  const error = new AssertException(message)
  if (spec) spec.failure = error
  else suite.failure = error
  throw error
}

const show = (value) => {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null || value instanceof Error) return String(value)
  try {
    return JSON.stringify(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}
const result = (pass, message) => ({ pass, message })
const compared = (holds, words) => (actual, expected) => result(holds(actual, expected), `expect ${show(actual)} ${words} ${show(expected)}`)
const is = (holds, words) => (actual) => result(holds(actual), `expect ${show(actual)} ${words}`)

// A promise's state without waiting for it.
const PENDING = {}
const settled = async (promise) => {
  if (typeof promise?.then !== 'function') return { state: 'no promise' }
  return Promise.race([promise, Promise.resolve(PENDING)]).then(
    (value) => (value === PENDING ? { state: 'pending' } : { state: 'resolved', value }),
    (value) => ({ state: 'rejected', value }),
  )
}
const promise = (wanted, holds = () => true) => async (actual, ...expected) => {
  const { state, value } = await settled(actual)
  return result(state === wanted && holds(value, ...expected), `expect a promise that is ${wanted} ${expected.map(show).join(' ')}, it is ${state} ${show(value)}`)
}
const sameJson = (value, expected) => JSON.stringify(value) === JSON.stringify(expected)
function rejectedAs(error, type, message) {
  if (typeof type === 'string') return error?.message === type
  return error?.name === type?.name && (message === undefined || error.message === message)
}

function thrown(action) {
  if (typeof action !== 'function') throw new Error('actualValue is not a function')
  try {
    action()
  } catch (error) {
    return error
  }
}

export const assertions = {
  assertTrue: is((actual) => actual === true, 'is true'),
  assertFalse: is((actual) => actual === false, 'is false'),
  assertNull: is((actual) => actual === null, 'is null'),
  assertUndefined: is((actual) => actual === undefined, 'is undefined'),
  assertNaN: is((actual) => Number.isNaN(actual), 'is NaN'),
  assertPosUnlimited: is((actual) => actual === Infinity, 'is Infinity'),
  assertNegUnlimited: is((actual) => actual === -Infinity, 'is -Infinity'),
  assertFail: () => result(false, 'fail'),
  assertEqual: compared((actual, expected) => actual === expected, 'equals'),
  assertLarger: compared((actual, expected) => actual > expected, 'is larger than'),
  assertLess: compared((actual, expected) => actual < expected, 'is less than'),
  assertLargerOrEqual: compared((actual, expected) => actual >= expected, 'is larger than or equals'),
  assertLessOrEqual: compared((actual, expected) => actual <= expected, 'is less than or equals'),
  assertDeepEquals: compared(isDeepStrictEqual, 'deeply equals'),
  // a part of a string, or an element
  assertContain: compared((actual, expected) => actual?.includes?.(expected) === true, 'contains'),
  // relative to the actual value
  assertClose(actual, expected, precision) {
    const off = Math.abs(expected - actual)
    return result(actual === 0 ? off === 0 : off / Math.abs(actual) < precision, `expect ${actual} is within ${precision} of ${expected}`)
  },
  assertMatchObj: compared(
    (actual, expected) => Object.entries(expected).every(([key, value]) => isDeepStrictEqual(actual?.[key], value)),
    'has the fields of',
  ),
  assertThrowError(actual, expected) {
    const error = thrown(actual)
    if (error === undefined) return result(false, 'an error is expected, none was thrown')
    const matches = typeof expected === 'function' ? error instanceof expected : error instanceof Error && error.message === expected
    return result(matches, `expect it throws ${show(expected?.name ?? expected)}, it threw ${show(error)}`)
  },
  assertPromiseIsPending: promise('pending'),
  assertPromiseIsResolved: promise('resolved'),
  assertPromiseIsRejected: promise('rejected'),
  assertPromiseIsResolvedWith: promise('resolved', sameJson),
  assertPromiseIsRejectedWith: promise('rejected', sameJson),
  assertPromiseIsRejectedWithError: promise('rejected', rejectedAs),
}
