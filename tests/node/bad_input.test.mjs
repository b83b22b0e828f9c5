// Bad input: every parameter of every export and every field of every options object, with every kind of wrong value.
// The API comes from index.d.ts (support/api.mjs); the rules below say what is allowed where. An export, a parameter or
// a field without a rule fails, and so does a rule without one.
import lib from './support/module.mjs'
import api from './support/api.mjs'
import { test, assert } from './support/runner.mjs'
import { Script, drive, httpError, setUp } from './support/help.mjs'

const YEAR = 365 * 24 * 3600 * 1000
const SAFE = Number.MAX_SAFE_INTEGER

// Rules. `accepts`: what is let through besides undefined for something optional; `sample`: a value that is.
const integer = (min, max) => ({ accepts: (v) => Number.isInteger(v) && min <= v && v <= max, sample: min })
const number = (min, max) => ({ accepts: (v) => typeof v === 'number' && min <= v && v <= max, sample: min })
const millis = (min) => number(min, YEAR)
const string = (bytes) => ({ accepts: (v) => typeof v === 'string' && utf8(v) <= bytes, sample: 'x' })
const boolean = { accepts: (v) => typeof v === 'boolean', sample: true }
const words = (of) => ({ accepts: (v) => Object.values(api.enums[of]).includes(v), sample: Object.values(api.enums[of])[0] })
const fn = (sample) => ({ accepts: (v) => typeof v === 'function', sample })
const instance = (name) => ({ accepts: (v) => v instanceof lib[name], sample: () => new lib[name]() })
const options = (of) => ({ accepts: (v) => typeof v === 'object' && v !== null && !Array.isArray(v), sample: {}, of })
// an object that must have fields; without them the error names the first one
const record = (first, sample, of) => ({ ...options(of), sample, incomplete: first })
const statuses = { accepts: (v) => Array.isArray(v) && v.every(integer(100, 999).accepts), sample: [429] }
const anything = { accepts: () => true, sample: {} }
const either = (...rules) => ({ accepts: (v) => rules.some((rule) => rule.accepts(v)), sample: rules[0].sample })
// what is allowed depends on another field, which is at its default here
const within = (rule, accepts) => ({ ...rule, accepts })
const client = { accepts: () => false, sample: () => new lib.MockLlmClient() }
const provider = (name) => ({ accepts: () => false, sample: () => ({ name, chat: async () => 'x' }) })

// words of prompts: each 1 to 100 bytes
const routerWords = { accepts: (v) => Array.isArray(v) && v.length === 0, sample: ['word'] }
const request = { accepts: (v) => (typeof v === 'string' && utf8(v) <= 1 << 22) || (typeof v === 'object' && v !== null && JSON.stringify(v) !== '{}'), sample: 'x', object: true }
const similarity = { dimensions: 2, embed: async () => [1, 0] }
const mocked = { client: new lib.MockLlmClient() }
const tiers = { premium: new lib.MockLlmClient(), standard: new lib.MockLlmClient(), economy: new lib.MockLlmClient() }
const asked = { prompt: '你好', ...mocked }
const bulkhead = { name: 'bad input' }
const isName = (v) => typeof v === 'string' && 1 <= [...v].length && [...v].length <= 100
/** Rules of the fields that one interface has from another. */
const sameFields = (of, base) => Object.fromEntries(Object.keys(api.interfaces[base]).map((name) => [`${of}.${name}`, { accepts: (v) => rules[`${base}.${name}`].accepts(v), get sample() { return rules[`${base}.${name}`].sample }, get of() { return rules[`${base}.${name}`].of } }]))
const policy = { baseMs: 200, factor: 2, maxMs: 5000, maxAttempts: 4 }
const trace = { url: 'x', attempts: 1, delays: [5], finalStatus: 200 }

// every UTF-16 unit that is no ASCII counts 3 here, as a lone surrogate does once it is replaced
const utf8 = (text) => Array.from(text).reduce((sum, c) => sum + (c.charCodeAt(0) < 0x80 ? 1 : 3), 0)

