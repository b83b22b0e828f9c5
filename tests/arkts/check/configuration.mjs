// The project's own files: each has the keys that DevEco knows, each of a kind that it takes, and they agree.
import fs from 'node:fs'
import path from 'node:path'
import { readJson5 } from './json5.mjs'

// What a value must be: a word of typeof, a RegExp for a text, a list whose items are like its first, an object of keys
// (with ? when it may be left out), `each` for any keys.
const each = Symbol('any key')
const packages = { [each]: /^(file:|\^?\d+\.\d+\.\d+)/ }
const version = /^\d+\.\d+\.\d+$/
const label = /^\$(string|media|color|profile):\w+$/
const sdk = /^\d+\.\d+\.\d+\(\d+\)$/
const target = { name: 'string', 'applyToProducts?': ['string'] }
const module = {
  name: 'string', type: /^(entry|feature|har|shared)$/, 'description?': label, 'mainElement?': 'string', deviceTypes: [/^(phone|tablet|2in1|tv|wearable|car)$/],
  deliveryWithInstall: 'boolean', installationFree: 'boolean', 'pages?': label,
  'requestPermissions?': [{ name: /^ohos\.permission\.[A-Z_]+$/ }],
  'abilities?': [{
    name: 'string', srcEntry: /^\.\/ets\//, 'description?': label, 'icon?': label, 'label?': label, 'startWindowIcon?': label,
    'startWindowBackground?': label, 'exported?': 'boolean', 'skills?': [{ 'entities?': ['string'], 'actions?': ['string'] }],
  }],
}

