// Makes the table out of what was measured: report.mjs benches/results/raw > benches/results/latest.md.
import { measured, number } from './figures.mjs'

const { machine, core, node, layers, files } = measured(process.argv[2])

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  const right = rows[0].map((cell) => /^[\d. ]*( \(\d+ B\))?$/.test(cell))
  const named = rows.map(([name, ...cells], i) => [i > 0 && rows[i - 1][0] === name ? '' : name, ...cells])
  return [line(head), line(right.map((yes) => (yes ? '---:' : '---'))), ...named.map(line)].join('\n') + '\n'
}

function inRust() {
  const rows = core.map(({ row, who, min, p25, median, allocations, bytes }) => {
    const ours = core.find((one) => one.row === row && one.who === 'ours').p25
    return [row, who, ...[min, p25, median].map(number), who === 'ours' ? '' : number(p25 / ours), `${allocations} (${bytes} B)`]
  })
  return table(['row', 'who', 'min ns', 'p25 ns', 'median ns', 'times ours', 'allocations a call'], rows)
}

function inNode() {
  const speed = node.speed.flatMap(({ row, who }) => who.map((one) => [
    row, one.who, ...[one.min, one.p25, one.median].map((ns) => number(ns / 1e3)), one.ratio === 1 ? '' : number(one.ratio),
  ]))
  const memory = node.memory.map((one) => [one.who, number(one.heap), number(one.rss)])
  const load = node.load.map((one) => [one.who, number(one.min), number(one.median)])
  return `${table(['row', 'who', 'min µs', 'p25 µs', 'median µs', 'times ours'], speed)}
Memory of one call in flight, of 10 000 (text of 20 B):

${table(['who', 'JS heap, bytes', 'resident, bytes'], memory)}
Loading by \`import\`, in a new process:

${table(['who', 'min ms', 'median ms'], load)}
Threads beyond Node's own:

${table(['when', 'threads'], Object.entries(node.load[0].threads))}`
}

/** Article 004's run: what each stack makes of a service that fails by chance. */
function article() {
  const cells = ({ failureRate, stack, byModel, calls, ms }) => [
    `${failureRate * 100} % fail`,
    stack,
    ...[byModel, calls, ms].map(([low, middle, high]) => `${middle} (${low} – ${high})`),
  ]
  return `${layers[0].seeds} seeds, 20 calls at once each: the median, and between which values 80 % of the seeds are.

${table(['service', 'stack', 'answered by a model', 'calls made', 'ms until all have an answer'], layers.map(cells))}`
}

const peers = Object.entries(node.versions).map(([name, version]) => `${name} ${version}`).join(', ')
const sizes = Object.entries(files).map(([file, bytes]) => [`\`${file}\``, bytes.toLocaleString('en').replaceAll(',', ' ')])

process.stdout.write(`# Measured by scripts/bench.sh

${machine}
\`times ours\` above 1: slower than ours. The raw output is in \`raw/\`.

## Core, in Rust

Each row is the same work by this crate and by its peers, in one binary; \`benches/rows\` says how. \`times ours\` compares the
quarter points. With 8 threads: the time from start to end, divided by the calls of all threads.

${inRust()}
## Node-API, in Node ${node.node}

\`chat()\` with retry, breaker, timeout, fallback and trace on, beside ${peers}. \`times ours\` is the
median over rounds of the ratio within a round.

${inNode()}
## Article 004's run

\`benches/node/layers.mjs\`: the article's own stack (bottleneck, p-retry, opossum, cascade), and \`ResilientAgent\` with the
article's presets. Each asks a \`FlakyLlmClient\` of the same seeds. Every call has an outcome in all of them.

${article()}
## Files

${table(['stripped', 'bytes'], sizes)}`)
