// What ArkTS has without an import, as far as the demo needs it: own declarations, written after the public documentation
// of API level 12. A name, an argument or an event that is not declared here is an error of the check.

declare type ESObject = any;

declare interface Resource {
  readonly id: number;
  readonly type: number;
  readonly moduleName: string;
  readonly bundleName: string;
  readonly params?: Object[];
}
declare function $r(value: string, ...params: Object[]): Resource;
declare function $rawfile(value: string): Resource;

// State V2
declare const ComponentV2: ClassDecorator & ((options: ComponentOptions) => ClassDecorator);
declare const Entry: ClassDecorator & ((options?: EntryOptions) => ClassDecorator);
declare const ObservedV2: ClassDecorator;
declare const Trace: PropertyDecorator;
declare const Local: PropertyDecorator;
declare const Param: PropertyDecorator;
declare const Once: PropertyDecorator;
declare const Event: PropertyDecorator;
declare const Require: PropertyDecorator;
declare const BuilderParam: PropertyDecorator;
declare const Provider: (alias?: string) => PropertyDecorator;
declare const Consumer: (alias?: string) => PropertyDecorator;
declare const Computed: MethodDecorator;
declare const Monitor: (value: string, ...args: string[]) => MethodDecorator;
declare const Builder: MethodDecorator;
declare const LocalBuilder: MethodDecorator;
declare const Styles: MethodDecorator;
declare const Reusable: ClassDecorator;
declare const Preview: ClassDecorator & ((options?: Object) => ClassDecorator);

declare interface ComponentOptions {
  freezeWhenInactive?: boolean;
}
declare interface EntryOptions {
  routeName?: string;
}
declare interface IMonitorValue<T> {
  before: T;
  now: T;
  path: string;
}
declare interface IMonitor {
  dirty: Array<string>;
  value<T>(path?: string): IMonitorValue<T> | undefined;
}

declare class CustomComponent extends CommonAttribute {
  build(): void;
  aboutToAppear?(): void;
  onDidBuild?(): void;
  aboutToDisappear?(): void;
  onPageShow?(): void;
  onPageHide?(): void;
  onBackPress?(): void | boolean;
  getUIContext(): UIContext;
  getUniqueId(): number;
}

declare interface RepeatItem<T> {
  readonly item: T;
  readonly index: number;
}
declare interface VirtualScrollOptions {
  totalCount?: number;
}
declare class RepeatAttribute<T> {
  each(itemGenerator: (repeatItem: RepeatItem<T>) => void): RepeatAttribute<T>;
  key(keyGenerator: (item: T, index: number) => string): RepeatAttribute<T>;
  virtualScroll(options?: VirtualScrollOptions): RepeatAttribute<T>;
}
declare type RepeatInterface = <T>(arr: Array<T>) => RepeatAttribute<T>;
declare const Repeat: RepeatInterface;

declare class ForEachAttribute {}
declare interface ForEachInterface {
  <T>(arr: Array<T>, itemGenerator: (item: T, index: number) => void, keyGenerator?: (item: T, index: number) => string): ForEachAttribute;
}
declare const ForEach: ForEachInterface;

declare namespace console {
  function debug(message: string, ...args: Object[]): void;
  function log(message: string, ...args: Object[]): void;
  function info(message: string, ...args: Object[]): void;
  function warn(message: string, ...args: Object[]): void;
  function error(message: string, ...args: Object[]): void;
}
declare function setTimeout(handler: () => void, delay?: number): number;
declare function clearTimeout(id?: number): void;
declare function setInterval(handler: () => void, delay?: number): number;
declare function clearInterval(id?: number): void;

// Services of the page that a component lives in.
declare class UIContext {
  getPromptAction(): PromptAction;
  getRouter(): Router;
  getHostContext(): Context | undefined;
  animateTo(value: AnimateParam, event: () => void): void;
  vp2px(value: number): number;
  px2vp(value: number): number;
  fp2px(value: number): number;
  runScopedTask(callback: () => void): void;
}
declare class PromptAction {
  showToast(options: ShowToastOptions): void;
  showDialog(options: ShowDialogOptions): Promise<ShowDialogSuccessResponse>;
}
declare interface ShowToastOptions {
  message: ResourceStr;
  duration?: number;
  bottom?: string | number;
}
declare interface DialogButton {
  text: ResourceStr;
  color: ResourceColor;
  primary?: boolean;
}
declare interface ShowDialogOptions {
  title?: ResourceStr;
  message?: ResourceStr;
  buttons?: Array<DialogButton>;
}
declare interface ShowDialogSuccessResponse {
  index: number;
}
declare interface RouterOptions {
  url: string;
  params?: Object;
}
declare class Router {
  pushUrl(options: RouterOptions): Promise<void>;
  replaceUrl(options: RouterOptions): Promise<void>;
  back(options?: RouterOptions): void;
  getParams(): Object;
}

// The ability's context, which @kit.AbilityKit exports as common.Context and common.UIAbilityContext.
declare class Context {
  readonly resourceManager: ResourceManager;
  readonly filesDir: string;
  readonly cacheDir: string;
  readonly preferencesDir: string;
  getApplicationContext(): ApplicationContext;
}
declare class ApplicationContext extends Context {
  setColorMode(colorMode: number): void;
  setLanguage(language: string): void;
}
declare class ResourceManager {
  getStringSync(resource: Resource): string;
  getStringSync(resId: number, ...args: Array<string | number>): string;
  getStringByNameSync(resName: string, ...args: Array<string | number>): string;
  getColorSync(resource: Resource): number;
  getColorSync(resId: number): number;
}
