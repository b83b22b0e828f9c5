// Attributes of ArkUI as CSS. Flexbox is close to ArkUI's layout, not the same.
import { resolve } from './resources.mjs'

/** Numbers are vp, which are drawn as pixels. */
export function length(value) {
  const found = resolve(value)
  if (found === undefined || found === null) return undefined
  if (typeof found === 'number') return `${found}px`
  if (/^-?[\d.]+$/.test(found)) return `${found}px`
  return String(found).replace(/(vp|fp|lpx)$/, 'px')
}

const hex = (number) => `#${number.toString(16).padStart(6, '0')}`

/** '#AARRGGBB' is ArkUI's order. */
export function colour(value) {
  const found = resolve(value)
  if (found === undefined) return undefined
  if (typeof found === 'number') return Color[found] ? Color[found].toLowerCase() : found > 0xffffff ? argb(found.toString(16).padStart(8, '0')) : hex(found)
  return /^#[0-9a-f]{8}$/i.test(found) ? argb(found.slice(1)) : found
}
const argb = (digits) => `#${digits.slice(2)}${digits.slice(0, 2)}`

function sides(value) {
  if (typeof value !== 'object' || value === null || 'id' in value) return length(value)
  return ['top', 'right', 'bottom', 'left'].map((side) => length(value[side]) ?? '0').join(' ')
}
const radii = (value) =>
  typeof value === 'object' && !('id' in value)
    ? ['topLeft', 'topRight', 'bottomRight', 'bottomLeft'].map((corner) => length(value[corner]) ?? '0').join(' ')
    : length(value)

const MAIN = ['flex-start', 'center', 'flex-end', 'space-between', 'space-around', 'space-evenly']
const CROSS = ['flex-start', 'center', 'flex-end']
const ITEM = ['auto', 'flex-start', 'center', 'flex-end', 'baseline', 'stretch']
const WEIGHT = [200, 400, 400, 500, 700, 800]
const PLACE = ['start start', 'start center', 'start end', 'center start', 'center center', 'center end', 'end start', 'end center', 'end end']
const weight = (value) => (typeof value === 'number' && value < WEIGHT.length ? WEIGHT[value] : value)
const font = ({ size, weight: bold, style }) => ({
  'font-size': length(size), 'font-weight': bold === undefined ? undefined : weight(bold), 'font-style': style === 1 ? 'italic' : undefined,
})
const lines = (most) => ({ display: '-webkit-box', '-webkit-line-clamp': most, '-webkit-box-orient': 'vertical', overflow: 'hidden' })
const border = ({ width, color, radius, style }) => ({
  'border-width': width === undefined ? undefined : sides(width), 'border-color': color === undefined ? undefined : colour(color),
  'border-style': ['dotted', 'dashed', 'solid'][style ?? 2], 'border-radius': radius === undefined ? undefined : radii(radius),
})
const css = (name, as = (value) => value) => (value) => ({ [name]: as(value) })

const RULES = {
  width: css('width', length),
  height: css('height', length),
  size: ({ width, height }) => ({ width: length(width), height: length(height) }),
  constraintSize: ({ minWidth, maxWidth, minHeight, maxHeight }) => ({
    'min-width': length(minWidth), 'max-width': length(maxWidth), 'min-height': length(minHeight), 'max-height': length(maxHeight),
  }),
  aspectRatio: css('aspect-ratio'),
  layoutWeight: (value) => ({ flex: `${value} 1 0`, 'min-width': 0, 'min-height': 0 }),
  flexGrow: css('flex-grow'),
  flexShrink: css('flex-shrink'),
  flexBasis: css('flex-basis', length),
  alignSelf: css('align-self', (value) => ITEM[value]),
  padding: css('padding', sides),
  margin: css('margin', sides),
  position: ({ x, y }) => ({ position: 'absolute', left: length(x), top: length(y) }),
  offset: ({ x, y }) => ({ position: 'relative', left: length(x), top: length(y) }),
  zIndex: css('z-index'),
  border,
  borderWidth: (value) => ({ 'border-width': sides(value), 'border-style': 'solid' }),
  borderColor: css('border-color', colour),
  borderRadius: css('border-radius', radii),
  borderStyle: css('border-style', (value) => ['dotted', 'dashed', 'solid'][value]),
  backgroundColor: css('background-color', colour),
  foregroundColor: css('color', colour),
  opacity: css('opacity', resolve),
  shadow: ({ radius, color = '#33000000', offsetX = 0, offsetY = 0 }) => ({
    'box-shadow': `${length(offsetX)} ${length(offsetY)} ${length(radius)} ${colour(color)}`,
  }),
  clip: (value) => ({ overflow: value ? 'hidden' : undefined }),
  justifyContent: css('justify-content', (value) => MAIN[value]),
  alignItems: css('align-items', (value) => CROSS[value]),
  alignContent: css('place-items', (value) => PLACE[value]),
  font,
  fontSize: css('font-size', length),
  fontColor: css('color', colour),
  fontWeight: css('font-weight', weight),
  fontStyle: css('font-style', (value) => (value === 1 ? 'italic' : 'normal')),
  fontFamily: css('font-family', resolve),
  lineHeight: css('line-height', length),
  letterSpacing: css('letter-spacing', length),
  textAlign: css('text-align', (value) => ['start', 'center', 'end', 'justify'][value]),
  textCase: css('text-transform', (value) => ['none', 'lowercase', 'uppercase'][value]),
  decoration: ({ type }) => ({ 'text-decoration': ['none', 'underline', 'overline', 'line-through'][type] }),
  wordBreak: css('word-break', (value) => ['normal', 'break-all', 'break-word'][value]),
  maxLines: lines,
}

const OWN = { // what an attribute of that name means for this component
  Divider: { color: css('background-color', colour), strokeWidth: css('--stroke', length) },
  Progress: { color: css('--colour', colour), style: ({ strokeWidth }) => ({ '--stroke': length(strokeWidth) }) },
  LoadingProgress: { color: css('--colour', colour) },
  Slider: { selectedColor: css('accent-color', colour) },
  Tabs: { barHeight: css('--bar', length), barBackgroundColor: css('--bar-background', colour) },
  Toggle: { selectedColor: css('--colour', colour) },
}

const space = (value) => (value === undefined ? undefined : length(value))

function arguments_({ type, args: [options = {}] }) {
  switch (type) {
    case 'Column': case 'Row': case 'List': return { gap: space(options.space) }
    case 'Flex': return {
      'flex-direction': ['row', 'column', 'row-reverse', 'column-reverse'][options.direction ?? 0], 'flex-wrap': ['nowrap', 'wrap', 'wrap-reverse'][options.wrap ?? 0],
      'justify-content': MAIN[options.justifyContent ?? 0], 'align-items': ITEM[options.alignItems ?? 1],
      gap: options.space ? `${length(options.space.cross?.value ?? 0)} ${length(options.space.main?.value ?? 0)}` : undefined,
    }
    case 'Stack': return { 'place-items': PLACE[options.alignContent ?? 4] }
    case 'Button': return { 'border-radius': options.type === 8 ? '8px' : options.type === 2 ? '0' : options.type === 1 ? '50%' : undefined }
    default: return {}
  }
}

export function styleOf(node) {
  const style = arguments_(node)
  for (const [name, args] of node.attributes) Object.assign(style, (OWN[node.type]?.[name] ?? RULES[name])?.(...args))
  return Object.entries(style).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}:${value}`).join(';')
}
