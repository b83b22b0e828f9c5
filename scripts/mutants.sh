#!/usr/bin/env bash
# Changes the core's code at one place at a time (cargo-mutants) and looks whether a test notices: first the module's own unit
# tests, then, for what these let through, all tests of the core. For an idle machine: it builds some 1,300 times.
#   mutants.sh                        backoff, retry, breaker and classify
#   mutants.sh MODULE...              these modules of src only
#   mutants.sh --again [MODULE...]    only the changes that nobody noticed last time
# The lists are in target/mutants/MODULE/mutants.out; what is left out and why, in .cargo/mutants.toml.
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
usage_if_asked "$@"
MUTANTS_VERSION=27.1.0

modules=$(cd "$root/src" && printf '%s\n' * | sed 's/\.rs$//' | grep -vxE 'lib|napi' | sort -u | paste -sd ' ')
again=
if [[ ${1:-} = --again ]]; then again=1; shift; fi
[[ $# -gt 0 ]] || set -- backoff retry breaker classify
for module; do
  [[ $module != -* ]] || die "usage: mutants.sh [--again] [MODULE...]; there is no option '$module'"
  [[ " $modules " = *" $module "* ]] ||
    die "usage: mutants.sh [--again] [MODULE...]; there is no module '$module'; modules: $modules"
done
ensure_rust
if [[ $(PATH=$tools/bin:$PATH cargo mutants --version 2>/dev/null) != *" $MUTANTS_VERSION" ]]; then
  say "Installing cargo-mutants $MUTANTS_VERSION: it is compiled, which takes minutes"
  CARGO_TARGET_DIR=$tools/mutants-build cargo install --quiet --locked --root "$tools" --version "$MUTANTS_VERSION" cargo-mutants >&2
  rm -rf "$tools/mutants-build"
fi
PATH=$tools/bin:$PATH

# A copy, so that the sources may be worked on meanwhile; always at the same place, so that only the changed code is built anew.
out=$target/mutants copy=$target/mutants/copy
rm -rf "$copy"; mkdir -p "$copy"
tar -C "$root" --exclude=./target --exclude=./.git --exclude=node_modules -cf - . | tar -C "$copy" -xf -

# mutate MODULE OPTION... -- ARGUMENT...: one run, with these arguments for cargo test
mutate() {
  local module=$1 status=0; shift
  CARGO_TARGET_DIR=$out/build CARGO_PROFILE_DEV_DEBUG=0 nice -n 10 cargo mutants --dir "$copy" --in-place \
    --output "$out/$module" --file "src/$module/**" --file "src/$module.rs" "$@" || status=$?
  case $status in
    0 | 2 | 3) ;; # all noticed; some not; some made a test hang, which is noticed
    *) die "cargo mutants ended with code $status" ;;
  esac
}

# Soak and allocations look at other things, and are slow.
all=(--lib --test articles --test classify_providers --test client --test peers --test properties --test threads)
missed=()
for module; do
  mkdir -p "$out/$module"
  if [[ ! $again ]]; then
    rm -rf "$out/$module"/mutants.out*
    mutate "$module" -- --lib "$module::"
  fi
  if [[ $again || -s $out/$module/mutants.out/missed.txt ]]; then mutate "$module" --iterate -- "${all[@]}"; fi
  if [[ -s $out/$module/mutants.out/missed.txt ]]; then missed+=("$module"); fi
done
for module in "${missed[@]}"; do
  say "Nobody noticed in $module:"
  cat "$out/$module/mutants.out/missed.txt"
done
[[ ${#missed[@]} = 0 ]]
