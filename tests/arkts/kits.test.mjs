// What the host gives instead of the phone's own services.
import assert from 'node:assert'
import { test } from 'node:test'
import './host/globals.mjs'
import { configuration, resolve, resourceManager } from './host/arkui/resources.mjs'
import { ConfigurationConstant, UIAbility } from './host/kits/AbilityKit.mjs'
import { preferences } from './host/kits/ArkData.mjs'
import { util } from './host/kits/ArkTS.mjs'
import { promptAction } from './host/kits/ArkUI.mjs'
import { asset } from './host/kits/AssetStoreKit.mjs'
import { pasteboard } from './host/kits/BasicServicesKit.mjs'
import { hilog } from './host/kits/PerformanceAnalysisKit.mjs'
import { told } from './host/arkui/page.mjs'

const bytes = (text) => new TextEncoder().encode(text)
const code = (action) => {
  try {
    action()
  } catch (error) {
    return error.code
  }
}

test('the asset store: add, query with and without the secret, overwrite, remove', () => {
  const { Tag } = asset
  const named = (...more) => new Map([[Tag.ALIAS, bytes('key')], ...more])
  assert.equal(code(() => asset.querySync(named())), 24000002)
  asset.addSync(named([Tag.SECRET, bytes('sk-1')]))
  assert.equal(code(() => asset.addSync(named([Tag.SECRET, bytes('sk-2')]))), 24000003)
  asset.addSync(named([Tag.SECRET, bytes('sk-2')], [Tag.CONFLICT_RESOLUTION, asset.ConflictResolution.OVERWRITE]))
  assert.equal(asset.querySync(named())[0].get(Tag.SECRET), undefined)
  const [found] = asset.querySync(named([Tag.RETURN_TYPE, asset.ReturnType.ALL]))
  assert.equal(Buffer.from(found.get(Tag.SECRET)).toString(), 'sk-2')
  asset.removeSync(named())
  assert.equal(code(() => asset.removeSync(named())), 24000002)
  assert.equal(code(() => asset.addSync(named([Tag.SECRET, bytes('x'.repeat(1025))]))), 401)
})

test('preferences: one store a name, defaults, limits', async () => {
  const [first, second] = [0, 1].map(() => preferences.getPreferencesSync({}, { name: 'settings' }))
  first.putSync('url', 'http://a')
  assert.equal(second.getSync('url', ''), 'http://a')
  second.deleteSync('url')
  assert.deepEqual([first.hasSync('url'), first.getSync('url', 'none')], [false, 'none'])
  assert.equal(code(() => first.putSync('', 1)), 401)
  await first.flush()
})

test('hilog hides what is not marked public', () => {
  const lines = []
  const { write } = process.stderr
  process.stderr.write = (line) => lines.push(line)
  hilog.info(0x1, 'demo', 'code %{public}d of %s, 100%%', 5, 'secret')
  hilog.info(0x10000, 'demo', 'the domain is too large')
  hilog.info(0, 'x'.repeat(32), 'the tag is too long')
  process.stderr.write = write
  assert.deepEqual(lines, ['I A00001/demo: code 5 of <private>, 100%\n'])
})

test('a decoder gives undefined for no bytes', () => {
  assert.equal(util.TextDecoder.create('utf-8').decodeToString(new Uint8Array(0)), undefined)
})

test('a decoder keeps the half of a character for the next piece', () => {
  const decoder = util.TextDecoder.create('utf-8')
  const [head, tail] = [bytes('中').slice(0, 2), bytes('中').slice(2)]
  assert.equal(decoder.decodeToString(head, { stream: true }) + decoder.decodeToString(tail, { stream: true }), '中')
})

test('the pasteboard', () => {
  const board = pasteboard.getSystemPasteboard()
  board.setDataSync(pasteboard.createData(pasteboard.MIMETYPE_TEXT_PLAIN, 'metrics'))
  assert.equal(board.getDataSync().getPrimaryText(), 'metrics')
})

test('a dialog answers with the button that is chosen', async () => {
  const answer = promptAction.showDialog({ message: 'Really?', buttons: [{ text: 'No' }, { text: 'Yes' }] })
  assert.deepEqual(told.at(-1).buttons, ['No', 'Yes'])
  told.at(-1).choose(1)
  assert.deepEqual(await answer, { index: 1 })
})

test('resources by language, light and dark, with parameters', () => {
  const app = $r('app.string.app_name')
  configuration.set({ language: 'zh_CN', dark: false })
  const [chinese, light] = [resolve(app), resolve($r('app.color.background'))]
  configuration.set({ language: 'en_US', dark: true })
  const [english, dark] = [resolve(app), resolve($r('app.color.background'))]
  assert.match(chinese, /[\u4e00-\u9fff]/)
  assert.match(english, /^[A-Z]/)
  assert.notEqual(light, dark)
  assert.equal(resourceManager.getStringSync(app.id), english)
  assert.throws(() => resolve($r('app.string.nobody')), /there is no resource app\.string\.nobody/)
})

test('the app may set its own colour mode', () => {
  const context = new UIAbility().context.getApplicationContext()
  context.setColorMode(ConfigurationConstant.ColorMode.COLOR_MODE_LIGHT)
  assert.equal(configuration.get().dark, false)
  context.setColorMode(ConfigurationConstant.ColorMode.COLOR_MODE_NOT_SET)
  assert.equal(configuration.get().dark, false)
})
