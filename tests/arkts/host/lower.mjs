// Lowers ArkTS to what the TypeScript compiler can emit: a `before` transformer. A struct becomes a class, its UI code calls
// of the run-time (arkui/runtime.mjs, as the global `Ark`), and imports of types are dropped.
//   Column({ space: 8 }) { Text(this.name) }.width('100%')
// becomes
//   Ark.element('Column', () => [{ space: 8 }], () => { Ark.element('Text', () => [this.name]) }, ($) => { $.width('100%') })
// Arguments stay functions: the run-time reads them again when a state that they read has changed.
import { components, ts } from '../language.mjs'

const f = ts.factory
const BUILTIN = new Set(components)
const RENDERED = new Set(['Builder', 'LocalBuilder'])

const decoratorName = ({ expression }) => (ts.isCallExpression(expression) ? expression.expression : expression).text
const decoratorsOf = (node) => (ts.getAllDecorators(node) ?? []).map(decoratorName)
const isBuilder = (node) => decoratorsOf(node).some((name) => RENDERED.has(name))
const without = (modifiers, drop) => (modifiers ?? []).filter((modifier) => !drop(modifier))
const isBuilderDecorator = (modifier) => ts.isDecorator(modifier) && RENDERED.has(decoratorName(modifier))

const ark = (name, args) => f.createCallExpression(f.createPropertyAccessExpression(f.createIdentifier('Ark'), name), undefined, args)
const statement = (expression, original) => ts.setTextRange(f.createExpressionStatement(expression), original)
const parameter = (name) => f.createParameterDeclaration(undefined, undefined, name)
const arrow = (body, ...names) =>
  f.createArrowFunction(undefined, undefined, names.map(parameter), undefined, f.createToken(ts.SyntaxKind.EqualsGreaterThanToken), body)
const lazy = (expression) => arrow(ts.isObjectLiteralExpression(expression) ? f.createParenthesizedExpression(expression) : expression)
const isThisMember = (node) => ts.isPropertyAccessExpression(node) && node.expression.kind === ts.SyntaxKind.ThisKeyword

