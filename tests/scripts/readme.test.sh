#!/usr/bin/env bash
# The code in the READMEs is ArkTS that compiles against index.d.ts, and what they name is there.
# shellcheck source=support.sh
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
ensure_node
( ensure_ohos_typescript ) || skip "$OHOS_TYPESCRIPT can't be fetched" "a network that reaches the npm registry"
ensure_ohos_typescript
types=$root/$(setting demo.types)
readmes=("$root/README.md" "$root/README.zh-CN.md")
check() { node "$root/tests/scripts/readme/check.cjs" "$ohos_typescript" "$types" "$@"; }

expect "the code in them compiles" 0 " snippets, 0 faults" check "${readmes[@]}"

plant() { # NAME MESSAGE SED_SCRIPT
  sed "$3" "${readmes[0]}" >"$work/README.md"
  expect "notices $1" 1 "$2" check "$work/README.md"
}
plant "a name that is not declared" "Cannot find name 'breaker'" 's/^const breaker = /const another = /'
plant "a name that is not imported" "Cannot find name 'CallOutcome'" 's/^import { CallOutcome, /import { /'
plant "a member that does not exist" "Property 'usedFalback' does not exist" 's/client\.usedFallback/client.usedFalback/'
plant "a setting that does not exist" "'maxRetry' does not exist" 's/maxRetries: 2/maxRetry: 2/'
plant "what ArkTS forbids" "arkts-no-any-unknown" 's/^  body: string;/  body: any;/'
plant "no code at all" "0 snippets" 's/^```ts/```js/'

# what the API table leaves out
exported() { sed -nE 's/^export declare (class|function|enum) (\w+).*/\2/p' "$types/index.d.ts"; }
members() { awk '/^export declare class / { on = 1 } /^}/ { on = 0 } on' "$types/index.d.ts" | sed -nE 's/^  (static |get )?(\w+)\(.*/\2/p' | grep -vx constructor; }
unnamed=$( (exported; members) | sort -u | while read -r name; do grep -q "\b$name\b" "${readmes[0]}" || echo "$name"; done)
expect "README.md names all that is exported" 0 "unnamed: ." echo "unnamed: $unnamed."

# files and scripts
named() { grep -ohE '\]\([^):#]+\)|\./scripts/[a-z-]+\.sh' "${readmes[@]}" | sed -E 's/^\]\(//; s/\)$//' | sort -u; }
lost=$(named | while read -r path; do [[ -e $root/$path ]] || echo "$path"; done)
expect "the files that they name are there" 0 "lost: ." echo "lost: $lost."
lost=$(grep -ohE '`[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+|\./scripts/[a-z-]+\.sh|\]\([^):#]+[)#]' "$root"/{CONTRIBUTING,CHANGELOG}.md | sed -E 's/^(`|\]\()//; s/[)#]$//' | sort -u |
  while read -r path; do [[ $path = target/* || -e $root/$path ]] || echo "$path"; done)
expect "so are those of CONTRIBUTING and CHANGELOG" 0 "lost: ." echo "lost: $lost."
demo=$root/harmony-demo
lost=$(grep -ohE '\]\([^):#]+[)#]|src="[^"]+|srcset="[^"]+' "${readmes[@]}" "$demo/README.md" | sed -E 's/^(\]\(|src="|srcset=")//; s/[)#]$//' | sort -u |
  while read -r path; do [[ -e $root/$path || -e $demo/$path ]] || echo "$path"; done)
expect "so are the pictures, and the files that the demo's README names" 0 "lost: ." echo "lost: $lost."
unshown=$(cd "$root/docs/screenshots" && for picture in *; do grep -q "docs/screenshots/$picture" "${readmes[@]}" || echo "$picture"; done)
expect "each picture is shown" 0 "unshown: ." echo "unshown: $unshown."
picture=$root/docs/architecture.svg
in_picture() { grep -oE "class=\"$1\">[^<]+" "$picture" | sed 's/.*>//' | sort -u; }
lost=$(in_picture module | while read -r name; do [[ -e $root/src/$name || -e $root/src/$name.rs ]] || echo "$name"; done
  in_picture path | while read -r path; do [[ -e $root/$path || -e $demo/entry/src/main/ets/$path ]] || echo "$path"; done)
expect "what the picture of the architecture names is there" 0 "lost: ." echo "lost: $lost."
undrawn=$(sed -nE 's/^pub mod (\w+);/\1/p' "$root/src/lib.rs" | while read -r name; do in_picture module | grep -qx "$name" || echo "$name"; done)
expect "and it names each public module" 0 "undrawn: ." echo "undrawn: $undrawn."
large=$(find "$root/docs/screenshots" -size +100k)
expect "no picture is larger than 100 KB" 0 "large: ." echo "large: $large."
bundle=$(sed -n 's/.*"bundleName": "\(.*\)".*/\1/p' "$demo/AppScope/app.json5")
others=$(grep -ohE -- '-b [a-z.]+' "${readmes[@]}" "$demo/README.md" | grep -vx -- "-b $bundle" || true)
expect "they name the app's bundle" 0 "others: ." echo "others: $others."
suites=$(grep -ohE -- '-s class \w+' "$demo/README.md" | sed 's/.* //')
unknown=$(for suite in $suites; do grep -rq "describe('$suite'" "$demo/entry/src/ohosTest" || echo "$suite"; done)
expect "and suites that are there" 0 "unknown: ." echo "unknown: $unknown."
model() { grep -ohE -- '--model [a-z0-9.:]+' "${readmes[@]}" "$root/demo/options.mjs" | sort -u | wc -l; }
expect "they and the demo's help name one model" 0 "models: 1." echo "models: $(model)."

# figures
written() { # RAW: what bench.sh would make of what was measured is what stands there
  cp "${readmes[@]}" "$work" && node "$root/benches/readme.mjs" "$1" "$work"/README{,.zh-CN}.md &&
    diff "$root/README.md" "$work/README.md" && diff "$root/README.zh-CN.md" "$work/README.zh-CN.md" &&
    diff "$root/benches/results/latest.md" <(node "$root/benches/report.mjs" "$1")
}
raw=$root/benches/results/raw
expect "the figures are those that were measured" 0 "" written "$raw"
cp -r "$raw" "$work/raw"
sed -i '0,/"p25": /s//&1/' "$work/raw/core.json"
expect "notices a figure that is not" 1 "| 13.5 ns |" written "$work/raw"
expect "there are two tables to write" 0 "4" grep -cE '^<!-- :?(figures|article):? -->' "${readmes[0]}"
herd=$(sed -n '/^### A herd/,/^###* The/p' "${readmes[0]}" | grep -E '^\| .* s \|')
wrong=$(grep -vxFf "$root/docs/herd/herd.md" <<<"$herd" || true)
expect "so are the 9 of the herd" 0 "9 rows, wrong: ." echo "$(wc -l <<<"$herd") rows, wrong: $wrong."

finish
