// Plays scenarios and says whether every claim holds.
import { playLayers } from './layers.mjs'
import { failsTwiceThenSucceeds, keepsFailingUntilTheBreakerOpens } from './scenarios.mjs'
import { Timeline } from './timeline.mjs'

/** What --scenario names. Each is given the module, the timeline and the options. */
const SCENARIOS = {
  page: [failsTwiceThenSucceeds, keepsFailingUntilTheBreakerOpens],
  layers: [playLayers],
}

/** Gives the exit code: 0 when all claims hold, else 1. */
export async function play(lib, { json, scenario = 'page', layers }, output) {
  const timeline = new Timeline(json ? () => {} : output.line, output.colour)
  timeline.text(`libresilience ${lib.version()}, called through Node-API by Node ${process.versions.node}`)
  const scenarios = []
  for (const run of SCENARIOS[scenario]) scenarios.push(await run(lib, timeline, layers))
  const claims = scenarios.flatMap((scenario) => scenario.claims)
  const failed = claims.filter((claim) => !claim.ok)
  if (json) output.line(JSON.stringify({ version: lib.version(), ok: failed.length === 0, scenarios }, null, 2))
  timeline.text()
  if (failed.length > 0) {
    const which = failed.map(({ claim }) => claim).join('; ')
    const complain = json ? output.complaint : output.line
    complain(timeline.paint('red', `FAILED: ${failed.length} of ${claims.length} claims do not hold: ${which}`))
    return 1
  }
  const seconds = (timeline.elapsedMs() / 1000).toFixed(1)
  if (!json) output.line(timeline.paint('green', `OK: all ${claims.length} claims hold, after ${seconds} s`))
  return 0
}
