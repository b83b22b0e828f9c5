#!/usr/bin/env bash
# Fuzzes the Rust core with libFuzzer: inputs by the million that grow out of real ones. fuzz/README.md says what each target
# checks. What grows, and what has failed, is kept in target/fuzz.
#   fuzz.sh                            each target for 10 million inputs or 20 minutes, whichever comes first
#   fuzz.sh [--seconds N | --runs N] [TARGET...]   for so long, or so many inputs
#   fuzz.sh --short [TARGET...]        5 s each, a minute with CI=true: what test.sh runs
#   fuzz.sh --address ...              with AddressSanitizer; several times slower, and the core has no unsafe code
# Two targets run at a time, where there are two cores.
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
usage_if_asked "$@"
CARGO_FUZZ_VERSION=0.13.1
cd "$root"
known=() targets=() seconds=1200 runs=10000000 sanitizer=none
for file in fuzz/fuzz_targets/*.rs; do known+=("$(basename "$file" .rs)"); done
wrong() { die "usage: fuzz.sh [--seconds N | --runs N | --short] [--address] [TARGET...]; targets: ${known[*]}"; }
while [[ $# -gt 0 ]]; do
  case $1 in
    --seconds | --runs)
      [[ ${2:-} =~ ^[1-9][0-9]{0,8}$ ]] || wrong
      if [[ $1 = --seconds ]]; then seconds=$2 runs=-1; else seconds=0 runs=$2; fi
      shift
      ;;
    --short) runs=-1 seconds=5; [[ ${CI:-} != true ]] || seconds=60 ;;
    --address) sanitizer=address ;;
    *) [[ " ${known[*]} " = *" $1 "* ]] || wrong; targets+=("$1") ;;
  esac
  shift
done
[[ ${#targets[@]} -gt 0 ]] || targets=("${known[@]}")
[[ $(uname -s) = Linux ]] || skip "fuzzing is set up for Linux" "scripts/fuzz.sh on Linux"
ensure_rust
host=$(rust_host)
work=$target/fuzz
build=$work/build-$sanitizer
stoppable

ensure_cargo_fuzz() {
  [[ $("$tools/bin/cargo-fuzz" --version 2>/dev/null) = *" $CARGO_FUZZ_VERSION" ]] && return
  say "Installing cargo-fuzz $CARGO_FUZZ_VERSION: it is compiled, which takes minutes"
  CARGO_TARGET_DIR=$tools/cargo-fuzz-build \
    cargo install --quiet --locked --root "$tools" --version "$CARGO_FUZZ_VERSION" cargo-fuzz >&2
  rm -rf "$tools/cargo-fuzz-build"
}

# Coverage is built by any stable compiler. A sanitizer wants a nightly one; stable has the same, for who asks it so.
build_targets() {
  local as=() only=()
  if [[ $sanitizer != none ]]; then
    if rustup toolchain list 2>/dev/null | grep -q '^nightly'; then as=(RUSTUP_TOOLCHAIN=nightly); else as=(RUSTC_BOOTSTRAP=1); fi
  fi
  [[ ${#targets[@]} -gt 1 ]] || only=("${targets[0]}")
  say "Building ${targets[*]}"
  env "${as[@]}" CARGO_TARGET_DIR="$build" \
    "$tools/bin/cargo-fuzz" fuzz build --fuzz-dir fuzz --sanitizer "$sanitizer" "${only[@]}" >&2
}

fuzz() { # TARGET
  local name=$1 log=$work/$1.log program=$build/$host/release/$1 code=0 options=()
  mkdir -p "$work/corpus/$name" "$work/failed/$name"
  [[ ! -e fuzz/dictionaries/$name.dict ]] || options+=("-dict=fuzz/dictionaries/$name.dict")
  [[ ! -e fuzz/regressions/$name ]] || options+=("fuzz/regressions/$name")
  "$program" "$work/corpus/$name" "fuzz/seeds/$name" "${options[@]}" -runs="$runs" -max_total_time="$seconds" -max_len=2048 \
    -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$work/failed/$name/" >"$log" 2>&1 || code=$?
  local inputs rate coverage input
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  coverage=$(sed -nE 's/^#.* cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
  printf '%-18s %9s inputs, %6s a second, %5s places reached: %s\n' \
    "$name" "${inputs:-?}" "${rate:-?}" "${coverage:-?}" "$([[ $code = 0 ]] && echo ok || echo FAILED)"
  [[ $code != 0 ]] || return 0
  grep -A4 -m 1 -E 'panicked at|^==[0-9]+==' "$log" || tail -n 20 "$log"
  input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
  [[ -z $input ]] || echo "again: $program $input; to keep it: install -Dm 644 $input fuzz/regressions/$name/A_NAME"
  return 1
}

ensure_cargo_fuzz
in_background build_targets
wait $!
passed=0 failed=0 running=0
count() { if wait -n; then passed=$((passed + 1)); else failed=$((failed + 1)); fi; running=$((running - 1)); }
for name in "${targets[@]}"; do
  [[ $running -lt 2 && $running -lt $(nproc) ]] || count
  in_background fuzz "$name"
  running=$((running + 1))
done
while [[ $running -gt 0 ]]; do count; done
echo "$passed passed, $failed failed"
[[ $failed = 0 ]]
