#!/usr/bin/env bash
# 200 callers of the Node-API module at once, against a local service over HTTP in the shape of OpenAI's API that fails by
# plan: slow answers, 429 with Retry-After, bursts of 503, resets, cut streams, everything at once, and two outages. Then it
# is looked at what must hold: one outcome for each call, nothing left behind, a service that was left alone, a quick return.
#   chaos.sh [--seed N]    2 minutes
#   chaos.sh --short       15 seconds
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
usage_if_asked "$@"
options=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --short) options+=("$1") ;;
    --seed) [[ ${2:-} =~ ^[0-9]{1,15}$ ]] || die "--seed takes a whole number"; options+=("$1" "$2"); shift ;;
    *) die "usage: chaos.sh [--short] [--seed N]" ;;
  esac
  shift
done
ensure_node
ensure_host_build >&2
exec node --enable-source-maps --expose-gc "$steady_memory" "$root/tests/chaos/main.mjs" "${options[@]}"
