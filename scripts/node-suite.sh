#!/usr/bin/env bash
# Runs the Node-API suites (tests/node), or those named, on one build of the module:
#   node-suite.sh HOST [SUITE...]      target/host in this machine's own Node (glibc)
#   node-suite.sh X86_64 [SUITE...]    dist/x86_64 in a musl Node
#   node-suite.sh ARM64 [SUITE...]     dist/arm64-v8a in a musl Node under qemu
#   node-suite.sh ASAN [SUITE...]      what sanitize.sh has built, in this machine's own Node
# A suite is a file: node-suite.sh HOST tests/node/breaker.test.mjs
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
usage_if_asked "$@"
platform=${1:-}
library=$(setting package.file)
dist=$root/$(setting build.dist)
limit=300 scale=1 # seconds for one file; how much slower this platform is
case $platform in
  HOST)
    ensure_host_build
    node=node host=$RESILIENCE_HOST lib=$RESILIENCE_LIB ;;
  X86_64)
    out=$("$root/scripts/musl-node.sh" x86_64)
    node=$out/node host=$out/ark_host.node lib=$dist/x86_64/$library ;;
  ARM64)
    out=$("$root/scripts/musl-node.sh" aarch64)
    node=$out/node host=$out/ark_host.node lib=$dist/arm64-v8a/$library scale=5 ;;
  ASAN)
    out=$target/asan
    node=$out/node host=$target/host/ark_host.node lib=$out/$library scale=3 ;;
  *) die "usage: node-suite.sh HOST|X86_64|ARM64|ASAN [SUITE...]" ;;
esac
shift
[[ -e $lib ]] || die "$lib is missing: run scripts/build-ohos.sh"
shopt -s nullglob
suites=("$@")
[[ $# -gt 0 ]] || suites=("$root"/tests/node/*.test.mjs "$root"/tests/node/node-only/*.test.mjs)
[[ ${#suites[@]} -gt 0 ]] || die "no suites in tests/node"

# RESILIENCE_NODE: how a suite starts another Node; process.execPath would be musl's loader or qemu
export RESILIENCE_PLATFORM=${platform,,} RESILIENCE_LIB=$lib RESILIENCE_HOST=$host RESILIENCE_NODE=$node
export RESILIENCE_TEST_TIMEOUT_MS=${RESILIENCE_TEST_TIMEOUT_MS:-$((60000 * scale))}
say "$platform: $("$node" --version) with ${lib#"$root"/}"

# One process for each file: a crash or a hang takes one suite, not all.
passed=0 failed=0 skipped=0 log=$(mktemp)
stoppable
trap 'stop_children; rm -f "$log"' EXIT
for suite in "${suites[@]}"; do
  name=$(basename "$suite") start=$SECONDS
  code=0
  in_background timeout --kill-after=10 $((limit * scale)) "$node" "$steady_memory" --test-reporter=spec "$suite" >"$log" 2>&1 </dev/null
  wait $! || code=$?
  # "N passed, N failed[, N skipped]": without it the process ended early, whatever its exit code says
  if ! read -r p _ f _ s _ < <(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -n 1); then
    p=0 f=1 s=0; echo "no closing line: ended early (exit code $code)" >>"$log"
  elif [[ $code != 0 && $f = 0 ]]; then
    f=1; echo "exit code $code" >>"$log"
  elif [[ $p = 0 && $f = 0 ]]; then
    f=1; echo "no test ran" >>"$log"
  fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
  printf '%-40s %4d passed %4d failed %4d skipped  %3d s\n' "$name" "$p" "$f" "${s:-0}" $((SECONDS - start))
  [[ $f = 0 ]] || sed 's/^/    /' "$log"
done
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed = 0 ]]
