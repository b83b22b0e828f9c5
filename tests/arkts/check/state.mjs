// State V2: which decorators stand where, which members may be named how, what a struct wants from outside.
import { ts } from '../language.mjs'

export const UI_METHODS = ['Builder', 'LocalBuilder']
const V1 = ['State', 'Prop', 'Link', 'ObjectLink', 'Provide', 'Consume', 'Watch', 'Observed', 'Component', 'StorageLink', 'StorageProp']
const OF_STRUCTS = ['Local', 'Param', 'Once', 'Event', 'Provider', 'Consumer', 'Require', 'BuilderParam']
// Attributes of every component, beside those in types/: no member of a struct may be named so.
const TAKEN = new Set(`accessibilityActionOptions accessibilityChecked accessibilityCustomActions accessibilityDefaultFocus
accessibilityFocusDrawLevel accessibilityNextFocusId accessibilityRole accessibilityScrollTriggerable accessibilitySelected
accessibilityStateDescription accessibilityTextHint accessibilityUseSamePage accessibilityVirtualNode advancedBlendMode
alignRules allowDrop allowForceDark attributeModifier backdropBlur background backgroundBlurStyle backgroundBrightness
backgroundEffect backgroundFilter backgroundImage backgroundImagePosition backgroundImageResizable backgroundImageSize
bindContentCover bindContextMenu bindContextMenuByIsShow bindContextMenuByResponseType bindContextMenuWithResponse bindMenu
bindPopup bindSheet bindTips blendMode blur borderImage brightness chainMode chainWeight clickEffect clipShape colorBlend
compositingFilter contrast customProperty doubleSided draggable dragPreview dragPreviewOptions drawModifier dynamicImage
edgeLight enableClickSoundEffect excludeFromRenderGroup focusBox focusOnTouch focusScopeId focusScopePriority
foregroundBlurStyle foregroundEffect foregroundFilter freeze geometryTransition gesture gestureModifier grayscale gridOffset
gridSpan groupDefaultFocus hoverEffect hueRotate ignoreLayoutSafeArea inspectorLabel invert keyboardShortcut layoutGravity
lightUpEffect linearGradient linearGradientBlur markAnchor mask maskShape materialFilter monopolizeEvents motionBlur
motionPath mouseResponseRegion nextFocus obscured onAccessibilityActionIntercept onAccessibilityFocus onAccessibilityHover
onAccessibilityHoverTransparent onAreaChange onAttach onAxisEvent onBlur onChildTouchTest onDetach onDigitalCrown onDragDrop
onDragEnd onDragEnter onDragLeave onDragMove onDragSpringLoading onDragStart onDrop onFocus onFocusAxisEvent
onGestureCollectIntercept onGestureJudgeBegin onGestureRecognizerJudgeBegin onHover onHoverMove onKeyEvent onKeyEventDispatch
onKeyPreIme onMouse onNeedSoftkeyboard onPreDrag onSizeChange onTouch onTouchIntercept onTouchTestDone
onVisibleAreaApproximateChange onVisibleAreaChange outline outlineColor outlineRadius outlineStyle outlineWidth overlay
parallelGesture pixelRound pixelStretchEffect priorityGesture radialGradient radialGradientBlur renderFit renderGroup
responseRegion responseRegionList restoreId reuse reuseId rotate safeAreaPadding saturate scale sepia shaderEffect
sharedTransition shouldBuiltInRecognizerParallelWith shouldRecognizerParallelWith smartGestureShortcut spatialEffect
sphericalEffect stateStyles sweepGradient systemBarEffect systemMaterial tabStop toolbar touchable transform transform3D
translate useEffect useShadowBatch useShadowBatching useSizeType useUnionEffect visualEffect`.split(/\s+/))

export const decoratorsOf = (node) =>
  (ts.getAllDecorators(node) ?? []).map(({ expression }) => (ts.isCallExpression(expression) ? expression.expression : expression).getText())

/** What must be given when it is used, and what must not. */
export function parametersOf(struct) {
  const named = (has) => struct.members.filter((member) => has(decoratorsOf(member))).map((member) => member.name.text)
  return { required: named((each) => each.includes('Require')), own: named((each) => ['Local', 'Provider', 'Consumer'].some((name) => each.includes(name))) }
}

export function checkState(file, at) {
  const visit = (node) => {
    if (ts.isStructDeclaration(node)) for (const member of node.members.filter((each) => !each.virtual)) structMember(member, at)
    if (ts.isClassDeclaration(node)) for (const member of node.members) classMember(node, member, at)
    for (const name of decoratorsOf(node)) {
      // V1 beside V2 in one app is allowed, but never in one struct; this app has V2 only.
      if (V1.includes(name)) at(node, `@${name} is of State V1`)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
}

function structMember(member, at) {
  const name = member.name?.text
  const decorators = decoratorsOf(member)
  const has = (...names) => names.some((each) => decorators.includes(each))
  if (TAKEN.has(name)) at(member, `'${name}' is an attribute of every component: no member may be named so`)
  if (has('Trace')) at(member, '@Trace belongs in a class with @ObservedV2')
  if (has('Once') && !has('Param')) at(member, '@Once goes with @Param only')
  if (has('Param') && !member.initializer && !has('Require')) at(member, `@Param '${name}' needs a default, or @Require`)
  getterOnly(member, has, at)
}

function classMember(node, member, at) {
  const decorators = decoratorsOf(member)
  const has = (...names) => names.some((each) => decorators.includes(each))
  if (has('Trace') && !decoratorsOf(node).includes('ObservedV2')) at(member, '@Trace belongs in a class with @ObservedV2')
  for (const name of OF_STRUCTS.filter((each) => has(each))) at(member, `@${name} belongs in a struct`)
  getterOnly(member, has, at)
}

function getterOnly(member, has, at) {
  if (has('Computed') && !ts.isGetAccessor(member)) at(member, '@Computed belongs to a getter')
  if (has('Monitor') && !ts.isMethodDeclaration(member)) at(member, '@Monitor belongs to a method')
}
