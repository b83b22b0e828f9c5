#!/usr/bin/env bash
# Builds the module for this machine's own Node: target/host/libresilience.so and its loader target/host/ark_host.node.
# Quick loop, demo and benchmarks use it; what ships is made by build-ohos.sh.
# shellcheck source=lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
no_arguments "$@"
ensure_rust
ensure_node

out=$target/host
mkdir -p "$out"
cd "$root"
cargo build --release --lib --features napi
library=$(setting package.file)
# install, not cp: a Node that runs now keeps the file it has opened
cmp -s "$target/release/$library" "$out/$library" || install "$target/release/$library" "$out/$library"

if [[ ! $out/ark_host.node -nt tests/host/ark_host.c ]]; then
  ensure_node_api_headers
  say "Compiling ark_host.node"
  gcc -O1 -Wall -Wextra -shared -fPIC -I "$headers" -o "$out/ark_host.new" tests/host/ark_host.c
  mv "$out/ark_host.new" "$out/ark_host.node"
fi
