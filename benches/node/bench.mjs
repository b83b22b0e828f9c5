// chat() through Node-API beside the npm peers: speed, memory, load. Run it through scripts/bench.sh.
//   node bench.mjs [--quick] > node.json
// What it finds never makes it fail. Each process starts anew with its own compiled code and heap: figures are over several.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { service, succeeding, texts } from './cases.mjs'

const quick = process.argv.includes('--quick')
const [processes, rounds, loads] = quick ? [2, 3, 3] : [8, 20, 25]

const here = (file) => fileURLToPath(new URL(file, import.meta.url))

function run(file, ...args) {
  const child = spawnSync(process.execPath, ['--expose-gc', here(file), ...args], { encoding: 'utf8', maxBuffer: 1 << 28 })
  if (child.status !== 0) throw new Error(`${file} ${args.join(' ')} failed:\n${child.stderr}`)
  return JSON.parse(child.stdout)
}

const times = (count, measure) => Array.from({ length: count }, measure)

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)]
}

function speed() {
  const runs = times(processes, () => run('speed.mjs', JSON.stringify({ rounds })))
  return Object.entries(runs[0]).map(([row, contestants]) => ({
    row,
    who: Object.keys(contestants).map((who) => {
      const ns = runs.flatMap((one) => one[row][who])
      // the first of ours
      const ours = runs.flatMap((one) => one[row][Object.keys(contestants).find((name) => name.startsWith('ours'))])
      return {
        who,
        min: quantile(ns, 0),
        p25: quantile(ns, 0.25),
        median: quantile(ns, 0.5),
        // of the same rounds
        ratio: quantile(ns.map((value, round) => value / ours[round]), 0.5),
      }
    }),
  }))
}

function memory() {
  const names = Object.keys(succeeding(service(texts['20 B'])))
  return names.map((who) => {
    const runs = times(quick ? 1 : 5, () => run('memory.mjs', who))
    const middle = (field) => quantile(runs.map((one) => one[field]), 0.5)
    return { who, rss: middle('rss'), heap: middle('heap') }
  })
}

function load() {
  const specifiers = { ours: '../../tests/node/support/module.mjs', opossum: 'opossum', cockatiel: 'cockatiel', 'p-retry': 'p-retry' }
  return Object.entries(specifiers).map(([who, specifier]) => {
    const runs = times(loads, () => run('load.mjs', specifier))
    const ms = runs.map((one) => one.ms)
    return { who, min: quantile(ms, 0), median: quantile(ms, 0.5), threads: runs[0].threads }
  })
}

const versions = createRequire(import.meta.url)('./package.json').dependencies
console.log(JSON.stringify({ node: process.version, versions, speed: speed(), memory: memory(), load: load() }, null, 1))
process.exit(0)
