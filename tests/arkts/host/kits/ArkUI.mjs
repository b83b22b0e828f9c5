import { uiContext } from '../arkui/page.mjs'

export const promptAction = uiContext.getPromptAction()
export const window = {}
export class LengthMetrics {
  unit = 1
  constructor(value) {
    this.value = value
  }
  static vp(value) {
    return new LengthMetrics(value)
  }
}
