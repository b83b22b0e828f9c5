// Article 004's run: many calls at once to a service that fails by chance, through the article's own stack and through
// ours. Prints medians over many seeds: layers.mjs [--quick]
import Bottleneck from 'bottleneck'
import CircuitBreaker from 'opossum'
import pRetry from 'p-retry'
import lib from '../../tests/node/support/module.mjs'

const CALLS = 20
const RATES = [0.2, 0.5, 0.8]
const SEEDS = process.argv.includes('--quick') ? 3 : 30
const TIERS = ['premium', 'standard', 'economy']

/** A service of that seed that counts its calls. */
function flaky(failureRate, seed) {
  return new lib.FlakyLlmClient({ failureRate, seed, latencyMs: 50, latencySpreadMs: 50 })
}

/**
 * The stack that the article describes: a limiter for the tier, p-retry in it, one opossum around the whole cascade, and
 * a static text at the end. A failed model leads to the next cheaper one.
 */
function article(client) {
  const limiter = new Bottleneck({ maxConcurrent: 20, minTime: 50 })
  const cascade = async (prompt) => {
    for (const model of TIERS.slice(1)) {
      try {
        return { by: 'model', text: (await client.chat({ prompt, model })).text }
      } catch {
        // the next one
      }
    }
    return { by: 'text' }
  }
  const breaker = new CircuitBreaker(cascade, { timeout: 10_000, errorThresholdPercentage: 50, resetTimeout: 5_000, volumeThreshold: 3 })
  const retries = { retries: 2, minTimeout: 200, maxTimeout: 2_000 }
  return (prompt) => limiter.schedule(() => pRetry(() => breaker.fire(prompt), retries)).catch(() => ({ by: 'text' }))
}

/** The agent; its breakers count attempts by default, or with `accounting: 'call'` what retries could not mend. */
function agent(accounting) {
  return (client) => {
    const agent = new lib.ResilientAgent({ client, config: { baseMs: 200, maxMs: 2_000, accounting } })
    return async (prompt) => ({ by: (await agent.invoke(prompt)).source === 'model' ? 'model' : 'text' })
  }
}

const STACKS = { article, ours: agent(lib.Accounting.Attempt), "ours, accounting: 'call'": agent(lib.Accounting.Call) }

async function run(stack, failureRate, seed) {
  const client = flaky(failureRate, seed)
  const ask = STACKS[stack](client)
  const begin = performance.now()
  const ends = await Promise.all(Array.from({ length: CALLS }, (_, i) => ask(`写一句话，第 ${i + 1} 个问题`)))
  const byModel = ends.filter((end) => end.by === 'model').length
  return { outcomes: ends.length, byModel, calls: client.calls, ms: performance.now() - begin }
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)]
}

const hold = setInterval(() => {}, 1_000)
const rows = []
for (const failureRate of RATES) {
  for (const stack of Object.keys(STACKS)) {
    const runs = await Promise.all(Array.from({ length: SEEDS }, (_, seed) => run(stack, failureRate, seed)))
    const spread = (field) => [0.1, 0.5, 0.9].map((share) => Math.round(quantile(runs.map((one) => one[field]), share)))
    rows.push({ failureRate, stack, seeds: SEEDS, byModel: spread('byModel'), calls: spread('calls'), ms: spread('ms') })
  }
}
clearInterval(hold)
console.log(JSON.stringify(rows, null, 1))
