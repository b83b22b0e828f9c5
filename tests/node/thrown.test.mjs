// What is thrown arrives as it is, whatever hangs on it: nothing here puts it into words, which would run the app's code.
import lib, { platform } from './support/module.mjs'
import { test, assert } from './support/runner.mjs'
import { settle } from './support/help.mjs'

const { BackoffCalculator, Bulkhead, CancelToken, CircuitBreaker, ResilientLlmClient, createBreaker, withSimpleRetry } = lib

/** What `nextDelay` throws when its rng throws `value`. */
function through(value) {
  try {
    BackoffCalculator.nextDelay(1, 100, 2, () => { throw value })
  } catch (error) {
    return [error]
  }
  return []
}

/** Runs `work` while `object[name]` is what `property` says. */
function during(object, name, property, work) {
  const before = Object.getOwnPropertyDescriptor(object, name)
  Object.defineProperty(object, name, { configurable: true, ...property })
  try {
    return work()
  } finally {
    delete object[name]
    if (before) Object.defineProperty(object, name, before)
  }
}

test('an error of the app is the same error', () => {
  const own = new Error('its own cause')
  own.cause = own
  let chain = new Error('the last of 100 000')
  for (let i = 0; i < 100000; i++) chain = Object.assign(new Error('y'), { cause: chain })
  const withGetter = Object.defineProperty(new Error('x'), 'cause', { get() { throw new Error('cause') } })
  const withText = Object.assign(new Error('x'), { toString() { throw new Error('toString') } })
  for (const error of [new Error('x'), own, chain, withGetter, withText, Object.freeze(new TypeError('x'))]) {
    assert.ok(through(error)[0] === error)
  }
})

test('what is no error: the same, too', () => {
  const values = [null, undefined, 1, 'text', Symbol('s'), 10n, Object.create(null), { toString() { throw new Error('x') } }, Object.freeze({ a: 1 }), () => {}]
  for (const value of values) {
    const [error] = through(value)
    // Ark lets native code throw errors only
    assert.ok(platform === 'ark' ? error instanceof Error && Object.is(error.cause, value) : Object.is(error, value))
  }
})

test('what was woken before it was thrown goes on', async () => {
  const [cancelToken, error] = [new CancelToken(), new Error('x')]
  const call = new ResilientLlmClient({ chat: () => new Promise(() => {}) }).execute({}, { cancelToken })
  const rng = () => {
    cancelToken.cancel()
    throw error
  }
  assert.equal(assert.throws(() => BackoffCalculator.nextDelay(1, 100, 2, rng)), error)
  assert.equal((await call).status, 'cancelled')
})

const wrongs = {
  'a wrong argument of a constructor': () => new CircuitBreaker(-1),
  'a wrong argument of a function': () => BackoffCalculator.nextDelay(0, 1, 1, Math.random),
  'a wrong option': () => new ResilientLlmClient({ chat() {} }, { maxRetries: -1 }),
}
const changes = {
  'an Error.prototype.toString that throws': [Error.prototype, 'toString', { value() { throw this } }],
  'a cause for every error': [Error.prototype, 'cause', { get: () => new Error('c') }],
  'a cause that throws': [Error.prototype, 'cause', { get() { throw new Error('c') } }],
}
for (const [what, wrong] of Object.entries(wrongs)) {
  for (const [how, change] of Object.entries(changes)) {
    test(`${what}, with ${how}`, () => {
      const error = during(...change, () => { try { wrong() } catch (thrown) { return thrown } })
      assert.match(String(error && error.code), /^INVALID_(CONFIG|ARGUMENT)$/)
    })
  }
}

test('what a getter `then` of a result throws rejects, and is not thrown besides', async () => {
  const error = new Error('then')
  const broken = (sound) => ({ get then() { if (sound-- > 0) return () => {}; throw error } })
  const works = [() => broken(0), () => broken(1), async () => settle().then(() => broken(0)), () => ({ then: (resolve) => resolve(broken(0)) })]
  for (const work of works) {
    for (const call of [() => new Bulkhead({ name: 'x' }).schedule(work), () => createBreaker(work).fire(), () => withSimpleRetry(work, { retries: 0 })]) {
      const promise = call() // throws nothing
      await assert.rejects(promise, (rejected) => rejected === error)
    }
  }
})
