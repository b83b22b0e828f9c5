// The components: what each takes, and its own attributes and events.

declare interface ColumnOptions { space?: string | number }
declare interface RowOptions { space?: string | number }
declare interface ColumnInterface { (options?: ColumnOptions): ColumnAttribute }
declare class ColumnAttribute extends CommonMethod<ColumnAttribute> {
  alignItems(value: HorizontalAlign): ColumnAttribute;
  justifyContent(value: FlexAlign): ColumnAttribute;
}
declare const Column: ColumnInterface;
declare const ColumnInstance: ColumnAttribute;

declare interface RowInterface { (options?: RowOptions): RowAttribute }
declare class RowAttribute extends CommonMethod<RowAttribute> {
  alignItems(value: VerticalAlign): RowAttribute;
  justifyContent(value: FlexAlign): RowAttribute;
}
declare const Row: RowInterface;
declare const RowInstance: RowAttribute;

declare interface LengthMetrics { unit: number; value: number }
declare interface FlexOptions { direction?: FlexDirection; wrap?: FlexWrap; justifyContent?: FlexAlign; alignItems?: ItemAlign; alignContent?: FlexAlign; space?: FlexSpaceOptions }
declare interface FlexSpaceOptions { main?: LengthMetrics; cross?: LengthMetrics }
declare interface FlexInterface { (value?: FlexOptions): FlexAttribute }
declare class FlexAttribute extends CommonMethod<FlexAttribute> {}
declare const Flex: FlexInterface;
declare const FlexInstance: FlexAttribute;

declare interface StackOptions { alignContent?: Alignment }
declare interface StackInterface { (options?: StackOptions): StackAttribute }
declare class StackAttribute extends CommonMethod<StackAttribute> {
  alignContent(value: Alignment): StackAttribute;
}
declare const Stack: StackInterface;
declare const StackInstance: StackAttribute;

declare class Scroller {
  scrollTo(options: ScrollOptions): void;
  scrollEdge(value: Edge): void;
  scrollToIndex(value: number, smooth?: boolean): void;
}
declare interface ScrollOptions { xOffset: number | string; yOffset: number | string; animation?: boolean }
declare class ScrollableCommonMethod<T> extends CommonMethod<T> {
  scrollBar(value: BarState): T;
  edgeEffect(value: EdgeEffect, options?: EdgeEffectOptions): T;
  nestedScroll(value: NestedScrollOptions): T;
}
declare interface EdgeEffectOptions { alwaysEnabled: boolean }
declare enum NestedScrollMode { SELF_ONLY, SELF_FIRST, PARENT_FIRST, PARALLEL }
declare interface NestedScrollOptions { scrollForward: NestedScrollMode; scrollBackward: NestedScrollMode }
declare interface ScrollInterface { (scroller?: Scroller): ScrollAttribute }
declare class ScrollAttribute extends ScrollableCommonMethod<ScrollAttribute> {
  scrollable(value: ScrollDirection): ScrollAttribute;
}
declare const Scroll: ScrollInterface;
declare const ScrollInstance: ScrollAttribute;

declare interface ListOptions { initialIndex?: number; space?: number | string; scroller?: Scroller }
declare interface DividerOptions { strokeWidth: Length; color?: ResourceColor; startMargin?: Length; endMargin?: Length }
declare interface ListInterface { (options?: ListOptions): ListAttribute }
declare class ListAttribute extends ScrollableCommonMethod<ListAttribute> {
  listDirection(value: Axis): ListAttribute;
  divider(value: DividerOptions | null): ListAttribute;
  lanes(value: number): ListAttribute;
  sticky(value: StickyStyle): ListAttribute;
  cachedCount(value: number): ListAttribute;
}
declare const List: ListInterface;
declare const ListInstance: ListAttribute;

declare interface ListItemInterface { (): ListItemAttribute }
declare class ListItemAttribute extends CommonMethod<ListItemAttribute> {}
declare const ListItem: ListItemInterface;
declare const ListItemInstance: ListItemAttribute;

declare interface ListItemGroupOptions { space?: number | string }
declare interface ListItemGroupInterface { (options?: ListItemGroupOptions): ListItemGroupAttribute }
declare class ListItemGroupAttribute extends CommonMethod<ListItemGroupAttribute> {
  divider(value: DividerOptions | null): ListItemGroupAttribute;
}
declare const ListItemGroup: ListItemGroupInterface;
declare const ListItemGroupInstance: ListItemGroupAttribute;