const rules = {
  'classifyError(error)': anything,
  'classifyError(provider)': string(200),
  'nextDelayMs(policy)': record('baseMs', policy, 'RetryPolicy'),
  'nextDelayMs(attempt)': integer(1, 2 ** 32 - 1),
  'requestWithRetry(request)': { accepts: (v) => typeof v === 'function', sample: async () => 200 },
  'requestWithRetry(policy)': record('baseMs', policy, 'RetryPolicy'),
  'requestWithRetry(options)': options('RetryOptions'),
  'cancellableSleep(ms)': { ...millis(0), waits: true },
  'cancellableSleep(token)': { ...instance('CancelToken'), waits: true },
  'cancellableSleep(options)': { ...options('SleepOptions'), waits: true },
  'networkChanged(online)': { ...boolean, after: () => lib.networkChanged(true) },
  'BackoffCalculator.nextDelay(attempt)': integer(1, 2 ** 32 - 1),
  'BackoffCalculator.nextDelay(base)': number(0, SAFE),
  'BackoffCalculator.nextDelay(factor)': number(1, 1000),
  'BackoffCalculator.nextDelay(rng)': { accepts: () => false, sample: () => () => 0.5, skip: 'a class' }, // those functions give no chance, and a class throws an error of its own
  'CancelToken.onCancel(listener)': fn(() => {}),
  'CancelToken.offCancel(id)': integer(0, 2 ** 32 - 1),
  'new CircuitBreaker(failureThreshold)': integer(1, 2 ** 32 - 1),
  'new CircuitBreaker(cooldownMs)': millis(0),
  'new CircuitBreaker(now)': fn(() => 0),
  'new CircuitBreaker(options)': options('BreakerOptions'),
  'CircuitBreaker.recordFailure(retryAfterMs)': millis(0),
  ...Object.fromEntries(['CircuitBreaker', 'ResilientLlmClient', 'ResilientLlmRunner', 'ResilientAgent'].flatMap((of) => [
    [`${of}.snapshot(nowUnixMs)`, integer(0, SAFE)],
    [`${of}.restore(snapshot)`, { accepts: () => false, sample: () => instances[of]().snapshot() }],
    [`${of}.restore(nowUnixMs)`, integer(0, SAFE)],
  ])),
  'CircuitBreaker.onStateChange(listener)': fn(() => {}),
  'CircuitBreaker.offStateChange(id)': integer(0, SAFE),
  'BreakerPermit.recordFailure(retryAfterMs)': millis(0),
  'BreakerPermit.recordFailure(tookMs)': millis(0),
  'BreakerPermit.recordSuccess(tookMs)': millis(0),
  'CircuitBreaker.recordFailure(tookMs)': millis(0),
  'CircuitBreaker.recordSuccess(tookMs)': millis(0),
  'BreakerOptions.window': options('WindowOptions'),
  'CircuitBreaker.named(name)': { accepts: isName, sample: 'bad input' },
  'CircuitBreaker.named(options)': options('NamedBreakerOptions'),
  'NamedBreakerOptions.failureThreshold': integer(1, 2 ** 32 - 1),
  'NamedBreakerOptions.cooldownMs': millis(0),
  ...sameFields('NamedBreakerOptions', 'BreakerOptions'),
  'new Bulkhead(config)': { ...record('name', bulkhead, 'BulkheadConfig'), skip: 'an Error' },
  'new Bulkhead(clock)': instance('ManualClock'),
  'createBulkhead(config)': { ...record('name', bulkhead, 'BulkheadConfig'), skip: 'an Error' },
  'createBulkhead(clock)': instance('ManualClock'),
  'Bulkhead.schedule(fn)': { accepts: (v) => typeof v === 'function', sample: async () => 'x' },
  'Bulkhead.schedule(options)': options('ScheduleOptions'),
  'Bulkhead.acquire(options)': options('AcquireOptions'),
  'new BulkheadManager(clock)': instance('ManualClock'),
  'createBulkheadManager(clock)': instance('ManualClock'),
  'BulkheadManager.getOrCreate(config)': { ...record('name', bulkhead, 'BulkheadConfig'), skip: 'an Error' },
  'BulkheadManager.get(name)': { accepts: isName, sample: 'bad input' },
  'BulkheadManager.getPreset(name)': { accepts: (v) => ['premium-model', 'standard-model', 'economy-model', 'free-tier'].includes(v), sample: 'free-tier' },
  'BulkheadConfig.name': { accepts: isName, sample: 'bad input' },
  'BulkheadConfig.maxConcurrent': integer(1, 100000),
  'BulkheadConfig.maxQueue': integer(0, 100000),
  'BulkheadConfig.maxWaitMs': millis(0),
  'BulkheadConfig.minTime': millis(0),
  'BulkheadConfig.reservoir': integer(0, 100000),
  'BulkheadConfig.reservoirRefreshAmount': integer(0, 100000),
  'BulkheadConfig.reservoirRefreshInterval': millis(1),
  'BulkheadConfig.overrunGraceMs': millis(0),
  'ScheduleOptions.maxWaitMs': millis(0),
  'ScheduleOptions.timeoutMs': millis(1),
  'ScheduleOptions.cancelToken': instance('CancelToken'),
  'AcquireOptions.maxWaitMs': millis(0),
  'AcquireOptions.cancelToken': instance('CancelToken'),
  'createBreaker(action)': { accepts: (v) => typeof v === 'function', sample: async () => 'x' },
  'createBreaker(options)': options('CreateBreakerOptions'),
  'CreateBreakerOptions.timeout': millis(1),
  'CreateBreakerOptions.errorThresholdPercentage': { accepts: (v) => typeof v === 'number' && v > 0 && v <= 100, sample: 50 },
  'CreateBreakerOptions.resetTimeout': millis(0),
  'CreateBreakerOptions.volumeThreshold': integer(1, 1e6),
  'CreateBreakerOptions.rollingCountTimeout': millis(1),
  'CreateBreakerOptions.rollingCountBuckets': integer(1, 1000),
  'CreateBreakerOptions.name': { accepts: isName, sample: 'bad input' },
  'CreateBreakerOptions.clock': instance('ManualClock'),
  'getBreakerState(breaker)': { accepts: () => false, sample: () => lib.createBreaker(async () => 'x') },
  'BreakerWithEvents.fire(args)': anything,
  'BreakerWithEvents.fallback(fallback)': { ...fn(() => 'x'), accepts: (v) => typeof v === 'function' },
  'BreakerWithEvents.on(event)': { accepts: () => false, sample: 'open' },
  'BreakerWithEvents.on(listener)': fn(() => {}),
  'BreakerWithEvents.off(event)': { accepts: () => false, sample: 'open' },
  'BreakerWithEvents.off(listener)': fn(() => {}),
  'withSimpleRetry(fn)': { accepts: (v) => typeof v === 'function', sample: async () => 'x' },
  'withSimpleRetry(options)': options('SimpleRetryOptions'),
  'SimpleRetryOptions.retries': integer(0, 100),
  'SimpleRetryOptions.minTimeout': millis(0),
  'SimpleRetryOptions.maxTimeout': millis(0),
  'SimpleRetryOptions.factor': number(1, 1000),
  'SimpleRetryOptions.randomize': boolean,
  'SimpleRetryOptions.attemptTimeoutMs': millis(1),
  'SimpleRetryOptions.shouldRetry': fn(() => true),
  'SimpleRetryOptions.onFailedAttempt': fn(() => {}),
  'SimpleRetryOptions.cancelToken': instance('CancelToken'),
  'SimpleRetryOptions.rng': fn(() => 0.5),
  'SimpleRetryOptions.clock': instance('ManualClock'),
  'bareLLMCall(fn)': { accepts: (v) => typeof v === 'function', sample: async () => 'x' },
  'bareLlmCall(fn)': { accepts: (v) => typeof v === 'function', sample: async () => 'x' },
  'demoBadScenario(client)': { accepts: (v) => typeof v === 'function', sample: () => new lib.MockLlmClient() },
  'demoBadScenario(concurrency)': integer(1, 1000),
  'demoBadScenario(clock)': instance('ManualClock'),
  'WindowOptions.calls': integer(1, 10000),
  'WindowOptions.lengthMs': millis(1),
  'WindowOptions.buckets': integer(1, 1000),
  'WindowOptions.minimumCalls': integer(1, 1e6),
  'WindowOptions.failureRate': { accepts: (v) => typeof v === 'number' && v > 0 && v <= 1, sample: 0.5 },
  'WindowOptions.failures': integer(1, 1e6),
  'WindowOptions.slowRate': { accepts: (v) => typeof v === 'number' && v > 0 && v <= 1, sample: 0.5 },
  'WindowOptions.slowCallMs': millis(0),
  'ManualClock.advance(ms)': millis(0),
  'ManualClock.advanceAsync(ms)': millis(0),
  'new MockLlmClient(failFirst)': integer(0, SAFE),
  'new MockLlmClient(options)': options('MockOptions'),
  'MockLlmClient.alwaysFailing(options)': options('MockOptions'),
  'MockLlmClient.chat(request)': anything,
  'new ResilientLlmClient(inner)': client,
  'new ResilientLlmClient(config)': options('ResilienceConfig'),
  'new ResilientLlmClient(breaker)': instance('CircuitBreaker'),
  'new ResilientLlmClient(fallback)': either(string(1 << 20), fn(() => 'text')),
  'new ResilientLlmClient(onRetry)': fn(() => {}),
  'ResilientLlmClient.chat(request)': anything,
  'ResilientLlmClient.execute(request)': anything,
  'ResilientLlmClient.execute(options)': options('CallOptions'),
  'ResilientLlmClient.chatStream(request)': anything,
  'ResilientLlmClient.chatStream(onText)': { ...fn(() => {}), accepts: (v) => typeof v === 'function' },
  'ResilientLlmClient.chatStream(options)': options('CallOptions'),
  'TextSink.push(text)': { accepts: (v) => typeof v === 'string', sample: 'x' },
  'new TraceLog(limit)': integer(1, 10000),
  'TraceLog.add(trace)': record('url', trace, 'RetryTrace'),
  'TraceLog.addOutcome(outcome)': record('status', { status: 'ok', elapsedMs: 1, trace: [] }),
  'TraceLog.addOutcome(url)': string(2048),
  'TraceLog.onChange(listener)': fn(() => {}),
  'TraceLog.offChange(id)': integer(0, SAFE),
  'new ResilientLlmRunner(primary)': provider('primary'),
  'new ResilientLlmRunner(fallbacks)': { accepts: (v) => Array.isArray(v) && v.length === 0, sample: [] },
  'new ResilientLlmRunner(config)': options('RunnerConfig'),
  'new ResilientLlmRunner(fallback)': either(string(1 << 20), fn(() => 'text')),
  'new ResilientLlmRunner(onRetry)': fn(() => {}),
  'ResilientLlmRunner.execute(prompt)': anything,
  'ResilientLlmRunner.execute(options)': options('CallOptions'),
  'ResilientLlmRunner.call(request)': anything,
  'ResilientLlmRunner.call(options)': options('CallOptions'),
  'ResilientLlmRunner.chatStream(request)': anything,
  'ResilientLlmRunner.chatStream(onText)': { ...fn(() => {}), accepts: (v) => typeof v === 'function' },
  'ResilientLlmRunner.chatStream(options)': options('CallOptions'),
  'getNextTier(current)': words('ModelTier'),
  'new ModelRouter(options)': options('RouterOptions'),
  'createModelRouter(options)': options('RouterOptions'),
  'ModelRouter.route(query)': string(1 << 20),
  'ModelRouter.getCached(key)': string(1 << 20),
  'ModelRouter.setCached(key)': string(1 << 20),
  'ModelRouter.setCached(value)': { accepts: (v) => typeof v === 'string', sample: 'x' },
  'RouterOptions.simpleWords': routerWords,
  'RouterOptions.complexWords': routerWords,
  'RouterOptions.wordMatch': { accepts: () => false, sample: 'whole' },
  'RouterOptions.shortQueryChars': integer(0, 10000),
  'RouterOptions.models': options('ModelNames'),
  'RouterOptions.costs': options('ModelCosts'),
  'RouterOptions.presetAnswers': { accepts: (v) => Array.isArray(v) && v.length === 0, sample: [] },
  'RouterOptions.normalization': { accepts: () => false, sample: 'exact' },
  'RouterOptions.keyChars': integer(1, 1e6),
  'RouterOptions.cache': options('CacheOptions'),
  'RouterOptions.clock': instance('ManualClock'),
  'CacheOptions.maxEntries': integer(0, 1e6),
  'CacheOptions.maxBytes': integer(0, 2 ** 30),
  'CacheOptions.ttlMs': millis(0),
  ...Object.fromEntries(['premium', 'standard', 'economy'].flatMap((tier) => [
    ['ModelNames.' + tier, { ...string(200), accepts: (v) => typeof v === 'string' && utf8(v) <= 200 && v !== '' }],
    ['ModelCosts.' + tier, number(0, 1000)],
    ['TierClients.' + tier, client],
  ])),
  'new FlakyLlmClient(options)': options('FlakyOptions'),
  'createFlakyLLMMock(options)': options('FlakyOptions'),
  'FlakyLlmClient.chat(request)': anything,
  'FlakyOptions.failureRate': number(0, 1),
  'FlakyOptions.latencyMs': millis(0),
  'FlakyOptions.latencySpreadMs': millis(0),
  'FlakyOptions.seed': integer(0, SAFE),
  'FlakyOptions.reply': string(1 << 20),
  'FlakyOptions.errors': { accepts: () => false, sample: [503] },
  'FlakyOptions.clock': instance('ManualClock'),
  'new AnswerCache(options)': options('AnswerCacheOptions'),
  'AnswerCacheOptions.maxEntries': integer(0, 1e6),
  'AnswerCacheOptions.maxBytes': integer(0, 2 ** 30),
  'AnswerCacheOptions.ttlMs': millis(0),
  'AnswerCacheOptions.similarity': record('similarity.dimensions', similarity, 'SimilarityOptions'),
  'AnswerCacheOptions.clock': instance('ManualClock'),
  'SimilarityOptions.embed': { accepts: (v) => typeof v === 'function', sample: similarity.embed },
  'SimilarityOptions.dimensions': integer(1, 8192),
  'SimilarityOptions.threshold': { accepts: (v) => typeof v === 'number' && v > 0 && v <= 1, sample: 0.9 },
  'SimilarityOptions.embedTimeoutMs': millis(1),
  'AnswerCache.getOrCall(request)': request,
  'AnswerCache.getOrCall(call)': { accepts: (v) => typeof v === 'function', sample: () => async () => 'x' },
  'AnswerCache.getOrCall(options)': options('CachedCallOptions'),
  'AnswerCache.get(request)': request,
  'AnswerCache.set(request)': request,
  'AnswerCache.set(answer)': { accepts: (v) => typeof v === 'string', sample: 'x' },
  'AnswerCache.remove(request)': request,
  'CachedCallOptions.question': string(1 << 20),
  'CachedCallOptions.scope': request,
  'CachedCallOptions.cancelToken': instance('CancelToken'),
  'CachedCallOptions.timeoutMs': millis(1),
  'new ResilientAgent(options)': record('client', mocked, 'AgentOptions'),
  'createResilientAgent(options)': record('client', mocked, 'AgentOptions'),
  'ResilientAgent.invoke(prompt)': string(1 << 20),
  'ResilientAgent.invoke(options)': options('InvokeOptions'),
  'ResilientAgent.chatStream(prompt)': string(1 << 20),
  'ResilientAgent.chatStream(onText)': { ...fn(() => {}), accepts: (v) => typeof v === 'function' },
  'ResilientAgent.chatStream(options)': options('InvokeOptions'),
  'cascadedModelCall(options)': record('prompt', asked, 'CascadedCallOptions'),
  'InvokeOptions.tier': words('ModelTier'),
  'InvokeOptions.data': anything,
  'InvokeOptions.noStore': boolean,
  'InvokeOptions.cancelToken': instance('CancelToken'),
  'InvokeOptions.deadlineMs': millis(1),
  'InvokeOptions.requestId': string(200),
  'CascadedCallOptions.prompt': string(1 << 20),
  'CascadedCallOptions.startingTier': words('ModelTier'),
  'CascadedCallOptions.data': anything,
  'CascadedCallOptions.cancelToken': instance('CancelToken'),
  'CascadedCallOptions.deadlineMs': millis(1),
  'CascadedCallOptions.requestId': string(200),
  'AgentOptions.breakerOptions': options('AgentBreakerOptions'),
  'AgentBreakerOptions.timeout': millis(1),
  'AgentBreakerOptions.errorThresholdPercentage': { accepts: (v) => typeof v === 'number' && v > 0 && v <= 100, sample: 50 },
  'AgentBreakerOptions.resetTimeout': millis(0),
  'AgentBreakerOptions.volumeThreshold': integer(1, 1e6),
  'AgentBreakerOptions.rollingCountTimeout': millis(1),
  'AgentBreakerOptions.rollingCountBuckets': integer(1, 1000),
  'AgentOptions.bulkheads': options('TierBulkheads'),
  ...Object.fromEntries(['premium', 'standard', 'economy'].map((tier) => ['TierBulkheads.' + tier, options('TierBulkhead')])),
  'TierBulkhead.maxConcurrent': integer(1, 1e5),
  'TierBulkhead.maxQueue': integer(0, 1e5),
  'TierBulkhead.maxWaitMs': millis(0),
  'TierBulkhead.minTime': millis(0),
  'TierBulkhead.reservoir': integer(0, 1e5),
  'TierBulkhead.reservoirRefreshAmount': integer(0, 1e5),
  'TierBulkhead.reservoirRefreshInterval': millis(1),
  'TierBulkhead.overrunGraceMs': millis(0),
  'AgentOptions.name': { accepts: (v) => typeof v === 'string' && v !== '' && v.length <= 80, sample: 'bad input' },
  'AgentOptions.enableDegradation': boolean,
  'AgentOptions.storeAnswers': boolean,
  'AgentOptions.onRetry': fn(() => {}),
  ...Object.fromEntries(['AgentOptions', 'CascadedCallOptions'].flatMap((of) => Object.entries({
    models: record('models.premium', tiers, 'TierClients'),
    client: { ...client, needed: true },
    mockMode: boolean,
    mockScenario: { accepts: () => false, sample: 'success' },
    router: instance('ModelRouter'),
    maxRetries: integer(0, 100),
    config: options('ResilienceConfig'),
    qualityCheck: fn(() => true),
    threshold: number(0, 1),
    belowThreshold: { accepts: () => false, sample: 'best' },
    maxModels: integer(1, 3),
    strongerAfterError: boolean,
    fallback: either(string(1 << 20), fn(() => 'text')),
  }).map(([name, rule]) => [of + '.' + name, rule]))),
  'BreakerOptions.cooldownFactor': number(1, 100),
  'BreakerOptions.maxCooldownMs': within(millis(5000), (v) => typeof v === 'number' && 5000 <= v && v <= YEAR),
  'BreakerOptions.cooldownSpread': number(0, 1),
  'BreakerOptions.cooldownResetMs': millis(0),
  'BreakerOptions.maxRetryAfterMs': millis(0),
  'BreakerOptions.halfOpenProbes': integer(1, 1000),
  'BreakerOptions.successThreshold': integer(1, 1000),
  'BreakerOptions.probeLeaseMs': millis(1),
  'MockOptions.reply': string(1 << 20),
  'MockOptions.latencyMs': millis(0),
  'MockOptions.status': integer(100, 999),
  'MockOptions.message': string(1 << 20),
  'MockOptions.retryAfterMs': millis(0),
  'MockOptions.clock': instance('ManualClock'),
  'ResilienceConfig.maxRetries': integer(0, 100),
  'ResilienceConfig.baseMs': millis(0),
  'ResilienceConfig.base': millis(0),
  'ResilienceConfig.factor': number(1, 1000),
  'ResilienceConfig.maxMs': within(millis(500), (v) => typeof v === 'number' && 500 <= v && v <= YEAR),
  'ResilienceConfig.jitter': words('Jitter'),
  'ResilienceConfig.jitterSpread': number(0, 1),
  'ResilienceConfig.jitterMs': within(millis(0), (v) => typeof v === 'number' && 0 <= v && v <= 30000),
  'ResilienceConfig.attemptTimeoutMs': millis(1),
  'ResilienceConfig.deadlineMs': millis(1),
  'ResilienceConfig.retryAfterMaxMs': millis(0),
  'ResilienceConfig.retryAfterSpread': number(0, 1),
  'ResilienceConfig.maxTotalAttempts': integer(1, 10000),
  'ResilienceConfig.retryUnsafe': boolean,
  'ResilienceConfig.quotaCooldownMs': millis(0),
  'ResilienceConfig.budget': options('RetryBudgetOptions'),
  'ResilienceConfig.locale': words('Locale'),
  'ResilienceConfig.provider': string(200),
  'ResilienceConfig.passContext': boolean,
  'ResilienceConfig.rng': fn(() => 0.5),
  'ResilienceConfig.clock': instance('ManualClock'),
  'ResilienceConfig.firstTextTimeoutMs': millis(1),
  'ResilienceConfig.idleTimeoutMs': millis(1),
  'ResilienceConfig.accounting': words('Accounting'),
  'RunnerConfig.maxRetries': integer(0, 100),
  'RunnerConfig.timeoutMs': millis(1),
  'RunnerConfig.circuitFailureThreshold': integer(1, 2 ** 32 - 1),
  'RunnerConfig.circuitResetWindowMs': millis(0),
  'RunnerConfig.breakerOfPrimaryOnly': boolean,
  'RunnerConfig.nextAfterContentFilter': boolean,
  'RunnerConfig.baseMs': millis(0),
  'RunnerConfig.factor': number(1, 1000),
  'RunnerConfig.maxMs': within(millis(1000), (v) => typeof v === 'number' && 1000 <= v && v <= YEAR),
  'RunnerConfig.jitter': words('Jitter'),
  'RunnerConfig.jitterSpread': number(0, 1),
  'RunnerConfig.jitterMs': within(millis(0), (v) => typeof v === 'number' && 0 <= v && v <= 30000),
  'RunnerConfig.deadlineMs': millis(1),
  'RunnerConfig.retryAfterMaxMs': millis(0),
  'RunnerConfig.retryAfterSpread': number(0, 1),
  'RunnerConfig.maxTotalAttempts': integer(1, 10000),
  'RunnerConfig.retryUnsafe': boolean,
  'RunnerConfig.quotaCooldownMs': millis(0),
  'RunnerConfig.firstTextTimeoutMs': millis(1),
  'RunnerConfig.idleTimeoutMs': millis(1),
  'RunnerConfig.accounting': words('Accounting'),
  'RunnerConfig.budget': options('RetryBudgetOptions'),
  'RunnerConfig.locale': words('Locale'),
  'RunnerConfig.rng': fn(() => 0.5),
  'RunnerConfig.clock': instance('ManualClock'),
  'RetryBudgetOptions.capacity': number(0, 10000),
  'RetryBudgetOptions.perCall': number(0, 100),
  'RetryBudgetOptions.perMinute': number(0, 10000),
  'CallOptions.cancelToken': instance('CancelToken'),
  'CallOptions.deadlineMs': millis(1),
  'CallOptions.requestId': string(200),
  'RetryPolicy.baseMs': millis(0),
  'RetryPolicy.factor': number(1, 1000),
  'RetryPolicy.maxMs': millis(0),
  'RetryPolicy.maxAttempts': integer(0, 100),
  'RetryPolicy.attemptTimeoutMs': millis(1),
  'RetryPolicy.deadlineMs': millis(1),
  'RetryPolicy.retryAfterMaxMs': millis(0),
  'RetryPolicy.retryAfterSpread': number(0, 1),
  'RetryPolicy.retryUnsafe': boolean,
  'RetryPolicy.retryStatuses': statuses,
  'RetryPolicy.finalStatuses': statuses,
  'RetryPolicy.rng': fn(() => 0.5),
  'RetryPolicy.clock': instance('ManualClock'),
  'RetryOptions.url': string(2048),
  'RetryOptions.cancelToken': instance('CancelToken'),
  'RetryOptions.deadlineMs': millis(1),
  'RetryOptions.requestId': string(200),
  'RetryOptions.log': instance('TraceLog'),
  'RetryOptions.passContext': boolean,
  'SleepOptions.clock': { ...instance('ManualClock'), waits: true },
  'RetryTrace.url': string(2048),
  'RetryTrace.attempts': integer(0, SAFE),
  'RetryTrace.delays': { accepts: (v) => Array.isArray(v) && v.every(millis(0).accepts), sample: [5] },
  'RetryTrace.finalStatus': integer(0, 999),
  // nobody but the panel looks at the rest
  ...Object.fromEntries(['outcome', 'stopReason', 'startedAtMs', 'durationMs', 'requestId', 'requests'].map((name) => ['RetryTrace.' + name, anything])),
}

