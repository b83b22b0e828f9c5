#!/usr/bin/env bash
# Builds a stand-in for the OpenHarmony NDK, enough for `ohrs build`, and prints its path (what OHOS_NDK_HOME wants).
# It holds only what ohrs and the linker look at: zig as clang, and stub libraries with the symbols of the oldest API level
# that we support, so that a call of a newer one fails here and not on a phone. The real NDK is used where OHOS_NDK_HOME is set.
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
no_arguments "$@"
ensure_zig
ensure_gcc # for readelf

ndk=$tools/stand-in-ndk
data=$root/scripts/data
level=$(setting build.min_api_level)
stamp="$(cat "${BASH_SOURCE[0]}" "$data"/*_symbols.tsv | sha256sum | cut -c1-16) ${ZIG_WHEEL%% *} level $level $target"
if [[ $(cat "$ndk/.stamp" 2>/dev/null) != "$stamp" ]]; then
  say "Building a stand-in NDK (API level $level)"
  rm -rf "$ndk"
  mkdir -p "$ndk/native/build/cmake" "$ndk/native/llvm/bin"
  : >"$ndk/native/build/cmake/ohos.toolchain.cmake" # ohrs asks only whether it exists

  # The linker. ohrs passes the target and sysroot of the real NDK; zig brings its own musl, compiler-rt and libunwind.
  cat >"$ndk/native/llvm/bin/clang" <<EOF
#!/usr/bin/env bash
CARGO_TARGET_DIR="$target" source "$root/scripts/lib.sh"
arch=aarch64 arguments=()
for argument; do
  case \$argument in
    --target=x86_64-*) arch=x86_64 ;;
    --target=* | --sysroot=*) ;;
    *) arguments+=("\$argument") ;;
  esac
done
zig_cc "\$arch" "\${arguments[@]}"
EOF

  # ohrs asks `llvm-readobj --needed-libs FILE`; readelf knows the same and is there anyway.
  cat >"$ndk/native/llvm/bin/llvm-readobj" <<'EOF'
#!/usr/bin/env bash
set -euo pipefail
echo "NeededLibraries ["
readelf -d "${@: -1}" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/  \1/p'
echo "]"
EOF
  chmod +x "$ndk"/native/llvm/bin/*

  stub() { # ARCH LIBRARY: a library that exports the names read from standard input
    local folder=$ndk/native/sysroot/usr/lib/$1-linux-ohos
    mkdir -p "$folder"
    sed 's/.*/void &(void) {}/' | zig_cc "$1" -w -fno-builtin -shared -nostdlib -Wl,-soname,"$2" -x c - -o "$folder/$2"
  }
  for arch in aarch64 x86_64; do
    symbols_up_to "$level" "$data/ace_napi_symbols.tsv" | stub "$arch" libace_napi.z.so
    symbols_up_to "$level" "$data/hilog_symbols.tsv" | stub "$arch" libhilog_ndk.z.so
    echo stand_in_libc | stub "$arch" libc.so # ohrs looks the file up here; the linker takes zig's musl
  done
  echo "$stamp" >"$ndk/.stamp"
fi
echo "$ndk"
