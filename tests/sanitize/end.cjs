// Preloaded into each process of scripts/sanitize.sh. One that is made to end (process.exit, an exception) frees nothing, as
// Node means it to: a mark beside its report says so, and report.mjs then looks at errors only.
const { isMainThread } = require('node:worker_threads')
const { writeFileSync } = require('node:fs')

if (isMainThread) {
  let byItself = false
  process.on('beforeExit', () => (byItself = true))
  process.on('exit', () => byItself || writeFileSync(`${process.env.RESILIENCE_REPORTS}/ended.${process.pid}`, ''))
}