// Fields that are judged only where another one is set.
const together = { 'ResilienceConfig.jitterMs': { jitter: 'additive' }, 'RunnerConfig.jitterMs': { jitter: 'additive' } }
// Fields that must be there whatever else is.
const required = { RetryPolicy: policy, RetryTrace: trace, SimilarityOptions: similarity, AgentOptions: mocked, CascadedCallOptions: asked, TierClients: tiers, BulkheadConfig: bulkhead }
const beside = (of, name) => Object.fromEntries(Object.entries({ ...required[of], ...together[`${of}.${name}`] }).filter(([other]) => other !== name))
// How an error names a field that is not called by its own name.
const named = {
  ...Object.fromEntries(['premium', 'standard', 'economy'].flatMap((tier) => [['ModelNames', 'models.'], ['ModelCosts', 'costs.'], ['TierClients', 'models.']].map(([of, place]) => [of + '.' + tier, place + tier]))),
  ...Object.fromEntries(['maxEntries', 'maxBytes', 'ttlMs'].map((name) => ['CacheOptions.' + name, 'cache.' + name])),
  ...Object.fromEntries(['dimensions', 'threshold', 'embed', 'embedTimeoutMs'].map((name) => ['SimilarityOptions.' + name, 'similarity.' + name])),
  'WindowOptions.calls': 'window.calls', 'WindowOptions.lengthMs': 'window.lengthMs', 'WindowOptions.buckets': 'window.buckets', 'WindowOptions.minimumCalls': 'window.minimumCalls', 'WindowOptions.failureRate': 'window.failureRate', 'WindowOptions.failures': 'window.failures', 'WindowOptions.slowRate': 'window.slowRate', 'WindowOptions.slowCallMs': 'window.slowCallMs',  'RetryBudgetOptions.capacity': 'budget.capacity', 'RetryBudgetOptions.perCall': 'budget.perCall', 'RetryBudgetOptions.perMinute': 'budget.perMinute' }
