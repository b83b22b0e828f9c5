// Times of calls, in one process of its own: speed.mjs '{"rounds":100}'. Prints, for each row, who took how many
// nanoseconds a call in each round.
//
// A round is one batch of each, in an order of its own: whatever else the machine does meanwhile meets all alike, so the
// ratio within a round holds even on a busy machine. A batch begins with nothing to collect and is long enough to collect
// its own garbage: nobody pays for another one's.
import { layered, rejected, service, succeeding, texts } from './cases.mjs'

const BATCH_NS = 40e6
const AT_ONCE = 1_000
const { rounds } = JSON.parse(process.argv[2])

async function inTurn(call, count) {
  for (let i = 0; i < count; i++) await call()
}

async function atOnce(call, count) {
  for (let i = 0; i < count; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, call))
}

async function nanoseconds(run, call, count) {
  globalThis.gc({ type: 'minor' })
  const began = process.hrtime.bigint()
  await run(call, count)
  return Number(process.hrtime.bigint() - began) / count
}

/** How many calls take about as long as a batch should. Making them warms up. */
async function batchSize(call, run) {
  const unit = run === atOnce ? AT_ONCE : 10
  let size = Math.max(unit, 100)
  for (let i = 0; i < 4; i++) size = Math.ceil(BATCH_NS / await nanoseconds(run, call, size) / unit) * unit
  return size
}

async function race(calls, run) {
  const contestants = []
  for (const [who, call] of Object.entries(calls)) {
    contestants.push({ who, call, count: await batchSize(call, run), times: [] })
  }
  for (let round = 0; round < rounds; round++) {
    for (const one of shuffled(contestants)) one.times.push(await nanoseconds(run, one.call, one.count))
  }
  return Object.fromEntries(contestants.map(({ who, times }) => [who, times]))
}

function shuffled(list) {
  const order = [...list]
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1))
    ;[order[i], order[j]] = [order[j], order[i]]
  }
  return order
}

/** Whoever takes part does its work: it comes to the right text. */
async function check(calls, text) {
  for (const [who, call] of Object.entries(calls)) {
    const result = await call()
    const got = typeof result === 'string' ? result : result.text
    if (got !== text) throw new Error(`${who} answered ${JSON.stringify(result)}`)
  }
  return calls
}

const rows = {}
const short = await check(succeeding(service(texts['20 B'])), texts['20 B'])
rows['success, 20 B, one after the other'] = await race(short, inTurn)
rows[`success, 20 B, ${AT_ONCE} at once`] = await race(short, atOnce)
for (const size of ['4 KB', '4 KB Chinese']) {
  rows[`success, ${size}, one after the other`] = await race(await check(succeeding(service(texts[size])), texts[size]), inTurn)
}
rows['breaker open, fallback text, one after the other'] = await race(await check(await rejected(), 'try later'), inTurn)
const layers = layered(service(texts['20 B']))
rows['all layers, 20 B, one after the other'] = await race(layers, inTurn)
rows[`all layers, 20 B, ${AT_ONCE} at once`] = await race(layers, atOnce)

console.log(JSON.stringify(rows))
process.exit(0) // opossum's timers would keep it
