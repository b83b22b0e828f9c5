#!/usr/bin/env bash
# Runs the Hypium suites of harmony-demo against one build of the module, as they run on a phone.
#   hypium-suite.sh HOST      the host build
#   hypium-suite.sh X86_64    dist/x86_64 on musl
#   hypium-suite.sh ARM64     dist/arm64-v8a on musl, under qemu
# What a phone would print is in target/arkts/hypium-report.txt.
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
usage_if_asked "$@"
case ${1:-} in
  HOST | X86_64) ;;
  ARM64) export HYPIUM_TIMEOUT_MS=${HYPIUM_TIMEOUT_MS:-25000} ;; # an emulator is slow
  *) die "usage: hypium-suite.sh HOST|X86_64|ARM64" ;;
esac
ensure_node
ensure_ohos_typescript || skip "$OHOS_TYPESCRIPT can't be fetched" "a network that reaches the npm registry"
node "$root/tests/arkts/host/compile.mjs" >/dev/null
exec "$root/scripts/node-suite.sh" "$1" "$root/tests/arkts/host/hypium/run.mjs"
