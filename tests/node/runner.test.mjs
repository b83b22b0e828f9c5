// The assertions of support/runner.mjs, on every engine: a suite that passes must mean the same everywhere.
import { test, assert, AssertionError } from './support/runner.mjs'

const fails = (fn, text) => assert.throws(fn, (e) => e instanceof AssertionError && e.message.includes(text), text)

test('assert.equal tells apart what === does not', () => {
  assert.equal(NaN, NaN)
  fails(() => assert.equal(0, -0), '0 is not -0')
  fails(() => assert.equal('1', 1, 'kind'), 'kind: "1" is not 1')
  fails(() => assert.notEqual(1, 1), 'must not be 1')
})

test('assert.deepEqual compares own fields, order of lists, kinds', () => {
  assert.deepEqual({ a: [1, { b: null }], c: new Date(5) }, { c: new Date(5), a: [1, { b: null }] })
  assert.deepEqual(new Map([['k', [1]]]), new Map([['k', [1]]]))
  const cycle = {}
  cycle.self = cycle
  const other = {}
  other.self = other
  assert.deepEqual(cycle, other)
  fails(() => assert.deepEqual({ a: 1 }, { a: 1, b: undefined }), '<undefined>')
  fails(() => assert.deepEqual([1, 2], [2, 1]), 'actual')
  fails(() => assert.deepEqual({ a: 1 }, { a: '1' }), 'expected')
  fails(() => assert.deepEqual([], {}), 'expected')
  fails(() => assert.deepEqual(new Error('a'), new Error('b')), 'Error: b')
})

test('assert.throws checks the kind, the text, the fields or a predicate', () => {
  const thrower = () => {
    throw Object.assign(new RangeError('too large'), { code: 'INVALID_CONFIG' })
  }
  assert.equal(assert.throws(thrower).message, 'too large')
  assert.throws(thrower, RangeError)
  assert.throws(thrower, /too large/)
  assert.throws(thrower, { code: 'INVALID_CONFIG', message: /large/ })
  assert.throws(thrower, (e) => e.code === 'INVALID_CONFIG')
  fails(() => assert.throws(thrower, TypeError), 'not the expected error')
  fails(() => assert.throws(thrower, /small/), 'does not match')
  fails(() => assert.throws(thrower, { code: 'OTHER' }), 'error.code is "INVALID_CONFIG", not "OTHER"')
  fails(() => assert.throws(() => {}), 'nothing was thrown')
})

test('assert.rejects does the same for promises', async () => {
  await assert.rejects(Promise.reject(new TypeError('no')), TypeError)
  await assert.rejects(async () => {
    throw 'text'
  }, /text/)
  await assert.rejects(assert.rejects(Promise.resolve(1)), /was not rejected/)
})

test('the others', () => {
  assert.ok('yes')
  assert.match('abc', /b/)
  assert.between(2, 1, 2)
  fails(() => assert.ok(0), '0 is not truthy')
  fails(() => assert.match(undefined, /b/), 'undefined does not match')
  fails(() => assert.between(NaN, 0, 1), 'NaN is not within')
  fails(() => assert.fail('here'), 'here')
})
