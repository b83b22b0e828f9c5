// A page that runs: the tree of its elements, and what a user does to it.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { abilityContext } from '../kits/AbilityKit.mjs'
import { takeEntry } from '../globals.mjs'
import { resolve } from './resources.mjs'
import { Node, mountInto } from './runtime.mjs'
import { touch } from './state.mjs'
import { View } from './view.mjs'

/** What the user was told beside the page, the latest last: `{ kind: 'toast' | 'dialog', ... }`. */
export const told = []
const MOST_TOLD = 100

function tell(entry) {
  told.push(entry)
  if (told.length > MOST_TOLD) told.shift()
  touch()
  return entry
}

const promptAction = {
  showToast: ({ message }) => void tell({ kind: 'toast', message: resolve(message) }),
  showDialog: ({ title, message, buttons = [] }) =>
    new Promise((answer) => {
      const dialog = tell({ kind: 'dialog', title: resolve(title), message: resolve(message), buttons: buttons.map(({ text }) => resolve(text)) })
      dialog.choose = (index) => {
        told.splice(told.indexOf(dialog), 1)
        touch()
        answer({ index })
      }
    }),
}

export const uiContext = {
  getPromptAction: () => promptAction,
  getHostContext: () => abilityContext,
  animateTo: (_, change) => change(),
  vp2px: (value) => value,
  px2vp: (value) => value,
  fp2px: (value) => value,
  runScopedTask: (task) => task(),
}
View.uiContext = uiContext

/** Loads `pages/Index` out of a compiled project and builds it. */
export async function openPage(folder, name = 'pages/Index') {
  await import(pathToFileURL(path.join(folder, 'enums.mjs')).href)
  await import(pathToFileURL(path.join(folder, `main/ets/${name}.mjs`)).href)
  return new Page((entries[name] ??= takeEntry()))
}
const entries = {}

export class Page {
  constructor(Entry) {
    if (!Entry) throw new Error('the file has no @Entry')
    this.root = new Node('#page')
    this.view = mountInto(this.root, Entry, {}, undefined)
    this.view.onPageShow?.()
  }

  close() {
    this.view.onPageHide?.()
    this.root.dispose()
  }

  /** All elements that are shown, in their order. */
  all(node = this.root) {
    return shownChildren(node).flatMap((child) => [child, ...this.all(child)])
  }
  /** All texts that are shown: of Text, Span and Button, and labels of tabs. */
  texts() {
    return this.all().map(textOf).filter((text) => text !== undefined && text !== '')
  }
  /** By `.id()`, by exact text, or by type. */
  find(wanted) {
    return this.all().find((node) => matches(node, wanted))
  }
  get(wanted) {
    const node = this.find(wanted)
    if (!node) throw new Error(`nothing is shown with id, text or type '${wanted}'; texts: ${this.texts().join(' | ')}`)
    return node
  }
  byId(id) {
    return this.all().find((node) => node.id === id)
  }

  click(wanted) {
    click(this.get(wanted))
  }
  /** Types into a TextInput, moves a Slider, turns a Toggle, chooses of a Select. */
  input(wanted, value) {
    input(this.get(wanted), value)
  }
}

const inner = (node) => node.isComponent || node.type.startsWith('#')
const hidden = (node) => node.attribute('visibility') !== undefined && node.attribute('visibility') !== Visibility.Visible

/** Without what only groups, what is hidden, tabs not chosen, pages of a Navigation below the top one. */
export function shownChildren(node) {
  let children = node.children
  if (node.type === 'Tabs') {
    const tabs = flat(children)
    children = [...tabs.map((tab) => tab.label).filter(Boolean), ...tabs.filter((_, index) => index === node.chosen())]
  } else if (node.type === 'Navigation') {
    const pages = flat(children).filter((child) => child.type === 'NavDestination')
    children = pages.length > 0 ? pages.slice(-1) : children
  }
  return flat(children).filter((child) => !hidden(child))
}
const flat = (nodes) => nodes.flatMap((node) => (inner(node) && node.type !== '#tabBar' && node.attributes.size === 0 ? flat(node.children) : [node]))

export function textOf(node) {
  if (node.type === 'Text' || node.type === 'Span') return asText(node.args[0])
  if (node.type === 'Button') return typeof node.args[0] === 'object' && !('id' in Object(node.args[0])) ? undefined : asText(node.args[0])
  return undefined
}
const asText = (value) => (value === undefined ? undefined : String(resolve(value)))

function matches(node, wanted) {
  return node.attribute('id') === wanted || textOf(node) === wanted || node.type === wanted
}

export function isEnabled(node) {
  for (let at = node; at; at = at.parent) if (at.attribute('enabled') === false) return false
  return true
}

/** A click goes to the nearest element around it that listens. */
export function click(node) {
  for (let at = node; at; at = at.parent) {
    const listener = at.attribute('onClick') ?? at.choose
    if (!listener || at.type === 'Tabs') continue
    if (!isEnabled(at)) throw new Error(`'${textOf(node) ?? node.type}' is disabled`)
    return listener?.({ x: 0, y: 0, windowX: 0, windowY: 0 })
  }
  throw new Error(`nothing listens to a click on '${textOf(node) ?? node.type}'`)
}

/** What an input shows: what the user has entered, until the page gives something else. */
export function shownValue(node) {
  const [options = {}] = node.args
  const given = { Slider: options.value, Toggle: options.isOn, Select: node.attribute('selected') }[node.type] ?? resolve(options.text)
  if (given !== node.given) Object.assign(node, { given, entered: undefined })
  return node.entered ?? given
}

export function input(node, value) {
  if (!isEnabled(node)) throw new Error(`${node.type} is disabled`)
  if (node.type === 'Tabs') return node.choose(Number(value))
  shownValue(node)
  node.entered = entry(node, value)
  touch()
  const { entered } = node
  if (node.type === 'Slider') node.attribute('onChange')?.(entered, SliderChangeMode.End)
  else if (node.type === 'Select') node.attribute('onSelect')?.(entered, asText(node.args[0][entered].value))
  else node.attribute('onChange')?.(entered)
}

function entry(node, value) {
  if (node.type === 'Slider' || node.type === 'Select') return Number(value)
  if (node.type === 'Toggle') return value === true || value === 'true'
  return String(value).slice(0, node.attribute('maxLength'))
}
