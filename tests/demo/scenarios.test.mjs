// The two scenarios: they pass, and each of their claims fails when it should.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { failsTwiceThenSucceeds, keepsFailingUntilTheBreakerOpens } from '../../demo/scenarios.mjs'
import { Timeline, wantsColour } from '../../demo/timeline.mjs'
import lib from '../node/support/module.mjs'
import { start, startDemo } from './support.mjs'

describe('the run', { concurrency: 2 }, () => {
  test('in words: all claims hold, no colour in a file', async () => {
    const { code, stdout, stderr } = await startDemo([]).done
    assert.equal(code, 0, stdout + stderr)
    assert.equal(stderr, '')
    assert.doesNotMatch(stdout, /\u001b|✗/)
    assert.equal(stdout.match(/✓/g).length, 26)
    assert.match(stdout.trimEnd().split('\n').at(-1), /^OK: all 26 claims hold/)
    for (const shown of ['255 ms, backoff', '780 ms, backoff', 'CLOSED → OPEN', 'the probe', 'overloaded']) {
      assert.ok(stdout.includes(shown), shown)
    }
    assert.match(stdout, /up to 3 attempts \(maxRetries: 2\)/)
    assert.match(stdout, /up to 2 attempts \(maxRetries: 1\)/)
    const [endOfFirstCall] = stdout.match(/^.*no retry.*\n.*call 1 .*fallback/m)
    assert.match(endOfFirstCall, /attempt 2 of 2 was the last/)
    assert.equal(stdout.match(/call \d .*rejected, nothing sent: the breaker is open$/gm).length, 4)
    assert.equal(stdout.match(/call \d .*rejected, nothing sent: the probe is out$/gm).length, 2)
    assert.match(stdout, /no retry +the probe failed, the breaker is open again$/m)
  })

  test('as JSON, by scripts/demo.sh: the outcome records and nothing else', async () => {
    const { code, stdout, elapsedMs } = await start('scripts/demo.sh', ['--json']).done
    const { ok, scenarios } = JSON.parse(stdout)
    assert.equal(code, 0)
    assert.equal(ok, true)
    const [first, second] = scenarios
    const [outcome] = first.outcomes
    assert.deepEqual(outcome.trace.map((attempt) => attempt.code), ['overloaded', 'overloaded', undefined])
    assert.deepEqual(outcome.trace.map((attempt) => attempt.delayMs), [255, 780, undefined])
    outcome.trace.slice(1).forEach((attempt, i) => {
      const before = outcome.trace[i]
      assert.ok(attempt.startedAtMs - before.startedAtMs - before.durationMs >= before.delayMs)
    })
    assert.equal(second.outcomes.filter((call) => call.trace.some((attempt) => attempt.probe)).length, 2)
    assert.equal(second.outcomes.filter((call) => call.attempts === 0).length, 6)
    const waited = outcome.elapsedMs + 2 * 1500
    assert.ok(elapsedMs > waited, 'the waits are real')
  })
})

/** The module with some of its classes replaced. */
function replace(classes) {
  return { ...lib, ...classes }
}

/** A class whose instances are made by `make` from the arguments of the constructor. */
function madeBy(make) {
  return function (...args) {
    return make(...args)
  }
}

function withBreaker(threshold, cooldownMs, options) {
  return replace({
    CircuitBreaker: madeBy((t, c) => new lib.CircuitBreaker(threshold ?? t, cooldownMs ?? c, undefined, options)),
  })
}

function withClient(change) {
  return replace({
    ResilientLlmClient: madeBy((inner, config, breaker, fallback, onRetry) => {
      const changed = { config: {}, fallback, ...change() }
      return new lib.ResilientLlmClient(inner, { ...config, ...changed.config }, breaker, changed.fallback, onRetry)
    }),
  })
}

function withMock(make) {
  const mock = madeBy((failFirst, options) => make(failFirst, options))
  mock.alwaysFailing = (options) => make(Infinity, options)
  return replace({ MockLlmClient: mock })
}

function originalMock(failFirst, options) {
  return failFirst === Infinity ? lib.MockLlmClient.alwaysFailing(options) : new lib.MockLlmClient(failFirst, options)
}

/** A clock that runs ahead of the real one: waits look right in the trace, but nobody waits so long. */
function hurriedClock() {
  const clock = new lib.ManualClock()
  const pump = setInterval(() => clock.advanceAsync(150), 5)
  setTimeout(() => clearInterval(pump), 3000)
  return { config: { clock } }
}

/** Plays a scenario on a sabotaged module and gives the claims that fail. */
async function failing(scenario, sabotaged) {
  const hold = setInterval(() => {}, 60_000) // the module's own timers do not keep a process alive
  const { ok, claims } = await scenario(sabotaged, new Timeline(() => {})).finally(() => clearInterval(hold))
  const failed = claims.filter((claim) => !claim.ok).map((claim) => claim.claim)
  assert.equal(ok, failed.length === 0)
  return { failed, all: claims.map((claim) => claim.claim) }
}