declare interface TextOverflowOptions { overflow: TextOverflow }
declare interface DecorationStyleInterface { type: TextDecorationType; color?: ResourceColor }
declare interface TextInterface { (content?: ResourceStr): TextAttribute }
declare class TextAttribute extends CommonMethod<TextAttribute> {
  font(value: Font): TextAttribute;
  fontSize(value: number | string | Resource): TextAttribute;
  fontColor(value: ResourceColor): TextAttribute;
  fontWeight(value: number | FontWeight | string): TextAttribute;
  fontStyle(value: FontStyle): TextAttribute;
  fontFamily(value: string | Resource): TextAttribute;
  lineHeight(value: number | string | Resource): TextAttribute;
  letterSpacing(value: number | string): TextAttribute;
  textAlign(value: TextAlign): TextAttribute;
  textOverflow(value: TextOverflowOptions): TextAttribute;
  textCase(value: TextCase): TextAttribute;
  maxLines(value: number): TextAttribute;
  minFontSize(value: number | string | Resource): TextAttribute;
  maxFontSize(value: number | string | Resource): TextAttribute;
  decoration(value: DecorationStyleInterface): TextAttribute;
  copyOption(value: CopyOptions): TextAttribute;
  wordBreak(value: WordBreak): TextAttribute;
}
declare const Text: TextInterface;
declare const TextInstance: TextAttribute;

declare interface SpanInterface { (value: string | Resource): SpanAttribute }
declare class SpanAttribute extends CommonMethod<SpanAttribute> {
  fontSize(value: number | string | Resource): SpanAttribute;
  fontColor(value: ResourceColor): SpanAttribute;
  fontWeight(value: number | FontWeight | string): SpanAttribute;
  fontStyle(value: FontStyle): SpanAttribute;
  decoration(value: DecorationStyleInterface): SpanAttribute;
}
declare const Span: SpanInterface;
declare const SpanInstance: SpanAttribute;

declare interface ButtonOptions { type?: ButtonType; stateEffect?: boolean; buttonStyle?: ButtonStyleMode; controlSize?: ControlSize; role?: ButtonRole }
declare interface ButtonInterface {
  (label: ResourceStr, options?: ButtonOptions): ButtonAttribute;
  (options?: ButtonOptions): ButtonAttribute;
}
declare class ButtonAttribute extends CommonMethod<ButtonAttribute> {
  type(value: ButtonType): ButtonAttribute;
  stateEffect(value: boolean): ButtonAttribute;
  buttonStyle(value: ButtonStyleMode): ButtonAttribute;
  controlSize(value: ControlSize): ButtonAttribute;
  role(value: ButtonRole): ButtonAttribute;
  fontSize(value: Length): ButtonAttribute;
  fontColor(value: ResourceColor): ButtonAttribute;
  fontWeight(value: number | FontWeight | string): ButtonAttribute;
}
declare const Button: ButtonInterface;
declare const ButtonInstance: ButtonAttribute;

declare class TextInputController {
  caretPosition(value: number): void;
  stopEditing(): void;
}
declare interface TextInputOptions { placeholder?: ResourceStr; text?: ResourceStr; controller?: TextInputController }
declare interface TextInputInterface { (value?: TextInputOptions): TextInputAttribute }
declare class TextInputAttribute extends CommonMethod<TextInputAttribute> {
  type(value: InputType): TextInputAttribute;
  enterKeyType(value: EnterKeyType): TextInputAttribute;
  placeholderColor(value: ResourceColor): TextInputAttribute;
  placeholderFont(value?: Font): TextInputAttribute;
  caretColor(value: ResourceColor): TextInputAttribute;
  fontSize(value: Length): TextInputAttribute;
  fontColor(value: ResourceColor): TextInputAttribute;
  fontWeight(value: number | FontWeight | string): TextInputAttribute;
  textAlign(value: TextAlign): TextInputAttribute;
  maxLength(value: number): TextInputAttribute;
  enableAutoFill(value: boolean): TextInputAttribute;
  showPasswordIcon(value: boolean): TextInputAttribute;
  showError(value?: ResourceStr | undefined): TextInputAttribute;
  onChange(callback: (value: string) => void): TextInputAttribute;
  onSubmit(callback: (enterKey: EnterKeyType) => void): TextInputAttribute;
}
declare const TextInput: TextInputInterface;
declare const TextInputInstance: TextInputAttribute;

