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
# Of its own, for the cfg is another one for all crates.
export CARGO_TARGET_DIR=$target/threads RUSTFLAGS="--cfg loom ${RUSTFLAGS:-}"
package=(--locked --manifest-path "$root/tests/loom/Cargo.toml")
cargo fmt --check --manifest-path "$root/tests/loom/Cargo.toml"
[[ $preemptions = 2 ]] || cargo clippy --all-targets "${package[@]}" -- -D warnings
LOOM_MAX_PREEMPTIONS=$preemptions cargo test --release "${package[@]}" -- --nocapture
