// Units, enums, and the attributes and events that every component has. What the page host (host/arkui) can't do is not
// declared.

declare type Length = string | number | Resource;
declare type Dimension = Length;
declare type ResourceStr = string | Resource;
declare type ResourceColor = Color | number | string | Resource;
declare type VoidCallback = () => void;
declare type CustomBuilder = (() => void) | void;
declare type Optional<T> = T | undefined;

declare enum Color { White, Black, Blue, Brown, Gray, Green, Grey, Orange, Pink, Red, Yellow, Transparent }
declare enum FontWeight { Lighter, Normal, Regular, Medium, Bold, Bolder }
declare enum FontStyle { Normal, Italic }
declare enum TextAlign { Start, Center, End, JUSTIFY }
declare enum TextOverflow { None, Clip, Ellipsis, MARQUEE }
declare enum TextDecorationType { None, Underline, Overline, LineThrough }
declare enum TextCase { Normal, LowerCase, UpperCase }
declare enum WordBreak { NORMAL, BREAK_ALL, BREAK_WORD }
declare enum CopyOptions { None = 0, InApp = 1, LocalDevice = 2 }
declare enum HorizontalAlign { Start, Center, End }
declare enum VerticalAlign { Top, Center, Bottom }
declare enum FlexAlign { Start, Center, End, SpaceBetween, SpaceAround, SpaceEvenly }
declare enum FlexDirection { Row, Column, RowReverse, ColumnReverse }
declare enum FlexWrap { NoWrap, Wrap, WrapReverse }
declare enum ItemAlign { Auto, Start, Center, End, Baseline, Stretch }
declare enum Alignment { TopStart, Top, TopEnd, Start, Center, End, BottomStart, Bottom, BottomEnd }
declare enum Axis { Vertical, Horizontal }
declare enum Direction { Ltr, Rtl, Auto }
declare enum Visibility { Visible, Hidden, None }
declare enum BorderStyle { Dotted, Dashed, Solid }
declare enum ButtonType { Capsule, Circle, Normal, ROUNDED_RECTANGLE = 8 }
declare enum ButtonStyleMode { NORMAL = 0, EMPHASIZED = 1, TEXTUAL = 2 }
declare enum ButtonRole { NORMAL = 0, ERROR = 1 }
declare enum ControlSize { SMALL = 'small', NORMAL = 'normal' }
declare enum InputType { Normal = 0, Number = 2, PhoneNumber = 3, Email = 5, Password = 7, NUMBER_PASSWORD = 8, USER_NAME = 10, NUMBER_DECIMAL = 12, URL = 13 }
declare enum EnterKeyType { Go = 2, Search = 3, Send = 4, Next = 5, Done = 6 }
declare enum SliderStyle { OutSet, InSet, NONE }
declare enum SliderChangeMode { Begin, Moving, End, Click }
declare enum ProgressType { Linear, Ring, Eclipse, ScaleRing, Capsule }
declare enum ProgressStatus { PROGRESSING, LOADING }
declare enum ToggleType { Checkbox, Switch, Button }
declare enum BarPosition { Start, End }
declare enum BarMode { Scrollable = 'Scrollable', Fixed = 'Fixed' }
declare enum BarState { Off, Auto, On }
declare enum EdgeEffect { Spring, Fade, None }
declare enum Edge { Top, Center, Bottom, Baseline, Start, Middle, End }
declare enum ScrollDirection { Vertical, Horizontal, Free, None }
declare enum NavigationMode { Stack = 0, Split = 1, Auto = 2 }
declare enum NavigationTitleMode { Free = 0, Full = 1, Mini = 2 }
declare enum ImageFit { Fill = 0, Contain = 1, Cover = 2, Auto = 3, None = 5, ScaleDown = 6 }
declare enum Curve { Linear, Ease, EaseIn, EaseOut, EaseInOut, FastOutSlowIn, LinearOutSlowIn, FastOutLinearIn, ExtremeDeceleration, Sharp, Rhythm, Smooth, Friction }
declare enum SafeAreaType { SYSTEM, CUTOUT, KEYBOARD }
declare enum SafeAreaEdge { TOP, BOTTOM, START, END }
declare enum HitTestMode { Default, Block, Transparent, None }
declare enum StickyStyle { None = 0, Header = 1, Footer = 2 }
declare enum LineCapStyle { Butt, Round, Square }

