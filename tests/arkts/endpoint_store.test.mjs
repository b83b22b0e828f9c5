// What the app keeps of the user's own service: the key in the asset store and nowhere else.
import assert from 'node:assert/strict'
import path from 'node:path'
import { before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { target } from './folders.mjs'
import { compileProject } from './host/compile.mjs'
import './host/globals.mjs'
import { abilityContext } from './host/kits/AbilityKit.mjs'
import { preferences } from './host/kits/ArkData.mjs'
import { asset } from './host/kits/AssetStoreKit.mjs'

let store
before(async () => {
  const folder = compileProject(undefined, path.join(target, 'arkts-store'))
  const { DeviceEndpointStore } = await import(pathToFileURL(path.join(folder, 'main/ets/llm/DeviceEndpointStore.mjs')).href)
  store = new DeviceEndpointStore(abilityContext)
})

const settings = { url: 'https://llm.example/v1', model: 'small', key: 'sk-密钥-0123' }

test('nothing is kept at first', async () => {
  assert.deepEqual(await store.load(), { url: '', model: '', key: '' })
})

test('what was saved is loaded, the newest', async () => {
  await store.save({ ...settings, key: 'sk-older' })
  await store.save(settings)
  assert.deepEqual(await store.load(), settings)
})

test('the key is in no preferences', () => {
  const kept = preferences.getPreferencesSync(abilityContext, { name: 'endpoint' })
  assert.equal(kept.hasSync('url'), true)
  assert.equal(kept.hasSync('key'), false)
})

test('an empty key is forgotten, also twice', async () => {
  await store.save({ ...settings, key: '' })
  await store.save({ ...settings, key: '' })
  assert.equal((await store.load()).key, '')
})

test('what the asset store refuses is told', async (t) => {
  t.mock.method(asset, 'query', async () => {
    throw Object.assign(new Error('The screen lock state is incorrect.'), { code: 24000005 })
  })
  await assert.rejects(store.load(), { code: 24000005 })
})
