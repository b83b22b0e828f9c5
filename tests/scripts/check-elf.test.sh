#!/usr/bin/env bash
# Proves that each check of scripts/check-elf.sh can fail: plants small libraries with one fault each and looks for its message.
# shellcheck source=support.sh
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
ndk=$("$root/scripts/stand-in-ndk.sh")
ensure_node_api_headers

cat >"$work/module.c" <<'EOF'
#include <node_api.h>
#ifndef NAME
#define NAME "resilience"
#endif
#ifndef NO_INIT
__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) { return exports; }
#define INIT napi_register_module_v1
#else
static napi_value init(napi_env env, napi_value exports) { return exports; }
#define INIT init
#endif
#ifndef NO_REGISTER
__attribute__((constructor)) static void enroll(void) {
  napi_module module = {.nm_version = 1, .nm_modname = NAME, .nm_register_func = INIT};
  napi_module_register(&module);
}
#ifndef ONCE
__attribute__((visibility("default"))) void napi_onLoad(void) {
  static int opened;
  if (opened++) enroll();
}
#endif
#endif
void *keep = (void *)napi_create_object; /* needs libace_napi.z.so in any case */
#ifdef IMPORT
void IMPORT(void);
void *import = (void *)IMPORT;
#endif
#ifdef TLS
_Thread_local int local;
int *address(void) { return &local; }
#endif
#ifdef BLOB
const char blob[BLOB] = {1};
#endif
EOF

build() { # ARCH FILE FLAGS...: SONAME and stripping are flags, so that a plant can do without
  local arch=$1 file=$2; shift 2
  local stubs=$ndk/native/sysroot/usr/lib/$arch-linux-ohos
  zig_cc "$arch" -w -O1 -shared -fPIC -I "$headers" -Wl,-z,undefs "$work/module.c" "$stubs/libace_napi.z.so" -o "$file" "$@"
}
good=(-s -Wl,-soname,libresilience.so -Wl,-z,nodelete)

accept() { expect "accepts $1" 0 "no faults" "$root/scripts/check-elf.sh" "$2" "$3"; } # NAME ABI FILE
refuse() { expect "refuses $1" 1 "FAULT: $4" "$root/scripts/check-elf.sh" "$2" "$3"; } # NAME ABI FILE MESSAGE
plant() { # NAME MESSAGE FLAGS...
  local name=$1 message=$2; shift 2
  build x86_64 "$work/plant.so" "$@"
  refuse "$name" x86_64 "$work/plant.so" "$message"
}

build x86_64 "$work/x86_64.so" "${good[@]}"
build aarch64 "$work/arm64.so" "${good[@]}"
accept "a good x86_64 library" x86_64 "$work/x86_64.so"
accept "a good arm64 library" arm64-v8a "$work/arm64.so"

plant "a wrong SONAME" "SONAME is 'libresilience.so.1'" -s -Wl,-soname,libresilience.so.1
plant "no SONAME" "SONAME is ''" -s
zig_cc x86_64 -shared -nostdlib -Wl,-soname,libextra.so -x c /dev/null -o "$work/libextra.so"
plant "a library that no phone has" "needs libextra.so" "${good[@]}" -Wl,--no-as-needed "$work/libextra.so"
plant "a search path" "has a search path" "${good[@]}" -Wl,-rpath,/opt/lib
plant "a Node-API function that is too new" "imports napi_wrap_enhance, which API level 12" "${good[@]}" -DIMPORT=napi_wrap_enhance
plant "a Node-API function that Ark lacks" "imports node_api_symbol_for" "${good[@]}" -DIMPORT=node_api_symbol_for
plant "a log function that is too new" "imports OH_LOG_PrintMsg" "${good[@]}" -DIMPORT=OH_LOG_PrintMsg
plant "a libc function that HarmonyOS lacks" "imports pthread_cancel" "${good[@]}" -DIMPORT=pthread_cancel
plant "a wrong module name" "registers as 'Resilience, Resilience'" "${good[@]}" '-DNAME="Resilience"'
plant "no registration at the second import" "registers as 'resilience', not" "${good[@]}" -DONCE
plant "a library that may be unloaded" "may be unloaded" -s -Wl,-soname,libresilience.so
plant "no registration" "never calls napi_module_register" "${good[@]}" -DNO_REGISTER
plant "no exported init function" "does not export napi_register_module_v1" "${good[@]}" -DNO_INIT
plant "debug symbols" "not stripped" -g -Wl,-soname,libresilience.so
plant "thread-local storage" "has thread-local storage" "${good[@]}" -DTLS
plant "static thread-local storage" "asks for static thread-local storage" "${good[@]}" -DTLS -ftls-model=initial-exec
gcc -w -shared -fPIC -I "$headers" "$work/module.c" -z execstack -o "$work/stack.so" # zig's linker refuses to make one
refuse "an executable stack" x86_64 "$work/stack.so" "has memory both writable and executable"
refuse "the other machine's library" x86_64 "$work/arm64.so" "made for another machine"
build aarch64 "$work/large.so" "${good[@]}" -DBLOB=2000000
refuse "a library that is too large" arm64-v8a "$work/large.so" "larger than"

# without an ABI's file
copy_of_repo "$work/repo"
expect "refuses a missing file" 1 "arm64-v8a/libresilience.so is missing" "$work/repo/scripts/check-elf.sh"

finish
