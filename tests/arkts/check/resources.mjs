// Resources: each name that is used exists, where it must; each that exists is used; languages and light and dark agree.
import fs from 'node:fs'
import path from 'node:path'
import { filesBelow, ts } from '../language.mjs'

const LANGUAGES = ['zh_CN', 'en_US']
const ELEMENTS = ['string', 'plural', 'color', 'float', 'integer', 'boolean', 'strarray', 'intarray']
const placeholders = (text) => (String(text).match(/%(\d+\$)?(\.\d+)?[sdf]/g) ?? []).sort().join(' ')

export function checkResources(root, files, report) {
  const trees = ['AppScope/resources', 'entry/src/main/resources'].map((name) => path.join(root, name))
  const found = trees.map((tree) => read(tree, report))
  const base = new Map(found.flatMap(({ base }) => [...base]))
  const used = usedNames(root, files, report)
  for (const [name, { file, line }] of used) {
    if (!base.has(name)) report(file, line, `there is no resource ${name}`)
  }
  for (const { base } of found) {
    for (const [name, { file }] of base) if (!used.has(name)) report(file, 1, `resource ${name} is used nowhere`)
  }
  for (const resources of found) agree(resources, report)
}

// qualifier -> name ('app.string.title') -> { file, value }
function read(tree, report) {
  const all = { base: new Map() }
  for (const qualifier of fs.existsSync(tree) ? fs.readdirSync(tree) : []) {
    const entries = (all[qualifier] = new Map())
    for (const file of filesBelow(path.join(tree, qualifier), '')) {
      if (!fs.statSync(file).isFile()) continue
      const group = path.basename(path.dirname(file))
      if (group !== 'element') entries.set(`app.${group}.${path.parse(file).name}`, { file })
      else elements(file, entries, report)
    }
  }
  return all
}

function elements(file, entries, report) {
  let content
  try {
    content = JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch (error) {
    return report(file, 1, `no JSON: ${error.message.replace(/\s+/g, ' ')}`)
  }
  for (const [kind, list] of Object.entries(content)) {
    if (!ELEMENTS.includes(kind)) report(file, 1, `no kind of resource: ${kind}`)
    for (const { name, value } of list) {
      const key = `app.${kind}.${name}`
      if (value === undefined || value === '') report(file, 1, `resource ${key} has no value`)
      if (kind === 'color' && !/^#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$/.test(value)) report(file, 1, `resource ${key} is no colour: ${value}`)
      if (entries.has(key)) report(file, 1, `resource ${key} is declared twice`)
      entries.set(key, { file, value })
    }
  }
}

function agree({ base, ...qualified }, report) {
  for (const [qualifier, entries] of Object.entries(qualified)) {
    for (const [name, { file, value }] of entries) {
      if (!base.has(name)) report(file, 1, `resource ${name} of ${qualifier} is not in base`)
      else if (placeholders(value) !== placeholders(base.get(name).value)) report(file, 1, `resource ${name} of ${qualifier} has other placeholders than in base`)
    }
  }
  for (const [name, { file }] of base) {
    for (const language of LANGUAGES) {
      if (name.startsWith('app.string.') && !qualified[language]?.has(name)) report(file, 1, `resource ${name} is missing in ${language}`)
    }
    if (name.startsWith('app.color.') && !qualified.dark?.has(name)) report(file, 1, `resource ${name} is missing in dark`)
  }
}

// $r('app.string.title') in ArkTS, "$string:title" in configuration and profiles
function usedNames(root, files, report) {
  const used = new Map()
  for (const file of files) {
    const visit = (node) => {
      if (ts.isCallExpression(node) && node.expression.getText(file) === '$r') {
        const [name] = node.arguments
        const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1
        if (!name || !ts.isStringLiteralLike(name)) report(file.fileName, line, '$r takes a literal')
        else if (!name.text.startsWith('sys.')) used.set(name.text, { file: file.fileName, line })
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  for (const file of [...filesBelow(root, '.json5'), ...filesBelow(root, '.json')]) {
    if (/oh_modules|node_modules|\/build\//.test(file)) continue
    for (const [, kind, name] of fs.readFileSync(file, 'utf8').matchAll(/"\$(\w+):(\w+)"/g)) used.set(`app.${kind}.${name}`, { file, line: 1 })
  }
  return used
}
