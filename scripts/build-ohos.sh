#!/usr/bin/env bash
# Builds what ships, with the real `ohrs build`: dist/<abi>/libresilience.so for each ABI of ohrs.toml, and dist/index.d.ts.
# Then puts the libraries and the types where the demo app takes them.
#   build-ohos.sh             builds and copies
#   build-ohos.sh --dist      stops after dist/
#   build-ohos.sh --har       builds, then packs dist/libresilience.har with `ohrs artifact`
#   build-ohos.sh --check     builds, then fails if the committed types differ from the built ones
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
usage_if_asked "$@"
mode=${1:-}
[[ $mode = '' || $mode = --dist || $mode = --har || $mode = --check ]] || die "usage: build-ohos.sh [--dist | --har | --check]"
cd "$root"
dist=$(setting build.dist)
library=$(setting package.file)
types=$(setting demo.types)
libs=$(setting demo.libs)
mapfile -t abis < <(setting build.abis)

# The standard library for OHOS targets, from whatever this machine offers. Sets cargo_args, may set RUSTC and PATH.
choose_std() {
  local wanted="aarch64-unknown-linux-ohos x86_64-unknown-linux-ohos" version
  cargo_args=()
  if has_targets "$wanted"; then return; fi
  if [[ -e $(rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.toml ]]; then
    say "Building std from rust-src"
    build_std; return
  fi
  if ! [[ -e /usr/lib/rustlib/src/rust/library/Cargo.toml && -x /usr/bin/cargo ]]; then
    # shellcheck disable=SC2086 # two words
    if command -v rustup >/dev/null && timeout --foreground 180 rustup target add $wanted >&2 && has_targets "$wanted"; then return; fi
    say "rustup can't bring the targets; trying Debian's compiler, which comes with the source of std"
    ( ensure_apt rustc-web cargo-web rust-web-src ) ||
      skip "no standard library for OHOS targets" "rustup target add $wanted (or rustup component add rust-src)"
  fi
  version=$(/usr/bin/rustc --version | cut -d' ' -f2)
  at_least "$(rust_version)" "$version" ||
    skip "/usr/bin/rustc $version is too old to build std from source" "rustup target add $wanted"
  say "Building std with Debian's Rust $version"
  export PATH=/usr/bin:$PATH RUSTC=/usr/bin/rustc
  build_std
}
has_targets() { local name; for name in $1; do [[ -d $(rustc --print sysroot)/lib/rustlib/$name/lib ]] || return 1; done; }
# Without std's reader of debug information: the module has none, and it is 130 KB.
build_std() {
  export RUSTC_BOOTSTRAP=1
  cargo_args=(-- -Z build-std=std,panic_unwind -Z build-std-features=panic-unwind)
}

# First of all: ohrs ends with 0 on its own errors, so what counts is whether these files appear.
rm -rf "$dist"
ensure_rust
ensure_ohrs
choose_std
if [[ -n ${OHOS_NDK_HOME:-} ]]; then
  say "Using the NDK in $OHOS_NDK_HOME"
else
  OHOS_NDK_HOME=$("$root/scripts/stand-in-ndk.sh")
  export OHOS_NDK_HOME
fi

flags=()
[[ $(setting build.profile) = release ]] && flags+=(--release)
for abi in "${abis[@]}"; do flags+=(--arch "$(setting "arch.$abi")"); done
say "ohrs build ${flags[*]} ${cargo_args[*]}"
package=$target/ohos/package
cdylib_package "$package"
# A folder of its own: this compiler may differ from the host's, and the two must not rebuild each other's files.
# RUSTC_WRAPPER would run the host's compiler (sccache).
(cd "$package" && env -u RUSTC_WRAPPER CARGO_TARGET_DIR="$target/ohos" PATH="$tools/bin:$PATH" \
  ohrs build --dist "$root/$dist" "${flags[@]}" "${cargo_args[@]}") >&2

for file in "${abis[@]/%//$library}" index.d.ts; do
  [[ -s $dist/$file ]] || die "ohrs made no $dist/$file; see its messages above"
done
types_made=$(awk -f scripts/tidy-types.awk "$dist/index.d.ts")
printf '%s\n' "$types_made" >"$dist/index.d.ts"
(cd "$dist" && wc -c -- */"$library" index.d.ts) >&2

write_types() { # FOLDER
  mkdir -p "$1"
  install -m 644 "$dist/index.d.ts" "$1/"
  awk -f scripts/obfuscation-rules.awk "$dist/index.d.ts" src/napi/errors.rs >"$1/obfuscation-rules.txt"
  cat >"$1/oh-package.json5" <<EOF
{
  "name": "$library",
  "types": "./index.d.ts",
  "version": "$(package_field version)",
  "description": "Types of the native module $library; scripts/build-ohos.sh writes all files of this folder"
}
EOF
}

# The package of the module, as ohpm takes it. `ohrs artifact` packs the folder `package` beside which it is run, with
# dist/ as its `libs`; --no-workspace, because it would look for that folder beside Cargo.toml.
write_har() {
  local name folder=$target/ohos/har
  name=$(setting har.name)
  rm -rf "$folder"
  mkdir -p "$folder"
  cp -r har/package "$folder/"
  cp LICENSE-MIT LICENSE-APACHE "$folder/package/"
  write_types "$folder/package/${types#*/entry/}"
  # the name under which an app's build takes rules of a HAR
  mv "$folder/package/${types#*/entry/}/obfuscation-rules.txt" "$folder/package/obfuscation.txt"
  cat >"$folder/package/oh-package.json5" <<EOF
{
  "name": "$name",
  "version": "$(package_field version)",
  "description": "$(package_field description)",
  "main": "index.ets",
  "types": "libs/index.d.ts",
  "author": "The libresilience authors",
  "license": "$(package_field license)",
  "dependencies": {
    "$library": "file:./${types#*/entry/}"
  }
}
EOF
  (cd "$folder" && PATH="$tools/bin:$PATH" ohrs artifact --no-workspace --dist "$root/$dist" --name "$name") >&2
  [[ -s $folder/$name.har ]] || die "ohrs made no $name.har; see its messages above"
  mv "$folder/$name.har" "$dist/"
  say "Packed $dist/$name.har ($(stat -c %s "$dist/$name.har") bytes)"
}

case $mode in
  --dist) ;;
  --har) write_har ;;
  --check)
    rm -rf "$target/types"
    write_types "$target/types"
    diff -ru "$types" "$target/types" >&2 || die "$types is out of date: run scripts/build-ohos.sh and commit it" ;;
  *)
    for abi in "${abis[@]}"; do install -D -m 644 "$dist/$abi/$library" "$libs/$abi/$library"; done
    write_types "$types"
    say "Copied to $libs and $types" ;;
esac
