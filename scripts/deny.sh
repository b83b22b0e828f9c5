#!/usr/bin/env bash
# Checks what the module, its fuzz targets and its models depend on against deny.toml: licences, sources, two versions of one
# crate, and the advisories of RustSec. Their database is on github.com; where that can't be reached, the rest is checked
# all the same.
# shellcheck source=lib.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh" || exit
no_arguments "$@"
ensure_rust
ensure_cargo_deny
cd "$root"
what=(licenses bans sources)
note=
if GIT_TERMINAL_PROMPT=0 timeout 120 "$cargo_deny" fetch db; then what+=(advisories)
else note="note: advisories were NOT checked, github.com was not reached; where it is: scripts/deny.sh"
fi
for manifest in Cargo.toml fuzz/Cargo.toml tests/loom/Cargo.toml; do
  say "$manifest: ${what[*]}"
  # An exception need not be one for all three manifests.
  "$cargo_deny" --manifest-path $manifest --config deny.toml --locked check -A license-exception-not-encountered "${what[@]}"
done
[[ -z $note ]] || echo "$note"
