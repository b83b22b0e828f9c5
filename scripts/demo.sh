#!/usr/bin/env bash
# Shows the module at work: two scenarios, or a question to a real service. demo.sh --help tells more.
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
ensure_node
help=$(node "$root/demo/check_options.mjs" "$@") # wrong options end here, before anything is built
if [[ -n $help ]]; then
  echo "$help"
  exit
fi
ensure_host_build >&2 || die "the module was not built; the reason stands above"
exec node "$root/demo/main.mjs" "$@"
