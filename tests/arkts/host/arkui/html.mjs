// The tree of a page as HTML.
import { colour, styleOf } from './style.mjs'
import { isEnabled, shownChildren, shownValue, textOf } from './page.mjs'
import { mediaUrl, resolve } from './resources.mjs'

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escape = (text) => String(text).replace(/[&<>"]/g, (character) => ESCAPES[character])

const INPUT_TYPES = { 2: 'number', 3: 'tel', 5: 'email', 7: 'password', 8: 'password', 13: 'url' }

function attributesOf(node, more = {}) {
  const all = {
    'data-node': node.id,
    class: node.type,
    id: node.attribute('id'),
    style: styleOf(node),
    'aria-label': resolve(node.attribute('accessibilityText')),
    'aria-description': resolve(node.attribute('accessibilityDescription')),
    'aria-hidden': node.attribute('accessibilityLevel')?.startsWith('no') ? 'true' : undefined,
    'data-click': node.attributes.has('onClick') ? '' : undefined,
    disabled: isEnabled(node) ? undefined : '',
    ...more,
  }
  return Object.entries(all).filter(([, value]) => value !== undefined).map(([name, value]) => ` ${name}="${escape(value)}"`).join('')
}

const inside = (node) => shownChildren(node).map(html).join('')
const tag = (name, node, content, more) => `<${name}${attributesOf(node, more)}>${content}</${name}>`

const titleBar = (node, back) => {
  const title = node.attribute('title')
  if (node.attribute('hideTitleBar') === true || (!title && !back)) return ''
  const text = typeof title === 'object' && 'main' in title ? `${escape(title.main)}<small>${escape(title.sub)}</small>` : escape(resolve(title) ?? '')
  return `<div class="titleBar">${back ? `<button data-back="${node.id}" aria-label="‹">‹</button>` : ''}<h1>${text}</h1></div>`
}

const RENDERERS = {
  Text: (node) => tag('span', node, node.children.length > 0 ? inside(node) : escape(textOf(node) ?? '')),
  Span: (node) => tag('span', node, escape(textOf(node) ?? '')),
  Button: (node) => tag('button', node, node.children.length > 0 ? inside(node) : escape(textOf(node) ?? '')),
  TextInput: (node) =>
    tag('input', node, '', { value: shownValue(node) ?? '', placeholder: resolve(node.args[0]?.placeholder), type: INPUT_TYPES[node.attribute('type')] ?? 'text', autocomplete: 'off' }),
  TextArea: (node) => tag('textarea', node, escape(shownValue(node) ?? ''), { placeholder: resolve(node.args[0]?.placeholder) }),
  Slider: (node) => {
    const { min = 0, max = 100, step = 1 } = node.args[0] ?? {}
    return tag('input', node, '', { type: 'range', min, max, step, value: shownValue(node) ?? min })
  },
  Toggle: (node) => tag('input', node, '', { type: 'checkbox', role: node.args[0].type === ToggleType.Switch ? 'switch' : undefined, checked: shownValue(node) ? '' : undefined }),
  Select: (node) => {
    const chosen = shownValue(node) ?? -1
    const options = node.args[0].map(({ value }, index) => `<option value="${index}"${index === chosen ? ' selected' : ''}>${escape(resolve(value))}</option>`)
    return tag('select', node, options.join(''))
  },
  Progress: (node) => {
    const [{ value, total = 100, type = ProgressType.Linear }] = node.args
    const share = Math.max(0, Math.min(1, (node.attribute('value') ?? value) / total))
    const more = { role: 'progressbar', 'aria-valuenow': Math.round(share * 100), class: `Progress ${ProgressType[type]}` }
    return tag('div', node, `<i style="--share:${share}"></i>`, more)
  },
  LoadingProgress: (node) => tag('div', node, '', { role: 'progressbar', class: node.attribute('enableLoading') === false ? 'LoadingProgress still' : 'LoadingProgress' }),
  Divider: (node) => tag('div', node, '', { class: node.attribute('vertical') ? 'Divider vertical' : 'Divider' }),
  Image: (node) => {
    const picture = `url(${mediaUrl(resolve(node.args[0]))}) center / contain no-repeat`
    const fill = node.attribute('fillColor')
    const shown = fill === undefined ? `background:${picture}` : `mask:${picture};background:${colour(fill)}`
    return tag('div', node, '', { role: 'img', style: `${styleOf(node)};${shown}` })
  },
  Canvas: (node) => tag('canvas', node, '', { 'data-calls': JSON.stringify(drawn(node)) }),
  Tabs: (node) => {
    const [bar, content] = [shownChildren(node).filter(({ type }) => type === '#tabBar'), shownChildren(node).filter(({ type }) => type === 'TabContent')]
    const atEnd = node.args[0]?.barPosition === BarPosition.End
    const labels = `<div class="tabBar" role="tablist">${bar.length > 0 ? bar.map((label, index) => tabLabel(node, index, inside(label))).join('') : plainLabels(node)}</div>`
    const shown = content.map(html).join('')
    return tag('div', node, atEnd ? shown + labels : labels + shown)
  },
  Navigation: (node) => {
    const children = shownChildren(node)
    return tag('div', node, (children[0]?.type === 'NavDestination' ? '' : titleBar(node)) + children.map(html).join(''))
  },
  NavDestination: (node) => tag('div', node, titleBar(node, true) + inside(node)),
  '#tabBar': () => '',
}

const tabLabel = (tabs, index, content) =>
  `<div role="tab" data-tab="${tabs.id}" data-index="${index}" aria-selected="${index === tabs.chosen()}">${content}</div>`
const plainLabels = (tabs) =>
  tabs.tabs().map((tab, index) => {
    const bar = tab.attribute('tabBar')
    return tabLabel(tabs, index, escape(resolve(typeof bar === 'object' && bar !== null && 'text' in bar ? bar.text : bar) ?? ''))
  }).join('')

const drawn = (node) => {
  const context = node.args[0]
  return (context?.calls ?? []).map(([name, ...args]) => (name === '=' && /Style$/.test(args[0]) ? [name, args[0], colour(args[1])] : [name, ...args]))
}

export const html = (node) => (RENDERERS[node.type] ?? ((each) => tag('div', each, inside(each))))(node)

/** All that is shown of a page. */
export const pageHtml = (page) => shownChildren(page.root).map(html).join('')
