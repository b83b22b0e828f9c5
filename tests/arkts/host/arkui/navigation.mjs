// Components that keep something of their own: Tabs the chosen tab, Navigation a stack of pages. And the controllers.
import { Cell, untracked } from './state.mjs'
import { whenMade, Node } from './runtime.mjs'

class TabsController {
  changeIndex(index) {
    this.tabs?.choose(index)
  }
}

class Scroller {
  scrollTo() {}
  scrollEdge() {}
  scrollToIndex() {}
}

/** Calls `visit` for each node of that type below `node` that is not inside another. */
function descend(node, type, visit) {
  for (const child of node.children) {
    if (child.type === type) visit(child)
    else if (child.type.startsWith('#') || child.isComponent) descend(child, type, visit)
  }
}
const contents = (node, type) => {
  const found = []
  descend(node, type, (child) => found.push(child))
  return found
}

whenMade('Tabs', (node) => {
  const [options = {}] = node.args
  const index = new Cell(options.index ?? 0)
  const tabs = () => contents(node, 'TabContent')
  node.tabs = tabs
  node.chosen = () => index.get()
  node.choose = (next) => {
    const before = untracked(() => index.get())
    if (next === before || !tabs()[next]) return
    untracked(() => tabs()[before]?.attribute('onWillHide')?.())
    index.set(next)
    untracked(() => {
      tabs()[next].attribute('onWillShow')?.()
      node.attribute('onChange')?.(next)
    })
  }
  if (options.controller) options.controller.tabs = node
  let given = options.index
  node.updated = () => {
    const wanted = node.args[0]?.index
    if (wanted === undefined || wanted === given) return
    given = wanted
    queueMicrotask(() => node.choose(wanted))
  }
})

// A tab's label may be a builder.
whenMade('TabContent', (node) => {
  const bar = node.attribute('tabBar')
  if (typeof bar !== 'function') return
  const label = new Node('#tabBar', null)
  label.parent = node
  label.choose = () => {
    let tabs = node.parent
    while (tabs.type !== 'Tabs') tabs = tabs.parent
    tabs.choose(tabs.tabs().indexOf(node))
  }
  label.fill(bar)
  node.label = label
  node.effects.push(label)
})

class NavPathInfo {
  constructor(name, param) {
    Object.assign(this, { name, param })
  }
}

class NavPathStack {
  #paths = new Cell([])
  #serial = 0
  pushPath({ name, param }) {
    this.#paths.get().push({ name, param, serial: ++this.#serial })
  }
  pushPathByName(name, param) {
    this.pushPath({ name, param })
  }
  replacePathByName(name, param) {
    this.#paths.get().pop()
    this.pushPath({ name, param })
  }
  pop() {
    return this.#paths.get().pop()
  }
  clear() {
    this.#paths.set([])
  }
  size() {
    return this.#paths.get().length
  }
  getAllPathName() {
    return this.paths().map(({ name }) => name)
  }
  getParamByName(name) {
    return this.paths().filter((path) => path.name === name).map(({ param }) => param)
  }
  getParamByIndex(index) {
    return this.paths()[index]?.param
  }
  paths() {
    return [...this.#paths.get()]
  }
}

whenMade('Navigation', (node) => {
  const [stack] = node.args
  if (!stack) return
  node.stack = stack
  node.fill(() => {
    Ark.forEach(
      () => stack.paths(),
      (path) => node.attribute('navDestination')?.(path.name, path.param),
      (path) => String(path.serial),
    )
  })
})

whenMade('NavDestination', (node) => {
  let navigation = node.parent
  while (navigation && navigation.type !== 'Navigation') navigation = navigation.parent
  node.back = () => {
    if (node.attribute('onBackPressed')?.() !== true) navigation?.stack.pop()
  }
  queueMicrotask(() => {
    node.attribute('onReady')?.({ pathStack: navigation?.stack })
    node.attribute('onShown')?.()
  })
})

class TextInputController {
  caretPosition() {}
  stopEditing() {}
}

export const navigation = {
  TabsController, Scroller, TextInputController, TextAreaController: class extends TextInputController {}, NavPathStack, NavPathInfo,
}
