// Writes the figures that the READMEs give, in their language, between <!-- NAME: --> and <!-- :NAME -->:
//   readme.mjs benches/results/raw README.md README.zh-CN.md
import { readFileSync, writeFileSync } from 'node:fs'
import { measured, number } from './figures.mjs'

const [folder, ...readmes] = process.argv.slice(2)
const { core, node, layers, files } = measured(folder)

const only = (list, wanted) => list.find((one) => Object.entries(wanted).every(([field, value]) => one[field] === value))
  ?? (() => { throw new Error(`nothing was measured of ${JSON.stringify(wanted)}`) })()
const inRust = (row, who = 'ours') => only(core, { row, who }).p25
const inNode = (row, who) => only(only(node.speed, { row }).who, { who }).p25
const memory = (who) => only(node.memory, { who }).rss
const load = (who) => only(node.load, { who }).min

const ns = (value) => `${number(value)} ns`
const us = (value) => `${number(value / 1e3)} µs`
const kb = (value) => `${number(value / 1e3)} KB`
const ms = (value) => `${number(value)} ms`
const mb = (value) => `${(value / 1e6).toFixed(2)} MB`

const STACK = 'p-retry around opossum'
const peers = (measure) => ({
  opossum: measure('opossum, default options'), [STACK]: measure(STACK), cockatiel: measure('cockatiel: retry + breaker + timeout'),
})
const call = (row) => [inNode(row, 'ours: chat'), peers((who) => inNode(row, who))]
const open = 'breaker open, fallback text, one after the other'
const agent = 'all layers, 20 B, one after the other'
const closed = 'closed breaker, admit and record a success'
const window = 'closed breaker with a window, admit and record a success'
const place = 'bulkhead, a place taken and given back'
const waits = 'backoff with jitter, the three waits of a call'

/** What, in English and in Chinese; in which unit; this module; who is beside it. */
const FIGURES = [
  ['`chat()`, answered at once', '`chat()`，立即成功', us, ...call('success, 20 B, one after the other')],
  ['the same, 1000 of them together', '同上，1000 个同时', us, ...call('success, 20 B, 1000 at once')],
  ['breaker open: the fallback text', '熔断打开，给出兜底文案', us, inNode(open, 'ours: chat'),
    { opossum: inNode(open, 'opossum, default options'), cockatiel: inNode(open, 'cockatiel: fallback + breaker') }],
  ['`agent.invoke()`, all layers', '`agent.invoke()`，完整链', us, inNode(agent, 'ours: agent.invoke'),
    { [`bottleneck around ${STACK}`]: inNode(agent, `bottleneck around ${STACK}`) }],
  ['memory of a call in flight', '每个进行中的调用占用内存', kb, memory('ours: chat'), peers(memory)],
  ['import', 'import', ms, load('ours'), { opossum: load('opossum'), 'p-retry': load('p-retry'), cockatiel: load('cockatiel') }],
  ['`arm64-v8a/libresilience.so`', '`arm64-v8a/libresilience.so`', mb, files['arm64-v8a'], {}],
  ['Rust: a closed breaker, asked and told', 'Rust：闭合的熔断器，一次许可与成功', ns, inRust(closed),
    { recloser: inRust(closed, 'recloser'), failsafe: inRust(closed, 'failsafe') }],
  ['with a window of calls, all of them good', '带按次数的窗口，全部成功', ns, inRust(window, 'ours, the last 100 calls'),
    { recloser: inRust(window, 'recloser, the last 100 calls') }],
  ['with any other window, however long', '其他窗口，无论多长', ns, inRust(window), {}],
  ['the three waits of a call', '一次调用的三次退避', ns, inRust(waits), { backon: inRust(waits, 'backon') }],
  ['a place in a bulkhead', '舱壁的一个名额', ns, inRust(place),
    { governor: inRust(place, 'governor'), tokio: inRust(place, 'tokio Semaphore') }],
  ['a stored answer of 10 000', '一万条缓存中的一条', ns, inRust('stored answer of 10 000, found by its key'), {}],
  ['the text for Prometheus, 500 breakers', 'Prometheus 文本，500 个熔断器', us, inRust('text for Prometheus of 500 breakers'), {}],
]

function figures(chinese) {
  const beside = (unit, ours, others) => Object.entries(others)
    .map(([who, theirs]) => `${chinese ? who.replaceAll(' around ', ' 套 ') : who} ${unit(theirs)} (× ${number(theirs / ours)})`)
    .join(chinese ? '，' : ', ')
  return [
    chinese ? '| | 本模块 | 同类库 |' : '| | this module | beside it |',
    '|---|---:|---|',
    ...FIGURES.map(([english, inChinese, unit, ours, others]) =>
      `| ${chinese ? inChinese : english} | ${unit(ours)} | ${beside(unit, ours, others)} |`),
  ]
}

const STACKS = { article: 'article', ours: '`ResilientAgent`', "ours, accounting: 'call'": 'the same, `accounting: Accounting.Call`' }

function article() {
  const rows = layers.map(({ failureRate, stack, byModel, calls, ms }, i) => {
    const failing = layers[i - 1]?.failureRate === failureRate ? '' : `${failureRate * 100} %`
    return `| ${failing} | ${STACKS[stack]} | ${byModel[1]} | ${calls[1]} | ${(ms[1] / 1e3).toFixed(1)} s |`
  })
  return ['| failing | | answered by a model | calls made | until all have an answer |', '|---|---|---:|---:|---:|', ...rows]
}

for (const readme of readmes) {
  let text = readFileSync(readme, 'utf8')
  for (const [name, lines] of Object.entries({ figures: figures(readme.includes('zh-CN')), article: article() })) {
    text = text.replace(new RegExp(`(<!-- ${name}: -->\n)[^]*?(<!-- :${name} -->)`), (_, from, to) => `${from}${lines.join('\n')}\n${to}`)
  }
  writeFileSync(readme, text)
}
