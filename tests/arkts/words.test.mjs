// The app's words: there is one for each class of errors, each reason to stop, each state, in both languages.
import assert from 'node:assert/strict'
import path from 'node:path'
import { before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import lib from '../node/support/module.mjs'
import { target } from './folders.mjs'
import { compileProject } from './host/compile.mjs'
import './host/globals.mjs'
import { configuration, resolve } from './host/arkui/resources.mjs'

const words = {}
before(async () => {
  const folder = compileProject(undefined, path.join(target, 'arkts-words'))
  for (const name of ['ErrorWords', 'StateWords', 'GatewayWords']) {
    const file = path.join(folder, `main/ets/components/words/${name}.mjs`)
    Object.assign(words, await import(pathToFileURL(file).href))
  }
})

const outcome = (code, more = {}) => ({ status: 'error', attempts: 1, stopReason: 'not_retryable', error: { code }, ...more })

/** Each value has a word of its own, in each language. */
function eachItsOwn(values, wordOf) {
  for (const language of ['zh_CN', 'en_US']) {
    configuration.set({ language })
    const seen = new Map()
    for (const value of values) {
      const word = resolve(wordOf(value))
      assert.ok(word, `${value} has no word in ${language}`)
      assert.ok(!seen.has(word), `${value} and ${seen.get(word)} share a word in ${language}: ${word}`)
      seen.set(word, value)
    }
  }
}

const classes = Object.values(lib.ErrorClass)

test('every class of errors has a label and says what happened', () => {
  eachItsOwn(classes, (code) => words.errorName(code))
  eachItsOwn(classes, (code) => words.whatHappened(outcome(code)))
})

test('every class of errors says what to do next, but for what was cancelled', () => {
  eachItsOwn(classes.filter((code) => code !== 'cancelled'), (code) => words.nextStep(outcome(code), true))
  assert.equal(words.nextStep(outcome('cancelled'), true), undefined)
})

test('what is known better than the class is said instead', () => {
  configuration.set({ language: 'en_US' })
  const next = (...args) => resolve(words.nextStep(...args))
  assert.match(next(outcome('rate_limit', { retryAfterMs: 90_500 }), true), /1 min 31 s/)
  assert.match(next(outcome('quota', { retryAfterMs: 600_000 }), true), /Top up/, 'waiting mends no empty account')
  assert.match(next(outcome('auth'), false), /Enter the key/)
  assert.match(next(outcome('timeout', { status: 'partial' }), true), /rest/)
  assert.equal(words.nextStep({ status: 'ok' }, true), undefined)
  const open = outcome(undefined, { attempts: 0, status: 'fallback', stopReason: 'circuit_open', cause: 'server' })
  assert.match(resolve(words.whatHappened(open)), /left alone/)
})

test('every reason to stop has words', () => {
  eachItsOwn(Object.values(lib.StopReason), (reason) => words.stopName(reason, true))
  assert.notEqual(resolve(words.stopName('circuit_open', false)), resolve(words.stopName('circuit_open', true)))
})

test('every status and state has a word', () => {
  eachItsOwn(Object.values(lib.OutcomeStatus), (status) => words.outcomeName(status))
  eachItsOwn([0, 1, 2], (state) => words.breakerName(state))
  const reasons = ['failures', 'window', 'opened_at_once', 'probe_failed', 'cooldown_over', 'probe_succeeded', 'manual']
  eachItsOwn(reasons, (reason) => words.changeReason({ reason }))
})
