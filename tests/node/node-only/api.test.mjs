// support/api.mjs is what make-api.mjs makes of index.d.ts.
import { test, assert } from '../support/runner.mjs'
import { isUpToDate, read } from '../support/make-api.mjs'

test('support/api.mjs is up to date with index.d.ts', () => {
  assert.ok(isUpToDate(), 'run node tests/node/support/make-api.mjs')
})

test('what make-api.mjs does not know is an error, not left out', () => {
  assert.throws(() => read('export declare namespace x {\n}\n'), /unknown/)
  assert.throws(() => read('export declare class X {\n  field: number\n}\n'), Error)
  assert.throws(() => read('export interface X {\n  [key: string]: number\n}\n'), Error)
})

test('nested types are taken as a whole', () => {
  const { functions } = read('export declare function f(a: (b: number, c?: () => void) => Map<string, number>, d?: { e: number, f: string }): Promise<void>\n')
  assert.deepEqual(functions.f, {
    parameters: [
      { name: 'a', optional: false, type: '(b: number, c?: () => void) => Map<string, number>' },
      { name: 'd', optional: true, type: '{ e: number, f: string }' },
    ],
    returns: 'Promise<void>',
  })
})
