#!/usr/bin/env bash
# Makes docs/screenshots/: the app's four pages in English and Chinese, light and dark, as README shows them. They are run
# on the page host (demo.sh --page) in a headless Chromium: layout is approximate. What they show is the same each time.
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
no_arguments "$@"
ensure_node
ensure_host_build >&2
ensure_ohos_typescript
ensure_chromium
ensure_apt pngquant fonts-noto-cjk
shots=$root/docs/screenshots
rm -rf "$shots"
node --enable-source-maps "$root/tests/arkts/browser/screenshots.mjs" "$shots"
pngquant --strip --force --ext .png 64 "$shots"/*.png
wc -c "$shots"/*.png >&2
