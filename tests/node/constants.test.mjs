// The constants of article 004 that are objects: each names the defaults that hold without it.
import lib from './support/module.mjs'
import { assert, test } from './support/runner.mjs'
import { drive } from './support/help.mjs'

const { BulkheadManager, DEFAULT_BREAKER_OPTIONS, ManualClock, PRESET_BULKHEADS, createBreaker, createBulkhead } = lib

test('DEFAULT_BREAKER_OPTIONS has the figures of the article, and they are what createBreaker does without any', async () => {
  assert.deepEqual(DEFAULT_BREAKER_OPTIONS, {
    timeout: 10000, errorThresholdPercentage: 50, resetTimeout: 5000, volumeThreshold: 3, rollingCountTimeout: 10000, rollingCountBuckets: 10,
  })
  const play = async (options) => {
    const clock = new ManualClock()
    const results = []
    const breaker = createBreaker(async (what) => (what === 'hang' ? new Promise(() => {}) : Promise.reject(new Error('503'))), { ...options, clock })
    for (const what of ['fail', 'hang', 'fail', 'fail']) {
      await drive(clock, breaker.fire(what)).catch((error) => results.push([error.message, clock.now()]))
      clock.advance(1)
    }
    return [results, lib.getBreakerState(breaker), breaker.stats]
  }
  assert.deepEqual(await play(DEFAULT_BREAKER_OPTIONS), await play({}))
})

test('PRESET_BULKHEADS has the figures of the article, and they are those of getPreset', async () => {
  assert.deepEqual(PRESET_BULKHEADS, {
    'premium-model': { name: 'premium-model', maxConcurrent: 5, minTime: 200 },
    'standard-model': { name: 'standard-model', maxConcurrent: 20, minTime: 50 },
    'economy-model': { name: 'economy-model', maxConcurrent: 30, minTime: 30 },
    'free-tier': { name: 'free-tier', maxConcurrent: 2, minTime: 1000, reservoir: 10, reservoirRefreshAmount: 10, reservoirRefreshInterval: 60000 },
  })
  for (const [name, config] of Object.entries(PRESET_BULKHEADS)) {
    const starts = async (make) => {
      const clock = new ManualClock()
      const bulkhead = make(clock)
      const times = []
      await drive(clock, Promise.all(Array.from({ length: 12 }, () => bulkhead.schedule(async () => times.push(clock.now())))))
      return [bulkhead.name, times]
    }
    const preset = await starts((clock) => new BulkheadManager(clock).getPreset(name))
    assert.deepEqual(await starts((clock) => createBulkhead(config, clock)), preset)
    assert.equal(preset[1][1], config.minTime)
  }
})

test('changing them changes no default', async () => {
  DEFAULT_BREAKER_OPTIONS.timeout = 1
  try {
    const clock = new ManualClock()
    await drive(clock, createBreaker(() => new Promise(() => {}), { clock }).fire()).catch(() => {})
    assert.equal(clock.now(), 10000)
  } finally {
    DEFAULT_BREAKER_OPTIONS.timeout = 10000
  }
})
