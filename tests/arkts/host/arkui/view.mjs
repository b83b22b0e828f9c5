// A struct that runs: its parameters, events and what it shares with the views inside it.
import { Cell, Trace, cellOf, untracked } from './state.mjs'

export const isBuilderParam = Symbol('the builder parameter')
const members = Symbol('members by decorator')

const note = (prototype, decorator, key) => {
  if (!Object.hasOwn(prototype, members)) prototype[members] = {}
  ;(prototype[members][decorator] ??= new Set()).add(key)
}
const has = (view, decorator, key) => view[members]?.[decorator]?.has(key) ?? false

let making // what the view that is being made was given

export class View {
  #finished = false
  constructor() {
    this.$ = making // parameters by name, and the view around it
  }

  static make(Class, given, outer) {
    making = { given, outer, passed: new Map() }
    const view = new Class()
    for (const key of view[members]?.Require ?? []) {
      if (!(key in given)) throw new Error(`${Class.name}: '${key}' is required`)
    }
    view.#finished = true
    return view
  }

  get $finished() {
    return this.#finished
  }

  /** New parameters from outside. */
  update(given) {
    this.$.given = given
    for (const [key, value] of Object.entries(given)) {
      if (has(this, 'Param', key) && !has(this, 'Once', key)) cellOf(this, key).set(value)
    }
  }

  dispose() {}
  getUIContext() {
    return View.uiContext
  }
  getUniqueId() {
    return (this.$.id ??= ++View.lastId)
  }
}
View.lastId = 0

const accessor = (prototype, key, get, set) =>
  Object.defineProperty(prototype, key, { get, set, enumerable: true, configurable: true })

export const Local = Trace

/** Comes from outside; only with @Once may the view change it. */
export function Param(prototype, key) {
  note(prototype, 'Param', key)
  accessor(
    prototype,
    key,
    function () {
      const { given, passed } = this.$
      if (!passed.has(key) && key in given) {
        passed.set(key, true)
        untracked(() => cellOf(this, key).set(given[key])) // no change: it had no value yet
      }
      return cellOf(this, key).get()
    },
    function (value) {
      const { given, passed } = this.$
      if (this.$finished && !has(this, 'Once', key)) throw new Error(`'${key}' is a @Param: the view must not change it`)
      if (!this.$finished && key in given) value = given[key] // else: the default
      passed.set(key, true)
      cellOf(this, key).set(value)
    },
  )
}
export const Once = (prototype, key) => note(prototype, 'Once', key)
export const Require = (prototype, key) => note(prototype, 'Require', key)

/** A function from outside, else the default, else one that does nothing. */
export function Event(prototype, key) {
  given(prototype, key, () => {})
}
export function BuilderParam(prototype, key) {
  prototype[isBuilderParam] = key
  given(prototype, key, undefined)
}
function given(prototype, key, missing) {
  accessor(
    prototype,
    key,
    function () {
      return this.$.given[key] ?? this.$.passed.get(key) ?? missing
    },
    function (value) {
      this.$.passed.set(key, value)
    },
  )
}

export const Provider = (alias) => (prototype, key) => {
  prototype[members] ??= {}
  ;(prototype[members].Provider ??= new Map()).set(alias ?? key, key)
  Trace(prototype, key)
}

/** The nearest provider's value around it, else its own default. */
export const Consumer = (alias) => (prototype, key) => {
  const source = (view) => {
    for (let outer = view.$.outer; outer; outer = outer.$.outer) {
      const name = outer[members]?.Provider?.get(alias ?? key)
      if (name) return cellOf(outer, name)
    }
    return cellOf(view, key)
  }
  accessor(
    prototype,
    key,
    function () {
      return source(this).get()
    },
    function (value) {
      const cell = source(this)
      if (this.$finished || cell === cellOf(this, key)) cell.set(value)
    },
  )
}

/** Bound, because builders are handed on as values. */
export function Builder(prototype, key, { value }) {
  return {
    get() {
      return (...args) => value.apply(this, args)
    },
    configurable: true,
  }
}

/** What Repeat hands to its callback. */
export class RepeatItem {
  #item
  #index
  constructor(item, index) {
    this.#item = new Cell(item)
    this.#index = new Cell(index)
  }
  get item() {
    return this.#item.get()
  }
  set item(value) {
    this.#item.set(value)
  }
  get index() {
    return this.#index.get()
  }
  set index(value) {
    this.#index.set(value)
  }
}
