// Processes of their own: how they end, what threads they have, what they log.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { platform } from '../support/module.mjs'
import { test, assert } from '../support/runner.mjs'

const slow = platform === 'arm64' ? 5 : 1
const file = fileURLToPath(new URL('./fixtures/process.mjs', import.meta.url))

/** Runs fixtures/process.mjs to its end. */
function run(task, { env, closeStderr, flags = [] } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.env.RESILIENCE_NODE || process.execPath, [...flags, file, task], { env: { ...process.env, RESILIENCE_LOG: '', ...env } })
    const out = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (out[name] += text))
    if (closeStderr) child.stderr.destroy()
    const killer = setTimeout(() => child.kill('SIGKILL'), 40000 * slow)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(killer)
      resolve({ code, signal, ...out })
    })
  })
}
const ending = ({ code, signal, stderr }) => [code, signal, stderr]

// How it ends

for (const task of ['pending', 'pending after a ring']) {
  test(`P1 napi-rs#1732 1220: a process ends by itself, calls ${task}`, async () => {
    const end = await run(task)
    // not killed: it has not waited for the hour that the calls would take
    assert.deepEqual(ending(end), [0, null, ''])
  })
}

test('P1 napi-rs#612 518: a process ends with calls in flight', async () => {
  assert.deepEqual(ending(await run('exit')), [3, null, ''])
})

test('a process ends from within a client, and from within a listener in the wake-up', async () => {
  assert.deepEqual(ending(await run('exit within a client')), [4, null, ''])
  assert.deepEqual(ending(await run('exit within a listener after a wait')), [5, null, ''])
})

test('an exception that nobody catches ends the process as ever, with calls in flight', async () => {
  const end = await run('throws')
  assert.deepEqual([end.code, end.signal], [1, null])
  assert.match(end.stderr, /uncaught, on purpose/)
})

test('no rejection is left unhandled', async () => {
  const end = await run('rejections')
  assert.deepEqual([end.stdout, end.code], ['unhandled 0\n', 0], end.stderr)
})

test('endless recursion through a client ends with an error, and nothing breaks', async () => {
  const end = await run('recursion')
  assert.deepEqual([end.stdout, end.code], ['client_bug,x\nmock reply\n', 0], end.stderr)
})

test('the end of the stack, in each constructor and in what else makes an object', async () => {
  const end = await run('end of the stack', { flags: ['--stack-size=200'] }) // kB: a fifth of the usual, to be there sooner
  assert.deepEqual([end.stdout, end.code, end.signal], ['INVALID_CONFIG,RangeError mock reply\n', 0, null], end.stderr)
})

test('setters that every object inherits change nothing of what is made here; a record that cannot be made is an error', async () => {
  const end = await run('setters for all')
  const context = 'attempt,requestId,timeoutMs,cancelToken'
  const expected = ['auth', 401, true, 'INVALID_CONFIG', 'failureThreshold', 'mock reply', `${context} 1 ${context} `, 'read-only here']
  assert.deepEqual([JSON.parse(end.stdout || '0'), end.code], [expected, 0], end.stderr)
})

test('a replaced Promise.prototype.then that calls back three times frees nothing twice', async () => {
  const end = await run('then replaced')
  assert.deepEqual([end.stdout, end.code, end.signal], ['first\n', 0, null], end.stderr)
})

test('a replaced Promise.prototype.then that calls back once more, later, gives no call the answer of another', async () => {
  const end = await run('then replaced, calling back later')
  assert.deepEqual([end.stdout, end.code, end.signal], ['first,second\n', 0, null], end.stderr)
})

test('a replaced Function.prototype.bind is not used', async () => {
  const end = await run('bind replaced')
  assert.deepEqual([end.stdout, end.code, end.signal], ['own,content_filter\n', 0, null], end.stderr)
})

// Threads

test('no thread before the first timer, and one for all of them', async () => {
  const end = await run('threads')
  assert.deepEqual([end.stdout, end.code], ['[0,1,1]\n', 0], end.stderr)
})

test('a system without a thread to spare: calls are answered, and time out at the next entry', async () => {
  const end = await run('no thread')
  assert.deepEqual([end.stdout, end.code], ['x,x,x,x,later,x,later,later\n', 0], end.stderr)
  assert.match(end.stderr, /^\[resilience\] warn no timer thread: [^\n]+\n$/)
})

// The log

const logged = async (level) => {
  const end = await run('log', { env: { RESILIENCE_LOG: level } })
  assert.deepEqual([end.stdout, end.code], ['done\n', 0], end.stderr)
  return end.stderr.split('\n').filter(Boolean)
}
const levels = (lines) => [...new Set(lines.map((line) => line.match(/^\[resilience\] (\w+) /)[1]))].sort()

test('the log: warnings unless told otherwise', async () => {
  for (const level of ['', 'warn', 'nonsense']) assert.deepEqual(levels(await logged(level)), ['warn'], level)
})

test('the log at info: changes of state', async () => {
  const lines = await logged('info')
  assert.deepEqual(levels(lines), ['info', 'warn'])
  assert.ok(lines.includes('[resilience] info breaker closed -> open (failures), failures 1, cooldown 1 ms'), lines.join('\n'))
  // whose breaker: its own name, or that of the service
  assert.ok(lines.includes('[resilience] info breaker "event_log" closed -> open (failures), failures 1, cooldown 1 ms'), lines.join('\n'))
  assert.ok(lines.includes('[resilience] info breaker "gpt" closed -> open (failures), failures 2, cooldown 20 ms'), lines.join('\n'))
})

test('the log: what kind of thing a function of the app threw, and none of its words', async () => {
  const lines = await logged('warn')
  const expected = ['onRetry failed: Error', 'a cancel listener failed: Error', 'onText failed: SyntaxError', 'the quality check is broken: threw RangeError', 'embed failed: threw TypeError']
  for (const line of expected) assert.ok(lines.includes('[resilience] warn ' + line), line + '\n' + lines.join('\n'))
})

test('the log at debug: retries; and never a prompt, an answer, an error of the service, a fallback or a key', async () => {
  const lines = await logged('debug')
  assert.deepEqual(levels(lines), ['debug', 'info', 'warn'])
  assert.ok(lines.some((line) => /debug attempt 1 failed \(overloaded\), next in 1 ms/.test(line)), lines.join('\n'))
  assert.ok(lines.includes('[resilience] debug attempt 1 of "gpt" failed (overloaded), next in 1 ms'), lines.join('\n'))
  assert.ok(lines.some((line) => /debug waiting \d+ ms for "qwen \\"\\n max" to come back$/.test(line)), lines.join('\n'))
  assert.deepEqual(lines.filter((line) => /SECRET|%|Bearer/.test(line)), [])
})

test('a closed stderr costs no call', async () => {
  const end = await run('log', { env: { RESILIENCE_LOG: 'debug' }, closeStderr: true })
  assert.deepEqual([end.stdout, end.code, end.signal], ['done\n', 0, null])
})
