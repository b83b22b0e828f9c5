// What DevEco's UI compiler demands of a struct beyond TypeScript.
import { components, ts } from '../language.mjs'

const SYNTAX = ['ForEach', 'LazyForEach', 'Repeat']
const UI_METHODS = ['Builder', 'LocalBuilder']
const V1 = ['State', 'Prop', 'Link', 'ObjectLink', 'Provide', 'Consume', 'Watch', 'Observed', 'Component', 'StorageLink', 'StorageProp']

// Attributes of every component, beside those in types/: no member of a struct may be named so.
const TAKEN = new Set(`accessibilityChecked accessibilityRole accessibilitySelected accessibilityTextHint alignRules allowDrop
attributeModifier backdropBlur background backgroundBlurStyle backgroundBrightness backgroundEffect backgroundImage
backgroundImagePosition backgroundImageSize bindContentCover bindContextMenu bindMenu bindPopup blendMode blur borderImage
brightness chainMode clipShape colorBlend compositingFilter contrast customProperty dragPreview dragPreviewOptions draggable
drawModifier dynamicImage focusBox focusOnTouch focusScopeId focusScopePriority foregroundBlurStyle foregroundEffect freeze
geometryTransition gesture gestureModifier grayscale gridOffset gridSpan groupDefaultFocus hoverEffect hueRotate invert
keyboardShortcut lightUpEffect linearGradient linearGradientBlur markAnchor mask maskShape monopolizeEvents motionBlur motionPath
mouseResponseRegion nextFocus obscured onDragDrop onDragEnd onDragEnter onDragLeave onDragMove onDragStart onGestureJudgeBegin
onHover onKeyEvent onKeyPreIme onMouse onSizeChange onVisibleAreaChange outline outlineColor outlineRadius outlineStyle
outlineWidth overlay parallelGesture pixelRound pixelStretchEffect priorityGesture radialGradient radialGradientBlur renderFit
renderGroup responseRegion restoreId reuseId rotate safeAreaPadding saturate scale sepia shaderEffect sharedTransition
sphericalEffect stateStyles sweepGradient systemBarEffect tabStop toolbar touchable transform translate useEffect useSizeType
useShadowBatch visualEffect`.split(/\s+/))

export const decoratorsOf = (node) =>
  (ts.getAllDecorators(node) ?? []).map(({ expression }) => (ts.isCallExpression(expression) ? expression.expression : expression).getText())
const rendered = (member) => member.body && (member.name?.text === 'build' || decoratorsOf(member).some((name) => UI_METHODS.includes(name)))

export function checkUi(files, report) {
  for (const file of files) {
    const at = (node, text) => report(file.fileName, file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, text)
    const imported = file.statements.filter(ts.isImportDeclaration)
      .flatMap(({ importClause }) => [importClause?.name, ...(importClause?.namedBindings?.elements ?? []).map(({ name }) => name)])
      .filter(Boolean).map(({ text }) => text)
    const structs = file.statements.filter(ts.isStructDeclaration)
    const functions = file.statements.filter((node) => ts.isFunctionDeclaration(node) && decoratorsOf(node).includes('Builder'))
    const callable = new Set([...components, ...SYNTAX, ...imported, ...structs.map(({ name }) => name.text), ...functions.map(({ name }) => name.text)])
    const check = new Bodies(callable, file, at)
    for (const node of functions) check.body(node.body, new Set())
    for (const struct of structs) checkStruct(struct, check, at)
    oldDecorators(file, at)
  }
}

function checkStruct(struct, check, at) {
  const name = struct.name.text
  if (components.includes(name)) at(struct, `'${name}' is a component of ArkUI`)
  const decorators = decoratorsOf(struct)
  if (!decorators.includes('ComponentV2')) at(struct, `struct '${name}' has no @ComponentV2`)
  const members = struct.members.filter((member) => !member.virtual)
  for (const member of members) {
    if (TAKEN.has(member.name?.text)) at(member, `'${member.name.text}' is an attribute of every component: no member may be named so`)
  }
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

// V1 beside V2 in one app is allowed, but never in one struct; this app has V2 only.
function oldDecorators(file, at) {
  const visit = (node) => {
    if (ts.isDecorator(node)) {
      const name = node.expression.getText().replace(/\(.*/s, '')
      if (V1.includes(name)) at(node, `@${name} is of State V1`)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
}

class Bodies {
  constructor(callable, file, at) {
    Object.assign(this, { callable, file, at })
  }

  body(block, builders) {
    for (const statement of block.statements) this.statement(statement, builders)
  }

  statement(node, builders) {
    if (ts.isIfStatement(node)) {
      for (const branch of [node.thenStatement, node.elseStatement]) {
        if (branch) ts.isBlock(branch) ? this.body(branch, builders) : this.statement(branch, builders)
      }
    } else if (!ts.isExpressionStatement(node)) this.at(node, 'only UI component syntax can be written here')
    else if (!this.isUi(node.expression, builders)) {
      this.at(node, `'${node.getText(this.file).split('\n')[0]}' does not meet UI component syntax`)
    }
  }

  isUi(expression, builders) {
    let at = expression
    const attributes = []
    while (ts.isCallExpression(at) && ts.isPropertyAccessExpression(at.expression) && at.expression.expression.kind !== ts.SyntaxKind.ThisKeyword) {
      attributes.push(at)
      at = at.expression.expression
    }
    if (at.kind === ts.SyntaxKind.EtsComponentExpression) {
      if (at.body) this.body(at.body, builders)
      return this.callable.has(at.expression.text)
    }
    if (!ts.isCallExpression(at)) return false
    if (ts.isPropertyAccessExpression(at.expression)) return builders.has(at.expression.name.text)
    if (!ts.isIdentifier(at.expression)) return false
    for (const call of [at, ...attributes]) {
      const draws = call === at ? at.expression.text === 'ForEach' : ['each', 'template'].includes(call.expression.name.text)
      for (const callback of draws ? call.arguments.filter(ts.isArrowFunction).slice(0, 1) : []) {
        if (ts.isBlock(callback.body)) this.body(callback.body, builders)
      }
    }
    return this.callable.has(at.expression.text)
  }
}
