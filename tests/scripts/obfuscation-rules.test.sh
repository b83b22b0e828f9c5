#!/usr/bin/env bash
# The rules that keep an app's obfuscation away from the names that native code looks for.
# shellcheck source=support.sh
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
rules() { awk -f "$root/scripts/obfuscation-rules.awk" "$@"; }

cat >"$work/index.d.ts" <<'END'
/** Words that stand in a comment. */
export interface Options {
  /** And more of them. */
  limit?: number
  costPer1kTokens: number
  chat(request: Object): Promise<string>
}
export type Function = (name: Options) => string
export declare enum State {
  OPEN = 1
}
export declare function version(): string
export const ALL_STATES: State[]
export declare class Client {
  private constructor()
  constructor(inner: Options)
  static make(): Client
  get state(): State
}
END
cat >"$work/errors.rs" <<'END'
let (status, body) = (get(c"status"), first(&[c"body", c"error"]));
END
wanted='-keep-global-name
ALL_STATES
Client
State
version
-keep-property-name
OPEN
body
chat
costPer1kTokens
error
limit
make
state
status'
output=$(rules "$work/index.d.ts" "$work/errors.rs" | tail -n +2)
[[ $output = "$wanted" ]] && result=0 || result=1
report $result "exports, constants, members, members of options and enums, and what is read off errors" "$output"

types=$root/$(setting demo.types)
expect "the committed rules fit the committed types" 0 "" diff "$types/obfuscation-rules.txt" <(rules "$types/index.d.ts" "$root/src/napi/errors.rs")
expect "the committed package has the crate's version" 0 "\"version\": \"$(package_field version)\"" cat "$types/oh-package.json5"

demo=$root/harmony-demo/entry
expect "the demo keeps the names that a service's JSON has" 0 "" diff \
  <(sed -n '/^interface/,/^}/ s/^  \([a-z_]*\)?*:.*/\1/p' "$demo/src/main/ets/llm/ChatApi.ets" | sort -u) \
  <(sed '1,/^-keep-property-name/d' "$demo/obfuscation-rules.txt")

finish
