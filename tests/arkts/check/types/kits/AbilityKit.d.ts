export class UIAbility {
  context: common.UIAbilityContext;
  onCreate(want: Want, launchParam: AbilityConstant.LaunchParam): void;
  onDestroy(): void | Promise<void>;
  onWindowStageCreate(windowStage: WindowStage): void;
  onWindowStageDestroy(): void;
  onForeground(): void;
  onBackground(): void;
}
import { window } from './ArkUI';
type WindowStage = window.WindowStage;

export interface Want {
  bundleName?: string;
  abilityName?: string;
  parameters?: Record<string, Object>;
}
export namespace AbilityConstant {
  interface LaunchParam {
    launchReason: number;
  }
}
export namespace ConfigurationConstant {
  enum ColorMode { COLOR_MODE_NOT_SET = -1, COLOR_MODE_DARK = 0, COLOR_MODE_LIGHT = 1 }
}
type AbilityContext = Context;
type AppContext = ApplicationContext;
export namespace common {
  type Context = AbilityContext;
  type ApplicationContext = AppContext;
  class UIAbilityContext extends Context {}
}
