#!/usr/bin/env bash
# Proves that scripts/sanitize.sh finds what it looks for: plants a module with one fault a function, and calls them.
# shellcheck source=support.sh
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
ensure_rust
export RESILIENCE_SANITIZED=$work/plant.so
# There is no plant yet: where all can run it ends without one, and where not it is skipped before that.
output=$("$root/scripts/sanitize.sh" 2>&1) || [[ $? != 77 ]] || { echo "$output" >&2; exit 77; }
RUSTC_BOOTSTRAP=1 rustc --edition 2024 --crate-type cdylib -Zsanitizer=address -Cforce-frame-pointers=yes -Cdebuginfo=1 -Cstrip=none \
  -o "$work/plant.so" "$root/tests/scripts/sanitize/plant.rs"

# suite NAME EXIT_CODE EXPECTED_TEXT BODY: `lib` is the planted module
suite() {
  cat >"$work/suite.test.mjs" <<EOF
import { Worker } from 'node:worker_threads'
import lib from '$root/tests/node/support/module.mjs'
import { test } from '$root/tests/node/support/runner.mjs'
$4
EOF
  expect "$1" "$2" "$3" "$root/scripts/sanitize.sh" "$work/suite.test.mjs"
}
echo "import lib from '$root/tests/node/support/module.mjs'; lib.leak()" >"$work/worker.mjs"

suite "no fault" 0 "0 errors and 0 leaks" "test('a', () => lib.nothing())"
suite "a use after free" 1 "heap-use-after-free" "test('a', () => lib.useAfterFree())"
suite "the line of it" 1 "use_after_free at " "test('a', () => lib.useAfterFree())"
suite "a read past the end" 1 "heap-buffer-overflow" "test('a', () => lib.overflow())"
suite "a leak" 1 "leak of 1000 byte(s)" "test('a', () => lib.leak())"
suite "a reference that is never deleted" 1 "0 errors and 1 leaks" "test('a', () => lib.leakReference())"
suite "a leak in a Worker" 1 "leak of 1000 byte(s)" \
  "test('a', () => new Promise((done) => new Worker('$work/worker.mjs').on('exit', done)))"
suite "a leak in a process that is made to end" 0 "0 errors and 0 leaks" "lib.leak(); test('a', () => {}); process.on('exit', () => {}); setTimeout(() => process.exit(), 500)"
suite "a failing test" 1 "0 passed, 1 failed" "test('a', () => { throw new Error('x') })"

finish
