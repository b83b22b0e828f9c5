// The compiler (HarmonyOS's fork of TypeScript) and what it must be told of ArkUI: which names are components, which
// methods build UI. The declarations in check/types are the one place where a component or an enum is written down.
import { createRequire } from 'node:module'
import fs from 'node:fs'
import path from 'node:path'
import { arkts, target } from './folders.mjs'

export const typesFolder = path.join(arkts, 'check/types')

export const ts = createRequire(import.meta.url)(
  process.env.OHOS_TYPESCRIPT ?? path.join(target, 'tools/ohos-typescript/node_modules/ohos-typescript'),
)

/** Declarations that hold without an import: ArkUI's components, decorators and enums. */
export const globalTypes = fs.readdirSync(typesFolder).filter((name) => name.startsWith('global')).sort()
  .map((name) => path.join(typesFolder, name))

const declared = globalTypes.map((file) => fs.readFileSync(file, 'utf8')).join('\n')
const SYNTAX = ['ForEach', 'Repeat'] // no components: they may not have a body
export const components = [...declared.matchAll(/^declare const (\w+): \1Interface;/gm)].map(([, name]) => name)
  .filter((name) => !SYNTAX.includes(name))

const decorators = (names, emitParameters) => names.map((name) => ({ name, emitParameters }))

/** What DevEco's build passes as `ets`. */
export const ets = {
  render: { method: ['build', 'pageTransition'], decorator: ['Builder', 'LocalBuilder'] },
  components,
  libs: [],
  extend: {
    decorator: ['Extend', 'AnimatableExtend'],
    components: components.map((name) => ({ name, type: `${name}Attribute`, instance: `${name}Instance` })),
  },
  styles: { decorator: 'Styles', component: { name: 'Common', type: 'T', instance: 'CommonInstance' }, property: 'stateStyles' },
  concurrent: { decorator: 'Concurrent' },
  customComponent: 'CustomComponent',
  propertyDecorators: decorators(['Param', 'Event', 'Consumer'], false).map(({ name }) => ({ name, needInitialization: false })),
  emitDecorators: [
    ...decorators(['Entry', 'Monitor', 'Provider', 'Consumer'], true),
    ...decorators(['ComponentV2', 'ObservedV2', 'Local', 'Param', 'Event', 'Once', 'Require', 'Trace', 'Computed', 'Builder', 'BuilderParam'], false),
  ],
  syntaxComponents: {
    paramsUICallback: ['ForEach', 'LazyForEach'],
    attrUICallback: [{ name: 'Repeat', attributes: ['each', 'template'] }],
  },
}

/** All files below `folder` whose name ends so. */
export function filesBelow(folder, ending) {
  if (!fs.existsSync(folder)) return []
  return fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(ending)).sort()
    .map((name) => path.join(folder, name))
}
