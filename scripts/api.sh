#!/usr/bin/env bash
# Lists all that the Rust crate exports in docs/rust-api.txt, so that a change of it shows in a diff. (What ArkTS gets is listed in
# index.d.ts, which build-ohos.sh writes.)
#   api.sh             writes the list
#   api.sh --check     fails if the committed one is another
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
usage_if_asked "$@"
case "$#${1:-}" in 0 | 1--check) ;; *) die "usage: api.sh [--check]" ;; esac
# The compiler whose JSON the public-api of scripts/api/Cargo.toml reads: the two change together.
API_RUST=1.95.0
list=docs/rust-api.txt
ensure_rust
cd "$root"
is_api_rust() { [[ $(rustc --version 2>/dev/null) = "rustc $API_RUST "* ]]; }
if ! is_api_rust; then
  export RUSTUP_TOOLCHAIN=$API_RUST
  is_api_rust || rustup toolchain install "$API_RUST" --profile minimal >&2 || true
  is_api_rust || skip "Rust $API_RUST is missing" "rustup toolchain install $API_RUST"
fi
cargo build --quiet --locked --manifest-path scripts/api/Cargo.toml --target-dir "$tools/api"
# rustdoc tells it as JSON to nightly compilers only, or to this variable. A folder of its own: cargo looks at the variable, too.
RUSTC_BOOTSTRAP=1 cargo rustdoc --quiet --locked --lib --target-dir "$target/api" -- -Z unstable-options --output-format json
"$tools/api/debug/api" "$target/api/doc/resilience.json" >"$target/api/list.txt"
if [[ $# = 1 ]]; then
  diff -u "$list" "$target/api/list.txt" || die "the Rust API is not the one of $list; if it is meant to change: scripts/api.sh"
else
  cp "$target/api/list.txt" "$list"
fi
wc -l <"$target/api/list.txt" | sed 's/$/ public items/'
