// What ArkTS code finds without an import: decorators, $r, and what lowered UI code calls (`Ark`).
import { canvas } from './arkui/canvas.mjs'
import { navigation } from './arkui/navigation.mjs'
import { $r, $rawfile } from './arkui/resources.mjs'
import * as runtime from './arkui/runtime.mjs'
import { Computed, Monitor, ObservedV2, Trace } from './arkui/state.mjs'
import { Builder, BuilderParam, Consumer, Event, Local, Once, Param, Provider, RepeatItem, Require, View } from './arkui/view.mjs'

let entry
/** The page that the latest module with an @Entry has declared. */
export function takeEntry() {
  const taken = entry
  entry = undefined
  return taken
}

const Ark = { ...runtime, View, repeat: (values, settings) => runtime.repeat(values, settings, (item, index) => new RepeatItem(item, index)) }
// with or without parentheses
const classDecorator = (apply) => (argument) => (typeof argument === 'function' ? apply(argument) : apply)

Object.assign(globalThis, {
  Ark, $r, $rawfile,
  Entry: classDecorator((Class) => void (entry = Class)),
  ComponentV2: classDecorator(() => {}),
  Preview: classDecorator(() => {}),
  Reusable: classDecorator(() => {}),
  ObservedV2, Trace, Computed, Monitor,
  Local, Param, Once, Event, Require, Builder, LocalBuilder: Builder, BuilderParam, Provider, Consumer,
  ...canvas, ...navigation,
})
