// The host's Hypium: what passes, what fails, and what it says about it.
import assert from 'node:assert'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { arkts, target } from './folders.mjs'
import { compileProject } from './host/compile.mjs'

const folder = compileProject(path.join(arkts, 'fixtures/hypium'), path.join(target, 'arkts-hypium'))
const run = spawnSync(process.execPath, [path.join(arkts, 'host/hypium/run.mjs'), folder], { encoding: 'utf8' })
const report = fs.readFileSync(path.join(folder, 'hypium-report.txt'), 'utf8')
const told = (sign) => run.stdout.split('\n').filter((line) => line.startsWith(sign)).map((line) => line.replace(sign, ''))

test('what passes and what does not', () => {
  assert.deepEqual(told('ok '), [
    'Passes / hooks run in their order',
    'Passes / a test without a parameter is awaited',
    'Passes / a test with a parameter calls it',
    'Passes / assertions',
    'Passes.Inner / hooks of the outer suite are not inherited',
    'Fails / passes, and afterEach did not run after those that threw',
  ])
  assert.deepEqual(told('not ok '), [
    'Fails / a wrong value',
    'Fails / a caught assertion stays failed',
    'Fails / an error',
    'Fails / a rejection',
    'Fails / never done',
    'Fails / never settled',
    'FailsBefore / not even begun',
  ])
  assert.deepEqual(told('skipped: '), ['Passes / is skipped', 'Skipped / is skipped, too'])
  assert.match(run.stdout, /^6 passed, 7 failed$/m)
  assert.equal(run.status, 1)
})

test('why', () => {
  for (const reason of [/what it means, .*expect 1 equals 2/, /thrown/, /rejected/, /execute timeout 20ms/, /in a hook, error in beforeAll function/]) {
    assert.match(run.stdout, reason)
  }
})

test('the report of a phone', () => {
  assert.match(report, /^OHOS_REPORT_RESULT: stream=Tests run: 13, Failure: 2, Error: 5, Pass: 6, Ignore: 0$/m)
  assert.match(report, /^OHOS_REPORT_CODE: -1$/m)
  const codes = [...report.matchAll(/^OHOS_REPORT_STATUS_CODE: (.*)$/gm)].map(([, code]) => code)
  assert.equal(codes.filter((code) => code === '1').length, 13)
  assert.deepEqual(codes.filter((code) => code !== '1').join(), '0,0,0,0,0,-2,-2,-1,-1,-1,-1,0,-1')
  assert.match(report, /^OHOS_REPORT_STATUS: class=Passes\.Inner$/m)
})
