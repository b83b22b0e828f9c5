import { configuration, resourceManager } from '../arkui/resources.mjs'

class Context {
  resourceManager = resourceManager
  filesDir = '/data/storage/el2/base/haps/entry/files'
  cacheDir = '/data/storage/el2/base/haps/entry/cache'
  preferencesDir = '/data/storage/el2/base/haps/entry/preferences'
  getApplicationContext() {
    return applicationContext
  }
}

class ApplicationContext extends Context {
  /** Not set: as the phone is. */
  setColorMode(mode) {
    if (mode !== ConfigurationConstant.ColorMode.COLOR_MODE_NOT_SET) configuration.set({ dark: mode === 0 })
  }
  setLanguage(language) {
    configuration.set({ language: language.startsWith('zh') ? 'zh_CN' : 'en_US' })
  }
}

const applicationContext = new ApplicationContext()
/** Of the one ability that the host runs. */
export const abilityContext = new Context()

export const ConfigurationConstant = { ColorMode: { COLOR_MODE_NOT_SET: -1, COLOR_MODE_DARK: 0, COLOR_MODE_LIGHT: 1 } }
export const AbilityConstant = {}
export class UIAbility {
  context = abilityContext
}
export const common = { UIAbilityContext: Context }
