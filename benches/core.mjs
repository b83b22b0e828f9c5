// What criterion and the allocation counter measured, in one list: core.mjs FOLDER > core.json. FOLDER holds criterion/ and
// allocations.tsv, whose order is the list's.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
const json = (...path) => JSON.parse(readFileSync(join(folder, 'criterion', ...path), 'utf8'))

/** Row, who, nanoseconds a call in each sample, in rising order. */
function times() {
  const found = new Map()
  for (const file of readdirSync(join(folder, 'criterion'), { recursive: true })) {
    if (!file.endsWith(join('new', 'sample.json'))) continue
    const { iters, times } = json(file)
    const { group_id: row, function_id: who } = json(file, '..', 'benchmark.json')
    if (!found.has(row)) found.set(row, new Map())
    found.get(row).set(who, times.map((time, i) => time / iters[i]).sort((a, b) => a - b))
  }
  return found
}

const allocations = readFileSync(join(folder, 'allocations.tsv'), 'utf8').split('\n').filter(Boolean).map((line) => line.split('\t'))
const single = [...new Set(allocations.map(([row]) => row))]
const found = times()
const list = single.flatMap((row) =>
  // and the same with more threads
  [row, ...[...found.keys()].filter((name) => name.startsWith(`${row}, `) && !single.includes(name))].flatMap((name) =>
    allocations.filter(([counted]) => counted === row).map(([, who, count, bytes]) => {
      const ns = found.get(name).get(who)
      const [min, p25, median] = [0, 0.25, 0.5].map((share) => ns[Math.floor((ns.length - 1) * share)])
      return { row: name, who, min, p25, median, allocations: Number(count), bytes: Number(bytes) }
    })))
process.stdout.write(`${JSON.stringify(list, null, 1)}\n`)
