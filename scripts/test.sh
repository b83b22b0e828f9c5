#!/usr/bin/env bash
# Runs every check, each as a named step with its log in target/test-logs, and tells how it ended; a summary comes last.
#   test.sh              all steps
#   test.sh STEP...      only these
#   test.sh --help       this, and the names of the steps
# A step that this machine can't run is skipped with the command that would enable it; with CI=true that is a failure.
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
mapfile -t steps < <(sed -nE 's/^(step|start) ([a-z0-9_-]+) .*/\2/p' "${BASH_SOURCE[0]}")
if [[ ${1:-} = -h || ${1:-} = --help ]]; then usage; echo "Steps: ${steps[*]}"; exit; fi
for name; do [[ " ${steps[*]} " = *" $name "* ]] || die "there is no step '$name'; steps: ${steps[*]}"; done
cd "$root"
logs=$target/test-logs
mkdir -p "$logs"
exec {lock}>"$logs/.lock"
flock -n $lock || die "another test.sh runs in ${target%/}: wait for its end, or give this one a CARGO_TARGET_DIR of its own"
only=" $* "
stoppable
trap 'told_to_stop; stop_children' EXIT
rm -f "$logs"/*.result

# step NAME COMMAND...
step() { if wanted "$1"; then in_background run "$@"; wait $! || true; finish "$1"; fi; }
# The same in two parts, so that compiling goes on beside other steps. Nothing that measures time runs in between.
start() { if wanted "$1"; then in_background run "$@"; started=$!; fi; }
join() { if wanted "$1"; then [[ -e $logs/$1.result ]] || say "$1: waiting for it"; wait "$started" || true; finish "$1"; fi; }
wanted() { [[ $only = "  " || $only = *" $1 "* ]]; }

run() {
  local name=$1 begin=$SECONDS code; shift
  exec {lock}>&- # what a step leaves behind must not hold it
  say "$name"
  set +e # no "|| code=$?": that would switch errexit off inside the steps that are functions
  (set -e; "$@") >"$logs/$name.log" 2>&1 </dev/null
  code=$?
  set -e
  tell "$name" $code $((SECONDS - begin))
}

# tell NAME CODE SECONDS: one line, which is the step's result too, and the end of the log of what failed
tell() {
  local name=$1 code=$2 seconds=$3 mark=ok note='' line
  case $code in
    0) note=$(grep -hE '^([0-9]+ passed, [0-9]+ failed|note: )' "$logs/$name.log" | tail -n 1) || true ;;
    77) mark=skipped note=$(sed -n 's/^skip: //p' "$logs/$name.log" | tail -n 1) ;;
    *) mark=FAILED note="exit code $code, ${logs#"$root"/}/$name.log" ;;
  esac
  [[ $mark = skipped && ${CI:-} = true ]] && mark=FAILED
  printf -v line '%-8s %-14s %4d s  %s' "$mark" "$name" "$seconds" "$note"
  if [[ $mark = FAILED ]]; then
    printf '%s\n' "$line" "---- the end of its log:"; tail -n 60 "$logs/$name.log"; echo "----"
  else echo "$line"
  fi
  echo "$line" >"$logs/$name.result"
}

finish() { [[ -s $logs/$1.result ]] || tell "$1" killed 0; } # whoever is killed tells nothing

results() { cat "$logs"/*.result 2>/dev/null | grep "^$1 "; } # ok, skipped or FAILED
counts() { echo "$(results ok | wc -l) passed, $(results FAILED | wc -l) failed, $(results skipped | wc -l) skipped"; }
told_to_stop() { [[ ${ended:-} ]] || echo "stopped after $SECONDS s; until then $(counts)"; }

packages() { # all at once: two package managers can't run side by side
  ensure_rust; ensure_node; ensure_python
  ensure_apt qemu-user-static shellcheck
  ensure_chromium || true # the step that needs it says what is wrong
  cargo clippy --version || rustup component add clippy
  cargo fmt --version || rustup component add rustfmt
}
build_ohos() {
  scripts/build-ohos.sh --dist
  # only to have them early; the steps that need them say what is wrong
  scripts/musl-node.sh x86_64 || true
  scripts/musl-node.sh aarch64 || true
}
on_dist() { # runs a check of what build-ohos made; it deletes dist/ first, so these files are never old ones
  [[ -e $(setting build.dist)/index.d.ts ]] || skip "there is no build for OHOS (see build-ohos)" "scripts/build-ohos.sh"
  "$@"
}
shell_lint() {
  command -v shellcheck >/dev/null || skip "shellcheck is missing" "apt-get install shellcheck"
  shellcheck --severity=warning scripts/*.sh tests/scripts/*.sh .ci/run
}
docs() { RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --features napi; }
demo() {
  ensure_host_build
  node_tests tests/demo/*.test.mjs
}
arkts() {
  ensure_host_build
  ensure_ohos_typescript || skip "$OHOS_TYPESCRIPT can't be fetched" "a network that reaches the npm registry"
  node_tests tests/arkts/*.test.mjs
}
browser() {
  ensure_host_build
  ensure_ohos_typescript || skip "$OHOS_TYPESCRIPT can't be fetched" "a network that reaches the npm registry"
  ensure_chromium || skip "there is no Chromium" "apt-get install chromium"
  node_tests tests/arkts/browser/*.test.mjs
}
node_tests() { # the files by name: later versions of Node take no folder
  node --enable-source-maps --test --test-reporter=tap "$@" |
    awk '{ print } $2 == "pass" { ok = $3 } $2 == "fail" { bad = $3 } END { print ok + 0 " passed, " bad + 0 " failed" }'
}

step packages packages
start build-ohos build_ohos
step lockfile cargo metadata --locked --format-version 1
step deny scripts/deny.sh
step format cargo fmt --check
step clippy cargo clippy --all-targets -- -D warnings
# the library alone: napi-derive registers nothing in test builds, which makes exported functions look unused there
step clippy-napi cargo clippy --lib --features napi -- -D warnings
step cargo-test cargo test
step threads scripts/threads.sh --short
step docs docs
step api scripts/api.sh --check
step arkvm scripts/arkvm-check.sh
step build-host scripts/build-host.sh
step shellcheck shell_lint
join build-ohos
step elf on_dist scripts/check-elf.sh
step elf-planted tests/scripts/check-elf.test.sh
step runner tests/scripts/node-suite.test.sh
step usage tests/scripts/usage.test.sh
step stopping tests/scripts/stopping.test.sh
step musl tests/scripts/musl-node.test.sh
step readme tests/scripts/readme.test.sh
step obfuscation tests/scripts/obfuscation-rules.test.sh
step har on_dist tests/scripts/har.test.sh
step types scripts/build-ohos.sh --check
step node-host scripts/node-suite.sh HOST
step node-x86_64 on_dist scripts/node-suite.sh X86_64
# under qemu it is slow, and one suite after the other
start node-arm64 on_dist scripts/node-suite.sh ARM64
step fuzz scripts/fuzz.sh --short
join node-arm64
step arkts arkts
step browser browser
step hypium-host scripts/hypium-suite.sh HOST
step hypium-x86_64 on_dist scripts/hypium-suite.sh X86_64
step hypium-arm64 on_dist scripts/hypium-suite.sh ARM64
step demo demo
step chaos scripts/chaos.sh --short
step soak scripts/soak.sh --short
step sanitize-plant tests/scripts/sanitize.test.sh
step sanitize scripts/sanitize.sh --short

ended=1
echo
results skipped || true
results FAILED || true
echo "total: $SECONDS s on $(nproc) cores"
counts
! results FAILED >/dev/null