let permit // of a bulkhead: it takes a moment to get one
new lib.Bulkhead(bulkhead).acquire().then((got) => { permit = got })
const instances = {
  CancelToken: () => new lib.CancelToken(),
  CircuitBreaker: () => new lib.CircuitBreaker(),
  Bulkhead: () => new lib.Bulkhead(bulkhead),
  BulkheadManager: () => new lib.BulkheadManager(),
  BulkheadPermit: () => permit,
  BreakerWithEvents: () => lib.createBreaker(async () => 'x'),
  BreakerPermit: () => new lib.CircuitBreaker().tryAcquire(),
  ManualClock: () => new lib.ManualClock(),
  ModelRouter: () => new lib.ModelRouter(),
  FlakyLlmClient: () => new lib.FlakyLlmClient({ latencyMs: 0, latencySpreadMs: 0 }),
  AnswerCache: () => new lib.AnswerCache(),
  ResilientAgent: () => new lib.ResilientAgent(mocked),
  MockLlmClient: () => new lib.MockLlmClient(),
  ResilientLlmClient: () => new lib.ResilientLlmClient(new lib.MockLlmClient()),
  ResilientLlmRunner: () => new lib.ResilientLlmRunner({ name: 'primary', chat: async () => 'x' }),
  RetryHandle: () => lib.requestWithRetry(async () => 200, policy),
  TraceLog: () => new lib.TraceLog(),
  TextSink: () => {
    let sink
    new lib.ResilientLlmClient({ async chatStream(request, given) { sink = given } }).chatStream({}, () => {})
    return sink
  },
}

// The values

const huge = 'x'.repeat(1 << 21)
const values = [
  ['null', null], ['undefined', undefined], ['NaN', NaN], ['Infinity', Infinity], ['-Infinity', -Infinity], ['-1', -1], ['0', 0], ['-0', -0],
  ['0.5', 0.5], ['1', 1], ['2^31', 2 ** 31], ['2^32', 2 ** 32], ['2^53', 2 ** 53], ['2^53 + 2', 2 ** 53 + 2], ['1e300', 1e300], ['5e-324', 5e-324], ['-5e-324', -5e-324],
  ["'5'", '5'], ["''", ''], ['true', true], ['false', false], ['[]', []], ['[5]', [5]], ['{}', {}], ['a function', () => {}], ['a class', class {}],
  ['a huge string', huge], ['a lone surrogate', '\ud800'], ['a NUL', 'a\0b'], ['a bigint', 5n], ['a Date', new Date()], ['a boxed number', Object(5)], ['an object that becomes a number', { valueOf: () => 5, toString: () => '5' }],
  ['an Error', new Error('x')], ['a Promise', Promise.resolve(5)], ['a proxy', new Proxy({}, {})], ['an object without prototype', Object.create(null)],
  ['a breaker', new lib.CircuitBreaker()], ['a clock', new lib.ManualClock()], ['a token', new lib.CancelToken()], ['a log', new lib.TraceLog()],
  ['a clock under a false flag', Object.setPrototypeOf(new lib.ManualClock(), lib.CircuitBreaker.prototype)],
  ['a breaker under a false flag', Object.setPrototypeOf(new lib.CircuitBreaker(), lib.ManualClock.prototype)],
  ['a token under a false flag', Object.setPrototypeOf(new lib.CancelToken(), lib.ManualClock.prototype)],
  ['a clock that poses as a token', Object.setPrototypeOf(new lib.ManualClock(), lib.CancelToken.prototype)],
  ['an empty breaker', Object.create(lib.CircuitBreaker.prototype)],
  ['what inherits a clock', Object.create(new lib.ManualClock())],
]
const falseFlag = (name) => /flag|poses|empty|inherits/.test(name)

// The walk over the API

/** Every parameter: its key, its rule, and how to call with a value there. */
function* parameters() {
  const each = function* (key, { parameters: list, returns = '' }, call) {
    for (let i = 0; i < list.length; i++) {
      const withValue = (value, count = list.length) => {
        const all = list.map((parameter, at) => (at === i ? value : parameter.optional ? undefined : sampleOf(`${key}(${parameter.name})`)))
        return call(all.slice(0, count))
      }
      yield { key: `${key}(${list[i].name})`, name: list[i].name, optional: list[i].optional, promised: returns.startsWith('Promise'), call: withValue, missing: () => withValue(undefined, i) }
    }
  }
  for (const [name, signature] of Object.entries(api.functions)) yield* each(name, signature, (all) => lib[name](...all))
  for (const [name, description] of Object.entries(api.classes)) {
    yield* each('new ' + name, description, (all) => new lib[name](...all))
    for (const [method, signature] of Object.entries(description.statics)) yield* each(`${name}.${method}`, signature, (all) => lib[name][method](...all))
    for (const [method, signature] of Object.entries(description.methods)) yield* each(`${name}.${method}`, signature, (all) => instances[name]()[method](...all))
  }
}

