#!/usr/bin/env bash
# Proves that scripts/node-suite.sh and the runner notice every way in which a suite can go wrong.
# shellcheck source=support.sh
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"

# suite NAME EXIT_CODE EXPECTED_TEXT < the body of a suite
suite() {
  { echo "import { test, assert } from '$root/tests/node/support/runner.mjs'"; cat; } >"$work/suite.test.mjs"
  expect "$1" "$2" "$3" "$root/scripts/node-suite.sh" HOST "$work/suite.test.mjs"
}

suite "a good suite passes" 0 "2 passed, 0 failed" <<<"test('a', () => {}); test('b', async () => { await 1 })"
suite "a skipped test is counted" 0 "1 passed, 0 failed, 1 skipped" <<<"test('a', () => {}); test.skip('b', 'not here')"
suite "a failing test" 1 "1 passed, 1 failed" <<<"test('a', () => {}); test('b', () => assert.equal(1, 2))"
suite "a rejected test" 1 "0 passed, 1 failed" <<<"test('a', async () => { throw new Error('x') })"
RESILIENCE_TEST_TIMEOUT_MS=2000 suite "a test that never settles" 1 "1 passed, 1 failed" <<<"test('a', () => {}); test('b', () => new Promise(() => {}))"
suite "an early process.exit(0)" 1 "0 passed, 1 failed" <<<"test('a', () => process.exit(0))"
suite "a crash" 1 "no closing line" <<<"test('a', () => process.abort())"
suite "no test" 1 "no test ran" <<<"1"
suite "an error beside the tests" 1 "0 passed, 1 failed" <<<"test('a', () => {}); throw new Error('x')"
suite "an error after a test" 1 "exit code" <<<"test('a', () => { setTimeout(() => { throw new Error('late') }, 20) })"

# As on an engine without Node's modules: no process, only print().
cat >"$work/ark.mjs" <<EOF
import { writeSync } from 'node:fs'
globalThis.print = (line) => writeSync(1, line + '\n')
globalThis.process = undefined
const { test, assert } = await import('$root/tests/node/support/runner.mjs')
test('one', async () => { await null })
test('two', () => assert.equal(1, 2))
test('three', () => {})
EOF
output=$(node "$work/ark.mjs" 2>&1) && result=1 || result=0
[[ $output = *"ok one"*"not ok two"*"1 is not 2"*"ok three"*"2 passed, 1 failed"* ]] || result=1
report "$result" "without node:test the tests run one after the other, with the same closing line" "$output"

finish
