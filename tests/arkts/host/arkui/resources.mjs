// $r and what it stands for: the resources of the app, by language and light or dark.
import fs from 'node:fs'
import path from 'node:path'
import { project } from '../../folders.mjs'
import { Cell } from './state.mjs'

const KINDS = ['string', 'plural', 'color', 'float', 'integer', 'boolean', 'media', 'profile', 'rawfile']

const configured = new Cell({ language: 'zh_CN', dark: false })
/** What the user has set on the phone: `{ language: 'zh_CN' | 'en_US', dark }`. */
export const configuration = {
  get: () => configured.get(),
  set: (change) => configured.set({ ...configured.get(), ...change }),
}

const folders = [path.join(project, 'AppScope/resources'), path.join(project, 'entry/src/main/resources')]

// `folder/qualifier`: kind -> name -> value
const read = new Map()
function values(folder, qualifier) {
  const key = path.join(folder, qualifier)
  if (!read.has(key)) {
    const found = {}
    const element = path.join(key, 'element')
    for (const file of fs.existsSync(element) ? fs.readdirSync(element) : []) {
      for (const [kind, entries] of Object.entries(JSON.parse(fs.readFileSync(path.join(element, file), 'utf8')))) {
        found[kind] ??= {}
        for (const { name, value } of entries) found[kind][name] = value
      }
    }
    read.set(key, found)
  }
  return read.get(key)
}

function lookUp(kind, name) {
  const { language, dark } = configured.get()
  // language goes before light and dark; base is what is left
  for (const qualifier of [language, ...(dark ? ['dark'] : []), 'base']) {
    for (const folder of folders) {
      const value = values(folder, qualifier)[kind]?.[name]
      if (value !== undefined) return value
    }
  }
  throw new Error(`there is no resource app.${kind}.${name}`)
}

const byId = new Map()
const ids = new Map()

class Resource {
  bundleName = 'io.github.resilience.demo'
  moduleName = 'entry'
  constructor(kind, name, params) {
    this.name = `app.${kind}.${name}`
    this.type = 10000 + KINDS.indexOf(kind)
    if (!ids.has(this.name)) ids.set(this.name, 0x1000000 + ids.size)
    this.id = ids.get(this.name)
    this.params = params
    byId.set(this.id, this)
  }
}

export function $r(fullName, ...params) {
  const [scope, kind, name] = fullName.split('.')
  if (scope === 'sys') return new Resource(kind, fullName, params)
  if (scope !== 'app' || !KINDS.includes(kind)) throw new Error(`no resource name: ${fullName}`)
  return new Resource(kind, name, params)
}
export const $rawfile = (name) => new Resource('rawfile', name, [])

// %s %d %f, also as %1$s
function format(text, params) {
  let next = 0
  return String(text).replace(/%(?:(\d+)\$)?(?:\.(\d+))?([sdf%])/g, (whole, position, digits, kind) => {
    if (kind === '%') return '%'
    const value = params[position ? position - 1 : next++]
    const text = resolve(value)
    if (kind === 'd') return String(Math.trunc(Number(text)))
    return kind === 'f' && digits ? Number(text).toFixed(digits) : String(text)
  })
}

/** What is shown for a value that may be a Resource. */
export function resolve(value) {
  if (!(value instanceof Resource)) return value
  const [, kind, name] = value.name.split('.')
  if (kind === 'media' || kind === 'rawfile' || name === 'sys') return value.name
  const found = lookUp(kind, name)
  return kind === 'string' ? format(found, value.params ?? []) : found
}

const MEDIA = { '.svg': 'image/svg+xml', '.png': 'image/png' }

/** The file of `app.media.NAME` as a data: URL. */
export function mediaUrl(fullName) {
  const name = fullName.replace('app.media.', '')
  for (const folder of folders) {
    for (const [ending, type] of Object.entries(MEDIA)) {
      const file = path.join(folder, 'base/media', name + ending)
      if (fs.existsSync(file)) return `data:${type};base64,${fs.readFileSync(file).toString('base64')}`
    }
  }
  throw new Error(`there is no resource ${fullName}`)
}

/** Of `getContext().resourceManager`. */
export const resourceManager = {
  getStringSync: (resource, ...params) => {
    const found = typeof resource === 'number' ? byId.get(resource) : resource
    if (!found) throw Object.assign(new Error('Invalid resource ID.'), { code: 9001001 })
    return resolve(Object.assign(Object.create(Resource.prototype), found, { params: params.length ? params : found.params }))
  },
  getStringByNameSync: (name, ...params) => format(lookUp('string', name), params),
  getColorSync: (resource) => {
    const text = resolve(typeof resource === 'number' ? byId.get(resource) : resource)
    const digits = text.replace('#', '')
    return parseInt(digits.length === 6 ? `ff${digits}` : digits, 16)
  },
}
