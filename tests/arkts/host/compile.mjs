// node compile.mjs [PROJECT [OUT]]: makes JavaScript for Node out of all ArkTS of a DevEco project (default: harmony-demo,
// into target/arkts). Done ahead, so that the compiler does not have to run under an emulator.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { arkts, project, repository, target } from '../folders.mjs'
import { ets, filesBelow, globalTypes, ts } from '../language.mjs'
import { lower } from './lower.mjs'

const here = path.join(arkts, 'host')
const MODULE = 'libresilience.so'

/** Gives the folder with the result: `ets/...` as in entry/src/main, `ohosTest/...` as in entry/src/ohosTest/ets. */
export function compileProject(root = project, out = path.join(target, 'arkts')) {
  fs.rmSync(out, { recursive: true, force: true })
  fs.mkdirSync(out, { recursive: true })
  const source = path.join(root, 'entry/src')
  fs.writeFileSync(path.join(out, 'package.json'), '{ "type": "module" }\n')
  fs.writeFileSync(path.join(out, `${MODULE}.mjs`), nativeModule(path.join(project, 'entry/src/main/cpp/types/libresilience/index.d.ts')))
  fs.writeFileSync(path.join(out, 'enums.mjs'), enums())
  for (const file of filesBelow(source, '.ets')) {
    const made = path.join(out, path.relative(source, file)).replace(/\.ets$/, '.mjs')
    fs.mkdirSync(path.dirname(made), { recursive: true })
    fs.writeFileSync(made, compile(file, (name) => locate(name, file, made, out)))
  }
  return out
}

// What an import becomes.
function locate(name, file, made, out) {
  const relative = (to) => {
    const found = path.relative(path.dirname(made), to)
    return found.startsWith('.') ? found : `./${found}`
  }
  if (/^\.\.?\//.test(name)) return `${name}.mjs`
  if (name === MODULE) return relative(path.join(out, `${MODULE}.mjs`))
  const kit = name === '@ohos/hypium' ? 'hypium/index.mjs' : name.startsWith('@kit.') ? `kits/${name.slice(5)}.mjs` : ''
  if (!kit || !fs.existsSync(path.join(here, kit))) throw new Error(`${file}: the host has no '${name}'`)
  return pathToFileURL(path.join(here, kit)).href
}

function compile(file, locate) {
  const compilerOptions = {
    ets,
    target: ts.ScriptTarget.ES2021,
    module: ts.ModuleKind.ES2020,
    experimentalDecorators: true,
    isolatedModules: true,
    preserveValueImports: true, // lower.mjs has left those of values only
    inlineSourceMap: true,
    inlineSources: true,
  }
  const { outputText, diagnostics } = ts.transpileModule(fs.readFileSync(file, 'utf8'), {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions,
    transformers: { before: [lower(locate)] },
  })
  if (diagnostics.length > 0) {
    const { line } = diagnostics[0].file.getLineAndCharacterOfPosition(diagnostics[0].start)
    throw new SyntaxError(`${file}:${line + 1}: ${ts.flattenDiagnosticMessageText(diagnostics[0].messageText, ' ')}`)
  }
  return outputText
}

// The native module as ArkTS imports it, by name or as a whole. A name that is declared but not there fails the import.
function nativeModule(declarations) {
  const names = [...fs.readFileSync(declarations, 'utf8').matchAll(/^export (?:declare )?(?:class|function|enum|const) (\w+)/gm)]
    .map(([, name]) => name)
  return [
    `import lib from ${JSON.stringify(pathToFileURL(path.join(repository, 'tests/node/support/module.mjs')).href)}`,
    `for (const name of ${JSON.stringify(names)}) {`,
    `  if (!(name in lib)) throw new SyntaxError("the requested module '${MODULE}' does not provide an export name '" + name + "'")`,
    '}',
    'export default lib',
    `export const { ${names.join(', ')} } = lib`,
  ].join('\n')
}

// ArkUI's enums with the values that their declarations give them, as globals.
function enums() {
  const found = globalTypes.flatMap((file) => fs.readFileSync(file, 'utf8').match(/^declare enum [^}]*\}/gm) ?? [])
  const text = found.join('\n').replace(/^declare enum (\w+)/gm, 'export enum $1')
  const names = [...text.matchAll(/^export enum (\w+)/gm)].map(([, name]) => name)
  const js = ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2021, module: ts.ModuleKind.ES2020 } }).outputText
  return `${js}\nObject.assign(globalThis, { ${names.join(', ')} })\n`
}

if (process.argv[1] === path.join(here, 'compile.mjs')) {
  console.log(compileProject(...process.argv.slice(2).map((name) => path.resolve(name))))
}
