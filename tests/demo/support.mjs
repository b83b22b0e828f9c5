// Runs the demo as a user does: as a process of its own.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Starts a program; `done` gives `{ code, signal, stdout, stderr, elapsedMs }`. */
export function start(program, args, env = {}) {
  const begin = performance.now()
  const inherited = { ...process.env }
  for (const name of ['NODE_TEST_CONTEXT', 'RESILIENCE_LOG', 'FORCE_COLOR']) delete inherited[name]
  const stdio = ['ignore', 'pipe', 'pipe']
  const limits = { timeout: 120_000, killSignal: 'SIGKILL' } // a demo that hangs fails its test
  const child = spawn(program, args, { cwd: root, env: { ...inherited, ...env }, stdio, ...limits })
  const seen = { stdout: '', stderr: '' }
  for (const name of Object.keys(seen)) child[name].setEncoding('utf8').on('data', (text) => (seen[name] += text))
  const done = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ ...seen, code, signal, elapsedMs: performance.now() - begin }))
  })
  return { child, done }
}

/** Starts the demo without building it again. */
export function startDemo(args, env) {
  return start(process.execPath, ['demo/main.mjs', ...args], env)
}

/** Waits until `condition()` holds. */
export async function until(condition, milliseconds = 10_000) {
  const end = performance.now() + milliseconds
  while (!condition()) {
    if (performance.now() > end) throw new Error(`not within ${milliseconds} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
