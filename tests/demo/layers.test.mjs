// The staircase of layers: each row adds up, and a claim fails when it should.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { climb, playLayers } from '../../demo/layers.mjs'
import { Timeline } from '../../demo/timeline.mjs'
import lib from '../node/support/module.mjs'
import { start } from './support.mjs'

const silent = () => new Timeline(() => {})

/** The rows, with something that keeps the process alive: the module's timers don't. */
async function rows(options) {
  const hold = setInterval(() => {}, 1000)
  try {
    return await climb(lib, { calls: 5, seed: 1, ...options })
  } finally {
    clearInterval(hold)
  }
}

describe('the layers', { concurrency: true }, () => {
  test('by scripts/demo.sh, in words: a row each, and a mark for each call', async () => {
    const { code, stdout } = await start('scripts/demo.sh', ['--scenario', 'layers', '--calls', '6', '--seed', '3']).done
    assert.equal(code, 0, stdout)
    for (const layer of ['L0', 'L1', 'L2', 'L3', 'L4', "L4'"]) {
      assert.match(stdout, new RegExp(`^${layer} +\\S.*( +\\d+){4} +\\d+\\.\\d\\d$`, 'm'))
      assert.match(stdout, new RegExp(`^${layer} +([✓≈✗]\\d+ ?){6}$`, 'm'))
    }
    assert.match(stdout.trimEnd().split('\n').at(-1), /^OK: all 9 claims hold/)
  })

  test('as JSON: outcomes, attempts and their classes add up', async () => {
    const { code, stdout } = await start('scripts/demo.sh', ['--scenario', 'layers', '--calls', '6', '--json']).done
    assert.equal(code, 0, stdout)
    const [{ rows, failureRate }] = JSON.parse(stdout).scenarios
    assert.equal(failureRate, 0.8)
    for (const { layer, each, byModel, byText, byNothing, callsMade } of rows) {
      assert.equal(byModel + byText + byNothing, 6, layer)
      assert.equal(each.reduce((sum, call) => sum + call.attempts.length, 0), callsMade, layer)
      for (const { by, attempts } of each) assert.equal(by === 'model', attempts.includes('ok'), layer)
    }
  })

  test('a service that never fails is asked once for each call', async () => {
    for (const row of await rows({ failureRate: 0 })) assert.deepEqual([row.byModel, row.callsMade], [5, 5], row.layer)
  })

  test('a service that always fails: an error up to L2, the text from L3 on; a breaker saves calls', async () => {
    const [bare, retries, breaker, cascade, agent, patient] = await rows({ failureRate: 1 })
    for (const row of [bare, retries, breaker]) assert.equal(row.byNothing, 5, row.layer)
    for (const row of [cascade, agent, patient]) assert.equal(row.byText, 5, row.layer)
    assert.deepEqual([bare.callsMade, retries.callsMade, cascade.callsMade], [5, 20, 15])
    assert.ok(breaker.callsMade < retries.callsMade && agent.callsMade < cascade.callsMade)
  })

  test('a service that miscounts is found out', async () => {
    class Miscounting {
      constructor(options) {
        this.flaky = new lib.FlakyLlmClient(options)
      }

      chat(request) {
        return this.flaky.chat(request)
      }

      get calls() {
        return this.flaky.calls + 1
      }
    }
    const options = { calls: 1, seed: 1, failureRate: 0 }
    const { ok, claims } = await playLayers({ ...lib, FlakyLlmClient: Miscounting }, silent(), options)
    assert.equal(ok, false)
    assert.ok(claims.filter((claim) => !claim.ok).length > 0)
  })
})
