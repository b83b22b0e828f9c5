// Names of settings: one that is misspelt is refused and named with the one that is meant, any other unknown name passes.
import lib from './support/module.mjs'
import api from './support/api.mjs'
import { test, assert } from './support/runner.mjs'

const mocked = { client: new lib.MockLlmClient() }
const tiers = { premium: new lib.MockLlmClient(), standard: new lib.MockLlmClient(), economy: new lib.MockLlmClient() }
const similarity = { dimensions: 2, embed: async () => [1, 0] }

const settings = {
  ResilienceConfig: (options) => new lib.ResilientLlmClient(new lib.MockLlmClient(), options),
  RetryBudgetOptions: (budget) => settings.ResilienceConfig({ budget }),
  RunnerConfig: (options) => new lib.ResilientLlmRunner({ name: 'a', chat: async () => 'x' }, [], options),
  BreakerOptions: (options) => new lib.CircuitBreaker(3, 5000, undefined, options),
  WindowOptions: (window) => settings.BreakerOptions({ window }),
  NamedBreakerOptions: (options) => lib.CircuitBreaker.named('misspelt', options),
  CreateBreakerOptions: (options) => lib.createBreaker(async () => 'x', options),
  BulkheadConfig: (options) => new lib.Bulkhead({ name: 'misspelt', ...options }),
  AgentOptions: (options) => new lib.ResilientAgent({ ...mocked, ...options }),
  AgentBreakerOptions: (breakerOptions) => settings.AgentOptions({ breakerOptions }),
  TierBulkheads: (bulkheads) => settings.AgentOptions({ bulkheads }),
  TierBulkhead: (premium) => settings.TierBulkheads({ premium }),
  TierClients: (models) => settings.AgentOptions({ client: undefined, models: { ...tiers, ...models } }),
  CascadedCallOptions: (options) => lib.cascadedModelCall({ prompt: '你好', ...mocked, ...options }),
  RouterOptions: (options) => new lib.ModelRouter(options),
  CacheOptions: (cache) => settings.RouterOptions({ cache }),
  ModelNames: (models) => settings.RouterOptions({ models }),
  ModelCosts: (costs) => settings.RouterOptions({ costs }),
  PresetAnswer: (preset) => settings.RouterOptions({ presetAnswers: [{ question: 'q', answer: 'a', ...preset }] }),
  AnswerCacheOptions: (options) => new lib.AnswerCache(options),
  SimilarityOptions: (options) => settings.AnswerCacheOptions({ similarity: { ...similarity, ...options } }),
  MockOptions: (options) => new lib.MockLlmClient(0, options),
  FlakyOptions: (options) => new lib.FlakyLlmClient(options),
}
// to be read at each call: their names are not looked at
const ofCalls = ['AcquireOptions', 'CachedCallOptions', 'CallOptions', 'InvokeOptions', 'RetryOptions', 'ScheduleOptions', 'SimpleRetryOptions', 'SleepOptions']

test('each kind of settings is tried with misspelt names', () => {
  const kinds = Object.keys(api.interfaces).filter((name) => /(Options|Config)$/.test(name) && !ofCalls.includes(name))
  assert.deepEqual(kinds.filter((name) => !settings[name]), [])
})
test('a name that is nearly that of a setting is meant for it, any other name for something else', () => {
  const misspelt = { maxRetrys: 'maxRetries', max_retries: 'maxRetries', RNG: 'rng', attemptTimeout: 'attemptTimeoutMs', deadlineMS: 'deadlineMs', retryAfterMax: 'retryAfterMaxMs' }
  for (const [given, name] of Object.entries(misspelt)) {
    assert.throws(() => settings.ResilienceConfig({ [given]: 5 }), { field: given, message: new RegExp(`allowed: ${name}$`) })
  }
  assert.throws(() => settings.NamedBreakerOptions({ coolDownMs: 5 }), { field: 'coolDownMs', message: /allowed: cooldownMs$/ })
  for (const other of ['', 'model', 'maxTokens', 'retry', 'names', 'timeout', 'ms', '断路器', 'x'.repeat(1000)]) settings.ResilienceConfig({ [other]: 5 })
})
for (const [kind, make] of Object.entries(settings)) {
  test(`${kind}: a misspelt name is refused, another one is not`, async () => {
    await make({ model: 'x', note: 'x', apiKey: 'x', temperature: 1 })
    for (const name of Object.keys(api.interfaces[kind])) {
      const snake = name.replace(/[A-Z]/g, (letter) => '_' + letter)
      for (const misspelt of [name.length > 8 ? name.slice(0, 4) + name.slice(5) : name.toUpperCase(), snake === name ? name + '_' : snake]) {
        const refused = { code: 'INVALID_CONFIG', field: misspelt, message: `${misspelt}: there is no such option, allowed: ${name}` }
        await assert.rejects(async () => make({ [misspelt]: undefined }), refused)
      }
    }
  })
}
