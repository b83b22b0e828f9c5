// Canvas, and what is drawn on it.

declare class RenderingContextSettings {
  constructor(antialias?: boolean);
}
declare type CanvasTextAlign = 'center' | 'end' | 'left' | 'right' | 'start';
declare type CanvasTextBaseline = 'alphabetic' | 'bottom' | 'hanging' | 'ideographic' | 'middle' | 'top';
declare type CanvasLineCap = 'butt' | 'round' | 'square';
declare type CanvasLineJoin = 'bevel' | 'miter' | 'round';
declare interface TextMetrics { readonly width: number; readonly height: number }

declare class CanvasRenderingContext2D {
  constructor(settings?: RenderingContextSettings);
  readonly width: number;
  readonly height: number;
  fillStyle: string | number;
  strokeStyle: string | number;
  lineWidth: number;
  lineCap: CanvasLineCap;
  lineJoin: CanvasLineJoin;
  globalAlpha: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  beginPath(): void;
  closePath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, startAngle: number, endAngle: number, counterclockwise?: boolean): void;
  rect(x: number, y: number, w: number, h: number): void;
  fill(): void;
  stroke(): void;
  fillRect(x: number, y: number, w: number, h: number): void;
  strokeRect(x: number, y: number, w: number, h: number): void;
  clearRect(x: number, y: number, w: number, h: number): void;
  fillText(text: string, x: number, y: number, maxWidth?: number): void;
  strokeText(text: string, x: number, y: number, maxWidth?: number): void;
  measureText(text: string): TextMetrics;
  setLineDash(segments: number[]): void;
  save(): void;
  restore(): void;
  translate(x: number, y: number): void;
  scale(x: number, y: number): void;
  rotate(angle: number): void;
  reset(): void;
}

declare interface CanvasInterface { (context?: CanvasRenderingContext2D): CanvasAttribute }
declare class CanvasAttribute extends CommonMethod<CanvasAttribute> {
  onReady(event: VoidCallback): CanvasAttribute;
}
declare const Canvas: CanvasInterface;
declare const CanvasInstance: CanvasAttribute;
