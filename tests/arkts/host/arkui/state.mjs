// Observation as State V2 has it: who reads a @Trace, @Local, @Param or @Provider while it renders is run again after a
// change, @Computed is worked out once, @Monitor is told before and after. Changes of one turn are seen together, in a
// microtask: first computed values, then monitors, then what is drawn. Plain objects are not observed; arrays, maps, sets
// and dates are.

const ROUNDS = 100 // of changes that cause changes; more have no end
const ORDER = ['computed', 'monitor', 'render']

let reader // the effect that runs
let scheduled = false
const pending = { computed: new Set(), monitor: new Set(), render: new Set() }
const afterFlush = new Set()

/** Calls `listener` whenever all effects of a turn have run. */
export const onFlush = (listener) => void afterFlush.add(listener)

/** A value that knows its readers. */
export class Cell {
  #value
  #readers = new Set()
  constructor(value) {
    this.#value = observable(value)
  }
  get() {
    this.track()
    return this.#value
  }
  set(value) {
    const next = observable(value)
    if (Object.is(next, this.#value)) return
    if (reader?.kind === 'render') throw new Error('a state was changed while the page was being built')
    this.#value = next
    this.changed()
  }
  track() {
    if (!reader) return
    this.#readers.add(reader)
    reader.sources.add(this)
  }
  changed() {
    for (const effect of [...this.#readers]) schedule(effect)
  }
  forget(effect) {
    this.#readers.delete(effect)
  }
}

/** Runs `action` now, and again after what it has read has changed. */
export class Effect {
  sources = new Set()
  disposed = false
  constructor(kind, action) {
    this.kind = kind
    this.action = action
  }
  run() {
    this.#release()
    const outer = reader
    reader = this
    try {
      return this.action()
    } finally {
      reader = outer
    }
  }
  dispose() {
    this.disposed = true
    this.#release()
    pending[this.kind].delete(this)
  }
  #release() {
    for (const source of this.sources) source.forget(this)
    this.sources.clear()
  }
}

export function untracked(action) {
  const outer = reader
  reader = undefined
  try {
    return action()
  } finally {
    reader = outer
  }
}

function schedule(effect) {
  if (effect.disposed) return
  effect.stale?.()
  pending[effect.kind].add(effect)
  touch()
}

/** Something that is shown has changed that is no state: listeners of onFlush are called, too. */
export function touch() {
  if (scheduled) return
  scheduled = true
  queueMicrotask(flush)
}

function flush() {
  try {
    for (let round = 0; ; round++) {
      const kind = ORDER.find((name) => pending[name].size > 0)
      if (!kind) break
      if (round > ROUNDS) throw new Error(`states change each other without end (${ROUNDS} rounds)`)
      const effects = [...pending[kind]]
      pending[kind].clear()
      for (const effect of effects) if (!effect.disposed) effect.run()
    }
  } finally {
    scheduled = false
    for (const kind of ORDER) pending[kind].clear()
  }
  for (const listener of afterFlush) listener()
}

// Arrays, maps, sets and dates: a proxy that tells readers of any change. The same one each time.
const proxies = new WeakMap()
const isProxy = new WeakSet()
const CHANGERS = {
  Map: ['set', 'delete', 'clear'],
  Set: ['add', 'delete', 'clear'],
  Date: Object.getOwnPropertyNames(Date.prototype).filter((name) => name.startsWith('set')),
}

function observable(value) {
  const kind = Array.isArray(value) ? 'Array' : Object.prototype.toString.call(value).slice(8, -1)
  if (typeof value !== 'object' || value === null || isProxy.has(value)) return value
  if (kind !== 'Array' && !(kind in CHANGERS)) return value
  if (!proxies.has(value)) {
    const proxy = kind === 'Array' ? arrayProxy(value) : methodProxy(value, CHANGERS[kind])
    proxies.set(value, proxy)
    isProxy.add(proxy)
  }
  return proxies.get(value)
}

function arrayProxy(array) {
  const version = new Cell(0)
  const change = () => version.set(untracked(() => version.get()) + 1)
  return new Proxy(array, {
    get(target, key, receiver) {
      version.track()
      const value = Reflect.get(target, key, receiver)
      if (typeof value !== 'function') return observable(value)
      // changing methods read `length` on the way: that makes nobody a reader
      return MUTATORS.has(key) ? (...args) => untracked(() => value.apply(receiver, args)) : value
    },
    set(target, key, value) {
      const before = target[key]
      const had = key in target
      target[key] = value
      if (!had || !Object.is(before, value)) change()
      return true
    },
    deleteProperty(target, key) {
      delete target[key]
      change()
      return true
    },
  })
}
const MUTATORS = new Set(['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin'])

function methodProxy(object, changers) {
  const version = new Cell(0)
  return new Proxy(object, {
    get(target, key) {
      const value = Reflect.get(target, key, target)
      if (changers.includes(key)) {
        return (...args) => {
          const result = value.apply(target, args)
          version.set(untracked(() => version.get()) + 1)
          return result
        }
      }
      version.track()
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

// Decorators. Each instance keeps its cells apart from its class.
const cells = new WeakMap()
export function cellOf(object, key) {
  if (!cells.has(object)) cells.set(object, new Map())
  const own = cells.get(object)
  if (!own.has(key)) own.set(key, new Cell(undefined))
  return own.get(key)
}

/** @Trace and @Local: a field whose readers are told. */
export function Trace(prototype, key) {
  Object.defineProperty(prototype, key, {
    get() {
      return cellOf(this, key).get()
    },
    set(value) {
      cellOf(this, key).set(value)
    },
    enumerable: true,
    configurable: true,
  })
}

export function Computed(prototype, key, { get }) {
  const effects = new WeakMap()
  const effectOf = (object) => {
    if (!effects.has(object)) {
      let dirty = true
      const cell = cellOf(object, key)
      const effect = new Effect('computed', () => {
        if (!dirty) return
        dirty = false
        const value = get.call(object)
        untracked(() => cell.set(value))
      })
      effect.stale = () => (dirty = true)
      effect.refresh = () => dirty && effect.run()
      effects.set(object, effect)
    }
    return effects.get(object)
  }
  return {
    get() {
      effectOf(this).refresh()
      return cellOf(this, key).get()
    },
    enumerable: true,
    configurable: true,
  }
}

const monitors = new WeakMap() // prototype -> [{ paths, key }]

export const Monitor = (...paths) => (prototype, key) => {
  if (!monitors.has(prototype)) monitors.set(prototype, [])
  monitors.get(prototype).push({ paths, key })
}

/** Begins the monitors of a new object; gives what ends them. */
export function startMonitors(object) {
  const effects = []
  for (let prototype = Object.getPrototypeOf(object); prototype; prototype = Object.getPrototypeOf(prototype)) {
    for (const { paths, key } of monitors.get(prototype) ?? []) effects.push(monitor(object, paths, key))
  }
  return () => effects.forEach((effect) => effect.dispose())
}

function monitor(object, paths, key) {
  const read = () => new Map(paths.map((path) => [path, path.split('.').reduce((value, name) => value?.[name], object)]))
  let before
  const effect = new Effect('monitor', () => {
    const now = read()
    const dirty = before ? paths.filter((path) => !Object.is(before.get(path), now.get(path)) || Array.isArray(now.get(path))) : []
    const previous = before
    before = now
    if (dirty.length === 0) return
    const value = (path = dirty[0]) =>
      dirty.includes(path) ? { before: previous.get(path), now: now.get(path), path } : undefined
    untracked(() => object[key]({ dirty, value }))
  })
  effect.run()
  return effect
}

export function ObservedV2(Class) {
  const Observed = class extends Class {
    constructor(...args) {
      super(...args)
      if (new.target === Observed) startMonitors(this)
    }
  }
  Object.defineProperty(Observed, 'name', { value: Class.name })
  return Observed
}
