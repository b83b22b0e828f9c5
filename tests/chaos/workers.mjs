// A thousand Worker threads, one after the other, that load the module, use it and leave. Run it through scripts/soak.sh.
import { parseArgs } from 'node:util'
import { held, lives } from '../node/node-only/fixtures/lives.mjs'
import lib from '../node/support/module.mjs'
import { Checks, figures, used } from './support.mjs'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000' } } })
const rounds = Number(values.rounds)
const TENTHS = 10

const checks = new Checks()
const ends = { byItself: 0, terminated: 0 }
const samples = []
let before
for (let tenth = 0; tenth < TENTHS; tenth++) {
  const { byItself, terminated } = await lives(rounds / TENTHS)
  ends.byItself += byItself
  ends.terminated += terminated
  samples.push(await used())
  // the engine's own pools are as large as they get
  if (tenth === 2) before = { ...held(), ...samples[2] }
}
const [after, last] = [held(), samples.at(-1)]
checks.check('each Worker ended as it was told to', ends.byItself + ends.terminated === rounds, `${ends.byItself} by themselves, ${ends.terminated} terminated`)
checks.check('no thread more than after the third tenth', after.threads <= before.threads, after.threads)
checks.check('no open file more', after.files <= before.files, after.files)
const places = lib.metrics().bulkheads.map(({ stats }) => stats.running + stats.queued)
checks.check('no place is left of a Worker', places.length > 0 && places.every((taken) => taken === 0), `${places.length} names`)
checks.check('memory is flat', last.heap - before.heap < 1 && last.rss - before.rss < 10, `MB resident/MB of heap/kB of handles: ${figures(samples)}`)
checks.finish()
