// Types and the rules of ArkTS, by HarmonyOS's own compiler and linter.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ets, filesBelow, globalTypes, ts, typesFolder } from '../language.mjs'

const MODULE = 'libresilience.so'

/** Gives the parsed files. */
export function checkLanguage(root, report) {
  const own = filesBelow(path.join(root, 'entry/src'), '.ets')
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'arkts-'))
  const options = {
    ets,
    target: ts.ScriptTarget.ES2021,
    module: ts.ModuleKind.ES2020,
    moduleResolution: ts.ModuleResolutionKind.NodeJs,
    lib: ['lib.es2021.d.ts'],
    types: [],
    experimentalDecorators: true,
    allowSyntheticDefaultImports: true,
    noEmit: true,
    // loose, as DevEco sets them: the linter makes a strict check of its own
    noImplicitAny: false,
    needDoArkTsLinter: true,
    etsAnnotationsEnable: true,
    packageManagerType: 'ohpm',
    incremental: true,
    tsBuildInfoFile: path.join(folder, 'build-info'),
  }
  const host = ts.createIncrementalCompilerHost(options)
  host.resolveModuleNames = (names, from) => names.map((name) => resolved(root, name, from))
  const builder = ts.createIncrementalProgramForArkTs({ rootNames: [...globalTypes, ...own], options, host })
  const program = builder.getProgram()
  const parsed = program.getSourceFiles().filter((file) => own.includes(file.fileName))
  // our own declarations must hold as well
  const declared = program.getSourceFiles().filter((file) => file.fileName.startsWith(typesFolder))
  const found = [...program.getOptionsDiagnostics()]
  for (const file of [...parsed, ...declared]) found.push(...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file))
  found.push(...ts.ArkTSLinter_1_1.runArkTSLinter(builder, undefined, undefined, 'ArkTS_1_1'))
  fs.rmSync(folder, { recursive: true })
  for (const { file, start, messageText } of found) {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0
    report(file?.fileName ?? root, line, ts.flattenDiagnosticMessageText(messageText, ' '))
  }
  return parsed
}

function resolved(root, name, from) {
  const declaration = (file) => (fs.existsSync(file) ? { resolvedFileName: file, extension: '.d.ts', isExternalLibraryImport: true } : undefined)
  if (name === MODULE) return declaration(path.join(root, 'entry/src/main/cpp/types/libresilience/index.d.ts'))
  if (name === '@ohos/hypium') return declaration(path.join(typesFolder, 'hypium.d.ts'))
  if (name.startsWith('@kit.')) return declaration(path.join(typesFolder, 'kits', `${name.slice(5)}.d.ts`))
  if (!/^\.\.?\//.test(name)) return undefined
  const file = path.resolve(path.dirname(from), name)
  if (fs.existsSync(`${file}.ets`)) return { resolvedFileName: `${file}.ets`, extension: '.ets' }
  return declaration(`${file}.d.ts`)
}
