#!/usr/bin/env bash
# Each script tells how it is used, and refuses what it does not know, before it does anything.
# shellcheck source=support.sh
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
repo=$work/repo
copy_of_repo "$repo"
cp -r "$root/demo" "$root/src" "$repo/"
run() { env -u CARGO_TARGET_DIR "$repo/scripts/$1" "${@:2}"; }

for script in "$repo"/scripts/*.sh; do
  name=$(basename "$script")
  [[ $name != lib.sh ]] || continue
  for option in --help -h; do
    text=$name
    grep -q '^no_arguments ' "$script" && text='' # nothing to say about what it takes
    expect "$name $option" 0 "$text" run "$name" $option
  done
done
for name in arkvm-check build-host deny screenshots stand-in-ndk; do
  expect "$name.sh takes nothing" 1 "$name.sh takes no arguments" run $name.sh --nosuch
done
for name in api bench build-ohos chaos check-elf fuzz hypium-suite musl-node mutants node-suite sanitize soak threads; do
  expect "$name.sh with an argument that it does not know" 1 "usage: $name.sh" run $name.sh nosuch
done
expect "mutants.sh names the modules" 1 "there is no module 'nosuch'; modules: backoff breaker " run mutants.sh nosuch
expect "mutants.sh with a mistyped option" 1 "there is no option '--agin'" run mutants.sh --agin

expect "test.sh --help names the steps" 0 "Steps: packages build-ohos " run test.sh --help
expect "test.sh with an unknown step names the steps" 1 "there is no step 'nosuch'; steps: packages build-ohos " run test.sh nosuch
expect "test.sh with an unknown step beside a known one" 1 "there is no step 'nosuch'" run test.sh format nosuch
[[ -e $repo/target ]] && result=1 || result=0
report "$result" "none of this did anything" "$(ls "$repo/target" 2>&1)"

expect "test.sh with a known step runs it alone" 0 "1 passed, 0 failed, 0 skipped" \
  env CARGO_TARGET_DIR="$work/target" "$root/scripts/test.sh" lockfile

ln -s "$root/scripts/test.sh" "$work/link"
cd "$work"
expect "a script behind a link, from another folder, with CDPATH set" 0 "1 passed, 0 failed, 0 skipped" \
  env CDPATH=.:/ CARGO_TARGET_DIR="$work/target" bash link lockfile

finish