declare class TextAreaController {
  caretPosition(value: number): void;
  stopEditing(): void;
}
declare interface TextAreaOptions { placeholder?: ResourceStr; text?: ResourceStr; controller?: TextAreaController }
declare interface TextAreaInterface { (value?: TextAreaOptions): TextAreaAttribute }
declare class TextAreaAttribute extends CommonMethod<TextAreaAttribute> {
  placeholderColor(value: ResourceColor): TextAreaAttribute;
  placeholderFont(value: Font): TextAreaAttribute;
  caretColor(value: ResourceColor): TextAreaAttribute;
  fontSize(value: Length): TextAreaAttribute;
  fontColor(value: ResourceColor): TextAreaAttribute;
  textAlign(value: TextAlign): TextAreaAttribute;
  maxLength(value: number): TextAreaAttribute;
  maxLines(value: number): TextAreaAttribute;
  onChange(callback: (value: string) => void): TextAreaAttribute;
}
declare const TextArea: TextAreaInterface;
declare const TextAreaInstance: TextAreaAttribute;

declare interface SliderOptions { value?: number; min?: number; max?: number; step?: number; style?: SliderStyle; direction?: Axis; reverse?: boolean }
declare interface SliderInterface { (options?: SliderOptions): SliderAttribute }
declare class SliderAttribute extends CommonMethod<SliderAttribute> {
  blockColor(value: ResourceColor): SliderAttribute;
  trackColor(value: ResourceColor): SliderAttribute;
  selectedColor(value: ResourceColor): SliderAttribute;
  trackThickness(value: Length): SliderAttribute;
  showSteps(value: boolean): SliderAttribute;
  showTips(value: boolean, content?: ResourceStr): SliderAttribute;
  onChange(callback: (value: number, mode: SliderChangeMode) => void): SliderAttribute;
}
declare const Slider: SliderInterface;
declare const SliderInstance: SliderAttribute;

declare interface ProgressOptions { value: number; total?: number; type?: ProgressType }
declare interface ProgressStyleOptions { strokeWidth?: Length; scaleCount?: number; scaleWidth?: Length; enableSmoothEffect?: boolean; status?: ProgressStatus }
declare interface ProgressInterface { (options: ProgressOptions): ProgressAttribute }
declare class ProgressAttribute extends CommonMethod<ProgressAttribute> {
  value(value: number): ProgressAttribute;
  color(value: ResourceColor): ProgressAttribute;
  style(value: ProgressStyleOptions): ProgressAttribute;
}
declare const Progress: ProgressInterface;
declare const ProgressInstance: ProgressAttribute;

declare interface LoadingProgressInterface { (): LoadingProgressAttribute }
declare class LoadingProgressAttribute extends CommonMethod<LoadingProgressAttribute> {
  color(value: ResourceColor): LoadingProgressAttribute;
  enableLoading(value: boolean): LoadingProgressAttribute;
}
declare const LoadingProgress: LoadingProgressInterface;
declare const LoadingProgressInstance: LoadingProgressAttribute;

declare interface DividerInterface { (): DividerAttribute }
declare class DividerAttribute extends CommonMethod<DividerAttribute> {
  vertical(value: boolean): DividerAttribute;
  color(value: ResourceColor): DividerAttribute;
  strokeWidth(value: number | string): DividerAttribute;
  lineCap(value: LineCapStyle): DividerAttribute;
}
declare const Divider: DividerInterface;
declare const DividerInstance: DividerAttribute;

declare interface BlankInterface { (min?: number | string): BlankAttribute }
declare class BlankAttribute extends CommonMethod<BlankAttribute> {
  color(value: ResourceColor): BlankAttribute;
}
declare const Blank: BlankInterface;
declare const BlankInstance: BlankAttribute;

declare interface ToggleOptions { type: ToggleType; isOn?: boolean }
declare interface ToggleInterface { (options: ToggleOptions): ToggleAttribute }
declare class ToggleAttribute extends CommonMethod<ToggleAttribute> {
  selectedColor(value: ResourceColor): ToggleAttribute;
  switchPointColor(value: ResourceColor): ToggleAttribute;
  onChange(callback: (isOn: boolean) => void): ToggleAttribute;
}
declare const Toggle: ToggleInterface;
declare const ToggleInstance: ToggleAttribute;

