#!/usr/bin/env bash
# Builds the module for this machine's own Node: target/host/libresilience.so and its loader target/host/ark_host.node.
# Quick loop, demo and benchmarks use it; what ships is made by build-ohos.sh.
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
no_arguments "$@"
ensure_rust
ensure_node

out=$target/host
mkdir -p "$out"
cd "$root"
# The target is named because a setting of the user's (CARGO_BUILD_TARGET, ~/.cargo/config.toml) would move the result.
host=$(rust_host)
cdylib_package "$out/package"
cargo build --release --lib --features napi --target "$host" --manifest-path "$out/package/Cargo.toml"
library=$(setting package.file)
built=$target/$host/release/$library
# A Node that runs now keeps the file it has opened.
cp "$built" "$out/$library.$$"
replace "$out/$library.$$" "$out/$library"

if [[ ! $out/ark_host.node -nt tests/host/ark_host.c ]]; then
  ensure_node_api_headers
  say "Compiling ark_host.node"
  gcc -O1 -Wall -Wextra -shared -fPIC -I "$headers" -o "$out/ark_host.$$" tests/host/ark_host.c
  mv "$out/ark_host.$$" "$out/ark_host.node"
fi
