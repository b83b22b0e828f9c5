#!/usr/bin/env bash
# Checks the libraries in dist/ for what would make `import ... from 'libresilience.so'` fail on a phone, where the only
# trace is a line in the system log: a missing library, a symbol newer than the phone, a wrong name.
#   check-elf.sh              all ABIs of ohrs.toml
#   check-elf.sh ABI FILE     one file
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
usage_if_asked "$@"
[[ $# = 0 || $# = 2 ]] || die "usage: check-elf.sh [ABI FILE]"
ensure_gcc # readelf comes with it
library=$(setting package.file)
module=$(setting package.name)
level=$(setting build.min_api_level)
provided="libace_napi.z.so libhilog_ndk.z.so libc.so"
exported=$(for list in "$root"/scripts/data/*_symbols.tsv; do symbols_up_to "$level" "$list"; done | sort -u)
faults=0 unprobed=

fault() { printf '  FAULT: %s\n' "$*"; faults=$((faults + 1)); }

check() { # ABI FILE
  local abi=$1 file=$2 machine arch headers dynamic name names size folder
  case $abi in
    arm64-v8a) machine=AArch64 arch=aarch64 ;;
    x86_64) machine="Advanced Micro Devices X86-64" arch=x86_64 ;;
    *) die "unknown ABI $abi" ;;
  esac
  size=$(stat -c %s "$file")
  printf '%s (%s, %d bytes)\n' "${file#"$root"/}" "$abi" "$size"
  headers=$(readelf -W --file-header --segments --sections "$file")
  dynamic=$(readelf -W --dynamic "$file")

  grep -q "Machine: *$machine" <<<"$headers" || fault "made for another machine than $machine"
  grep -q "Type: *DYN" <<<"$headers" || fault "not a shared library"

  name=$(sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p' <<<"$dynamic")
  [[ $name = "$library" ]] || fault "SONAME is '$name', not $library"

  names=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic")
  for name in $names; do
    [[ " $provided " = *" $name "* ]] || fault "needs $name, which is neither in the app nor promised by the system"
  done
  [[ $names = *libace_napi.z.so* ]] || fault "does not need libace_napi.z.so, so napi_* would not be found"
  ! grep -qE '\((RPATH|RUNPATH)\)' <<<"$dynamic" || fault "has a search path of the machine that built it"

  # weak ones may be missing: the code asks for them before it calls them
  names=$(readelf -W --dyn-syms "$file" | awk '$7 == "UND" && $5 != "WEAK" && $8 { print $8 }' | sort -u)
  for name in $(comm -23 <(echo "$names") <(echo "$exported")); do
    fault "imports $name, which API level $level does not export"
  done
  [[ $names = *napi_module_register* ]] || fault "never calls napi_module_register"
  readelf -W --dyn-syms "$file" | grep -qE 'FUNC +GLOBAL +DEFAULT +[0-9]+ napi_register_module_v1$' ||
    fault "does not export napi_register_module_v1"
  grep -q 'NODELETE' <<<"$dynamic" || fault "may be unloaded (no NODELETE), under its own threads and objects"

  ! grep -qE '\] \.(symtab|debug_)' <<<"$headers" || fault "not stripped"
  ! grep -qE '^ +TLS ' <<<"$headers" || fault "has thread-local storage (PT_TLS), scarce for libraries opened late"
  ! grep -q 'STATIC_TLS' <<<"$dynamic" || fault "asks for static thread-local storage"
  ! grep -q 'TEXTREL' <<<"$dynamic" || fault "relocates its code (TEXTREL)"
  ! grep -qE '^ +(LOAD|GNU_STACK) .* RWE ' <<<"$headers" || fault "has memory both writable and executable"
  if [[ $abi = arm64-v8a && $size -gt $(setting limits.arm64_bytes) ]]; then
    fault "larger than $(setting limits.arm64_bytes) bytes"
  fi

  # the name that the engine will see; it looks the module up by the name of its file
  if folder=$("$root/scripts/musl-node.sh" "$arch"); then
    name=$("$folder/register_probe" "$file" 2>&1) || true
    [[ $name = "$module"$'\n'"$module" ]] || fault "registers as '${name//$'\n'/, }', not '$module', once for each import"
  else
    unprobed="$unprobed $abi"
  fi
}

if [[ $# = 2 ]]; then
  check "$1" "$(realpath "$2")"
else
  for abi in $(setting build.abis); do
    file=$root/$(setting build.dist)/$abi/$library
    if [[ -e $file ]]; then check "$abi" "$file"; else fault "$file is missing: run scripts/build-ohos.sh"; fi
  done
fi
[[ $faults = 0 ]] || die "$faults fault(s)"
[[ ! $unprobed ]] || skip "no other fault, but the registered name was not seen for$unprobed: no musl to load it with" \
  "what scripts/musl-node.sh says"
echo "no faults"
