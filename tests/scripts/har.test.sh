#!/usr/bin/env bash
# The HAR that build-ohos.sh --har packs holds the very files of dist/, and all that ohpm and an app's build look for.
# shellcheck source=support.sh
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
ensure_node
name=$(setting har.name)
library=$(setting package.file)
types=$root/$(setting demo.types)
dist=$root/$(setting build.dist)
har=$dist/$name.har

expect "build-ohos.sh --har" 0 "Packed" "$root/scripts/build-ohos.sh" --har
if ! tar -xzf "$har" -C "$work"; then echo "there is no $har"; exit 1; fi
package=$work/package

expect "everything is in one folder" 0 "package" ls "$work"
in_types=src/main/cpp/types/libresilience
wanted="LICENSE LICENSE-APACHE LICENSE-MIT README.md index.ets obfuscation.txt oh-package.json5 libs/index.d.ts
  $in_types/index.d.ts $in_types/oh-package.json5 src/main/module.json5"
for abi in $(setting build.abis); do wanted+=" libs/$abi/$library"; done
expect "its files, and no other" 0 "" diff <(xargs -n 1 <<<"$wanted" | sort) <(cd "$package" && find . -type f -printf '%P\n' | sort)

for abi in $(setting build.abis); do
  expect "$abi: the library is that of dist/" 0 "" cmp "$dist/$abi/$library" "$package/libs/$abi/$library"
done
expect "its types are those of dist/" 0 "" cmp "$dist/index.d.ts" "$package/libs/index.d.ts"
expect "so are those of the library that index.ets imports" 0 "" cmp "$dist/index.d.ts" "$package/$in_types/index.d.ts"
expect "and those that are committed" 0 "" cmp "$dist/index.d.ts" "$types/index.d.ts"
expect "its obfuscation rules are those of the demo" 0 "" cmp "$types/obfuscation-rules.txt" "$package/obfuscation.txt"
for license in LICENSE-MIT LICENSE-APACHE; do expect "$license" 0 "" cmp "$root/$license" "$package/$license"; done
expect "index.ets gives all that the module exports" 0 "" grep -qx "export \* from '$library';" "$package/index.ets"

field() { node -p "const read = (path) => JSON.parse(require('fs').readFileSync('$package/' + path)); $1"; }
main="read('oh-package.json5')"
expect "the package's name" 0 "$name" field "$main.name"
expect "its version is the crate's" 0 "$(package_field version)" field "$main.version"
expect "its license is the crate's" 0 "$(package_field license)" field "$main.license"
expect "it says who and what" 0 true field "$main.author !== '' && $main.description !== ''"
expect "its entry and its types are there" 0 true field "[$main.main, $main.types].every((path) => require('fs').existsSync('$package/' + path))"
expect "it depends on the types of the library, by the name that they have" 0 true \
  field "Object.entries($main.dependencies).every(([name, at]) => read(at.replace('file:./', '') + '/oh-package.json5').name === name) && '$library' in $main.dependencies"
expect "its module is a HAR" 0 har field "read('src/main/module.json5').module.type"

finish