declare interface SelectOption { value: ResourceStr; icon?: ResourceStr }
declare interface SelectInterface { (options: Array<SelectOption>): SelectAttribute }
declare class SelectAttribute extends CommonMethod<SelectAttribute> {
  selected(value: number | Resource): SelectAttribute;
  value(value: ResourceStr): SelectAttribute;
  font(value: Font): SelectAttribute;
  fontColor(value: ResourceColor): SelectAttribute;
  onSelect(callback: (index: number, value: string) => void): SelectAttribute;
}
declare const Select: SelectInterface;
declare const SelectInstance: SelectAttribute;

declare interface ImageInterface { (src: ResourceStr): ImageAttribute }
declare class ImageAttribute extends CommonMethod<ImageAttribute> {
  alt(value: string | Resource): ImageAttribute;
  fillColor(value: ResourceColor): ImageAttribute;
  objectFit(value: ImageFit): ImageAttribute;
}
declare const Image: ImageInterface;
declare const ImageInstance: ImageAttribute;

declare class TabsController {
  changeIndex(value: number): void;
}
declare interface TabsOptions { barPosition?: BarPosition; index?: number; controller?: TabsController }
declare interface TabsInterface { (options?: TabsOptions): TabsAttribute }
declare class TabsAttribute extends CommonMethod<TabsAttribute> {
  vertical(value: boolean): TabsAttribute;
  scrollable(value: boolean): TabsAttribute;
  barMode(value: BarMode): TabsAttribute;
  barWidth(value: Length): TabsAttribute;
  barHeight(value: Length): TabsAttribute;
  barBackgroundColor(value: ResourceColor): TabsAttribute;
  animationDuration(value: number): TabsAttribute;
  divider(value: DividerOptions | null): TabsAttribute;
  onChange(event: (index: number) => void): TabsAttribute;
}
declare const Tabs: TabsInterface;
declare const TabsInstance: TabsAttribute;

declare interface TabBarOptions { icon?: string | Resource; text?: string | Resource }
declare interface TabContentInterface { (): TabContentAttribute }
declare class TabContentAttribute extends CommonMethod<TabContentAttribute> {
  tabBar(value: string | Resource | CustomBuilder | TabBarOptions): TabContentAttribute;
  onWillShow(event: VoidCallback): TabContentAttribute;
  onWillHide(event: VoidCallback): TabContentAttribute;
}
declare const TabContent: TabContentInterface;
declare const TabContentInstance: TabContentAttribute;

declare class NavPathInfo {
  constructor(name: string, param: Object);
  name: string;
  param?: Object;
}
declare class NavPathStack {
  constructor();
  pushPath(info: NavPathInfo, animated?: boolean): void;
  pushPathByName(name: string, param: Object, animated?: boolean): void;
  replacePathByName(name: string, param: Object, animated?: boolean): void;
  pop(animated?: boolean): NavPathInfo | undefined;
  clear(animated?: boolean): void;
  size(): number;
  getAllPathName(): Array<string>;
  getParamByName(name: string): Object[];
  getParamByIndex(index: number): Object | undefined;
}
declare interface NavigationCommonTitle { main: string; sub: string }
declare interface NavigationInterface {
  (): NavigationAttribute;
  (pathInfos: NavPathStack): NavigationAttribute;
}
declare class NavigationAttribute extends CommonMethod<NavigationAttribute> {
  title(value: ResourceStr | NavigationCommonTitle): NavigationAttribute;
  titleMode(value: NavigationTitleMode): NavigationAttribute;
  mode(value: NavigationMode): NavigationAttribute;
  hideTitleBar(value: boolean): NavigationAttribute;
  hideToolBar(value: boolean): NavigationAttribute;
  hideBackButton(value: boolean): NavigationAttribute;
  navDestination(builder: (name: string, param: Object) => void): NavigationAttribute;
}
declare const Navigation: NavigationInterface;
declare const NavigationInstance: NavigationAttribute;

declare interface NavDestinationContext { pathInfo: NavPathInfo; pathStack: NavPathStack }
declare interface NavDestinationInterface { (): NavDestinationAttribute }
declare class NavDestinationAttribute extends CommonMethod<NavDestinationAttribute> {
  title(value: ResourceStr | NavigationCommonTitle): NavDestinationAttribute;
  hideTitleBar(value: boolean): NavDestinationAttribute;
  onShown(callback: () => void): NavDestinationAttribute;
  onBackPressed(callback: () => boolean): NavDestinationAttribute;
  onReady(callback: (context: NavDestinationContext) => void): NavDestinationAttribute;
}
declare const NavDestination: NavDestinationInterface;
declare const NavDestinationInstance: NavDestinationAttribute;
