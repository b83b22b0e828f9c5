#!/usr/bin/env bash
# Compiles and links the Node-API layer for an Ark engine on a Linux host (feature arkvm-test, ohos-rs's convention).
# ARK_ACE_NAPI_LIB names the engine's libace_napi.so; without it a stub made of the symbol list stands in, so that at least
# a function which Ark does not have is found. Result: target/arkvm/libresilience.so.
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
no_arguments "$@"
ensure_rust
cd "$root"
library=$(setting package.file)
out=$target/arkvm
mkdir -p "$out"
if [[ -z ${ARK_ACE_NAPI_LIB:-} ]]; then
  ARK_ACE_NAPI_LIB=$out/libace_napi.so
  export ARK_ACE_NAPI_LIB
  symbols_up_to "$(setting build.min_api_level)" scripts/data/ace_napi_symbols.tsv | sed 's/.*/void &(void) {}/' |
    gcc -w -shared -fPIC -Wl,-soname,libace_napi.so -x c - -o "$ARK_ACE_NAPI_LIB"
fi
# -z defs: a name that the engine lacks fails here; a library may otherwise leave it open
cargo rustc --lib --crate-type cdylib --features arkvm-test --target-dir "$out/build" -- -C link-arg=-Wl,-z,defs
cp "$out/build/debug/$library" "$out/"
readelf -d "$out/$library" | grep -q 'NEEDED.*libace_napi' || die "$library is not linked to libace_napi.so"
say "Built $out/$library against $ARK_ACE_NAPI_LIB"
