// What DevEco's UI compiler demands of a struct beyond TypeScript.
import { components, ts } from '../language.mjs'
import { UI_METHODS, checkState, decoratorsOf, parametersOf } from './state.mjs'

const ALONE = ['Divider', 'TextInput', 'TextArea', 'Slider', 'LoadingProgress', 'Progress', 'Blank', 'Image', 'Span', 'Select', 'Canvas']
const CHILDREN = { Text: ['Span'], List: ['ListItem', 'ListItemGroup'], ListItemGroup: ['ListItem'], Tabs: ['TabContent'] }
const PARENTS = { Span: ['Text'], ListItem: ['List', 'ListItemGroup'], TabContent: ['Tabs'] }
const SYNTAX = ['ForEach', 'LazyForEach', 'Repeat']

const rendered = (member) => member.body && (member.name?.text === 'build' || decoratorsOf(member).some((name) => UI_METHODS.includes(name)))

export function checkUi(files, report) {
  const structs = new Map(files.flatMap((file) => file.statements.filter(ts.isStructDeclaration)).map((each) => [each.name.text, parametersOf(each)]))
  for (const file of files) {
    const at = (node, text) => report(file.fileName, file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, text)
    const imported = file.statements.filter(ts.isImportDeclaration)
      .flatMap(({ importClause }) => [importClause?.name, ...(importClause?.namedBindings?.elements ?? []).map(({ name }) => name)])
      .filter(Boolean).map(({ text }) => text)
    const own = file.statements.filter(ts.isStructDeclaration)
    const functions = file.statements.filter((node) => ts.isFunctionDeclaration(node) && decoratorsOf(node).includes('Builder'))
    const callable = new Set([...components, ...SYNTAX, ...imported, ...own.map(({ name }) => name.text), ...functions.map(({ name }) => name.text)])
    const check = new Bodies(callable, structs, file, at)
    for (const node of functions) check.body(node.body, new Set())
    for (const struct of own) checkStruct(struct, check, at)
    checkState(file, at)
  }
}

function checkStruct(struct, check, at) {
  const name = struct.name.text
  if (components.includes(name)) at(struct, `'${name}' is a component of ArkUI`)
  const decorators = decoratorsOf(struct)
  if (!decorators.includes('ComponentV2')) at(struct, `struct '${name}' has no @ComponentV2`)
  const members = struct.members.filter((member) => !member.virtual)
  const builders = members.filter((member) => decoratorsOf(member).some((each) => [...UI_METHODS, 'BuilderParam'].includes(each)))
  const names = new Set(builders.map((member) => member.name.text))
  const build = members.find((member) => member.name?.text === 'build')
  if (!build) at(struct, `struct '${name}' has no build()`)
  for (const member of members.filter(rendered)) check.body(member.body, names)
  if (build && build.body.statements.length !== 1) at(build, `build() must have one root, it has ${build.body.statements.length}`)
  if (decorators.includes('Entry') && build && !hasContainer(build)) at(build, 'the root of an @Entry must be a container')
}

// With a body, an element can hold others.
function hasContainer({ body }) {
  let expression = body.statements[0]?.expression
  while (expression && ts.isCallExpression(expression) && ts.isPropertyAccessExpression(expression.expression)) expression = expression.expression.expression
  return expression?.kind === ts.SyntaxKind.EtsComponentExpression && expression.body !== undefined
}

class Bodies {
  constructor(callable, structs, file, at) {
    Object.assign(this, { callable, structs, file, at })
  }

  /** `around`: the component that it is the body of. */
  body(block, builders, around) {
    for (const statement of block.statements) this.statement(statement, builders, around)
  }

  statement(node, builders, around) {
    if (ts.isIfStatement(node)) {
      for (const branch of [node.thenStatement, node.elseStatement]) {
        if (branch) ts.isBlock(branch) ? this.body(branch, builders, around) : this.statement(branch, builders, around)
      }
    } else if (!ts.isExpressionStatement(node)) this.at(node, 'only UI component syntax can be written here')
    else if (!this.isUi(node.expression, builders, around)) {
      this.at(node, `'${node.getText(this.file).split('\n')[0]}' does not meet UI component syntax`)
    }
  }

  isUi(expression, builders, around) {
    let at = expression
    const attributes = []
    while (ts.isCallExpression(at) && ts.isPropertyAccessExpression(at.expression) && at.expression.expression.kind !== ts.SyntaxKind.ThisKeyword) {
      attributes.push(at)
      at = at.expression.expression
    }
    const name = at.expression && ts.isIdentifier(at.expression) ? at.expression.text : undefined
    this.nesting(at, name, around)
    if (this.structs.has(name)) this.parameters(at, name)
    if (at.kind === ts.SyntaxKind.EtsComponentExpression) {
      if (at.body) this.body(at.body, builders, name)
      return this.callable.has(name)
    }
    if (!ts.isCallExpression(at)) return false
    if (ts.isPropertyAccessExpression(at.expression)) return builders.has(at.expression.name.text)
    for (const call of [at, ...attributes]) {
      const draws = call === at ? name === 'ForEach' : ['each', 'template'].includes(call.expression.name.text)
      for (const callback of draws ? call.arguments.filter(ts.isArrowFunction).slice(0, 1) : []) {
        if (ts.isBlock(callback.body)) this.body(callback.body, builders, around)
      }
    }
    return this.callable.has(name)
  }

  nesting(node, name, around) {
    if (ALONE.includes(name) && node.body) this.at(node, `${name} takes no children`)
    if (!components.includes(name)) return
    if (CHILDREN[around] && !CHILDREN[around].includes(name)) this.at(node, `${around} takes only ${CHILDREN[around].join(', ')}`)
    if (PARENTS[name] && around && components.includes(around) && !PARENTS[name].includes(around)) this.at(node, `${name} belongs in ${PARENTS[name].join(', ')}`)
  }

  parameters(node, name) {
    const { required, own } = this.structs.get(name)
    const [given] = node.arguments ?? []
    const names = given && ts.isObjectLiteralExpression(given) ? given.properties.map((property) => property.name?.text) : []
    for (const each of required) if (!names.includes(each)) this.at(node, `${name} requires '${each}'`)
    for (const each of own) if (names.includes(each)) this.at(node, `'${each}' of ${name} can't be given from outside`)
  }
}