/** Each case is noticed by the claims that it names, and no claim is left that nothing breaks. */
function sabotage(scenario, cases) {
  test(scenario.name, { concurrency: true }, async (t) => {
    const caught = new Set()
    const all = new Set()
    const notice = async (sabotaged, expected) => {
      const claims = await failing(scenario, sabotaged)
      claims.failed.forEach((claim) => caught.add(claim))
      claims.all.forEach((claim) => all.add(claim))
      for (const claim of expected) assert.ok(claims.failed.includes(claim), `holds: ${claim}; failed: ${claims.failed}`)
    }
    const one = ([what, sabotaged, ...expected]) => t.test(`${what}: is noticed`, () => notice(sabotaged, expected))
    await Promise.all(cases.map(one))
    assert.deepEqual([...all].filter((claim) => !caught.has(claim)), [], 'claims that no sabotage breaks')
  })
}

sabotage(failsTwiceThenSucceeds, [
  [
    'a service that never answers',
    withMock((_, options) => originalMock(Infinity, options)),
    'the user gets the normal answer',
    'usedFallback',
  ],
  ['a service that fails only once', withMock((_, options) => originalMock(1, options)), 'lastAttempts', 'mock.calls'],
  [
    'waits that do not grow',
    withClient(() => ({ config: { factor: 1, rng: () => 0.5 } })),
    'two waits, the second longer',
    'BackoffCalculator gives the same waits',
  ],
  ['waits that are not waited', withClient(hurriedClock), 'they were really waited, none ended early'],
  ['another class of error', withMock((n, options) => originalMock(n, { ...options, status: 500 })), 'class of both failures'],
  ['a breaker that opens too early', withBreaker(1), 'the breaker', 'lastAttempts'],
])

sabotage(keepsFailingUntilTheBreakerOpens, [
  ['a breaker that never opens', withBreaker(1000), 'the breaker'],
  ['a breaker that opens too early', withBreaker(2), 'mock.calls, one for each failure up to 3'],
  ['a service that does not fail', withMock((_, options) => originalMock(0, options)), 'usedFallback', 'the breaker'],
  [
    'a fallback text that says nothing',
    withClient(() => ({ fallback: 'Something went wrong.' })),
    'the fallback text says what to do next',
  ],
  [
    'no cooldown',
    withBreaker(undefined, 0),
    'mock.calls has not grown',
    'each got the fallback, without an attempt',
    'mock.calls after one more call',
  ],
  ['a cooldown that is too short', withBreaker(undefined, 700), 'it did not go out before the cooldown was over'],
  [
    'three probes at once',
    withBreaker(undefined, undefined, { halfOpenProbes: 3 }),
    'mock.calls: exactly one probe went out',
    'attempts marked as probe',
  ],
  [
    'a service that recovers too early',
    withMock((n, options) => originalMock(n === Infinity ? 3 : n, options)),
    'the breaker, after the failed probe',
    'all changes of state',
  ],
  [
    'a service that is never repaired',
    withMock((_, options) => originalMock(Infinity, options)),
    'the probe brings the normal answer',
    'chat() is answered again',
    'mock.calls of the repaired service',
  ],
])

describe('a claim that does not hold', { concurrency: 2 }, () => {
  const program = `
    import { play } from './demo/play.mjs'
    import lib from './tests/node/support/module.mjs'
    const hold = setInterval(() => {}, 60_000)
    class NeverOpens extends lib.CircuitBreaker {
      constructor() { super(1000) }
    }
    const output = { line: (text) => console.log(text), complaint: (text) => console.error(text), colour: false }
    const json = process.env.AS_JSON === '1'
    process.exitCode = await play({ ...lib, CircuitBreaker: NeverOpens }, { json }, output)
    clearInterval(hold)`
  const run = (json) => start(process.execPath, ['--input-type=module', '-e', program], { AS_JSON: json }).done

  test('shows a cross, a last line that names it, and exit code 1', async () => {
    const { code, stdout } = await run('0')
    assert.equal(code, 1)
    assert.match(stdout, /✗ the breaker: CLOSED, not OPEN/)
    assert.match(stdout.trimEnd().split('\n').at(-1), /^FAILED: \d+ of 26 claims do not hold: the breaker; /)
  })

  test('leaves JSON on stdout and the last line on stderr', async () => {
    const { code, stdout, stderr } = await run('1')
    assert.equal(code, 1)
    assert.equal(JSON.parse(stdout).ok, false)
    assert.match(stderr, /^FAILED: /)
  })
})

test('colour only on a terminal that wants it', () => {
  const terminal = { isTTY: true }
  assert.equal(wantsColour(terminal, {}), true)
  assert.equal(wantsColour(terminal, { NO_COLOR: '' }), true, 'no-color.org: when not empty')
  assert.equal(wantsColour(terminal, { NO_COLOR: '1' }), false)
  assert.equal(wantsColour(terminal, { TERM: 'dumb' }), false)
  assert.equal(wantsColour({}, {}), false)
  const lines = []
  const timeline = new Timeline((line) => lines.push(line), true)
  timeline.claim('it holds', true)
  timeline.event('call 1', { code: 'ok', state: 'CLOSED' })
  assert.ok(lines.every((line) => line.includes('\u001b[32m')))
})
