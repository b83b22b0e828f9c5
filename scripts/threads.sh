#!/usr/bin/env bash
# Models of the core's threads (tests/loom), run through in each order in which their threads may come: a place that is lost, a
# listener that is told twice, a wake-up that nobody hears shows in the order that makes it. Small models are run to the end,
# large ones with so many preemptions at the most.
#   threads.sh            3 preemptions, and clippy for the models: a few minutes
#   threads.sh --short    2 preemptions: what test.sh runs
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
preemptions=3
if short_asked "$@"; then preemptions=2; fi
ensure_rust
cd "$root"
# The models see nothing of what threads do with std's locks and atomics. A static's are std's: loom's can't live in one.
past_sync=$(find src -path src/napi -prune -o -name '*.rs' ! -name '*tests.rs' ! -path src/sync.rs -print0 |
  xargs -0 awk '
    /^mod tests \{/ { nextfile }
    /^ *(\/\/|static )/ { next }
    /std::(thread|sync::(atomic|mpsc|.*(Mutex|RwLock|Condvar|Barrier)))/ { print FILENAME ":" FNR ": " $0 }
  ' src/napi/executor/{alarm,queue,timers}.rs)
[[ -z $past_sync ]] || die "the models don't see these, take them from crate::sync:"$'\n'"$past_sync"
# Of its own, for the cfg is another one for all crates.
export CARGO_TARGET_DIR=$target/threads RUSTFLAGS="--cfg loom ${RUSTFLAGS:-}"
package=(--locked --manifest-path tests/loom/Cargo.toml)
cargo fmt --check --manifest-path tests/loom/Cargo.toml
[[ $preemptions = 2 ]] || cargo clippy --all-targets "${package[@]}" -- -D warnings
LOOM_MAX_PREEMPTIONS=$preemptions cargo test --release "${package[@]}" -- --nocapture
