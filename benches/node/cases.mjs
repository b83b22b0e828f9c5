// Who does what: the same call, protected by this module and by its peers, each used as its documentation says.
import Bottleneck from 'bottleneck'
import CircuitBreaker from 'opossum'
import * as cockatiel from 'cockatiel'
import pRetry from 'p-retry'
import lib from '../../tests/node/support/module.mjs'

const request = { prompt: 'hello' }
const HOUR = 3_600_000
export const OURS = 'ours: chat'

export const texts = {
  '20 B': 'x'.repeat(20),
  '4 KB': 'x'.repeat(4096),
  '4 KB Chinese': '你好'.repeat(683), // in UTF-8
}

/** A service that answers by itself, or when `gate` says so. */
export function service(text, gate) {
  const answer = { text }
  return gate ? { chat: async () => (await gate, answer) } : { chat: async () => answer }
}

/** A call that succeeds at the first attempt. Each entry is a function that makes one call. */
export function succeeding(inner) {
  // retry, breaker, timeout, fallback and trace are on by default
  const ours = new lib.ResilientLlmClient(inner, {}, undefined, 'try later')
  const withContext = { chat: async (request, context) => inner.chat(request, context) }
  const oursWithContext = new lib.ResilientLlmClient(withContext, {}, undefined, 'try later')

  const call = (request) => inner.chat(request)
  const opossum = new CircuitBreaker(call)
  const opossumWithoutTimeout = new CircuitBreaker(call, { timeout: false })
  const policy = cockatiel.wrap(
    cockatiel.retry(cockatiel.handleAll, { maxAttempts: 2, backoff: new cockatiel.ExponentialBackoff() }),
    cockatiel.circuitBreaker(cockatiel.handleAll, { halfOpenAfter: 5_000, breaker: new cockatiel.ConsecutiveBreaker(3) }),
    cockatiel.timeout(60_000, cockatiel.TimeoutStrategy.Aggressive)
  )
  return {
    'bare await': () => inner.chat(request),
    [OURS]: () => ours.chat(request),
    'ours: execute, full record': () => ours.execute(request),
    'ours: chat, client takes context': () => oursWithContext.chat(request),
    'opossum, default options': () => opossum.fire(request),
    'opossum, timeout off': () => opossumWithoutTimeout.fire(request),
    'cockatiel: retry + breaker + timeout': () => policy.execute(() => inner.chat(request)),
    'p-retry around opossum': () => pRetry(() => opossum.fire(request), { retries: 2 }),
  }
}

/**
 * The same through article 004's layers. Both limiters let 10 000 run at once, without a pause between the starts. No two
 * prompts are equal: nothing is stored or shared.
 */
export function layered(inner) {
  let number = 0
  const prompt = () => 'prompt ' + number++
  const client = { chat: (request) => inner.chat(request) }
  const limits = { maxConcurrent: 10_000, maxQueue: 10_000, minTime: 0 }
  const agent = new lib.ResilientAgent({ client, bulkheads: { standard: limits }, qualityCheck: () => true })
  const stored = new lib.ResilientAgent({ client })

  const opossum = new CircuitBreaker((request) => inner.chat(request), { timeout: 10_000, errorThresholdPercentage: 50, volumeThreshold: 3 })
  const limiter = new Bottleneck({ maxConcurrent: 10_000 })
  return {
    'ours: agent.invoke': () => agent.invoke(prompt(), { noStore: true }),
    'ours: agent.invoke, stored answer': () => stored.invoke('你好'),
    'bottleneck around p-retry around opossum': () => limiter.schedule(() => pRetry(() => opossum.fire({ prompt: prompt() }), { retries: 2 })),
  }
}

/** A call while the breaker is open: the fallback text, and the service is not asked. */
export async function rejected() {
  const inner = { chat: async () => { throw new Error('503 Service Unavailable') } }
  const breaker = new lib.CircuitBreaker(1, HOUR)
  const ours = new lib.ResilientLlmClient(inner, { maxRetries: 0 }, breaker, 'try later')
  await ours.chat(request)

  const opossum = new CircuitBreaker(() => inner.chat(), { resetTimeout: HOUR })
  opossum.fallback(() => 'try later')
  await opossum.fire(request)

  const settings = { halfOpenAfter: HOUR, breaker: new cockatiel.ConsecutiveBreaker(1) }
  const policy = cockatiel.wrap(
    cockatiel.fallback(cockatiel.handleAll, 'try later'),
    cockatiel.circuitBreaker(cockatiel.handleAll, settings)
  )
  await policy.execute(() => inner.chat())

  inner.chat = async () => { throw new Error('the breaker is not open') }
  return {
    [OURS]: () => ours.chat(request),
    'opossum, default options': () => opossum.fire(request),
    'cockatiel: fallback + breaker': () => policy.execute(() => inner.chat()),
  }
}
