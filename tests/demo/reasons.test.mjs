// Why a call ended and what to do next: there are words for everything that the module may say.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { duration, nextStep, whyNoRetry } from '../../demo/reasons.mjs'
import lib from '../node/support/module.mjs'

const OPTIONS = { url: 'http://localhost/v1', model: 'm', key: undefined, retries: 2, timeoutMs: 60_000 }
const HOUR_MS = 3_600_000

/** The values of an exported enum, whose members are not enumerable. */
function valuesOf(enumeration) {
  const values = Object.getOwnPropertyNames(enumeration).map((name) => enumeration[name])
  assert.ok(values.length > 0)
  return values
}

function failed(fields) {
  return { status: 'fallback', stopReason: 'attempts', attempts: 1, trace: [{ probe: false }], error: {}, ...fields }
}

test('a duration is rounded up, to two units at most', () => {
  const cases = {
    0: '0 ms', 1: '1 ms', 999: '999 ms', 999.5: '1 s', 1000: '1 s', 1001: '2 s', 59_000: '59 s', 60_000: '1 min',
    90_500: '1 min 31 s', 600_000: '10 min', 3_599_001: '1 h', 3_600_000: '1 h', 3_601_000: '1 h 1 min',
    5_399_999: '1 h 30 min', 86_400_000: '1 d', 90_000_000: '1 d 1 h', 31_536_000_000: '365 d',
  }
  for (const [milliseconds, words] of Object.entries(cases)) assert.equal(duration(Number(milliseconds)), words)
})

describe('why no retry followed', () => {
  const longest = { code: lib.ErrorClass.ModelNotFound, retryAfterMs: 365 * 24 * HOUR_MS - 1 }
  for (const reason of valuesOf(lib.StopReason)) {
    test(`${reason} has words, which fit into the line`, () => {
      for (const breaker of ['CLOSED', 'OPEN', 'HALF_OPEN']) {
        for (const attempts of [0, 1, 101]) {
          const words = whyNoRetry(failed({ stopReason: reason, attempts, error: longest }), breaker)
          if (reason === 'success') return assert.equal(words, undefined)
          assert.ok(words.length > 10 && words.length <= 72, words)
          assert.doesNotMatch(words, /_|undefined|NaN/)
        }
      }
    })
  }

  for (const code of valuesOf(lib.ErrorClass)) {
    test(`${code}: why asking again would not help`, () => {
      const { retryable } = lib.classifyError({ class: code })
      if (code === 'cancelled') return // ends a call for a reason of its own
      const words = whyNoRetry(failed({ stopReason: 'not_retryable', error: { code } }), 'CLOSED')
      assert.match(words, /^asking again would not help: /)
      assert.ok(words.length <= 72, words)
      assert.equal(words.endsWith('the service says so'), retryable, words)
    })
  }

  test('a rejected call says that nothing was sent, and why', () => {
    const rejected = failed({ stopReason: 'circuit_open', attempts: 0, trace: [], error: undefined })
    assert.equal(whyNoRetry(rejected, 'OPEN'), 'rejected, nothing sent: the breaker is open')
    assert.equal(whyNoRetry(rejected, 'HALF_OPEN'), 'rejected, nothing sent: the probe is out')
    const asked = { ...rejected, stopReason: 'retry_after' }
    assert.equal(whyNoRetry(asked, 'CLOSED'), "rejected, nothing sent: the service's Retry-After has not passed")
  })

  test('a failed probe is told from a breaker that opens', () => {
    const call = (probe) => failed({ stopReason: 'circuit_open', trace: [{ probe }] })
    assert.equal(whyNoRetry(call(true), 'OPEN'), 'the probe failed, the breaker is open again')
    assert.equal(whyNoRetry(call(false), 'OPEN'), 'the breaker is open')
  })
})

describe('the next step', () => {
  for (const code of valuesOf(lib.ErrorClass)) {
    test(`of ${code}`, () => {
      const step = nextStep(failed({ error: { code } }), OPTIONS)
      if (code === 'cancelled' || code === 'client_bug') assert.equal(step, undefined)
      else assert.doesNotMatch(step, /undefined|NaN/)
    })
  }

  const rateLimit = (fields) => failed({ error: { code: 'rate_limit', ...fields } })
  const cases = [
    ['an answer needs none', { status: 'ok', stopReason: 'success' }, {}, undefined],
    ['no attempt, no error', failed({ stopReason: 'circuit_open', error: undefined }), {}, undefined],
    ['how long is known', rateLimit({ retryAfterMs: 30_000 }), {}, 'ask again in 30 s, or allow more retries: --retries 5'],
    ['how long is not known', rateLimit({}), {}, 'ask again in a minute, or allow more retries: --retries 5'],
    ['a breaker that is open', rateLimit({}), { opensInMs: 4100 }, 'ask again in 5 s, or allow more retries: --retries 5'],
    ['more retries are not to be had', rateLimit({}), { retries: 100 }, 'ask again in a minute'],
    ['as many as may be', rateLimit({}), { retries: 99 }, 'ask again in a minute, or allow more retries: --retries 100'],
    [
      'longer than any call waits',
      { ...rateLimit({ retryAfterMs: HOUR_MS }), stopReason: 'retry_after_too_long' },
      {},
      'ask again in 1 h, not earlier',
    ],
    [
      "the service's own timeout",
      failed({ error: { code: 'timeout', status: 408 } }),
      {},
      "try again later; the service's status page may say more",
    ],
  ]
  for (const [name, outcome, options, step] of cases) {
    test(name, () => assert.equal(nextStep(outcome, { ...OPTIONS, ...options }), step))
  }
})
