#!/usr/bin/env bash
# Where musl-node.sh gets musl from, on Debian and elsewhere.
# shellcheck source=support.sh
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
stands_for_all=https://deb.debian.org/debian

mirror() { # NAME WANTED ID SOURCES: with these lines in os-release and in the list of sources
  local etc=$work/etc
  rm -rf "$etc"; mkdir -p "$etc/apt/sources.list.d"
  printf 'PRETTY_NAME="A system"\nID=%s\nID_LIKE=debian\n' "$3" >"$etc/os-release"
  printf '%s\n' "$4" >"$etc/apt/sources.list.d/system.sources"
  expect "$1" 0 "mirror: $2." debian_mirror_in "$etc"
}
debian_mirror_in() { echo "mirror: $(debian_mirror "$1")."; }

mirror "Debian: its own" http://mirror.example/debian debian 'URIs: http://mirror.example/debian'
mirror "Debian, in the old form" http://mirror.example/debian/ debian 'deb http://mirror.example/debian/ bookworm main'
mirror "Debian, a line that is commented out" $stands_for_all debian '# deb http://mirror.example/debian bookworm main'
mirror "Debian without a mirror that can be read" $stands_for_all debian 'URIs: cdrom:'
mirror "Ubuntu" $stands_for_all ubuntu 'URIs: http://archive.ubuntu.com/ubuntu/'
mirror "Ubuntu with a source of Debian's name" $stands_for_all ubuntu 'deb http://packages.example/debian stable main'

expect "a mirror that can't be reached: skipped, with the reason" 77 "skip: musl can't be fetched from http://127.0.0.1:1/debian" \
  env CARGO_TARGET_DIR="$work/target" DEBIAN_MIRROR=http://127.0.0.1:1/debian "$root/scripts/musl-node.sh" x86_64

finish
