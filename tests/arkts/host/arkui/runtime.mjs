// What lowered ArkTS calls: builds the tree of a page and keeps it up to date. Each element reads its own states and is
// worked out again alone; an `if` and a ForEach rebuild only what has changed. See lower.mjs for what the calls stand for.
import { Effect, startMonitors, untracked } from './state.mjs'
import { View, isBuilderParam } from './view.mjs'

let parent // the node that is being filled
let owner // the view that is being built

const hooks = new Map() // component -> what it does beyond keeping its attributes

/** `hook(node)` is called once, when an element of that type has been made and filled. */
export const whenMade = (type, hook) => void hooks.set(type, hook)

let lastId = 0
export class Node {
  id = ++lastId
  children = []
  args = []
  attributes = new Map() // name -> arguments
  effects = []
  constructor(type, at = parent) {
    this.type = type
    this.view = owner
    this.parent = at
    at?.children.push(this)
  }
  attribute(name, at = 0) {
    return this.attributes.get(name)?.[at]
  }
  effect(action) {
    const effect = new Effect('render', action)
    this.effects.push(effect)
    effect.run()
  }
  fill(body) {
    const outer = [parent, owner]
    ;[parent, owner] = [this, this.inner ?? this.view]
    try {
      untracked(body)
    } finally {
      ;[parent, owner] = outer
    }
  }
  clear() {
    for (const child of this.children) child.dispose()
    this.children = []
  }
  dispose() {
    this.effects.forEach((effect) => effect.dispose())
    this.clear()
    untracked(() => {
      this.attribute('onDisAppear')?.()
      this.inner?.aboutToDisappear?.()
      this.inner?.dispose()
    })
  }
}

function settle(node, settings) {
  node.attributes = new Map()
  const set = new Proxy({}, { get: (_, name) => (...args) => void node.attributes.set(name, args) })
  settings?.(set)
}

export function element(type, values, body, settings) {
  const node = new Node(type)
  node.effect(() => {
    node.args = values()
    settle(node, settings)
    node.updated?.()
  })
  if (body) node.fill(body)
  hooks.get(type)?.(node)
  if (node.attributes.has('onAppear')) queueMicrotask(() => node.attribute('onAppear')())
  return node
}

/** `Name(...)`: a custom component, or a builder. */
export function invoke(callee, values, byReference, body, settings) {
  if (typeof callee !== 'function') throw new TypeError(`no component and no builder: ${callee}`)
  if (callee.prototype instanceof View) return customComponent(callee, values, body, settings)
  // a builder sees later changes only through one object literal; other arguments are what they were
  const args = byReference ? [new Proxy({}, { get: (_, key) => values()[0][key] })] : untracked(values)
  callee(...args)
}

function customComponent(Class, values, body, settings) {
  const node = new Node(Class.name)
  node.isComponent = true
  let given
  node.effect(() => {
    given = { ...values()[0] }
    settle(node, settings)
    if (node.inner) untracked(() => node.inner.update(given))
  })
  if (body) given[Class.prototype[isBuilderParam]] = body
  mountInto(node, Class, given, owner)
  return node
}

/** Makes a view and builds it in `node`. */
export function mountInto(node, Class, given, outer) {
  const view = untracked(() => View.make(Class, given, outer))
  node.inner = view
  const stop = startMonitors(view)
  node.effects.push({ dispose: stop })
  untracked(() => view.aboutToAppear?.())
  node.fill(() => view.build())
  untracked(() => view.onDidBuild?.())
  return view
}

export function branch(choose, bodies) {
  const node = new Node('#if')
  let shown
  node.effect(() => {
    const chosen = choose()
    if (chosen === shown) return
    shown = chosen
    node.clear()
    if (bodies[chosen]) node.fill(bodies[chosen])
  })
}

// Keeps the groups whose key stays; `make(group, item, index)` fills a new one, `move` tells a kept one.
function keyed(node, items, keyOf, make, move) {
  const before = new Map(node.children.map((group) => [group.key, group]))
  const children = []
  const seen = new Set()
  items.forEach((item, index) => {
    const key = keyOf(item, index)
    if (seen.has(key)) throw new Error(`ForEach or Repeat: two items have the key ${key}`)
    seen.add(key)
    let group = before.get(key)
    before.delete(key)
    if (group) untracked(() => move?.(group, item, index))
    else {
      node.fill(() => (group = new Node('#item')))
      group.key = key
      group.fill(() => make(group, item, index))
    }
    children.push(group)
  })
  for (const group of before.values()) group.dispose()
  node.children = children
}

/** An item whose key stays is not drawn again, whatever has changed in it. */
export function forEach(values, render, keyOf = (item, index) => `${index}__${JSON.stringify(item)}`) {
  const node = new Node('#forEach')
  node.effect(() => keyed(node, [...values()], keyOf, (_, item, index) => render(item, index)))
}

/** An item whose key stays sees its new value. */
export function repeat(values, settings, itemOf) {
  const node = new Node('#repeat')
  const set = {}
  settings(new Proxy({}, { get: (_, name) => (...args) => void (set[name] = args) }))
  const keyOf = set.key?.[0] ?? ((_, index) => String(index))
  const [render] = set.each
  const make = (group, item, index) => {
    group.item = itemOf(item, index)
    render(group.item)
  }
  const move = (group, item, index) => Object.assign(group.item, { item, index })
  node.effect(() => keyed(node, [...values()], keyOf, make, move))
}
