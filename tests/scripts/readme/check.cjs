// node check.cjs OHOS_TYPESCRIPT TYPES README...: checks the ts snippets as ArkTS, types and rules of the language, against
// the index.d.ts in the folder TYPES. A snippet that begins with "// NAME.ets" is a file; the others of a README are one file.
const fs = require('fs')
const path = require('path')
const [compiler, types, ...readmes] = process.argv.slice(2)
const ts = require(compiler)
const folder = fs.mkdtempSync(path.join(require('os').tmpdir(), 'readme-'))
process.on('exit', () => fs.rmSync(folder, { recursive: true }))

const write = (name, text) => fs.writeFileSync(path.join(folder, name), text)
const imports = /^import [^;]*;.*$/gm
let count = 0
for (const readme of readmes) {
  const snippets = [...fs.readFileSync(readme, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
  const file = (code) => code.match(/^\/\/ (\w+\.ets)$/m)?.[1]
  for (const code of snippets.filter(file)) write(file(code), code)
  const rest = snippets.filter((code) => !file(code)).join('\n')
  const body = `async function snippets(): Promise<void> {\n${rest.replace(imports, '')}}\nsnippets();\n`
  write(path.basename(readme).replaceAll('.', '-') + '.ets', [...rest.match(imports) ?? [], body].join('\n'))
  count += snippets.length
}

const options = {
  target: ts.ScriptTarget.ES2021,
  module: ts.ModuleKind.ES2020,
  moduleResolution: ts.ModuleResolutionKind.NodeJs,
  lib: ['lib.es2021.d.ts'],
  types: [],
  noEmit: true,
  // loose, as DevEco sets them: the linter makes a strict check of its own
  noImplicitAny: false,
  needDoArkTsLinter: true,
  packageManagerType: 'ohpm',
  incremental: true,
  tsBuildInfoFile: path.join(folder, 'build-info'),
}
const host = ts.createIncrementalCompilerHost(options)
const known = { 'libresilience.so': path.join(types, 'index.d.ts'), '@kit.NetworkKit': path.join(__dirname, 'NetworkKit.d.ts') }
host.resolveModuleNames = (names) =>
  names.map((name) => {
    if (known[name]) return { resolvedFileName: known[name], extension: '.d.ts', isExternalLibraryImport: true }
    const file = path.join(folder, `${name}.ets`)
    return fs.existsSync(file) ? { resolvedFileName: file, extension: '.ets' } : undefined
  })
const own = fs.readdirSync(folder).map((name) => path.join(folder, name))
const builder = ts.createIncrementalProgramForArkTs({ rootNames: [...own, path.join(__dirname, 'global.d.ts')], options, host })
const program = builder.getProgram()
const found = [...program.getOptionsDiagnostics()]
for (const file of program.getSourceFiles().filter((file) => own.includes(file.fileName))) {
  found.push(...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file))
}
found.push(...ts.ArkTSLinter_1_1.runArkTSLinter(builder, undefined, undefined, 'ArkTS_1_1'))
for (const { file, start, messageText } of found) {
  const line = file && file.text.split('\n')[file.getLineAndCharacterOfPosition(start).line].trim()
  console.log(`${file ? path.basename(file.fileName) : ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}\n    ${line}`)
}
console.log(`${count} snippets, ${found.length} faults`)
process.exitCode = count > 0 && found.length === 0 ? 0 : 1
