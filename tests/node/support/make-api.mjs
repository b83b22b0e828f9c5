// Makes support/api.mjs, the module's API as data, out of index.d.ts: not every engine can read a file.
//   node tests/node/support/make-api.mjs           writes it
//   node tests/node/support/make-api.mjs --check   fails if it is out of date (a suite does this, too)
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const types = new URL('../../../harmony-demo/entry/src/main/cpp/types/libresilience/index.d.ts', import.meta.url)
const target = new URL('./api.mjs', import.meta.url)

/** Splits at the top level, not inside brackets of any kind. */
function split(text, separator) {
  const parts = ['']
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const arrow = text[i] === '>' && text[i - 1] === '='
    if ('([{<'.includes(text[i])) depth++
    if (')]}>'.includes(text[i]) && !arrow) depth--
    if (depth === 0 && text.startsWith(separator, i)) parts.push('')
    else parts[parts.length - 1] += text[i]
  }
  return parts.map((part) => part.trim()).filter(Boolean)
}

function parameter(text) {
  const [, rest, name, optional, type] = text.match(/^(\.\.\.)?(\w+)(\??): (.+)$/)
  return { name, optional: optional === '?' || rest !== undefined, type }
}

/** `name<T>(parameters): type`, with the name in front already cut off. */
function signature(generic) {
  const text = generic.replace(/^<\w+>/, '')
  let end = 0
  for (let depth = 0; ; end++) {
    if (text[end] === '(') depth++
    if (text[end] === ')' && --depth === 0) break
  }
  return { parameters: split(text.slice(1, end), ',').map(parameter), returns: text.slice(end + 1).replace(/^: /, '') }
}

function readClass(lines) {
  const result = { constructible: false, parameters: [], methods: {}, statics: {}, getters: {} }
  for (const line of lines) {
    const [, modifier, name, rest] = line.match(/^(private |static |get )?(\w+)((?:<\w+>)?\(.*)$/)
    const read = signature(rest)
    if (modifier === 'private ') continue
    if (name === 'constructor') Object.assign(result, { constructible: true, parameters: read.parameters })
    else if (modifier === 'get ') result.getters[name] = read.returns
    else (modifier === 'static ' ? result.statics : result.methods)[name] = read
  }
  return result
}

function readInterface(lines) {
  const fields = {}
  for (const line of lines) {
    if (/^\w+\(/.test(line)) continue // a method: only the app's own client has one
    const { name, optional, type } = parameter(line)
    fields[name] = { optional, type }
  }
  return fields
}

const readEnum = (lines) => Object.fromEntries(lines.map((line) => line.replace(/,$/, '').split(' = ')).map(([name, value]) => [name, JSON.parse(value.replace(/'/g, '"'))]))

/** The whole file. What it does not know is an error, so that nothing is left out unseen. */
export function read(text) {
  const api = { functions: {}, classes: {}, interfaces: {}, enums: {}, types: {}, constants: {} }
  const bases = {} // of interfaces that extend another one
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').split('\n').map((line) => line.trim()).filter(Boolean)
  while (code.length > 0) {
    const head = code.shift().replace(/^export (declare )?/, '')
    const body = () => code.splice(0, code.indexOf('}') + 1).slice(0, -1)
    const [, kind, name, rest] = head.match(/^(function|class|interface|enum|type|const) (\w+)(.*)$/) || [, head]
    if (kind === 'function') api.functions[name] = signature(rest)
    else if (kind === 'class') api.classes[name] = readClass(body())
    else if (kind === 'interface') {
      api.interfaces[name] = readInterface(body())
      if (rest.startsWith(' extends ')) bases[name] = rest.match(/^ extends (\w+) \{$/)[1]
    } else if (kind === 'enum') api.enums[name] = readEnum(body())
    else if (kind === 'const') api.constants[name] = rest.replace(/^: /, '')
    else if (kind === 'type') api.types[name] = rest.replace(/^ = /, '')
    else throw new Error('index.d.ts has something unknown: ' + head)
  }
  for (const [name, base] of Object.entries(bases)) Object.assign(api.interfaces[name], api.interfaces[base])
  return api
}

/** What api.mjs must contain. */
export function source() {
  const api = read(readFileSync(types, 'utf8'))
  return '// Made by make-api.mjs from index.d.ts: do not edit.\nexport default ' + JSON.stringify(api, null, 2) + '\n'
}

export const isUpToDate = () => readFileSync(target, 'utf8') === source()

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv[2] !== '--check') writeFileSync(target, source())
  else if (!isUpToDate()) {
    console.error('tests/node/support/api.mjs is out of date: run node tests/node/support/make-api.mjs and commit it')
    process.exitCode = 1
  }
}