/** `locate(name)`: the module that an import of `name` loads. */
export const lower = (locate) => (context) => (file) => {
  const used = usedAsValues(file)
  let builders = new Set() // of the struct at hand

  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return importOf(node)
    if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
      return f.updateExportDeclaration(node, node.modifiers, node.isTypeOnly, node.exportClause, located(node), node.assertClause)
    }
    if (ts.isStructDeclaration(node)) return structOf(node)
    if (ts.isFunctionDeclaration(node) && isBuilder(node)) {
      const modifiers = without(node.modifiers ?? ts.getModifiers(node), isBuilderDecorator)
      return f.createFunctionDeclaration(modifiers, undefined, node.name, undefined, node.parameters, undefined, rendered(node.body))
    }
    return ts.visitEachChild(node, visit, context)
  }
  const visited = (nodes) => ts.visitNodes(nodes, visit)
  const located = (node) => f.createStringLiteral(locate(node.moduleSpecifier.text))

  function importOf(node) {
    const clause = node.importClause
    if (!clause) return f.updateImportDeclaration(node, undefined, undefined, located(node), undefined)
    const bindings = clause.namedBindings
    const name = clause.name && used.has(clause.name.text) ? clause.name : undefined
    let kept
    if (bindings && ts.isNamedImports(bindings)) {
      const elements = bindings.elements.filter((element) => used.has(element.name.text))
      if (elements.length > 0) kept = f.createNamedImports(elements)
    } else if (bindings && used.has(bindings.name.text)) kept = bindings
    if (clause.isTypeOnly || (!name && !kept)) return undefined
    return f.createImportDeclaration(undefined, f.createImportClause(false, name, kept), located(node), undefined)
  }

  function structOf(node) {
    const methods = node.members.filter((member) => ts.isMethodDeclaration(member))
    builders = new Set(methods.filter(isBuilder).map((method) => method.name.text))
    const members = []
    for (const member of node.members) {
      if (member.virtual || ts.isConstructorDeclaration(member)) continue
      if (ts.isMethodDeclaration(member) && (member.name.text === 'build' || isBuilder(member))) {
        const modifiers = member.modifiers ?? ts.getAllDecorators(member)
        members.push(f.createMethodDeclaration(modifiers, undefined, member.name, undefined, undefined, member.parameters, undefined, rendered(member.body)))
      } else members.push(ts.visitEachChild(member, visit, context))
    }
    const view = f.createExpressionWithTypeArguments(f.createPropertyAccessExpression(f.createIdentifier('Ark'), 'View'), undefined)
    const heritage = f.createHeritageClause(ts.SyntaxKind.ExtendsKeyword, [view])
    return ts.setTextRange(f.createClassDeclaration(node.modifiers, node.name, undefined, [heritage], members), node)
  }

  const rendered = (block) => ts.setTextRange(f.createBlock(block.statements.map(ui), true), block)
  const uiOf = (node) => (ts.isBlock(node) ? rendered(node) : f.createBlock([ui(node)], true))

  function ui(node) {
    if (ts.isIfStatement(node)) return statement(branches(node), node)
    return ts.isExpressionStatement(node) ? statement(component(node.expression), node) : ts.visitNode(node, visit)
  }

  // Ark.branch(() => a ? 0 : b ? 1 : 2, [() => {...}, ...])
  function branches(node) {
    const bodies = []
    const choose = (at) => {
      if (!at) return f.createNumericLiteral(bodies.length) // no such body: nothing is shown
      if (!ts.isIfStatement(at)) return f.createNumericLiteral(bodies.push(arrow(uiOf(at))) - 1)
      bodies.push(arrow(uiOf(at.thenStatement)))
      const chosen = f.createNumericLiteral(bodies.length - 1)
      return f.createConditionalExpression(ts.visitNode(at.expression, visit), undefined, chosen, undefined, choose(at.elseStatement))
    }
    const choice = choose(node)
    return ark('branch', [lazy(choice), f.createArrayLiteralExpression(bodies)])
  }

  // Peels .width(1).height(2) off the component that it stands on.
  function component(expression) {
    const attributes = []
    let base = expression
    while (ts.isCallExpression(base) && ts.isPropertyAccessExpression(base.expression) && !isThisMember(base.expression)) {
      attributes.unshift([base.expression.name, base.arguments])
      base = base.expression.expression
    }
    const isComponent = base.kind === ts.SyntaxKind.EtsComponentExpression
    if (!isComponent && !ts.isCallExpression(base)) return ts.visitNode(expression, visit)
    const name = ts.isIdentifier(base.expression) ? base.expression.text : undefined
    const args = base.arguments ?? []
    if (name === 'ForEach') return ark('forEach', [lazy(ts.visitNode(args[0], visit)), renderer(args[1]), ...visited(f.createNodeArray(args.slice(2)))])
    if (name === 'Repeat') return ark('repeat', [lazy(ts.visitNode(args[0], visit)), settings(attributes)])
    const body = isComponent && base.body ? arrow(rendered(base.body)) : f.createNull()
    const values = lazy(f.createArrayLiteralExpression(visited(f.createNodeArray(args))))
    const settle = attributes.length > 0 ? [settings(attributes)] : []
    if (BUILTIN.has(name)) return ark('element', [f.createStringLiteral(name), values, body, ...settle])
    // a custom component, or a builder: the run-time looks. A builder sees later changes only in an object literal.
    const literal = args.length === 1 && ts.isObjectLiteralExpression(args[0])
    return ark('invoke', [ts.visitNode(base.expression, visit), values, literal ? f.createTrue() : f.createFalse(), body, ...settle])
  }

  const renderer = (callback) =>
    f.createArrowFunction(undefined, undefined, callback.parameters, undefined, callback.equalsGreaterThanToken, uiOf(callback.body))

  // ($) => { $.width('100%'); $.onClick(...) }
  function settings(attributes) {
    const calls = attributes.map(([name, args]) => {
      const values = args.map((arg) => {
        if (ts.isArrowFunction(arg) && (name.text === 'each' || name.text === 'template')) return renderer(arg)
        const builds = ts.isCallExpression(arg) && isThisMember(arg.expression) && builders.has(arg.expression.name.text)
        return builds ? arrow(f.createBlock([statement(component(arg), arg)])) : ts.visitNode(arg, visit)
      })
      const call = f.createCallExpression(f.createPropertyAccessExpression(f.createIdentifier('$'), name), undefined, values)
      return statement(call, name)
    })
    return arrow(f.createBlock(calls, true), '$')
  }

  return ts.visitEachChild(file, visit, context)
}

// The names that a file uses for more than types.
function usedAsValues(file) {
  const used = new Set()
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) return
    if (ts.isHeritageClause(node)) {
      if (node.token === ts.SyntaxKind.ExtendsKeyword) node.types.forEach(({ expression }) => visit(expression))
      return
    }
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    if (ts.isIdentifier(node)) used.add(node.text)
    const label = ts.isPropertyAccessExpression(node) || ts.isPropertyAssignment(node) || ts.isClassElement(node) ? node.name : undefined
    ts.forEachChild(node, (child) => void (child !== label && visit(child)))
  }
  visit(file)
  return used
}
