// Makes the table out of what was measured: report.mjs FOLDER > latest.md. FOLDER holds criterion/, allocations.tsv,
// node.json, layers.json, machine.txt and sizes.tsv, as scripts/bench.sh leaves them.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
const read = (file) => readFileSync(join(folder, file), 'utf8')
const json = (file) => JSON.parse(read(file))
const tsv = (file) => read(file).split('\n').filter(Boolean).map((line) => line.split('\t'))
const OURS = 'ours'

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)]
}

/** All that criterion measured: row, who, nanoseconds a call in each sample. In the order of allocations.tsv. */
function times() {
  const found = new Map()
  for (const file of readdirSync(join(folder, 'criterion'), { recursive: true })) {
    if (!file.endsWith(join('new', 'sample.json'))) continue
    const { iters, times } = json(join('criterion', file))
    const { group_id: row, function_id: who } = json(join('criterion', file, '..', 'benchmark.json'))
    if (!found.has(row)) found.set(row, new Map())
    found.get(row).set(who, times.map((time, i) => time / iters[i]))
  }
  return found
}

function number(value) {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(value >= 10 ? 3 : 2)
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  const right = rows[0].map((cell) => /^[\d. ]*( \(\d+ B\))?$/.test(cell))
  const named = rows.map(([name, ...cells], i) => [i > 0 && rows[i - 1][0] === name ? '' : name, ...cells])
  return [line(head), line(right.map((yes) => (yes ? '---:' : '---'))), ...named.map(line)].join('\n') + '\n'
}

function rust() {
  const allocations = new Map(tsv('allocations.tsv').map(([row, who, count, bytes]) => [`${row}\t${who}`, [count, bytes]]))
  const order = [...new Set(tsv('allocations.tsv').map(([row]) => row))]
  const found = times()
  const rows = []
  for (const single of order) {
    for (const row of [single, ...[...found.keys()].filter((name) => name.startsWith(`${single}, `) && !order.includes(name))]) {
      const ours = quantile(found.get(row).get(OURS), 0.25)
      for (const who of tsv('allocations.tsv').filter(([name]) => name === single).map(([, who]) => who)) {
        const ns = found.get(row).get(who)
        const [count, bytes] = allocations.get(`${single}\t${who}`)
        const ratio = who === OURS ? '' : number(quantile(ns, 0.25) / ours)
        const [min, p25, median] = [0, 0.25, 0.5].map((share) => number(quantile(ns, share)))
        rows.push([row, who, min, p25, median, ratio, `${Number(count)} (${Number(bytes)} B)`])
      }
    }
  }
  return table(['row', 'who', 'min ns', 'p25 ns', 'median ns', 'times ours', 'allocations a call'], rows)
}

function node(measured) {
  const speed = measured.speed.flatMap(({ row, who }) => who.map((one) => [
    row, one.who, ...[one.min, one.p25, one.median].map((ns) => number(ns / 1e3)), one.ratio === 1 ? '' : number(one.ratio),
  ]))
  const memory = measured.memory.map((one) => [one.who, number(one.heap), number(one.rss)])
  const load = measured.load.map((one) => [one.who, number(one.min), number(one.median)])
  const threads = Object.entries(measured.load[0].threads).map(([when, count]) => [when, count])
  return `${table(['row', 'who', 'min µs', 'p25 µs', 'median µs', 'times ours'], speed)}
Memory of one call in flight, of 10 000 (text of 20 B):

${table(['who', 'JS heap, bytes', 'resident, bytes'], memory)}
Loading by \`import\`, in a new process:

${table(['who', 'min ms', 'median ms'], load)}
Threads beyond Node's own:

${table(['when', 'threads'], threads)}`
}

/** Article 004's run: what each stack makes of a service that fails by chance. */
function layers(rows) {
  const cells = ({ failureRate, stack, byModel, calls, ms }) => [
    `${failureRate * 100} % fail`,
    stack,
    ...[byModel, calls, ms].map(([low, middle, high]) => `${middle} (${low} – ${high})`),
  ]
  return `${rows[0].seeds} seeds, 20 calls at once each: the median, and between which values 80 % of the seeds are.

${table(['service', 'stack', 'answered by a model', 'calls made', 'ms until all have an answer'], rows.map(cells))}`
}

const measured = json('node.json')
const peers = Object.entries(measured.versions).map(([name, version]) => `${name} ${version}`).join(', ')
const sizes = tsv('sizes.tsv').map(([file, bytes]) => [`\`${file}\``, Number(bytes).toLocaleString('en').replaceAll(',', ' ')])

process.stdout.write(`# Measured by scripts/bench.sh

${read('machine.txt')}
\`times ours\` above 1: slower than ours. The raw output is in \`raw/\`.

## Core, in Rust

Each row is the same work by this crate and by its peers, in one binary; \`benches/rows\` says how. \`times ours\` compares the
quarter points. With 8 threads: the time from start to end, divided by the calls of all threads.

${rust()}
## Node-API, in Node ${measured.node}

\`chat()\` with retry, breaker, timeout, fallback and trace on, beside ${peers}. \`times ours\` is the
median over rounds of the ratio within a round.

${node(measured)}
## Article 004's run

\`benches/node/layers.mjs\`: the article's own stack (bottleneck, p-retry, opossum, cascade), and \`ResilientAgent\` with the
article's presets. Each asks a \`FlakyLlmClient\` of the same seeds. Every call has an outcome in all of them.

${layers(json('layers.json'))}
## Files

${sizes.length > 0 ? table(['stripped', 'bytes'], sizes) : 'dist/ was not built.\n'}`)