const FILES = {
  'AppScope/app.json5': {
    app: { bundleName: /^[A-Za-z]\w*(\.[A-Za-z0-9]\w*){2,}$/, vendor: 'string', versionCode: 'number', versionName: 'string', icon: label, label },
  },
  'build-profile.json5': {
    app: {
      signingConfigs: ['object'],
      products: [{
        name: 'string', 'signingConfig?': 'string', targetSdkVersion: sdk, compatibleSdkVersion: sdk, runtimeOS: /^HarmonyOS$/,
        'buildOption?': { 'strictMode?': { 'caseSensitiveCheck?': 'boolean', 'useNormalizedOHMUrl?': 'boolean' } },
      }],
      buildModeSet: [{ name: 'string' }],
    },
    modules: [{ name: 'string', srcPath: /^\.\//, 'targets?': [target] }],
  },
  'code-linter.json5': { files: ['string'], ignore: ['string'], ruleSet: [/^plugin:@/], rules: { [each]: /^(error|warn|off|suggestion)$/ } },
  'oh-package.json5': { modelVersion: version, 'description?': 'string', dependencies: packages, devDependencies: packages, 'dynamicDependencies?': packages },
  'hvigor/hvigor-config.json5': {
    modelVersion: version, dependencies: packages, 'execution?': 'object', 'logging?': 'object', 'debugging?': 'object', 'nodeOptions?': 'object',
  },
  'entry/oh-package.json5': {
    name: 'string', version, 'description?': 'string', 'main?': 'string', 'author?': 'string', 'license?': 'string', dependencies: packages,
  },
  'entry/build-profile.json5': {
    apiType: /^stageMode$/,
    buildOption: { 'resOptions?': { copyCodeResource: { enable: 'boolean' } } },
    'buildOptionSet?': [{
      name: 'string',
      'arkOptions?': { 'obfuscation?': { ruleOptions: { enable: 'boolean', files: [/^\.\//] } } },
      'nativeLib?': { 'debugSymbol?': { strip: 'boolean', exclude: ['string'] } },
    }],
    targets: [target],
  },
  'entry/src/main/module.json5': { module },
  'entry/src/ohosTest/module.json5': { module },
  'entry/src/main/cpp/types/libresilience/oh-package.json5': { name: /^libresilience\.so$/, types: /^\.\//, version, description: 'string' },
  'entry/src/main/resources/base/profile/main_pages.json': { src: ['string'] },
  'AppScope/resources/base/media/layered_image.json': { 'layered-image': { background: label, foreground: label } },
}

const COMPARED = [
  'oh-package.json5', 'hvigor/hvigor-config.json5', 'entry/oh-package.json5', 'entry/build-profile.json5', 'entry/src/main/module.json5',
  'entry/src/main/resources/base/profile/main_pages.json',
]

/** Gives how many files it has looked at. */
export function checkConfiguration(root, sources, report) {
  const read = {}
  for (const [name, shape] of Object.entries(FILES)) {
    const file = path.join(root, name)
    try {
      read[name] = readJson5(file)
    } catch (error) {
      report(file, 1, error.code === 'ENOENT' ? 'the file is missing' : error.message)
      continue
    }
    for (const fault of compare(read[name], shape, '')) report(file, 1, fault)
  }
  if (COMPARED.every((name) => name in read)) agree(root, read, sources, report)
  return Object.keys(read).length
}

function* compare(value, shape, at) {
  if (typeof shape === 'string') {
    if (typeof value !== shape || value === null) yield `${at}: must be a ${shape}`
  } else if (shape instanceof RegExp) {
    if (typeof value !== 'string' || !shape.test(value)) yield `${at}: ${JSON.stringify(value)} is not like ${shape}`
  } else if (Array.isArray(shape)) {
    if (!Array.isArray(value)) yield `${at}: must be a list`
    else for (const [index, item] of value.entries()) yield* compare(item, shape[0], `${at}[${index}]`)
  } else if (typeof value !== 'object' || value === null || Array.isArray(value)) yield `${at}: must be an object`
  else {
    for (const [key, inner] of Object.entries(value)) {
      const known = shape[key] ?? shape[`${key}?`] ?? shape[each]
      if (known === undefined) yield `${at}.${key}: no such key`
      else yield* compare(inner, known, `${at}.${key}`)
    }
    for (const key of Object.keys(shape)) if (!key.endsWith('?') && !(key in value)) yield `${at}.${key} is missing`
  }
}

function agree(root, read, sources, report) {
  const fault = (name, text) => report(path.join(root, name), 1, text)
  const entry = (name) => path.join(root, 'entry', name)
  if (read['oh-package.json5'].modelVersion !== read['hvigor/hvigor-config.json5'].modelVersion) fault('oh-package.json5', 'modelVersion differs from that of hvigor-config.json5')
  if (!read['oh-package.json5'].devDependencies['@ohos/hypium']) fault('oh-package.json5', 'the tests need @ohos/hypium')
  for (const [name, from] of Object.entries(read['entry/oh-package.json5'].dependencies)) {
    const file = entry(path.join(from.replace(/^file:/, ''), 'oh-package.json5'))
    if (from.startsWith('file:') && (!fs.existsSync(file) || readJson5(file).name !== name)) fault('entry/oh-package.json5', `dependency ${name}: no package of that name in ${from}`)
  }
  const { abilities = [], mainElement } = read['entry/src/main/module.json5'].module
  if (!abilities.some(({ name }) => name === mainElement)) fault('entry/src/main/module.json5', `mainElement ${mainElement} is no ability`)
  for (const { srcEntry } of abilities) {
    if (!fs.existsSync(entry(`src/main/${srcEntry}`))) fault('entry/src/main/module.json5', `${srcEntry} is not there`)
  }
  const pages = read['entry/src/main/resources/base/profile/main_pages.json'].src
  const isPage = (file) => /^@Entry\b/m.test(file.text)
  for (const page of pages) {
    const file = sources.find(({ fileName }) => fileName === entry(`src/main/ets/${page}.ets`))
    if (!file || !isPage(file)) fault('entry/src/main/resources/base/profile/main_pages.json', `${page} has no @Entry`)
  }
  for (const file of sources.filter(isPage)) {
    const page = path.relative(entry('src/main/ets'), file.fileName).replace(/\.ets$/, '')
    if (!pages.includes(page)) report(file.fileName, 1, `the page is not in main_pages.json`)
  }
  for (const file of read['entry/build-profile.json5'].buildOptionSet?.flatMap(({ arkOptions }) => arkOptions?.obfuscation?.ruleOptions.files ?? []) ?? []) {
    if (!fs.existsSync(entry(file))) fault('entry/build-profile.json5', `${file} is not there`)
  }
}
