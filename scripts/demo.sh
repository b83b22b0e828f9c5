#!/usr/bin/env bash
# Shows the module at work: two scenarios, the app's pages, or a question to a real service. demo.sh --help tells more.
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
ensure_node
told=$(node "$root/demo/check_options.mjs" "$@") # wrong options end here, before anything is built
if [[ -n $told && $told != "port "* ]]; then
  echo "$told"
  exit
fi
ensure_host_build >&2 || die "the module was not built; the reason stands above"
if [[ $told = "port "* ]]; then
  ensure_ohos_typescript
  pages=$(node "$root/tests/arkts/host/compile.mjs" "$root/harmony-demo" "$target/arkts-page")
  exec node --enable-source-maps "$root/tests/arkts/host/arkui/server.mjs" "$pages" "${told#port }"
fi
exec node "$root/demo/main.mjs" "$@"
