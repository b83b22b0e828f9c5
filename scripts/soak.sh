#!/usr/bin/env bash
# Calls with every kind of end, over and over, in virtual time: memory must be flat after the first tenth, with no timer, place
# or handle left in the end. Two million through the Rust core, half a million through Node-API.
# A thousand Worker threads that load the module, use it and leave.
#   soak.sh            a few minutes
#   soak.sh --short    a hundredth of it: what test.sh runs
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
core=2000000 node_api=500000 workers=1000
if short_asked "$@"; then core=0 node_api=20000 workers=0; fi
ensure_rust
ensure_node
ensure_host_build >&2
cd "$root"
# In short these two are among the tests: cargo's, and workers.test.mjs.
[[ $workers = 0 ]] || node --enable-source-maps --expose-gc "$steady_memory" tests/chaos/workers.mjs --rounds $workers
[[ $core = 0 ]] || RESILIENCE_SOAK_CALLS=$core cargo test --release --test soak -- --nocapture
exec node --enable-source-maps --expose-gc "$steady_memory" tests/chaos/soak.mjs --calls $node_api