/** Every field of every options object, called through each parameter or field that takes the object. */
function* fields(of, call, within) {
  for (const [name, { optional, type }] of Object.entries(api.interfaces[of])) {
    const key = `${of}.${name}`
    const withValue = (value) => call({ ...beside(of, name), [name]: value })
    const path = of === 'TierBulkhead' ? `bulkheads.${within}.` : ''
    yield { key, name: named[key] || path + name, optional, type, call: withValue, missing: () => call(beside(of, name)) }
    if (rules[key] && rules[key].of) yield* fields(rules[key].of, withValue, name)
  }
}

function sampleOf(key) {
  const { sample } = rules[key]
  return rules[key].accepts(undefined) || typeof sample !== 'function' || rules[key].accepts(sample) ? sample : sample()
}

// What makes something takes settings, not arguments.
const makes = /^(new |create\w+\(|cascadedModelCall\(|MockLlmClient\.alwaysFailing|CircuitBreaker\.named|BulkheadManager\.getOrCreate)/

const places = []
for (const parameter of parameters()) {
  places.push({ ...parameter, code: makes.test(parameter.key) ? 'INVALID_CONFIG' : 'INVALID_ARGUMENT' })
  const rule = rules[parameter.key]
  if (rule && rule.of) for (const field of fields(rule.of, parameter.call)) places.push({ ...field, code: places[places.length - 1].code, promised: parameter.promised, through: parameter.key })
}

test('every parameter and every field has a rule, and every rule one of them', () => {
  assert.deepEqual([...new Set(places.map((place) => place.key))].filter((key) => !rules[key]), [], 'without a rule')
  assert.deepEqual(Object.keys(rules).filter((key) => !places.some((place) => place.key === key)), [], 'rules for nothing')
})

test('the module exports what index.d.ts declares, and nothing else', () => {
  const declared = [api.functions, api.classes, api.enums, api.constants].flatMap(Object.keys)
  assert.deepEqual(Object.keys(lib).sort(), declared.sort())
  for (const [name, members] of Object.entries(api.enums)) {
    for (const [member, value] of Object.entries(members)) assert.equal(lib[name][member], value, name + '.' + member)
  }
  for (const [name, { methods, statics, getters }] of Object.entries(api.classes)) {
    const own = Object.getOwnPropertyNames(lib[name].prototype).filter((member) => member !== 'constructor')
    assert.deepEqual(own.sort(), [...Object.keys(methods), ...Object.keys(getters)].sort(), name)
    for (const method of Object.keys(statics)) assert.equal(typeof lib[name][method], 'function')
    assert.ok(instances[name] || Object.keys(methods).length + Object.keys(getters).length === 0, 'no instance of ' + name)
  }
})

/** Whatever comes out of a call that was let through is used a little: it must neither crash nor hang. */
async function use(result) {
  const got = result instanceof Promise ? await result.catch((error) => error) : result
  if (got instanceof lib.ResilientLlmClient) {
    got.lastAttempts
    await got.chat({})
  } else if (got instanceof lib.CircuitBreaker) {
    for (let i = 0; i < 5; i++) {
      got.allowRequest()
      got.recordFailure()
    }
    got.stats
  } else if (got instanceof lib.MockLlmClient) {
    got.chat({}).catch(() => {})
  }
}

for (const { key, name, optional, promised, call, missing, code, through } of places) {
  const rule = rules[key] || anything
  // who awaits a call expects all its errors there, those about its arguments too
  const refuses = async (run, what, field = name) => {
    const error = promised ? await assert.rejects(run(), Error, `${key} with ${what}`) : assert.throws(run, Error, `${key} with ${what}`)
    assert.deepEqual([error.code, error.field], [code, field], `${key} with ${what}: ${error}`)
    assert.match(error.message, new RegExp(`^${field.replace('.', '\\.')}: got .{1,90}, allowed: .{3,}`))
    return error.message
  }
  test(`${key}${through ? ` in ${through}` : ''}: each value is refused by name, or means what is documented`, async () => {
    const acceptsMissing = (optional && !rule.needed) || rule.accepts(undefined)
    // what is let through may take its time
    const work = (result) => (rule.waits ? undefined : use(result))
    if (acceptsMissing) await work(missing())
    else await refuses(missing, 'nothing')
    for (const [what, value] of values) {
      const accepted = value === undefined ? acceptsMissing : rule.accepts(value) && !(rule.accepts !== anything.accepts && falseFlag(what) && !rule.of && !rule.incomplete && !rule.object)
      if (rule.skip === what) continue
      if (accepted && rule.incomplete && value !== undefined) await refuses(() => call(value), what, rule.incomplete)
      else if (accepted) await work(call(value))
      else await refuses(() => call(value), what)
    }
    if (rule.after) rule.after()
  })
}

test('the message shows the value, and a long one only by its length', () => {
  const message = (fn) => assert.throws(fn, Error).message
  assert.equal(message(() => new lib.CircuitBreaker(0)), 'failureThreshold: got 0, allowed: a whole number from 1 to 4294967295')
  assert.equal(message(() => new lib.CircuitBreaker(NaN)), 'failureThreshold: got NaN, allowed: a whole number from 1 to 4294967295')
  assert.equal(message(() => new lib.CircuitBreaker('5')), "failureThreshold: got '5', allowed: a whole number from 1 to 4294967295")
  assert.equal(message(() => new lib.CircuitBreaker(huge)), 'failureThreshold: got a string of 2097152 bytes, allowed: a whole number from 1 to 4294967295')
  assert.match(message(() => new lib.CircuitBreaker(1e300)), /got 1e300,/)
  assert.match(message(() => new lib.CircuitBreaker(-5e-324)), /got -5e-324,/)
  assert.equal(message(() => lib.BackoffCalculator.nextDelay(1, Infinity, 2, () => 0)), 'base: got Infinity, allowed: a finite number from 0 to 9007199254740991')
  assert.equal(message(() => new lib.ResilientLlmClient(new lib.MockLlmClient(), { jitter: 'fully' })), "jitter: got 'fully', allowed: one of 'multiplicative', 'full', 'equal', 'additive', 'decorrelated', 'none'")
})

// Zero is zero: for each field that takes it, something that only zero does.

const failing = (config, step = httpError(503)) => setUp(new Script(step, step, { text: 'x' }), { threshold: 100, config })
/** How many slow calls the window of a breaker holds after `record`. */
function slowCalls(record) {
  const breaker = new lib.CircuitBreaker(3, 5000, undefined, { window: { slowRate: 1, slowCallMs: 1 } })
  record(breaker)
  return breaker.windowCounts.slow
}
const down = httpError(503)
/** The last of `calls` calls through a runner whose only service does one step a call. */
async function passing(config, steps, calls = 1) {
  const clock = new lib.ManualClock()
  let step = 0
  const chat = async () => {
    const next = steps[Math.min(step++, steps.length - 1)]
    if (next instanceof Error) throw next
    return next
  }
  const runner = new lib.ResilientLlmRunner({ name: 'a', chat }, [], { clock, rng: () => 0.5, ...config })
  let outcome
  for (let i = 0; i < calls; i++) {
    const call = runner.call('x')
    await clock.advanceAsync(100000)
    outcome = await call
  }
  return outcome
}
/** How an agent's call ends that asks `steps` of its one client, in virtual time. */
async function asking(agentOptions, steps) {
  const clock = new lib.ManualClock()
  const client = new Script(...steps)
  const agent = new lib.ResilientAgent({ client, config: { clock }, ...agentOptions })
  return { answer: await drive(clock, agent.invoke('x')), agent, client, clock }
}
/** The second of two calls at once, through a standard bulkhead with these limits. */
async function crowding(standard) {
  const clock = new lib.ManualClock()
  const agent = new lib.ResilientAgent({ client: new Script({ text: 'an answer' }), bulkheads: { standard }, config: { clock } })
  const calls = [agent.invoke('a'), agent.invoke('b')]
  return (await drive(clock, Promise.all(calls)))[1]
}
/** The same of one cascade. */
async function cascading(options, steps) {
  const clock = new lib.ManualClock()
  return drive(clock, lib.cascadedModelCall({ prompt: 'x', client: new Script(...steps), config: { clock }, ...options }))
}
const refusal = { text: '不知道' }
/** Whether a router with this cache keeps an answer. */
const keeps = (cache) => {
  const clock = new lib.ManualClock()
  const router = new lib.ModelRouter({ cache, clock })
  router.setCached('q', 'a')
  clock.advance(1)
  return router.getCached('q') === 'a'
}
const holds = (options) => {
  const clock = new lib.ManualClock()
  const cache = new lib.AnswerCache({ clock, ...options })
  cache.set('q', 'a')
  clock.advance(1)
  return cache.get('q') === 'a'
}
const cost = (costs, query) => new lib.ModelRouter({ costs }).route(query).estimatedCostPer1kTokens
/** A bulkhead with these limits on a clock, with one call that holds its place. */
function holding(limits) {
  const clock = new lib.ManualClock()
  const held = new lib.Bulkhead({ name: 'zero', maxConcurrent: 1, ...limits }, clock)
  held.schedule(() => new Promise(() => {}), { timeoutMs: 5 }).catch(() => {})
  return { clock, held, next: (options) => held.schedule(async () => 'ran', options).catch((error) => error.reason) }
}
/** How often a simple retry calls what always fails, and when it ends. */
async function trying(retryOptions) {
  const clock = new lib.ManualClock()
  let calls = 0
  await drive(clock, lib.withSimpleRetry(async () => { calls++; throw httpError(503) }, { clock, randomize: false, ...retryOptions }).catch(() => {}))
  return [calls, clock.now()]
}
/** A named breaker that has failed once. */
function namedAndFailed(namedOptions, retryAfterMs) {
  const breaker = lib.CircuitBreaker.named(`zero ${Math.random()}`, { failureThreshold: 1, cooldownMs: 0, ...namedOptions })
  breaker.recordFailure(retryAfterMs)
  return breaker
}
const zeros = {
  'AcquireOptions.maxWaitMs': async () => assert.equal(await holding().held.acquire({ maxWaitMs: 0 }).catch((error) => error.reason), 'wait_too_long'),
  'ScheduleOptions.maxWaitMs': async () => assert.equal(await holding().next({ maxWaitMs: 0 }), 'wait_too_long'),
  'BulkheadConfig.maxQueue': async () => assert.equal(await holding({ maxQueue: 0 }).next(), 'queue_full'),
  'BulkheadConfig.maxWaitMs': async () => assert.equal(await holding({ maxWaitMs: 0 }).next(), 'wait_too_long'),
  'BulkheadConfig.minTime': async () => {
    const free = new lib.Bulkhead({ name: 'zero', minTime: 0 }, new lib.ManualClock())
    assert.deepEqual(await Promise.all([1, 2].map(() => free.schedule(async () => 'ran'))), ['ran', 'ran'])
  },
  'BulkheadConfig.overrunGraceMs': async () => {
    const { clock, held, next } = holding({ overrunGraceMs: 0 })
    await clock.advanceAsync(5)
    assert.deepEqual([held.stats().overrunning, await next()], [0, 'ran'])
  },
  'BulkheadConfig.reservoir': async () => assert.equal(await new lib.Bulkhead({ name: 'zero', reservoir: 0 }).schedule(async () => 'ran').catch((error) => error.reason), 'wait_too_long'),
  'BulkheadConfig.reservoirRefreshAmount': async () => {
    const once = new lib.Bulkhead({ name: 'zero', reservoir: 1, reservoirRefreshAmount: 0, reservoirRefreshInterval: 1 }, new lib.ManualClock())
    assert.deepEqual([await once.schedule(async () => 'ran'), await once.schedule(async () => 'ran').catch((error) => error.retryAfterMs)], ['ran', undefined])
  },
  'CreateBreakerOptions.resetTimeout': async () => {
    const breaker = lib.createBreaker(async () => { throw httpError(503) }, { resetTimeout: 0, volumeThreshold: 1 })
    for (let i = 0; i < 2; i++) assert.equal((await breaker.fire().catch((error) => error)).status, 503)
  },
  'NamedBreakerOptions.cooldownMs': async () => assert.equal(namedAndFailed({ cooldownMs: 0 }).allowRequest(), true),
  'NamedBreakerOptions.cooldownResetMs': async () => assert.equal(namedAndFailed({ cooldownResetMs: 0 }).state, lib.BreakerState.OPEN),
  'NamedBreakerOptions.cooldownSpread': async () => assert.equal(namedAndFailed({ cooldownMs: 3600000, cooldownSpread: 0 }).retryAfterMs > 3590000, true),
  'NamedBreakerOptions.maxRetryAfterMs': async () => assert.equal(namedAndFailed({ maxRetryAfterMs: 0 }, 3600000).retryAfterMs, 0),
  'SimpleRetryOptions.retries': async () => assert.deepEqual(await trying({ retries: 0 }), [1, 0]),
  'SimpleRetryOptions.minTimeout': async () => assert.deepEqual(await trying({ minTimeout: 0 }), [4, 0]),
  'SimpleRetryOptions.maxTimeout': async () => assert.deepEqual(await trying({ maxTimeout: 0 }), [4, 0]),
  'AgentOptions.maxRetries': async () => assert.equal((await asking({ maxRetries: 0 }, [httpError(503)])).answer.attempts, 3),
  'AgentBreakerOptions.resetTimeout': async () => {
    const failing = { breakerOptions: { volumeThreshold: 1, resetTimeout: 0 }, maxRetries: 0 }
    const { agent, client, clock } = await asking(failing, [httpError(503)])
    await drive(clock, agent.invoke('y'))
    assert.equal(client.calls, 6, 'each opens and lets a probe through at once')
  },
  'TierBulkhead.maxQueue': async () => assert.equal((await crowding({ maxConcurrent: 1, maxQueue: 0 })).stopReason, 'bulkhead'),
  'TierBulkhead.maxWaitMs': async () => assert.equal((await crowding({ maxConcurrent: 1, maxWaitMs: 0 })).stopReason, 'bulkhead'),
  'TierBulkhead.minTime': async () => assert.equal((await crowding({ minTime: 0 })).latencyMs, 0),
  'TierBulkhead.reservoir': async () => assert.equal((await crowding({ reservoir: 0 })).stopReason, 'bulkhead'),
  'TierBulkhead.reservoirRefreshAmount': async () => assert.equal((await crowding({ reservoir: 1, reservoirRefreshAmount: 0, reservoirRefreshInterval: 1 })).stopReason, 'bulkhead'),
  'TierBulkhead.overrunGraceMs': async () => {
    const { agent, clock } = await asking({ bulkheads: { standard: { maxConcurrent: 1, overrunGraceMs: 0 } } }, [() => new Promise(() => {}), { text: 'x' }])
    assert.deepEqual([agent.getStats().bulkheadStats['standard-model'].overrunning, clock.pendingSleeps], [0, 0])
  },
  'AgentOptions.threshold': async () => assert.equal((await asking({ threshold: 0 }, [refusal])).answer.qualityCheckPassed, true),
  'CascadedCallOptions.maxRetries': async () => assert.equal((await cascading({ maxRetries: 0 }, [httpError(503)])).attempts, 3),
  'CascadedCallOptions.threshold': async () => assert.equal((await cascading({ threshold: 0 }, [refusal])).qualityCheckPassed, true),
  'CacheOptions.maxEntries': async () => assert.deepEqual([keeps({}), keeps({ maxEntries: 0 })], [true, false]),
  'CacheOptions.maxBytes': async () => assert.equal(keeps({ maxBytes: 0 }), false),
  'CacheOptions.ttlMs': async () => assert.equal(keeps({ ttlMs: 0 }), false),
  'AnswerCacheOptions.maxEntries': async () => assert.deepEqual([holds({}), holds({ maxEntries: 0 })], [true, false]),
  'AnswerCacheOptions.maxBytes': async () => assert.equal(holds({ maxBytes: 0 }), false),
  'AnswerCacheOptions.ttlMs': async () => assert.equal(holds({ ttlMs: 0 }), false),
  'ModelCosts.premium': async () => assert.equal(cost({ premium: 0 }, '请分析'), 0),
  'ModelCosts.standard': async () => assert.equal(cost({ standard: 0 }, 'x'), 0),
  // no prompt is routed there
  'ModelCosts.economy': async () => assert.equal(cost({ economy: 0 }, 'x'), 0.0015),
  'RouterOptions.shortQueryChars': async () => assert.equal(new lib.ModelRouter({ shortQueryChars: 0 }).route('帮助').reason, 'cost_first'),
  'FlakyOptions.failureRate': async () => {
    const flaky = new lib.FlakyLlmClient({ failureRate: 0, latencyMs: 0, latencySpreadMs: 0 })
    for (let i = 0; i < 50; i++) await flaky.chat({})
  },
  'FlakyOptions.latencyMs': async () => {
    const clock = new lib.ManualClock()
    await new lib.FlakyLlmClient({ failureRate: 0, latencyMs: 0, latencySpreadMs: 0, clock }).chat({})
    assert.equal(clock.now(), 0)
  },
  'FlakyOptions.latencySpreadMs': async () => {
    const clock = new lib.ManualClock()
    new lib.FlakyLlmClient({ latencyMs: 100, latencySpreadMs: 0, clock }).chat({}).catch(() => {})
    assert.equal(clock.nextSleepMs, 100)
  },
  'FlakyOptions.seed': async () => {
    const waits = () => {
      const clock = new lib.ManualClock()
      new lib.FlakyLlmClient({ seed: 0, clock }).chat({}).catch(() => {})
      return clock.nextSleepMs
    }
    assert.equal(waits(), waits())
  },
  'cancellableSleep(ms)': async () => assert.equal(await lib.cancellableSleep(0, undefined, { clock: new lib.ManualClock() }), true),
  'RetryPolicy.baseMs': async () => assert.equal(lib.nextDelayMs({ ...policy, baseMs: 0 }, 9), 0),
  'RetryPolicy.maxMs': async () => assert.equal(lib.nextDelayMs({ ...policy, maxMs: 0 }, 9), 0),
  'RetryPolicy.maxAttempts': async () => assert.equal((await lib.requestWithRetry(async () => 503, { ...policy, maxAttempts: 0 }).result).trace.requests.length, 1),
  'RetryPolicy.retryAfterMaxMs': async () => {
    const asking = async () => ({ status: 503, retryAfterMs: 1 })
    assert.equal((await lib.requestWithRetry(asking, { ...policy, retryAfterMaxMs: 0 }).result).stopReason, 'retry_after_too_long')
  },
  'RetryPolicy.retryAfterSpread': async () => {
    const clock = new lib.ManualClock()
    let calls = 0
    const asking = async () => (++calls === 1 ? { status: 503, retryAfterMs: 9000 } : 200)
    const handle = lib.requestWithRetry(asking, { ...policy, retryAfterSpread: 0, rng: () => 0.9, clock })
    assert.deepEqual((await drive(clock, handle.result)).trace.delays, [9000])
  },
  ...Object.fromEntries(['CircuitBreaker', 'ResilientLlmClient', 'ResilientLlmRunner', 'ResilientAgent'].flatMap((of) => [
    [`${of}.snapshot(nowUnixMs)`, async () => assert.equal(JSON.parse(instances[of]().snapshot(0)).savedAtUnixMs, 0)],
    [`${of}.restore(nowUnixMs)`, async () => {
      const breakerOf = (saved) => (saved.services ? saved.services[0].breaker : saved)
      const saved = JSON.parse(instances[of]().snapshot(1000))
      Object.assign(breakerOf(saved), { state: 'open', openMs: 1000 })
      const waits = (now) => {
        const instance = instances[of]()
        instance.restore(JSON.stringify(saved), now)
        return breakerOf(JSON.parse(instance.snapshot(0))).openMs
      }
      // the wall clock is before that of the snapshot, not after it
      assert.ok(waits(0) > 900 && waits(5000) === 0)
    }],
  ])),
  'RetryTrace.attempts': async () => {
    const log = new lib.TraceLog()
    log.add({ ...trace, attempts: 0 })
    assert.equal(log.all()[0].attempts, 0)
  },
  'RetryTrace.finalStatus': async () => {
    const log = new lib.TraceLog()
    log.add({ ...trace, finalStatus: 0 })
    assert.equal(log.all()[0].finalStatus, 0)
  },
  'TraceLog.offChange(id)': async () => assert.equal(new lib.TraceLog().offChange(0), false),
  'BackoffCalculator.nextDelay(base)': async () => assert.equal(lib.BackoffCalculator.nextDelay(5, 0, 2, () => 0.5), 0),
  'CancelToken.offCancel(id)': async () => assert.equal(new lib.CancelToken().offCancel(0), false),
  'new CircuitBreaker(cooldownMs)': async () => {
    const breaker = new lib.CircuitBreaker(1, 0, () => 0)
    breaker.recordFailure()
    assert.deepEqual([breaker.retryAfterMs, breaker.allowRequest()], [0, true])
  },
  'CircuitBreaker.recordFailure(retryAfterMs)': async () => {
    const breaker = new lib.CircuitBreaker(9, 5000, () => 0)
    breaker.recordFailure(0)
    assert.equal(breaker.retryAfterMs, 0)
  },
  'CircuitBreaker.recordSuccess(tookMs)': async () => assert.equal(slowCalls((breaker) => breaker.recordSuccess(0)), 0),
  'CircuitBreaker.recordFailure(tookMs)': async () => assert.equal(slowCalls((breaker) => breaker.recordFailure(undefined, 0)), 0),
  'BreakerPermit.recordSuccess(tookMs)': async () => assert.equal(slowCalls((breaker) => breaker.tryAcquire().recordSuccess(0)), 0),
  'BreakerPermit.recordFailure(tookMs)': async () => assert.equal(slowCalls((breaker) => breaker.tryAcquire().recordFailure(undefined, 0)), 0),
  'WindowOptions.slowCallMs': async () => {
    const breaker = new lib.CircuitBreaker(3, 5000, undefined, { window: { slowRate: 1, slowCallMs: 0 } })
    breaker.recordSuccess(0)
    assert.equal(breaker.windowCounts.slow, 1)
  },
  'BreakerPermit.recordFailure(retryAfterMs)': async () => {
    const breaker = new lib.CircuitBreaker(9, 5000, () => 0)
    breaker.tryAcquire().recordFailure(0)
    assert.deepEqual([breaker.retryAfterMs, breaker.consecutiveFailures], [0, 1])
  },
  'CircuitBreaker.offStateChange(id)': async () => assert.equal(new lib.CircuitBreaker().offStateChange(0), false),
  'ManualClock.advance(ms)': async () => {
    const clock = new lib.ManualClock()
    clock.advance(0)
    assert.equal(clock.now(), 0)
  },
  'ManualClock.advanceAsync(ms)': async () => {
    const clock = new lib.ManualClock()
    await clock.advanceAsync(0)
    assert.equal(clock.now(), 0)
  },
  'new MockLlmClient(failFirst)': async () => assert.equal((await new lib.MockLlmClient(0).chat({})).text, 'mock reply'),
  'MockOptions.latencyMs': async () => {
    const clock = new lib.ManualClock()
    new lib.MockLlmClient(0, { latencyMs: 0, clock }).chat({})
    assert.equal(clock.pendingSleeps, 0)
  },
  'MockOptions.retryAfterMs': async () => assert.rejects(new lib.MockLlmClient(1, { retryAfterMs: 0 }).chat({}), { retryAfterMs: 0 }),
  'BreakerOptions.cooldownSpread': async () => {
    const breaker = new lib.CircuitBreaker(1, 5000, () => 0, { cooldownSpread: 0 })
    breaker.recordFailure()
    assert.equal(breaker.retryAfterMs, 5000)
  },
  'BreakerOptions.cooldownResetMs': async () => {
    let time = 0
    const breaker = new lib.CircuitBreaker(1, 1000, () => time, { cooldownResetMs: 0, cooldownFactor: 10 })
    for (let round = 0; round < 3; round++) {
      breaker.recordFailure()
      assert.equal(breaker.retryAfterMs, 1000)
      time += 1000
      breaker.allowRequest()
      breaker.recordSuccess()
    }
  },
  'BreakerOptions.maxRetryAfterMs': async () => {
    const breaker = new lib.CircuitBreaker(3, 5000, () => 0, { maxRetryAfterMs: 0 })
    breaker.recordFailure(YEAR)
    assert.deepEqual([breaker.allowRequest(), breaker.retryAfterMs], [true, 0])
  },
  'ResilienceConfig.maxRetries': async () => assert.equal((await failing({ maxRetries: 0 }).execute({})).attempts, 1),
  'ResilienceConfig.baseMs': async () => assert.equal((await failing({ baseMs: 0 }).execute({})).elapsedMs, 0),
  'ResilienceConfig.base': async () => assert.equal((await failing({ baseMs: undefined, base: 0 }).execute({})).elapsedMs, 0),
  'ResilienceConfig.jitterSpread': async () => assert.equal((await failing({ jitter: 'multiplicative', jitterSpread: 0 }).execute({})).elapsedMs, 300),
  'ResilienceConfig.jitterMs': async () => assert.equal((await failing({ jitter: 'additive', jitterMs: 0 }).execute({})).elapsedMs, 300),
  'ResilienceConfig.retryAfterMaxMs': async () => assert.equal((await failing({ retryAfterMaxMs: 0 }, httpError(429, { retryAfterMs: 1 })).execute({})).stopReason, 'retry_after_too_long'),
  'ResilienceConfig.retryAfterSpread': async () => {
    const run = failing({ retryAfterSpread: 0, rng: () => 0.9 }, httpError(429, { retryAfterMs: 9000 }))
    assert.equal((await run.execute({})).trace[0].delayMs, 9000)
  },
  'ResilienceConfig.quotaCooldownMs': async () => {
    const run = failing({ quotaCooldownMs: 0 }, httpError(402))
    await run.execute({})
    assert.equal(run.breaker.retryAfterMs, 5000)
  },
  'RunnerConfig.maxRetries': async () => assert.equal((await passing({ maxRetries: 0 }, [down])).attempts, 1),
  'RunnerConfig.baseMs': async () => assert.equal((await passing({ baseMs: 0, jitter: 'none' }, [down, down, 'x'])).elapsedMs, 0),
  'RunnerConfig.jitterSpread': async () => assert.equal((await passing({ jitter: 'multiplicative', jitterSpread: 0 }, [down, 'x'])).elapsedMs, 1000),
  'RunnerConfig.jitterMs': async () => assert.equal((await passing({ jitterMs: 0 }, [down, 'x'])).elapsedMs, 1000),
  'RunnerConfig.retryAfterMaxMs': async () => assert.equal((await passing({ retryAfterMaxMs: 0 }, [httpError(429, { retryAfterMs: 5000 }), 'x'])).stopReason, 'retry_after_too_long'),
  'RunnerConfig.retryAfterSpread': async () => assert.equal((await passing({ retryAfterSpread: 0 }, [httpError(429, { retryAfterMs: 9000 }), 'x'])).trace[0].delayMs, 9000),
  'RunnerConfig.circuitResetWindowMs': async () => assert.equal((await passing({ maxRetries: 0, circuitFailureThreshold: 1, circuitResetWindowMs: 0 }, [down, 'x'], 2)).text, 'x'),
  'RunnerConfig.quotaCooldownMs': async () => assert.equal((await passing({ quotaCooldownMs: 0, circuitResetWindowMs: 0 }, [httpError(402), 'x'], 2)).text, 'x'),
  'RetryBudgetOptions.capacity': async () => assert.equal((await failing({ budget: { capacity: 0 } }).execute({})).stopReason, 'budget'),
  'RetryBudgetOptions.perCall': async () => {
    const run = failing({ budget: { capacity: 1, perCall: 0, perMinute: 0 } })
    await run.execute({})
    assert.equal((await run.execute({})).stopReason, 'success')
    const empty = setUp(new Script(httpError(503)), { threshold: 100, config: { budget: { capacity: 1, perCall: 0, perMinute: 0 } } })
    for (const attempts of [2, 1, 1, 1]) assert.equal((await empty.execute({})).attempts, attempts)
  },
  'RetryBudgetOptions.perMinute': async () => {
    const run = setUp(new Script(httpError(503)), { threshold: 100, config: { budget: { capacity: 1, perCall: 0, perMinute: 0 } } })
    await run.execute({})
    await run.clock.advanceAsync(3600000)
    assert.equal((await run.execute({})).attempts, 1)
  },
}

test('each number that may be zero has a check of its own, and no other', () => {
  const takeZero = Object.keys(rules).filter((key) => rules[key] !== anything && rules[key].accepts(0))
  assert.deepEqual(Object.keys(zeros).sort(), takeZero.sort())
})
for (const [key, check] of Object.entries(zeros)) test(`${key}: zero is zero`, check)

test('maxMs 0 and maxCooldownMs 0 hold where the base is 0', async () => {
  assert.equal((await failing({ baseMs: 0, maxMs: 0 }).execute({})).elapsedMs, 0)
  const breaker = new lib.CircuitBreaker(1, 0, () => 0, { maxCooldownMs: 0 })
  breaker.recordFailure()
  assert.equal(breaker.retryAfterMs, 0)
})

// The longest that is allowed works, too

test('the largest values work', async () => {
  const clock = new lib.ManualClock()
  const config = { clock, maxRetries: 100, baseMs: YEAR, maxMs: YEAR, factor: 1000, attemptTimeoutMs: YEAR, deadlineMs: YEAR, retryAfterMaxMs: YEAR, quotaCooldownMs: YEAR, budget: { capacity: 10000, perCall: 100, perMinute: 10000 } }
  const breaker = new lib.CircuitBreaker(2 ** 32 - 1, YEAR, () => clock.now(), { cooldownFactor: 100, maxCooldownMs: YEAR, cooldownSpread: 1, cooldownResetMs: YEAR, maxRetryAfterMs: YEAR, halfOpenProbes: 1000, successThreshold: 1000, probeLeaseMs: YEAR })
  const failing = new lib.ResilientLlmClient(lib.MockLlmClient.alwaysFailing(), config, breaker, 'later')
  assert.equal(await drive(clock, failing.chat({})), 'later')
  const mock = new lib.MockLlmClient(SAFE, { latencyMs: YEAR, retryAfterMs: YEAR, status: 999, clock })
  await assert.rejects(drive(clock, mock.chat({})), { retryAfterMs: YEAR })
})

test('maxMs below baseMs, jitterMs above maxMs, maxCooldownMs below cooldownMs: refused by name', () => {
  const client = (config) => () => new lib.ResilientLlmClient(new lib.MockLlmClient(), config)
  assert.throws(client({ baseMs: 100, maxMs: 99 }), { code: 'INVALID_CONFIG', field: 'maxMs' })
  assert.throws(client({ maxMs: 1000, jitter: 'additive', jitterMs: 1001 }), { code: 'INVALID_CONFIG', field: 'jitterMs' })
  assert.throws(() => new lib.CircuitBreaker(3, 1000, undefined, { maxCooldownMs: 999 }), { code: 'INVALID_CONFIG', field: 'maxCooldownMs' })
})

// Whose method it is

const receivers = (own) => [
  ['undefined', undefined], ['null', null], ['5', 5], ['a string', 'x'], ['{}', {}], ['a function', () => {}],
  ['its prototype', lib[own].prototype], ['what inherits an instance', Object.create(instances[own]())], ['a proxy of an instance', new Proxy(instances[own](), {})],
  ...Object.keys(instances).filter((other) => other !== own).map((other) => ['an instance of ' + other, instances[other]()]),
]

for (const [name, { methods, getters }] of Object.entries(api.classes)) {
  for (const member of [...Object.keys(methods), ...Object.keys(getters)]) {
    test(`${name}.${member} refuses whatever is no ${name}`, () => {
      const property = Object.getOwnPropertyDescriptor(lib[name].prototype, member)
      for (const [what, receiver] of receivers(name)) {
        const parameters = methods[member] ? methods[member].parameters.map((parameter) => sampleOf(`${name}.${member}(${parameter.name})`)) : []
        assert.throws(() => (property.get || property.value).apply(receiver, parameters), Error, what)
      }
    })
  }
}

for (const [name, { constructible, parameters }] of Object.entries(api.classes)) {
  const samples = parameters.map((parameter) => sampleOf(`new ${name}(${parameter.name})`))
  test(`${name} without new, or on another object, makes nothing`, () => {
    const target = {}
    assert.throws(() => lib[name](...samples), Error)
    assert.throws(() => lib[name].call(undefined, ...samples), Error)
    assert.throws(() => lib[name].apply(target, samples), Error)
    assert.throws(() => Reflect.construct(lib[name], samples, Object), Error)
    assert.deepEqual(Object.getOwnPropertyNames(target), [])
    if (!constructible) assert.throws(() => new lib[name](), Error)
  })
  if (!constructible) continue
  test(`${name} can be extended`, () => {
    class Own extends lib[name] {
      own = 5
      kept = 6
    }
    const instance = new Own(...samples)
    assert.ok(instance instanceof lib[name] && instance instanceof Own)
    assert.deepEqual(Object.entries(instance), [['own', 5], ['kept', 6]])
    for (const getter of Object.keys(api.classes[name].getters)) instance[getter]
  })
}

test('an extended breaker and an extended clock serve a client', async () => {
  class Clock extends lib.ManualClock {}
  class Breaker extends lib.CircuitBreaker {}
  const clock = new Clock()
  const client = new lib.ResilientLlmClient(new lib.MockLlmClient(1), { clock }, new Breaker(5))
  assert.equal(await drive(clock, client.chat({})), 'mock reply')
})

test('what is not declared as settable cannot be set', () => {
  'use strict'
  for (const [name, { getters }] of Object.entries(api.classes)) {
    for (const getter of Object.keys(getters)) {
      const instance = instances[name]()
      const before = JSON.stringify(instance[getter])
      assert.throws(() => (instance[getter] = 'changed'), TypeError)
      assert.equal(JSON.stringify(instance[getter]), before)
    }
  }
})

test('more arguments than declared change nothing', async () => {
  assert.equal(lib.version(1, 2, 3), lib.version())
  assert.match(lib.version(), /^\d+\.\d+\.\d+/)
  const breaker = new lib.CircuitBreaker(1, 2, undefined, undefined, 'more', {})
  assert.equal(breaker.allowRequest(5), true)
})

test('options may be frozen, inherited, without prototype, behind a proxy', () => {
  const kinds = [Object.freeze({ maxRetries: 101 }), Object.create({ maxRetries: 101 }), Object.assign(Object.create(null), { maxRetries: 101 }), new Proxy({ maxRetries: 101 }, {}), new (class { maxRetries = 101 })(), { get maxRetries() { return 101 } }]
  for (const config of kinds) assert.throws(() => new lib.ResilientLlmClient(new lib.MockLlmClient(), config), { field: 'maxRetries' })
})

test('an instance of the module may be frozen', async () => {
  const clock = Object.freeze(new lib.ManualClock())
  const breaker = Object.freeze(new lib.CircuitBreaker(1, 1000, () => clock.now()))
  const token = Object.freeze(new lib.CancelToken())
  const told = []
  breaker.onStateChange((event) => told.push(event.to))
  token.onCancel((reason) => told.push(reason))
  const client = Object.freeze(new lib.ResilientLlmClient(lib.MockLlmClient.alwaysFailing(), { clock }, breaker, 'later'))
  assert.equal(await drive(clock, client.chat({})), 'later')
  token.cancel()
  assert.deepEqual(told, [1, 'cancelled'])
})
