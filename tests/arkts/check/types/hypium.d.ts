// @ohos/hypium 1.0.25, without what is not to be used: assertInstanceOf (wrong in its source), MockKit.
export const DEFAULT: number;
export enum TestType { FUNCTION = 1, PERFORMANCE = 2, POWER = 4, RELIABILITY = 8, SECURITY = 16, GLOBAL = 32, COMPATIBILITY = 64, USER = 128, STANDARD = 256, SAFETY = 512, RESILIENCE = 1024 }
export enum Size { SMALLTEST = 65536, MEDIUMTEST = 131072, LARGETEST = 262144 }
export enum Level { LEVEL0 = 16777216, LEVEL1 = 33554432, LEVEL2 = 67108864, LEVEL3 = 134217728, LEVEL4 = 268435456 }

export function describe(name: string, declare: () => void): void;
export function xdescribe(name: string, declare: () => void, reason?: string): void;
export function it(name: string, filter: number, run: (() => void | Promise<void>) | ((done: () => void) => void | Promise<void>), timeoutMs?: number): void;
export function xit(name: string, filter: number, run: () => void | Promise<void>, reason?: string): void;
export function beforeAll(run: () => void | Promise<void>): void;
export function beforeEach(run: () => void | Promise<void>): void;
export function afterEach(run: () => void | Promise<void>): void;
export function afterAll(run: () => void | Promise<void>): void;
export function beforeItSpecified(names: Array<string> | string, run: () => void | Promise<void>): void;
export function afterItSpecified(names: Array<string> | string, run: () => void | Promise<void>): void;

export interface Assert {
  not(): Assert;
  message(text: string): Assert;
  assertTrue(): void;
  assertFalse(): void;
  assertNull(): void;
  assertUndefined(): void;
  assertNaN(): void;
  assertPosUnlimited(): void;
  assertNegUnlimited(): void;
  assertFail(): void;
  assertEqual(expected: Object | string | number | boolean | null | undefined): void;
  assertDeepEquals(expected: Object | string | number | boolean | null | undefined): void;
  assertContain(expected: Object | string | number | boolean): void;
  assertClose(expected: number, precision: number): void;
  assertLarger(expected: number): void;
  assertLess(expected: number): void;
  assertLargerOrEqual(expected: number): void;
  assertLessOrEqual(expected: number): void;
  assertThrowError(expected: string | Function): void;
  assertPromiseIsPending(): Promise<void>;
  assertPromiseIsResolved(): Promise<void>;
  assertPromiseIsRejected(): Promise<void>;
  assertPromiseIsResolvedWith(expected: Object | string | number | boolean): Promise<void>;
  assertPromiseIsRejectedWith(expected: Object | string | number | boolean): Promise<void>;
  assertPromiseIsRejectedWithError(expected: string | Function, message?: string): Promise<void>;
}
export function expect(actual?: Object | string | number | boolean | null | undefined): Assert;
