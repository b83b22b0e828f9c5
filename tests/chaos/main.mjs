// The chaos run: 200 callers against a real service that fails by plan, and what must hold in the end.
// Run it through scripts/chaos.sh, which says how.
import { fork } from 'node:child_process'
import http from 'node:http'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import lib from '../node/support/module.mjs'
import { ATTEMPT_TIMEOUT_MS, CALLERS, COOLDOWN_MS, Callers, SLACK_MS, SPREAD } from './callers.mjs'
import { chance } from './chance.mjs'
import { Ledger } from './ledger.mjs'
import { Checks, figures, threads, used } from './support.mjs'

const { values } = parseArgs({ options: { short: { type: 'boolean' }, seed: { type: 'string', default: '1' } } })
const seed = Number(values.seed)
/** Phases in turn, with their share of the time. */
const ROUND = [['spikes', 1], ['calm', 0.5], ['limits', 1], ['bursts', 1], ['resets', 1], ['cuts', 1], ['mixed', 1], ['down', 1], ['calm', 1], ['gone', 1], ['calm', 1]]
const ROUNDS = values.short ? 1 : 5
const UNIT_MS = values.short ? 1100 : 2100
const WARM_UP_MS = values.short ? 1200 : 2000

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const checks = new Checks()
const MOST = { rss: 30, heap: 3, handles: 8 } // to be used more in the end: MB, MB, kB
const check = (...what) => checks.check(...what)

const child = fork(fileURLToPath(new URL('service.mjs', import.meta.url)), [String(seed)], { serialization: 'advanced' })
process.on('exit', () => child.kill('SIGKILL'))
const heard = () => new Promise((resolve) => child.once('message', resolve))
const { port } = await heard()
const agent = new http.Agent({ keepAlive: true, maxSockets: 2 * CALLERS })
const ledger = new Ledger()
const callers = new Callers(lib, { port, agent, ledger, draw: chance(seed + 1) })

console.log(`${CALLERS} callers, seed ${seed}, about ${Math.round((2 * WARM_UP_MS + ROUNDS * UNIT_MS * 10.5) / 1000)} s`)
/** Tells the service what to do; gives the moment from which it does. */
async function enter(phase) {
  child.send({ phase })
  return (await heard()).at
}

// With everything in it, and with all callers' calls under way at once: what is kept to be used again is there then, and all
// the rest must be gone in the end.
await enter('mixed')
callers.start()
await wait(WARM_UP_MS)
await enter('slow')
await wait(WARM_UP_MS)
await callers.stop()
const warm = await used()
const threadsBefore = threads()
const samples = [warm]
callers.start()
const outages = []
const recoveries = []
for (let round = 0; round < ROUNDS; round++) {
  for (const [phase, share] of ROUND) {
    const last = outages.at(-1)
    const at = await enter(phase)
    if (last && !last.ended) {
      last.ended = at
      recoveries.push(at)
    }
    const attempts = ledger.attempts
    await wait(UNIT_MS * share)
    if (phase === 'down' || phase === 'gone') outages.push({ phase, began: at })
    console.log(`${phase.padEnd(7)} ${ledger.attempts - attempts} attempts, ${callers.running} calls under way`)
  }
  samples.push(await used())
}
await callers.stop()
child.send({ report: ledger.attempts })
const seen = await heard()
const sockets = () => Object.keys(agent.sockets).length + Object.keys(agent.requests).length
await wait(100)

const counts = [...callers.counts]
const calls = counts.flatMap(([, count]) => Object.values(count)).reduce((sum, count) => sum + count, 0)
console.log()
for (const [kind, count] of counts) console.log(kind.padEnd(14), JSON.stringify(count))
console.log(`${calls} calls, ${ledger.attempts} attempts, of which the service saw ${seen.total}; ${callers.texts} pieces of text`)
console.log()

check('each call had exactly one outcome, and it agrees with what its client saw', ledger.violations.length === 0, ledger.violations.join('\n       ') || undefined)
check('no call and no attempt is under way', callers.running + ledger.inFlight === 0, `${callers.running}, ${ledger.inFlight}`)
check('no attempt reached the service twice', seen.twice === 0, seen.twice)
for (const outage of outages) {
  const [from, to] = [outage.began, outage.ended]
  // When the last of the breakers had opened.
  const allOpen = Math.max(...callers.guards.map((guard) => guard.changes.find(({ at, state }) => at >= from && state === 1)?.at ?? Infinity))
  let [sent, probes, arrived] = [0, 0, 0]
  for (let number = 1; number <= ledger.attempts; number++) {
    if (ledger.startedAt[number] <= allOpen || ledger.startedAt[number] >= to || ledger.sentBy[number] % 100 > 1) continue
    sent++
    probes += Number(ledger.isProbe(number))
    arrived += Number(seen.arrivals[number] > 0)
  }
  const most = 2 * (1 + (to - allOpen) / (COOLDOWN_MS * (1 - SPREAD)))
  const what = `${outage.phase}: with both breakers open nothing but probes was sent`
  check(what, sent > 0 && sent === probes && sent <= most && (outage.phase === 'gone' || arrived === sent), `${sent} sent, ${probes} probes, ${arrived} arrived`)
}
const longest = COOLDOWN_MS * (1 + SPREAD) + ATTEMPT_TIMEOUT_MS
for (const back of recoveries) {
  for (const guard of callers.guards) {
    const took = guard.closedAfter(back) - back
    check(`${guard.name} was back one cooldown and one attempt after the service`, took < longest + SLACK_MS / 2, `${Math.round(took)} ms`)
  }
}
const stats = callers.agent.getStats()
const places = [callers.bulkhead.stats(), ...Object.values(stats.bulkheadStats)]
check('no place of a bulkhead is taken', places.every((one) => one.running + one.queued + one.overrunning === 0))
check('no probe is under way', callers.allGuards.every((guard) => guard.probes === 0))
const permits = callers.breakers.map((breaker) => breaker.tryAcquire())
check('each breaker is closed and admits a call', callers.breakers.every((one, i) => one.state === 0 && permits[i]) && Object.values(stats.circuits).every((one) => one.state === 'closed'))
permits.forEach((permit) => permit?.release())
check('no thread more than after the warm-up', threads().length <= threadsBefore.length, threads().length)
const collected = async () => {
  await used()
  return ledger.refs.filter((ref) => ref.deref()).length
}
for (let i = 0; i < 10 && (await collected()) > 5; i++) await wait(50)
check('what calls were made of can be collected', (await collected()) <= 5, `${await collected()} of ${ledger.refs.length} left`)
agent.destroy()
await wait(50)
check('no socket is left', sockets() === 0, sockets())
const after = await used()
samples.push(after)
check('memory is flat', after.heap - warm.heap < MOST.heap && after.rss - warm.rss < MOST.rss, `MB resident/MB of heap/kB of handles: ${figures(samples)}; allowed from first to last: less than ${MOST.rss} and ${MOST.heap} more`)
check('no handle of JavaScript values is left', after.handles - warm.handles < MOST.handles, `${warm.handles.toFixed(0)} kB before, ${after.handles.toFixed(0)} kB after; less than ${MOST.handles} kB more allowed`)
checks.finish()