declare interface Padding { top?: Length; right?: Length; bottom?: Length; left?: Length }
declare type Margin = Padding;
declare interface BorderRadiuses { topLeft?: Length; topRight?: Length; bottomLeft?: Length; bottomRight?: Length }
declare interface EdgeWidths { top?: Length; right?: Length; bottom?: Length; left?: Length }
declare interface EdgeColors { top?: ResourceColor; right?: ResourceColor; bottom?: ResourceColor; left?: ResourceColor }
declare interface BorderOptions { width?: EdgeWidths | Length; color?: EdgeColors | ResourceColor; radius?: BorderRadiuses | Length; style?: BorderStyle }
declare interface SizeOptions { width?: Length; height?: Length }
declare interface ConstraintSizeOptions { minWidth?: Length; maxWidth?: Length; minHeight?: Length; maxHeight?: Length }
declare interface Position { x?: Length; y?: Length }
declare interface ShadowOptions { radius: number | Resource; color?: Color | string | Resource; offsetX?: number | Resource; offsetY?: number | Resource }
declare interface Font { size?: Length; weight?: FontWeight | number | string; family?: string | Resource; style?: FontStyle }
declare interface AnimateParam { duration?: number; delay?: number; curve?: Curve | string; iterations?: number; onFinish?: () => void }
declare interface ClickEvent { readonly x: number; readonly y: number; readonly windowX: number; readonly windowY: number }

declare class TransitionEffect {
  static readonly OPACITY: TransitionEffect;
  static readonly SLIDE: TransitionEffect;
  static opacity(alpha: number): TransitionEffect;
  animation(value: AnimateParam): TransitionEffect;
  combine(effect: TransitionEffect): TransitionEffect;
}

declare class CommonMethod<T> {
  width(value: Length): T;
  height(value: Length): T;
  size(value: SizeOptions): T;
  constraintSize(value: ConstraintSizeOptions): T;
  aspectRatio(value: number): T;
  layoutWeight(value: number | string): T;
  flexGrow(value: number): T;
  flexShrink(value: number): T;
  flexBasis(value: number | string): T;
  alignSelf(value: ItemAlign): T;
  align(value: Alignment): T;
  direction(value: Direction): T;
  displayPriority(value: number): T;
  padding(value: Padding | Length): T;
  margin(value: Margin | Length): T;
  position(value: Position): T;
  offset(value: Position): T;
  zIndex(value: number): T;
  border(value: BorderOptions): T;
  borderWidth(value: Length | EdgeWidths): T;
  borderColor(value: ResourceColor | EdgeColors): T;
  borderRadius(value: Length | BorderRadiuses): T;
  borderStyle(value: BorderStyle): T;
  backgroundColor(value: ResourceColor): T;
  foregroundColor(value: ResourceColor): T;
  opacity(value: number | Resource): T;
  shadow(value: ShadowOptions): T;
  clip(value: boolean): T;
  visibility(value: Visibility): T;
  enabled(value: boolean): T;
  focusable(value: boolean): T;
  defaultFocus(value: boolean): T;
  tabIndex(value: number): T;
  hitTestBehavior(value: HitTestMode): T;
  expandSafeArea(types?: Array<SafeAreaType>, edges?: Array<SafeAreaEdge>): T;
  animation(value: AnimateParam): T;
  transition(value: TransitionEffect): T;
  id(value: string): T;
  key(value: string): T;
  accessibilityText(value: string | Resource): T;
  accessibilityDescription(value: string | Resource): T;
  accessibilityGroup(value: boolean): T;
  accessibilityLevel(value: string): T;
  onClick(event: (event: ClickEvent) => void): T;
  onAppear(event: () => void): T;
  onDisAppear(event: () => void): T;
}
declare class CommonAttribute extends CommonMethod<CommonAttribute> {}
declare const CommonInstance: CommonAttribute;
