// The end comes while a call is in flight: at each point of a call, in each way. Every one is a process of its own, which must end
// as it was told to, say nothing of a fault of ours, and leave nothing running.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { platform } from '../support/module.mjs'
import { test, assert } from '../support/runner.mjs'
import { POINTS, WAYS } from './fixtures/teardown.mjs'

const slow = platform === 'arm64'
const limit = platform === 'host' || platform === 'x86_64' ? 25000 : 120000
const file = fileURLToPath(new URL('./fixtures/teardown.mjs', import.meta.url))

/** Runs fixtures/teardown.mjs to its end, or until `limit`. */
function run(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.env.RESILIENCE_NODE || process.execPath, [file, ...args])
    const out = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (out[name] += text))
    const killer = setTimeout(() => (out.stderr += 'it hangs\n', child.kill('SIGKILL')), limit)
    child.on('error', reject)
    // after `exit`, once whoever has inherited its stdout has closed it, too
    child.on('close', (code, signal) => {
      clearTimeout(killer)
      resolve({ code, signal, ...out, left: existsSync(`/proc/${child.pid}`) })
    })
  })
}

// A function of the app that is ended within has failed, for who called it.
const quiet = /^(\[resilience\] warn (?!internal error)[^\n]+ (failed|broken)[^\n]*\n)*$/
// code, signal, what stands on stderr
const ENDS = {
  'SIGKILL': [null, 'SIGKILL', /^$/],
  'SIGTERM': [null, 'SIGTERM', /^$/],
  'process.exit()': [3, null, /^$/],
  'an exception': [1, null, /^[^\n]+\n[^\n]+\n +\^\n\nError: uncaught, on purpose\n(    at [^\n]+\n)+\nNode\.js v[^\n]+\n$/],
  'terminate()': [0, null, quiet],
}

const [points, ways] = [POINTS, WAYS].map(Object.keys)

test('the table has each way to end', () => assert.deepEqual(ways, Object.keys(ENDS)))

for (const [index, point] of points.entries()) {
  // a process takes seconds there: each way once, each at another point
  const there = slow ? ways.filter((way, i) => index === i * 3) : ways
  if (there.length === 0) {
    test.skip(`the end comes ${point}`, 'under qemu at every third point only')
    continue
  }
  test(`the end comes ${point}: ${there.join(', ')}`, async () => {
    const ends = await Promise.all(there.map((way) => run(point, way)))
    for (const [i, { code, signal, stdout, stderr, left }] of ends.entries()) {
      const [wantedCode, wantedSignal, wantedText] = ENDS[there[i]]
      assert.deepEqual([code, signal, stdout, left], [wantedCode, wantedSignal, '', false], `${there[i]}: ${stderr}`)
      assert.match(stderr, wantedText, there[i])
    }
  })
}
